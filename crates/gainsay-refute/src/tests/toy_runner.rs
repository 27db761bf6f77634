//! A runner without processes: small containers in plain Rust, told apart by the names of the
//! operations and queries in their manifest.

use std::time::Duration;

use gainsay_wire::{
    Arg, Digest, EpochReport, EpochTask, Finding, KeptCall, Manifest, ManifestOp, ManifestParam,
    ManifestQuery, ManifestType, Mode, ObjRef, ObjectState, Observation, OpId, Oracle, Outcome,
    PanicPlace, Root, RunReport, RunTask, Sequence, Settings, StateId, StateRecord, Step,
    StepReport, Term, Truth, TypeId, Value, Violation, When, to_bytes, truth,
};
use gainsay_workers::{Answer, Cancel, PlacedEpoch, Ran, Runner, Work, WorkerError};

pub(super) const THING: TypeId = TypeId(0);

/// One object: a list of numbers, a tree node with a cursor, whatever the operations make of it.
#[derive(Clone, Debug, Default)]
struct Thing {
    items: Vec<i64>,
    off: bool,
    parent: i64,
    /// The step that made it: two objects are the same exactly when this is.
    identity: i64,
}

/// Runs sequences on things.
pub(super) struct Machine {
    pub(super) manifest: Manifest,
    settings: Settings,
    pub(super) runs: usize,
    /// Epochs that it has time for besides what it is told to do, each time.
    pub(super) spare: usize,
}

impl Machine {
    pub(super) fn new(queries: &[&str], ops: &[&str]) -> Machine {
        let manifest = Manifest {
            types: vec![ManifestType {
                name: "Thing".into(),
                queries: queries.iter().map(|name| query(name)).collect(),
                can_clone: false,
                borrows: false,
                locks: false,
            }],
            ops: ops.iter().map(|name| operation(name)).collect(),
        };
        Machine { manifest, settings: Settings::default(), runs: 0, spare: 0 }
    }

    /// Every call of a sequence with the recipe that leads to it.
    pub(super) fn calls(&self, sequence: &Sequence) -> (Vec<StateRecord>, Vec<KeptCall>) {
        let report = self.interpret(&RunTask {
            sequence: sequence.clone(),
            views: true,
            laws: false,
            asks: Vec::new(),
        });
        let call = |(i, step): (usize, StepReport)| KeptCall {
            observation: step.observation.unwrap(),
            recipe: Sequence { steps: sequence.steps[..=i].to_vec() },
        };
        (report.states, report.steps.into_iter().enumerate().map(call).collect())
    }

    /// Makes the call that an epoch is about with small numbers, on the last thing of each piece of
    /// its furniture.
    fn run_epoch(&self, task: &EpochTask) -> EpochReport {
        let mut report = EpochReport::default();
        let op = task.aim.unwrap();
        for (head, number) in task.furniture.iter().flat_map(|head| (0..8).map(move |n| (head, n)))
        {
            let made = head.steps.iter().rposition(|step| step.op == OpId(0)).unwrap();
            let object = ObjRef { step: u32::try_from(made).unwrap(), out: 0 };
            let mut sequence = head.clone();
            let args = vec![Arg::Object(object), Arg::Plain(Value::Int(number))];
            sequence.steps.push(Step::new(op, args));
            let call = self.calls(&sequence).1.pop().unwrap();
            report.calls += 1;
            for check in self.settings.checks.iter().filter(|check| check.op == op) {
                let vocabulary = self.manifest.vocabulary(op);
                let contract = check.contract;
                match truth(&check.expr, &(&vocabulary, &call.observation)) {
                    Truth::False => {
                        report.violations.push(Violation { contract, call: call.clone() });
                    }
                    _ => report.attacks.push((contract, 1)),
                }
            }
        }
        report
    }

    fn interpret(&self, task: &RunTask) -> RunReport {
        let mut report = RunReport::default();
        let mut things: Vec<Option<Thing>> = Vec::new();
        for step in &task.sequence.steps {
            let before = things.clone();
            let name = &self.manifest.ops[step.op.0 as usize].name;
            let result = execute(name, step, &mut things);
            let made = matches!(result, Ok(Value::Object));
            if !made {
                things.push(None);
            }
            let outcome = match &result {
                Ok(_) => Outcome::Returned,
                Err(place) => Outcome::Panicked(place.clone()),
            };
            let objection = match &result {
                Err(place) => Some(Oracle::Panic(place.clone())),
                Ok(_) if name == "unlawful" => Some(Oracle::Law(gainsay_wire::LawId::SeqIsSorted)),
                Ok(_) => None,
            };
            report.findings.extend(objection.map(|oracle| Finding {
                oracle,
                op: step.op,
                about: None,
                message: String::new(),
                recipe: Sequence::default(),
            }));
            let scene = Scene { step, before: &before, after: &things, made };
            let observation = self.observe(&scene, &result, &outcome, &mut report.states);
            report.steps.push(StepReport { outcome, observation: Some(observation) });
        }
        let ask = |ask: &gainsay_wire::Ask| {
            let (on, with) = (thing(&things, ask.on), thing(&things, ask.with));
            evaluate(&ask.query, on, Some(Ok(with)))
        };
        report.answers = task.asks.iter().map(ask).collect();
        report
    }

    fn observe(
        &self,
        scene: &Scene<'_>,
        result: &Result<Value, PanicPlace>,
        outcome: &Outcome,
        states: &mut Vec<StateRecord>,
    ) -> Observation {
        let returned = outcome.returned();
        let value = |term: &Term| match (term.when, term.root) {
            (When::After, _) if !returned => Value::Undefined,
            (_, Root::Result) => result.clone().unwrap_or(Value::Undefined),
            (_, Root::Made(_)) => evaluate(
                term.query.as_ref().unwrap(),
                scene.after.last().unwrap().as_ref().unwrap(),
                None,
            ),
            (when, Root::Operand(on)) => scene.term(when, on, term),
        };
        let vocabulary = self.manifest.vocabulary(scene.step.op);
        let values = vocabulary.terms().iter().map(value).collect();
        let mut see = |thing: &Thing| {
            let unary =
                self.manifest.state_queries(THING).map(|query| evaluate(&query.name, thing, None));
            let values: Vec<Value> = unary.collect();
            let state = StateId(Digest::of_bytes(&to_bytes(&values)));
            states.push(StateRecord { state, ty: THING, values });
            state
        };
        let mut objects = Vec::new();
        for (i, at) in scene.step.objects() {
            let before = see(thing(scene.before, at));
            let after = returned.then(|| see(thing(scene.after, at)));
            let operand = u32::try_from(i).unwrap();
            objects.push(ObjectState { operand, ty: THING, before, after });
        }
        let made = scene.after.last().unwrap().iter().filter(|_| scene.made);
        let made = made.map(|thing| (THING, see(thing))).collect();
        Observation {
            op: scene.step.op,
            outcome: outcome.clone(),
            values,
            objects,
            made,
            freed: Vec::new(),
        }
    }
}

struct Scene<'a> {
    step: &'a Step,
    before: &'a [Option<Thing>],
    after: &'a [Option<Thing>],
    made: bool,
}

impl Scene<'_> {
    fn term(&self, when: When, on: u32, term: &Term) -> Value {
        let things = if when == When::Before { self.before } else { self.after };
        let operand = |i: u32| match &self.step.args[i as usize] {
            Arg::Object(at) => Ok(thing(things, *at)),
            Arg::Plain(value) => Err(value),
        };
        match operand(on) {
            Ok(on) => evaluate(term.query.as_ref().unwrap(), on, term.with.map(operand)),
            Err(value) => value.clone(),
        }
    }
}

fn thing(things: &[Option<Thing>], at: ObjRef) -> &Thing {
    things[at.step as usize].as_ref().unwrap()
}

fn query(name: &str) -> ManifestQuery {
    let object = ManifestParam::Object(THING, Mode::Ref);
    let param = match name {
        "is_disjoint" | "==" | "is_sibling" | "has" => Some(object),
        _ => None,
    };
    ManifestQuery { name: name.into(), param, active: true }
}

fn operation(name: &str) -> ManifestOp {
    let object = |mode| ManifestParam::Object(THING, mode);
    let plain = |key: &str| ManifestParam::Plain(key.into());
    let (params, makes) = match name {
        "new" => (vec![], vec![THING]),
        "node" => (vec![("parent", plain("i64"))], vec![THING]),
        "insert" | "push" => (vec![("self", object(Mode::Mut)), ("value", plain("i64"))], vec![]),
        "at" => (vec![("self", object(Mode::Ref)), ("index", plain("usize"))], vec![]),
        "start" | "wipe_out" => (vec![("self", object(Mode::Mut))], vec![]),
        _ => (vec![("self", object(Mode::Mut)), ("other", object(Mode::Ref))], vec![]),
    };
    let (names, params) = params.into_iter().map(|(n, p)| (n.to_owned(), p)).unzip();
    ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: name.into(),
        names,
        params,
        makes,
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    }
}

fn evaluate(query: &str, on: &Thing, with: Option<Result<&Thing, &Value>>) -> Value {
    let with = with.and_then(Result::ok);
    Value::Bool(match (query, with) {
        ("is_empty", _) => on.items.is_empty(),
        ("off", _) => on.off,
        ("len", _) => return Value::Int(i128::try_from(on.items.len()).unwrap()),
        ("seq", _) => {
            let item = |item: &i64| Value::Int(i128::from(*item));
            return Value::Seq(on.items.iter().map(item).collect());
        }
        ("==", Some(with)) => on.items == with.items,
        ("is_disjoint", Some(with)) => !on.items.iter().any(|item| with.items.contains(item)),
        ("is_sibling", Some(with)) => on.parent == with.parent,
        ("has", Some(with)) => on.items.contains(&with.identity),
        _ => return Value::Undefined,
    })
}

/// Makes one call. An operation that makes an object pushes it and returns `Value::Object`.
fn execute(name: &str, step: &Step, things: &mut Vec<Option<Thing>>) -> Result<Value, PanicPlace> {
    let identity = i64::try_from(things.len()).unwrap();
    let number = |i: usize| match step.args.get(i) {
        Some(Arg::Plain(Value::Int(value))) => i64::try_from(*value).unwrap_or(i64::MAX),
        _ => 0,
    };
    let at = |i: usize| match step.args.get(i) {
        Some(Arg::Object(at)) => at.step as usize,
        _ => 0,
    };
    let other = things.get(at(1)).cloned().flatten().unwrap_or_default();
    if matches!(name, "new" | "node") {
        let (off, parent) = (name == "node", number(0));
        things.push(Some(Thing { items: Vec::new(), off, parent, identity }));
        return Ok(Value::Object);
    }
    let on = things[at(0)].as_mut().unwrap();
    match name {
        "insert" if on.items.contains(&number(1)) => {}
        "insert" | "push" => {
            on.items.push(number(1));
            on.items.sort_unstable();
        }
        "start" => on.off = false,
        "wipe_out" => on.items.clear(),
        "merge" | "append" => on.items.extend(other.items),
        "extend" => on.items.push(other.identity),
        "graft" | "bad_graft" if on.off => return Err(panic_at(1, false)),
        "bad_graft" if on.parent == other.parent => return Err(panic_at(2, true)),
        "at" => {
            let index = usize::try_from(number(1)).unwrap();
            let item = on.items.get(index).ok_or_else(|| panic_at(3, false))?;
            return Ok(Value::Int(i128::from(*item)));
        }
        _ => {}
    }
    Ok(Value::Unit)
}

fn panic_at(line: u32, changed: bool) -> PanicPlace {
    PanicPlace { file: "src/lib.rs".into(), line, message: "no".into(), changed }
}

impl Runner for Machine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn configure(&mut self, settings: Settings) -> Result<(), WorkerError> {
        self.settings = settings;
        Ok(())
    }

    fn epochs(
        &mut self,
        epochs: &[PlacedEpoch],
        _: &Cancel,
    ) -> Result<Vec<Answer<EpochReport>>, WorkerError> {
        Ok(epochs.iter().map(|epoch| Answer::Done(self.run_epoch(&epoch.task))).collect())
    }

    fn run(
        &mut self,
        tasks: &[RunTask],
        _: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.runs += tasks.len();
        Ok(tasks.iter().map(|task| Answer::Done(self.interpret(task))).collect())
    }

    fn run_while(
        &mut self,
        work: Work<'_>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Ran, WorkerError> {
        meanwhile();
        let answers = self.run(work.tasks, cancel)?;
        let epochs = self.epochs(work.epochs, cancel)?;
        let spare: Vec<_> = match work.spare {
            Some(more) => (0..self.spare).filter_map(|_| more()).collect(),
            None => Vec::new(),
        };
        let spare = spare.iter().map(|task| Answer::Done(self.run_epoch(task))).collect();
        Ok(Ran { answers, epochs, spare, busy: Duration::ZERO })
    }

    fn run_fresh(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.run(tasks, cancel)
    }

    fn deaths(&self) -> u64 {
        0
    }
}
