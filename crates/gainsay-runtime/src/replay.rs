//! Runs one given sequence in a fresh pool.

use std::{collections::BTreeMap, rc::Rc};

use gainsay_wire::{Outcome, RunReport, RunTask, StateId, StateRecord, StepReport, Value};

use crate::{
    coverage,
    execute::{Machine, Views},
    harvest::bare_findings,
    laws::Zeal,
    view::{State, Viewer},
    world::World,
};

/// Runs the sequence, answers the questions, drops everything.
pub(crate) fn replay(world: &World, task: &RunTask) -> RunReport {
    let views = if task.views { Views::On } else { Views::Off };
    let zeal = if task.laws { Zeal::Always } else { Zeal::Sampling };
    let mut machine = Machine::new(world, Viewer::new(world, None), zeal);
    let mut report = RunReport::default();
    let mut states: BTreeMap<StateId, Rc<State>> = BTreeMap::new();
    coverage::reset();
    for step in &task.sequence.steps {
        let Some(call) = machine.step(step.clone(), views) else {
            report.steps.push(StepReport { outcome: Outcome::NotReady, observation: None });
            continue;
        };
        report.findings.extend(bare_findings(world, &call));
        for state in call.states() {
            states.entry(state.id).or_insert_with(|| Rc::clone(state));
        }
        let observation = task.views.then(|| {
            let values = machine.values(&call);
            call.observation(values)
        });
        report.steps.push(StepReport { outcome: call.outcome, observation });
    }
    let answer = |machine: &mut Machine<'_>, ask: &gainsay_wire::Ask| {
        machine.ask(ask.on, &ask.query, ask.with).unwrap_or(Value::Undefined)
    };
    report.answers = task.asks.iter().map(|ask| answer(&mut machine, ask)).collect();
    machine.drop_all(|_, call| report.findings.extend(bare_findings(world, call)));
    let record = |state: Rc<State>| StateRecord {
        state: state.id,
        ty: state.ty,
        values: state.values.clone(),
    };
    report.states = states.into_values().map(record).collect();
    report.covered = coverage::covered();
    report
}
