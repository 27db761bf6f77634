//! The object/transition database: objects with the recipes that make them, their abstract
//! states, relations between objects, calls and transitions, contracts with verdicts, faults.
//! All SQL of the project is here. It runs nothing and infers nothing.

mod error;
mod evidence_store;
mod observation;
mod retention;
mod sqlite;

#[cfg(test)]
mod testkit;

pub use error::{EngineFailure, Spot, StoreError, Unfit};
pub use evidence_store::EvidenceStore;
pub use observation::{ObservationId, Provenance, Sample, Samples, TestCall};
pub use sqlite::{
    build_rows::{BuildId, BuildRecord},
    connection::{CampaignId, Counts, Store},
    files::{
        inspection::{Inspection, Stats, SubjectVersion, TableStats},
        store_copy::{Export, Resized, vacuum},
        user_query::{EXAMPLES, Field, LIST_TABLES, Rows},
    },
    record::{
        call_rows::{ObjectAt, Relation},
        edge_rows::EdgeRecord,
        transition_rows::{Bound, TransitionUse},
    },
    resume::{Begun, Former, FormerObject},
    search::{
        Found, NumberView, Operand, SequenceView, Spread, StoredObject, Tuple, Views, Wanted,
    },
};
