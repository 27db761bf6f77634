//! All that was ever claimed in a run, with stable numbers and what became of it.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_infer::Inferred;
use gainsay_model::contract::{Attacks, Contract, ContractKind, Unsettled, Verdict, Via};
use gainsay_refute::Refutation;
use gainsay_wire::{ContractId, Expr, OpId, Violation};

use super::Settled;
use crate::session::Session;

/// On so many calls a contract must have been able to fail, and not have failed, to be upheld. With
/// fewer than three in two hundred of such calls contradicting it, one in twenty would come so far.
const ENOUGH: u64 = 200;
/// So many of them must have been attacks: calls where somebody looked for a contradiction.
const ENOUGH_AIMED: u64 = 100;
/// Unless there were so many that nobody aimed.
const ENOUGH_UNAIMED: u64 = 2_000;
/// So many attacks are enough for when an operation panics: only they look at both sides of it.
const ENOUGH_OF_PANICS: u64 = 10;

/// A contract apart from its number.
type Claim = (OpId, ContractKind, Expr);

/// All that was ever claimed, with stable numbers.
#[derive(Default)]
pub(super) struct Ledger {
    numbers: BTreeMap<Claim, ContractId>,
    pub(super) refuted: BTreeMap<ContractId, (Contract, Verdict)>,
    pub(super) standing: Vec<(Contract, Verdict)>,
    /// Of the last round.
    implied: BTreeMap<ContractId, Vec<(ContractKind, Expr)>>,
}

impl Ledger {
    /// Takes what a round inferred, and leaves out what is refuted already.
    pub(super) fn take(&mut self, inferred: Inferred) -> Vec<Contract> {
        let ids: Vec<ContractId> = inferred.contracts.iter().map(|known| known.id).collect();
        let numbers: Vec<ContractId> = inferred.contracts.iter().map(|c| self.number(c)).collect();
        let numbers: BTreeMap<ContractId, ContractId> = ids.into_iter().zip(numbers).collect();
        self.implied.clear();
        for implied in inferred.implied {
            if let Some(by) = numbers.get(&implied.by) {
                self.implied.entry(*by).or_default().push((implied.kind, implied.expr));
            }
        }
        self.numbered(inferred.contracts)
    }

    fn number(&mut self, contract: &Contract) -> ContractId {
        let claim = (contract.op, contract.kind, contract.expr.clone());
        let next = ContractId(u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX));
        *self.numbers.entry(claim).or_insert(next)
    }

    /// Gives a claim the number it had before, and leaves out what is refuted already.
    fn numbered(&mut self, contracts: Vec<Contract>) -> Vec<Contract> {
        let mut kept = Vec::new();
        for contract in contracts {
            let id = self.number(&contract);
            if !self.refuted.contains_key(&id) {
                kept.push(Contract { id, ..contract });
            }
        }
        kept
    }

    /// Takes out what exploration contradicted.
    pub(super) fn strike(
        &mut self,
        contracts: Vec<Contract>,
        violations: &[Violation],
    ) -> Vec<Contract> {
        let mut standing = Vec::new();
        for contract in contracts {
            match violations.iter().find(|violation| violation.contract == contract.id) {
                Some(violation) => self.fall(contract, violation, Via::Exploration),
                None => standing.push(contract),
            }
        }
        standing
    }

    /// Takes out what calls contradicted that were made for something else.
    pub(super) fn contradict(&mut self, violations: &[Violation]) {
        for (contract, verdict) in std::mem::take(&mut self.standing) {
            match violations.iter().find(|violation| violation.contract == contract.id) {
                Some(violation) => self.fall(contract, violation, Via::Raid),
                None => self.standing.push((contract, verdict)),
            }
        }
    }

    fn fall(&mut self, contract: Contract, violation: &Violation, via: Via) {
        let by = violation.call.recipe.clone();
        self.refuted.insert(contract.id, (contract, Verdict::Refuted { by, via }));
    }

    /// Puts what was not attacked yet before the rest, otherwise in order.
    pub(super) fn put_new_first(&self, contracts: &mut [Contract]) {
        let attacked: BTreeSet<_> = self.standing.iter().map(|(known, _)| known.id).collect();
        contracts.sort_by_key(|contract| (attacked.contains(&contract.id), contract.id));
    }

    /// Forgets what a new model no longer claims; verdicts on the rest stay.
    pub(super) fn restrict(&mut self, contracts: &[Contract]) {
        let claimed: BTreeSet<ContractId> = contracts.iter().map(|contract| contract.id).collect();
        self.standing.retain(|(contract, _)| claimed.contains(&contract.id));
    }

    /// Sorts what was attacked by verdict.
    pub(super) fn settle(&mut self, contracts: Vec<Contract>, refutation: Refutation) {
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
                // What an earlier round found out is not lost because this one was cut short.
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

    /// Leaves open what was at risk on too few calls, of attacks and of workers (by contract) together.
    pub(super) fn weigh(&mut self, watched: &BTreeMap<ContractId, u64>) {
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

    /// What was not attacked because the mode takes it for granted.
    pub(super) fn grant(&mut self, contracts: Vec<Contract>) {
        let verdict =
            Verdict::Unsettled { reason: Unsettled::Granted, attacks: Attacks::default() };
        self.standing.extend(contracts.into_iter().map(|contract| (contract, verdict.clone())));
    }

    /// What stands of the operations that have lost a contract since so many had fallen.
    pub(super) fn shaken(&self, before: &BTreeSet<ContractId>) -> Vec<Contract> {
        let fallen = self.refuted.values().map(|(contract, _)| contract);
        let ops: BTreeSet<OpId> =
            fallen.filter(|it| !before.contains(&it.id)).map(|it| it.op).collect();
        let standing = self.standing.iter().map(|(contract, _)| contract);
        standing.filter(|contract| ops.contains(&contract.op)).cloned().collect()
    }

    fn all(&self) -> impl Iterator<Item = &(Contract, Verdict)> {
        self.refuted.values().chain(&self.standing)
    }

    pub(super) fn contracts(&self) -> Vec<Contract> {
        self.all().map(|(contract, _)| contract.clone()).collect()
    }

    pub(super) fn verdicts(&self) -> Vec<(ContractId, Verdict)> {
        self.all().map(|(contract, verdict)| (contract.id, verdict.clone())).collect()
    }

    pub(super) fn close(self, session: &Session<'_>, again: &BTreeMap<ContractId, u64>) -> Settled {
        let attacks = &session.campaign.totals().attacks;
        let mut contracts: Vec<_> = self.all().cloned().collect();
        for (contract, _) in &mut contracts {
            contract.evidence.attacks = attacks.get(&contract.id).copied().unwrap_or(0);
            contract.evidence.again = again.get(&contract.id).copied().unwrap_or(0);
        }
        contracts.sort_by_key(|(contract, _)| (contract.op, contract.id));
        Settled { contracts, implied: self.implied, ..Settled::default() }
    }
}
