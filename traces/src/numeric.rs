//! Facts about columns of integers that only traces need, and how likely they hold by chance. The
//! linear ones are in `gainsay_infer::numeric`.

pub(crate) mod closure;
pub(crate) mod difference;
pub(crate) mod odds;
pub(crate) mod tail;
pub(crate) mod threshold;
