//! Attacks on preconditions: calls before which they do not hold.

use gainsay_model::contract::{Attacks, Closest, Contract, Unsettled, Verdict};
use gainsay_search::{Goal, Hit, Search};
use gainsay_wire::{Outcome, PanicPlace};

use super::{
    explain_nothing, refute_by_shortest,
    trial::{Attempt, Trial, Tried},
};
use crate::{Desk, RefuteError, round::Round};

/// The one goal of the attack: the precondition does not hold, and everything required does.
pub(super) struct PreconditionAttack {
    trial: Trial,
}

impl PreconditionAttack {
    pub(super) fn plan_goals(
        desk: &Desk<'_>,
        round: &mut Round,
        contract: &Contract,
    ) -> PreconditionAttack {
        let mut clauses = vec![contract.expr.negated()];
        clauses.extend(round.facts.find_requirements(desk, contract.op).iter().cloned());
        let (goal, effort) = (Goal::new(contract.op, &clauses), round.full_effort(desk));
        PreconditionAttack { trial: Trial::of_attempts([Attempt::new(round, goal, effort)]) }
    }

    pub(super) fn advance_goal(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
        contract: &Contract,
    ) -> Result<Option<Verdict>, RefuteError> {
        let tried = self.trial.advance_attempts(desk, round)?;
        Ok(tried.map(|tried| judge_calls(desk, &round.search, contract, tried)))
    }
}

/// A passing call refutes; calls that all panic alike, in the operation itself and with nothing
/// changed, make it a real precondition.
fn judge_calls(desk: &Desk<'_>, search: &Search, contract: &Contract, tried: &Tried) -> Verdict {
    let has_passed = |call| search.log().find_call(call).observation.outcome.returned();
    if let Some(verdict) = refute_by_shortest(search, tried, has_passed) {
        return verdict;
    }
    let attacks = count_attacks(tried);
    let hits = &tried.reached.hits;
    if hits.is_empty() {
        return Verdict::Unsettled { reason: explain_nothing(&tried.reached), attacks };
    }
    // Different panics have different reasons, and one deeper down speaks of a callee's terms.
    let is_real = find_common_panic(search, hits)
        // A panic after a change broke something: it is a fault, and no way to reject a call.
        .is_some_and(|place| !place.changed && desk.knowledge.owns_panic(contract.op, place));
    if is_real {
        Verdict::RealPrecondition { attacks }
    } else {
        Verdict::Unsettled { reason: Unsettled::OnlyPanics, attacks }
    }
}

/// The calls that were tried; every hit could have shown a violation.
fn count_attacks(tried: &Tried) -> Attacks {
    let mut attacks = Attacks { made: tried.reached.made, ..Attacks::default() };
    for hit in &tried.reached.hits {
        attacks.count_risk(tried.name_via(hit));
    }
    if let Some(unmet) = tried.reached.unmet.filter(|unmet| *unmet > 0) {
        attacks.note_closeness(Closest::Unmet(unmet));
    }
    attacks
}

/// The place, when every hit panicked there, changing something everywhere or nowhere.
fn find_common_panic<'s>(search: &'s Search, hits: &[Hit]) -> Option<&'s PanicPlace> {
    let find_place = |hit: &Hit| match &search.log().find_call(hit.call).observation.outcome {
        Outcome::Panicked(place) => Some(place),
        _ => None,
    };
    let first = find_place(hits.first()?)?;
    // Messages differ with the values they name.
    let is_alike = |place: &PanicPlace| {
        (&place.file, place.line, place.changed) == (&first.file, first.line, first.changed)
    };
    hits.iter().all(|hit| find_place(hit).is_some_and(is_alike)).then_some(first)
}
