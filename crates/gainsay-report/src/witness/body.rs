//! The statements of a test: the calls, and what is asserted after them.

use gainsay_model::spelling::{Passing, Spelling};
use gainsay_wire::{Arg, LawId, LawParty, Misuse, ObjRef, OpId, Sequence, Value, parse_value};
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    NoWitness,
    laws::{self, deeds, fresh, twins},
    texts,
};
use crate::{
    code::{Book, Code, LastResult, Lets, Literals, ProbeForm, Style, Suffix, Unused},
    needs::twist_of,
    record::{FaultRecord, OracleRecord},
};

/// How the calls are written so that the fault shows.
pub(super) fn style(
    fault: &FaultRecord,
    sequence: &Sequence,
    book: Book<'_>,
    probe: ProbeForm,
) -> Style {
    let plain = Style { probe, ..Style::default() };
    match &fault.oracle {
        OracleRecord::Probe { what: Misuse::BadText } => Style {
            last: texts::last_result(sequence, book),
            kept: last_made(sequence, book),
            ..plain
        },
        OracleRecord::Probe { .. } | OracleRecord::Death { .. } => {
            Style { unused: Unused::Kept, ..plain }
        }
        OracleRecord::Law { name: LawId::IsAsOfNew { query, .. } } => {
            Style { last: fresh::last_result(query, sequence, book), ..plain }
        }
        OracleRecord::Law { name: LawId::InsertGivesWhatWasInserted } => {
            Style { last: LastResult::Bound, ..plain }
        }
        OracleRecord::Law { .. } => {
            Style { kept: asserted(&fault.parties, sequence, book), ..plain }
        }
        OracleRecord::Sentinel { .. } => Style { last: LastResult::Bound, ..plain },
        // To say that it cannot be written is one way to mend a panic.
        OracleRecord::Panic { .. } => Style { last: LastResult::Tried, ..plain },
        OracleRecord::Hang | OracleRecord::Memory => plain,
    }
}

/// The objects that the last step makes.
fn last_made(sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let Some(at) = sequence.steps.len().checked_sub(1) else { return Vec::new() };
    let makes = book.spelling(sequence.steps[at].op).map_or(0, |spelling| spelling.makes.len());
    let Ok(step) = u32::try_from(at) else { return Vec::new() };
    (0..).take(makes).map(|out| ObjRef { step, out }).collect()
}

/// Those of them that a law is asserted of. Others need no name, and the call may not have made them.
fn asserted(parties: &[LawParty], sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let made = last_made(sequence, book);
    match laws::named(parties, sequence) {
        Some(named)
            if !named.iter().any(|it| made.contains(it) || is_taken(*it, sequence, book)) =>
        {
            Vec::new()
        }
        _ => made,
    }
}

/// Whether the last step takes the object away: what it makes of it is left to be asserted of.
fn is_taken(object: ObjRef, sequence: &Sequence, book: Book<'_>) -> bool {
    let Some(step) = sequence.steps.last() else { return false };
    let mut operands = step.objects().filter(|(_, at)| *at == object);
    operands.any(|(at, _)| {
        book.operand(step.op, at).is_none_or(|param| param.passing == Passing::Owned)
    })
}

/// The objects that any step makes.
pub(super) fn all_made(sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let made = |(step, op): (u32, OpId)| {
        let makes = book.spelling(op).map_or(0, |spelling| spelling.makes.len());
        (0..).take(makes).map(move |out| ObjRef { step, out })
    };
    (0..).zip(sequence.steps.iter().map(|step| step.op)).flat_map(made).collect()
}

/// The statements, and after them the end of every object that is left, the oldest first.
pub(super) fn ended(body: &TokenStream, code: &Code) -> TokenStream {
    let left = code.variables.values().filter(|it| !it.is_moved && !it.ty.is_borrowed());
    let names = left.map(|variable| &variable.name);
    quote!(#body #(drop(#names);)*)
}

/// The statements, and after them a look at what the last step was called on or made, unless its
/// result was shown already.
pub(super) fn looked_at(
    body: &TokenStream,
    sequence: &Sequence,
    book: Book<'_>,
    code: &Code,
) -> TokenStream {
    if gives(sequence, book) {
        return body.clone();
    }
    let objects = last_objects(sequence, book).into_iter();
    let seen = objects.filter_map(|object| code.variables.get(&object).filter(|it| !it.is_moved));
    let names = seen.map(|variable| &variable.name);
    quote!(#body #(println!("{:?}", #names);)*)
}

/// Whether the result of the last step is worth a look by itself.
pub(super) fn gives(sequence: &Sequence, book: Book<'_>) -> bool {
    let last = sequence.steps.last().and_then(|step| book.spelling(step.op));
    last.is_some_and(Spelling::has_plain_result)
}

/// The objects the last step is about, most telling first: what it was called on, what it made.
pub(super) fn last_objects(sequence: &Sequence, book: Book<'_>) -> Vec<ObjRef> {
    let given = sequence.steps.last().into_iter().flat_map(|step| &step.args);
    let given = given.filter_map(|arg| match arg {
        Arg::Object(object) => Some(*object),
        Arg::Plain(_) => None,
    });
    given.chain(last_made(sequence, book)).collect()
}

/// The calls and what is asserted of them.
pub(super) fn body(
    fault: &FaultRecord,
    sequence: &Sequence,
    book: Book<'_>,
    (code, probe): (&mut Code, ProbeForm),
) -> Result<TokenStream, NoWitness> {
    let calls = &code.statements.clone();
    match &fault.oracle {
        OracleRecord::Panic { .. } | OracleRecord::Death { .. } | OracleRecord::Memory => {
            Ok(calls.clone())
        }
        OracleRecord::Probe { what }
            if twist_of(sequence).is_some() && *what != Misuse::BadText =>
        {
            let unmisused = unmisused();
            Ok(quote!({ #calls } #unmisused))
        }
        OracleRecord::Probe { what: Misuse::Leak(_) } => Ok(quote! {
            { #calls }
            assert_eq!(Probe::living(), 0, "elements were never dropped");
        }),
        OracleRecord::Probe { what: what @ Misuse::BadText } => {
            let objects = last_objects(sequence, book);
            let check = texts::assertion(sequence, book, &objects, code)
                .ok_or_else(|| NoWitness::NoAssertion(what.to_string()))?;
            Ok(quote!(#calls #check))
        }
        OracleRecord::Probe { .. } => Ok(calls.clone()),
        OracleRecord::Hang => Ok(in_time(calls)),
        OracleRecord::Law { name: name @ LawId::IsAsOfNew { query, reset } } => {
            fresh::body((query, reset), sequence, book, (code, probe))
                .ok_or_else(|| NoWitness::NoAssertion(name.to_string()))
        }
        OracleRecord::Law { name: law } => law_body(law, fault, sequence, book, (code, probe))
            .ok_or_else(|| NoWitness::NoAssertion(law.to_string())),
        OracleRecord::Sentinel { contract } => {
            let value =
                sentinel(contract).ok_or_else(|| NoWitness::NoAssertion(contract.clone()))?;
            let result = sequence.steps.last().and_then(|step| book.spelling(step.op));
            let result = result.ok_or(NoWitness::NoSequence)?.result.clone();
            let imports = &mut code.imports;
            let (suffix, lets) = (Suffix::Left, &mut Lets::default());
            let value = Literals { imports, probe, suffix, lets }.write(&value, &result);
            Ok(quote! {
                #calls
                assert!(result != #value, "an ordinary result looks like a failure");
            })
        }
    }
}

/// The calls and an assertion of a law: about the last call itself, or about objects.
fn law_body(
    law: &LawId,
    fault: &FaultRecord,
    sequence: &Sequence,
    book: Book<'_>,
    (code, probe): (&mut Code, ProbeForm),
) -> Option<TokenStream> {
    let calls = code.statements.clone();
    if let Some(body) = deeds::body(law, sequence, book, (&mut *code, probe)) {
        return Some(body);
    }
    let objects = laws::lenders(&fault.parties, sequence)
        .or_else(|| laws::named(&fault.parties, sequence))
        .unwrap_or_else(|| last_objects(sequence, book));
    let about = (sequence, &objects[..]);
    let assertions = twins::assertion(law, about, book, (&mut *code, probe))
        .or_else(|| laws::assertions(law, &objects, book, code))?;
    Some(quote!(#calls #assertions))
}

/// Whether a misuse is asserted of by the test, not by elements.
pub(super) fn has_assertion(what: Misuse) -> bool {
    matches!(what, Misuse::Leak(_) | Misuse::BadText)
}

/// The statements in a guard: they may panic, since that is how many such faults are mended, but they
/// must not break memory, which elements count if there are any that do.
pub(super) fn guarded(body: &TokenStream, counts: bool) -> TokenStream {
    let unmisused = counts.then(unmisused);
    quote! {
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| { #body }));
        #unmisused
    }
}

fn unmisused() -> TokenStream {
    quote! {
        assert_eq!(MISUSES.load(Relaxed), 0, "elements were dropped or used that are not alive");
    }
}

/// The same many times, for what only shows now and then.
pub(super) fn repeated(body: &TokenStream) -> TokenStream {
    quote!(for _try_with_other_hash_keys in 0..100 { #body })
}

/// The value that stands for failure in `old(A) ==> result == value`.
pub(super) fn sentinel(contract: &str) -> Option<Value> {
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
