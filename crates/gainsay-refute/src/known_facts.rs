//! Facts about operations from beyond the store, each asked for once in a round.

use std::{
    collections::BTreeMap,
    rc::Rc,
    time::{Duration, Instant},
};

use gainsay_wire::{Expr, OpId};

use crate::Desk;

/// Answers of [`crate::Knowledge`], which are slow: preconditions are inferred from all calls of an
/// operation.
#[derive(Debug, Default)]
pub(crate) struct KnownFacts {
    // Shared, since every contract of an operation keeps the same ones.
    requirements: BTreeMap<OpId, Rc<Vec<Expr>>>,
    preconditions: BTreeMap<(OpId, Expr), Rc<Vec<Expr>>>,
    inferring: Duration,
}

impl KnownFacts {
    /// Conditions that an operation is known to require.
    pub(crate) fn find_requirements(&mut self, desk: &Desk<'_>, op: OpId) -> Rc<Vec<Expr>> {
        let known = self.requirements.entry(op);
        Rc::clone(known.or_insert_with(|| Rc::new(desk.knowledge.requirements(op))))
    }

    /// Preconditions inferred from the calls on which an expression held.
    pub(crate) fn find_preconditions(
        &mut self,
        desk: &Desk<'_>,
        op: OpId,
        antecedent: &Expr,
    ) -> Rc<Vec<Expr>> {
        let key = (op, antecedent.clone());
        if let Some(known) = self.preconditions.get(&key) {
            return Rc::clone(known);
        }
        let began = Instant::now();
        let found = Rc::new(desk.knowledge.preconditions_where(op, antecedent));
        self.inferring += began.elapsed();
        self.preconditions.insert(key, Rc::clone(&found));
        found
    }

    /// Time spent inferring so far.
    pub(crate) fn inferring_time(&self) -> Duration {
        self.inferring
    }
}
