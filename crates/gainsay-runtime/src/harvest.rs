//! What an epoch brings home: calls worth keeping, findings, violations.

use std::{
    collections::{BTreeMap, HashSet},
    hash::{BuildHasherDefault, Hasher as _},
    rc::Rc,
};

use gainsay_wire::{
    ContractId, Digest, EpochReport, Finding, KeptCall, OpCount, OpId, Oracle, Outcome, PanicPlace,
    Sequence, StateId, StateRecord, Value, Violation,
};

use crate::{
    execute::{Call, Machine},
    view::State,
    watch::{Verdict, Watched},
    world::World,
};

const MOST_KEPT: usize = 400;
const MOST_KEPT_PER_OP: u32 = 12;
const MOST_KEPT_PER_PANIC: u32 = 6;
/// How often the shortest recipe of a finding is looked for.
const MOST_RECIPES: u32 = 8;

type DigestSet = HashSet<u64, BuildHasherDefault<Digest>>;

/// The report under construction.
pub(crate) struct Harvest {
    report: EpochReport,
    states: BTreeMap<StateId, Rc<State>>,
    calls: DigestSet,
    known_states: DigestSet,
    per_op: Vec<Kept>,
    per_panic: BTreeMap<(OpId, String, u32), u32>,
    findings: BTreeMap<(OpId, Oracle), (Finding, u32)>,
    violations: BTreeMap<ContractId, Violation>,
    attacks: BTreeMap<ContractId, u64>,
}

/// How many calls of an operation were kept, and why.
#[derive(Clone, Copy, Default)]
struct Kept {
    for_novelty: u32,
    for_state: u32,
}

impl Harvest {
    pub(crate) fn new(world: &World) -> Harvest {
        let ops = world.ops.len();
        let report = EpochReport { ops: vec![OpCount::default(); ops], ..EpochReport::default() };
        let watched = world.ops.iter().flat_map(|op| &op.watched);
        Harvest {
            report,
            states: BTreeMap::new(),
            calls: DigestSet::default(),
            known_states: DigestSet::default(),
            per_op: vec![Kept::default(); ops],
            per_panic: BTreeMap::new(),
            findings: BTreeMap::new(),
            violations: BTreeMap::new(),
            attacks: watched.map(|watched| (watched.contract, 0)).collect(),
        }
    }

    /// Counts a call.
    pub(crate) fn count(&mut self, call: &Call) {
        self.report.calls += 1;
        let count = &mut self.report.ops[call.op.0 as usize];
        count.called += 1;
        match call.outcome {
            Outcome::Panicked(_) => count.panicked += 1,
            _ => count.returned += 1,
        }
    }

    /// Takes note of all that oracles object to, and of a panic.
    pub(crate) fn object(&mut self, machine: &Machine<'_>, call: &Call) {
        for (oracle, message) in objections(machine.world, call) {
            // Within an epoch one panic per place is enough, whatever its words.
            let key = (call.op, without_words(&oracle));
            let known = self
                .findings
                .get(&key)
                .map(|(finding, tries)| (finding.recipe.steps.len(), *tries));
            if known.is_some_and(|(len, tries)| tries >= MOST_RECIPES || len <= 1) {
                continue;
            }
            let Some(recipe) = machine.log.recipe(machine.world, &machine.pool, call.step) else {
                continue;
            };
            let tries = known.map_or(1, |(_, tries)| tries + 1);
            if known.is_none_or(|(len, _)| recipe.steps.len() < len) {
                let finding = Finding { oracle, op: call.op, message, recipe };
                self.findings.insert(key, (finding, tries));
            } else if let Some((_, known)) = self.findings.get_mut(&key) {
                *known = tries;
            }
        }
    }

    /// Keeps a call that panicked, if there are few like it.
    pub(crate) fn keep_panic(&mut self, machine: &mut Machine<'_>, call: &Call, at: &PanicPlace) {
        let seen = self.per_panic.entry((call.op, at.file.clone(), at.line)).or_default();
        if *seen >= MOST_KEPT_PER_PANIC || self.report.kept.len() >= MOST_KEPT {
            return;
        }
        if !self.calls.insert(call_digest(call)) {
            return;
        }
        *seen += 1;
        let values = machine.values(call);
        self.keep(machine, call, values);
    }

    /// Whether calls of this operation will only be counted: all that may be kept is kept, and no
    /// contract under watch is open.
    pub(crate) fn is_sated(&self, world: &World, op: OpId) -> bool {
        let plan = world.ops.get(op.0 as usize);
        self.report.kept.len() >= MOST_KEPT
            && !plan.is_some_and(|plan| self.has_open(&plan.watched))
    }

    fn has_open(&self, watched: &[Watched]) -> bool {
        watched.iter().any(|watched| !self.violations.contains_key(&watched.contract))
    }

    /// Judges a passing call by the contracts under watch, and keeps it if it adds something.
    pub(crate) fn pass(&mut self, machine: &mut Machine<'_>, call: &Call) {
        let watched = &machine.world.plan(call.op).watched;
        let novel = self.is_novel(call);
        if !novel && !self.has_open(watched) {
            return;
        }
        let values = machine.values(call);
        for watched in watched {
            if self.violations.contains_key(&watched.contract) {
                continue;
            }
            match watched.judge(&values) {
                Verdict::Silent => {}
                Verdict::Withstood => *self.attacks.entry(watched.contract).or_default() += 1,
                Verdict::Violated => self.violate(machine, call, watched.contract, &values),
            }
        }
        if novel {
            self.keep(machine, call, values);
        }
    }

    /// The finished report.
    pub(crate) fn into_report(mut self) -> EpochReport {
        let record = |state: Rc<State>| StateRecord {
            state: state.id,
            ty: state.ty,
            values: state.values.clone(),
        };
        self.report.states = self.states.into_values().map(record).collect();
        self.report.findings = self.findings.into_values().map(|(finding, _)| finding).collect();
        self.report.violations = self.violations.into_values().collect();
        self.report.attacks = self.attacks.into_iter().collect();
        self.report
    }

    /// Whether the call is unlike all before, within limits; every new state counts.
    fn is_novel(&mut self, call: &Call) -> bool {
        let mut new_state = false;
        for state in call.slots.iter().filter_map(|slot| slot.after.as_ref()) {
            new_state |= self.known_states.insert(state.id.0);
        }
        for state in call.made.iter().filter_map(|made| made.state.as_ref()) {
            new_state |= self.known_states.insert(state.id.0);
        }
        let new_call = self.calls.insert(call_digest(call));
        if self.report.kept.len() >= MOST_KEPT {
            return false;
        }
        let kept = &mut self.per_op[call.op.0 as usize];
        if new_call && kept.for_novelty < MOST_KEPT_PER_OP {
            kept.for_novelty += 1;
            return true;
        }
        if new_state && kept.for_state < MOST_KEPT_PER_OP {
            kept.for_state += 1;
            return true;
        }
        false
    }

    fn keep(&mut self, machine: &Machine<'_>, call: &Call, values: Vec<Value>) {
        if let Some(kept) = self.kept_call(machine, call, values) {
            self.report.kept.push(kept);
        }
    }

    fn violate(
        &mut self,
        machine: &Machine<'_>,
        call: &Call,
        contract: ContractId,
        values: &[Value],
    ) {
        if let Some(call) = self.kept_call(machine, call, values.to_vec()) {
            self.violations.insert(contract, Violation { contract, call });
        }
    }

    fn kept_call(
        &mut self,
        machine: &Machine<'_>,
        call: &Call,
        values: Vec<Value>,
    ) -> Option<KeptCall> {
        let recipe = machine.log.recipe(machine.world, &machine.pool, call.step)?;
        for state in call.states() {
            self.states.entry(state.id).or_insert_with(|| Rc::clone(state));
        }
        Some(KeptCall { observation: call.observation(values), recipe })
    }
}

/// Everything about a call that a driver should know of, with words; recipes are left to others.
pub(crate) fn objections(world: &World, call: &Call) -> Vec<(Oracle, String)> {
    let mut all: Vec<(Oracle, String)> = Vec::new();
    for misuse in &call.misuses {
        let oracle = Oracle::Probe(misuse.name().to_owned());
        if all.iter().all(|(known, _)| *known != oracle) {
            all.push((oracle, format!("an element met its end wrongly: {}", misuse.name())));
        }
    }
    for breach in &call.laws {
        let message = breach.message(world.op(call.op));
        all.push((Oracle::Law(breach.law.to_owned()), message));
    }
    if let Outcome::Panicked(place) = &call.outcome {
        all.push((Oracle::Panic(place.clone()), place.message.clone()));
    }
    all
}

/// Findings without recipes, as a run reports them.
pub(crate) fn bare_findings(world: &World, call: &Call) -> impl Iterator<Item = Finding> + use<> {
    let op = call.op;
    objections(world, call).into_iter().map(move |(oracle, message)| Finding {
        oracle,
        op,
        message,
        recipe: Sequence::default(),
    })
}

fn without_words(oracle: &Oracle) -> Oracle {
    match oracle {
        Oracle::Panic(place) => {
            Oracle::Panic(PanicPlace { message: String::new(), changed: false, ..place.clone() })
        }
        other => other.clone(),
    }
}

/// A digest of operation, states before, kind of outcome, states after.
fn call_digest(call: &Call) -> u64 {
    let mut digest = Digest::new();
    let mut put = |word: u64| digest.write(&word.to_le_bytes());
    put(u64::from(call.op.0));
    for slot in &call.slots {
        put(slot.before.as_ref().map_or(0, |state| state.id.0));
        put(slot.after.as_ref().map_or(0, |state| state.id.0));
    }
    for made in &call.made {
        put(made.state.as_ref().map_or(1, |state| state.id.0));
    }
    put(match &call.outcome {
        Outcome::Panicked(place) => u64::from(place.line) << 8 | 0xff,
        _ => shape(&call.result),
    });
    digest.finish()
}

/// The kind of a result: which variant, not what is in it.
fn shape(result: &Value) -> u64 {
    let variant = match result {
        Value::Bool(value) => u64::from(*value),
        Value::Opt(value) => u64::from(value.is_some()),
        Value::Res(ok, _) => u64::from(*ok),
        _ => 2,
    };
    u64::from(result.kind()) << 2 | variant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpEntry, Role, Tables};
    use gainsay_wire::{Check, Expr, Observation, Settings};

    fn kept_call() -> KeptCall {
        let observation = Observation {
            op: OpId(0),
            outcome: Outcome::Returned,
            values: vec![],
            objects: vec![],
            made: vec![],
        };
        KeptCall { observation, recipe: Sequence::default() }
    }

    #[test]
    fn an_operation_is_looked_at_closely_while_calls_are_kept_or_a_contract_is_open() {
        let op = |name| OpEntry {
            name,
            names: &[],
            params: vec![],
            makes: vec![],
            lending: crate::Lending::Inherited,
            role: Role::Ordinary,
            call: |_| Value::Unit,
        };
        let contract = ContractId(7);
        let checks = vec![Check { contract, op: OpId(1), expr: Expr::int(0) }];
        let tables = Tables { types: vec![], ops: vec![op("free"), op("watched")] };
        let world = World::new(tables, Settings { checks, ..Settings::default() });
        let mut harvest = Harvest::new(&world);
        let sated = |harvest: &Harvest| [0, 1].map(|op| harvest.is_sated(&world, OpId(op)));
        assert_eq!(sated(&harvest), [false, false]);
        harvest.report.kept = vec![kept_call(); MOST_KEPT];
        assert_eq!(sated(&harvest), [true, false]);
        harvest.violations.insert(contract, Violation { contract, call: kept_call() });
        assert_eq!(sated(&harvest), [true, true]);
    }
}
