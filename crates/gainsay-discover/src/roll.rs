//! The roll of public callables: what is counted, by name, before anything is skipped.

use gainsay_model::api::{OpKind, PublicCallable, Safety};
use rustdoc_types::Type;

use crate::callables::{Callable, Owner};

/// Counted callables, by path.
pub(crate) fn call<'a>(all: impl Iterator<Item = &'a Callable<'a>>) -> Vec<PublicCallable> {
    let counted = all.filter(|callable| callable.is_counted());
    let mut roll: Vec<PublicCallable> = counted.map(entry).collect();
    roll.sort_by(|a, b| a.path.cmp(&b.path));
    roll
}

fn entry(callable: &Callable<'_>) -> PublicCallable {
    let is_unsafe = callable.function.header.is_unsafe;
    PublicCallable {
        path: callable.path.clone(),
        owner: owner(callable),
        kind: kind(callable),
        safety: if is_unsafe { Safety::Unsafe } else { Safety::Safe },
    }
}

/// What stands before the function's name in its path.
fn owner(callable: &Callable<'_>) -> Option<String> {
    let path = &callable.path;
    let before = match &callable.owner {
        Owner::Free(_) | Owner::Constructor { .. } => None,
        Owner::Trait { .. } => path.split_once(" as "),
        Owner::Inherent { .. } => path.rsplit_once("::"),
    };
    before.map(|(owner, _)| owner.to_owned())
}

fn kind(callable: &Callable<'_>) -> OpKind {
    let first = callable.function.sig.inputs.first();
    match first.filter(|(name, _)| name == "self").map(|(_, ty)| ty) {
        None => OpKind::Origin,
        Some(Type::BorrowedRef { is_mutable: false, .. }) => OpKind::Query,
        Some(Type::BorrowedRef { .. }) => OpKind::Command,
        Some(_) => OpKind::Consumer,
    }
}
