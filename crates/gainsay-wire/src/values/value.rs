//! Values as seen from outside: results of queries, arguments, elements.

use std::{
    cmp::Ordering,
    fmt::{self, Display as _},
};

/// A value that can be compared, stored and printed in any process.
///
/// Equality and order are total: a NaN equals itself and `0.0` differs from `-0.0`, because an
/// observation is a record, not arithmetic.
#[derive(Clone, Debug)]
pub enum Value {
    /// The term could not be evaluated: its query panicked, or its object is gone.
    Undefined,
    /// `()`
    Unit,
    /// A truth value.
    Bool(bool),
    /// Any integer that fits.
    Int(i128),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// Text.
    Str(String),
    /// A probe element by its key.
    Elem(i64),
    /// The result of a comparison.
    Order(Ordering),
    /// `None` or `Some`.
    Opt(Option<Box<Value>>),
    /// `Ok` (true) or `Err` (false) with what is inside.
    Res(bool, Box<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A sequence of elements.
    Seq(Vec<Value>),
    /// Something that can only be told apart: a digest of its hash or debug text.
    Token(u64),
    /// An object that went into the pool; its own views tell more.
    Object,
}

wire_enum!(Value {
    0 = Undefined,
    1 = Unit,
    2 = Bool(value),
    3 = Int(value),
    4 = Float(value),
    5 = Char(value),
    6 = Str(value),
    7 = Elem(value),
    8 = Order(value),
    9 = Opt(value),
    10 = Res(is_ok, value),
    11 = Tuple(items),
    12 = Seq(items),
    13 = Token(digest),
    14 = Object,
});

impl crate::Wire for f64 {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.to_bits().write_to(out);
    }
    fn read_from(from: &mut crate::Reader<'_>) -> Result<Self, crate::Corrupt> {
        u64::read_from(from).map(f64::from_bits)
    }
}

impl crate::Wire for Ordering {
    fn write_to(&self, out: &mut Vec<u8>) {
        (*self as i8).write_to(out);
    }
    fn read_from(from: &mut crate::Reader<'_>) -> Result<Self, crate::Corrupt> {
        // Any other byte means something, too: reading must not fail on what cannot be wrong.
        Ok(i8::read_from(from)?.cmp(&0))
    }
}

impl Value {
    /// `Some(value)`
    pub fn some(value: Value) -> Value {
        Value::Opt(Some(Box::new(value)))
    }

    /// `None`
    pub fn none() -> Value {
        Value::Opt(None)
    }

    /// `Ok(value)`
    pub fn ok(value: Value) -> Value {
        Value::Res(true, Box::new(value))
    }

    /// `Err(value)`
    pub fn err(value: Value) -> Value {
        Value::Res(false, Box::new(value))
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// True if the term had no value.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    /// The kind of value as a number; values of one kind can be compared with sense.
    pub fn kind(&self) -> u8 {
        match self {
            Value::Undefined => 0,
            Value::Unit => 1,
            Value::Bool(_) => 2,
            Value::Int(_) => 3,
            Value::Float(_) => 4,
            Value::Char(_) => 5,
            Value::Str(_) => 6,
            Value::Elem(_) => 7,
            Value::Order(_) => 8,
            Value::Opt(_) => 9,
            Value::Res(..) => 10,
            Value::Tuple(_) => 11,
            Value::Seq(_) => 12,
            Value::Token(_) => 13,
            Value::Object => 14,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            // A total order, since values are keys of maps and of the store.
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            (Value::Char(a), Value::Char(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Elem(a), Value::Elem(b)) => a.cmp(b),
            (Value::Order(a), Value::Order(b)) => a.cmp(b),
            (Value::Opt(a), Value::Opt(b)) => a.cmp(b),
            (Value::Res(a, x), Value::Res(b, y)) => (a, x).cmp(&(b, y)),
            (Value::Tuple(a), Value::Tuple(b)) | (Value::Seq(a), Value::Seq(b)) => a.cmp(b),
            (Value::Token(a), Value::Token(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u8(self.kind());
        match self {
            Value::Undefined | Value::Unit | Value::Object => {}
            Value::Opt(None) => state.write_u8(0),
            Value::Bool(value) => state.write_u8(u8::from(*value)),
            // Most numbers are small, and a state is hashed on every call: one word is a third of the work.
            Value::Int(value) => match i64::try_from(*value) {
                Ok(value) => state.write_u64(value.cast_unsigned()),
                Err(_) => state.write_u128(value.cast_unsigned()),
            },
            Value::Float(value) => state.write_u64(value.to_bits()),
            Value::Char(value) => state.write_u32(u32::from(*value)),
            Value::Str(value) => state.write(value.as_bytes()),
            Value::Elem(key) => state.write_u64(key.cast_unsigned()),
            Value::Order(value) => state.write_u8((*value as i8).cast_unsigned()),
            Value::Opt(Some(value)) => {
                state.write_u8(1);
                value.hash(state);
            }
            Value::Res(is_ok, value) => {
                state.write_u8(u8::from(*is_ok));
                value.hash(state);
            }
            Value::Tuple(items) | Value::Seq(items) => {
                state.write_usize(items.len());
                for item in items {
                    item.hash(state);
                }
            }
            Value::Token(digest) => state.write_u64(*digest),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Undefined => f.write_str("undefined"),
            Value::Unit => f.write_str("()"),
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            // `{:?}` writes the shortest text that is read back as the same number.
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Char(value) => write!(f, "{value:?}"),
            Value::Str(value) => write!(f, "{value:?}"),
            Value::Elem(key) => write!(f, "Probe({key})"),
            Value::Order(value) => value.fmt_name(f),
            Value::Opt(None) => f.write_str("None"),
            Value::Opt(Some(value)) => write!(f, "Some({value})"),
            Value::Res(true, value) => write!(f, "Ok({value})"),
            Value::Res(false, value) => write!(f, "Err({value})"),
            Value::Tuple(items) => {
                write_items(f, items, ["(", if items.len() == 1 { ",)" } else { ")" }])
            }
            Value::Seq(items) => write_items(f, items, ["[", "]"]),
            Value::Token(digest) => write!(f, "#{digest:016x}"),
            Value::Object => f.write_str("object"),
        }
    }
}

// std's `Ordering` has no `Display`, and `{:?}` is not promised to stay.
trait OrderName {
    fn fmt_name(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl OrderName for Ordering {
    fn fmt_name(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ordering::Less => "Less",
            Ordering::Equal => "Equal",
            Ordering::Greater => "Greater",
        })
    }
}

fn write_items(
    f: &mut fmt::Formatter<'_>,
    items: &[Value],
    [open, close]: [&str; 2],
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str(close)
}
