//! Recording what was seen: states, calls with the objects, relations and transitions in them.

use gainsay_wire::{
    Arg, Digest, EpochReport, KeptCall, ObjRef, ObjectState, Observation, Outcome, Root, Sequence,
    StateId, StateRecord, Step, Term, TypeId, Value, When, Wire as _, to_bytes,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    Store, StoreError,
    campaign::Campaign,
    keep::{
        Offer, describe_state, keep_relation, known_object, offer_object, recipe_digest,
        recipe_row, state_row,
    },
    transitions::count_transition,
};

const CALLS_PER_KEY: i64 = 8;
const LITERALS_PER_OPERAND: i64 = 64;

/// An object by the recipe that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectAt<'a> {
    /// Its type.
    pub ty: TypeId,
    /// Its state when all steps are done.
    pub state: StateId,
    /// How it is made.
    pub recipe: &'a Sequence,
    /// Where it stands among what the recipe makes.
    pub at: ObjRef,
}

/// `a.query(b) = value`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation<'a> {
    /// The query's name.
    pub query: &'a str,
    /// The receiver.
    pub a: ObjectAt<'a>,
    /// The argument.
    pub b: ObjectAt<'a>,
    /// What it returned.
    pub value: &'a Value,
}

impl Store {
    /// Describes states.
    pub fn record_states(&mut self, states: &[StateRecord]) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            states.iter().try_for_each(|state| describe_state(connection, campaign, state))
        })
    }

    /// Records one call with its objects, relations and transition.
    pub fn record_call(&mut self, call: &KeptCall) -> Result<(), StoreError> {
        self.batch(|connection, campaign| record_call(connection, campaign, call))
    }

    /// Records states and calls in one transaction.
    pub fn record_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[KeptCall],
    ) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            states.iter().try_for_each(|state| describe_state(connection, campaign, state))?;
            calls.iter().try_for_each(|call| record_call(connection, campaign, call))
        })
    }

    /// Records all that an epoch kept, in one transaction.
    pub fn record_epoch(&mut self, report: &EpochReport) -> Result<(), StoreError> {
        self.record_calls(&report.states, &report.kept)
    }

    /// Records relations between objects in one transaction.
    pub fn record_relations(&mut self, relations: &[Relation<'_>]) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            relations.iter().try_for_each(|relation| {
                let Relation { query, a, b, value } = relation;
                keep_relation(connection, campaign, query, [a, b], value)
            })
        })
    }
}

impl Store {
    /// Whether `a.query(b)` is recorded for exactly these two objects.
    pub fn knows_relation(
        &self,
        query: &str,
        a: &ObjectAt<'_>,
        b: &ObjectAt<'_>,
    ) -> Result<bool, StoreError> {
        let campaign = self.campaign()?;
        let Some(query) = campaign.query_row(a.ty, query) else { return Ok(false) };
        let row = |object: &ObjectAt<'_>| {
            known_object(&self.connection, campaign, object.recipe, object.at)
        };
        let (Some(a), Some(b)) = (row(a)?, row(b)?) else { return Ok(false) };
        let find = "SELECT EXISTS (SELECT 1 FROM relation WHERE query = ?1 AND a = ?2 AND b = ?3)";
        let key = params![query, a, b];
        Ok(self.connection.prepare_cached(find)?.query_row(key, |row| row.get(0))?)
    }
}

/// A call with the two recipes that its objects come from.
pub(crate) struct Seen<'a> {
    pub(crate) observation: &'a Observation,
    pub(crate) last: &'a Step,
    /// The recipe without the call: versions before.
    pub(crate) before: Sequence,
    /// The recipe with the call: versions after.
    pub(crate) after: &'a Sequence,
}

impl<'a> Seen<'a> {
    /// `None` for an empty recipe.
    pub(crate) fn new(call: &'a KeptCall) -> Option<Seen<'a>> {
        let (last, before) = call.recipe.steps.split_last()?;
        let before = Sequence { steps: before.to_vec() };
        Some(Seen { observation: &call.observation, last, before, after: &call.recipe })
    }

    /// The state of an operand that is an object.
    pub(crate) fn object(&self, operand: u32) -> Option<&ObjectState> {
        self.observation.objects.iter().find(|object| object.operand == operand)
    }

    /// The version of an operand at a time. An operand whose state did not change keeps its
    /// version before.
    pub(crate) fn version(&self, operand: u32, when: When) -> Option<ObjectAt<'_>> {
        let object = self.object(operand)?;
        let Some(Arg::Object(at)) = self.last.args.get(operand as usize) else { return None };
        let before =
            ObjectAt { ty: object.ty, state: object.before, recipe: &self.before, at: *at };
        match when {
            When::Before => Some(before),
            When::After if object.after? == object.before => Some(before),
            When::After => Some(ObjectAt { state: object.after?, recipe: self.after, ..before }),
        }
    }

    /// An operand when all steps are done, whether the call changed it or not.
    fn afterwards(&self, operand: u32) -> Option<ObjectAt<'_>> {
        let object = self.version(operand, When::Before)?;
        let state = self.object(operand)?.after?;
        Some(ObjectAt { state, recipe: self.after, ..object })
    }

    /// Two operands as they stood side by side at a time. When the call changed neither, they
    /// are the versions before.
    fn pair(&self, [a, b]: [u32; 2], when: When) -> Option<[ObjectAt<'_>; 2]> {
        let unchanged = |operand| self.object(operand).is_some_and(|o| o.after == Some(o.before));
        if when == When::Before || (unchanged(a) && unchanged(b)) {
            return Some([self.version(a, When::Before)?, self.version(b, When::Before)?]);
        }
        Some([self.afterwards(a)?, self.afterwards(b)?])
    }

    /// The objects that the call made.
    pub(crate) fn made(&self) -> impl Iterator<Item = ObjectAt<'_>> {
        let step = u32::try_from(self.before.steps.len()).expect("sequences are short");
        (0..).zip(&self.observation.made).map(move |(out, &(ty, state))| ObjectAt {
            ty,
            state,
            recipe: self.after,
            at: ObjRef { step, out },
        })
    }

    /// The value of a term, if it is in the vocabulary and defined.
    pub(crate) fn value(&self, campaign: &Campaign, term: &Term) -> Option<&'a Value> {
        let at = campaign.vocabulary(self.observation.op).ok()?.position(term)?;
        self.observation.values.get(at).filter(|value| !value.is_undefined())
    }

    fn passed(&self) -> bool {
        self.observation.outcome.returned()
    }
}

fn record_call(
    connection: &Connection,
    campaign: &Campaign,
    call: &KeptCall,
) -> Result<(), StoreError> {
    let Some(seen) = Seen::new(call) else { return Ok(()) };
    for object in &call.observation.objects {
        for when in [When::Before, When::After] {
            if let Some(version) = seen.version(object.operand, when) {
                offer_object(connection, campaign, &version, Offer::IfBetter)?;
            }
        }
    }
    if seen.passed() {
        for made in seen.made() {
            offer_object(connection, campaign, &made, Offer::IfBetter)?;
        }
    }
    record_relations(connection, campaign, &seen)?;
    let is_new = keep_call(connection, campaign, &seen)?;
    if is_new && seen.passed() {
        count_transition(connection, campaign, &seen)?;
    }
    Ok(())
}

/// Relations that the vocabulary evaluated between the call's objects.
fn record_relations(
    connection: &Connection,
    campaign: &Campaign,
    seen: &Seen<'_>,
) -> Result<(), StoreError> {
    for term in campaign.vocabulary(seen.observation.op)?.terms() {
        let (Root::Operand(on), Some(query), Some(with)) = (term.root, &term.query, term.with)
        else {
            continue;
        };
        let pair = seen.pair([on, with], term.when);
        if let (Some([a, b]), Some(value)) = (pair, seen.value(campaign, term)) {
            keep_relation(connection, campaign, query, [&a, &b], value)?;
        }
    }
    Ok(())
}

/// Keeps the call if few like it are there; returns whether it had not been recorded before.
fn keep_call(
    connection: &Connection,
    campaign: &Campaign,
    seen: &Seen<'_>,
) -> Result<bool, StoreError> {
    let observation = seen.observation;
    let op = campaign.op_row(observation.op)?;
    record_literals(connection, op, seen.last)?;
    let known = "SELECT 1 FROM recipe JOIN call ON call.recipe = recipe.id WHERE digest = ?1";
    let digest = recipe_digest(campaign, seen.after)?;
    let known = connection.prepare_cached(known)?.query_row([digest], |_| Ok(())).optional()?;
    if known.is_some() {
        return Ok(false);
    }
    let key = keep_key(observation);
    let count = "SELECT count(*) FROM call WHERE operation = ?1 AND keep_key = ?2";
    let count: i64 =
        connection.prepare_cached(count)?.query_row(params![op, key], |row| row.get(0))?;
    if count >= CALLS_PER_KEY {
        return Ok(true);
    }
    let insert = "INSERT INTO call
         (campaign, operation, outcome, recipe, vocabulary, before_key, keep_key, observation)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.prepare_cached(insert)?.execute(params![
        campaign.id.0,
        op,
        outcome_text(&observation.outcome),
        recipe_row(connection, campaign, seen.after)?,
        campaign.vocabulary_digest(observation.op)?,
        before_key(observation.objects.iter().map(|object| (object.operand, object.before))),
        key,
        to_bytes(&campaign.stored_observation(observation)?),
    ])?;
    record_operands(connection, campaign, seen, connection.last_insert_rowid())?;
    Ok(true)
}

fn record_operands(
    connection: &Connection,
    campaign: &Campaign,
    seen: &Seen<'_>,
    call: i64,
) -> Result<(), StoreError> {
    for (position, arg) in (0u32..).zip(&seen.last.args) {
        let (mut before, mut after) = (None, None);
        if let Some(object) = seen.object(position) {
            before = Some(state_row(connection, campaign, object.ty, object.before)?);
            let row = |state| state_row(connection, campaign, object.ty, state);
            after = object.after.map(row).transpose()?;
        }
        let text = match arg {
            Arg::Plain(value) => Some(value.to_string()),
            Arg::Object(_) => None,
        };
        let insert = "INSERT INTO operand VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![call, position, before, after, text];
        connection.prepare_cached(insert)?.execute(row)?;
    }
    Ok(())
}

fn record_literals(connection: &Connection, op: i64, step: &Step) -> Result<(), StoreError> {
    for (position, arg) in (0u32..).zip(&step.args) {
        let Arg::Plain(value) = arg else { continue };
        let bytes = to_bytes(value);
        let insert = "INSERT OR IGNORE INTO literal SELECT ?1, ?2, ?3, ?4, ?5
             WHERE (SELECT count(*) FROM literal WHERE operation = ?1 AND position = ?2) < ?6";
        connection.prepare_cached(insert)?.execute(params![
            op,
            position,
            Digest::of(&bytes).cast_signed(),
            bytes,
            value.to_string(),
            LITERALS_PER_OPERAND,
        ])?;
    }
    Ok(())
}

/// The states of all object operands before a call, as one number.
pub(crate) fn before_key(states: impl Iterator<Item = (u32, StateId)>) -> i64 {
    Digest::of(&to_bytes(&states.collect::<Vec<_>>())).cast_signed()
}

/// States before, outcome and states after, as one number.
fn keep_key(observation: &Observation) -> i64 {
    let mut bytes = Vec::new();
    for object in &observation.objects {
        (object.operand, object.before).put(&mut bytes);
        object.after.put(&mut bytes);
    }
    observation.outcome.put(&mut bytes);
    observation.made.put(&mut bytes);
    Digest::of(&bytes).cast_signed()
}

pub(crate) fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned => "returned".to_owned(),
        Outcome::ReturnedErr => "returned Err".to_owned(),
        Outcome::Panicked(place) => {
            format!("panicked at {}:{}: {}", place.file, place.line, place.message)
        }
        Outcome::Aborted(how) => format!("aborted: {how}"),
        Outcome::TimedOut => "timed out".to_owned(),
        Outcome::OutOfMemory => "out of memory".to_owned(),
        Outcome::NotReady => "not ready".to_owned(),
    }
}
