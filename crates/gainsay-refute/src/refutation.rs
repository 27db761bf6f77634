//! The result of a round of attacks.

use std::{collections::BTreeMap, time::Duration};

use gainsay_model::contract::Verdict;
use gainsay_wire::{ContractId, EpochReport, Finding, KeptCall, StateRecord, Violation};
use gainsay_workers::Death;

/// The result of a round of attacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// One verdict per contract, in their order.
    pub verdicts: Vec<(ContractId, Verdict)>,
    /// States that the calls speak of.
    pub states: Vec<StateRecord>,
    /// Calls that attacks made and that were not tainted: new observations, which are in the store.
    pub calls: Vec<KeptCall>,
    /// Objections of oracles, panics included, each with its recipe.
    pub findings: Vec<Finding>,
    /// Workers that died of an attack.
    pub deaths: Vec<Death>,
    /// Focused epochs, apart from violations of contracts. Their calls are in the store.
    pub epochs: Vec<EpochReport>,
    /// Calls of focused epochs that broke a check of the workers besides the contracts.
    pub violations: Vec<Violation>,
    /// Coverage counters that were hit.
    pub covered: Vec<u32>,
    /// Work and time.
    pub effort: Effort,
    /// Time spent searching for each contract.
    pub searched: BTreeMap<ContractId, Duration>,
}

/// Work and time of a round of attacks.
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
