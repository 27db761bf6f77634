//! Campaigns of random testing, and what becomes of what they find: raw findings are told apart
//! by identity, panics are classified, faults are shrunk and confirmed. Knows no SQL.

mod calibration;
mod campaign;
mod characterize;
mod counterexamples;
mod example_sequences;
mod findings;
mod judge;
mod sequences;

#[cfg(test)]
mod fake;

// Nearly every file here asks the subject model.
use gainsay_model::subject_model;

pub use calibration::demotions;
pub use campaign::{
    Budget, Campaign, CampaignEnd, Listeners, Plan, Telling,
    given_sequences::run_script,
    remake_objects::{Rechecked, SeenObject, make_again, recheck},
    replay::replay,
};
pub use characterize::{
    RanSequence,
    covering_set::{Cover, cover},
    tell, tell_about,
};
pub use counterexamples::{Contradicted, Selected, select, shortened::shorten};
pub use example_sequences::{Furniture, furniture};
pub use findings::{
    Findings, LawTotals, Raw,
    identity::{Identity, Sighting, sightings},
    injection_blame::sightings_of,
};
pub use gainsay_model::subject_model::{SubjectModel, Territory};
pub use gainsay_workers::WorkerError;
pub use judge::{
    Effort, Hearing, Judged,
    broken_contracts::{Broken, judge_broken},
    injected_faults::judge_injected,
    judge,
    memory_safety::{Builds, is_crash, is_untold, judge_memory},
    rules::panic_class::classify,
    told_once,
};
pub use sequences::handles::trusting;
