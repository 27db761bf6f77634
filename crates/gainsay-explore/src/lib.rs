//! Campaigns of random testing, and what becomes of what they find: raw findings are told apart
//! by identity, panics are classified, faults are shrunk and confirmed. Knows no SQL.

mod arguments;
mod broken;
mod calibrate;
mod campaign;
mod confirm;
mod cover;
mod ends;
mod epoch;
mod examples;
mod excuses;
mod faults;
mod findings;
mod furnish;
mod ground;
mod identity;
mod injected;
mod laws;
mod memory;
mod message;
mod panics;
mod questions;
mod reasons;
mod rebuild;
mod recheck;
mod script;
mod select;
mod settle;
mod shorten;
mod shrink;
mod simpler;
mod slice;
mod strangers;
mod telling;
mod totals;
mod trial;

#[cfg(test)]
mod fake;

pub use broken::{Broken, judge_broken};
pub use calibrate::demotions;
pub use campaign::{Budget, Campaign, CampaignEnd, Listeners, Plan, Telling};
pub use cover::{Cover, cover};
pub use examples::{Furniture, furniture};
pub use faults::{Effort, Judged, judge, told_once};
pub use findings::{Findings, Raw};
pub use gainsay_workers::WorkerError;
pub use ground::{Ground, Territory};
pub use identity::{Identity, Sighting, sightings};
pub use injected::{judge_injected, sightings_of};
pub use memory::{Builds, is_crash, is_untold, judge_memory, replay};
pub use panics::classify;
pub use recheck::{Rechecked, SeenObject, make_again, recheck};
pub use script::run_script;
pub use select::{Contradicted, Selected, select};
pub use shorten::shorten;
pub use strangers::trusting;
pub use telling::{tell, tell_about};
pub use totals::LawTotals;
