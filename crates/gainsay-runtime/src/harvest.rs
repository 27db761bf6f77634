//! What an epoch brings home: calls worth keeping, findings, violations.

use std::{
    collections::BTreeMap,
    hash::{Hash as _, Hasher as _},
    rc::Rc,
};

use gainsay_wire::{
    ContractId, EpochReport, Finding, KeptCall, Misuse, Mix, OpCount, OpId, Oracle, Outcome,
    Sequence, StateId, StateRecord, Twist, Value, Violation, coarse_value_key,
};

use crate::{
    coverage,
    execute::{Call, Machine, Views},
    laws::Tallies,
    memory::{Look, Memory},
    merit::Experience,
    view::State,
    watch::{Verdict, Watched},
    world::World,
};

/// The report under construction.
pub(crate) struct Harvest<'m> {
    report: EpochReport,
    memory: &'m mut Memory,
    states: BTreeMap<StateId, Rc<State>>,
    findings: BTreeMap<u64, Finding>,
    violations: BTreeMap<ContractId, Violation>,
    /// Per operation and watched contract.
    attacks: Vec<Vec<u64>>,
}

/// What a call brought that no call before it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) state: bool,
    pub(crate) transition: bool,
}

impl<'m> Harvest<'m> {
    pub(crate) fn new(world: &World, memory: &'m mut Memory) -> Harvest<'m> {
        let ops = world.tables.ops.len();
        let report = EpochReport { ops: vec![OpCount::default(); ops], ..EpochReport::default() };
        let mut attacks = vec![Vec::new(); ops];
        for op in world.watched_ops() {
            attacks[op.0 as usize] = vec![0; world.plan(op).watched.len()];
        }
        Harvest {
            report,
            memory,
            states: BTreeMap::new(),
            findings: BTreeMap::new(),
            violations: BTreeMap::new(),
            attacks,
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
        if call.outcome == Outcome::ReturnedErr {
            count.failed += 1;
        }
    }

    /// Counts a call among those that were observed. To be asked after the call was judged: states
    /// of a call that is kept are told apart from then on.
    pub(crate) fn count_observed(&mut self, call: &Call) {
        self.report.observed += 1;
        self.memory.edges.count_call(call);
    }

    /// Takes note of all that oracles object to, and of a panic.
    pub(crate) fn object(&mut self, machine: &Machine<'_>, call: &Call) {
        if machine.counting {
            return self.object_to_memory(machine, call);
        }
        for finding in bare_findings(machine.world, call) {
            let key = finding_key(finding.op, &finding.oracle);
            if !self.memory.wants_finding(key) {
                continue;
            }
            let Some(recipe) = machine.log.recipe(machine.world, &machine.pool, call.step) else {
                continue;
            };
            let known = self.findings.get(&key).map(|finding| finding.recipe.steps.len());
            if known.is_none_or(|len| recipe.steps.len() < len) {
                self.findings.insert(key, Finding { recipe, ..finding });
            }
        }
    }

    /// How closely the next call of an operation is to be looked at.
    pub(crate) fn views(&mut self, op: OpId) -> Views {
        if self.memory.is_hungry(op) { Views::On } else { Views::Apart }
    }

    /// Amid misbehaviour of the caller's code, broken laws and panics are to be expected; broken
    /// memory is not. What one misbehaviour broke does not hide what another did.
    fn object_to_memory(&mut self, machine: &Machine<'_>, call: &Call) {
        let Some(misuse) = call.misuses.first() else { return };
        let recipe = machine.log.recipe(machine.world, &machine.pool, call.step);
        let Some(recipe) = recipe else { return };
        let last = recipe.steps.iter().rev().find(|step| step.twist != Twist::None);
        let (op, twist) = last.map_or((call.op, Twist::None), |step| (step.op, step.twist));
        let kind = match twist {
            Twist::Fuse(callback, _) => Twist::Fuse(callback, 0),
            Twist::Lie(_) => Twist::Lie(0),
            other => other,
        };
        let oracle = Oracle::Probe(*misuse);
        let message = misused(*misuse);
        let finding = Finding { oracle, op: call.op, about: None, message, recipe };
        let key = misbehaviour_key(op, kind);
        let known = self.findings.get(&key).map(|finding| finding.recipe.steps.len());
        if known.is_none_or(|len| finding.recipe.steps.len() < len) {
            self.findings.insert(key, finding);
        }
    }

    /// Keeps a call that panicked, if there are few like it.
    pub(crate) fn keep_panic(&mut self, machine: &mut Machine<'_>, call: &Call) {
        if self.memory.wants(call.op, look(machine, call)) {
            let values = machine.values(call);
            self.keep(machine, call, values);
        }
    }

    fn has_open(&self, watched: &[Watched]) -> bool {
        watched.iter().any(|watched| !self.is_violated(watched))
    }

    fn is_violated(&self, watched: &Watched) -> bool {
        !self.violations.is_empty() && self.violations.contains_key(&watched.contract)
    }

    /// What was learnt about choosing.
    pub(crate) fn experience(&mut self) -> &mut Experience {
        &mut self.memory.experience
    }

    /// Judges a passing call by the contracts under watch, and keeps it if it adds something.
    pub(crate) fn pass(&mut self, machine: &mut Machine<'_>, call: &Call) -> News {
        let news = self.note(call);
        let watched = &machine.world.plan(call.op).watched;
        let kept = self.memory.wants(call.op, look(machine, call));
        let open = self.has_open(watched);
        if !kept && !open {
            return news;
        }
        let after = machine.after_relations(call);
        if open {
            self.judge(machine, call, watched, &after);
        }
        if kept {
            let values = machine.sight(call, &after).values();
            self.keep(machine, call, values);
        }
        news
    }

    fn judge(&mut self, machine: &Machine<'_>, call: &Call, watched: &[Watched], after: &[Value]) {
        let sight = machine.sight(call, after);
        let required = &machine.world.plan(call.op).required;
        for (at, watched) in watched.iter().enumerate() {
            // A call that did not keep what is required says nothing, but of the requirement itself.
            let mut others = required.iter().filter(|it| it.contract != watched.contract);
            let is_kept = others.all(|it| it.judge(&sight) != Verdict::Violated);
            if !is_kept || self.is_violated(watched) {
                continue;
            }
            match watched.judge(&sight) {
                Verdict::Silent => {}
                Verdict::Withstood => self.attacks[call.op.0 as usize][at] += 1,
                Verdict::Violated => {
                    self.violate(machine, call, watched.contract, sight.values());
                }
            }
        }
    }

    /// The finished report.
    pub(crate) fn into_report(mut self, world: &World, mut tallies: Tallies) -> EpochReport {
        let record = |state: Rc<State>| StateRecord {
            state: state.id,
            ty: state.ty,
            values: state.values.clone(),
        };
        self.report.states = self.states.into_values().map(record).collect();
        self.report.findings = self.findings.into_values().collect();
        self.report.violations = self.violations.into_values().collect();
        let watched = world.watched_ops().into_iter().flat_map(|op| &world.plan(op).watched);
        let attacks = watched.zip(self.attacks.into_iter().flatten());
        self.report.attacks = attacks.map(|(watched, count)| (watched.contract, count)).collect();
        self.report.laws = tallies.news(world);
        self.memory.tallies = tallies;
        self.report.edges = self.memory.edges.take_counts();
        self.report.covered = self.memory.newly_covered(&coverage::covered());
        self.report
    }

    /// Notes the states and the transition of a passing call.
    fn note(&mut self, call: &Call) -> News {
        let mut news = News::default();
        let freed = call.freed.iter().filter_map(|freed| freed.after.as_ref());
        let after = call.slots.iter().filter_map(|slot| slot.after.as_ref());
        let made = call.made.iter().filter_map(|made| made.state.as_ref());
        for state in after.chain(made).chain(freed) {
            if self.memory.note_state(state.id.0) {
                news.state = true;
                self.report.new_states.push(state.id);
            }
        }
        let transition = call.transition_digest();
        if self.memory.note_transition(transition) {
            news.transition = true;
            self.report.new_transitions.push(transition);
        }
        news
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
        values: Vec<Value>,
    ) {
        if let Some(call) = self.kept_call(machine, call, values) {
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
            self.memory.edges.note_told_state(state.id);
            self.states.entry(state.id).or_insert_with(|| Rc::clone(state));
        }
        Some(KeptCall { observation: call.observation(values), recipe })
    }
}

/// Everything about a call that a driver should know of, without recipes, as a run reports it.
pub(crate) fn bare_findings(world: &World, call: &Call) -> Vec<Finding> {
    let finding = |oracle, message| {
        let recipe = Sequence::default();
        Finding { oracle, op: call.op, about: None, message, recipe }
    };
    let mut all: Vec<Finding> = Vec::new();
    for misuse in &call.misuses {
        let oracle = Oracle::Probe(*misuse);
        if all.iter().all(|known| known.oracle != oracle) {
            all.push(finding(oracle, misused(*misuse)));
        }
    }
    for breach in &call.laws {
        let oracle = Oracle::Law(breach.law(world).clone());
        let message = breach.message(world, world.op(call.op));
        let op = breach.blamed(world).unwrap_or(call.op);
        let about = Some(breach.told(world));
        all.push(Finding { op, about, ..finding(oracle, message) });
    }
    // A panic that was ordered is none of the operation's.
    let ordered = matches!(call.aftermath.twist, Twist::Fuse(..));
    if let (Outcome::Panicked(place), false) = (&call.outcome, ordered) {
        all.push(finding(Oracle::Panic(place.clone()), place.message.clone()));
    }
    all
}

fn misused(misuse: Misuse) -> String {
    if misuse == Misuse::BadText {
        return format!("there is a {misuse}");
    }
    format!("an element met its end wrongly: {misuse}")
}

/// One kind of misbehaviour in one operation, as one number.
fn misbehaviour_key(op: OpId, kind: Twist) -> u64 {
    let mut digest = Mix::new();
    digest.write_u32(op.0);
    kind.hash(&mut digest);
    digest.finish()
}

/// What a finding is, as one number: of panics one per place is enough, whatever their words.
fn finding_key(op: OpId, oracle: &Oracle) -> u64 {
    let mut digest = Mix::new();
    digest.write_u32(op.0);
    match oracle {
        Oracle::Panic(place) => {
            digest.write(place.file.as_bytes());
            digest.write_u32(place.line);
            digest.write_u8(u8::from(place.changed));
        }
        other => other.hash(&mut digest),
    }
    digest.finish()
}

/// What a call looks like. Where an operation has no objects to relate, every look is close enough.
fn look(machine: &Machine<'_>, call: &Call) -> Look {
    let afar = from_afar(call);
    let near = if machine.world.plan(call.op).before.is_empty() {
        Some(afar)
    } else {
        (call.views == Views::On).then(|| {
            let mut digest = Mix::new();
            digest.mix_word(afar);
            call.relations.iter().for_each(|value| digest.mix_word(coarse_value_key(value)));
            digest.finish()
        })
    };
    Look { afar, near, panicked: !call.outcome.returned() }
}

/// What a call looks like from afar: its operation, its states and its outcome, with numbers in
/// buckets.
fn from_afar(call: &Call) -> u64 {
    let mut digest = Mix::new();
    let state = |state: &Option<Rc<State>>| state.as_ref().map_or(0, |state| state.shade);
    digest.write_u32(call.op.0);
    for slot in &call.slots {
        digest.mix_word(state(&slot.before));
        digest.mix_word(state(&slot.after));
    }
    for made in &call.made {
        digest.mix_word(state(&made.state));
    }
    match &call.outcome {
        Outcome::Panicked(place) => digest.mix_word(u64::from(place.line) << 8 | 0xff),
        _ => digest.mix_word(coarse_value_key(&call.result)),
    }
    digest.finish()
}
