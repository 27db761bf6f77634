//! Given sequences in place of random ones: an existing suite, written down. What is seen of
//! them has the form of an epoch, so that later stages need not know the difference.

use gainsay_wire::{
    EdgeCount, EpochReport, KeptCall, OpCount, Outcome, RunReport, RunTask, Sequence,
};
use gainsay_workers::{Answer, Cancel, Runner, WorkerError};

use crate::{findings::Findings, subject_model::SubjectModel};

/// Runs each sequence with views on and gathers every call. What oracles object to goes to
/// `findings`.
pub fn run_script(
    runner: &mut dyn Runner,
    sequences: &[Sequence],
    subject: &SubjectModel,
    findings: &mut Findings,
    cancel: &Cancel,
) -> Result<EpochReport, WorkerError> {
    let task = |sequence: &Sequence| RunTask {
        sequence: sequence.clone(),
        views: true,
        laws: true,
        asks: Vec::new(),
    };
    let tasks: Vec<RunTask> = sequences.iter().map(task).collect();
    let answers = runner.run(&tasks, cancel)?;
    let mut whole = EpochReport {
        ops: vec![OpCount::default(); subject.manifest().ops.len()],
        ..EpochReport::default()
    };
    for (sequence, answer) in sequences.iter().zip(&answers) {
        findings.note_run(subject, sequence, answer);
        if let Answer::Done(report) = answer {
            gather(&mut whole, sequence, report);
        }
    }
    whole.observed = whole.calls;
    whole.edges = EdgeCount::of_all(whole.kept.iter().map(|kept| &kept.observation));
    Ok(whole)
}

fn gather(whole: &mut EpochReport, sequence: &Sequence, report: &RunReport) {
    whole.states.extend(report.states.iter().cloned());
    whole.covered.extend(&report.covered);
    for (i, (step, seen)) in sequence.steps.iter().zip(&report.steps).enumerate() {
        let Some(observation) = &seen.observation else { continue };
        whole.calls += 1;
        if let Some(count) = whole.ops.get_mut(step.op.0 as usize) {
            count.called += 1;
            count.returned += u64::from(seen.outcome.returned());
            count.failed += u64::from(seen.outcome == Outcome::ReturnedErr);
            count.panicked += u64::from(!seen.outcome.returned());
        }
        let recipe = Sequence { steps: sequence.steps[..=i].to_vec() };
        whole.kept.push(KeptCall { observation: observation.clone(), recipe });
    }
}
