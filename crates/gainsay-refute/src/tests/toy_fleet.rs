//! A runner without processes: the machine of the test kit, with epochs and spare time.

use std::time::Duration;

use gainsay_testkit::ToyMachine;
use gainsay_wire::{
    Arg, EpochReport, EpochTask, Manifest, ObjRef, OpId, RunReport, RunTask, Settings, Step, Truth,
    Value, Violation, truth,
};
use gainsay_workers::{Answer, Cancel, PlacedEpoch, Ran, Runner, Work, WorkerError};

/// Runs sequences and epochs on things.
pub(super) struct ToyFleet {
    pub(super) toy: ToyMachine,
    settings: Settings,
    pub(super) runs: usize,
    /// Epochs that it has time for besides what it is told to do, each time.
    pub(super) spare: usize,
}

impl ToyFleet {
    pub(super) fn new(queries: &[&str], ops: &[&str]) -> ToyFleet {
        let toy = ToyMachine::new("Thing", queries, ops);
        ToyFleet { toy, settings: Settings::default(), runs: 0, spare: 0 }
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
            let call = self.toy.calls(&sequence).1.pop().unwrap();
            report.calls += 1;
            for check in self.settings.checks.iter().filter(|check| check.op == op) {
                let vocabulary = self.toy.manifest.vocabulary(op);
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
}

impl Runner for ToyFleet {
    fn manifest(&self) -> &Manifest {
        &self.toy.manifest
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
        Ok(tasks.iter().map(|task| Answer::Done(self.toy.interpret(task))).collect())
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
