//! A text that is none, as an assertion: on what the last call gave, or on what an object says.

use gainsay_model::ty::Ty;
use gainsay_wire::{ObjRef, Sequence};
use proc_macro2::TokenStream;
use quote::quote;

use super::laws::trips::{bare, function};
use crate::{
    code::{Book, Code, LastResult, ident},
    needs::twist_of,
};

/// Queries that tell all of an object in words.
const TELLS: [&str; 3] = ["as_str", "to_string", "deref"];

/// Whether the last call itself gives a text.
pub(super) fn last_result(sequence: &Sequence, book: Book<'_>) -> LastResult {
    if gives_text(sequence, book) { LastResult::Bound } else { LastResult::Ignored }
}

/// After misbehaviour calls are caught, and nobody holds on to what they give.
fn gives_text(sequence: &Sequence, book: Book<'_>) -> bool {
    if twist_of(sequence).is_some() {
        return false;
    }
    let spelling = sequence.steps.last().and_then(|step| book.spelling(step.op));
    spelling.is_some_and(|spelling| match bare(&spelling.result) {
        Ty::Prim(name) => name == "str",
        Ty::Path { path, .. } => path.ends_with("::String"),
        _ => false,
    })
}

pub(super) fn assertion(
    sequence: &Sequence,
    book: Book<'_>,
    objects: &[ObjRef],
    code: &Code,
) -> Option<TokenStream> {
    let text = if gives_text(sequence, book) {
        quote!(result)
    } else {
        let mut living = objects.iter().filter_map(|object| code.variables.get(object));
        let variable = living.find(|variable| !variable.is_moved)?;
        let tells = |name: &&str| {
            book.0.iter().any(|spelling| {
                let receiver = spelling.params.first().map(|param| bare(&param.ty));
                function(spelling) == *name && receiver == Some(&variable.ty)
            })
        };
        let name = &variable.name;
        let tell = ident(TELLS.iter().find(|name| tells(name)).unwrap_or(&"to_string"));
        quote!(#name.#tell())
    };
    Some(quote! {
        let is_text = std::str::from_utf8(#text.as_bytes()).is_ok();
        assert!(is_text, "a text must be UTF-8");
    })
}
