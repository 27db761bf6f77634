//! Splits a conjunction into groups of operands that must be found together, each with one SQL
//! query, which `statement` writes.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{Expr, ManifestParam, OpId, Root, Term};

use crate::{
    StoreError,
    sqlite::campaign_rows::Campaign,
    sqlite::encoding::predicate_sql::{Columns, Compiler},
};

/// The way in which a predicate is searched.
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
    /// Rows of the operands' types.
    pub(super) types: Vec<i64>,
    /// Aliases by operand and query.
    pub(super) views: BTreeMap<(u32, i64), String>,
    /// Aliases by query and the two operands.
    pub(super) relations: BTreeMap<(i64, u32, u32), String>,
    /// Conditions with the operands that they speak of.
    pub(super) conditions: Vec<(BTreeSet<u32>, String)>,
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
        // Values are proposed for plain operands once the objects are chosen.
        operands.clear();
    }
    fits.then(|| Clause { expr: expr.clone(), operands, has_relation })
}

/// Tells if SQL can say it, with known queries, and with every operand of a clause that has
/// relations bound by one of them.
fn is_expressible(campaign: &Campaign, op: OpId, clause: &Clause) -> bool {
    let mut related = BTreeSet::new();
    let mut compiler = Compiler::new(|term: &Term| {
        if let (Root::Operand(on), Some(with)) = (term.root, term.with) {
            related.extend([on, with]);
        }
        crate::sqlite::record::transition_rows::query_of(campaign, op, term)
            .map(|_| Columns::prefixed("x."))
    });
    // The columns do not matter here, only that there are some.
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
            let query = crate::sqlite::record::transition_rows::query_of(campaign, op, term)?;
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
}
