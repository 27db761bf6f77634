//! The stages of a run as values. Each is made by the stage before and by nothing else, so that
//! their order is checked by the compiler. Programs that measure gainsay drive them one by one.

pub(crate) mod calibrated;
pub(crate) mod explored;
pub(crate) mod feature_fallback;
pub(crate) mod judged;
pub(crate) mod learnt;
pub(crate) mod prepared;
pub(crate) mod recorded;
pub(crate) mod refuted;
