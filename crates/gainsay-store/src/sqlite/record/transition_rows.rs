//! Transitions: what passing calls changed, and which of them make a predicate true.

use std::cell::Cell as Side;

use gainsay_wire::{
    Arg, Digest, Expr, ObjRef, Observation, OpId, Root, Sequence, Term, Value, When, Wire as _,
};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use crate::{
    Store, StoreError,
    sqlite::campaign_rows::Campaign,
    sqlite::encoding::blob::unpack,
    sqlite::encoding::predicate_sql::{Columns, Compiler},
    sqlite::encoding::value_columns::Cell,
    sqlite::record::call_rows::Seen,
    sqlite::record::object_rows::{Recorder, length},
};

/// `with_position` of a query without argument.
const ALONE: i64 = -1;

/// A transition that was seen to make a predicate true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionUse {
    /// The operation to call.
    pub op: OpId,
    /// With what, one per parameter of `op`.
    pub args: Vec<Bound>,
}

/// The argument that a parameter of a transition's operation is bound to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// The operand of that number of the operation under attack.
    Variable(u32),
    /// A value of the example call.
    Plain(Value),
    /// An object of the example call.
    Object {
        /// The calls that make it.
        recipe: Sequence,
        /// Its place among the objects that they make.
        at: ObjRef,
    },
}

impl Recorder<'_> {
    /// Counts the transition of a passing call, if it changed anything.
    pub(crate) fn count_transition(&mut self, seen: &Seen<'_>) -> Result<(), StoreError> {
        let op = self.campaign.op_row(seen.observation.op)?;
        let key = transition_key(seen.observation);
        let steps = length(seen.after);
        let Some((id, shortest)) = self.known_transition(op, key)? else {
            return self.add_transition(op, key, seen);
        };
        *self.memory.counted.entry(id).or_default() += 1;
        if steps < shortest {
            let recipe = self.recipe_row(seen.after)?;
            let update = "UPDATE transition SET example = ?2, steps = ?3 WHERE id = ?1";
            self.connection.prepare_cached(update)?.execute(params![id, recipe, steps])?;
            self.memory.transitions.insert((op, key), (id, steps));
        }
        Ok(())
    }

    fn known_transition(&mut self, op: i64, key: i64) -> Result<Option<(i64, i64)>, StoreError> {
        if let Some(known) = self.memory.transitions.get(&(op, key)) {
            return Ok(Some(*known));
        }
        if self.memory.began_empty {
            return Ok(None);
        }
        let find = "SELECT id, steps FROM transition WHERE operation = ?1 AND key = ?2";
        let mut statement = self.connection.prepare_cached(find)?;
        let row = statement.query_row(params![op, key], |row| Ok((row.get(0)?, row.get(1)?)));
        let known = row.optional()?;
        if let Some(known) = known {
            self.memory.transitions.insert((op, key), known);
        }
        Ok(known)
    }

    fn add_transition(&mut self, op: i64, key: i64, seen: &Seen<'_>) -> Result<(), StoreError> {
        let flips = flips(self.campaign, seen)?;
        // What no query can tell apart is no use to an attack, which asks for a flipped answer.
        if flips.is_empty() {
            return Ok(());
        }
        let (recipe, steps) = (self.recipe_row(seen.after)?, length(seen.after));
        let insert = "INSERT INTO transition(operation, key, count, example, steps)
             VALUES (?1, ?2, 1, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + 1 RETURNING id";
        let row = params![op, key, recipe, steps];
        let row = self.connection.prepare_cached(insert)?.query_row(row, |row| row.get(0))?;
        self.memory.transitions.insert((op, key), (row, steps));
        flips.iter().try_for_each(|flip| record_flip(self.connection, row, flip))
    }
}

struct Flip {
    query: i64,
    position: u32,
    with: Option<u32>,
    before: Cell,
    after: Cell,
}

fn record_flip(connection: &Connection, transition: i64, flip: &Flip) -> Result<(), StoreError> {
    let insert =
        "INSERT OR IGNORE INTO transition_flip VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    connection.prepare_cached(insert)?.execute(params![
        transition,
        flip.query,
        flip.position,
        flip.with.map_or(ALONE, i64::from),
        flip.before.kind,
        flip.before.int,
        flip.before.text,
        flip.after.kind,
        flip.after.int,
        flip.after.text,
    ])?;
    Ok(())
}

/// The predicates over operands that have another value after the call.
fn flips(campaign: &Campaign, seen: &Seen<'_>) -> Result<Vec<Flip>, StoreError> {
    let mut flips = Vec::new();
    for term in campaign.vocabulary(seen.observation.op)?.terms() {
        let (Root::Operand(position), Some(query), When::Before) =
            (term.root, &term.query, term.when)
        else {
            continue;
        };
        let Some(object) = seen.object(position) else { continue };
        let Some(query) = campaign.query_row(object.ty, query) else { continue };
        let before = seen.value(campaign, term);
        let after = seen.value(campaign, &term.at(When::After));
        let (Some(before), Some(after)) = (before, after) else { continue };
        if before != after && !repeats_earlier_operand(seen, position) {
            let (before, after) = (Cell::of(before), Cell::of(after));
            flips.push(Flip { query, position, with: term.with, before, after });
        }
    }
    Ok(flips)
}

/// One object passed twice flips once.
fn repeats_earlier_operand(seen: &Seen<'_>, position: u32) -> bool {
    let args = &seen.last.args;
    let at = position as usize;
    matches!(args.get(at), Some(Arg::Object(_))) && args[..at].contains(&args[at])
}

/// The states of all operands before and after a call, as one number.
pub(crate) fn transition_key(observation: &Observation) -> i64 {
    let mut bytes = Vec::new();
    for object in &observation.objects {
        (object.operand, object.before).write_to(&mut bytes);
        object.after.write_to(&mut bytes);
    }
    Digest::of_bytes(&bytes).cast_signed()
}

impl Store {
    /// Transitions seen to flip `clause` from false to true, where `clause` speaks of the
    /// operands of `op` before its call. One for each way to bind operands, by the shortest
    /// example; a clause with several terms takes whatever changes one of them.
    pub fn find_transitions(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError> {
        let terms = asked_before(clause);
        // Of several terms one call seldom changes all: each of them is a beginning.
        let wanted = (terms.len() == 1).then_some(clause);
        self.uses(op, &terms, wanted, limit)
    }

    /// Transitions seen to change what `clause` asks of the operands of `op`, whether or not they
    /// made it true; one for each way to bind operands.
    pub fn find_changes(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError> {
        self.uses(op, &asked_before(clause), None, limit)
    }

    fn uses(
        &self,
        op: OpId,
        terms: &[Term],
        wanted: Option<&Expr>,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError> {
        let campaign = self.campaign()?;
        let mut uses = Vec::new();
        for term in terms {
            for found in self.flips_of(op, term, wanted, limit)? {
                if let Some(found) = bind(campaign, term, &found)? {
                    uses.push(found);
                }
            }
        }
        let mut distinct: Vec<TransitionUse> = Vec::new();
        for found in uses {
            if !distinct.contains(&found) && distinct.len() < limit {
                distinct.push(found);
            }
        }
        Ok(distinct)
    }

    fn flips_of(
        &self,
        op: OpId,
        term: &Term,
        clause: Option<&Expr>,
        limit: usize,
    ) -> Result<Vec<FlipRow>, StoreError> {
        let campaign = self.campaign()?;
        let Some(query) = query_of(campaign, op, term) else { return Ok(Vec::new()) };
        // An undefined answer before counts as false: the call has made it true.
        let (mut condition, mut texts) = ("1".to_owned(), Vec::new());
        if let Some(clause) = clause {
            let side = Side::new("f.before_");
            let mut compiler = Compiler::new(|_: &Term| Some(Columns::prefixed(side.get())));
            let before = compiler.predicate(clause);
            side.set("f.after_");
            let after = compiler.predicate(clause);
            let (Some(before), Some(after)) = (before, after) else { return Ok(Vec::new()) };
            condition = format!("NOT ifnull(({before}), 0) AND ({after})");
            texts = compiler.into_texts();
        }
        let with = if term.with.is_some() { ">= 0" } else { "= -1" };
        let sql = flips_sql(query, with, &condition, limit);
        let mut statement = self.connection.prepare(&sql)?;
        let texts: Vec<&dyn ToSql> = texts.iter().map(|text| text as &dyn ToSql).collect();
        let rows = statement.query_map(&texts[..], |row| {
            Ok(FlipRow { position: row.get(1)?, with: row.get(2)?, example: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// One row per operation and binding: the engine takes the other columns from the row that has the
/// minimum.
pub(crate) fn flips_sql(query: i64, with: &str, condition: &str, limit: usize) -> String {
    format!(
        "SELECT t.operation, f.position, f.with_position, r.bytes,
                min(t.steps * 4096 - min(t.count, 4095))
         FROM transition_flip f JOIN transition t ON t.id = f.transition
         JOIN recipe r ON r.id = t.example
         WHERE f.query = {query} AND f.with_position {with} AND {condition}
         GROUP BY t.operation, f.position, f.with_position
         ORDER BY 5, t.operation, f.position, f.with_position LIMIT {limit}"
    )
}

/// The terms that a clause asks of objects before a call, each once.
fn asked_before(clause: &Expr) -> Vec<Term> {
    let mut terms = Vec::new();
    clause.each_term(&mut |term| terms.push(term.clone()));
    terms.sort();
    terms.dedup();
    terms.retain(|term| term.query.is_some() && term.is_before());
    terms
}

/// Binds the operands of an example call to the variables of a term.
fn bind(
    campaign: &Campaign,
    term: &Term,
    row: &FlipRow,
) -> Result<Option<TransitionUse>, StoreError> {
    let Some(example) = campaign.load_recipe(unpack(&row.example)?) else { return Ok(None) };
    let (Some((last, rest)), Root::Operand(on)) = (example.steps.split_last(), term.root) else {
        return Ok(None);
    };
    let rest = Sequence { steps: rest.to_vec() };
    let bound = |(i, arg): (i64, &Arg)| match arg {
        _ if i == row.position => Bound::Variable(on),
        _ if i == row.with => Bound::Variable(term.with.unwrap_or(on)),
        Arg::Plain(value) => Bound::Plain(value.clone()),
        Arg::Object(at) => Bound::Object { recipe: rest.clone(), at: *at },
    };
    let args = (0..).zip(&last.args).map(bound).collect();
    Ok(Some(TransitionUse { op: last.op, args }))
}

struct FlipRow {
    position: i64,
    with: i64,
    example: Vec<u8>,
}

/// The row of the query that a term asks of an operand.
pub(crate) fn query_of(campaign: &Campaign, op: OpId, term: &Term) -> Option<i64> {
    let Root::Operand(operand) = term.root else { return None };
    let param = campaign.manifest.ops.get(op.0 as usize)?.params.get(operand as usize)?;
    let gainsay_wire::ManifestParam::Object(ty, _) = param else { return None };
    campaign.query_row(*ty, term.query.as_deref()?)
}
