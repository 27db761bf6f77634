//! Observations as columns: one per term, each distinct row once.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hash, Hasher},
};

use gainsay_wire::{Expr, Observation, Root, Scope, Term, Truth, Value, evaluate, truth};

use crate::{bits::Bits, column::Column};

/// The columns of one operation.
pub(crate) struct Table<'a> {
    /// How many distinct rows.
    pub(crate) rows: usize,
    /// One for each term that was asked for.
    pub(crate) columns: Vec<Column<'a>>,
    /// The place of each row's first observation among those given.
    pub(crate) origins: Vec<usize>,
    /// All values of each row's first observation.
    pub(crate) values: Vec<&'a [Value]>,
    places: Vec<usize>,
}

impl<'a> Table<'a> {
    /// The columns of these terms, given with their positions, over the chosen observations. Rows
    /// are told apart by these terms and by `group`.
    pub(crate) fn new<G: Hash + Eq>(
        terms: &[(usize, Term)],
        observations: impl Iterator<Item = (usize, &'a Observation)>,
        group: impl Fn(&Observation) -> G,
    ) -> Table<'a> {
        let places: Vec<usize> = terms.iter().map(|(place, _)| *place).collect();
        let mut seen: HashSet<(Row<'a, '_>, G), BuildHasherDefault<Mix>> = HashSet::default();
        let mut origins = Vec::new();
        let mut kept = Vec::new();
        for (origin, observation) in observations {
            let row = Row { values: &observation.values, places: &places };
            if seen.insert((row, group(observation))) {
                origins.push(origin);
                kept.push(&observation.values[..]);
            }
        }
        let columns = Column::all(terms, &kept);
        Table { rows: kept.len(), columns, origins, values: kept, places }
    }

    /// Where a predicate holds, and where it can be told.
    pub(crate) fn judge(&self, expr: &Expr) -> (Bits, Bits) {
        let placed = self.placed(expr);
        let (mut yes, mut known) = (Bits::none(self.rows), Bits::none(self.rows));
        for (row, values) in self.values.iter().enumerate() {
            match truth(&placed, &Placed(values)) {
                Truth::True => {
                    yes.insert(row);
                    known.insert(row);
                }
                Truth::False => known.insert(row),
                Truth::Undefined => {}
            }
        }
        (yes, known)
    }

    /// Whether a predicate is true on one of the first rows where it can be told.
    pub(crate) fn begins_well(&self, expr: &Expr, rows: usize) -> bool {
        let placed = self.placed(expr);
        let truths = self.values.iter().map(|values| truth(&placed, &Placed(values)));
        let mut told = truths.filter(|truth| *truth != Truth::Undefined).take(rows);
        told.any(|truth| truth == Truth::True)
    }

    /// The value of an expression on a row.
    pub(crate) fn value(&self, expr: &Expr, row: usize) -> Value {
        evaluate(&self.placed(expr), &Placed(self.values[row]))
    }

    /// The expression with each term as the place of its value.
    fn placed(&self, expr: &Expr) -> Expr {
        expr.map_terms(&|term| {
            let place = self.position(term).map(|at| self.places[at]);
            Term::operand(place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX))
        })
    }

    /// The column of a term.
    pub(crate) fn position(&self, term: &Term) -> Option<usize> {
        self.columns.iter().position(|column| column.term == *term)
    }
}

/// A row whose terms are places.
struct Placed<'a>(&'a [Value]);

impl Scope for Placed<'_> {
    fn value(&self, term: &Term) -> &Value {
        match term.root {
            Root::Operand(place) => self.0.get(place as usize).unwrap_or(&Value::Undefined),
            Root::Result | Root::Made(_) => &Value::Undefined,
        }
    }
}

/// The values of some terms of an observation, told apart by value.
#[derive(Clone, Copy)]
struct Row<'a, 'p> {
    values: &'a [Value],
    places: &'p [usize],
}

impl<'a> Row<'a, '_> {
    fn each(&self) -> impl Iterator<Item = Option<&'a Value>> + '_ {
        self.places.iter().map(|place| self.values.get(*place))
    }
}

impl PartialEq for Row<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.each().eq(other.each())
    }
}

impl Eq for Row<'_, '_> {}

impl Hash for Row<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.each().flatten().for_each(|value| hash_value(value, state));
    }
}

/// Hashes a value without writing it out first.
pub(crate) fn hash_value<H: Hasher>(value: &Value, state: &mut H) {
    state.write_u8(value.kind());
    match value {
        Value::Bool(value) | Value::Res(value, _) => state.write_u8(u8::from(*value)),
        Value::Int(value) => state.write_i128(*value),
        Value::Elem(key) => state.write_i64(*key),
        Value::Token(digest) => state.write_u64(*digest),
        Value::Float(value) => state.write_u64(value.to_bits()),
        Value::Char(value) => state.write_u32(u32::from(*value)),
        Value::Str(text) => state.write(text.as_bytes()),
        Value::Order(order) => state.write_i8(*order as i8),
        Value::Opt(value) => state.write_u8(u8::from(value.is_some())),
        Value::Tuple(items) | Value::Seq(items) => state.write_usize(items.len()),
        Value::Undefined | Value::Unit | Value::Object => {}
    }
    match value {
        Value::Opt(Some(inside)) | Value::Res(_, inside) => hash_value(inside, state),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                hash_value(item, state);
            }
        }
        _ => {}
    }
}

/// A quick hasher; what meets in it is compared exactly.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
