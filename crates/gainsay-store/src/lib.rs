//! The object/transition database: objects with the recipes that make them, their abstract
//! states, relations between objects, calls and transitions, contracts with verdicts, faults.
//! All SQL of the project is here. It runs nothing and infers nothing.

mod campaign;
mod cell;
mod copy;
mod error;
mod facts;
mod findings;
mod former;
mod inspect;
mod keep;
mod memory;
mod pack;
mod record;
mod rows;
mod samples;
mod schema;
mod search;
mod sql;
mod store;
mod stream;
mod transitions;

#[cfg(test)]
mod fixture;

pub use copy::{Export, Resized, vacuum};
pub use error::{Spot, StoreError, Unfit};
pub use former::{Begun, Former, FormerObject};
pub use inspect::{Inspection, Stats, SubjectVersion, TableStats};
pub use record::{ObjectAt, Relation};
pub use rows::{EXAMPLES, Field, LIST_TABLES, Rows};
pub use search::{
    Found, NumberView, Operand, SequenceView, Spread, StoredObject, Tuple, Views, Wanted,
};
pub use store::{CampaignId, Counts, Store};
pub use transitions::{Bound, TransitionUse};
