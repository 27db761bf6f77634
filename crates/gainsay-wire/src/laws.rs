//! The catalogue of laws: relations between what a crate's own operations say. A law is data: what it
//! says, and the names that it speaks of. Its words are made here, and read back here where files on
//! disk hold them; nobody else looks into them.

#[macro_use]
pub(crate) mod law_words;

pub(crate) mod breach;
pub(crate) mod law_id;
pub(crate) mod law_parts;
pub(crate) mod standing;
