//! What a panic is worth: declared, the operation's own assertion, a resource limit, or a fault.

use gainsay_model::{
    api::{Callee, Operation},
    fault::PanicClass,
    ty::{Ty, last_segment},
};
use gainsay_wire::PanicPlace;

use crate::subject_model::{
    SubjectModel, Territory,
    signature::{can_refuse, fills, is_index, is_number, is_range, takes_numbers},
};

/// Kinds of panics by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// More was asked for than a machine, or a container of fixed size, has.
    Resource,
    /// A time beyond what std can tell: no more than a large number that the caller gave.
    Time,
    /// std found that a closure of ours contradicts itself.
    Order,
    /// A range of keys ends before it begins: whoever gave one gave that one.
    Backwards,
    /// An index or a range does not fit: the caller's, if the caller gave one.
    Index,
    /// The result of a computation does not fit.
    Arithmetic,
    /// The language or std objects to the code, not to the caller.
    RunTime,
    /// The author holds that it cannot happen; no documentation promises it.
    Impossible,
    /// The author's own words.
    Own,
}

/// Marks in messages, in order of precedence.
const TABLE: &[(&str, Words)] = &[
    ("capacity overflow", Words::Resource),
    ("CapacityOverflow", Words::Resource),
    ("memory allocation", Words::Resource),
    ("allocation error", Words::Resource),
    ("allocation failed", Words::Resource),
    ("failed to allocate", Words::Resource),
    ("out of memory", Words::Resource),
    ("LayoutError", Words::Resource),
    ("AllocError", Words::Resource),
    ("TryReserveError", Words::Resource),
    ("CapacityError", Words::Resource),
    ("overflow when adding duration", Words::Time),
    ("overflow when subtracting duration", Words::Time),
    ("overflow when multiplying duration", Words::Time),
    ("overflow in Duration::", Words::Time),
    ("does not correctly implement a total order", Words::Order),
    ("range start is greater than range end", Words::Backwards),
    ("range start and end are equal and excluded", Words::Backwards),
    ("index out of bounds", Words::Index),
    ("out of range for slice", Words::Index),
    ("range start index", Words::Index),
    ("range end index", Words::Index),
    ("slice index starts at", Words::Index),
    ("byte index", Words::Index),
    ("is not a char boundary", Words::Index),
    ("insertion index (is", Words::Index),
    ("removal index (is", Words::Index),
    ("swap_remove index (is", Words::Index),
    ("`at` split index (is", Words::Index),
    ("mid > len", Words::Index),
    ("attempt to ", Words::Arithmetic),
    ("called `Option::unwrap()` on a `None` value", Words::RunTime),
    ("called `Result::unwrap()` on", Words::RunTime),
    ("called `Result::unwrap_err()` on", Words::RunTime),
    ("already borrowed", Words::RunTime),
    ("already mutably borrowed", Words::RunTime),
    ("internal error", Words::Impossible),
    ("should never", Words::Impossible),
    ("never fail", Words::Impossible),
    ("never happen", Words::Impossible),
    ("cannot happen", Words::Impossible),
    ("can't happen", Words::Impossible),
    ("this is a bug", Words::Impossible),
];

/// Operators that overflow on integers, and what is built on them.
const ARITHMETIC: [&str; 17] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "ShlAssign",
    "ShrAssign",
    "Sum",
    "Product",
];

/// True if the arguments of a call bear on what a panic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The class stands as it is.
    Settled(PanicClass),
    /// Illegal use if other numbers make another outcome, a fault if they do not.
    Arguments,
}

/// Classifies a panic in an operation; `None` is one that the harness made up, a drop.
pub fn classify(subject: &SubjectModel, place: &PanicPlace, op: Option<&Operation>) -> PanicClass {
    let words = words(&place.message);
    // Whoever asks for it, and wherever it surfaces: the numbers of the call decide it later.
    if words == Words::Resource {
        return PanicClass::ResourceLimit;
    }
    let Some(op) = op else { return PanicClass::Undeclared };
    // Before documentation: what announces one panic does not announce that its author was wrong.
    if words == Words::Impossible {
        return PanicClass::Undeclared;
    }
    let documented = op.documented_panics.as_ref();
    if documented.is_some_and(|text| covers(text, place))
        || panics_by_convention(subject, op, words)
        || is_handed_on(subject, place, op)
    {
        return PanicClass::Documented;
    }
    // Closures of ours are drawn at random and order nothing.
    if words == Words::Order {
        return PanicClass::OwnAssertion;
    }
    // Before an assertion of its own counts: the name took back the right to one.
    if refuses_by_name(op) {
        return PanicClass::Undeclared;
    }
    if words == Words::Backwards && op.params.iter().any(|param| is_range(&param.ty)) {
        return PanicClass::OwnAssertion;
    }
    // A caller who was wrong may be told so, but not find the object half changed afterwards.
    if place.changed {
        return PanicClass::Undeclared;
    }
    let blames_caller = match words {
        Words::Own => !is_invariant(subject, place, op),
        Words::Index => takes_numbers(op),
        Words::Time => return PanicClass::OwnAssertion,
        _ => false,
    };
    if blames_caller && is_own(subject, place, op) {
        PanicClass::OwnAssertion
    } else {
        PanicClass::Undeclared
    }
}

/// True if items of a list are handed on to an operation that raises the panic itself and announces it:
/// what `extend` says of an item, `insert` says.
fn is_handed_on(subject: &SubjectModel, place: &PanicPlace, op: &Operation) -> bool {
    let announces = |it: &Operation| {
        let text = it.documented_panics.as_ref();
        text.is_some_and(|text| covers(text, place)) && is_inside(place, it)
    };
    takes_list(op) && subject.operations().any(announces)
}

/// True if a trait of std has it take items one after the other.
fn takes_list(op: &Operation) -> bool {
    let Callee::Trait { path, .. } = &op.callee else { return false };
    match last_segment(path) {
        "Extend" | "FromIterator" => true,
        "From" => op.params.iter().any(|param| matches!(&param.ty, Ty::Array(..))),
        _ => false,
    }
}

/// Words of documentation that speak of numbers which are not what they should be.
const OF_NUMBERS: [&str; 24] = [
    "flow",
    "exceed",
    "too ",
    "out of",
    "zero",
    "divi",
    "max",
    "capacity",
    "represent",
    " fit",
    ">",
    "<",
    "greater",
    "less",
    "larger",
    "smaller",
    "bigger",
    "beyond",
    "index",
    "bound",
    "range",
    "len",
    "size",
    "negative",
];

/// Words of documentation that speak of memory that cannot be had.
const OF_MEMORY: [&str; 4] = ["overflow", "isize::max", "allocat", "out of memory"];

/// Words of documentation that may speak of an index which meets nothing, or of no room for another.
const OF_POSITIONS: [&str; 17] = [
    "index", "indices", "bound", "range", "position", "offset", "len", "empty", "full", "exist",
    "present", "contain", "valid", "beyond", "past", "<", ">",
];

/// True if a documentation that announces a panic announces this one. That arithmetic overflows
/// depends on the build, so it is meant only by one that speaks of it. An index error that leaves an
/// object half changed is not what one means that speaks of memory alone: such a panic comes before
/// anything is changed. Of other words nobody can tell which condition they are about.
fn covers(documentation: &str, place: &PanicPlace) -> bool {
    let text = documentation.to_lowercase();
    let speaks_of = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match words(&place.message) {
        Words::Arithmetic => speaks_of(&OF_NUMBERS),
        Words::Index if place.changed => speaks_of(&OF_POSITIONS) || !speaks_of(&OF_MEMORY),
        _ => true,
    }
}

/// Tells what decides about a panic: its words and place alone, or whether it hangs on the arguments.
pub(crate) fn question(
    subject: &SubjectModel,
    place: &PanicPlace,
    op: Option<&Operation>,
) -> Question {
    let class = classify(subject, place, op);
    let asks = match (op, words(&place.message), class) {
        // Whoever returns an `Option` or a `Result` has another way to refuse.
        (Some(op), _, PanicClass::Undeclared) if place.changed || can_refuse(&op.result) => false,
        (Some(op), Words::Index, PanicClass::Undeclared) => takes_numbers(op) || fills(op),
        (Some(op), Words::Index, PanicClass::OwnAssertion)
        | (Some(op), Words::Own, PanicClass::Undeclared) => takes_numbers(op),
        _ => false,
    };
    if asks { Question::Arguments } else { Question::Settled(class) }
}

/// True if a function of a dependency, which is called to make a value, panicked by itself: that is
/// not for the subject's author to mend.
pub(crate) fn is_a_dependencys(
    subject: &SubjectModel,
    place: &PanicPlace,
    op: Option<&Operation>,
) -> bool {
    op.is_some_and(|op| !op.counted) && subject.territory(&place.file) != Territory::Subject
}

/// True if an assertion itself names a number that the caller gave: `assertion failed: row < len`.
pub(crate) fn names_a_number(place: &PanicPlace, op: &Operation) -> bool {
    let Some(asserted) = place.message.strip_prefix("assertion failed: ") else { return false };
    let mut words = asserted.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| op.params.iter().any(|param| param.name == word && is_index(&param.ty)))
}

/// True if an assertion speaks of the insides of an object only, in a call without arguments: no
/// caller can know, let alone keep to it.
fn is_invariant(subject: &SubjectModel, place: &PanicPlace, op: &Operation) -> bool {
    let Some(asserted) = place.message.strip_prefix("assertion failed: ") else { return false };
    let members: Vec<&str> = asserted.split("self.").skip(1).map(first_word).collect();
    let has_receiver_only = op.params.len() == 1 && op.receiver().is_some();
    has_receiver_only
        && !members.is_empty()
        && !members.iter().any(|member| subject.offers(member) || member.starts_with("is_"))
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// True if it is an overflow, which a large number asked for explains.
pub(crate) fn is_overflow(place: &PanicPlace) -> bool {
    words(&place.message) == Words::Arithmetic
}

/// True if it speaks of indices: something was looked for where there is nothing.
pub(crate) fn is_about_indices(place: &PanicPlace) -> bool {
    let speaks_of = |word: &str| place.message.contains(word);
    words(&place.message) == Words::Index || speaks_of("index") || speaks_of("indices")
}

/// True if its author holds that it cannot happen.
pub(crate) fn is_impossible(place: &PanicPlace) -> bool {
    words(&place.message) == Words::Impossible
}

/// True if more was asked for than there is.
pub(crate) fn is_limit(place: &PanicPlace) -> bool {
    words(&place.message) == Words::Resource
}

fn words(message: &str) -> Words {
    TABLE.iter().find(|(mark, _)| message.contains(mark)).map_or(Words::Own, |(_, words)| *words)
}

/// Panics that nobody documents again: indexing panics on what is not there, arithmetic on what does not
/// fit, unwrapping on what is absent.
fn panics_by_convention(subject: &SubjectModel, op: &Operation, words: Words) -> bool {
    match &op.callee {
        // Numbers of the language overflow, whatever trait they are given.
        Callee::Trait { ty, .. } if words == Words::Arithmetic && is_number(ty) => true,
        Callee::Trait { path, ty, name, args, .. } => match last_segment(path) {
            "Index" | "IndexMut" => true,
            // std asks for no more than what was shown.
            "BufRead" => name == "consume",
            name if is_operator(name) && looks_up(subject, op, ty, args) => words == Words::RunTime,
            // A set has operators too, but nothing in it may overflow.
            name if ARITHMETIC.contains(&name) => {
                !matches!(words, Words::Index) && !subject.is_collection(ty)
            }
            _ => false,
        },
        Callee::Inherent { name, .. } => {
            (name.starts_with("unwrap") || name.starts_with("expect"))
                && matches!(words, Words::Own | Words::RunTime)
        }
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => false,
    }
}

/// True if a trait of std is that of an operator between two values.
fn is_operator(name: &str) -> bool {
    ARITHMETIC.contains(&name) || matches!(name, "BitAnd" | "BitOr" | "BitXor")
}

/// True if an operator between a collection and what is none lends something: that is a way to index.
fn looks_up(subject: &SubjectModel, op: &Operation, ty: &Ty, args: &[Ty]) -> bool {
    op.result.is_borrowed()
        && subject.is_collection(ty)
        && !args.iter().any(|arg| subject.is_collection(arg))
}

/// True if the name promises that what cannot be done is told by the result.
fn refuses_by_name(op: &Operation) -> bool {
    let name = op.function_name();
    let promises = ["checked_", "try_"].iter().any(|prefix| name.starts_with(prefix));
    promises && can_refuse(&op.result)
}

/// True if the operation itself raised it, not something that it called.
pub(crate) fn is_own(subject: &SubjectModel, place: &PanicPlace, op: &Operation) -> bool {
    if subject.territory(&place.file) == Territory::Harness {
        return true;
    }
    is_inside(place, op)
}

/// True if a panic's place is among an operation's lines.
fn is_inside(place: &PanicPlace, op: &Operation) -> bool {
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

#[cfg(test)]
#[path = "panic_class/tests.rs"]
mod tests;
