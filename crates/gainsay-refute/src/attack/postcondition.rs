//! Attacks on postconditions: calls from states that may lead where they do not hold.

use std::collections::BTreeSet;

use gainsay_model::contract::{Attacks, Closest, Contract, Unsettled, Verdict};
use gainsay_search::{CallIndex, Effort, Goal, Search};
use gainsay_wire::{Expr, ManifestParam, Observation, OpId, Truth};

use super::{
    explain_nothing, refute_by_shortest,
    trial::{Attempt, Role, Trial, Tried},
};
use crate::{
    Desk, RefuteError,
    round::{Pass, Round},
    targets::{near_misses::shift_before_call, operation_targets::OperationTarget},
};

/// The attack on a postcondition. Only a passing call on which the contract is false refutes it; a
/// passing call on which it was at risk and true is a survived attack; panics say nothing.
pub(super) struct PostconditionAttack<'c> {
    contract: &'c Contract,
    /// Goals of the contract itself.
    own: Vec<Trial>,
    /// Targets of the operation, once those of the contract were tried.
    targets: Option<Vec<Trial>>,
}

impl<'c> PostconditionAttack<'c> {
    /// For each antecedent: where it holds and a precondition inferred from such calls does not,
    /// and where it holds in states without a call. The first pass has only the latter.
    pub(super) fn plan_goals(
        desk: &Desk<'_>,
        round: &mut Round,
        contract: &'c Contract,
    ) -> PostconditionAttack<'c> {
        let op = contract.op;
        let required = round.facts.find_requirements(desk, op);
        let mut own = Vec::new();
        for antecedent in list_antecedents(&contract.expr) {
            if round.pass == Pass::Far {
                let inferred = round.facts.find_preconditions(desk, op, &antecedent);
                for precondition in inferred.iter() {
                    let mut clauses = vec![antecedent.clone(), precondition.negated()];
                    // Without them most calls would panic, and say nothing.
                    clauses.extend(required.iter().cloned());
                    let effort = round.full_effort(desk);
                    let attempt = Attempt::new(round, Goal::new(op, &clauses), effort);
                    own.push(Trial::of_attempts([attempt.make_decisive()]));
                }
            }
            let mut clauses = vec![antecedent];
            clauses.extend(required.iter().cloned());
            own.push(plan_new_states(desk, round, contract, &clauses));
        }
        PostconditionAttack { contract, own, targets: None }
    }

    pub(super) fn advance_goals(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
    ) -> Result<Option<Verdict>, RefuteError> {
        let contract = self.contract;
        for trial in &mut self.own {
            if let Some(verdict) = advance_until_refuted(desk, round, contract, trial)? {
                return Ok(Some(verdict));
            }
        }
        // Later than the contract's own goals: these may refute it at once, and targets take a look
        // at the store.
        if self.targets.is_none() {
            self.targets = Some(plan_targets(desk, round, contract.op)?);
        }
        for trial in self.targets.iter_mut().flatten() {
            if let Some(verdict) = advance_until_refuted(desk, round, contract, trial)? {
                return Ok(Some(verdict));
            }
        }
        let is_over = self.own.iter().chain(self.targets.iter().flatten()).all(Trial::is_over);
        Ok(is_over.then(|| self.count_all(desk, &round.search)))
    }

    /// The verdict when nothing refuted: calls are counted in the order of the goals, whichever was
    /// over first, so that the way of a call to which several goals led does not depend on it.
    fn count_all(&self, desk: &Desk<'_>, search: &Search) -> Verdict {
        let mut tally = Tally::new(self.contract);
        for trial in self.own.iter().chain(self.targets.iter().flatten()) {
            for tried in trial.list_results() {
                tally.count_calls(desk, search, tried);
            }
        }
        tally.into_verdict(desk)
    }
}

/// Calls in states in which the operation was never called, then in those of them in which the
/// contract is nearest to being false.
fn plan_new_states(
    desk: &Desk<'_>,
    round: &mut Round,
    contract: &Contract,
    clauses: &[Expr],
) -> Trial {
    let op = contract.op;
    let goal = Goal::new(op, clauses).where_never_called();
    let effort = round.stored_effort(desk);
    let mut stored = Attempt::new(round, goal.clone(), effort);
    if takes_values(desk, op) {
        // Values may be new where states cannot be.
        stored = stored.or_else(round, Goal::new(op, clauses), effort);
    }
    let nearest = shift_before_call(&contract.expr).map(|claim| {
        let tuples = match round.pass {
            Pass::Near => desk.limits.nearest_tuples / 2,
            Pass::Far => desk.limits.nearest_tuples,
        };
        Attempt::new(round, goal.nearest_to_false(claim), Effort { tuples, ..effort })
    });
    Trial::of_attempts([stored].into_iter().chain(nearest))
}

/// Branches and corners of the operation. None in the first pass, which is short.
fn plan_targets(desk: &Desk<'_>, round: &mut Round, op: OpId) -> Result<Vec<Trial>, RefuteError> {
    if round.pass == Pass::Near {
        return Ok(Vec::new());
    }
    let targets = round.targets.find_targets(desk, &mut round.facts, op)?;
    let effort = Effort { tuples: desk.limits.corner_tuples, ..round.stored_effort(desk) };
    let plan = |target: &OperationTarget| {
        let attempt = Attempt::new(round, target.goal.clone(), effort);
        Trial::of_attempts([attempt.at_target(target.via)])
    };
    Ok(targets.iter().map(plan).collect())
}

fn takes_values(desk: &Desk<'_>, op: OpId) -> bool {
    let op = desk.search.manifest.ops.get(op.0 as usize);
    op.is_some_and(|op| op.params.iter().any(|it| matches!(it, ManifestParam::Plain(_))))
}

/// Goes on with a trial; a verdict as soon as one of its calls refutes the contract.
fn advance_until_refuted(
    desk: &mut Desk<'_>,
    round: &mut Round,
    contract: &Contract,
    trial: &mut Trial,
) -> Result<Option<Verdict>, RefuteError> {
    while let Some(tried) = trial.advance_attempts(desk, round)? {
        let search = &round.search;
        let is_refuting = |call: CallIndex| {
            let call = &search.log().find_call(call).observation;
            let claimed = || search.evaluate(desk.search.manifest, &contract.expr, call);
            call.outcome.returned() && claimed() == Truth::False
        };
        if let Some(verdict) = refute_by_shortest(search, tried, is_refuting) {
            return Ok(Some(verdict));
        }
    }
    Ok(None)
}

/// Conditions before a call without which it cannot break the contract: the antecedent of an
/// implication, both sides of an equivalence, nothing for any other claim.
fn list_antecedents(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Implies(a, _) if is_before_call(a) => vec![(**a).clone()],
        // Either side may be broken, so it is attacked where the condition holds and where not.
        Expr::Iff(a, b) => match (is_before_call(a), is_before_call(b)) {
            (true, _) => vec![(**a).clone(), a.negated()],
            (_, true) => vec![(**b).clone(), b.negated()],
            _ => vec![Expr::And(Vec::new())],
        },
        _ => vec![Expr::And(Vec::new())],
    }
}

fn is_before_call(expr: &Expr) -> bool {
    let mut is_before = true;
    expr.each_term(&mut |term| is_before &= term.is_before());
    is_before
}

/// Survived attacks.
struct Tally<'a> {
    contract: &'a Contract,
    attacks: Attacks,
    panics: u64,
    reason: Unsettled,
    /// Calls that were counted: several goals may have led to one.
    counted: BTreeSet<CallIndex>,
}

impl<'a> Tally<'a> {
    fn new(contract: &'a Contract) -> Tally<'a> {
        let (attacks, counted) = (Attacks::default(), BTreeSet::new());
        Tally { contract, attacks, panics: 0, reason: Unsettled::NothingToTry, counted }
    }

    /// Counts the calls of a goal, none of which refutes.
    fn count_calls(&mut self, desk: &Desk<'_>, search: &Search, tried: &Tried) {
        let (manifest, claim) = (desk.search.manifest, &self.contract.expr);
        if tried.role == Role::Decisive {
            self.reason = self.reason.max(explain_nothing(&tried.reached));
        }
        self.attacks.made += tried.reached.made;
        for hit in &tried.reached.hits {
            let call = &search.log().find_call(hit.call).observation;
            // Nothing is promised of a call that panics.
            if !call.outcome.returned() {
                self.panics += 1;
                continue;
            }
            if !self.counted.insert(hit.call) {
                continue;
            }
            if search.evaluate(manifest, claim, call) == Truth::True
                && self.was_at_risk(desk, search, call)
            {
                self.attacks.count_risk(tried.name_via(hit));
                if let Some(by) = search.measure_margin(manifest, claim, call) {
                    self.attacks.note_closeness(Closest::Short(by));
                }
            }
        }
    }

    /// True if the call could have broken the contract: an antecedent must have held.
    fn was_at_risk(&self, desk: &Desk<'_>, search: &Search, call: &Observation) -> bool {
        match &self.contract.expr {
            Expr::Implies(a, _) => search.evaluate(desk.search.manifest, a, call) == Truth::True,
            _ => true,
        }
    }

    fn into_verdict(self, desk: &Desk<'_>) -> Verdict {
        let attacks = self.attacks;
        if attacks.at_risk > 0 {
            return Verdict::Upheld { attacks };
        }
        let reason = match self.panics {
            _ if desk.search.cancel.is_cancelled() => Unsettled::Budget,
            0 => self.reason,
            _ => Unsettled::OnlyPanics,
        };
        Verdict::Unsettled { reason, attacks }
    }
}
