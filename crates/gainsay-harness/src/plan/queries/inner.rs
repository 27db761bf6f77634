//! Views of the objects that an object leads to, by a query without argument or by a public
//! field: `self.front()?.len()`, `self.pre.is_empty()`.

use gainsay_model::{
    api::{Api, Operation},
    ty::{Access, GenericArg, Ty},
};

use super::{Hop, Looked, PlannedQuery, QueryCall, QueryHow, Rank, Through, calls, planned};
use crate::plan::result;

/// So many of a type.
const MOST: usize = 6;
/// So many through one and the same inner object.
const MOST_EACH: usize = 3;
/// On what a query returned these are tests of an option, not methods of an inner object.
const TESTS: [&str; 5] = ["is_some", "is_none", "is_ok", "is_err", "unwrap"];

/// Simple queries of inner objects.
pub(super) fn queries(looked: &Looked<'_>) -> Vec<PlannedQuery> {
    let mut found = Vec::new();
    for (text, through, ty) in ways(looked) {
        let simple = looked.api.operations.iter().filter(|op| is_simple(op, &ty));
        found.extend(simple.filter_map(|op| query(looked, (&text, &through), op)).take(MOST_EACH));
    }
    found.truncate(MOST);
    found
}

fn query(
    looked: &Looked<'_>,
    (text, through): (&str, &Through),
    op: &Operation,
) -> Option<PlannedQuery> {
    let name = calls::own_name(looked.api, &op.callee)?;
    if TESTS.contains(&name.as_str()) {
        return None;
    }
    let (seen, makes) = result::result(&op.result, looked.pool);
    let call = QueryCall {
        through: Some(through.clone()),
        callee: op.callee.clone(),
        arg: None,
        seen: if through.optional { result::Seen::Option(Box::new(seen)) } else { seen },
    };
    let how = QueryHow::Call(Box::new(call));
    makes.is_empty().then(|| planned(format!("{text}.{name}()"), how, Rank::Inner))
}

/// An argument-less query with a simple result.
fn is_simple(op: &Operation, ty: &Ty) -> bool {
    let rank = calls::rank(&op.result);
    calls::is_receiver(op, ty) && op.params.len() == 1 && rank <= Rank::Compound
}

/// The ways to inner objects of the subject: the text, the way, the type at its end.
fn ways(looked: &Looked<'_>) -> Vec<(String, Through, Ty)> {
    let api = looked.api;
    let calls = looked.operations().filter(|op| op.params.len() == 1);
    let calls = calls.filter_map(|op| {
        let name = calls::own_name(api, &op.callee)?;
        let (optional, ty) = by_reference(api, &op.result)?;
        let through = Through { by: Hop::Call(op.callee.clone()), optional, by_ref: true };
        Some((format!(".{name}(){}", mark(optional)), through, ty))
    });
    let fields = looked.ty.shape.public_fields();
    let fields = fields.iter().filter_map(|field| {
        let (optional, ty) = in_place(api, &field.ty)?;
        let by = Hop::Field(field.name.clone());
        let through = Through { by, optional, by_ref: false };
        Some((format!(".{}{}", field.name, mark(optional)), through, ty))
    });
    calls.chain(fields).collect()
}

fn mark(optional: bool) -> &'static str {
    if optional { "?" } else { "" }
}

/// `&N` or `Option<&N>`
fn by_reference(api: &Api, ty: &Ty) -> Option<(bool, Ty)> {
    match ty {
        Ty::Ref { access: Access::Shared, to } if calls::is_ours(api, to) => {
            Some((false, (**to).clone()))
        }
        _ => optional(ty).and_then(|inner| match by_reference(api, inner)? {
            (false, ty) => Some((true, ty)),
            (true, _) => None,
        }),
    }
}

/// `N` or `Option<N>`
fn in_place(api: &Api, ty: &Ty) -> Option<(bool, Ty)> {
    if calls::is_ours(api, ty) {
        return Some((false, ty.clone()));
    }
    optional(ty).filter(|inner| calls::is_ours(api, inner)).map(|inner| (true, inner.clone()))
}

fn optional(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Path { path, args } if path == "std::option::Option" => match args.as_slice() {
            [GenericArg::Type(inner)] => Some(inner),
            _ => None,
        },
        _ => None,
    }
}
