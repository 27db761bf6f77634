//! Faults as self-contained `#[test]`s that fail for the stated reason.

mod laws;
mod probe;
mod twist;

use std::collections::BTreeSet;

use gainsay_wire::{Arg, ObjRef, Sequence, Twist, Value, parse_value};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    code::{
        self, Book, Code, Imports, LastResult, Lets, Literals, ProbeForm, Style, Suffix, Unused,
        ident, snake_case, tokens,
    },
    needs::{needs, twist_of},
    record::{FaultRecord, OracleRecord},
};

/// A test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// `gainsay_<operation>_<id>.rs`
    pub file_name: String,
    /// Name of the test in it.
    pub test_name: String,
    /// The file.
    pub text: String,
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
}

/// The test that shows a fault.
pub fn witness(fault: &FaultRecord, book: Book<'_>) -> Result<Witness, NoWitness> {
    let sequence = fault.sequence().ok_or(NoWitness::NoSequence)?;
    let twist = twist_of(&sequence).unwrap_or_default();
    let mut code = code::write(&sequence, book, &style(&fault.oracle, &sequence, book));
    let body = body(fault, &sequence, book, &mut code)?;
    let body = if hashes_at_random(&sequence, book) { repeated(&body) } else { body };
    let test_name = test_name(fault);
    let text = file((fault, twist), &test_name, &body, &code)?;
    Ok(Witness { file_name: file_name(fault), test_name, text })
}

/// Whether the outcome may depend on keys that are drawn anew for every collection.
fn hashes_at_random(sequence: &Sequence, book: Book<'_>) -> bool {
    let mut results =
        sequence.steps.iter().filter_map(|step| book.spelling(step.op)).map(|found| &found.result);
    results.any(|result| result.to_string().contains("RandomState"))
}

fn repeated(body: &TokenStream) -> TokenStream {
    quote!(for _try_with_other_hash_keys in 0..100 { #body })
}

fn style(oracle: &OracleRecord, sequence: &Sequence, book: Book<'_>) -> Style {
    let plain = Style::default();
    match oracle {
        OracleRecord::Death { .. } if twist_of(sequence).is_some() => {
            Style { probe: ProbeForm::New, unused: Unused::Kept, ..plain }
        }
        OracleRecord::Probe { .. } => {
            Style { probe: probe_form(oracle), unused: Unused::Kept, ..plain }
        }
        OracleRecord::Death { .. } => Style { unused: Unused::Kept, ..plain },
        OracleRecord::Law { .. } => Style { kept: last_made(sequence, book), ..plain },
        OracleRecord::Sentinel { .. } => Style { last: LastResult::Bound, ..plain },
        OracleRecord::Panic { .. } | OracleRecord::Hang | OracleRecord::Memory => plain,
    }
}

/// Only a fault about elements needs elements that notice.
fn probe_form(oracle: &OracleRecord) -> ProbeForm {
    match oracle {
        OracleRecord::Probe { .. } => ProbeForm::New,
        _ => ProbeForm::Tuple,
    }
}

/// The objects that the last step makes.
fn last_made(sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let Some(at) = sequence.steps.len().checked_sub(1) else { return Vec::new() };
    let makes = book.spelling(sequence.steps[at].op).map_or(0, |spelling| spelling.makes.len());
    let Ok(step) = u32::try_from(at) else { return Vec::new() };
    (0..).take(makes).map(|out| ObjRef { step, out }).collect()
}

/// The objects the last step is about, most telling first: what it was called on, what it made.
fn last_objects(sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let given = sequence.steps.last().into_iter().flat_map(|step| &step.args);
    let given = given.filter_map(|arg| match arg {
        Arg::Object(object) => Some(*object),
        Arg::Plain(_) => None,
    });
    given.chain(last_made(sequence, book)).collect()
}

fn body(
    fault: &FaultRecord,
    sequence: &Sequence,
    book: Book<'_>,
    code: &mut Code,
) -> Result<TokenStream, NoWitness> {
    let calls = &code.statements;
    match &fault.oracle {
        OracleRecord::Panic { .. } | OracleRecord::Death { .. } | OracleRecord::Memory => {
            Ok(calls.clone())
        }
        OracleRecord::Probe { .. } if twist_of(sequence).is_some() => Ok(quote! {
            { #calls }
            assert_eq!(MISUSES.load(Relaxed), 0, "elements were dropped or used that are not alive");
        }),
        OracleRecord::Probe { what } if what.contains("leak") => Ok(quote! {
            { #calls }
            assert_eq!(Probe::living(), 0, "elements were never dropped");
        }),
        OracleRecord::Probe { .. } => Ok(calls.clone()),
        OracleRecord::Hang => Ok(in_time(calls)),
        OracleRecord::Law { name } => {
            let objects = laws::named(&fault.message, sequence, book);
            let objects = objects.unwrap_or_else(|| last_objects(sequence, book));
            let assertions = laws::assertions(name, &objects, &code.variables)
                .ok_or_else(|| NoWitness::NoAssertion(name.clone()))?;
            Ok(quote!(#calls #assertions))
        }
        OracleRecord::Sentinel { contract } => {
            let value =
                sentinel(contract).ok_or_else(|| NoWitness::NoAssertion(contract.clone()))?;
            let result = sequence.steps.last().and_then(|step| book.spelling(step.op));
            let result = result.ok_or(NoWitness::NoSequence)?.result.clone();
            let calls = calls.clone();
            let (imports, probe) = (&mut code.imports, ProbeForm::Tuple);
            let (suffix, lets) = (Suffix::Left, &mut Lets::default());
            let value = Literals { imports, probe, suffix, lets }.write(&value, &result);
            Ok(quote! {
                #calls
                assert!(result != #value, "an ordinary result looks like a failure");
            })
        }
    }
}

/// The value that stands for failure in `old(A) ==> result == value`.
fn sentinel(contract: &str) -> Option<Value> {
    let (_, after) = contract.rsplit_once("result == ")?;
    let mut ends = (1..=after.len()).rev().filter(|&end| after.is_char_boundary(end));
    ends.find_map(|end| parse_value(after[..end].trim()).ok())
}

/// The calls in a thread of their own, for at most ten seconds.
fn in_time(calls: &TokenStream) -> TokenStream {
    quote! {
        let (done, outcome) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            #calls
            let _ = done.send(());
        });
        let ended = outcome.recv_timeout(std::time::Duration::from_secs(10));
        assert!(ended.is_ok(), "no end after ten seconds");
    }
}

fn test_name(fault: &FaultRecord) -> String {
    let what = match &fault.oracle {
        OracleRecord::Panic { .. } => "panics".to_owned(),
        OracleRecord::Probe { what } => snake_case(what),
        OracleRecord::Death { .. } => "ends_the_process".to_owned(),
        OracleRecord::Law { name } => format!("breaks_{}", snake_case(name)),
        OracleRecord::Hang => "does_not_end".to_owned(),
        OracleRecord::Memory => "asks_for_memory_without_end".to_owned(),
        OracleRecord::Sentinel { .. } => "returns_its_failure_value_for_a_success".to_owned(),
    };
    format!("{}_{what}", operation_name(fault))
}

fn operation_name(fault: &FaultRecord) -> String {
    snake_case(&fault.operation.replace(" as ", " "))
}

fn file_name(fault: &FaultRecord) -> String {
    let id: String = fault.id.chars().take(8).collect();
    format!("gainsay_{}_{id}.rs", operation_name(fault))
}

/// Imports, the probe where it is needed, the test.
fn file(
    (fault, twist): (&FaultRecord, Twist),
    test_name: &str,
    body: &TokenStream,
    code: &Code,
) -> Result<String, NoWitness> {
    let form = if twist == Twist::None { probe_form(&fault.oracle) } else { ProbeForm::New };
    let uses: Vec<TokenStream> = import_lines(&code.imports, form, twist);
    let mut parts = vec![format!("//! Fault {} found by cargo gainsay.\n", fault.id)];
    if !uses.is_empty() {
        parts.push(layout(&quote!(#(#uses)*))?);
    }
    if code.imports.names_probe() {
        parts.extend(probe::items(form, twist).iter().map(layout).collect::<Result<Vec<_>, _>>()?);
    }
    parts.extend(twist::items(twist).iter().map(layout).collect::<Result<Vec<_>, _>>()?);
    parts.extend(laws::helper(&fault.oracle).iter().map(layout).collect::<Result<Vec<_>, _>>()?);
    let name = ident(test_name);
    let docs = comment(fault, twist);
    parts.push(layout(&quote!(#(#[doc = #docs])* #[test] fn #name() { #body }))?);
    Ok(parts.join("\n"))
}

fn import_lines(imports: &Imports, form: ProbeForm, twist: Twist) -> Vec<TokenStream> {
    let own = match form {
        ProbeForm::New if imports.names_probe() && twist != Twist::None => probe::RECORDING_USES,
        ProbeForm::New if imports.names_probe() => probe::TRACKED_USES,
        ProbeForm::New | ProbeForm::Tuple => &[],
    };
    // One list without repeats, std first, as people sort it.
    let paths: BTreeSet<(bool, &str)> = imports
        .uses()
        .chain(own.iter().copied())
        .chain(twist::uses(twist).iter().copied())
        .map(|path| (!path.starts_with("std::"), path))
        .collect();
    let paths = paths.into_iter().map(|(_, path)| tokens(path));
    paths.map(|path| quote!(use #path;)).collect()
}

fn layout(items: &TokenStream) -> Result<String, NoWitness> {
    let file = syn::parse2::<syn::File>(items.clone()).map_err(|_| NoWitness::NotRust)?;
    Ok(code::layout(&file))
}

/// What is wrong and why, as the lines of a comment.
fn comment(fault: &FaultRecord, twist: Twist) -> Vec<String> {
    let (what, why) = match &fault.oracle {
        OracleRecord::Panic { file, line, message } => (
            "panics, and nothing announces it".to_owned(),
            Some(format!("At {file}:{line} it says: {}", one_line(message))),
        ),
        OracleRecord::Probe { what } => (format!("misuses an element: {what}"), None),
        OracleRecord::Death { how } => (format!("ends the process: {}", one_line(how)), None),
        OracleRecord::Law { name } => (format!("leaves an object that breaks `{name}`"), None),
        OracleRecord::Hang => ("does not come back".to_owned(), None),
        OracleRecord::Memory => ("asks for memory without end".to_owned(), None),
        OracleRecord::Sentinel { contract } => (
            "returns its failure value for a success".to_owned(),
            Some(format!("What was learnt of failures: `{}`.", one_line(contract))),
        ),
    };
    let first = format!(" `{}` {what}.", fault.operation);
    let takes = (twist != Twist::None)
        .then(|| format!(" It takes {}, in safe code: memory must survive it.", needs(twist)));
    std::iter::once(first).chain(why.map(|why| format!(" {why}"))).chain(takes).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
