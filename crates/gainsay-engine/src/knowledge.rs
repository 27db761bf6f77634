//! Knowledge about the subject besides what was learnt from calls, in the vocabulary of a run:
//! written contracts, branches of its functions, promises of its documentation. And two kinds of
//! facts that are no contracts of operations: invariants of types, error values that collide.

pub(crate) mod branches;
pub(crate) mod doc_promises;
pub(crate) mod sentinel_faults;
pub(crate) mod type_facts;
pub(crate) mod written;
