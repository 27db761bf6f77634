//! Laws as assertions.

mod arithmetic;
mod collections;
pub(super) mod deeds;
pub(super) mod fresh;
mod gathering;
mod iterators;
pub(super) mod trips;
pub(super) mod twins;
mod values;

use std::collections::BTreeMap;

use gainsay_wire::{Arg, LawId, LawParty, ObjRef, Sequence};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    code::{Book, Code, Variable},
    record::OracleRecord,
};

/// The objects from which those of the last step came, the nearest first, if the finding is about
/// what they borrowed from.
pub(super) fn lenders(parties: &[LawParty], sequence: &Sequence) -> Option<Vec<ObjRef>> {
    if !parties.contains(&LawParty::Lender) {
        return None;
    }
    let mut found: Vec<ObjRef> = sequence.steps.last()?.objects().map(|(_, at)| at).collect();
    let mut at = 0;
    while let Some(object) = found.get(at).copied() {
        let makers = sequence.steps.get(object.step as usize).into_iter();
        let more = makers.flat_map(|step| step.objects().map(|(_, at)| at).collect::<Vec<_>>());
        found.extend(more);
        at += 1;
    }
    let own = sequence.steps.last()?.objects().count();
    Some(found.split_off(own))
}

/// The objects that a finding is about; `None` where it is about none in particular.
pub(super) fn named(parties: &[LawParty], sequence: &Sequence) -> Option<Vec<ObjRef>> {
    let at = sequence.steps.len().checked_sub(1)?;
    let object = |party: &LawParty| match *party {
        LawParty::Operand(operand) => match sequence.steps[at].args.get(operand as usize)? {
            Arg::Object(object) => Some(*object),
            Arg::Plain(_) => None,
        },
        LawParty::Made(out) => Some(ObjRef { step: u32::try_from(at).ok()?, out }),
        LawParty::Lender => None,
    };
    if parties.is_empty() { None } else { parties.iter().map(object).collect() }
}

/// Assertions of a law on the objects of the last step; `None` for a law that cannot be written.
pub(super) fn assertions(
    law: &LawId,
    objects: &[ObjRef],
    book: Book<'_>,
    code: &mut Code,
) -> Option<TokenStream> {
    let Code { variables, imports, .. } = code;
    let variable = objects.iter().filter_map(|object| variables.get(object)).find(|v| !v.is_moved);
    let mut subject = trips::Subject { book, variable: variable?, imports };
    let own = &variables.iter().find(|(_, known)| known.name == subject.x())?.0;
    let other = objects.iter().find(|object| object != own);
    let other = other.and_then(|other| variables.get(other)).filter(|other| !other.is_moved);
    let assertion = subject
        .computed(law, other.map(|other| &other.name))
        .or_else(|| subject.computed(law, None))
        .or_else(|| subject.gathered(law))
        .or_else(|| subject.assertion(law))
        .or_else(|| about_objects(law, objects, variables))?;
    subject.import_traits(&assertion);
    Some(assertion)
}

/// Assertions that take no more than the objects.
fn about_objects(
    law: &LawId,
    objects: &[ObjRef],
    variables: &BTreeMap<ObjRef, Variable>,
) -> Option<TokenStream> {
    let living = |object: &ObjRef| variables.get(object).filter(|v| !v.is_moved);
    let (object, subject) =
        objects.iter().find_map(|object| living(object).map(|variable| (object, variable)))?;
    // The other one that the finding names, or any that it could be about.
    let is_named = |other: &ObjRef| {
        let same = |object: &&ObjRef| living(object).is_some_and(|v| v.ty == subject.ty);
        let mut named = objects.iter().filter(|known| *known != object).filter(same);
        named.clone().next().is_none() || named.any(|known| known == other)
    };
    let others = variables.iter().filter(|(other, variable)| {
        *other != object && !variable.is_moved && variable.ty == subject.ty && is_named(other)
    });
    let others: Vec<&Ident> = others.map(|(_, variable)| &variable.name).collect();
    let x = &subject.name;
    let all: Vec<&Ident> = objects.iter().filter_map(living).map(|it| &it.name).collect();
    if let Some(assertion) =
        <[&Ident; 3]>::try_from(all).ok().and_then(|all| values::all_three(law, all))
    {
        return Some(assertion);
    }
    if let Some(assertion) = alone(law, x) {
        return Some(assertion);
    }
    if others.is_empty() {
        // A law about two objects that one object breaks, it breaks together with its equal.
        let check = values::together(law, x, &Ident::new("twin", x.span()))?;
        return Some(quote!(let twin = #x.clone(); #check));
    }
    others.into_iter().map(|other| values::together(law, x, other)).collect()
}

/// Laws about one object.
fn alone(law: &LawId, x: &Ident) -> Option<TokenStream> {
    values::alone(law, x)
        .or_else(|| iterators::of_object(law, x))
        .or_else(|| iterators::of_method(law, x))
        .or_else(|| collections::convention(law, x))
}

/// The functions that an assertion needs beside the test.
pub(super) fn helpers(oracle: &OracleRecord, body: &TokenStream) -> Vec<TokenStream> {
    let OracleRecord::Law { .. } = oracle else { return Vec::new() };
    let calls = |name: &str| body.to_string().contains(&format!("{name} ("));
    let hash = quote! {
        fn hash(value: &impl std::hash::Hash) -> u64 {
            let mut hasher = std::hash::DefaultHasher::new();
            value.hash(&mut hasher);
            std::hash::Hasher::finish(&hasher)
        }
    };
    let shown = quote! {
        /// What is listed, as text: whoever lists it, by value or by reference.
        fn shown<T: std::fmt::Debug>(items: impl IntoIterator<Item = T>) -> Vec<String> {
            items.into_iter().map(|item| format!("{item:?}")).collect()
        }
    };
    [("hash", hash), ("shown", shown), ("is_near", arithmetic::near())]
        .into_iter()
        .filter_map(|(name, helper)| calls(name).then_some(helper))
        .collect()
}
