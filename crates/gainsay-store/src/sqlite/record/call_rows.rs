//! Recording what was seen: states, calls with the objects, relations and transitions in them.

use std::collections::HashMap;

use gainsay_wire::{
    Arg, Digest, EdgeCount, EpochReport, KeptCall, ObjRef, ObjectState, Observation, Outcome, Root,
    Sequence, StateId, StateRecord, Step, Term, TypeId, Value, When, coarse_value_key, to_bytes,
};
use rusqlite::params;

use crate::{
    Provenance, Store, StoreError, TestCall,
    retention::{CALLS_PER_KEY, exact_key},
    sqlite::campaign_rows::Campaign,
    sqlite::encoding::blob::pack,
    sqlite::record::edge_rows::example_key,
    sqlite::record::object_rows::{Offer, Recorder, known_object, length},
    sqlite::record::transition_rows::transition_key,
};

/// Distinct values of an operand that searches propose again. A search looks at 256 combinations of
/// values, so that more would hardly be tried.
const LITERALS_PER_OPERAND: usize = 64;

const INSERT_OPERAND: &str = "INSERT INTO operand VALUES (?1, ?2, ?3, ?4, ?5)";

/// An object by the recipe that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectAt<'a> {
    /// Its type.
    pub ty: TypeId,
    /// Its state when all steps are done.
    pub state: StateId,
    /// The calls that make it.
    pub recipe: &'a Sequence,
    /// Its place among the objects that the recipe makes.
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
    /// The value that it returned.
    pub value: &'a Value,
}

impl Store {
    /// Describes states.
    pub fn record_states(&mut self, states: &[StateRecord]) -> Result<(), StoreError> {
        self.recording(|recorder| {
            states.iter().try_for_each(|state| recorder.describe_state(state))
        })
    }

    /// Records one call with its objects, relations and transition.
    pub fn record_call(&mut self, call: &KeptCall) -> Result<(), StoreError> {
        self.record_calls(&[], std::slice::from_ref(call))
    }

    /// Records calls that were looked for, and states that they speak of, in one transaction.
    pub fn record_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[KeptCall],
    ) -> Result<(), StoreError> {
        let edges = EdgeCount::of_all(calls.iter().map(|call| &call.observation));
        self.recording(|recorder| {
            recorder.count_edges(&edges);
            recorder.record(states, calls, Provenance::Attacked)
        })
    }

    /// Records calls that broke a contract in an epoch, in one transaction. Their epoch has counted
    /// them: they count in no edge again.
    pub fn record_violations(&mut self, calls: &[KeptCall]) -> Result<(), StoreError> {
        self.recording(|recorder| recorder.record(&[], calls, Provenance::Attacked))
    }

    /// Records what adds something of all that some epochs sent, in one transaction.
    pub fn record_epochs(&mut self, reports: &[EpochReport]) -> Result<(), StoreError> {
        self.record_reports(reports, Provenance::Explored)
    }

    /// Records what sequences showed that the user gave, in one transaction.
    pub fn record_script(&mut self, report: &EpochReport) -> Result<(), StoreError> {
        self.record_reports(std::slice::from_ref(report), Provenance::Script)
    }

    /// Records calls that the user's tests made, in one transaction. They have no recipes, so that no
    /// objects come of them.
    pub fn record_test_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[TestCall],
    ) -> Result<(), StoreError> {
        self.recording(|recorder| recorder.record_test_calls(states, calls))
    }

    fn record_reports(
        &mut self,
        reports: &[EpochReport],
        provenance: Provenance,
    ) -> Result<(), StoreError> {
        let is_silent = |report: &EpochReport| report.kept.is_empty() && report.edges.is_empty();
        if reports.iter().all(is_silent) {
            return Ok(());
        }
        self.recording(|recorder| {
            for report in reports {
                recorder.count_edges(&report.edges);
                if !report.kept.is_empty() {
                    recorder.record(&report.states, &report.kept, provenance)?;
                }
            }
            Ok(())
        })
    }

    /// Records relations between objects in one transaction.
    pub fn record_relations(&mut self, relations: &[Relation<'_>]) -> Result<(), StoreError> {
        self.recording(|recorder| {
            relations.iter().try_for_each(|relation| {
                let Relation { query, a, b, value } = relation;
                recorder.keep_relation(query, [a, b], value, Provenance::Attacked)
            })
        })
    }
}

impl Store {
    /// Tells if `a.query(b)` is recorded for exactly these two objects.
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
            // The shorter recipe makes the same object.
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
        // A relation between versions that were there before costs no new objects.
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

/// The source of a call.
struct CallOrigin<'a> {
    provenance: Provenance,
    /// The user's test that made it.
    test: Option<&'a str>,
}

type Described<'a> = HashMap<(TypeId, StateId), &'a StateRecord>;

impl Recorder<'_> {
    fn record(
        &mut self,
        states: &[StateRecord],
        calls: &[KeptCall],
        provenance: Provenance,
    ) -> Result<(), StoreError> {
        let described: HashMap<_, _> =
            states.iter().map(|record| ((record.ty, record.state), record)).collect();
        self.memory.look_at(states);
        calls.iter().try_for_each(|call| self.record_call(call, &described, provenance))
    }

    fn record_call(
        &mut self,
        call: &KeptCall,
        described: &Described<'_>,
        provenance: Provenance,
    ) -> Result<(), StoreError> {
        let observation = &call.observation;
        let op = self.campaign.op_row(observation.op)?;
        let key = exact_key(observation, self.result_shade(observation));
        if !self.is_wanted(op, key, observation, provenance) {
            return self.pass_over(op, call);
        }
        // A recipe without steps makes nothing; no worker sends one.
        let Some(seen) = Seen::new(call) else { return Ok(()) };
        self.describe(observation, described)?;
        self.offer_objects(&seen)?;
        self.record_relations(&seen, provenance)?;
        // A call that was recorded before was counted then.
        if self.keep_call(key, &seen, provenance)? && seen.passed() {
            self.count_transition(&seen)?;
        }
        Ok(())
    }

    fn result_shade(&self, observation: &Observation) -> u64 {
        let at = self.campaign.vocabulary(observation.op).ok();
        let at = at.and_then(|vocabulary| vocabulary.position(&Term::result()));
        at.and_then(|at| observation.values.get(at)).map_or(0, coarse_value_key)
    }

    /// Records calls of tests as they are; those that add nothing count their transitions.
    fn record_test_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[TestCall],
    ) -> Result<(), StoreError> {
        let described: HashMap<_, _> =
            states.iter().map(|record| ((record.ty, record.state), record)).collect();
        self.memory.look_at(states);
        self.count_edges(&EdgeCount::of_all(calls.iter().map(|call| &call.observation)));
        for TestCall { observation, test } in calls {
            let op = self.campaign.op_row(observation.op)?;
            let key = exact_key(observation, self.result_shade(observation));
            self.count_known_transition(op, observation);
            if !self.is_wanted(op, key, observation, Provenance::Observed) {
                continue;
            }
            self.describe(observation, &described)?;
            let origin = CallOrigin { provenance: Provenance::Observed, test: Some(test.as_str()) };
            let call = self.insert_call(key, observation, &origin, None)?;
            *self.memory.alike.entry((op, key)).or_default() += 1;
            if let Some(call) = call {
                let none = Step::new(observation.op, Vec::new());
                self.record_operands(observation, &none, call)?;
            }
        }
        Ok(())
    }

    /// Tells if the call adds something.
    fn is_wanted(
        &mut self,
        op: i64,
        key: i64,
        observation: &Observation,
        provenance: Provenance,
    ) -> bool {
        let alike = self.memory.alike.get(&(op, key)).copied().unwrap_or_default();
        let shade = self.result_shade(observation);
        alike < CALLS_PER_KEY
            && (provenance == Provenance::Attacked || self.memory.take_room(observation, shade))
    }

    /// Of a call that is not kept: counts its transition, and takes recipes that are shorter than
    /// all others.
    fn pass_over(&mut self, op: i64, call: &KeptCall) -> Result<(), StoreError> {
        let observation = &call.observation;
        self.count_known_transition(op, observation);
        // Attacks build on recipes, and every step of one is a call in each attack.
        let steps = length(&call.recipe);
        let shorter = |ty, state, steps| self.is_shorter(ty, state, steps);
        let is_better = observation.objects.iter().any(|object| {
            shorter(object.ty, object.before, steps - 1)
                || object.after.is_some_and(|after| shorter(object.ty, after, steps))
        });
        let makes_better = observation.made.iter().any(|(ty, state)| shorter(*ty, *state, steps));
        match Seen::new(call) {
            Some(seen) if is_better || makes_better => self.offer_objects(&seen),
            _ => Ok(()),
        }
    }

    fn count_known_transition(&mut self, op: i64, observation: &Observation) {
        if observation.outcome.returned()
            && let Some((row, _)) = self.memory.transitions.get(&(op, transition_key(observation)))
        {
            *self.memory.counted.entry(*row).or_default() += 1;
        }
    }

    /// Describes the states of a call that is kept.
    fn describe(
        &mut self,
        observation: &Observation,
        described: &Described<'_>,
    ) -> Result<(), StoreError> {
        let operands = observation.objects.iter().flat_map(|object| {
            [Some(object.before), object.after].into_iter().flatten().map(|s| (object.ty, s))
        });
        let lenders = observation.freed.iter().flat_map(|freed| {
            [freed.lent, freed.after].into_iter().flatten().map(|state| (freed.ty, state))
        });
        for state in operands.chain(observation.made.iter().copied()).chain(lenders) {
            let ty = self.campaign.type_row(state.0)?;
            // A state in memory has a row, and was described when it got it.
            if self.memory.states.contains_key(&(ty, state.1)) {
                continue;
            }
            if let Some(record) = described.get(&state) {
                self.describe_state(record)?;
            }
        }
        Ok(())
    }

    fn offer_objects(&mut self, seen: &Seen<'_>) -> Result<(), StoreError> {
        for object in &seen.observation.objects {
            for when in [When::Before, When::After] {
                if let Some(version) = seen.version(object.operand, when) {
                    self.offer_object(&version, Offer::IfBetter)?;
                }
            }
        }
        if seen.passed() {
            for made in seen.made() {
                self.offer_object(&made, Offer::IfBetter)?;
            }
        }
        Ok(())
    }

    /// Relations that the vocabulary evaluated between the call's objects.
    fn record_relations(
        &mut self,
        seen: &Seen<'_>,
        provenance: Provenance,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        // Workers have evaluated them for inference; here they cost nothing more.
        for term in campaign.vocabulary(seen.observation.op)?.terms() {
            let (Root::Operand(on), Some(query), Some(with)) = (term.root, &term.query, term.with)
            else {
                continue;
            };
            let pair = seen.pair([on, with], term.when);
            if let (Some([a, b]), Some(value)) = (pair, seen.value(campaign, term)) {
                self.keep_relation(query, [&a, &b], value, provenance)?;
            }
        }
        Ok(())
    }

    /// Keeps the call; returns whether it had not been recorded before.
    fn keep_call(
        &mut self,
        key: i64,
        seen: &Seen<'_>,
        provenance: Provenance,
    ) -> Result<bool, StoreError> {
        let observation = seen.observation;
        let op = self.campaign.op_row(observation.op)?;
        self.record_literals(op, seen.last)?;
        let recipe = self.recipe_row(seen.after)?;
        let origin = CallOrigin { provenance, test: None };
        let Some(call) = self.insert_call(key, observation, &origin, Some(recipe))? else {
            return Ok(false);
        };
        *self.memory.alike.entry((op, key)).or_default() += 1;
        self.record_operands(observation, seen.last, call)?;
        Ok(true)
    }

    /// Adds the row of a call; `None` when there is one with its recipe.
    fn insert_call(
        &mut self,
        key: i64,
        observation: &Observation,
        origin: &CallOrigin<'_>,
        recipe: Option<i64>,
    ) -> Result<Option<i64>, StoreError> {
        let insert = "INSERT OR IGNORE INTO call
             (campaign, operation, provenance, test, outcome, recipe, vocabulary, before_key,
              keep_key, edge, observation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        // One recipe is one call: random exploration comes upon short ones again and again.
        let is_new = self.connection.prepare_cached(insert)?.execute(params![
            self.campaign.id.0,
            self.campaign.op_row(observation.op)?,
            origin.provenance.as_word(),
            origin.test,
            outcome_text(&observation.outcome),
            recipe,
            self.campaign.vocabulary_digest(observation.op)?,
            before_key(observation.objects.iter().map(|object| (object.operand, object.before))),
            key,
            example_key(self.campaign, observation)?,
            pack(&self.campaign.store_observation(observation)?),
        ])? > 0;
        Ok(is_new.then(|| self.connection.last_insert_rowid()))
    }

    /// Records the operands of a call. Of a call without a recipe only its objects are known.
    fn record_operands(
        &mut self,
        observation: &Observation,
        last: &Step,
        call: i64,
    ) -> Result<(), StoreError> {
        for object in &observation.objects {
            let before = self.state_row(object.ty, object.before)?;
            let after = object.after.map(|state| self.state_row(object.ty, state)).transpose()?;
            let row = params![call, object.operand, before, after, None::<String>];
            self.connection.prepare_cached(INSERT_OPERAND)?.execute(row)?;
        }
        for (position, arg) in (0u32..).zip(&last.args) {
            let text = match arg {
                Arg::Plain(value) => Some(value.to_string()),
                // Of a locked object no state is known, but it was passed.
                Arg::Object(_) => None,
            };
            if !observation.objects.iter().any(|object| object.operand == position) {
                let row = params![call, position, None::<i64>, None::<i64>, text];
                self.connection.prepare_cached(INSERT_OPERAND)?.execute(row)?;
            }
        }
        Ok(())
    }

    fn record_literals(&mut self, op: i64, step: &Step) -> Result<(), StoreError> {
        for (position, arg) in (0u32..).zip(&step.args) {
            let Arg::Plain(value) = arg else { continue };
            let bytes = to_bytes(value);
            let digest = Digest::of_bytes(&bytes).cast_signed();
            let known = self.memory.literals.entry((op, position)).or_default();
            // Digests in memory save a statement for each argument of each call.
            if known.len() >= LITERALS_PER_OPERAND || !known.insert(digest) {
                continue;
            }
            let insert = "INSERT OR IGNORE INTO literal VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![op, position, digest, bytes, value.to_string()];
            self.connection.prepare_cached(insert)?.execute(row)?;
        }
        Ok(())
    }
}

/// The states of all object operands before a call, as one number.
pub(crate) fn before_key(states: impl Iterator<Item = (u32, StateId)>) -> i64 {
    Digest::of_bytes(&to_bytes(&states.collect::<Vec<_>>())).cast_signed()
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
