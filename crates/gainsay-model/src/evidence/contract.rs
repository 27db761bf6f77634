//! Contracts with their evidence, and what a deliberate search made of them.

use std::collections::BTreeMap;

use gainsay_wire::{ContractId, Expr, OpId, Point, Sequence};
use serde::{Deserialize, Serialize};

/// A predicate over the calls of one operation that survived inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Unique within a run.
    pub id: ContractId,
    /// The operation.
    pub op: OpId,
    /// Precondition, postcondition or invariant.
    pub kind: ContractKind,
    /// The claim. At entry all terms are `Before`.
    pub expr: Expr,
    /// Why it is believed.
    pub evidence: Evidence,
}

/// The subject of a contract.
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
    /// The point at which its expression is evaluated.
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
    /// Precondition or postcondition.
    pub kind: ContractKind,
    /// The claim, in the words of contracts.
    pub text: String,
    /// Its place in the source.
    pub place: WrittenPlace,
}

/// The kind of place at which a programmer stated it.
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

/// The observations that speak for a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Distinct observations it was learnt from.
    pub distinct: u64,
    /// Of these, the ones where it could have failed (an implication's antecedent held).
    pub at_risk: u64,
    /// Calls since then on which workers checked it with its antecedent true.
    pub attacks: u64,
    /// Of these, the ones of a second campaign with another seed, from which nothing was learnt.
    // Apart from the others: a second campaign is the only evidence that nothing was learnt from, and
    // what holds there too is hardly a coincidence of one seed.
    #[serde(default)]
    pub again: u64,
}

/// The outcome of a search for a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Deliberately attacked without success.
    Upheld {
        /// The attacks that were tried.
        attacks: Attacks,
    },
    /// A passing call contradicts it.
    Refuted {
        /// The counterexample; the last step is the call.
        by: Sequence,
        /// The way in which it was found.
        via: Via,
    },
    /// A precondition whose violation panicked every time, alike and with nothing changed.
    RealPrecondition {
        /// The calls that violated it.
        attacks: Attacks,
    },
    /// The search ended without an answer.
    Unsettled {
        /// Why.
        reason: Unsettled,
        /// The attacks that were tried until then.
        attacks: Attacks,
    },
}

/// The attacks on a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attacks {
    /// Calls that were made for it.
    #[serde(rename = "attacks")]
    pub made: u64,
    /// Of these, the ones that are no empty words: where it could have failed, or of a
    /// precondition, where it was violated.
    #[serde(default)]
    pub at_risk: u64,
    /// The ways in which the operands of those were found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ways: BTreeMap<Via, u64>,
    /// The least distance of a call to a violation, where that can be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest: Option<Closest>,
}

/// The distance of a call to the violation of a contract; the nearer, the less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
// Two measures that cannot be added: numbers come before conditions, so that the least is the nearest
// where both were measured.
pub enum Closest {
    /// A number would have had to be another by so much.
    Short(u64),
    /// This number of the conditions of a violation did not hold.
    Unmet(u64),
}

/// The way in which a counterexample was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// Stored objects violated it as they were.
    Objects,
    /// Stored objects in whose states the claim was nearest to being false.
    Nearest,
    /// Stored objects on a branch of the operation's own code, or at its border.
    Branch,
    /// Stored objects and values in a corner: numbers that meet or are large, operands that fit each
    /// other.
    Corner,
    /// A stored transition brought objects there.
    Transition,
    /// Several stored transitions, one after the other, brought objects there.
    Chain,
    /// Objects that had never met were combined.
    NewTuple,
    /// The operation was called many times on objects that a search found, and on what became of them.
    Raid,
    /// An attack on another contract contradicted it.
    OtherAttack,
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
    /// It held on too few calls where it could have failed.
    FewAttacks,
    /// The mode of the run takes it for granted.
    Granted,
}

impl Attacks {
    /// Takes in what was tried besides.
    pub fn add_attacks(&mut self, more: &Attacks) {
        self.made += more.made;
        self.at_risk += more.at_risk;
        for (via, count) in &more.ways {
            *self.ways.entry(*via).or_default() += count;
        }
        if let Some(closest) = more.closest {
            self.note_closeness(closest);
        }
    }

    /// Counts a call that could have shown a violation.
    pub fn count_risk(&mut self, via: Via) {
        self.at_risk += 1;
        *self.ways.entry(via).or_default() += 1;
    }

    /// Notes how near a call came.
    pub fn note_closeness(&mut self, closest: Closest) {
        self.closest = Some(self.closest.map_or(closest, |known| known.min(closest)));
    }
}

impl Verdict {
    /// For want of budget, with nothing tried.
    pub fn out_of_budget() -> Verdict {
        Verdict::Unsettled { reason: Unsettled::Budget, attacks: Attacks::default() }
    }

    /// True if it upholds the same as another verdict, after more calls that could have failed.
    pub fn says_more_than(&self, other: &Verdict) -> bool {
        match (self, other) {
            // Calls that could not have failed say nothing, however many they are.
            (Verdict::Upheld { attacks }, Verdict::Upheld { attacks: others }) => {
                attacks.at_risk > others.at_risk
            }
            _ => false,
        }
    }

    /// Leaves a contract that was not refuted without an answer, for this reason.
    // A refutation stays: whatever the reason is, a counterexample was seen.
    pub fn leave_open(&mut self, why: Unsettled) {
        match self {
            Verdict::Refuted { .. } => {}
            Verdict::Unsettled { reason, .. } => *reason = why,
            Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks } => {
                let attacks = std::mem::take(attacks);
                *self = Verdict::Unsettled { reason: why, attacks };
            }
        }
    }

    /// One word, as in reports.
    pub fn as_word(&self) -> &'static str {
        match self {
            Verdict::Upheld { .. } => "upheld",
            Verdict::Refuted { .. } => "refuted",
            Verdict::RealPrecondition { .. } => "real precondition",
            Verdict::Unsettled { .. } => "unsettled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_verdicts_that_uphold_the_one_with_more_risks_says_more() {
        let upheld =
            |at_risk| Verdict::Upheld { attacks: Attacks { at_risk, ..Attacks::default() } };
        assert!(upheld(3).says_more_than(&upheld(2)) && !upheld(2).says_more_than(&upheld(2)));
        assert!(!upheld(3).says_more_than(&Verdict::out_of_budget()));
    }

    #[test]
    fn attacks_add_up_and_the_nearest_call_counts() {
        let mut all = Attacks { made: 3, ..Attacks::default() };
        all.count_risk(Via::Objects);
        all.note_closeness(Closest::Unmet(1));
        let mut more = Attacks { made: 2, ..Attacks::default() };
        more.count_risk(Via::Objects);
        more.count_risk(Via::Transition);
        more.note_closeness(Closest::Short(4));
        all.add_attacks(&more);
        assert_eq!((all.made, all.at_risk, all.closest), (5, 3, Some(Closest::Short(4))));
        assert_eq!(
            all.ways.into_iter().collect::<Vec<_>>(),
            [(Via::Objects, 2), (Via::Transition, 1)]
        );
    }
}
