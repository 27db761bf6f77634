//! Faults as self-contained `#[test]`s that fail for the stated reason.

mod allocators;
mod body;
pub(crate) mod comment;
mod edition;
mod laws;
mod polish;
pub(crate) mod probe;
mod texts;
mod twist;

use std::collections::BTreeSet;

use gainsay_model::{api::PROVIDERS_CRATE, build::Build, spelling::Spelling, ty::Ty};
use gainsay_wire::{Misuse, Sequence, Twist};
use proc_macro2::TokenStream;
use quote::quote;

pub use edition::Old;
pub use polish::Polish;
pub use probe::ElementTrait;
use probe::{Manner, Placed};

use crate::{
    code::{self, Book, Code, LastResult, ProbeForm, ident, snake_case, tokens},
    needs::twist_of,
    record::{FaultRecord, OracleRecord},
};

/// A test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// `gainsay_<operation>_<id>`, to which `.rs` is added.
    pub file_stem: String,
    /// Name of the test in it.
    pub test_name: String,
    /// The file.
    pub text: String,
    /// How many statements the test has, assertions included.
    pub statements: usize,
}

/// What a test is written for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The crate as code names it.
    pub lib_name: String,
    /// What the package's edition lacks.
    pub old: Old,
    /// What elements are.
    pub element: Element,
    /// How much is left out that could be missed.
    pub polish: Polish,
    /// How objects end that are left.
    pub ending: Ending,
    /// What it does beyond its calls.
    pub aid: Aid,
    /// The command under which the test fails, without the test's name.
    pub command: String,
    /// The command that has Miri run the test, without the test's name.
    pub miri: String,
}

/// How objects end that are left when all calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As variables do, the youngest first.
    Natural,
    /// The oldest first, each by a statement: they may need each other.
    AsMade,
}

/// What a test does beyond its calls, so that the fault shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aid {
    /// Nothing.
    #[default]
    None,
    /// It looks at what the last call gave, or at what it was called on.
    Look,
    /// It catches the panics of its calls: only broken memory fails it.
    Guard,
    /// The same, and it looks at what the last call gave.
    GuardAndLook,
    /// It asks the iterator that the last call gave for its items, as a worker does.
    Step,
    /// It fills fresh memory, which otherwise may happen to look like something.
    Fill,
}

impl Aid {
    const UNGUARDED: &[Aid] = &[Aid::None, Aid::Look, Aid::Step, Aid::Fill];
    const GUARDED_LAST: &[Aid] =
        &[Aid::None, Aid::Look, Aid::Step, Aid::Fill, Aid::Guard, Aid::GuardAndLook];
    const ALL: &[Aid] =
        &[Aid::Guard, Aid::GuardAndLook, Aid::None, Aid::Look, Aid::Step, Aid::Fill];

    /// What may help to show a fault, the plainest first. A result can be looked at only where there
    /// is one. Elements that notice their misuse are plainest when nothing is caught, unless a number
    /// is given that a mended crate may well reject with a panic.
    pub fn kinds(fault: &FaultRecord, element: &Element, book: Book<'_>) -> Vec<Aid> {
        let sequence = fault.sequence();
        let last = sequence.as_ref().and_then(|sequence| sequence.steps.last());
        let last = last.and_then(|step| book.spelling(step.op));
        let gives = last.is_some_and(Spelling::has_plain_result);
        let is_twisted = sequence.as_ref().and_then(twist_of).is_some();
        let takes_numbers = || sequence.as_ref().is_some_and(|it| takes_numbers(it, book));
        let all: &[Aid] = match (&fault.oracle, element) {
            (OracleRecord::Probe { what }, _) if body::has_assertion(*what) => Aid::UNGUARDED,
            (OracleRecord::Probe { .. }, _) | (OracleRecord::Death { .. }, Element::Tracked(_)) => {
                match (is_twisted, takes_numbers()) {
                    (true, _) => Aid::UNGUARDED,
                    (false, true) => Aid::ALL,
                    // While a panic is under way, misuse shows by a count only.
                    (false, false) => Aid::GUARDED_LAST,
                }
            }
            (OracleRecord::Death { .. }, _) if is_twisted => &[Aid::None],
            (OracleRecord::Death { .. }, _) => Aid::ALL,
            (OracleRecord::Panic { .. } | OracleRecord::Hang | OracleRecord::Memory, _) => {
                &[Aid::None, Aid::Step]
            }
            (OracleRecord::Law { .. } | OracleRecord::Sentinel { .. }, _) => &[Aid::None],
        };
        let helps = |aid: &Aid| gives || !matches!(aid, Aid::GuardAndLook | Aid::Step);
        all.iter().copied().filter(helps).collect()
    }
}

/// What the elements of collections are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// Numbers.
    Integer,
    /// A type of the test's own, without peculiarities.
    Tuple,
    /// One that owns memory, for a sanitizer to watch.
    Boxed,
    /// One that notices when it is dropped twice or used after its drop, with these traits.
    Tracked(BTreeSet<ElementTrait>),
}

/// Why a fault has no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWitness {
    /// The record of the sequence cannot be read.
    #[error("its sequence cannot be read")]
    NoSequence,
    /// The finding cannot be put into an assertion.
    #[error("`{0}` cannot be written as an assertion")]
    NoAssertion(String),
    /// The statements are no Rust; a name in them is not what it seems.
    #[error("its calls cannot be written as Rust")]
    NotRust,
    /// It takes values that only the user's functions make.
    #[error("it takes values of your providers, which a test cannot have")]
    Provided,
}

impl Element {
    pub(crate) fn form(&self) -> ProbeForm {
        match self {
            Element::Integer => ProbeForm::Integer,
            Element::Tuple => ProbeForm::Tuple,
            Element::Boxed | Element::Tracked(_) => ProbeForm::New,
        }
    }

    /// The kinds of elements with which a fault can show, the simplest first.
    pub fn kinds(fault: &FaultRecord) -> Vec<Element> {
        let tracked = Element::Tracked(BTreeSet::new());
        let is_twisted = fault.sequence().as_ref().and_then(twist_of).is_some();
        match fault.oracle {
            OracleRecord::Probe { what: Misuse::BadText } => {
                vec![Element::Integer, Element::Tuple]
            }
            OracleRecord::Probe { .. } => vec![tracked],
            _ if is_twisted => vec![tracked],
            // What was seen to die under the sanitizer had elements that own memory.
            OracleRecord::Death { .. } if fault.build == Build::Asan => {
                vec![Element::Integer, Element::Tuple, Element::Boxed, tracked]
            }
            // What dies may do so because of what elements do when they are dropped.
            OracleRecord::Death { .. } => vec![Element::Integer, Element::Tuple, tracked],
            _ => vec![Element::Integer, Element::Tuple],
        }
    }
}

/// The test that shows a fault.
pub fn witness(
    fault: &FaultRecord,
    book: Book<'_>,
    setting: &Setting,
) -> Result<Witness, NoWitness> {
    let sequence = fault.sequence().ok_or(NoWitness::NoSequence)?;
    let form = setting.element.form();
    let mut style = body::style(fault, &sequence, book, form);
    match setting.aid {
        Aid::Look if body::gives(&sequence, book) => style.last = LastResult::Shown,
        Aid::Look => style.kept = body::last_objects(&sequence, book),
        Aid::GuardAndLook => style.last = LastResult::Shown,
        Aid::Step => style.last = LastResult::Stepped,
        Aid::None | Aid::Guard | Aid::Fill => {}
    }
    if setting.ending == Ending::AsMade {
        style.kept = body::all_made(&sequence, book);
    }
    let mut code = code::write(&sequence, book, &style);
    let body = body::body(fault, &sequence, book, (&mut code, form))?;
    let body = match setting.aid {
        Aid::Look => body::looked_at(&body, &sequence, book, &code),
        Aid::Guard | Aid::GuardAndLook => {
            let counts =
                matches!(setting.element, Element::Tracked(_)) && code.imports.names_probe();
            body::guarded(&body, counts)
        }
        Aid::None | Aid::Step | Aid::Fill => body,
    };
    let body = if setting.ending == Ending::AsMade { body::ended(&body, &code) } else { body };
    let body = if hashes_at_random(&sequence, book) { body::repeated(&body) } else { body };
    if body.to_string().contains(PROVIDERS_CRATE) {
        return Err(NoWitness::Provided);
    }
    let body = setting.old.adapted(setting.polish.applied(body));
    let (file_stem, test_name) = (file_stem(fault), test_name(fault));
    let statements = statements(&body);
    let draft = Draft { fault, sequence: &sequence, setting, code: &code };
    let text = draft.file(&file_stem, &test_name, &body)?;
    Ok(Witness { file_stem, test_name, text, statements })
}

/// The calls that break a law or a contract, and an assertion of it; `None` where it cannot be written.
pub(crate) fn asserted_lines(fault: &FaultRecord, book: Book<'_>) -> Option<Vec<String>> {
    if !matches!(fault.oracle, OracleRecord::Law { .. } | OracleRecord::Sentinel { .. }) {
        return None;
    }
    let sequence = fault.sequence()?;
    let form = ProbeForm::Tuple;
    let style = body::style(fault, &sequence, book, form);
    let mut code = code::write(&sequence, book, &style);
    let body = body::body(fault, &sequence, book, (&mut code, form)).ok()?;
    Some(code::statement_lines(&body))
}

/// Whether a number or a range is given to any call: which ones are allowed is the crate's to say.
fn takes_numbers(sequence: &Sequence, book: Book<'_>) -> bool {
    let is_number = |ty: &Ty| match ty {
        Ty::Prim(name) => !matches!(name.as_str(), "bool" | "char" | "f32" | "f64"),
        Ty::Path { path, .. } => path.starts_with("std::ops::"),
        _ => false,
    };
    let spellings = sequence.steps.iter().filter_map(|step| book.spelling(step.op));
    spellings.flat_map(|it| &it.params).any(|param| is_number(&param.ty))
}

/// Whether the outcome may depend on keys that are drawn anew for every collection.
fn hashes_at_random(sequence: &Sequence, book: Book<'_>) -> bool {
    let mut results =
        sequence.steps.iter().filter_map(|step| book.spelling(step.op)).map(|found| &found.result);
    results.any(|result| result.to_string().contains("RandomState"))
}

pub(crate) fn statements(body: &TokenStream) -> usize {
    let block = syn::parse2::<syn::Block>(quote!({ #body }));
    block.map_or(0, |block| block.stmts.iter().map(inner_statements).sum())
}

/// A block, a loop or a guard around statements is not one itself.
fn inner_statements(statement: &syn::Stmt) -> usize {
    let block = match statement {
        syn::Stmt::Expr(expr, _) => inner_block(expr),
        syn::Stmt::Local(local) => local.init.as_ref().and_then(|init| inner_block(&init.expr)),
        _ => None,
    };
    block.map_or(1, |block| block.stmts.iter().map(inner_statements).sum())
}

fn inner_block(expr: &syn::Expr) -> Option<&syn::Block> {
    match expr {
        syn::Expr::Block(inner) => Some(&inner.block),
        syn::Expr::ForLoop(inner) => Some(&inner.body),
        syn::Expr::Call(call) => call.args.iter().find_map(inner_block),
        syn::Expr::Closure(closure) => inner_block(&closure.body),
        _ => None,
    }
}

fn test_name(fault: &FaultRecord) -> String {
    let what = match &fault.oracle {
        OracleRecord::Panic { .. } => "panics".to_owned(),
        OracleRecord::Probe { what } => snake_case(&what.to_string()),
        OracleRecord::Death { .. } => "ends_the_process".to_owned(),
        OracleRecord::Law { name } => format!("breaks_{}", snake_case(&name.to_string())),
        OracleRecord::Hang => "does_not_end".to_owned(),
        OracleRecord::Memory => "asks_for_memory_without_end".to_owned(),
        OracleRecord::Sentinel { .. } => "returns_its_failure_value_for_a_success".to_owned(),
    };
    format!("{}_{what}", operation_name(fault))
}

/// `SmallVec<A> as Extend<T>::extend` as `small_vec_extend`.
fn operation_name(fault: &FaultRecord) -> String {
    let (ty, method) = parts_of(&fault.operation);
    if ty.is_empty() { snake_case(&method) } else { snake_case(&format!("{ty} {method}")) }
}

/// The type and the method in a path, without arguments; a function has no type.
pub(crate) fn parts_of(operation: &str) -> (String, String) {
    let mut depth = 0usize;
    let mut plain = String::new();
    for c in operation.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    match (plain.split_once(" as "), plain.rsplit_once("::")) {
        (Some((ty, _)), Some((_, method))) | (None, Some((ty, method))) => {
            (ty.to_owned(), method.to_owned())
        }
        _ => (String::new(), plain.clone()),
    }
}

fn file_stem(fault: &FaultRecord) -> String {
    let id: String = fault.id.chars().take(8).collect();
    format!("gainsay_{}_{id}", operation_name(fault))
}

/// All that a file is put together from.
struct Draft<'a> {
    fault: &'a FaultRecord,
    sequence: &'a Sequence,
    setting: &'a Setting,
    code: &'a Code,
}

impl Draft<'_> {
    fn twist(&self) -> Twist {
        twist_of(self.sequence).unwrap_or_default()
    }

    /// The comment, imports, the probe where it is needed, the test.
    fn file(
        &self,
        file_stem: &str,
        test_name: &str,
        body: &TokenStream,
    ) -> Result<String, NoWitness> {
        let Draft { fault, setting, code, .. } = *self;
        let twist = self.twist();
        let mut items = Vec::new();
        if code.imports.names_probe() {
            // As what found it had it: size and alignment may decide.
            let placed = match fault.build {
                Build::Release => Placed::Aligned,
                _ => Placed::Anywhere,
            };
            let manner = Manner { twist, aid: setting.aid, placed };
            items.extend(probe::items(&setting.element, manner, body));
        }
        items.extend(twist::items(twist, body));
        items.extend(laws::helpers(&fault.oracle, body));
        items.extend(allocators::limits(&fault.oracle));
        if setting.aid == Aid::Fill {
            items.extend(allocators::filling());
        }
        let name = ident(test_name);
        items.push(quote!(#[test] fn #name() { #body }));
        let mut parts = vec![comment::comment(fault, twist, setting, file_stem)];
        let uses = self.uses(&items);
        let declared = setting.old.extern_crates(&setting.lib_name, &uses);
        if !declared.is_empty() {
            parts.push(layout(&declared)?);
        }
        if !uses.is_empty() {
            parts.push(layout(&quote!(#(#uses)*))?);
        }
        for item in &items {
            parts.push(layout(item)?);
        }
        Ok(parts.join("\n"))
    }

    /// One list without repeats, std first, as people sort it.
    fn uses(&self, items: &[TokenStream]) -> Vec<TokenStream> {
        let Draft { setting, code, .. } = *self;
        let twist = self.twist();
        let own = match &setting.element {
            Element::Tracked(_) if code.imports.names_probe() => probe::TRACKED_USES,
            _ => &[],
        };
        let all: TokenStream = items.iter().cloned().collect();
        let paths: BTreeSet<(bool, &str)> = code
            .imports
            .uses()
            .chain(own.iter().copied())
            .chain(twist::uses(twist).iter().copied())
            .chain(setting.old.missing(&all))
            .map(|path| (!path.starts_with("std::"), path))
            .collect();
        grouped(paths.into_iter().map(|(_, path)| path))
    }
}

/// `use a::{B, C};` for paths in order.
pub(crate) fn grouped<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<TokenStream> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in paths {
        let (module, name) = in_module(path);
        match groups.iter_mut().find(|(known, _)| *known == module) {
            Some((_, names)) => names.push(name),
            None => groups.push((module, vec![name])),
        }
    }
    let one = |(module, names): (&str, Vec<&str>)| {
        let (module, names) = (tokens(module), names.into_iter().map(tokens).collect::<Vec<_>>());
        match &names[..] {
            [name] => quote!(use #module::#name;),
            names => quote!(use #module::{#(#names),*};),
        }
    };
    groups.into_iter().map(one).collect()
}

/// A path as its module and what is in it: variants go with their types.
fn in_module(path: &str) -> (&str, &str) {
    let is_type = |word: &str| word.starts_with(|c: char| c.is_uppercase());
    let mut ends = path.match_indices("::").map(|(at, _)| at);
    let end = ends.find(|at| path[at + 2..].split("::").next().is_some_and(is_type));
    match end.or_else(|| path.rfind("::")) {
        Some(at) => (&path[..at], &path[at + 2..]),
        None => ("self", path),
    }
}

pub(crate) fn layout(items: &TokenStream) -> Result<String, NoWitness> {
    let file = syn::parse2::<syn::File>(items.clone()).map_err(|_| NoWitness::NotRust)?;
    Ok(airy(&code::layout(&file)))
}

/// With a blank line between functions and between other items, as people have it.
fn airy(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut airy = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        airy.push_str(line);
        airy.push('\n');
        let indent = line.len() - line.trim_start().len();
        let is_end = indent <= 4 && matches!(line.trim(), "}" | "{}");
        let begins = |next: &&str| {
            const ITEMS: [&str; 7] = ["fn ", "unsafe ", "impl", "struct ", "static ", "#[", "///"];
            let begins = ITEMS.iter().any(|item| next.trim_start().starts_with(item));
            begins && next.len() - next.trim_start().len() == indent
        };
        if (is_end || indent == 0 && line.ends_with("{}")) && lines.peek().is_some_and(begins) {
            airy.push('\n');
        }
    }
    airy
}

#[cfg(test)]
mod tests;
