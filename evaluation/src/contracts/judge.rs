//! Whether a clause that is true was found.
//!
//! Implication is decided on evidence, over a bounded universe: a clause is implied when every
//! variant of a real call that violates it violates a contract that was shown, too. A clause that
//! too few variants violate is undecided, which counts as missing.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::contract::ContractKind;
use gainsay_wire::{
    Expr, Manifest, Observation, Outcome, Point, Term, Truth, TypeId, Value, expr_text, parse_expr,
    truth,
};

use super::{
    evidence::{Case, Shown},
    kinds::Kind,
    truth::Operation,
    variants::Variants,
};

/// So many variants must violate a clause before it counts as implied, of at least so many calls.
pub(super) const LEAST_VIOLATIONS: u64 = 10;
const LEAST_BASES: usize = 3;

/// What became of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// Shown just so.
    Inferred,
    /// It follows from what is shown.
    Implied,
    /// Neither.
    Missing,
    /// There is no word for it: it cannot be read, or a view that it names is not there.
    NoWords,
    /// Nothing was seen that could decide it.
    Undecided,
    /// A real call contradicts it: a mistake of whoever wrote it.
    Wrong,
}

impl Fate {
    pub(super) fn word(self) -> &'static str {
        match self {
            Fate::Inferred => "inferred",
            Fate::Implied => "implied",
            Fate::Missing => "missing",
            Fate::NoWords => "no words",
            Fate::Undecided => "undecided",
            Fate::Wrong => "WRONG",
        }
    }

    pub(super) fn is_found(self) -> bool {
        matches!(self, Fate::Inferred | Fate::Implied)
    }
}

/// A clause and what became of it.
pub(super) struct Judged {
    pub(super) text: String,
    pub(super) fate: Fate,
    /// What was seen in a call that contradicts it.
    pub(super) seen: Option<String>,
}

/// What became of the clauses of one operation.
pub(super) struct Verdict {
    pub(super) path: String,
    pub(super) clauses: Vec<Judged>,
    pub(super) shown: Vec<String>,
    /// Shown contracts that the truth does not have.
    pub(super) extra: usize,
}

/// Claims about calls, counted against the claims of the other side.
struct Side {
    claims: Vec<Expr>,
    violations: Vec<u64>,
    escapes: Vec<u64>,
    bases: Vec<BTreeSet<usize>>,
}

/// Judges one operation; `None` for the case when it was never called.
pub(super) fn judge(
    (manifest, kinds): (&Manifest, &BTreeMap<TypeId, Kind>),
    operation: &Operation,
    case: Option<&Case<'_>>,
) -> Verdict {
    let path = operation.path.clone();
    let Some(case) = case else {
        let all = operation.ensures.iter().chain(&operation.panics);
        let clauses =
            all.map(|text| Judged { text: text.clone(), fate: Fate::Undecided, seen: None });
        return Verdict { path, clauses: clauses.collect(), shown: Vec::new(), extra: 0 };
    };
    let parse = |text: &String| parse_expr(text, &case.names, Point::Exit).ok();
    let parsed: Vec<Option<Expr>> = operation.ensures.iter().map(parse).collect();
    let promises = case.shown.iter().filter(|shown| shown.kind == ContractKind::Postcondition);
    let promises: Vec<Expr> = promises.flat_map(|shown| shown.expr.clauses()).collect();
    let known: Vec<Expr> = parsed.iter().flatten().cloned().collect();
    let (truths, shown) = compare((manifest, kinds), case, (known, promises));
    let mut truths =
        (0..).zip(&truths.claims).map(|(i, claim)| truths.fate(i, claim, &shown, case));
    let mut clauses: Vec<Judged> = Vec::new();
    for (text, parsed) in operation.ensures.iter().zip(&parsed) {
        let fate = parsed.as_ref().and_then(|_| truths.next()).unwrap_or(Fate::NoWords);
        let contradicts = |call: &&Observation| {
            let claim = parsed.as_ref().filter(|_| call.outcome.returned());
            claim.is_some_and(|claim| truth(claim, &(&case.vocabulary, *call)) == Truth::False)
        };
        let wrong = parsed.as_ref().zip(case.seen.iter().find(contradicts));
        let seen = wrong.map(|(claim, call)| shown_call(claim, call, case));
        clauses.push(Judged { text: text.clone(), fate, seen });
    }
    let panics = operation.panics.as_ref().map(|text| (text, panics(text, case)));
    let mut extra = extras(&shown, &known_normal(&parsed));
    extra += extra_demands(case, panics.as_ref().map(|(_, fate)| *fate));
    clauses.extend(panics.map(|(text, fate)| Judged {
        text: format!("panics {text}"),
        fate,
        seen: None,
    }));
    let shown = case.shown.iter().map(|shown| shown.text.clone()).collect();
    Verdict { path, clauses, shown, extra }
}

/// The values of a claim's terms in a call.
fn shown_call(claim: &Expr, call: &Observation, case: &Case<'_>) -> String {
    let mut values = Vec::new();
    claim.each_term(&mut |term: &Term| {
        let value = case.vocabulary.position(term).and_then(|at| call.values.get(at));
        let name = expr_text(&Expr::Term(term.clone()), &case.names, Point::Exit);
        values.extend(value.map(|value| format!("{name} = {value}")));
    });
    values.dedup();
    values.join(", ")
}

fn known_normal(parsed: &[Option<Expr>]) -> BTreeSet<Expr> {
    parsed.iter().flatten().map(Expr::normal).collect()
}

/// Counts, over all variants, which claims of either side are violated, and how often nothing of
/// the other side notices.
fn compare(
    (manifest, kinds): (&Manifest, &BTreeMap<TypeId, Kind>),
    case: &Case<'_>,
    (truths, shown): (Vec<Expr>, Vec<Expr>),
) -> (Side, Side) {
    let (mut truths, mut shown) = (Side::new(truths), Side::new(shown));
    Variants::new(manifest, kinds, case).each(&mut |base, values| {
        let broken = [truths.broken(case, values), shown.broken(case, values)];
        let scope = (&case.vocabulary, values);
        let is_possible = case.invariants.iter().all(|fact| truth(fact, &scope) != Truth::False);
        truths.count(base, &broken[0], is_possible && broken[1].is_empty());
        shown.count(base, &broken[1], is_possible && broken[0].is_empty());
    });
    (truths, shown)
}

impl Side {
    fn new(claims: Vec<Expr>) -> Side {
        let (violations, escapes) = (vec![0; claims.len()], vec![0; claims.len()]);
        let bases = vec![BTreeSet::new(); claims.len()];
        Side { claims, violations, escapes, bases }
    }

    fn broken(&self, case: &Case<'_>, values: &[Value]) -> Vec<usize> {
        let scope = (&case.vocabulary, values);
        let claims = self.claims.iter().enumerate();
        claims.filter(|(_, claim)| truth(claim, &scope) == Truth::False).map(|(i, _)| i).collect()
    }

    fn count(&mut self, base: usize, broken: &[usize], unnoticed: bool) {
        for at in broken {
            self.violations[*at] += 1;
            self.escapes[*at] += u64::from(unnoticed);
            self.bases[*at].insert(base);
        }
    }

    /// Whether enough variants violate a claim. Of a claim about a case that few calls are in, such
    /// as what is done to an empty object, those calls are enough.
    fn is_decided(&self, at: usize, case: &Case<'_>) -> bool {
        let is_case = |call: &&Observation| match &self.claims[at] {
            Expr::Implies(when, _) => truth(when, &(&case.vocabulary, *call)) == Truth::True,
            _ => true,
        };
        let calls = case.seen.iter().filter(|call| call.outcome.returned()).filter(is_case);
        let least = calls.take(LEAST_BASES).count().max(1);
        self.violations[at] >= LEAST_VIOLATIONS && self.bases[at].len() >= least
    }

    fn fate(&self, at: usize, claim: &Expr, shown: &Side, case: &Case<'_>) -> Fate {
        if !is_sayable(claim, case) {
            return Fate::NoWords;
        }
        let passing = case.seen.iter().filter(|call| call.outcome.returned());
        let scopes = passing.map(|call| truth(claim, &(&case.vocabulary, call)));
        let truths: BTreeSet<Truth> = scopes.collect();
        let mut said = shown.claims.iter().chain(&case.invariants);
        let mut is_equal = || said.any(|other| other.normal() == claim.normal());
        match () {
            () if truths.contains(&Truth::False) => Fate::Wrong,
            () if is_equal() => Fate::Inferred,
            () if truths.is_empty() => Fate::Undecided,
            () if !truths.contains(&Truth::True) => Fate::NoWords,
            () if !self.is_decided(at, case) => Fate::Undecided,
            () if self.escapes[at] == 0 => Fate::Implied,
            () => Fate::Missing,
        }
    }
}

/// Whether every view that the claim names is there.
fn is_sayable(claim: &Expr, case: &Case<'_>) -> bool {
    let mut all = true;
    claim.each_term(&mut |term: &Term| all &= case.vocabulary.position(term).is_some());
    all
}

/// Promises that are neither in the truth nor follow from it.
fn extras(shown: &Side, truths: &BTreeSet<Expr>) -> usize {
    let known = |at: usize| {
        truths.contains(&shown.claims[at].normal())
            || shown.violations[at] > 0 && shown.escapes[at] == 0
    };
    (0..shown.claims.len()).filter(|at| !known(*at)).count()
}

/// Demands are in the truth only where it says when the operation panics, and they say the same.
fn extra_demands(case: &Case<'_>, panics: Option<Fate>) -> usize {
    let demands = case.shown.iter().filter(|shown| shown.kind != ContractKind::Postcondition);
    let found = panics.is_some_and(Fate::is_found);
    demands.filter(|shown| !(found && is_about_panics(shown))).count()
}

fn is_about_panics(shown: &Shown) -> bool {
    shown.kind == ContractKind::Panics || shown.is_real
}

/// Whether what is shown says of every call that was seen just what the condition says.
fn panics(text: &str, case: &Case<'_>) -> Fate {
    let Ok(condition) = parse_expr(text, &case.names, Point::Entry) else { return Fate::NoWords };
    if !is_sayable(&condition, case) {
        return Fate::NoWords;
    }
    let when = |shown: &Shown| match shown.kind {
        ContractKind::Panics => shown.expr.clone(),
        _ => shown.expr.negated(),
    };
    let said: Vec<Expr> = case.shown.iter().filter(|s| is_about_panics(s)).map(when).collect();
    let is_equal = said.iter().any(|said| said.normal() == condition.normal());
    let said = Expr::Or(said);
    let (mut agree, mut both) = (true, [false, false]);
    for call in case.seen {
        let scope = (&case.vocabulary, call);
        let (expected, told) = (truth(&condition, &scope), truth(&said, &scope));
        let panicked = matches!(call.outcome, Outcome::Panicked(_));
        if expected != Truth::Undefined
            && (panicked || call.outcome.returned())
            && panicked != (expected == Truth::True)
        {
            return Fate::Wrong;
        }
        agree &= expected == told;
        both[usize::from(panicked)] = true;
    }
    match (is_equal, both == [true, true], agree) {
        (true, _, _) => Fate::Inferred,
        (_, false, _) => Fate::Undecided,
        (_, _, true) => Fate::Implied,
        _ => Fate::Missing,
    }
}

#[cfg(test)]
mod tests;
