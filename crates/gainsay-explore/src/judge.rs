//! From raw findings to faults: panics are classified, the rest is reproduced, shrunk and
//! confirmed.

pub(crate) mod broken_contracts;
mod confirm;
mod dedupe;
pub(crate) mod injected_faults;
pub(crate) mod memory_safety;
mod reproduce;
pub(crate) mod rules;
mod settle_finding;
mod shrink;
mod trial;
mod verdicts;

use std::collections::BTreeMap;

use gainsay_model::{
    event::Event,
    fault::{Fault, IllegalUse},
};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    findings::{Findings, LawTotals},
    subject_model::SubjectModel,
};
pub use dedupe::told_once;
use dedupe::{leave_out_bad_texts, leave_out_looks, leave_out_victims, rank, tell_memory_once};
use rules::law_court::LawCourt;
use settle_finding::{Court, Settled};
use verdicts::announce;

/// The budget for each finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Runs to shrink it.
    pub runs: u32,
    /// Runs to shrink one that takes a deadline each time it shows.
    pub slow_runs: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { runs: 400, slow_runs: 40 }
    }
}

/// Rulings about raw findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Wrong outcomes, by operation and place.
    pub faults: Vec<Fault>,
    /// Calls that their operations reject.
    pub illegal: Vec<IllegalUse>,
    /// Findings about which nothing was decided because the run was cancelled.
    pub unsettled: u64,
}

/// Needs of every judgement besides its findings.
pub struct Hearing<'a> {
    /// Knowledge of the subject, in the build whose workers show the findings.
    pub subject: &'a SubjectModel,
    /// The budget for each finding.
    pub effort: Effort,
    /// The end that may come early.
    pub cancel: &'a Cancel,
    /// The receiver of faults as they are confirmed.
    pub event: &'a mut dyn FnMut(Event),
}

/// Decides what each finding is; shrinks and confirms the faults.
pub fn judge(
    runner: &mut dyn Runner,
    findings: &Findings,
    laws: &LawTotals,
    hearing: Hearing<'_>,
) -> Result<Judged, WorkerError> {
    let Hearing { subject, effort, cancel, event } = hearing;
    let laws = LawCourt::new(laws);
    let mut court = Court { runner, subject, effort, cancel, laws };
    let mut judged = Judged::default();
    let mut faults: BTreeMap<String, Fault> = BTreeMap::new();
    for raw in findings.iter() {
        match court.settle(raw)? {
            Settled::Illegal(illegal) => judged.illegal.push(illegal),
            Settled::Nothing => {}
            Settled::Cancelled => judged.unsettled += 1,
            Settled::Fault(mut fault) => {
                fault.seen = Some(raw.seen);
                // Two findings may shrink to one fault: it was seen when the first of them was.
                if let Some(known) = faults.get_mut(&fault.id) {
                    known.seen = known.seen.min(fault.seen);
                    fault.seen = known.seen;
                }
                let better = faults.get(&fault.id).is_none_or(|known| rank(&fault) < rank(known));
                if better {
                    announce(&fault, event);
                    faults.insert(fault.id.clone(), fault);
                }
            }
        }
    }
    judged.faults = faults.into_values().collect();
    // Victims first: what they hide must not count as a second cause below.
    leave_out_victims(&mut judged.faults);
    leave_out_looks(&mut judged.faults);
    court.laws.leave_out_consequences(&mut judged.faults, subject);
    leave_out_bad_texts(&mut judged.faults);
    tell_memory_once(&mut judged.faults);
    judged.faults.sort_by(|a, b| (&a.operation, &a.id).cmp(&(&b.operation, &b.id)));
    Ok(judged)
}

#[cfg(test)]
#[path = "judge/tests.rs"]
mod tests;
