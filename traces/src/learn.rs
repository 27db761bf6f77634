//! From rows to candidates: each family makes them of the first batch of a point, and the engine of
//! the point checks them on the rest.

pub(crate) mod engine;
pub(crate) mod family;
pub(crate) mod sample;
pub(crate) mod scene;
pub(crate) mod terms;
