//! When a fault that was found is the one that is known: it is in an operation of the row, and an
//! oracle of the row's kind objects. No more and no less: another fault of the same crate is not
//! the one that was looked for.

use std::collections::BTreeSet;

use gainsay_model::build::Build;

use super::{
    corpus::Known,
    names::{Fit, Meant, Name, meant},
};

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Broken memory: misused elements, crashes, std's own checks, sanitizers.
    Memory,
    /// A law, a relation or a contract does not hold.
    Relation,
    Panic,
    /// No end, or memory without end.
    Endless,
    StackOverflow,
}

/// A fault as the product reports it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reported {
    pub(super) id: String,
    /// `probe`, `death`, `law` and so on.
    pub(super) oracle: String,
    pub(super) operation: String,
    pub(super) message: String,
    /// Operations of the sequence in order, as scripts name them.
    pub(super) steps: Vec<String>,
    /// The operation that gave out the object to which the last step happened.
    pub(super) giver: Option<String>,
    pub(super) confirmed: bool,
    /// The build that shows it.
    pub(super) build: Build,
    /// When it was first seen.
    pub(super) seconds: Option<f64>,
}

impl Reported {
    pub(super) fn kind(&self) -> Kind {
        match self.oracle.as_str() {
            "panic" => Kind::Panic,
            "hang" | "memory" => Kind::Endless,
            "law" if self.message.ends_with("-comes-to-an-end") => Kind::Endless,
            "death" if self.message.contains("stack overflow") => Kind::StackOverflow,
            "probe" | "death" | "sanitizer" => Kind::Memory,
            _ => Kind::Relation,
        }
    }
}

impl Reported {
    /// The query that contradicts the others where a law is broken: laws are called after it
    /// (`first-is-the-first-item`).
    fn asked(&self) -> Option<String> {
        let law = self.message.rsplit_once("`: ").filter(|_| self.oracle == "law")?.1;
        let owner = Name::parse(&self.operation).owner?;
        Some(format!("{owner}::{}", law.split('-').next()?))
    }
}

/// The operation of a script's line: `v1 = Row::push for Row<T>(v0, 3) !drop@0`.
pub(super) fn step(line: &str) -> String {
    let call = match line.split_once(" = ") {
        Some((made, call)) if made.starts_with(['v', '(']) => call,
        _ => line,
    };
    // The arguments stand in the first parentheses that are not within angle brackets.
    let (mut depth, mut before) = (0_i32, ' ');
    for (at, c) in call.char_indices() {
        match c {
            '(' if depth == 0 => return call[..at].to_owned(),
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    call.to_owned()
}

/// The operation of the line that made the first object of the last one.
pub(super) fn giver(script: &str) -> Option<String> {
    let last = script.lines().last()?;
    let call = last.split_once(" = ").map_or(last, |(_, call)| call);
    let args = call.get(step(last).len()..)?.strip_prefix('(')?;
    let object = args.split([',', ')', ' ']).next().filter(|object| object.starts_with('v'))?;
    let makes = |line: &&str| {
        let Some((made, _)) = line.split_once(" = ") else { return false };
        made.trim_matches(['(', ')']).split(", ").any(|made| made == object)
    };
    script.lines().find(makes).map(step)
}

/// Words of a row's description, and what kind of oracle they speak of.
const WORDS: &[(Kind, &[&str])] = &[
    (
        Kind::Memory,
        &[
            "asan",
            "probe",
            "abort",
            "sigsegv",
            "double drop",
            "drop count",
            "use of dropped",
            "uninit",
        ],
    ),
    (
        Kind::Relation,
        &[
            "law",
            "relation",
            "model",
            "round trip",
            "differential",
            "invariant",
            "capacity",
            "wrong",
        ],
    ),
    (Kind::Panic, &["panic"]),
    (Kind::Endless, &["hang", "never ends", "infinite"]),
    (Kind::StackOverflow, &["stack overflow"]),
];

/// The kinds of oracle that can show a fault: that of its category, and those which its
/// description names.
pub(super) fn kinds(known: &Known) -> BTreeSet<Kind> {
    let by_category = match known.category.as_str() {
        "wrong result" | "trait-law violation" => Kind::Relation,
        "unexpected panic" => Kind::Panic,
        "infinite loop" => Kind::Endless,
        "stack overflow" => Kind::StackOverflow,
        _ => Kind::Memory,
    };
    let text = known.observable.to_lowercase();
    let named = WORDS.iter().filter(|(_, words)| words.iter().any(|word| text.contains(word)));
    let mut kinds: BTreeSet<Kind> = named.map(|(kind, _)| *kind).collect();
    if kinds.contains(&Kind::StackOverflow) {
        // `stack overflow (abort)` is no crash of another kind.
        kinds.remove(&Kind::Memory);
        // Recursion without end is a loop where the optimiser has made it one.
        kinds.insert(Kind::Endless);
    }
    kinds.insert(by_category);
    kinds
}

/// Whether a report is about the known fault.
pub(super) fn is_known(
    known: &Known,
    reported: &Reported,
    is_query: &dyn Fn(&str) -> bool,
) -> bool {
    kinds(known).contains(&reported.kind())
        && is_in_operations(&meant(&known.entry_points), reported, is_query)
}

fn is_in_operations(all: &[Meant], reported: &Reported, is_query: &dyn Fn(&str) -> bool) -> bool {
    let fit = |operation: &str| {
        let name = Name::parse(operation);
        all.iter().map(|meant| meant.fits(&name)).max().unwrap_or(Fit::No)
    };
    let asked = reported.asked().is_some_and(|asked| fit(&asked) == Fit::Yes);
    match fit(&reported.operation) {
        _ if asked => true,
        Fit::Yes => true,
        // `Type::iter, next`: the method of an iterator counts where `Type::iter` made it.
        Fit::ByMethod => reported.steps.iter().any(|step| fit(step) == Fit::Yes),
        Fit::No if reported.kind() == Kind::Memory => {
            let gives = reported.giver.as_ref().is_some_and(|giver| fit(giver) == Fit::Yes);
            is_consequence(reported, &fit, is_query) || gives && is_walk(&reported.operation)
        }
        Fit::No => false,
    }
}

/// Whether an operation goes through an iterator, or ends it: what an operation that gives out an
/// iterator promises is done there.
fn is_walk(operation: &str) -> bool {
    let name = Name::parse(operation);
    match name.of_trait.as_deref() {
        Some("Iterator" | "DoubleEndedIterator") => {
            ["next", "next_back"].contains(&name.method.as_str())
        }
        Some("Drop") => true,
        _ => false,
    }
}

/// Besides queries: the end of an object, and references to its inside.
const HARMLESS: [&str; 5] = ["drop", "as_mut", "deref_mut", "borrow_mut", "index_mut"];

/// Broken memory shows later than it comes to be: after the row's operation nothing was done but
/// to look and to drop.
fn is_consequence(
    reported: &Reported,
    fit: &dyn Fn(&str) -> Fit,
    is_query: &dyn Fn(&str) -> bool,
) -> bool {
    let harmless =
        |step: &&String| HARMLESS.contains(&&*Name::parse(step).method) || is_query(step);
    let mut before =
        reported.steps.iter().rev().skip_while(|step| fit(step) == Fit::No && harmless(step));
    harmless(&&reported.operation) && before.next().is_some_and(|step| fit(step) == Fit::Yes)
}

#[cfg(test)]
#[path = "judge/tests.rs"]
mod tests;
