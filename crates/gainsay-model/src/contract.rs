//! Contracts with their evidence, and what a deliberate search made of them.

use gainsay_wire::{ContractId, Expr, OpId, Point, Sequence};
use serde::{Deserialize, Serialize};

/// A predicate over the calls of one operation that survived inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Unique within a run.
    pub id: ContractId,
    /// The operation.
    pub op: OpId,
    /// What it claims to be.
    pub kind: ContractKind,
    /// The claim. At entry all terms are `Before`.
    pub expr: Expr,
    /// Why it is believed.
    pub evidence: Evidence,
}

/// What a contract speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContractKind {
    /// Held before every passing call.
    Precondition,
    /// Held after every passing call.
    Postcondition,
    /// The operation panics exactly when this held before the call.
    Panics,
}

impl ContractKind {
    /// Where its expression stands.
    pub fn point(self) -> Point {
        match self {
            ContractKind::Precondition | ContractKind::Panics => Point::Entry,
            ContractKind::Postcondition => Point::Exit,
        }
    }

    /// The keyword before the clause.
    pub fn keyword(self) -> &'static str {
        match self {
            ContractKind::Precondition => "requires",
            ContractKind::Postcondition => "ensures",
            ContractKind::Panics => "panics when",
        }
    }
}

/// A contract that stands in the subject's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// What it claims to be: a precondition or a postcondition.
    pub kind: ContractKind,
    /// The claim, in the words of contracts.
    pub text: String,
    /// Where it stands.
    pub place: WrittenPlace,
}

/// Where a programmer says what holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WrittenPlace {
    /// An attribute of a crate for contracts.
    Attribute,
    /// Assertions that the body begins with.
    Assertion,
    /// The documentation of panics.
    Documentation,
}

/// What speaks for a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Distinct observations it was learnt from.
    pub distinct: u64,
    /// Of these, the ones where it could have failed (an implication's antecedent held).
    pub at_risk: u64,
    /// Calls since then on which workers checked it with its antecedent true.
    pub attacks: u64,
    /// Of these, the ones of a second campaign with another seed, from which nothing was learnt.
    #[serde(default)]
    pub again: u64,
}

/// The outcome of a search for a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Deliberately attacked without success.
    Upheld {
        /// How many deliberate attacks were run.
        attacks: u64,
    },
    /// A passing call contradicts it.
    Refuted {
        /// The counterexample; the last step is the call.
        by: Sequence,
        /// How it was come by.
        via: Via,
    },
    /// A precondition whose violation panicked every time, alike and with nothing changed.
    RealPrecondition {
        /// How many calls violated it.
        attacks: u64,
    },
    /// The search ended without an answer.
    Unsettled {
        /// Why.
        reason: Unsettled,
    },
}

/// How a counterexample was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// Stored objects violated it as they were.
    Objects,
    /// A stored transition brought objects there.
    Transition,
    /// Objects that had never met were combined.
    NewTuple,
    /// A call of the random phase contradicted it.
    Exploration,
}

/// Why a search ended without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsettled {
    /// No stored object, transition or tuple comes near a violation.
    NothingToTry,
    /// Every attempt panicked, differently or with something changed.
    OnlyPanics,
    /// The predicate cannot be searched for.
    NotSearchable,
    /// The budget ended first.
    Budget,
}

impl Verdict {
    /// One word, as in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Upheld { .. } => "upheld",
            Verdict::Refuted { .. } => "refuted",
            Verdict::RealPrecondition { .. } => "real precondition",
            Verdict::Unsettled { .. } => "unsettled",
        }
    }
}
