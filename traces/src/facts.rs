//! Facts: their forms, whether one holds on a row, what follows from others, how they are written.

pub(crate) mod fact;
pub(crate) mod judge;
pub(crate) mod knowledge;
pub(crate) mod show;
pub(crate) mod split;
pub(crate) mod suppress;
