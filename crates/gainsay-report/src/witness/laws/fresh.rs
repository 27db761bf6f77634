//! What was reset beside a fresh object that does the same: the calls are written twice.

use std::collections::BTreeSet;

use gainsay_model::ty::Ty;
use gainsay_wire::{Arg, ObjRef, Sequence};
use proc_macro2::TokenStream;
use quote::quote;

use crate::code::{self, Book, Code, LastResult, ProbeForm, Style, ident};

/// Whether the last call itself tells, or something that is asked after it.
pub(in crate::witness) fn last_result(
    asked: &str,
    sequence: &Sequence,
    book: Book<'_>,
) -> LastResult {
    let last = sequence.steps.last().and_then(|step| book.spelling(step.op));
    match last {
        Some(last) if super::trips::function(last) == asked => LastResult::Bound,
        _ => LastResult::Ignored,
    }
}

/// Both ways to the last call, and that they come to the same.
pub(in crate::witness) fn body(
    (asked, reset): (&str, &str),
    sequence: &Sequence,
    book: Book<'_>,
    (code, probe): (&Code, ProbeForm),
) -> Option<TokenStream> {
    let fresh = without_past(sequence, book, reset)?;
    let last = last_result(asked, sequence, book);
    let style = Style { probe, last, ..Style::default() };
    let [used, fresh] = [
        told(asked, sequence, code, book)?,
        told(asked, &fresh, &code::write(&fresh, book, &style), book)?,
    ];
    let message = format!("after `{reset}` it must be as good as new");
    Some(quote! {
        let used = { #used };
        let fresh = { #fresh };
        assert!(used == fresh, #message);
    })
}

/// The calls and what the last one tells, or what is asked after it.
fn told(asked: &str, sequence: &Sequence, code: &Code, book: Book<'_>) -> Option<TokenStream> {
    let (calls, last) = (&code.statements, sequence.steps.last()?);
    let spelling = book.spelling(last.op)?;
    if super::trips::function(spelling) != asked {
        let Arg::Object(object) = last.args.first()? else { return None };
        let (x, query) = (&code.variables.get(object)?.name, ident(asked));
        return Some(quote!(#calls format!("{:?}", #x.#query())));
    }
    let is_object = !spelling.makes.is_empty();
    // What hides its contents from `Debug` can be compared all the same.
    Some(match &spelling.result {
        Ty::Path { path, .. } if is_object && path.ends_with("::Result") => {
            quote!(#calls result.ok())
        }
        result if is_object && !result.is_borrowed() => quote!(#calls result),
        _ => quote!(#calls format!("{result:?}")),
    })
}

/// The sequence without what happened to the object of the last step up to its last reset.
fn without_past(sequence: &Sequence, book: Book<'_>, reset: &str) -> Option<Sequence> {
    let Arg::Object(object) = sequence.steps.last()?.args.first()? else { return None };
    let meets = |at: usize| sequence.steps[at].objects().any(|(_, with)| with == *object);
    let is_reset = |at: &usize| {
        let spelling = book.spelling(sequence.steps[*at].op);
        meets(*at) && spelling.is_some_and(|spelling| super::trips::function(spelling) == reset)
    };
    let last_reset = (0..sequence.steps.len()).rev().find(is_reset)?;
    let mut gone: BTreeSet<u32> = BTreeSet::new();
    for (at, step) in (0..).zip(&sequence.steps) {
        let depends = step.objects().any(|(_, with): (_, ObjRef)| gone.contains(&with.step));
        let is_past = at > object.step && at as usize <= last_reset && meets(at as usize);
        if depends || is_past {
            gone.insert(at);
        }
    }
    let mut numbers = std::collections::BTreeMap::new();
    let mut steps = Vec::new();
    for (at, step) in (0..).zip(&sequence.steps).filter(|(at, _)| !gone.contains(at)) {
        steps.push(step.renumber_with(|step| numbers.get(&step).copied())?);
        numbers.insert(at, u32::try_from(steps.len() - 1).ok()?);
    }
    let is_whole = !gone.contains(&u32::try_from(sequence.steps.len() - 1).ok()?);
    is_whole.then_some(Sequence { steps })
}
