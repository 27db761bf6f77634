//! Makes stored objects again, each in a fresh process, and counts those that look the same: what
//! a recipe is worth.

use gainsay_wire::{
    Arg, Manifest, ManifestParam, ObjRef, OpId, Role, RunReport, RunTask, Sequence, StateId,
    StateRecord, Step, TypeId,
};
use gainsay_workers::{Answer, Cancel, Runner, WorkerError};

/// An object as it was seen.
#[derive(Clone, Copy, Debug)]
pub struct SeenObject<'a> {
    /// Its type.
    pub ty: TypeId,
    /// The sequence that makes it.
    pub recipe: &'a Sequence,
    /// Its place among what the recipe makes.
    pub at: ObjRef,
    /// The state it was seen in.
    pub state: StateId,
}

/// The number of objects that could be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rechecked {
    /// In the same state.
    pub same: u64,
    /// In another state, or not at all, by their places in the list.
    pub different: Vec<usize>,
}

/// Makes each object again; its state as it is seen now, if it can be made.
pub fn make_again(
    runner: &mut dyn Runner,
    objects: &[SeenObject<'_>],
    cancel: &Cancel,
) -> Result<Vec<Option<StateRecord>>, WorkerError> {
    let tasks: Vec<RunTask> =
        objects.iter().map(|object| then_dropped(runner.manifest(), object)).collect();
    let answers = runner.run(&tasks, cancel)?;
    let seen = |(object, answer): (&SeenObject<'_>, &Answer<RunReport>)| {
        let Answer::Done(report) = answer else { return None };
        if !report.steps.iter().all(|step| step.outcome.returned()) {
            return None;
        }
        let state = last_state(report)?;
        let is_it = |record: &&StateRecord| record.state == state && record.ty == object.ty;
        report.states.iter().find(is_it).cloned()
    };
    Ok(objects.iter().zip(&answers).map(seen).collect())
}

/// Makes each object in a process of its own.
pub fn recheck(
    runner: &mut dyn Runner,
    objects: &[SeenObject<'_>],
    cancel: &Cancel,
) -> Result<Rechecked, WorkerError> {
    let tasks: Vec<RunTask> =
        objects.iter().map(|object| then_dropped(runner.manifest(), object)).collect();
    let answers = runner.run_fresh(&tasks, cancel)?;
    let mut found = Rechecked::default();
    for (at, (object, answer)) in objects.iter().zip(&answers).enumerate() {
        match answer {
            Answer::Done(report) if last_state(report) == Some(object.state) => {
                found.same += 1;
            }
            Answer::Cancelled => {}
            Answer::Done(_) | Answer::Died(_) => found.different.push(at),
        }
    }
    Ok(found)
}

/// The recipe, and the end of the object: what it is looked at for once more. Another call may
/// have changed it since its own last one.
fn then_dropped(manifest: &Manifest, object: &SeenObject<'_>) -> RunTask {
    let mut sequence = object.recipe.clone();
    let drops = manifest.ops.iter().position(|op| {
        let takes = |param: &ManifestParam| matches!(param, ManifestParam::Object(ty, _) if *ty == object.ty);
        op.role == Role::Drop && op.params.iter().all(takes)
    });
    if let Some(op) = drops.and_then(|at| u32::try_from(at).ok()) {
        sequence.steps.push(Step::new(OpId(op), vec![Arg::Object(object.at)]));
    }
    RunTask { sequence, views: true, laws: false, asks: Vec::new() }
}

/// The state of what the last step took.
fn last_state(report: &RunReport) -> Option<StateId> {
    let seen = report.steps.last()?.observation.as_ref()?;
    seen.objects.first().map(|object| object.before)
}
