//! What crosses the pipe between driver and worker: the binary codec, framed messages with a
//! version, and the journal that survives a worker's death.

#[macro_use]
pub(crate) mod codec;

pub(crate) mod crash_journal;
pub(crate) mod framing;
pub(crate) mod message;
pub(crate) mod strategy;
