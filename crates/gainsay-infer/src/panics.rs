//! When an operation panics: conditions before the call that hold on every call that panics at
//! one place and on no passing call.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Observation, Outcome, Root, Truth, truth};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family},
    chance::{is_justified, ln_contained},
    implication, membership,
    scene::Scene,
    source::Sources,
    table::Table,
};

/// The fewest distinct panicking calls.
const LEAST: usize = 2;

/// Where a call panicked; `None` for one that passed.
type Place<'a> = Option<(&'a str, u32)>;

/// The panic conditions of an operation, one per place where it panics.
pub(crate) fn candidates(scene: &Scene<'_>, observations: &[Observation]) -> Vec<Candidate> {
    if !observations.iter().any(|seen| matches!(seen.outcome, Outcome::Panicked(_))) {
        return Vec::new();
    }
    let terms: Vec<_> =
        scene.manifest.vocabulary(scene.id).terms().iter().cloned().enumerate().collect();
    let terms: Vec<_> = terms.into_iter().filter(|(_, term)| term.is_before()).collect();
    let of_interest = |seen: &&Observation| {
        seen.outcome.returned() || matches!(seen.outcome, Outcome::Panicked(_))
    };
    let chosen = observations.iter().enumerate().filter(|(_, seen)| of_interest(seen));
    let table =
        Table::new(&terms, chosen, |seen| place(seen).map(|(file, line)| (file.to_owned(), line)));
    let mut places: BTreeMap<Place<'_>, Bits> = BTreeMap::new();
    for (row, origin) in table.origins.iter().enumerate() {
        let place = place(&observations[*origin]);
        places.entry(place).or_insert_with(|| Bits::none(table.rows)).insert(row);
    }
    let Some(passing) = places.remove(&None) else { return Vec::new() };
    let mut atoms = implication::conditions(&table.columns.iter().collect::<Vec<_>>());
    atoms.extend(membership::atoms(&table, &Sources::of(&table)));
    let atoms = both_ways(atoms);
    let least = scene.options.min_rows().min(LEAST);
    let mut found: Vec<Candidate> = Vec::new();
    for panicking in places.values().filter(|rows| rows.count() >= least) {
        let Some(expr) = condition(scene, &atoms, panicking, &passing) else { continue };
        if found.iter().all(|known| known.expr != expr) {
            found.push(candidate(expr, panicking, &passing));
        }
    }
    found
}

/// The requirements without those that a known panic enforces along with its own: where they were
/// not met, the call panicked for the reason that is told already.
pub(crate) fn without_panics(
    mut requirements: Vec<Candidate>,
    panics: &[Candidate],
    scene: &Scene<'_>,
    observations: &[Observation],
) -> Vec<Candidate> {
    let vocabulary = scene.manifest.vocabulary(scene.id);
    let panicked = |seen: &&Observation| matches!(seen.outcome, Outcome::Panicked(_));
    let calls: Vec<&Observation> = observations.iter().filter(panicked).collect();
    let is_enforced = |requirement: &Expr| {
        let mut unmet = calls
            .iter()
            .filter(|seen| truth(requirement, &(&vocabulary, **seen)) == Truth::False)
            .peekable();
        let told = |seen: &&Observation| {
            let holds = |known: &Candidate| truth(&known.expr, &(&vocabulary, *seen));
            let mut related = panics.iter().filter(|known| share_a_term(&known.expr, requirement));
            related.any(|known| holds(known) == Truth::True)
        };
        unmet.peek().is_some() && unmet.all(told)
    };
    let is_opposite =
        |requirement: &Expr| panics.iter().any(|known| known.expr.negated() == *requirement);
    requirements.retain(|found| is_opposite(&found.expr) || !is_enforced(&found.expr));
    let truths = |expr: &Expr| -> Vec<Truth> {
        calls.iter().map(|seen| truth(expr, &(&vocabulary, *seen))).collect()
    };
    without_doubles(requirements, truths)
}

/// Without those that are unmet on the same calls as a simpler one.
fn without_doubles(
    mut requirements: Vec<Candidate>,
    truths: impl Fn(&Expr) -> Vec<Truth>,
) -> Vec<Candidate> {
    requirements.sort_by_key(|found| plainness(&found.expr));
    let mut seen = BTreeSet::new();
    requirements.retain(|found| {
        let truths = truths(&found.expr);
        !truths.contains(&Truth::False) || seen.insert(truths)
    });
    requirements
}

/// Truth values and comparisons of what is given first, tests of views last.
fn plainness(expr: &Expr) -> u8 {
    match expr {
        Expr::Term(_) | Expr::Not(_) => 0,
        Expr::Compare(..) => 1,
        _ => 2,
    }
}

/// Whether both speak of one view. A requirement about something else, never unmet but where the
/// call panicked anyhow, is not enforced: it was not tried.
fn share_a_term(a: &Expr, b: &Expr) -> bool {
    let mut terms = BTreeSet::new();
    a.each_term(&mut |term| {
        terms.insert(term.clone());
    });
    let mut shared = false;
    b.each_term(&mut |term| shared |= terms.contains(term));
    shared
}

fn place(seen: &Observation) -> Place<'_> {
    match &seen.outcome {
        Outcome::Panicked(place) => Some((&place.file, place.line)),
        _ => None,
    }
}

fn candidate(expr: Expr, panicking: &Bits, passing: &Bits) -> Candidate {
    Candidate {
        kind: ContractKind::Panics,
        family: Family::Panics,
        expr,
        distinct: panicking.or(passing).count() as u64,
        at_risk: panicking.count() as u64,
        settles: None,
    }
}

/// Atoms and their opposites, the simplest first, those about arguments before others.
fn both_ways(atoms: Vec<Atom>) -> Vec<Atom> {
    let mut all: Vec<Atom> = Vec::new();
    for atom in atoms {
        all.push(atom.negated());
        all.push(atom);
    }
    all.sort_by_key(|atom| {
        let negated = matches!(atom.expr, Expr::Not(_));
        (!mentions_argument(&atom.expr), atom.shape, negated, atom.weight)
    });
    all
}

fn mentions_argument(expr: &Expr) -> bool {
    let mut found = false;
    expr.each_term(&mut |term| {
        let is_argument = term.query.is_none() && matches!(term.root, Root::Operand(_));
        found |= is_argument || term.with.is_some();
    });
    found
}

/// The simplest atom, or else two joined ones, that tells the panicking calls from the passing.
fn condition(scene: &Scene<'_>, atoms: &[Atom], panicking: &Bits, passing: &Bits) -> Option<Expr> {
    let count = panicking.count();
    let chance = ln_contained(count, count, count + passing.count());
    let held: Vec<&Atom> = atoms.iter().filter(|atom| panicking.within(&atom.yes)).collect();
    if let Some(one) = held.iter().find(|atom| atom.yes.apart(passing)) {
        // Of the conditions, only those that hold as often could have told them apart.
        let rivals =
            atoms.iter().filter(|atom| atom.yes.and(&panicking.or(passing)).count() == count);
        let rivals = rivals.map(Atom::class).collect::<BTreeSet<_>>().len();
        return is_justified(scene.options, chance, rivals).then(|| one.expr.clone());
    }
    if !is_justified(scene.options, chance, held.len().pow(2) / 2) {
        return None;
    }
    for (i, a) in held.iter().enumerate() {
        let rest = a.yes.and(passing);
        let joined =
            |b: &&&Atom| b.yes.apart(&rest) && (a.shape, b.shape) != (Shape::Less, Shape::Less);
        if let Some(b) = held[i + 1..].iter().find(joined) {
            return Some(Expr::And(vec![a.expr.clone(), b.expr.clone()]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Names, Point, parse_expr};

    use super::*;

    #[test]
    fn only_requirements_about_what_the_panic_speaks_of_are_enforced_by_it() {
        let operands = [("self", true), ("other", true), ("index", false)];
        let names = Names::new(operands.map(|(name, object)| (name.to_owned(), object)));
        let expr = |text: &str| parse_expr(text, &names, Point::Entry).unwrap();
        let check = |panic: &str, requirement: &str, expected: bool| {
            assert_eq!(share_a_term(&expr(panic), &expr(requirement)), expected, "{requirement}");
        };
        check("index >= self.len()", "self.len() > 0", true);
        check("self.off()", "!self.off()", true);
        check("self.off()", "!self.is_sibling(other)", false);
        check("self.off()", "!other.off()", false);
    }
}
