//! Random conjunctive searches, and whether the pool has anything that satisfies them.

use std::collections::BTreeSet;

use gainsay_wire::{Comparison, Expr, OpId, Random, Term, Value, When};

use super::{
    paper::PaperAtom,
    pool::Pool,
    shape::{Kind, PAPER_QUERIES, QUERIES, RELATION, State, TYPES, op, type_name},
};

/// The most atoms and variables of a search.
const MOST_ATOMS: usize = 4;
const MOST_VARIABLES: usize = 3;

/// A conjunction over one to three variables of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Search {
    ty: u32,
    variables: u32,
    atoms: Vec<Atom>,
    /// Whether the pool has objects for it.
    pub(super) satisfiable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    /// What a query says of a variable.
    Of { variable: u32, query: usize, comparison: Comparison, value: i64 },
    /// What the relation says of two variables.
    Between { a: u32, b: u32, value: bool },
}

impl Search {
    /// The operation whose operands are wanted: any on so many objects.
    pub(super) fn op(&self) -> OpId {
        let kind = match self.variables {
            1 => Kind::Look,
            2 => Kind::PairCommand,
            _ => Kind::TripleCommand,
        };
        op(self.ty, kind.range().start)
    }

    /// As a predicate over its operands.
    pub(super) fn predicate(&self) -> Expr {
        Expr::all(self.atoms.iter().map(Atom::predicate).collect())
    }

    /// In the form of the paper.
    pub(super) fn paper(&self) -> Vec<PaperAtom> {
        let ty = type_name(self.ty);
        self.atoms.iter().map(|atom| atom.paper(ty.clone())).collect()
    }

    fn holds_in(&self, states: &[Option<State>]) -> bool {
        self.atoms.iter().all(|atom| atom.holds(states))
    }
}

impl Atom {
    fn predicate(&self) -> Expr {
        let truth = |term: Term, value: bool| {
            let term = Expr::term(term);
            if value { term } else { term.negated() }
        };
        match *self {
            Atom::Between { a, b, value } => {
                truth(Term::relation(When::Before, a, RELATION.0, b), value)
            }
            Atom::Of { variable, query, value, .. } if query < 3 => {
                truth(Term::query(When::Before, variable, QUERIES[query]), value != 0)
            }
            Atom::Of { variable, query, comparison, value } => {
                let term = Term::query(When::Before, variable, QUERIES[query]);
                let value = Expr::Const(Value::Int(i128::from(value)));
                Expr::term(term).compare(comparison, value)
            }
        }
    }

    fn paper(&self, ty: String) -> PaperAtom {
        match *self {
            Atom::Between { a, b, value } => PaperAtom {
                name: RELATION.1,
                ty,
                variables: vec![a, b],
                comparison: "=",
                value: i64::from(value),
            },
            Atom::Of { variable, query, comparison, value } => PaperAtom {
                name: PAPER_QUERIES[query],
                ty,
                variables: vec![variable],
                comparison: if comparison == Comparison::Eq { "=" } else { comparison.symbol() },
                value,
            },
        }
    }

    fn variables(&self) -> Vec<u32> {
        match *self {
            Atom::Of { variable, .. } => vec![variable],
            Atom::Between { a, b, .. } => vec![a, b],
        }
    }

    /// What speaks of something that is not there yet holds.
    fn holds(&self, states: &[Option<State>]) -> bool {
        match *self {
            Atom::Of { variable, query, comparison, value } => {
                let Some(state) = states[variable as usize] else { return true };
                let answer = state.answers()[query];
                match comparison {
                    Comparison::Lt => answer < value,
                    Comparison::Gt => answer > value,
                    _ => answer == value,
                }
            }
            Atom::Between { a, b, value } => match [states[a as usize], states[b as usize]] {
                [Some(a), Some(b)] => a.shares(b) == value,
                _ => true,
            },
        }
    }
}

/// Searches, every other of them without anything in the pool that satisfies it.
pub(super) fn draw(pool: &Pool, count: usize, seed: u64) -> Vec<Search> {
    let scenes = pool.scenes();
    let mut random = Random::new(seed);
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    while yes.len() < count - count / 2 || no.len() < count / 2 {
        let mut search = draw_one(&mut random);
        search.satisfiable = is_satisfiable(&search, pool, &scenes);
        let (kept, most) =
            if search.satisfiable { (&mut yes, count - count / 2) } else { (&mut no, count / 2) };
        if kept.len() < most {
            kept.push(search);
        }
    }
    let mut all = Vec::new();
    let (mut yes, mut no) = (yes.into_iter(), no.into_iter());
    while all.len() < count {
        all.extend(yes.next());
        all.extend(no.next());
    }
    all
}

fn draw_one(random: &mut Random) -> Search {
    let ty = u32::try_from(random.below(TYPES as usize)).unwrap_or(0);
    let atoms = 1 + random.below(MOST_ATOMS);
    let variables = 1 + random.below(MOST_VARIABLES.min(atoms));
    let drawn: Vec<Atom> =
        (0..atoms).map(|at| draw_atom(at.min(variables - 1), variables, random)).collect();
    let variables = u32::try_from(variables).unwrap_or(1);
    Search { ty, variables, atoms: drawn, satisfiable: false }
}

/// An atom that speaks of a variable, and perhaps of another one.
fn draw_atom(variable: usize, variables: usize, random: &mut Random) -> Atom {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(0);
    if variables > 1 && random.one_in(3) {
        let other = (variable + 1 + random.below(variables - 1)) % variables;
        let value = random.one_in(2);
        return Atom::Between { a: narrow(variable), b: narrow(other), value };
    }
    let query = random.below(QUERIES.len());
    let variable = narrow(variable);
    if query < 3 {
        let value = i64::from(random.one_in(2));
        return Atom::Of { variable, query, comparison: Comparison::Eq, value };
    }
    let comparisons = [Comparison::Eq, Comparison::Lt, Comparison::Gt];
    let comparison = comparisons[random.below(comparisons.len())];
    let value = i64::try_from(random.below(60)).unwrap_or(0);
    Atom::Of { variable, query, comparison, value }
}

/// Variables that relations bind must be found side by side, the others anywhere.
fn is_satisfiable(search: &Search, pool: &Pool, scenes: &[Vec<State>]) -> bool {
    components(search).iter().all(|component| match component[..] {
        [alone] => (0..pool.states[search.ty as usize]).any(|number| {
            let mut states = vec![None; search.variables as usize];
            states[alone as usize] = Some(State { ty: search.ty, number });
            search.holds_in(&states)
        }),
        _ => scenes
            .iter()
            .filter(|scene| scene[0].ty == search.ty)
            .any(|scene| fits(search, component, scene, &mut Vec::new())),
    })
}

/// Whether the variables of a component can be bound to different places of a scene where relations
/// bind them to each other.
fn fits(search: &Search, component: &[u32], scene: &[State], places: &mut Vec<usize>) -> bool {
    let Some(_) = component.get(places.len()) else {
        let mut states = vec![None; search.variables as usize];
        let mut place_of = vec![None; search.variables as usize];
        for (variable, place) in component.iter().zip(places.iter()) {
            states[*variable as usize] = Some(scene[*place]);
            place_of[*variable as usize] = Some(*place);
        }
        let apart = |atom: &Atom| match *atom {
            Atom::Between { a, b, .. } => {
                place_of[a as usize].is_none() || place_of[a as usize] != place_of[b as usize]
            }
            Atom::Of { .. } => true,
        };
        return search.atoms.iter().all(apart) && search.holds_in(&states);
    };
    (0..scene.len()).any(|place| {
        places.push(place);
        let found = fits(search, component, scene, places);
        places.pop();
        found
    })
}

/// The variables, grouped by what relations bind.
fn components(search: &Search) -> Vec<Vec<u32>> {
    let mut groups: Vec<BTreeSet<u32>> =
        (0..search.variables).map(|variable| BTreeSet::from([variable])).collect();
    for atom in &search.atoms {
        let bound: BTreeSet<u32> = atom.variables().into_iter().collect();
        let (joined, rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&bound));
        groups = rest;
        groups.push(joined.into_iter().flatten().collect());
    }
    groups.into_iter().map(|group| group.into_iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variable: u32, query: usize, comparison: Comparison, value: i64) -> Atom {
        Atom::Of { variable, query, comparison, value }
    }

    fn check(atoms: Vec<Atom>, satisfiable: bool) {
        let pool = Pool::new(35_000, 1);
        let variables = atoms.iter().flat_map(Atom::variables).max().unwrap_or(0) + 1;
        let search = Search { ty: 0, variables, atoms, satisfiable };
        assert_eq!(is_satisfiable(&search, &pool, &pool.scenes()), satisfiable, "{search:?}");
    }

    #[test]
    fn what_the_pool_has_is_told_from_what_it_lacks() {
        let (eq, gt) = (Comparison::Eq, Comparison::Gt);
        check(vec![of(0, 0, eq, 1)], true);
        check(vec![of(0, 0, eq, 1), of(0, 3, gt, 2)], false);
        check(vec![of(0, 0, eq, 1), of(1, 3, gt, 2)], true);
        check(vec![of(0, 3, gt, 1_000)], false);
        let between = |value| Atom::Between { a: 0, b: 1, value };
        check(vec![between(true)], true);
        check(vec![between(true), between(false)], false);
    }

    #[test]
    fn half_of_the_searches_are_satisfiable_and_all_are_small() {
        let drawn = draw(&Pool::new(35_000, 1), 40, 7);
        assert_eq!(drawn.iter().filter(|search| search.satisfiable).count(), 20);
        assert!(drawn.iter().all(|search| (1..=4).contains(&search.atoms.len())));
        assert!(drawn.iter().any(|search| search.variables == 3));
        assert_eq!(drawn, draw(&Pool::new(35_000, 1), 40, 7));
    }
}
