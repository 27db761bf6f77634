//! The sources of a round of attacks, and its limits.

use gainsay_model::event::Event;
use gainsay_search::{SearchContext, SearchLimits};
use gainsay_store::EvidenceStore;
use gainsay_wire::{Expr, Manifest, OpId, PanicPlace};
use gainsay_workers::{Cancel, Runner};

use crate::{focus::focused_epochs::FocusSettings, targets::branch_conditions::Branches};

/// The sources of a round of attacks.
pub struct Context<'a> {
    /// Source of objects and transitions.
    pub store: &'a mut dyn EvidenceStore,
    /// Runs sequences.
    pub runner: &'a mut dyn Runner,
    /// The manifest of the campaign.
    pub manifest: &'a Manifest,
    /// Facts about operations from beyond the store.
    pub knowledge: &'a dyn Knowledge,
    /// Limits of each attack.
    pub limits: Limits,
    /// The way focused epochs are made, if they are.
    pub focus: Option<FocusSettings>,
    /// Ends the round early.
    pub cancel: &'a Cancel,
    /// Listener to degradations.
    pub on_event: &'a mut dyn FnMut(Event),
}

/// Facts about operations that come neither from the store nor from calls.
pub trait Knowledge {
    /// Conditions that an operation is known, not inferred, to require.
    fn requirements(&self, op: OpId) -> Vec<Expr>;

    /// Preconditions inferred from the calls of an operation on which `antecedent` held.
    fn preconditions_where(&self, op: OpId, antecedent: &Expr) -> Vec<Expr>;

    /// Conditions that the code of an operation decides on.
    fn branches(&self, op: OpId) -> Branches;

    /// True if a panic began in the operation itself, not deeper.
    fn owns_panic(&self, op: OpId, place: &PanicPlace) -> bool;
}

/// The sources of planning: all but the workers, which are busy meanwhile.
pub(crate) struct Desk<'a> {
    pub(crate) search: SearchContext<'a>,
    pub(crate) knowledge: &'a dyn Knowledge,
    pub(crate) limits: Limits,
}

impl Context<'_> {
    /// The workers, and the sources of what is planned while they are busy.
    pub(crate) fn split_for_planning(&mut self) -> (&mut dyn Runner, Desk<'_>) {
        let search = SearchContext {
            store: self.store,
            manifest: self.manifest,
            limits: self.limits.search,
            cancel: self.cancel,
            on_event: self.on_event,
        };
        (self.runner, Desk { search, knowledge: self.knowledge, limits: self.limits })
    }
}

/// Limits of the attacks on one contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Limits of each search.
    pub search: SearchLimits,
    /// Tuples that are tried for each contract before any contract gets more.
    pub first_tuples: usize,
    /// Tuples for each corner that an operation is called in, and for each branch of its code.
    pub corner_tuples: usize,
    /// Tuples nearest to a violation that are tried; half as many before any contract gets more.
    pub nearest_tuples: usize,
    /// Contracts whose attacks are planned and run together; twice as many are under way.
    pub together: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            search: SearchLimits::default(),
            // Most contracts that fall at all fall on the first few tuples.
            first_tuples: 6,
            // There are up to some forty corners and branches for each operation: fewer tuples each
            // than for a goal of the contract itself.
            corner_tuples: 12,
            // A claim that bends at a border falls on one of the first few states beside it.
            nearest_tuples: 8,
            // A batch keeps all workers busy while the next is planned. A larger one would have more
            // attacks planned on a store that does not have the calls of others yet.
            together: 48,
        }
    }
}
