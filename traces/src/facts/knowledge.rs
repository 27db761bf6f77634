//! What follows from facts that are already told. Rules, not a prover: differences add up along
//! paths, terms that are the same stand for each other, arrays pass their facts on to elements.

use std::collections::BTreeMap;

use crate::{
    facts::fact::{Fact, Order, Strictly, TermId},
    format::kind::Scalar,
    learn::terms::{Source, Term},
    numeric::closure::Closure,
};
use gainsay_infer::numeric::modular::gcd;
use gainsay_infer::numeric::relation::Relation;

/// `x - y <= c`, from a fact with this place in the list of what is told. `None` for `x` or `y`
/// is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) x: Option<TermId>,
    pub(crate) y: Option<TermId>,
    pub(crate) c: i128,
    pub(crate) from: usize,
}

/// Facts that are told, and what follows from them.
pub(crate) struct Knowledge<'a> {
    terms: &'a [Term],
    /// For each term the first one that is known to be the same.
    pub(crate) leader: Vec<TermId>,
    /// What is told, by leaders.
    pub(crate) told: Vec<Fact>,
    edges: Vec<Edge>,
    closure: Closure,
    by_term: BTreeMap<TermId, Vec<usize>>,
}

impl<'a> Knowledge<'a> {
    pub(crate) fn new(terms: &'a [Term]) -> Knowledge<'a> {
        Knowledge {
            terms,
            leader: (0..terms.len()).collect(),
            told: Vec::new(),
            edges: Vec::new(),
            closure: Closure::new(terms.len() + 1),
            by_term: BTreeMap::new(),
        }
    }

    /// Adds a fact that is told; tells its place.
    pub(crate) fn add(&mut self, fact: &Fact) -> usize {
        let place = self.told.len();
        if let Fact::Same(x, y) = fact {
            self.unite(*x, *y);
        }
        for edge in edges(self.terms, fact) {
            self.add_edge(Edge { from: place, ..edge });
        }
        for term in fact.terms() {
            self.by_term.entry(term).or_default().push(place);
        }
        self.told.push(fact.clone());
        place
    }

    /// Two terms are the same, and with them the lengths and elements of what is the same.
    fn unite(&mut self, x: TermId, y: TermId) {
        let (x, y) = (self.leader[x], self.leader[y]);
        if x == y {
            return;
        }
        for leader in &mut self.leader {
            if *leader == x.max(y) {
                *leader = x.min(y);
            }
        }
        for (i, term) in self.terms.iter().enumerate() {
            let twin = (0..i).find(|other| self.are_parts_of_the_same(&self.terms[*other], term));
            if let Some(twin) = twin {
                self.unite(twin, i);
            }
        }
    }

    fn are_parts_of_the_same(&self, x: &Term, y: &Term) -> bool {
        let same = |a: TermId, b: TermId| self.leader[a] == self.leader[b];
        match (x.source, y.source) {
            (Source::Length(a), Source::Length(b)) => same(a, b),
            (Source::Element(a, i), Source::Element(b, j)) => same(a, b) && same(i, j),
            _ => false,
        }
    }

    fn add_edge(&mut self, edge: Edge) {
        let zero = self.terms.len();
        self.closure.add(edge.x.unwrap_or(zero), edge.y.unwrap_or(zero), edge.c);
        self.edges.push(edge);
    }

    /// The facts from which this one follows; none when it does not. Its constant is known `within`
    /// so much.
    pub(crate) fn implicants(&self, fact: &Fact, within: u64) -> Option<Vec<usize>> {
        if let Some(place) = self.twin(fact) {
            return Some(vec![place]);
        }
        if is_certain(self.terms, fact) {
            return Some(Vec::new());
        }
        // A set says more than its ends.
        let is_set = matches!(fact, Fact::OneOf(_, values) if values.len() > 1);
        let goals = edges(self.terms, fact);
        if !goals.is_empty() && !is_set {
            let paths = goals.iter().map(|goal| self.path(goal, within, &[]));
            if let Some(paths) = paths.collect::<Option<Vec<_>>>() {
                let mut from = paths.concat();
                from.sort_unstable();
                from.dedup();
                return Some(from);
            }
        }
        self.by_rule(fact)
    }

    /// The same fact about terms that are the same.
    fn twin(&self, fact: &Fact) -> Option<usize> {
        let leader = |term: TermId| Some(self.leader[term]);
        let canonical = fact.renamed(&leader);
        let alike = |told: &Fact| {
            std::mem::discriminant(told) == std::mem::discriminant(fact)
                && (*told == *fact || told.renamed(&leader) == canonical)
                && !matches!((told, fact), (Fact::Same(..), Fact::Same(..)) if told != fact)
        };
        self.told.iter().position(alike)
    }

    /// Whether a told fact follows from the other told ones, some left out.
    pub(crate) fn redundant(
        &self,
        place: usize,
        within: u64,
        left_out: &[usize],
    ) -> Option<Vec<usize>> {
        let goals = edges(self.terms, &self.told[place]);
        let [goal] = goals[..] else { return None };
        let left_out: Vec<usize> = left_out.iter().copied().chain([place]).collect();
        self.path(&goal, within, &left_out)
    }

    /// Told facts whose differences add up to this one, some left out.
    fn path(&self, goal: &Edge, within: u64, left_out: &[usize]) -> Option<Vec<usize>> {
        let zero = self.terms.len();
        let most = goal.c + i128::from(within);
        let (x, y) = (goal.x.unwrap_or(zero), goal.y.unwrap_or(zero));
        if !self.closure.implies(x, y, most) {
            return None;
        }
        // The shortest path, by relaxation from `x`.
        let mut best: Vec<Option<(i128, Option<usize>)>> = vec![None; zero + 1];
        best[x] = Some((0, None));
        for _ in 0..=zero {
            let mut is_quiet = true;
            for (i, edge) in self.edges.iter().enumerate() {
                let (from, to) = (edge.x.unwrap_or(zero), edge.y.unwrap_or(zero));
                let Some((sum, _)) = best[from] else { continue };
                if left_out.contains(&edge.from) {
                    continue;
                }
                if best[to].is_none_or(|(known, _)| sum + edge.c < known) {
                    best[to] = Some((sum + edge.c, Some(i)));
                    is_quiet = false;
                }
            }
            if is_quiet {
                break;
            }
        }
        if best[y].is_none_or(|(sum, _)| sum > most) {
            return None;
        }
        let mut used = Vec::new();
        let mut at = y;
        while let Some((_, Some(edge))) = best[at] {
            let edge = &self.edges[edge];
            used.push(edge.from);
            at = edge.x.unwrap_or(zero);
            if at == x || used.len() > self.edges.len() {
                break;
            }
        }
        used.reverse();
        used.dedup();
        Some(used)
    }

    fn by_rule(&self, fact: &Fact) -> Option<Vec<usize>> {
        match fact {
            Fact::Same(x, y) => self.same_parts(*x, *y),
            Fact::OneOf(x, values) => self.by_elements(*x, &|told| {
                matches!(told, Fact::ElementsOneOf(_, few) if few.iter().all(|v| values.contains(v)))
            }),
            Fact::NonZero(x) => self.non_zero(*x),
            Fact::Differs(x, y) => self.differs(*x, *y),
            Fact::Divides(x, y) => self.find(*x, &|told| {
                matches!(told, Fact::Linear(r) if is_multiple(r, *x, *y))
            }),
            Fact::Implies(x, y) => self.by_thresholds(*x, *y),
            Fact::Threshold(b, x, y, _) => self.other_threshold(*b, *x, *y),
            Fact::Member(x, a) => self.is_element(*x, *a),
            _ => self.of_arrays(fact),
        }
    }

    /// A told fact about a term, or about one that is the same.
    fn find(&self, term: TermId, fits: &dyn Fn(&Fact) -> bool) -> Option<Vec<usize>> {
        let same = |other: &TermId| self.leader[*other] == self.leader[term];
        let found = self.by_term.iter().filter(|(other, _)| same(other));
        let mut places = found.flat_map(|(_, places)| places.iter().copied());
        places.find(|place| fits(&self.told[*place])).map(|place| vec![place])
    }

    /// Known to be the same by other facts.
    fn same_parts(&self, x: TermId, y: TermId) -> Option<Vec<usize>> {
        let whole = match self.terms[y].source {
            Source::Length(array) | Source::Element(array, _) => array,
            Source::Given => y,
        };
        (self.leader[x] == self.leader[y]).then(|| self.links(whole))
    }

    /// Facts that say what a term is the same as.
    fn links(&self, term: TermId) -> Vec<usize> {
        let told = self.told.iter().enumerate();
        let links = told.filter(
            |(_, told)| matches!(told, Fact::Same(x, _) if self.leader[*x] == self.leader[term]),
        );
        links.map(|(place, _)| place).take(2).collect()
    }

    /// What holds of all elements holds of one.
    fn by_elements(&self, x: TermId, fits: &dyn Fn(&Fact) -> bool) -> Option<Vec<usize>> {
        let same = |other: &TermId| self.leader[*other] == self.leader[x];
        (0..self.terms.len()).filter(same).find_map(|other| match self.terms[other].source {
            Source::Element(array, _) => self.find(array, fits),
            _ => None,
        })
    }

    fn non_zero(&self, x: TermId) -> Option<Vec<usize>> {
        let above = Edge { x: None, y: Some(x), c: -1, from: 0 };
        let below = Edge { x: Some(x), y: None, c: -1, from: 0 };
        self.path(&above, 0, &[])
            .or_else(|| self.path(&below, 0, &[]))
            .or_else(|| {
                self.find(x, &|told| {
                    matches!(told, Fact::OneOf(y, values) if self.leader[*y] == self.leader[x]
                        && !values.contains(&0))
                })
            })
            .or_else(|| self.by_elements(x, &|told| matches!(told, Fact::ElementsNonZero(_))))
    }

    fn differs(&self, x: TermId, y: TermId) -> Option<Vec<usize>> {
        let below = Edge { x: Some(x), y: Some(y), c: -1, from: 0 };
        let above = Edge { x: Some(y), y: Some(x), c: -1, from: 0 };
        let is_text = self.terms[x].kind.of == Scalar::Text;
        if is_text {
            return self.find(x, &|told| {
                matches!(told, Fact::Order(a, Strictly::Less, b)
                    if [(*a, *b), (*b, *a)].contains(&(x, y)))
            });
        }
        self.path(&below, 0, &[]).or_else(|| self.path(&above, 0, &[])).or_else(|| {
            self.find(x, &|told| matches!(told, Fact::Linear(r) if can_never_meet(r, x, y)))
        })
    }

    /// `b <=> x >= 5` and `c <=> x >= 3` give `b ==> c`.
    fn by_thresholds(&self, b: TermId, c: TermId) -> Option<Vec<usize>> {
        for (i, first) in self.told.iter().enumerate() {
            for (j, second) in self.told.iter().enumerate() {
                let (Fact::Threshold(p, x, u, s), Fact::Threshold(q, y, v, t)) = (first, second)
                else {
                    continue;
                };
                if (*p, *q) == (b, c) && (x, u) == (y, v) && s.side == t.side {
                    return Some(vec![i, j]);
                }
            }
        }
        None
    }

    /// Another threshold of the same truth on a number that moves with this one.
    fn other_threshold(&self, b: TermId, x: TermId, y: Option<TermId>) -> Option<Vec<usize>> {
        if y.is_some() {
            return self.find(b, &|told| {
                matches!(told, Fact::Threshold(p, u, v, _) if *p == b && v.is_some_and(|v|
                    self.moves_with(*u, x).is_some() && self.moves_with(v, y.unwrap_or(v)).is_some()))
            });
        }
        for (place, told) in self.told.iter().enumerate() {
            let Fact::Threshold(p, u, None, _) = told else { continue };
            if *p == b
                && let Some(link) = self.moves_with(*u, x)
            {
                return Some([place].into_iter().chain(link).collect());
            }
        }
        None
    }

    /// A relation that ties two numbers to each other alone.
    fn moves_with(&self, u: TermId, x: TermId) -> Option<Vec<usize>> {
        if self.leader[u] == self.leader[x] {
            return Some(Vec::new());
        }
        let tie = |told: &Fact| {
            let Fact::Linear(relation) = told else { return false };
            let terms: Vec<TermId> = relation.terms.iter().map(|(term, _)| *term).collect();
            terms.len() == 2 && terms.contains(&u) && terms.contains(&x)
        };
        self.told.iter().position(tie).map(|place| vec![place])
    }

    fn is_element(&self, x: TermId, a: TermId) -> Option<Vec<usize>> {
        let same = |s: TermId, t: TermId| self.leader[s] == self.leader[t];
        let element = (0..self.terms.len()).find(|other| {
            same(*other, x)
                && matches!(self.terms[*other].source, Source::Element(array, _) if same(array, a))
        });
        element.map(|element| if element == x { Vec::new() } else { self.links(x) })
    }

    fn of_arrays(&self, fact: &Fact) -> Option<Vec<usize>> {
        let a = *fact.terms().first()?;
        let whole = self.find(a, &|told| matches!(told, Fact::OneOfArrays(..)));
        let few = |fits: &dyn Fn(&[i64]) -> bool| {
            self.find(a, &|told| matches!(told, Fact::ElementsOneOf(_, values) if fits(values)))
        };
        match fact {
            Fact::ElementsOneOf(..) => whole,
            Fact::ElementsAtLeast(_, c) => {
                whole.or_else(|| few(&|values| values.iter().all(|value| value >= c)))
            }
            Fact::ElementsAtMost(_, c) => {
                whole.or_else(|| few(&|values| values.iter().all(|value| value <= c)))
            }
            Fact::ElementsNonZero(_) => {
                whole.or_else(|| few(&|values| !values.contains(&0))).or_else(|| {
                    self.find(a, &|told| matches!(told, Fact::ElementsAtLeast(_, c) if *c > 0))
                })
            }
            Fact::Sorted(_, order) => {
                whole.or_else(|| few(&|values| values.len() == 1 && Order::Eq.implies(*order)))
            }
            _ => None,
        }
    }
}

/// The differences that a fact states.
pub(crate) fn edges(terms: &[Term], fact: &Fact) -> Vec<Edge> {
    let is_int = |term: &TermId| terms[*term].kind.of == Scalar::Int && !terms[*term].kind.is_array;
    if !fact.terms().iter().all(is_int) {
        return Vec::new();
    }
    let edge = |x: Option<TermId>, y: Option<TermId>, c: i128| Edge { x, y, c, from: 0 };
    let both =
        |x: TermId, y: Option<TermId>, c: i128| vec![edge(Some(x), y, c), edge(y, Some(x), -c)];
    match fact {
        Fact::Same(x, y) => both(*x, Some(*y), 0),
        Fact::OneOf(x, values) => {
            let (low, high) = (values[0], values[values.len() - 1]);
            vec![edge(Some(*x), None, i128::from(high)), edge(None, Some(*x), -i128::from(low))]
        }
        Fact::Linear(relation) => match relation.terms[..] {
            [(x, -1), (y, 1)] => both(y, Some(x), -i128::from(relation.constant)),
            _ => Vec::new(),
        },
        Fact::Order(x, strictly, y) => vec![edge(Some(*x), Some(*y), strictly.slack())],
        Fact::Gap(x, y, c) => vec![edge(Some(*x), Some(*y), i128::from(*c))],
        Fact::AtLeast(x, c) => vec![edge(None, Some(*x), -i128::from(*c))],
        Fact::AtMost(x, c) => vec![edge(Some(*x), None, i128::from(*c))],
        _ => Vec::new(),
    }
}

/// What is so whatever the program does.
fn is_certain(terms: &[Term], fact: &Fact) -> bool {
    match fact {
        Fact::AtLeast(x, c) => matches!(terms[*x].source, Source::Length(_)) && *c <= 0,
        Fact::Member(x, a) => matches!(terms[*x].source, Source::Element(array, _) if array == *a),
        _ => false,
    }
}

/// `x == k * y`
fn is_multiple(relation: &Relation, x: TermId, y: TermId) -> bool {
    let by = |term: TermId| relation.terms.iter().find(|(t, _)| *t == term).map(|(_, by)| *by);
    relation.constant == 0
        && relation.terms.len() == 2
        && by(y).is_some()
        && by(x).is_some_and(|by| by.abs() == 1)
}

/// Whether `x == y` would leave no whole numbers for the rest.
fn can_never_meet(relation: &Relation, x: TermId, y: TermId) -> bool {
    let by = |term: TermId| relation.terms.iter().find(|(t, _)| *t == term).map(|(_, by)| *by);
    let (Some(a), Some(b)) = (by(x), by(y)) else { return false };
    let rest = relation.terms.iter().filter(|(term, _)| *term != x && *term != y);
    let common = rest.fold(a.saturating_add(b), |common, (_, by)| gcd(common, *by));
    if common == 0 { relation.constant != 0 } else { relation.constant % common != 0 }
}
