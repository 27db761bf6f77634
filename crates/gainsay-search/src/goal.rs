//! Goals, and the calls that were found to reach them.

use std::collections::BTreeSet;

use gainsay_store::Spread;
use gainsay_wire::{Expr, OpId, Term};

use crate::call_log::CallIndex;

/// A description of calls: an operation, and what must hold of its operands before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Goal {
    /// The operation that is called.
    pub op: OpId,
    /// Conditions on the operands before the call. All must hold.
    pub clauses: Vec<Expr>,
    /// States of operands that count.
    pub spread: Spread,
    /// Choice among the stored tuples that satisfy the clauses.
    pub choice: Choice,
}

/// Choice among stored tuples, where there are more than are tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// The shortest recipes, and some of the others.
    ShortAndLong,
    /// Tuples on which a claim about the state before the call is nearest to being false.
    NearestToFalse(Expr),
}

/// Effort for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effort {
    /// Stored tuples that are tried as they are.
    pub tuples: usize,
    /// Means that are tried.
    pub depth: Depth,
}

/// Means that are tried for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Stored objects as they are.
    StoredObjects,
    /// Then transitions, then combinations of objects that never met, until a call reaches the goal.
    AllMeans,
}

/// Means by which a call came to its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// Stored objects were there as they are.
    StoredObjects,
    /// Stored objects were nearest to a border.
    Nearest,
    /// A recorded transition brought objects there.
    Transition,
    /// Several recorded transitions, one after the other, brought objects there.
    Chain,
    /// Objects were combined that had never met.
    NewTuple,
}

/// A call before which the goal really held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The call, in the log of the search.
    pub call: CallIndex,
    /// Means by which it came to its operands.
    pub means: Means,
}

/// Result of the search for one goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Hits of the first means that had any.
    pub hits: Vec<Hit>,
    /// Calls that were tried.
    pub made: u64,
    /// Clauses that did not hold on the call that came nearest.
    pub unmet: Option<u64>,
    /// True if some clause could not be searched for.
    pub is_blind: bool,
    /// True if the search ended for want of time.
    pub is_cut_short: bool,
}

impl Goal {
    /// The goal that all clauses hold, each split into conjuncts.
    pub fn new(op: OpId, clauses: &[Expr]) -> Goal {
        let clauses = clauses.iter().flat_map(Expr::clauses).collect();
        Goal { op, clauses, spread: Spread::Any, choice: Choice::ShortAndLong }
    }

    /// The same goal in states in which the operation was never called.
    pub fn where_never_called(self) -> Goal {
        Goal { spread: Spread::NeverCalled, ..self }
    }

    /// The same goal on those tuples on which a claim is nearest to being false. The claim speaks
    /// of the state before the call.
    pub fn nearest_to_false(self, claim: Expr) -> Goal {
        Goal { choice: Choice::NearestToFalse(claim), ..self }
    }

    /// The same goal without some of its clauses, by their places.
    pub(crate) fn without_clauses(&self, dropped: &BTreeSet<usize>) -> Goal {
        let clauses = self.clauses.iter().enumerate();
        let kept =
            clauses.filter(|(at, _)| !dropped.contains(at)).map(|(_, clause)| clause.clone());
        // A transition leads to a new state whatever the state before it was.
        Goal { clauses: kept.collect(), spread: Spread::Any, ..self.clone() }
    }

    /// The clauses as one expression.
    pub(crate) fn to_predicate(&self) -> Expr {
        Expr::And(self.clauses.clone())
    }
}

/// Terms of a clause that ask one object about another.
pub(crate) fn list_relations(clause: &Expr) -> Vec<Term> {
    let mut terms = Vec::new();
    clause.each_term(&mut |term| {
        if term.with.is_some() {
            terms.push(term.clone());
        }
    });
    terms
}
