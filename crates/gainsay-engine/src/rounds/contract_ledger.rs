//! All that was ever claimed in a run, with stable numbers and verdicts.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_infer::Inferred;
use gainsay_model::contract::{Attacks, Contract, ContractKind, Unsettled, Verdict, Via};
use gainsay_refute::Refutation;
use gainsay_wire::{ContractId, Expr, OpId, Violation};

/// Calls on which a contract must have been able to fail, and not have failed, to be upheld. If three
/// in two hundred of such calls contradicted it, one contract in twenty would come so far.
const ENOUGH: u64 = 200;
/// The part of them that must have been attacks, calls that were made to contradict something:
/// random calls seldom meet the corner where a contract fails.
const ENOUGH_AIMED: u64 = 100;
/// Random calls that do without attacks, ten times as many as are asked for otherwise. Trades
/// certainty for contracts that attacks have nothing to aim at.
const ENOUGH_UNAIMED: u64 = 2_000;
/// Attacks that are enough for when an operation panics: only they look at both sides of it, and
/// each of them decides.
const ENOUGH_OF_PANICS: u64 = 10;

/// A contract apart from its number.
type Claim = (OpId, ContractKind, Expr);

/// All that was ever claimed, with stable numbers: one claim may be made in several rounds.
#[derive(Default)]
pub(crate) struct Ledger {
    numbers: BTreeMap<Claim, ContractId>,
    pub(crate) refuted: BTreeMap<ContractId, (Contract, Verdict)>,
    pub(crate) standing: Vec<(Contract, Verdict)>,
    /// Claims that follow from others, of the last round.
    pub(crate) implied: BTreeMap<ContractId, Vec<(ContractKind, Expr)>>,
}

impl Ledger {
    /// Numbers the contracts of a round, and leaves out those that are refuted already.
    pub(crate) fn number_inferred(&mut self, inferred: Inferred) -> Vec<Contract> {
        let ids: Vec<ContractId> = inferred.contracts.iter().map(|known| known.id).collect();
        let numbers: Vec<ContractId> =
            inferred.contracts.iter().map(|c| self.number_of(c)).collect();
        let numbers: BTreeMap<ContractId, ContractId> = ids.into_iter().zip(numbers).collect();
        self.implied.clear();
        for implied in inferred.implied {
            if let Some(by) = numbers.get(&implied.by) {
                self.implied.entry(*by).or_default().push((implied.kind, implied.expr));
            }
        }
        self.leave_out_refuted(inferred.contracts)
    }

    fn number_of(&mut self, contract: &Contract) -> ContractId {
        let claim = (contract.op, contract.kind, contract.expr.clone());
        let next = ContractId(u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX));
        *self.numbers.entry(claim).or_insert(next)
    }

    /// Gives a claim the number it had before, and leaves out what is refuted already.
    fn leave_out_refuted(&mut self, contracts: Vec<Contract>) -> Vec<Contract> {
        let mut kept = Vec::new();
        for contract in contracts {
            let id = self.number_of(&contract);
            if !self.refuted.contains_key(&id) {
                kept.push(Contract { id, ..contract });
            }
        }
        kept
    }

    /// Refutes contracts that exploration contradicted; returns the others.
    pub(crate) fn strike_violated(
        &mut self,
        contracts: Vec<Contract>,
        violations: &[Violation],
    ) -> Vec<Contract> {
        let mut standing = Vec::new();
        for contract in contracts {
            match violations.iter().find(|violation| violation.contract == contract.id) {
                Some(violation) => self.refute_by(contract, violation, Via::Exploration),
                None => standing.push(contract),
            }
        }
        standing
    }

    /// Refutes standing contracts that focused epochs contradicted while they aimed at others.
    pub(crate) fn strike_standing(&mut self, violations: &[Violation]) {
        for (contract, verdict) in std::mem::take(&mut self.standing) {
            match violations.iter().find(|violation| violation.contract == contract.id) {
                Some(violation) => self.refute_by(contract, violation, Via::Raid),
                None => self.standing.push((contract, verdict)),
            }
        }
    }

    fn refute_by(&mut self, contract: Contract, violation: &Violation, via: Via) {
        let by = violation.call.recipe.clone();
        self.refuted.insert(contract.id, (contract, Verdict::Refuted { by, via }));
    }

    /// Puts contracts that were not attacked yet before the rest, otherwise in order: the time of a
    /// round may not be enough for all.
    pub(crate) fn put_new_first(&self, contracts: &mut [Contract]) {
        let attacked: BTreeSet<_> = self.standing.iter().map(|(known, _)| known.id).collect();
        contracts.sort_by_key(|contract| (attacked.contains(&contract.id), contract.id));
    }

    /// Forgets contracts that a new model no longer claims; verdicts on the rest stay.
    pub(crate) fn forget_unclaimed(&mut self, contracts: &[Contract]) {
        let claimed: BTreeSet<ContractId> = contracts.iter().map(|contract| contract.id).collect();
        self.standing.retain(|(contract, _)| claimed.contains(&contract.id));
    }

    /// Takes in the verdicts on contracts that were attacked.
    pub(crate) fn take_verdicts(&mut self, contracts: Vec<Contract>, refutation: Refutation) {
        let mut verdicts: BTreeMap<_, _> = refutation.verdicts.into_iter().collect();
        let attacked: BTreeSet<ContractId> = contracts.iter().map(|contract| contract.id).collect();
        let (earlier, kept): (Vec<_>, Vec<_>) =
            self.standing.drain(..).partition(|(contract, _)| attacked.contains(&contract.id));
        self.standing = kept;
        let earlier: BTreeMap<_, _> =
            earlier.into_iter().map(|(contract, verdict)| (contract.id, verdict)).collect();
        for contract in contracts {
            let mut verdict = verdicts.remove(&contract.id).unwrap_or_else(Verdict::out_of_budget);
            if let Verdict::Unsettled { reason: Unsettled::Budget, .. } = verdict {
                // The findings of an earlier round are not lost because this one was cut short.
                verdict = earlier.get(&contract.id).cloned().unwrap_or(verdict);
            }
            if let Some(before) = earlier.get(&contract.id).filter(|it| it.says_more_than(&verdict))
            {
                verdict = before.clone();
            }
            if let Verdict::Refuted { .. } = verdict {
                self.refuted.insert(contract.id, (contract, verdict));
            } else {
                self.standing.push((contract, verdict));
            }
        }
    }

    /// Leaves contracts open that were at risk on too few calls, of attacks and of workers (by
    /// contract) together.
    pub(crate) fn leave_open_untested(&mut self, watched: &BTreeMap<ContractId, u64>) {
        for (contract, verdict) in &mut self.standing {
            let Verdict::Upheld { attacks } = verdict else { continue };
            let held = watched.get(&contract.id).copied().unwrap_or(0);
            let is_aimed_at = attacks.at_risk >= ENOUGH_AIMED || held >= ENOUGH_UNAIMED;
            let is_enough = match contract.kind {
                ContractKind::Panics => attacks.at_risk >= ENOUGH_OF_PANICS,
                _ => is_aimed_at && attacks.at_risk + held >= ENOUGH,
            };
            if !is_enough {
                verdict.leave_open(Unsettled::FewAttacks);
            }
        }
    }

    /// Takes in contracts that were not attacked because the mode takes them for granted.
    pub(crate) fn take_granted(&mut self, contracts: Vec<Contract>) {
        let verdict =
            Verdict::Unsettled { reason: Unsettled::Granted, attacks: Attacks::default() };
        self.standing.extend(contracts.into_iter().map(|contract| (contract, verdict.clone())));
    }

    /// Returns the standing contracts of operations of which a contract has fallen lately.
    // Attacks keep what an operation was thought to require: with a requirement gone, they can reach
    // calls that they could not before.
    pub(crate) fn standing_beside_fallen(&self, before: &BTreeSet<ContractId>) -> Vec<Contract> {
        let fallen = self.refuted.values().map(|(contract, _)| contract);
        let ops: BTreeSet<OpId> =
            fallen.filter(|it| !before.contains(&it.id)).map(|it| it.op).collect();
        let standing = self.standing.iter().map(|(contract, _)| contract);
        standing.filter(|contract| ops.contains(&contract.op)).cloned().collect()
    }

    fn all(&self) -> impl Iterator<Item = &(Contract, Verdict)> {
        self.refuted.values().chain(&self.standing)
    }

    /// Returns all contracts.
    pub(crate) fn contracts(&self) -> Vec<Contract> {
        self.all().map(|(contract, _)| contract.clone()).collect()
    }

    /// Returns all verdicts.
    pub(crate) fn verdicts(&self) -> Vec<(ContractId, Verdict)> {
        self.all().map(|(contract, verdict)| (contract.id, verdict.clone())).collect()
    }

    /// Returns all claims with their verdicts.
    pub(crate) fn claims(&self) -> Vec<(Contract, Verdict)> {
        self.all().cloned().collect()
    }
}
