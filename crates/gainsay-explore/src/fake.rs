//! A runner for tests: a small subject, interpreted in this process.

use gainsay_wire::{
    Arg, EpochReport, EpochTask, Finding, Manifest, ManifestOp, ManifestParam, ManifestType, Mode,
    OpCount, OpId, Oracle, Outcome, RunReport, RunTask, Sequence, Settings, StateId, StateRecord,
    Step, TypeId, Value,
};
use gainsay_workers::{Answer, Cancel, Death, Judge, PlacedEpoch, Runner, WorkerError};

use crate::subject_model::SubjectModel;

pub(crate) const NEW: OpId = OpId(0);
pub(crate) const PUSH: OpId = OpId(1);
pub(crate) const POP: OpId = OpId(2);
pub(crate) const CLONE: OpId = OpId(3);
pub(crate) const FROM: OpId = OpId(4);
pub(crate) const NOISE: OpId = OpId(5);

type Subject<'a, T, R> = Box<dyn Fn(&T) -> Answer<R> + 'a>;

/// Answers from two functions.
pub(crate) struct Fake<'a> {
    pub(crate) manifest: Manifest,
    pub(crate) settings: Settings,
    pub(crate) run: Subject<'a, RunTask, RunReport>,
    pub(crate) epoch: Subject<'a, EpochTask, EpochReport>,
    pub(crate) runs: u64,
    pub(crate) deaths: u64,
}

impl<'a> Fake<'a> {
    pub(crate) fn running(run: impl Fn(&RunTask) -> Answer<RunReport> + 'a) -> Fake<'a> {
        Fake {
            manifest: manifest(),
            settings: Settings::default(),
            run: Box::new(run),
            epoch: Box::new(|_| Answer::Cancelled),
            runs: 0,
            deaths: 0,
        }
    }

    pub(crate) fn exploring(epoch: impl Fn(&EpochTask) -> Answer<EpochReport> + 'a) -> Fake<'a> {
        Fake { epoch: Box::new(epoch), ..Fake::running(|_| Answer::Cancelled) }
    }
}

impl Runner for Fake<'_> {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn settings(&self) -> &Settings {
        &self.settings
    }
    fn configure(&mut self, settings: Settings) -> Result<(), WorkerError> {
        self.manifest.settle(&settings.demoted, &settings.locking);
        self.settings = settings;
        Ok(())
    }
    fn epochs(
        &mut self,
        epochs: &[PlacedEpoch],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<EpochReport>>, WorkerError> {
        let answer = |epoch: &PlacedEpoch| {
            if cancel.is_cancelled() { Answer::Cancelled } else { (self.epoch)(&epoch.task) }
        };
        let answers: Vec<_> = epochs.iter().map(answer).collect();
        self.deaths += answers.iter().filter(|a| matches!(a, Answer::Died(_))).count() as u64;
        Ok(answers)
    }
    fn run(
        &mut self,
        tasks: &[RunTask],
        _: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.runs += tasks.len() as u64;
        Ok(tasks.iter().map(&self.run).collect())
    }
    fn run_fresh(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.run(tasks, cancel)
    }
    fn deaths(&self) -> u64 {
        self.deaths
    }
}

pub(crate) fn manifest() -> Manifest {
    let object = |mode| ManifestParam::Object(TypeId(0), mode);
    let op = |name: &str, params: Vec<ManifestParam>, makes: Vec<TypeId>| ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: name.to_owned(),
        names: params.iter().map(|_| "x".to_owned()).collect(),
        params,
        makes,
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    };
    let number = || ManifestParam::Plain("i64".into());
    let stack = ManifestType {
        name: "Stack".to_owned(),
        queries: Vec::new(),
        can_clone: true,
        borrows: false,
        locks: false,
    };
    Manifest {
        types: vec![stack],
        ops: vec![
            op("Stack::new", vec![], vec![TypeId(0)]),
            op("Stack::push", vec![object(Mode::Mut), number()], vec![]),
            op("Stack::pop", vec![object(Mode::Mut)], vec![]),
            op("Stack::clone", vec![object(Mode::Ref)], vec![TypeId(0)]),
            op("Stack::from", vec![number()], vec![TypeId(0)]),
            op("noise", vec![number()], vec![]),
        ],
    }
}

pub(crate) fn subject() -> SubjectModel {
    SubjectModel::new(manifest(), vec![None; 6], "/s")
}

/// The steps of a sequence in short form: `0` is an object of step 0, `Value` a plain one.
pub(crate) fn sequence(steps: &[(OpId, &[Arg])]) -> Sequence {
    let step = |(op, args): &(OpId, &[Arg])| Step::new(*op, args.to_vec());
    Sequence { steps: steps.iter().map(step).collect() }
}

pub(crate) fn obj(step: u32) -> Arg {
    Arg::Object(gainsay_wire::ObjRef { step, out: 0 })
}

pub(crate) fn int(n: i128) -> Arg {
    Arg::Plain(Value::Int(n))
}

/// The contents of each object after the sequence, by the step that made it.
pub(crate) fn interpret(sequence: &Sequence) -> Vec<Vec<i128>> {
    let mut objects: Vec<Vec<i128>> = Vec::new();
    for step in &sequence.steps {
        let number = |i: usize| match step.args.get(i) {
            Some(Arg::Plain(Value::Int(n))) => *n,
            _ => 0,
        };
        let on = step.objects().next().map(|(_, object)| object.step as usize);
        let made = match (step.op, on) {
            (FROM, _) => vec![number(0)],
            (CLONE, Some(on)) => objects[on].clone(),
            _ => Vec::new(),
        };
        match (step.op, on) {
            (PUSH, Some(on)) => objects[on].push(number(1)),
            (POP, Some(on)) => {
                objects[on].pop();
            }
            _ => {}
        }
        objects.push(made);
    }
    objects
}

pub(crate) fn report(finding: Option<(Oracle, OpId)>) -> Answer<RunReport> {
    let (message, recipe) = (String::new(), Sequence::default());
    let findings = finding.map(|(oracle, op)| Finding { oracle, op, about: None, message, recipe });
    let findings = findings.into_iter().collect();
    Answer::Done(RunReport { findings, ..RunReport::default() })
}

pub(crate) fn died(sequence: &Sequence, outcome: Outcome) -> Death {
    Death {
        outcome,
        steps: sequence.clone(),
        in_view: false,
        view: None,
        judge: Judge::Worker,
        stderr: String::new(),
    }
}

/// An epoch that depends on its seed and on what was tried before, and nothing else.
pub(crate) fn epoch(task: &EpochTask) -> EpochReport {
    let op = (task.seed ^ task.tried.iter().sum::<u64>()) % 6;
    let count = |i: u64| {
        let called = if i == op { u64::from(task.calls) } else { 0 };
        OpCount { called, returned: called, ..OpCount::default() }
    };
    let state = StateRecord {
        state: StateId(task.seed % 97),
        ty: TypeId(0),
        values: vec![Value::Int(i128::from(task.calls))],
    };
    EpochReport {
        calls: u64::from(task.calls),
        ops: (0..6).map(count).collect(),
        states: vec![state],
        ..EpochReport::default()
    }
}
