//! Literals of examples as values for a parameter of some type.

use std::{hash::Hasher, ops::RangeInclusive};

use gainsay_model::{
    example::Term,
    ty::{GenericArg, Ty, last_segment},
};
use gainsay_wire::{Digest, Value};

use super::std_names::is_none;

/// Longer ranges are cut when they stand for their items.
// `0..1_000_000` in an example means a loop of which a few items show the same.
const LONGEST: i128 = 64;
/// Texts stand for so many different elements.
const ELEMENTS: u64 = 1_000;

/// The value of a parameter, if a term can be one.
pub(super) fn value_of_term(term: &Term, ty: &Ty) -> Option<Value> {
    match ty {
        Ty::Ref { to, .. } => value_of_term(term, to),
        Ty::Unit => matches!(term, Term::Tuple(items) if items.is_empty()).then_some(Value::Unit),
        Ty::Prim(name) => primitive_value(term, name),
        Ty::Str => text_value(term),
        Ty::Probe => element_key(term),
        Ty::Slice(item) | Ty::Iter { item } => sequence_value(term, item),
        Ty::Array(item, len) => match sequence_value(term, item)? {
            Value::Seq(items) if items.len() as u64 == *len => Some(Value::Seq(items)),
            _ => None,
        },
        Ty::Tuple(tys) => match term {
            Term::Tuple(items) if items.len() == tys.len() => {
                let items = items.iter().zip(tys).map(|(item, ty)| value_of_term(item, ty));
                items.collect::<Option<Vec<_>>>().map(Value::Tuple)
            }
            _ => None,
        },
        Ty::Closure { .. } => {
            matches!(term, Term::Closure).then(|| Value::Tuple(vec![Value::Int(1), Value::Int(1)]))
        }
        Ty::Path { path, args } => {
            value_of_path(term, path.strip_prefix("std::")?, &type_arguments(args))
        }
        Ty::Never | Ty::Opaque => None,
    }
}

fn type_arguments(args: &[GenericArg]) -> Vec<&Ty> {
    let types = args.iter().map(|arg| match arg {
        GenericArg::Type(ty) => Some(ty),
        _ => None,
    });
    types.flatten().collect()
}

fn value_of_path(term: &Term, path: &str, args: &[&Ty]) -> Option<Value> {
    let name = last_segment(path);
    match (name, args) {
        ("String" | "PathBuf" | "Path" | "OsString" | "OsStr" | "CString" | "CStr", _) => {
            text_value(term)
        }
        ("Duration", _) => integer_value(term, &(0..=i128::from(u64::MAX))),
        ("Option", [inner]) => match term {
            term if is_none(term) => Some(Value::none()),
            term => value_of_term(inside_of_variant(term, "Some").unwrap_or(term), inner)
                .map(Value::some),
        },
        ("Result", [good, bad]) => match inside_of_variant(term, "Err") {
            Some(term) => value_of_term(term, bad).map(Value::err),
            None => {
                value_of_term(inside_of_variant(term, "Ok").unwrap_or(term), good).map(Value::ok)
            }
        },
        ("HashMap" | "BTreeMap", [key, item, ..]) => {
            let pair = Ty::Tuple(vec![(*key).clone(), (*item).clone()]);
            sequence_value(term, &pair)
        }
        ("Range" | "RangeInclusive", [of]) => range_ends(term, of, [true, true]),
        ("RangeFrom", [of]) => range_ends(term, of, [true, false]),
        ("RangeTo" | "RangeToInclusive", [of]) => range_ends(term, of, [false, true]),
        ("RangeFull", _) => {
            matches!(term, Term::Range { from: None, to: None }).then_some(Value::Unit)
        }
        (
            "Vec" | "VecDeque" | "LinkedList" | "BTreeSet" | "HashSet" | "BinaryHeap" | "IntoIter",
            [item, ..],
        ) => sequence_value(term, item),
        (
            "Box" | "Rc" | "Arc" | "Cow" | "Cell" | "RefCell" | "ManuallyDrop" | "MaybeUninit"
            | "Reverse" | "Wrapping" | "Saturating" | "NonZero" | "Cursor" | "BufReader"
            | "BufWriter" | "AssertUnwindSafe" | "Once",
            [inner],
        ) => value_of_term(term, inner),
        _ => None,
    }
}

/// Returns the argument of a call to one of std's wrapping variants.
fn inside_of_variant<'t>(term: &'t Term, name: &str) -> Option<&'t Term> {
    match term {
        Term::Call { path, args } if path.len() == 1 && path[0] == name => args.first(),
        _ => None,
    }
}

fn range_ends(term: &Term, of: &Ty, wanted: [bool; 2]) -> Option<Value> {
    let Term::Range { from, to } = term else { return None };
    let found = [from, to];
    if found.map(Option::is_some) != wanted {
        return None;
    }
    let values = found.into_iter().flatten().map(|end| value_of_term(end, of));
    values.collect::<Option<Vec<_>>>().map(Value::Tuple)
}

fn primitive_value(term: &Term, name: &str) -> Option<Value> {
    match (name, term) {
        ("bool", Term::Bool(value)) => Some(Value::Bool(*value)),
        ("char", Term::Char(value)) => Some(Value::Char(*value)),
        ("f32" | "f64", Term::Float(text)) => text.parse().ok().map(Value::Float),
        ("f32" | "f64", Term::Int(value)) => {
            i32::try_from(*value).ok().map(|value| Value::Float(f64::from(value)))
        }
        _ => integer_value(term, &integer_range(name)?),
    }
}

/// The integers that a type has, as far as a value can tell them.
pub(super) fn integer_range(name: &str) -> Option<RangeInclusive<i128>> {
    let bits = match name.get(1..)? {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" | "size" => 64,
        // A value holds an `i128`, so the upper half of `u128` cannot be told.
        "128" => 127,
        _ => return None,
    };
    match name.get(..1)? {
        "u" if bits == 127 => Some(0..=i128::MAX),
        "u" => Some(0..=(1 << bits) - 1),
        "i" if bits == 127 => Some(i128::MIN..=i128::MAX),
        "i" => Some(-(1 << (bits - 1))..=(1 << (bits - 1)) - 1),
        _ => None,
    }
}

fn integer_value(term: &Term, range: &RangeInclusive<i128>) -> Option<Value> {
    match term {
        Term::Int(value) if range.contains(value) => Some(Value::Int(*value)),
        _ => None,
    }
}

fn text_value(term: &Term) -> Option<Value> {
    match term {
        Term::Str(text) => Some(Value::Str(text.clone())),
        Term::Bytes(bytes) => String::from_utf8(bytes.clone()).ok().map(Value::Str),
        _ => None,
    }
}

/// An element by the number that is written, or by a digest of what is.
fn element_key(term: &Term) -> Option<Value> {
    match term {
        Term::Int(value) => i64::try_from(*value).ok().map(Value::Elem),
        Term::Bool(value) => Some(Value::Elem(i64::from(*value))),
        Term::Char(value) => Some(Value::Elem(i64::from(u32::from(*value)))),
        Term::Closure | Term::Unknown => None,
        other => {
            let mut digest = Digest::new();
            digest.write(format!("{other:?}").as_bytes());
            // A digest and not a counter: equal texts must stay equal elements across statements.
            i64::try_from(digest.finish() % ELEMENTS).ok().map(Value::Elem)
        }
    }
}

fn sequence_value(term: &Term, item: &Ty) -> Option<Value> {
    let items: Option<Vec<Value>> = match term {
        Term::Seq(items) => items.iter().map(|term| value_of_term(term, item)).collect(),
        Term::Bytes(bytes) => {
            bytes.iter().map(|byte| value_of_term(&Term::Int((*byte).into()), item)).collect()
        }
        Term::Str(text) if *item == Ty::prim("u8") => {
            Some(text.bytes().map(|byte| Value::Int(byte.into())).collect())
        }
        Term::Str(text) => text.chars().map(|c| value_of_term(&Term::Char(c), item)).collect(),
        Term::Range { from: Some(from), to: Some(to) } => match (&**from, &**to) {
            (Term::Int(from), Term::Int(to)) => (*from..*to)
                .take_while(|at| at - from < LONGEST)
                .map(|at| value_of_term(&Term::Int(at), item))
                .collect(),
            _ => None,
        },
        _ => None,
    };
    items.map(Value::Seq)
}
