//! What an attack works with, and what comes of it.

use std::{collections::BTreeMap, time::Duration};

use gainsay_model::{contract::Verdict, event::Event};
use gainsay_store::Store;
use gainsay_wire::{
    ContractId, EpochReport, Expr, Finding, KeptCall, Manifest, OpId, PanicPlace, StateRecord,
    Violation,
};
use gainsay_workers::{Cancel, Death, Runner};

use crate::{focus::focused_epochs::FocusSettings, targets::branch_conditions::Branches};

/// What an attack works with.
pub struct Context<'a> {
    /// Where objects and transitions come from.
    pub store: &'a mut Store,
    /// What runs sequences.
    pub runner: &'a mut dyn Runner,
    /// The manifest of the campaign.
    pub manifest: &'a Manifest,
    /// Facts about operations from beyond the store.
    pub knowledge: &'a dyn Knowledge,
    /// How much to try.
    pub limits: Limits,
    /// The way focused epochs are made, if they are.
    pub focus: Option<FocusSettings>,
    /// Ends the search early.
    pub cancel: &'a Cancel,
    /// Who listens.
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

/// No facts about any operation.
#[derive(Clone, Copy, Debug)]
pub struct NothingKnown;

impl Knowledge for NothingKnown {
    fn requirements(&self, _: OpId) -> Vec<Expr> {
        Vec::new()
    }

    fn preconditions_where(&self, _: OpId, _: &Expr) -> Vec<Expr> {
        Vec::new()
    }

    fn branches(&self, _: OpId) -> Branches {
        Branches::default()
    }

    fn owns_panic(&self, _: OpId, _: &PanicPlace) -> bool {
        false
    }
}

/// What planning an attack works with: everything but the workers.
pub(crate) struct Desk<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) manifest: &'a Manifest,
    pub(crate) knowledge: &'a dyn Knowledge,
    pub(crate) limits: Limits,
    pub(crate) cancel: &'a Cancel,
    pub(crate) on_event: &'a mut dyn FnMut(Event),
}

impl Context<'_> {
    /// The workers, and what planning works with while they are busy.
    pub(crate) fn apart(&mut self) -> (&mut dyn Runner, Desk<'_>) {
        let desk = Desk {
            store: self.store,
            manifest: self.manifest,
            knowledge: self.knowledge,
            limits: self.limits,
            cancel: self.cancel,
            on_event: self.on_event,
        };
        (self.runner, desk)
    }
}

/// How much is tried for one contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tuples per search.
    pub tuples: usize,
    /// Tuples that are tried for each contract before any contract gets more.
    pub first_tuples: usize,
    /// Tuples for each corner that an operation is called in, and for each branch of its code.
    pub corner_tuples: usize,
    /// Tuples among which those are looked for in which a claim is nearest to being false.
    pub wide_tuples: usize,
    /// Of these so many are tried; half as many before any contract gets more.
    pub nearest_tuples: usize,
    /// Contracts whose attacks are planned and run together; twice as many are under way.
    pub together: usize,
    /// Transitions per dropped clause.
    pub transitions: usize,
    /// Transitions that follow each other.
    pub chain: usize,
    /// Of the objects on their way to a goal, so many take the next transition.
    pub beam: usize,
    /// Tuples never combined whose relations are evaluated.
    pub new_tuples: usize,
    /// Calls around which relations are evaluated by [`crate::evaluate_relations`].
    pub related_calls: usize,
    /// A search may take so many instructions of the database engine.
    pub search: u64,
}

impl Default for Limits {
    /// The first paper's numbers, where it has them; for its minute per query a count of about
    /// a second.
    fn default() -> Limits {
        Limits {
            tuples: 45,
            first_tuples: 6,
            corner_tuples: 12,
            wide_tuples: 180,
            nearest_tuples: 8,
            together: 48,
            transitions: 8,
            chain: 3,
            beam: 6,
            new_tuples: 64,
            related_calls: 400,
            search: 20_000_000,
        }
    }
}

/// What a round of attacks came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// One verdict per contract, in their order.
    pub verdicts: Vec<(ContractId, Verdict)>,
    /// States that the calls speak of.
    pub states: Vec<StateRecord>,
    /// Calls that attacks made and that were not tainted: new observations, which are in the store.
    pub calls: Vec<KeptCall>,
    /// What oracles objected to, panics included, each with its recipe.
    pub findings: Vec<Finding>,
    /// Workers that died of an attack.
    pub deaths: Vec<Death>,
    /// Focused epochs, apart from violations of contracts. Their calls are in the store.
    pub epochs: Vec<EpochReport>,
    /// Calls of focused epochs that broke what workers watched besides the contracts.
    pub violations: Vec<Violation>,
    /// Coverage counters that were hit.
    pub covered: Vec<u32>,
    /// What it took.
    pub effort: Effort,
    /// Time spent searching for each contract.
    pub searched: BTreeMap<ContractId, Duration>,
}

/// What attacks took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Sequences run.
    pub runs: u64,
    /// Relations evaluated between objects that had never met.
    pub relations: u64,
    /// Time spent searching.
    pub searching: Duration,
    /// Time spent inferring preconditions of parts of the calls.
    pub inferring: Duration,
    /// Time spent recording.
    pub recording: Duration,
    /// Time in which workers were running calls; all else goes on beside it as far as it can.
    pub running: Duration,
}
