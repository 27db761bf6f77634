//! Facts about sequences that neither campaign nor judge owns: what a step depends on, how handles and
//! loans are used, which numbers are absurd.

pub(crate) mod changed_numbers;
pub(crate) mod handles;
pub(crate) mod loan_ends;
pub(crate) mod needed_steps;

use gainsay_wire::{RunTask, Sequence};

/// Presence of views while a sequence runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Views {
    On,
    Off,
}

/// A run of one sequence.
pub(crate) fn task(sequence: &Sequence, views: Views) -> RunTask {
    RunTask { sequence: sequence.clone(), views: views == Views::On, laws: true, asks: Vec::new() }
}
