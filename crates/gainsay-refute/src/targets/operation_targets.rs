//! Goals where an operation may change its ways, whatever a contract says of it: branches of its code,
//! then corners.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use gainsay_model::contract::Via;
use gainsay_search::Goal;
use gainsay_store::{NumberView, StoreError};
use gainsay_wire::{Expr, OpId, TypeId};

use crate::{
    Desk,
    known_facts::KnownFacts,
    targets::boundaries::{LARGE_STATES, list_corners},
};

/// A goal that is the same for all contracts of an operation, so that its calls are made once.
#[derive(Clone, Debug)]
pub(crate) struct OperationTarget {
    pub(crate) goal: Goal,
    /// The kind of the target: a branch or a corner.
    pub(crate) via: Via,
}

/// Targets that were worked out. They stay as they are for the round, although the store grows: all
/// contracts of an operation are attacked on the same calls.
#[derive(Debug, Default)]
pub(crate) struct TargetCache {
    numbers: BTreeMap<TypeId, Rc<Vec<NumberView>>>,
    targets: BTreeMap<OpId, Rc<Vec<OperationTarget>>>,
}

impl TargetCache {
    /// Numbers that objects of a type have.
    pub(crate) fn find_numbers(
        &mut self,
        desk: &Desk<'_>,
        ty: TypeId,
    ) -> Result<Rc<Vec<NumberView>>, StoreError> {
        if let Some(known) = self.numbers.get(&ty) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(desk.search.store.find_numbers(ty, LARGE_STATES)?);
        self.numbers.insert(ty, Rc::clone(&found));
        Ok(found)
    }

    /// Targets of an operation.
    pub(crate) fn find_targets(
        &mut self,
        desk: &Desk<'_>,
        facts: &mut KnownFacts,
        op: OpId,
    ) -> Result<Rc<Vec<OperationTarget>>, StoreError> {
        if let Some(known) = self.targets.get(&op) {
            return Ok(Rc::clone(known));
        }
        let required = facts.find_requirements(desk, op);
        let branches = desk.knowledge.branches(op).list_targets();
        let corners = list_corners(desk, self, op)?;
        let branches = branches.iter().map(|condition| (condition, Via::Branch));
        let corners = corners.iter().map(|condition| (condition, Via::Corner));
        let mut known = BTreeSet::new();
        let mut targets = Vec::new();
        for (condition, via) in branches.chain(corners) {
            // A branch is often a corner, too; the first name for it stays.
            if known.insert(condition.normal_form()) {
                let clauses: Vec<Expr> =
                    std::iter::once(condition).chain(required.iter()).cloned().collect();
                targets.push(OperationTarget { goal: Goal::new(op, &clauses), via });
            }
        }
        let targets = Rc::new(targets);
        self.targets.insert(op, Rc::clone(&targets));
        Ok(targets)
    }
}
