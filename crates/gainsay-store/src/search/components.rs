//! Splits a conjunction into groups of operands that must be found together, each with one SQL
//! query.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use gainsay_wire::{Expr, ManifestParam, OpId, Root, Term};

use crate::{
    StoreError,
    campaign::Campaign,
    sql::{Columns, Compiler},
};

/// States of one operand that are considered when two operands are compared with each other.
const COMPARED_STATES: usize = 300;

/// Objects that are tried in one state.
const OBJECTS_OF_A_STATE: usize = 4;

/// How a predicate is searched.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) components: Vec<Component>,
    /// Clauses over views of objects alone: checked again on the combined tuple.
    pub(crate) state_clauses: Vec<Expr>,
    /// Clauses that speak of plain operands.
    pub(crate) plain_clauses: Vec<Expr>,
    pub(crate) unsearchable: Vec<Expr>,
}

/// Operands that are found by one query.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) operands: Vec<u32>,
    pub(crate) texts: Vec<String>,
    types: Vec<i64>,
    views: BTreeMap<(u32, i64), String>,
    relations: BTreeMap<(i64, u32, u32), String>,
    /// Conditions with the operands that they speak of.
    conditions: Vec<(BTreeSet<u32>, String)>,
}

struct Clause {
    expr: Expr,
    operands: BTreeSet<u32>,
    has_relation: bool,
}

impl Plan {
    pub(crate) fn new(campaign: &Campaign, op: OpId, clauses: &[Expr]) -> Result<Plan, StoreError> {
        let unknown = StoreError::Unknown { what: "operation", id: op.0 };
        let params = &campaign.manifest.ops.get(op.0 as usize).ok_or(unknown)?.params;
        let mut plan = Plan::default();
        let mut bound = Vec::new();
        for expr in clauses {
            match classify(expr, params) {
                Some(clause) if clause.operands.is_empty() => plan.plain_clauses.push(clause.expr),
                Some(clause) if is_expressible(campaign, op, &clause) => {
                    if !clause.has_relation {
                        plan.state_clauses.push(clause.expr.clone());
                    }
                    bound.push(clause);
                }
                _ => plan.unsearchable.push(expr.clone()),
            }
        }
        for group in groups(params, &bound) {
            plan.components.push(Component::new(campaign, op, group, &bound)?);
        }
        Ok(plan)
    }
}

/// The object operands of a clause; none for a clause that also speaks of plain operands, which
/// is settled by values. `None` when it cannot be searched for.
fn classify(expr: &Expr, params: &[ManifestParam]) -> Option<Clause> {
    let is_object = |i: u32| matches!(params.get(i as usize), Some(ManifestParam::Object(..)));
    let (mut operands, mut plain, mut has_relation, mut fits) =
        (BTreeSet::new(), false, false, true);
    expr.each_term(&mut |term: &Term| {
        let Root::Operand(on) = term.root else {
            fits = false;
            return;
        };
        fits &= term.is_before();
        for operand in [Some(on), term.with].into_iter().flatten() {
            if is_object(operand) {
                operands.insert(operand);
            } else {
                plain = true;
            }
        }
        has_relation |= term.with.is_some();
    });
    if plain {
        operands.clear();
    }
    fits.then(|| Clause { expr: expr.clone(), operands, has_relation })
}

/// Whether SQL can say it, with known queries, and with every operand of a clause that has
/// relations bound by one of them.
fn is_expressible(campaign: &Campaign, op: OpId, clause: &Clause) -> bool {
    let mut related = BTreeSet::new();
    let mut compiler = Compiler::new(|term: &Term| {
        if let (Root::Operand(on), Some(with)) = (term.root, term.with) {
            related.extend([on, with]);
        }
        crate::transitions::query_of(campaign, op, term).map(|_| Columns::prefixed("x."))
    });
    let sql = compiler.predicate(&clause.expr);
    sql.is_some() && (!clause.has_relation || related == clause.operands)
}

/// The object operands, grouped by what must be found together.
fn groups(params: &[ManifestParam], clauses: &[Clause]) -> Vec<BTreeSet<u32>> {
    let objects = (0u32..).zip(params).filter(|(_, p)| matches!(p, ManifestParam::Object(..)));
    let mut groups: Vec<BTreeSet<u32>> = objects.map(|(i, _)| BTreeSet::from([i])).collect();
    let related: BTreeSet<u32> =
        clauses.iter().filter(|c| c.has_relation).flat_map(|c| c.operands.clone()).collect();
    for clause in clauses {
        // What compares a related operand with an unrelated one is checked on the whole tuple.
        let split = !clause.has_relation
            && clause.operands.iter().any(|i| related.contains(i))
            && !clause.operands.is_subset(&related);
        if split {
            continue;
        }
        let (joined, rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&clause.operands));
        groups = rest;
        groups.push(joined.into_iter().flatten().collect());
    }
    groups.sort();
    groups
}

impl Component {
    fn new(
        campaign: &Campaign,
        op: OpId,
        group: BTreeSet<u32>,
        clauses: &[Clause],
    ) -> Result<Component, StoreError> {
        let params = &campaign.manifest.ops[op.0 as usize].params;
        let (mut views, mut relations) = (BTreeMap::new(), BTreeMap::new());
        let mut compiler = Compiler::new(|term: &Term| {
            let query = crate::transitions::query_of(campaign, op, term)?;
            let Root::Operand(on) = term.root else { return None };
            let alias = if let Some(with) = term.with {
                let next = format!("r{}", relations.len());
                relations.entry((query, on, with)).or_insert(next).clone()
            } else {
                let next = format!("v{}", views.len());
                views.entry((on, query)).or_insert(next).clone()
            };
            Some(Columns::prefixed(&format!("{alias}.")))
        });
        let mut conditions = Vec::new();
        for clause in clauses.iter().filter(|clause| clause.operands.is_subset(&group)) {
            if let Some(sql) = compiler.predicate(&clause.expr) {
                conditions.push((clause.operands.clone(), sql));
            }
        }
        let texts = compiler.into_texts();
        let operands: Vec<u32> = group.into_iter().collect();
        let ty = |i: &u32| match &params[*i as usize] {
            ManifestParam::Object(ty, _) => campaign.type_row(*ty),
            ManifestParam::Plain(_) => Err(StoreError::Unknown { what: "type", id: *i }),
        };
        let types = operands.iter().map(ty).collect::<Result<_, _>>()?;
        Ok(Component { operands, texts, types, views, relations, conditions })
    }

    /// The query: per operand a state and an object in it.
    pub(crate) fn sql(&self, limit: usize) -> String {
        match (self.operands.len(), self.relations.is_empty()) {
            (_, false) => self.by_relation(limit),
            (1, true) => self.alone(0, limit),
            (_, true) => self.compared(limit),
        }
    }

    fn conditions_on(&self, wanted: impl Fn(&BTreeSet<u32>) -> bool) -> String {
        let wanted = self.conditions.iter().filter(|(operands, _)| wanted(operands));
        wanted.fold(String::new(), |mut sql, (_, condition)| {
            write!(sql, " AND {condition}").expect("writing to a string");
            sql
        })
    }

    /// One operand by its own conditions: all states with their shortest object first, then the
    /// other objects of these states.
    fn alone(&self, index: usize, limit: usize) -> String {
        let operand = self.operands[index];
        let own = BTreeSet::from([operand]);
        let conditions = self.conditions_on(|operands| *operands == own);
        let mut views = self.views_in(&conditions).into_iter();
        let mut from = match views.next() {
            // The query implies the type; states are reached through their values.
            Some((query, view)) => format!(
                "state_value {view} JOIN state s ON s.id = {view}.state AND {view}.query = {query}"
            ),
            None => "state s".to_owned(),
        };
        for (query, view) in views {
            write!(
                from,
                " JOIN state_value {view} ON {view}.state = s.id AND {view}.query = {query}"
            )
            .expect("writing to a string");
        }
        let ty = self.types[index];
        let by_type =
            if from == "state s" { format!("s.type = {ty}") } else { format!("+s.type = {ty}") };
        format!(
            "SELECT o.state AS state, o.id AS object FROM (
                SELECT s.id AS id, s.steps AS steps, s.digest AS digest FROM {from}
                WHERE {by_type} AND s.steps IS NOT NULL{conditions}
                ORDER BY s.steps, s.digest LIMIT {limit}) w
             CROSS JOIN object o ON o.id IN (
                SELECT id FROM object p WHERE p.state = w.id
                ORDER BY p.steps, p.recipe, p.id LIMIT {OBJECTS_OF_A_STATE})
             ORDER BY row_number() OVER (PARTITION BY w.id ORDER BY o.steps, o.recipe, o.id),
                      w.steps, w.digest LIMIT {limit}"
        )
    }

    fn views_in(&self, conditions: &str) -> Vec<(i64, &String)> {
        let used = self.views.iter().filter(|(_, alias)| uses(conditions, alias));
        used.map(|((_, query), alias)| (*query, alias)).collect()
    }

    /// Operands that are compared with each other but have no relation.
    fn compared(&self, limit: usize) -> String {
        let conditions = self.conditions_on(|operands| operands.len() > 1);
        let (mut with, mut select, mut from) = (Vec::new(), Vec::new(), Vec::new());
        let mut on = String::from("1");
        for (index, operand) in self.operands.iter().enumerate() {
            let candidates = self.alone(index, COMPARED_STATES);
            with.push(format!("c{index} AS MATERIALIZED ({candidates})"));
            select.push(format!("c{index}.state, c{index}.object"));
            from.push(format!("c{index}"));
            let views = self.views.iter().filter(|((of, _), _)| of == operand);
            for ((_, query), view) in views.filter(|(_, view)| uses(&conditions, view)) {
                from.push(format!("state_value {view}"));
                write!(on, " AND {view}.state = c{index}.state AND {view}.query = {query}")
                    .expect("writing to a string");
            }
        }
        // Joined in this order: a view is looked up once per candidate, not once per pair.
        let (with, select, from) = (with.join(", "), select.join(", "), from.join(" CROSS JOIN "));
        format!("WITH {with} SELECT {select} FROM {from} WHERE {on}{conditions} LIMIT {limit}")
    }

    /// Operands that a relation binds: pairs of objects that were looked at together.
    fn by_relation(&self, limit: usize) -> String {
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let (mut from, mut on) = (Vec::new(), String::from("1"));
        for ((query, a, b), relation) in &self.relations {
            from.push(format!("relation {relation}"));
            write!(on, " AND {relation}.query = {query}").expect("writing to a string");
            for (operand, column) in [(a, "a"), (b, "b")] {
                if known.insert(*operand) {
                    from.push(format!("object o{operand}"));
                }
                write!(on, " AND o{operand}.id = {relation}.{column}")
                    .expect("writing to a string");
            }
        }
        for ((operand, query), view) in &self.views {
            from.push(format!("state_value {view}"));
            write!(on, " AND {view}.state = o{operand}.state AND {view}.query = {query}")
                .expect("writing to a string");
        }
        let select: Vec<String> =
            self.operands.iter().map(|i| format!("o{i}.state, o{i}.id")).collect();
        let steps: Vec<String> = self.operands.iter().map(|i| format!("o{i}.steps")).collect();
        let place = |i: &u32| format!("o{i}.recipe, o{i}.step, o{i}.out");
        let places: Vec<String> = self.operands.iter().map(place).collect();
        let conditions = self.conditions_on(|_| true);
        format!(
            "SELECT {} FROM {} WHERE {on}{conditions} ORDER BY {}, {} LIMIT {limit}",
            select.join(", "),
            from.join(", "),
            steps.join(" + "),
            places.join(", ")
        )
    }
}

/// Whether conditions mention an alias.
fn uses(conditions: &str, alias: &str) -> bool {
    conditions.contains(&format!("{alias}."))
}
