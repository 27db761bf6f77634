//! Cases: where no one claim is always right, the smallest condition that tells which of two or
//! three is.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Term};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    boolean,
    candidate::{Candidate, Family},
    chance::{is_justified, ln_contained},
    implication, membership,
    scene::Scene,
    source::Sources,
};

/// The most claims between which cases are told.
const MOST_CLAIMS: usize = 12;
/// The most conditions that are joined in pairs.
const MOST_JOINED: usize = 40;

/// A claim under a condition.
pub(crate) struct Case<'c> {
    when: Vec<Atom>,
    then: &'c Atom,
}

impl Case<'_> {
    /// The claim as a contract.
    pub(crate) fn claim(&self, scene: &Scene<'_>, family: Family) -> Candidate {
        let rows = self.when.iter().fold(self.then.known.clone(), |rows, atom| rows.and(&atom.yes));
        let when = self.when.iter().map(|atom| atom.expr.clone()).collect();
        Candidate {
            kind: ContractKind::Postcondition,
            family,
            expr: Expr::all(when).implies(scene.present(&self.then.expr)),
            distinct: scene.table.rows as u64,
            at_risk: rows.count() as u64,
            settles: None,
        }
    }
}

/// What may be the case before a call, and what its result tells; the simplest first.
pub(crate) fn causes<'s>(scene: &'s Scene<'_>) -> &'s [Atom] {
    scene.causes.get_or_init(|| all_causes(scene))
}

fn all_causes(scene: &Scene<'_>) -> Vec<Atom> {
    let mut atoms = implication::causes(scene);
    atoms.extend(membership::atoms(&scene.table, &Sources::of(&scene.table)));
    if let Some(at) = scene.table.position(&Term::result()) {
        let test = boolean::atom(scene.column(at));
        atoms.extend(test.map(|test| Atom { shape: Shape::Outcome, ..test }));
    }
    implication::representatives(atoms, |_| 0_u8)
}

/// The cases that cover all rows, if there are any.
pub(crate) fn find<'c>(
    scene: &Scene<'_>,
    causes: &[Atom],
    claims: &'c [Atom],
    rows: &Bits,
) -> Option<Vec<Case<'c>>> {
    let rivals = rivals(claims);
    let search = Search { scene, causes, claims: &rivals };
    let mut found = search.two(rows, &[]).or_else(|| search.three(rows))?;
    for case in &mut found {
        let rows = case.when.iter().fold(rows.clone(), |rows, atom| rows.and(&atom.yes));
        // The first in order is the simplest.
        case.then = claims.iter().find(|claim| rows.within(&claim.yes)).unwrap_or(case.then);
    }
    Some(found)
}

/// The rows on which a target is known and so are the sequences that it is compared with.
pub(crate) fn rows(scene: &Scene<'_>, known: &Bits, claims: &[Atom]) -> Bits {
    claims.iter().fold(known.clone(), |rows, claim| rows.and(&scene.told(&claim.expr)))
}

/// The claims that are right where no simpler one is, in their order.
fn rivals(claims: &[Atom]) -> Vec<&Atom> {
    let mut kept: Vec<&Atom> = Vec::new();
    for (at, claim) in claims.iter().enumerate() {
        let wider = claims[at + 1..]
            .iter()
            .any(|other| claim.yes.within(&other.yes) && claim.yes != other.yes);
        let simpler = kept.iter().any(|other| claim.yes.within(&other.yes));
        if !wider && !simpler {
            kept.push(claim);
        }
    }
    kept.sort_by_key(|claim| std::cmp::Reverse(claim.yes.count()));
    kept.truncate(MOST_CLAIMS);
    kept
}

struct Search<'s, 'a, 'c> {
    scene: &'s Scene<'a>,
    causes: &'s [Atom],
    claims: &'s [&'c Atom],
}

impl<'c> Search<'_, '_, 'c> {
    /// Two claims that cover the rows, told apart by one condition or by two together.
    fn two(&self, rows: &Bits, under: &[Atom]) -> Option<Vec<Case<'c>>> {
        let pairs = self.pairs(rows);
        for cause in self.causes {
            for (one, other) in &pairs {
                for cause in [cause.clone(), cause.negated()] {
                    if self.separates(&cause, one, other, rows) {
                        return Some(in_two(&cause, one, other, under));
                    }
                }
            }
        }
        under.is_empty().then(|| self.joined(rows, &pairs)).flatten()
    }

    /// Pairs of claims one of which is right on each row, and neither on all.
    fn pairs(&self, rows: &Bits) -> Vec<(&'c Atom, &'c Atom)> {
        let mut pairs = Vec::new();
        for (at, one) in self.claims.iter().enumerate() {
            for other in &self.claims[at + 1..] {
                if rows.minus(&one.yes.or(&other.yes)).is_none() {
                    pairs.push((*one, *other));
                }
            }
        }
        pairs
    }

    /// Whether the one is right wherever the condition holds, the other wherever it does not, and
    /// each is needed.
    fn separates(&self, cause: &Atom, one: &Atom, other: &Atom, rows: &Bits) -> bool {
        if !rows.minus(&cause.known).is_none() {
            return false;
        }
        let (yes, no) = (rows.and(&cause.yes), rows.minus(&cause.yes));
        if !yes.within(&one.yes) || !no.within(&other.yes) {
            return false;
        }
        let (needed, other_needed) = (yes.minus(&other.yes).count(), no.minus(&one.yes).count());
        let least = self.scene.options.min_at_risk();
        let chance = ln_contained(needed, needed, needed + other_needed);
        needed.min(other_needed) >= least
            && is_justified(self.scene.options, chance, self.causes.len())
    }

    fn joined(&self, rows: &Bits, pairs: &[(&'c Atom, &'c Atom)]) -> Option<Vec<Case<'c>>> {
        let told = |cause: &&Atom| rows.minus(&cause.known).is_none();
        let causes: Vec<&Atom> = self.causes.iter().filter(told).take(MOST_JOINED).collect();
        let both_ways = |cause: &&Atom| [(*cause).clone(), cause.negated()];
        let sides: Vec<Atom> = causes.iter().flat_map(both_ways).collect();
        for (at, first) in sides.iter().enumerate() {
            for second in &sides[at + 1..] {
                let both = conjunction(first, second);
                for (one, other) in pairs {
                    for (one, other) in [(one, other), (other, one)] {
                        if self.separates(&both, one, other, rows) {
                            return Some(in_two(&both, one, other, &[]));
                        }
                    }
                }
            }
        }
        None
    }

    /// A condition with its claim, and two cases for the rest.
    fn three(&self, rows: &Bits) -> Option<Vec<Case<'c>>> {
        let least = self.scene.options.min_at_risk();
        for cause in self.causes.iter().filter(|cause| rows.minus(&cause.known).is_none()) {
            for cause in [cause.clone(), cause.negated()] {
                let (yes, rest) = (rows.and(&cause.yes), rows.minus(&cause.yes));
                let first = self.claims.iter().find(|claim| yes.within(&claim.yes));
                let Some(first) = first.filter(|_| yes.count() >= least) else { continue };
                // What holds on the rest as well needs no case.
                let needed = rest.minus(&first.yes).count() >= least;
                let others = needed.then(|| self.two(&rest, &[cause.negated()])).flatten();
                if let Some(mut cases) = others {
                    cases.insert(0, Case { when: vec![cause], then: first });
                    return Some(cases);
                }
            }
        }
        None
    }
}

fn in_two<'c>(cause: &Atom, one: &'c Atom, other: &'c Atom, under: &[Atom]) -> Vec<Case<'c>> {
    let when = |cause: Atom| [under, &[cause]].concat();
    vec![
        Case { when: when(cause.clone()), then: one },
        Case { when: when(cause.negated()), then: other },
    ]
}

fn conjunction(a: &Atom, b: &Atom) -> Atom {
    let known = a.known.and(&b.known);
    let yes = a.yes.and(&b.yes).and(&known);
    Atom { expr: Expr::And(vec![a.expr.clone(), b.expr.clone()]), yes, known, ..a.clone() }
}
