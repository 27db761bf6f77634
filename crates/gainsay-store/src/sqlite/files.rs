//! The file of a store as its user sees it: looked at, asked, copied, replaced.

pub(crate) mod inspection;
pub(crate) mod store_copy;
pub(crate) mod user_query;
