//! What driver and worker both speak: ids, values, sequences, observations, contract expressions
//! with their evaluation, and framed messages with a version.
//!
//! Has no dependencies and does no IO beyond reading from and writing to streams it is given: it
//! is compiled inside strangers' builds.

#[macro_use]
mod protocol;

mod edge;
mod expression;
mod ids;
mod laws;
mod manifest;
mod objections;
mod observation;
mod sequences;
mod values;

pub use edge::{Edge, EdgeCount, EdgeEnd, OutcomeClass};
pub use expression::ast::{Arithmetic, Binder, Comparison, Expr, Test};
pub use expression::eval::{Scope, Truth, evaluate, truth};
pub use expression::function::Function;
pub use expression::parse::{ParseError, parse_expr, parse_value};
pub use expression::print::{expr_text, term_text};
pub use expression::term::{Names, Point, Root, Term, Vocabulary, When};
pub use ids::{CallableId, ContractId, InstanceId, OpId, Owner, StateId, TypeId};
pub use laws::breach::{LawBreach, LawParty};
pub use laws::law_id::{LawId, LawKind, LawStatement};
pub use laws::law_parts::{
    AddOne, Careful, Extreme, FloatForm, ForeignText, ItemCount, ItemPart, Kept, ListCall,
    ListCommand, Listing, LookUp, Operator, PairComparison, SeqEnd, Sought,
};
pub use laws::law_words::{TypeWord, UnknownLaw};
pub use laws::standing::{LawCount, Standing};
pub use manifest::{
    Lending, Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Role,
};
pub use objections::death_cause::{
    AbortReason, DeathCause, NamedSignal, Signal, SourcePlace, UnknownWords,
};
pub use objections::misuse::Misuse;
pub use observation::{
    FreedState, ObjectState, Observation, Outcome, PanicPlace, transition_digest,
};
pub use protocol::codec::{Corrupt, Reader, Wire, from_bytes, to_bytes};
pub use protocol::crash_journal::{
    BODY_AT, CAREFUL_ENV, EXIT_CANNOT_BEGIN, EXIT_OUT_OF_MEMORY, EXIT_PIPES_LOST, EXIT_TIMED_OUT,
    EXIT_WORN_OUT, FULL_AT, JOURNAL_BYTES, JOURNAL_ENV, JOURNAL_MAGIC, JournalPhase, JournalState,
    JournalStatus, LEN_AT, PHASE_AT, STATUS_AT, STEPS_AT, VIEW_AT, read_journal, view_word,
};
pub use protocol::framing::{FrameError, VERSION, read_message, write_message};
pub use protocol::message::{
    Ask, Check, EpochReport, EpochTask, Finding, KeptCall, OpCount, Oracle, QueryStats, Request,
    Response, RunReport, RunTask, Settings, StateRecord, StepReport, Violation,
};
pub use protocol::strategy::{Breadth, Observing, Strategy};
pub use sequences::fault_injection::{Callback, NoTwist, Twist};
pub use sequences::loans::{Loan, Loans, Party};
pub use sequences::steps::{Arg, ObjRef, Sequence, Step};
pub use values::coarse_key::coarse_value_key;
pub use values::digest::{AsIs, Digest, Mix};
pub use values::plain_type::{IntegerType, PlainType};
pub use values::random::Random;
pub use values::value::Value;
