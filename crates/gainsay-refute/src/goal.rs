//! The search for calls before which a described state holds.

pub(crate) mod distance;
pub(crate) mod goal_search;
pub(crate) mod relation_queries;
pub(crate) mod relations_around_calls;
pub(crate) mod shared_pairs;
pub(crate) mod transition_chains;
pub(crate) mod work_batch;
