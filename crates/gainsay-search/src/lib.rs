//! Described states to calls that reach them: stored objects as they are, objects that recorded
//! transitions bring there, and combinations of objects that were never looked at together. A goal
//! says which calls are wanted and never why: nothing here knows contracts or verdicts. The search
//! runs nothing by itself: it asks for calls and answers, and its caller has workers make them.

mod asks;
mod call_log;
mod call_predicates;
mod context;
mod distance;
mod error;
mod goal;
mod job;
mod nearest;
mod relations;
mod search;
mod store_cache;
mod transition_chains;

pub use asks::Asks;
pub use call_log::{CallIndex, CallLog, LastCall, Observed};
pub use context::{SearchContext, SearchLimits};
pub use error::SearchError;
pub use goal::{Choice, Depth, Effort, Goal, Hit, Means, Reached};
pub use relations::around_calls::evaluate_relations;
pub use search::{JobId, Progress, Search};
