//! What is true of a type in every state that was seen: such a fact belongs to the type and says
//! nothing about one operation.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
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
    known: RefCell<BTreeMap<(TypeId, Expr), Always>>,
    invariants: Invariants,
}

/// One object of one operation, before or after: the places of its views by name.
struct Place<'a> {
    observations: &'a [Observation],
    views: Vec<(String, usize)>,
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
            for (ty, views) in objects(manifest, op) {
                types.entry(ty).or_default().push(Place { observations, views });
            }
        }
        States { types, known: RefCell::default(), invariants }
    }

    /// Whether a predicate over the views of one object holds in every state of its type.
    pub(crate) fn is_invariant(&self, ty: TypeId, expr: &Expr) -> bool {
        self.invariants == Invariants::Known && self.holds(ty, expr) && self.are_many(ty)
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
        let plain = |term: &Term| view(term.query.as_deref().unwrap_or_default());
        let key = (ty, expr.map_terms(&plain));
        if let Some(always) = self.known.borrow().get(&key) {
            return *always == Always::Holds;
        }
        let fails = self.states(ty).any(|state| truth(&key.1, &state) == Truth::False);
        let always = if fails { Always::Fails } else { Always::Holds };
        self.known.borrow_mut().insert(key, always);
        always == Always::Holds
    }

    fn states(&self, ty: TypeId) -> impl Iterator<Item = State<'_>> {
        let places = self.types.get(&ty).map_or(&[][..], |places| places);
        places.iter().flat_map(|place| {
            let passing = place.observations.iter().filter(|seen| seen.outcome.returned());
            passing.map(move |seen| State { place, values: &seen.values })
        })
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
}

impl Scope for State<'_> {
    fn value(&self, term: &Term) -> &Value {
        let found = self.place.views.iter().find(|(name, _)| Some(name) == term.query.as_ref());
        found.map_or(&Value::Undefined, |(_, at)| self.at(*at))
    }
}

fn view(query: &str) -> Term {
    Term::query(When::Before, 0, query)
}

/// The objects of an operation before and after, with where their views stand.
fn objects(manifest: &Manifest, id: OpId) -> Vec<(TypeId, Vec<(String, usize)>)> {
    let Some(op) = manifest.ops.get(id.0 as usize) else { return Vec::new() };
    let vocabulary: Vocabulary = manifest.vocabulary(id);
    let mut roots = Vec::new();
    for (index, param) in (0..).zip(&op.params) {
        if let ManifestParam::Object(ty, _) = param {
            roots.extend([When::Before, When::After].map(|when| (when, Root::Operand(index), *ty)));
        }
    }
    roots.extend((0..).zip(&op.makes).map(|(index, ty)| (When::After, Root::Made(index), *ty)));
    let mut found = Vec::new();
    for (when, root, ty) in roots {
        let place = |name: &String| {
            let term = Term { when, root, query: Some(name.clone()), with: None };
            vocabulary.position(&term).map(|at| (name.clone(), at))
        };
        let views: Vec<_> = manifest.unary(ty).filter_map(|query| place(&query.name)).collect();
        if !views.is_empty() {
            found.push((ty, views));
        }
    }
    found
}
