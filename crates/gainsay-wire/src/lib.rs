//! What driver and worker both speak: ids, values, sequences, observations, contract expressions
//! with their evaluation, and framed messages with a version.
//!
//! Has no dependencies and does no IO beyond reading from and writing to streams it is given: it
//! is compiled inside strangers' builds.

#[macro_use]
mod codec;

mod digest;
mod eval;
mod expr;
mod frame;
mod function;
mod ids;
mod journal;
mod law;
mod loans;
mod manifest;
mod message;
mod normal;
mod observation;
mod parse;
mod parts;
mod print;
mod random;
mod sequence;
mod shade;
mod strategy;
mod term;
mod twist;
mod value;

pub use codec::{Corrupt, Reader, Wire, from_bytes, to_bytes};
pub use digest::{AsIs, Digest, Mix};
pub use eval::{Scope, Truth, evaluate, truth};
pub use expr::{Arithmetic, Binder, Comparison, Expr, Test};
pub use frame::{FrameError, VERSION, read_message, write_message};
pub use function::Function;
pub use ids::{ContractId, OpId, StateId, TypeId};
pub use journal::{
    BODY_AT, CAREFUL_ENV, EXIT_CANNOT_BEGIN, EXIT_OUT_OF_MEMORY, EXIT_PIPES_LOST, EXIT_TIMED_OUT,
    EXIT_WORN_OUT, FULL_AT, JOURNAL_BYTES, JOURNAL_ENV, JOURNAL_MAGIC, JournalPhase, JournalState,
    JournalStatus, LEN_AT, PHASE_AT, STATUS_AT, STEPS_AT, VIEW_AT, read_journal, view_word,
};
pub use law::{LawCount, Standing};
pub use loans::{Loan, Loans, Party};
pub use manifest::{
    Lending, Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Role,
};
pub use message::{
    Ask, Check, EpochReport, EpochTask, Finding, KeptCall, OpCount, Oracle, QueryStats, Request,
    Response, RunReport, RunTask, Settings, StateRecord, StepReport, Violation,
};
pub use observation::{DIED_AT, ObjectState, Observation, Outcome, PanicPlace, transition};
pub use parse::{ParseError, parse_expr, parse_value};
pub use print::{expr_text, term_text};
pub use random::Random;
pub use sequence::{Arg, ObjRef, Sequence, Step};
pub use shade::shade;
pub use strategy::{Breadth, Observing, Strategy};
pub use term::{Names, Point, Root, Term, Vocabulary, When};
pub use twist::{Callback, NoTwist, Twist};
pub use value::Value;
