//! Why something is not covered. A skip is never silent: it is counted by reason and shown.

use gainsay_wire::TypeId;
use serde::{Deserialize, Serialize};

/// A public callable, or one way to instantiate it, that is not exercised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skip {
    /// The operation's path as shown to people, such as `SmallVec::from_raw_parts`.
    pub operation: String,
    /// Why.
    pub reason: SkipReason,
    /// The particular: a type's name, or rustc's message.
    pub detail: String,
}

/// Reasons, from the earliest stage to the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
// The order is that of the stages: where several reasons hold, the earliest is told, since nothing
// after it was tried.
pub enum SkipReason {
    /// `unsafe fn`: the caller must promise something that nobody can generate.
    Unsafe,
    /// `async fn`.
    Async,
    /// Deprecated and hidden items are not called.
    Hidden,
    /// No type of the catalogue satisfies the bounds of a type parameter.
    NoTypeForParameter,
    /// An argument's type has no known way to make a value.
    NoValueForArgument,
    /// The receiver's type is never made by any operation.
    NoOrigin,
    /// The receiver borrows from something else.
    BorrowedReceiver,
    /// The signature uses a form that is not supported yet.
    UnsupportedSignature,
    /// rustc rejected the generated code.
    DoesNotCompile,
    /// Harnessed, but no call could be made within the budget: operands never came to be.
    NeverReady,
}

impl SkipReason {
    /// True if values that the user provides could help.
    pub fn can_be_provided(self) -> bool {
        matches!(
            self,
            SkipReason::NoTypeForParameter | SkipReason::NoValueForArgument | SkipReason::NoOrigin
        )
    }

    /// The reason in words for a summary line.
    pub fn as_text(self) -> &'static str {
        match self {
            SkipReason::Unsafe => "unsafe function",
            SkipReason::Async => "async function",
            SkipReason::Hidden => "hidden from the documentation",
            SkipReason::NoTypeForParameter => "no type fits a type parameter",
            SkipReason::NoValueForArgument => "no way to make an argument",
            SkipReason::NoOrigin => "nothing makes the receiver",
            SkipReason::BorrowedReceiver => "receiver borrows from something else",
            SkipReason::UnsupportedSignature => "signature not supported yet",
            SkipReason::DoesNotCompile => "rustc rejected the call",
            SkipReason::NeverReady => "operands never came to be",
        }
    }
}

/// A query that does not take part in views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demotion {
    /// Of which type.
    pub ty: TypeId,
    /// Its name.
    pub query: String,
    /// Why.
    pub reason: DemotionReason,
}

/// Why a query cannot be a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
// A query that is no view is called as an operation all the same: only the looks around calls do
// without it.
pub enum DemotionReason {
    /// Evaluated twice with different results, or something changed after it.
    Impure,
    /// The same object, made again in another process, gave something else.
    Random,
    /// Too often longer than a millisecond.
    Slow,
    /// Panics nearly always.
    Panics,
    /// Never ended, or took all memory.
    Endless,
    /// Its results can neither be read nor told apart.
    Blank,
    /// Always says what another query says.
    Repeats,
}

impl DemotionReason {
    /// The reason in words for a summary line.
    pub fn as_text(self) -> &'static str {
        match self {
            DemotionReason::Impure => "changes something or differs from one look to the next",
            DemotionReason::Random => "differs from one process to the next",
            DemotionReason::Slow => "too slow to be looked at",
            DemotionReason::Panics => "panics nearly always",
            DemotionReason::Endless => "never ends or takes all memory",
            DemotionReason::Blank => "tells nothing that can be seen",
            DemotionReason::Repeats => "says what another query says",
        }
    }
}
