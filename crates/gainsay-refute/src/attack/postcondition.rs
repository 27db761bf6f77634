//! Attacks on postconditions: calls from states that may lead where they do not hold.

use std::{collections::BTreeSet, rc::Rc};

use gainsay_model::contract::{Attacks, Closest, Contract, Unsettled, Verdict};
use gainsay_store::Spread;
use gainsay_wire::{Expr, ManifestParam, Observation, Truth};

use crate::{
    Desk,
    attack::precondition::{shortest, why_nothing},
    error::{Halt, unless_waiting},
    goal::goal_search::{Climb, Goal, Hit, climb, first_of, first_rung},
    round_state::{Range, Reach},
    targets::near_misses::near_the_border,
    targets::operation_targets::aims,
};

/// Only a passing call on which the contract is false refutes it; a passing call on which it was
/// at risk and true is a survived attack; panics say nothing.
pub(crate) fn attack(
    desk: &mut Desk<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Result<Verdict, Halt> {
    let mut tally = Tally::new(contract);
    let mut waits = false;
    for goal in goals(desk, range, contract) {
        let climbed = match goal.spread {
            Spread::Any => unless_waiting(climb(desk, range, &goal))?,
            Spread::NeverCalled => unless_waiting(spread(desk, range, &goal))?,
        };
        // Goals do not depend on each other: all of them order what they need.
        let Some(climbed) = climbed else {
            waits = true;
            continue;
        };
        if goal.spread == Spread::Any {
            tally.reason = tally.reason.max(why_nothing(&climbed));
        }
        tally.attacks.made += climbed.made;
        if let Some(verdict) = tally.count(desk, range, &climbed.hits) {
            return Ok(verdict);
        }
        if goal.spread == Spread::NeverCalled {
            let near = unless_waiting(near_the_border(desk, range, &goal, &contract.expr))?;
            let Some(near) = near else {
                waits = true;
                continue;
            };
            tally.attacks.made += near.made;
            if let Some(verdict) = tally.count(desk, range, &near.hits) {
                return Ok(verdict);
            }
        }
    }
    for (goal, via) in aims(desk, range, contract.op)?.iter() {
        let most = desk.limits.corner_tuples;
        let Some(climbed) = unless_waiting(first_of(desk, range, goal, (most, *via)))? else {
            waits = true;
            continue;
        };
        tally.attacks.made += climbed.made;
        if let Some(verdict) = tally.count(desk, range, &climbed.hits) {
            return Ok(verdict);
        }
    }
    if waits { Err(Halt::Waiting) } else { Ok(tally.verdict(desk)) }
}

/// For each antecedent: where it holds and a precondition inferred from such calls does not,
/// and where it holds in states without a call. From near only the latter.
pub(crate) fn goals(desk: &Desk<'_>, range: &mut Range, contract: &Contract) -> Vec<Goal> {
    let requires = range.requires(desk, contract.op);
    let mut goals = Vec::new();
    for antecedent in antecedents(&contract.expr) {
        if range.reach == Reach::Far {
            for p in range.pre_where(desk, contract.op, &antecedent) {
                let mut clauses = vec![antecedent.clone(), p.negated()];
                clauses.extend(requires.iter().cloned());
                goals.push(Goal::new(contract.op, &clauses));
            }
        }
        let mut clauses = vec![antecedent];
        clauses.extend(requires.iter().cloned());
        goals.push(Goal::new(contract.op, &clauses).where_never_called());
    }
    goals
}

/// Calls in states in which the operation was never called; values may be new where states
/// cannot be.
fn spread(desk: &mut Desk<'_>, range: &mut Range, goal: &Goal) -> Result<Rc<Climb>, Halt> {
    let climbed = first_rung(desk, range, goal)?;
    let takes_values =
        desk.manifest.ops.get(goal.op.0 as usize).is_some_and(|op| {
            op.params.iter().any(|param| matches!(param, ManifestParam::Plain(_)))
        });
    if !climbed.hits.is_empty() || !takes_values {
        return Ok(climbed);
    }
    first_rung(desk, range, &Goal::new(goal.op, &goal.clauses))
}

/// What must hold before a call so that it can break the contract: the antecedent of an
/// implication, both sides of an equivalence, nothing for any other claim.
fn antecedents(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Implies(a, _) if is_before(a) => vec![(**a).clone()],
        Expr::Iff(a, b) => match (is_before(a), is_before(b)) {
            (true, _) => vec![(**a).clone(), a.negated()],
            (_, true) => vec![(**b).clone(), b.negated()],
            _ => vec![Expr::And(Vec::new())],
        },
        _ => vec![Expr::And(Vec::new())],
    }
}

fn is_before(expr: &Expr) -> bool {
    let mut before = true;
    expr.each_term(&mut |term| before &= term.is_before());
    before
}

/// Survived attacks so far.
struct Tally<'a> {
    contract: &'a Contract,
    attacks: Attacks,
    panics: u64,
    reason: Unsettled,
    /// Calls that were looked at: several goals may have led to one.
    counted: BTreeSet<*const Observation>,
}

impl<'a> Tally<'a> {
    fn new(contract: &'a Contract) -> Tally<'a> {
        let (attacks, counted) = (Attacks::default(), BTreeSet::new());
        Tally { contract, attacks, panics: 0, reason: Unsettled::NothingToTry, counted }
    }

    /// Counts calls; a verdict when one of them refutes, by the shortest that does.
    fn count(&mut self, desk: &Desk<'_>, range: &mut Range, hits: &[Hit]) -> Option<Verdict> {
        let mut refuting = Vec::new();
        for hit in hits {
            let Some(call) = hit.shot.passed() else {
                self.panics += 1;
                continue;
            };
            if !self.counted.insert(std::ptr::from_ref(call)) {
                continue;
            }
            match range.truth(desk.manifest, &self.contract.expr, call) {
                Truth::False => refuting.push(hit),
                Truth::True if self.was_at_risk(desk, range, call) => {
                    self.attacks.risk(hit.via);
                    if let Some(by) = range.margin(desk.manifest, &self.contract.expr, call) {
                        self.attacks.come(Closest::Short(by));
                    }
                }
                Truth::True | Truth::Undefined => {}
            }
        }
        shortest(refuting)
    }

    /// Whether the call could have broken the contract: an antecedent must have held.
    fn was_at_risk(&self, desk: &Desk<'_>, range: &mut Range, call: &Observation) -> bool {
        match &self.contract.expr {
            Expr::Implies(a, _) => range.truth(desk.manifest, a, call) == Truth::True,
            _ => true,
        }
    }

    fn verdict(&self, desk: &Desk<'_>) -> Verdict {
        let attacks = self.attacks.clone();
        if attacks.at_risk > 0 {
            return Verdict::Upheld { attacks };
        }
        let reason = match self.panics {
            _ if desk.cancel.is_cancelled() => Unsettled::Budget,
            0 => self.reason,
            _ => Unsettled::OnlyPanics,
        };
        Verdict::Unsettled { reason, attacks }
    }
}
