//! One term's values over all rows, in the form that its kind allows to compare fast.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasherDefault, Hash, Hasher},
};

use gainsay_wire::{Term, Value};

use crate::{
    bits::Bits,
    chance::ln_same,
    table::{Mix, hash_value},
};

/// A column.
pub(crate) struct Column<'a> {
    pub(crate) term: Term,
    /// The rows where the term has a value.
    pub(crate) known: Bits,
    pub(crate) data: Data<'a>,
    /// How many different values, up to [`MANY`].
    pub(crate) distinct: usize,
}

/// Different values are counted up to here.
pub(crate) const MANY: usize = 64;

/// The values of a column; where a row has none, any filler.
pub(crate) enum Data<'a> {
    /// Truth values.
    Bool(Bits),
    /// Integers.
    Int(Vec<i128>),
    /// Anything else that can be told apart: a number per value, the same in all columns of a
    /// table, with the kind that all rows share.
    Code { kind: u8, codes: Vec<u32>, values: Vec<&'a Value> },
    /// Nothing that could be compared: never defined, of several kinds, or without content.
    Nothing,
}

static UNDEFINED: Value = Value::Undefined;

impl<'a> Column<'a> {
    /// The columns of these terms, each with its place in a row. Rows are read one after the
    /// other, each once, as they lie apart in memory.
    pub(crate) fn all(terms: &[(usize, Term)], rows: &[&'a [Value]]) -> Vec<Column<'a>> {
        let mut codes = Codes::default();
        let empty = |(_, term): &(usize, Term)| Column {
            term: term.clone(),
            known: Bits::none(rows.len()),
            data: Data::Nothing,
            distinct: 0,
        };
        let mut columns: Vec<Column<'a>> = terms.iter().map(empty).collect();
        let kinds: Vec<Option<u8>> = terms.iter().map(|(place, _)| kind_of(rows, *place)).collect();
        for (row, values) in rows.iter().enumerate() {
            for (((place, _), column), kind) in terms.iter().zip(&mut columns).zip(&kinds) {
                let value = values.get(*place).unwrap_or(&UNDEFINED);
                let stands_for_more =
                    matches!(value, Value::Token(_)) && *kind != Some(value.kind());
                if value.is_undefined() || stands_for_more {
                    continue;
                }
                if column.known.is_none() {
                    column.data = Data::of_kind(value, rows.len());
                }
                if *kind != Some(value.kind()) {
                    column.data = Data::Nothing;
                }
                column.known.insert(row);
                column.data.set(row, value, &mut codes);
            }
        }
        for column in &mut columns {
            column.distinct = column.value_counts(MANY).len();
        }
        columns
    }

    /// Whether the column says the same on every row, or nothing.
    pub(crate) fn is_constant(&self) -> bool {
        self.distinct <= 1
    }

    pub(crate) fn ints(&self) -> Option<&[i128]> {
        match &self.data {
            Data::Int(values) => Some(values),
            _ => None,
        }
    }

    pub(crate) fn bools(&self) -> Option<&Bits> {
        match &self.data {
            Data::Bool(bits) => Some(bits),
            _ => None,
        }
    }

    /// Values and kind of a column that is neither boolean nor integer.
    pub(crate) fn values(&self) -> Option<(u8, &[&'a Value])> {
        match &self.data {
            Data::Code { kind, values, .. } => Some((*kind, values)),
            _ => None,
        }
    }

    /// The value on a row.
    pub(crate) fn value(&self, row: usize) -> Value {
        match &self.data {
            _ if !self.known.get(row) => Value::Undefined,
            Data::Bool(bits) => Value::Bool(bits.get(row)),
            Data::Int(values) => Value::Int(values[row]),
            Data::Code { values, .. } => values[row].clone(),
            Data::Nothing => Value::Undefined,
        }
    }

    /// How often each value occurs; stops after `most` different ones.
    pub(crate) fn value_counts(&self, most: usize) -> BTreeMap<i128, usize> {
        let mut counts = BTreeMap::new();
        let rows: Box<dyn Iterator<Item = i128> + '_> = match &self.data {
            Data::Bool(bits) => Box::new(self.known.rows().map(|row| i128::from(bits.get(row)))),
            Data::Int(values) => Box::new(self.known.rows().map(|row| values[row])),
            Data::Code { codes, .. } => {
                Box::new(self.known.rows().map(|row| i128::from(codes[row])))
            }
            Data::Nothing => return counts,
        };
        for value in rows {
            *counts.entry(value).or_insert(0) += 1;
            if counts.len() > most {
                break;
            }
        }
        counts
    }

    /// Where two columns of one kind agree, over the rows where both are known; `None` when they
    /// cannot be compared.
    pub(crate) fn equal(&self, other: &Column<'_>) -> Option<Bits> {
        let both = self.known.and(&other.known);
        let equal = match (&self.data, &other.data) {
            (Data::Bool(a), Data::Bool(b)) => a.minus(b).or(&b.minus(a)).not(),
            (Data::Int(a), Data::Int(b)) => Bits::from_fn(a.len(), |row| a[row] == b[row]),
            (Data::Code { kind: x, codes: a, .. }, Data::Code { kind: y, codes: b, .. })
                if x == y =>
            {
                Bits::from_fn(a.len(), |row| a[row] == b[row])
            }
            _ => return None,
        };
        Some(equal.and(&both))
    }

    /// Whether two columns agree wherever both are known, and that is somewhere.
    pub(crate) fn always_equals(&self, other: &Column<'_>) -> bool {
        let both = self.known.and(&other.known);
        let mut rows = both.rows().peekable();
        rows.peek().is_some()
            && match (&self.data, &other.data) {
                (Data::Bool(a), Data::Bool(b)) => rows.all(|row| a.get(row) == b.get(row)),
                (Data::Int(a), Data::Int(b)) => rows.all(|row| a[row] == b[row]),
                (Data::Code { kind: x, codes: a, .. }, Data::Code { kind: y, codes: b, .. }) => {
                    x == y && rows.all(|row| a[row] == b[row])
                }
                _ => false,
            }
    }

    /// Whether values of the two columns can be compared with sense.
    pub(crate) fn is_comparable(&self, other: &Column<'_>) -> bool {
        match (&self.data, &other.data) {
            (Data::Bool(_), Data::Bool(_)) | (Data::Int(_), Data::Int(_)) => true,
            (Data::Code { kind: a, .. }, Data::Code { kind: b, .. }) => a == b,
            _ => false,
        }
    }

    /// How many rows the table has.
    pub(crate) fn known_len(&self) -> usize {
        self.known.len()
    }

    /// The chance, as a logarithm, that an unrelated column agrees with this one on all rows.
    pub(crate) fn ln_chance_of_copy(&self) -> f64 {
        ln_same(self.value_counts(usize::MAX).into_values())
    }

    /// The first known value.
    pub(crate) fn sample(&self) -> Option<Value> {
        self.known.rows().next().map(|row| self.value(row))
    }
}

/// The kind of a column's values. What is too long to be sent is a token among sequences or
/// texts: nothing is known of it there.
fn kind_of(rows: &[&[Value]], place: usize) -> Option<u8> {
    let defined = || rows.iter().filter_map(|row| row.get(place)).filter(|v| !v.is_undefined());
    let mut whole = defined().filter(|value| !matches!(value, Value::Token(_)));
    whole.next().or_else(|| defined().next()).map(Value::kind)
}

impl<'a> Data<'a> {
    /// Room for values like this one.
    fn of_kind(value: &Value, rows: usize) -> Data<'a> {
        match value {
            Value::Bool(_) => Data::Bool(Bits::none(rows)),
            Value::Int(_) => Data::Int(vec![0; rows]),
            Value::Undefined | Value::Unit | Value::Object => Data::Nothing,
            other => Data::Code {
                kind: other.kind(),
                codes: vec![0; rows],
                values: vec![&UNDEFINED; rows],
            },
        }
    }

    fn set(&mut self, row: usize, value: &'a Value, numbers: &mut Codes<'a>) {
        match (self, value) {
            (Data::Bool(bits), Value::Bool(true)) => bits.insert(row),
            (Data::Int(ints), Value::Int(int)) => ints[row] = *int,
            (Data::Code { codes, values, .. }, value) => {
                codes[row] = numbers.code(value);
                values[row] = value;
            }
            _ => {}
        }
    }
}

/// Numbers for values, in order of first sight.
#[derive(Default)]
pub(crate) struct Codes<'a>(HashMap<Key<'a>, u32, BuildHasherDefault<Mix>>);

impl<'a> Codes<'a> {
    fn code(&mut self, value: &'a Value) -> u32 {
        let next = u32::try_from(self.0.len()).expect("fewer values than fit in memory");
        *self.0.entry(Key(value)).or_insert(next)
    }
}

#[derive(PartialEq, Eq)]
struct Key<'a>(&'a Value);

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(self.0, state);
    }
}
