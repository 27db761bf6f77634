//! Linked into every harness: frames, values, generators, probe elements, views, the executor, the
//! exploration loop, the crash journal. Generated code fills in [`Tables`] and calls [`run`]; all
//! decisions are made here.
//!
//! Has no dependencies but `gainsay-wire`: it is compiled inside strangers' builds.

mod calibrate;
pub mod capability;
mod closure;
mod coverage;
mod edges;
mod entropy;
mod execute;
mod explore;
mod finds;
mod format;
mod frame;
mod generate;
mod guard;
mod harvest;
mod inject;
mod items;
mod journal;
mod kin;
mod laws;
mod lending;
mod log;
mod memory;
mod merit;
mod panics;
mod plain;
mod pool;
mod probe;
mod replay;
mod routes;
pub mod see;
mod shared_closure;
mod shelves;
mod system;
mod table;
mod view;
mod watch;
mod worker;
mod world;

pub use closure::{Closure, closure_literal, writing_closure_literal};
pub use format::formatted;
pub use frame::Frame;
pub use gainsay_wire::Random;
pub use gainsay_wire::{IntegerType, Lending, Mode, OpId, Role, TypeId, Value};
pub use generate::Gen;
pub use inject::called;
pub use items::Items;
pub use plain::Plain;
pub use probe::Probe;
pub use see::{See, bag, debug_digest, sequence};
pub use shared_closure::{SharedClosure, fixed_answer};
pub use table::{
    CloneFn, CloneFromFn, CmpFn, EqFn, InstanceEntry, Lawful, OpEntry, OrdFn, OwnerEntry,
    ParamEntry, PlainEntry, QueryArg, QueryEntry, QueryParam, Tables, TypeEntry, object,
    object_arg, plain_arg,
};
pub use worker::{Worker, run};
