//! What a panic is worth: declared, the operation's own assertion, a resource limit, or a fault.

use gainsay_model::{
    api::{Callee, Operation},
    fault::PanicClass,
    ty::Ty,
};
use gainsay_wire::PanicPlace;

use crate::ground::{Ground, Territory};

/// What the words of a panic tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// More was asked for than a machine has.
    Resource,
    /// An index or a range does not fit: the caller's, if the caller gave one.
    Index,
    /// The language or std objects to the code, not to the caller.
    RunTime,
    /// The author's own words.
    Own,
}

/// Marks in messages, in order of precedence.
const TABLE: &[(&str, Words)] = &[
    ("capacity overflow", Words::Resource),
    ("CapacityOverflow", Words::Resource),
    ("memory allocation", Words::Resource),
    ("out of memory", Words::Resource),
    ("LayoutError", Words::Resource),
    ("AllocError", Words::Resource),
    ("TryReserveError", Words::Resource),
    ("index out of bounds", Words::Index),
    ("out of range for slice", Words::Index),
    ("range start index", Words::Index),
    ("range end index", Words::Index),
    ("slice index starts at", Words::Index),
    ("byte index", Words::Index),
    ("insertion index (is", Words::Index),
    ("removal index (is", Words::Index),
    ("swap_remove index (is", Words::Index),
    ("`at` split index (is", Words::Index),
    ("mid > len", Words::Index),
    ("attempt to ", Words::RunTime),
    ("called `Option::unwrap()` on a `None` value", Words::RunTime),
    ("called `Result::unwrap()` on", Words::RunTime),
    ("called `Result::unwrap_err()` on", Words::RunTime),
    ("already borrowed", Words::RunTime),
    ("already mutably borrowed", Words::RunTime),
    ("internal error: entered unreachable code", Words::RunTime),
];

/// Classifies a panic in an operation; `None` is one that the harness made up, a drop.
pub fn classify(ground: &Ground, place: &PanicPlace, op: Option<&Operation>) -> PanicClass {
    let words = words(&place.message);
    if words == Words::Resource {
        return PanicClass::ResourceLimit;
    }
    let Some(op) = op else { return PanicClass::Undeclared };
    if op.documented_panics.is_some() || panics_by_convention(op) {
        return PanicClass::Documented;
    }
    let blames_caller = match words {
        Words::Own => true,
        Words::Index => op.params.iter().any(|param| is_index(&param.ty)),
        Words::RunTime | Words::Resource => false,
    };
    if blames_caller && !place.changed && is_own(ground, place, op) {
        PanicClass::OwnAssertion
    } else {
        PanicClass::Undeclared
    }
}

fn words(message: &str) -> Words {
    TABLE.iter().find(|(mark, _)| message.contains(mark)).map_or(Words::Own, |(_, words)| *words)
}

/// Indexing panics on what is not there; nobody documents it again.
fn panics_by_convention(op: &Operation) -> bool {
    let Callee::Trait { path, .. } = &op.callee else { return false };
    matches!(path.rsplit("::").next(), Some("Index" | "IndexMut"))
}

/// Whether the operation itself raised it, not something that it called.
fn is_own(ground: &Ground, place: &PanicPlace, op: &Operation) -> bool {
    if ground.territory(&place.file) == Territory::Harness {
        return true;
    }
    let Some(span) = &op.span else { return false };
    (span.first..=span.last).contains(&place.line) && is_same_file(&span.file, &place.file)
}

/// rustdoc and the panic hook may name a file from different directories.
fn is_same_file(a: &str, b: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    ends(a, b) || ends(b, a)
}

fn is_index(ty: &Ty) -> bool {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    match ty {
        Ty::Prim(name) => INTEGERS.contains(&name.as_str()),
        Ty::Ref { to, .. } => is_index(to),
        Ty::Tuple(items) => items.iter().any(is_index),
        Ty::Path { path, .. } => {
            path.rsplit("::").next().is_some_and(|name| name.starts_with("Range"))
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "panics/tests.rs"]
mod tests;
