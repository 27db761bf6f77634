//! Values as seen from outside, and the numbers that stand for them: digests and coarse keys.

pub(crate) mod coarse_key;
pub(crate) mod digest;
pub(crate) mod plain_type;
pub(crate) mod random;
pub(crate) mod value;
