//! Driver-side vocabulary shared by all stages: the subject's [`api`], [`contract`]s with
//! evidence and verdicts, [`fault`]s, [`skip`] reasons and [`event`]s. Does no IO and decides
//! nothing.

pub mod counting;
pub mod event;
pub mod evidence;
pub mod subject;

// Short paths: nearly every file of the driver imports from here, and which half of the model an
// item belongs to is plain from its name.
pub use evidence::{contract, fault, regression, script, skip};
pub use subject::{api, build, example, features, resolve, spelling, std_types, subject_model, ty};
