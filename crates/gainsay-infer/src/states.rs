//! What is true of a type in every state that was seen: such a fact belongs to the type and says
//! nothing about one operation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use gainsay_wire::{
    Expr, Manifest, ManifestParam, Observation, OpId, Root, Scope, Term, Truth, TypeId, Value,
    Vocabulary, When, truth,
};

use crate::{Options, Samples};

/// So few states say nothing about a type.
const MIN_STATES: usize = 10;

/// The states of each type, where they stand in the samples.
#[derive(Default)]
pub(crate) struct States<'a> {
    types: BTreeMap<TypeId, Vec<Place<'a>>>,
    known: Mutex<BTreeMap<(TypeId, Expr), Always>>,
    functions: Mutex<BTreeMap<(TypeId, String, String), Always>>,
    entailed: Mutex<BTreeMap<(TypeId, Expr, Expr), Always>>,
    invariants: Invariants,
}

/// What was worked out for one operation serves all others, on whatever core.
fn locked<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One object of one operation, before or after, alone or with one other operand: the places of
/// its views, all written as those of one object.
struct Place<'a> {
    observations: &'a [Observation],
    with: Option<u32>,
    views: Vec<(Term, usize)>,
}

/// Whether the states are enough to speak of all objects of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Invariants {
    Known,
    #[default]
    Unknown,
}

/// Whether a fact holds in all states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Always {
    Holds,
    Fails,
}

impl<'a> States<'a> {
    /// The states of all samples.
    pub(crate) fn new(manifest: &Manifest, samples: &'a Samples, options: &Options) -> States<'a> {
        let samples = samples.iter().map(|(op, seen)| (*op, &seen[..]));
        let known = !options.is_given();
        States::of(manifest, samples, if known { Invariants::Known } else { Invariants::Unknown })
    }

    /// The states of a part of the samples.
    pub(crate) fn of(
        manifest: &Manifest,
        samples: impl Iterator<Item = (OpId, &'a [Observation])>,
        invariants: Invariants,
    ) -> States<'a> {
        let mut types: BTreeMap<TypeId, Vec<Place<'a>>> = BTreeMap::new();
        for (op, observations) in samples {
            for (ty, with, views) in objects(manifest, op) {
                types.entry(ty).or_default().push(Place { observations, with, views });
            }
        }
        States { types, invariants, ..States::default() }
    }

    /// Whether a predicate over the views of one object holds in every state of its type.
    pub(crate) fn is_invariant(&self, ty: TypeId, expr: &Expr) -> bool {
        self.invariants == Invariants::Known && self.holds(ty, expr) && self.are_many(ty)
    }

    /// Whether in every state where the one predicate over an object's views holds the other does
    /// too, and it could have failed.
    pub(crate) fn entails(&self, ty: TypeId, strong: &Expr, weak: &Expr) -> bool {
        if self.invariants == Invariants::Unknown {
            return false;
        }
        let key = (ty, plain(strong), plain(weak));
        if let Some(always) = locked(&self.entailed).get(&key) {
            return *always == Always::Holds;
        }
        let always = self.look_for_exception(ty, &key.1, &key.2);
        locked(&self.entailed).insert(key, always);
        always == Always::Holds
    }

    fn look_for_exception(&self, ty: TypeId, strong: &Expr, weak: &Expr) -> Always {
        let (mut together, mut neither) = (0, 0);
        let places = self.places(ty).filter(|place| place.knows(strong) && place.knows(weak));
        for state in places.flat_map(Place::states) {
            match (truth(strong, &state), truth(weak, &state)) {
                (Truth::True, Truth::False) => return Always::Fails,
                (Truth::True, Truth::True) => together += 1,
                (Truth::False, Truth::False) => neither += 1,
                _ => {}
            }
        }
        let told = together >= MIN_STATES && neither > 0;
        if told { Always::Holds } else { Always::Fails }
    }

    /// Whether equal sequences always come with equal values of another view, in all states of the
    /// type, and that could have failed.
    pub(crate) fn is_function_of(&self, ty: TypeId, sequence: &str, other: &str) -> bool {
        let key = (ty, sequence.to_owned(), other.to_owned());
        if let Some(always) = locked(&self.functions).get(&key) {
            return *always == Always::Holds;
        }
        let (from, to) = (view(sequence), view(other));
        let mut seen: BTreeMap<&Value, &Value> = BTreeMap::new();
        let (mut exceptions, mut repeats) = (false, 0);
        for state in self.states(ty) {
            let (Some(from), Some(to)) = (state.get(&from), state.get(&to)) else { continue };
            if let Some(earlier) = seen.insert(from, to) {
                exceptions |= earlier != to;
                repeats += 1;
            }
        }
        let always = if !exceptions && repeats > 0 { Always::Holds } else { Always::Fails };
        locked(&self.functions).insert(key, always);
        always == Always::Holds
    }

    /// Whether a truth value is just another way to write `number == 0`.
    pub(crate) fn is_double(&self, ty: TypeId, truth: &str, number: &str) -> bool {
        let zero = Expr::term(view(number)).equals(Expr::int(0));
        let agree = Expr::term(view(truth)).iff(zero.clone());
        let by_law = truth == "is_empty" && number == "len";
        let told = || !self.holds(ty, &zero) && !self.holds(ty, &zero.negated());
        (by_law || told()) && self.holds(ty, &agree)
    }

    fn are_many(&self, ty: TypeId) -> bool {
        let mut seen: BTreeSet<Vec<&Value>> = BTreeSet::new();
        self.states(ty).any(|state| {
            seen.insert(state.place.views.iter().map(|(_, at)| state.at(*at)).collect());
            seen.len() >= MIN_STATES
        })
    }

    fn holds(&self, ty: TypeId, expr: &Expr) -> bool {
        let key = (ty, plain(expr));
        if let Some(always) = locked(&self.known).get(&key) {
            return *always == Always::Holds;
        }
        let fails = self.states(ty).any(|state| truth(&key.1, &state) == Truth::False);
        let always = if fails { Always::Fails } else { Always::Holds };
        locked(&self.known).insert(key, always);
        always == Always::Holds
    }

    fn states(&self, ty: TypeId) -> impl Iterator<Item = State<'_>> {
        self.places(ty).filter(|place| place.with.is_none()).flat_map(Place::states)
    }

    fn places(&self, ty: TypeId) -> impl Iterator<Item = &Place<'a>> {
        self.types.get(&ty).map_or(&[][..], |places| places).iter()
    }
}

impl Place<'_> {
    fn states(&self) -> impl Iterator<Item = State<'_>> {
        let passing = self.observations.iter().filter(|seen| seen.outcome.returned());
        passing.map(move |seen| State { place: self, values: &seen.values })
    }

    /// Whether all terms have a place.
    fn knows(&self, expr: &Expr) -> bool {
        let mut all = true;
        expr.each_term(&mut |term| all &= self.views.iter().any(|(view, _)| view == term));
        all
    }
}

/// One object at one time.
struct State<'s> {
    place: &'s Place<'s>,
    values: &'s [Value],
}

impl<'s> State<'s> {
    fn at(&self, place: usize) -> &'s Value {
        self.values.get(place).unwrap_or(&Value::Undefined)
    }

    /// The value of a view, if it has one.
    fn get(&self, term: &Term) -> Option<&'s Value> {
        let (_, at) = self.place.views.iter().find(|(view, _)| view == term)?;
        Some(self.at(*at)).filter(|value| !value.is_undefined())
    }
}

impl Scope for State<'_> {
    fn value(&self, term: &Term) -> &Value {
        self.get(term).unwrap_or(&Value::Undefined)
    }
}

fn view(query: &str) -> Term {
    Term::query(When::Before, 0, query)
}

/// The predicate as one over the views of a single object, if need be with another.
fn plain(expr: &Expr) -> Expr {
    expr.map_terms(&|term| Term {
        with: term.with.map(|_| 1),
        ..view(term.query.as_deref().unwrap_or_default())
    })
}

type Object = (TypeId, Option<u32>, Vec<(Term, usize)>);

/// The objects of an operation before and after, with where their views stand.
pub(crate) fn objects(manifest: &Manifest, id: OpId) -> Vec<Object> {
    let Some(op) = manifest.ops.get(id.0 as usize) else { return Vec::new() };
    let vocabulary: Vocabulary = manifest.vocabulary(id);
    let mut roots = Vec::new();
    for (index, param) in (0..).zip(&op.params) {
        if let ManifestParam::Object(ty, _) = param {
            roots.extend([When::Before, When::After].map(|when| (when, Root::Operand(index), *ty)));
        }
    }
    roots.extend((0..).zip(&op.makes).map(|(index, ty)| (When::After, Root::Made(index), *ty)));
    let operands: Vec<u32> = (0..).zip(&op.params).map(|(index, _)| index).collect();
    let mut found = Vec::new();
    for (when, root, ty) in roots {
        let place = |query: &str, with: Option<u32>| {
            let term = Term { when, root, query: Some(query.to_owned()), with };
            let plain = Term { with: with.map(|_| 1), ..view(query) };
            vocabulary.position(&term).map(|at| (plain, at))
        };
        let alone = manifest.state_queries(ty).filter_map(|query| place(&query.name, None));
        let alone: Vec<(Term, usize)> = alone.collect();
        for with in &operands {
            let related =
                manifest.active_queries(ty).filter_map(|query| place(&query.name, Some(*with)));
            let mut views: Vec<(Term, usize)> = related.collect();
            if !views.is_empty() {
                views.extend(alone.iter().cloned());
                found.push((ty, Some(*with), views));
            }
        }
        if !alone.is_empty() {
            found.push((ty, None, alone));
        }
    }
    found
}
