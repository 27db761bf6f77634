//! Attacks on preconditions: calls before which they do not hold.

use gainsay_model::contract::{Attacks, Closest, Contract, Unsettled, Verdict};
use gainsay_wire::{Outcome, PanicPlace};

use crate::{
    Desk,
    error::Halt,
    goal::goal_search::{Climb, Goal, Hit, climb},
    round_state::Range,
};

/// A passing call refutes; calls that all panic alike, in the operation itself and with nothing
/// changed, make it a real precondition.
pub(crate) fn attack(
    desk: &mut Desk<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Result<Verdict, Halt> {
    let goal = goal(desk, range, contract);
    let climbed = climb(desk, range, &goal)?;
    let passed = climbed.hits.iter().filter(|hit| hit.shot.passed().is_some());
    if let Some(verdict) = shortest(passed) {
        return Ok(verdict);
    }
    let attacks = attacks(&climbed);
    if climbed.hits.is_empty() {
        return Ok(Verdict::Unsettled { reason: why_nothing(&climbed), attacks });
    }
    let is_real = panicked_alike(&climbed.hits)
        .is_some_and(|place| !place.changed && desk.knowledge.owns_panic(contract.op, place));
    Ok(if is_real {
        Verdict::RealPrecondition { attacks }
    } else {
        Verdict::Unsettled { reason: Unsettled::OnlyPanics, attacks }
    })
}

/// What a climb tried; a hit could have shown a violation.
pub(crate) fn attacks(climb: &Climb) -> Attacks {
    let mut attacks = Attacks { made: climb.made, ..Attacks::default() };
    for hit in &climb.hits {
        attacks.risk(hit.via);
    }
    if let Some(unmet) = climb.unmet.filter(|unmet| *unmet > 0) {
        attacks.come(Closest::Unmet(unmet));
    }
    attacks
}

/// A refutation by the shortest of the calls that refute, the first among equals.
pub(crate) fn shortest<'h>(refuting: impl IntoIterator<Item = &'h Hit>) -> Option<Verdict> {
    let by = refuting.into_iter().min_by_key(|hit| hit.sequence.steps.len())?;
    Some(Verdict::Refuted { by: by.sequence.clone(), via: by.via })
}

/// What is required holds, and the precondition does not.
fn goal(desk: &Desk<'_>, range: &mut Range, contract: &Contract) -> Goal {
    let mut clauses = vec![contract.expr.negated()];
    clauses.extend(range.requires(desk, contract.op).iter().cloned());
    Goal::new(contract.op, &clauses)
}

/// The place, when every hit panicked there, changing something everywhere or nowhere.
fn panicked_alike(hits: &[Hit]) -> Option<&PanicPlace> {
    let place = |hit: &Hit| match &hit.shot.made()?.outcome {
        Outcome::Panicked(place) => Some((place.file.clone(), place.line, place.changed)),
        _ => None,
    };
    let first = hits.first()?;
    let alike = hits.iter().all(|hit| place(hit).is_some() && place(hit) == place(first));
    match &first.shot.made()?.outcome {
        Outcome::Panicked(place) if alike => Some(place),
        _ => None,
    }
}

/// Why no call was made that counts.
pub(crate) fn why_nothing(climb: &Climb) -> Unsettled {
    match (climb.hurried, climb.blind) {
        (true, _) => Unsettled::Budget,
        (false, true) => Unsettled::NotSearchable,
        (false, false) => Unsettled::NothingToTry,
    }
}
