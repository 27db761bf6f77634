//! What a type holds, where no sequence of elements shows it: as a text, by its iterators and
//! slices, and as the last resort by its debug text.

use gainsay_model::{
    api::{Callee, Operation, Shape},
    ty::{GenericArg, Ty},
};

use super::{Looked, PlannedQuery, QueryCall, QueryHow, Rank, calls, planned};
use crate::plan::result::Seen;

/// With fewer queries that are more than yes or no, debug text helps to tell states apart.
const FEW: usize = 2;
/// So many iterators and slices are looked through.
const MOST_LISTS: usize = 2;

/// Views of the contents as a whole, given the views that there are.
pub(super) fn queries(looked: &Looked<'_>, others: &[PlannedQuery]) -> Vec<PlannedQuery> {
    let is_open = matches!(looked.ty.shape, Shape::Open(_));
    if looked.ty.elements.is_some() || is_open || has_text(looked, others) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if looked.has("std::fmt::Display") {
        found.push(planned("to_string", QueryHow::Text, Rank::Contents));
    }
    if found.is_empty() {
        let lists = looked.operations().filter_map(|op| list(looked, op));
        found.extend(lists.take(MOST_LISTS));
    }
    let telling = others.iter().filter(|query| query.arg().is_none() && query.rank != Rank::Truth);
    if found.is_empty() && telling.count() < FEW && looked.has("std::fmt::Debug") {
        found.push(planned("debug", QueryHow::Debug, Rank::Text));
    }
    found
}

/// Whether a query gives all of a text.
fn has_text(looked: &Looked<'_>, others: &[PlannedQuery]) -> bool {
    let gives = |op: &Operation| {
        let is_text = match &op.result {
            Ty::Ref { to, .. } => **to == Ty::Str,
            Ty::Path { path, .. } => path == "std::string::String",
            _ => false,
        };
        let name = calls::own_name(looked.api, &op.callee);
        is_text && op.params.len() == 1 && name.is_some_and(|name| name.starts_with("as_"))
    };
    !others.is_empty() && looked.operations().any(gives)
}

/// A query without argument that lends all as a slice or walks over it.
fn list(looked: &Looked<'_>, op: &Operation) -> Option<PlannedQuery> {
    if op.params.len() != 1 {
        return None;
    }
    let name = match &op.callee {
        Callee::Inherent { name, .. } => name,
        Callee::Trait { path, name, .. } if is_lender(path) => name,
        callee => &calls::own_name(looked.api, callee)?,
    };
    let seen = match &op.result {
        Ty::Ref { to, .. } if matches!(**to, Ty::Slice(_) | Ty::Str) => Seen::LookThrough,
        Ty::Path { path, .. } if path == "std::vec::Vec" => Seen::Look,
        result if *result == Ty::Opaque || is_iterator(looked, result) => Seen::Drain,
        _ => return None,
    };
    let call = QueryCall { through: None, callee: op.callee.clone(), arg: None, seen };
    Some(planned(name.clone(), QueryHow::Call(Box::new(call)), Rank::Contents))
}

fn is_lender(path: &str) -> bool {
    matches!(path, "std::convert::AsRef" | "std::ops::Deref" | "std::borrow::Borrow")
}

/// Whether values of a type are iterators, as far as operations tell.
fn is_iterator(looked: &Looked<'_>, ty: &Ty) -> bool {
    let is_std = matches!(ty, Ty::Path { path, args }
        if path.starts_with("std::") && path.ends_with("Iter") && args.contains(&GenericArg::Lifetime));
    let steps = |op: &Operation| {
        matches!(&op.callee, Callee::Trait { ty: of, path, name, .. }
            if of == ty && path == "std::iter::Iterator" && name == "next")
    };
    is_std || looked.api.operations.iter().any(steps)
}
