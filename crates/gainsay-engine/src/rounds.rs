//! Rounds of inference and attack, until nothing new comes of them. Afterwards all that stands is
//! put to the test of another campaign, and counterexamples are made shorter.

pub(crate) mod attack;
pub(crate) mod contract_ledger;
pub(crate) mod model;
pub(crate) mod second_campaign;
pub(crate) mod shortened;
pub(crate) mod watch;

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    time::Instant,
};

use gainsay_infer::{Invariant, Options, Samples, invariants};
use gainsay_model::contract::{Contract, ContractKind, Verdict};
use gainsay_refute::IdleWorkers;
use gainsay_wire::{ContractId, Expr};
use gainsay_workers::Runner as _;

pub use self::watch::checks_of;
use self::{attack::Reduction, contract_ledger::Ledger};
use crate::{
    ctx::Ctx,
    error::Result,
    knowledge::type_facts::TypeFacts,
    session::Session,
    settings::RunSettings,
    stages::{explored::Explored, refuted::Refuted},
};

/// Learns and refutes, round after round.
pub(crate) fn run_rounds(explored: Explored, ctx: &mut Ctx<'_>) -> Result<Refuted> {
    let mut refuted = if ctx.cancel.is_interrupted() {
        explored.skip_learning()
    } else {
        explored.learn(ctx)?.refute(ctx)?
    };
    while refuted.has_more_rounds(ctx) {
        refuted = refuted.learn_again(ctx)?.refute(ctx)?;
    }
    refuted.test_with_other_seed(ctx)?;
    refuted.shorten_counterexamples(ctx)?;
    refuted.settle_verdicts()
}

/// The state of all rounds.
pub(crate) struct Rounds {
    pub(crate) ledger: Ledger,
    pub(crate) reduction: Reduction,
    pub(crate) options: Options,
    pub(crate) began: Instant,
    /// The number of rounds that were begun.
    pub(crate) number: u32,
    /// Contracts that had fallen before the present round.
    pub(crate) fallen_before: usize,
    /// Invariants of types, as they were before the second campaign, and what became of them.
    pub(crate) facts: TypeFacts,
    /// Calls of the second campaign on which each contract held.
    pub(crate) held_again: BTreeMap<ContractId, u64>,
}

/// The outcome for all contracts.
#[derive(Default)]
pub struct SettledContracts {
    /// Contracts with their verdicts: all that were refuted, and those that stood at the end.
    pub contracts: Vec<(Contract, Verdict)>,
    /// Facts about all objects of a type.
    pub invariants: Vec<Invariant>,
    /// Claims that follow from a contract and are not made for that reason.
    pub implied: BTreeMap<ContractId, Vec<(ContractKind, Expr)>>,
    /// The effort of attacks.
    pub(crate) reduction: Reduction,
}

/// The way in which a model is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefutePlan {
    /// The use of workers that have nothing to search.
    pub idle_workers: IdleWorkers,
}

impl RefutePlan {
    /// The plan of a run for users.
    // A number of calls promises the same result on every machine, so nothing is called just
    // because there is time.
    pub fn of(settings: &RunSettings) -> RefutePlan {
        let is_timed = settings.ordinary_share(1, 8).calls.is_none();
        let idle_workers = if is_timed { IdleWorkers::Explore } else { IdleWorkers::Wait };
        RefutePlan { idle_workers }
    }
}

impl Rounds {
    pub(crate) fn new(settings: &RunSettings) -> Rounds {
        // A given suite may show a value once, and every call of it counts.
        let least = if settings.is_given_suite() { 1 } else { Options::default().min_distinct };
        let options = Options {
            min_distinct: least,
            jobs: NonZero::new(settings.jobs),
            ..Options::default()
        };
        Rounds {
            ledger: Ledger::default(),
            reduction: Reduction::default(),
            options,
            began: Instant::now(),
            number: 0,
            fallen_before: 0,
            facts: TypeFacts::default(),
            held_again: BTreeMap::new(),
        }
    }

    /// Puts the outcome together.
    pub(crate) fn close(self, session: &Session, invariants: Vec<Invariant>) -> SettledContracts {
        let Rounds { ledger, reduction, held_again, .. } = self;
        let attacks = &session.campaign.totals().attacks;
        let mut contracts = ledger.claims();
        for (contract, _) in &mut contracts {
            contract.evidence.attacks = attacks.get(&contract.id).copied().unwrap_or(0);
            contract.evidence.again = held_again.get(&contract.id).copied().unwrap_or(0);
        }
        contracts.sort_by_key(|(contract, _)| (contract.op, contract.id));
        SettledContracts { contracts, invariants, implied: ledger.implied, reduction }
    }
}

/// Finds what is true of all objects, in all states that any campaign saw.
pub(crate) fn type_invariants(session: &Session) -> Result<Vec<Invariant>> {
    // Of a given suite only contracts are asked for.
    if session.settings.is_given_suite() {
        return Ok(Vec::new());
    }
    let samples = first_instantiations(session, session.read_samples()?.to_observations());
    Ok(invariants(session.fleet.manifest(), &samples))
}

/// Leaves one instantiation of each callable, the first, which speaks for all: contracts of
/// `Stack<u8>` and `Stack<String>` would be told twice.
pub(crate) fn first_instantiations(session: &Session, mut samples: Samples) -> Samples {
    let ground = session.campaign.ground();
    let mut known = BTreeSet::new();
    samples.retain(|op, _| known.insert(ground.path(*op)));
    samples
}
