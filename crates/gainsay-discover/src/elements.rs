//! How the elements of a value can be seen through a shared reference.

use gainsay_model::{
    api::Elements,
    ty::{Access, Ty},
};
use rustdoc_types::{Function, ItemEnum, Type, Visibility};

use crate::{callables::head, lower::Concrete};

/// The best way to see a type's elements, if there is one.
pub(crate) fn elements(concrete: &Concrete<'_>, ty: &Ty) -> Option<Elements> {
    if let Ty::Ref { to, .. } = ty {
        // Methods see through references, traits do not.
        return has_query(concrete, to, "iter").then_some(Elements::Iter);
    }
    if has_query(concrete, ty, "iter") {
        Some(Elements::Iter)
    } else if implements(concrete, &ty.clone().shared(), "IntoIterator") {
        Some(Elements::IntoIterator)
    } else if derefs_to_slice(concrete, ty) {
        Some(Elements::DerefSlice)
    } else if has_query(concrete, ty, "as_slice") && is_list(concrete, ty) {
        Some(Elements::AsSlice)
    } else if implements(concrete, ty, "Iterator") && implements(concrete, ty, "Clone") {
        Some(Elements::CloneIter)
    } else {
        None
    }
}

/// Whether a slice of it is its elements, not the words that they are packed into: it lends itself
/// as one, or yields what is left of one.
fn is_list(concrete: &Concrete<'_>, ty: &Ty) -> bool {
    ["AsRef", "Borrow", "Iterator"].iter().any(|name| implements(concrete, ty, name))
}

/// An inherent `fn name(&self) -> _` without further arguments.
fn has_query(concrete: &Concrete<'_>, ty: &Ty, name: &str) -> bool {
    concrete.index.impls.iter().any(|imp| {
        imp.inner.trait_.is_none()
            && concrete.applies_to(*imp, ty)
            && concrete.index.functions(&imp.inner.items).any(|(item, function)| {
                item.name.as_deref() == Some(name)
                    && item.visibility == Visibility::Public
                    && is_plain_query(function)
            })
    })
}

fn is_plain_query(function: &Function) -> bool {
    let shared = |ty: &Type| matches!(ty, Type::BorrowedRef { is_mutable: false, .. });
    !function.header.is_unsafe
        && function.sig.output.is_some()
        && matches!(function.sig.inputs.as_slice(), [(name, ty)] if name == "self" && shared(ty))
}

fn implements(concrete: &Concrete<'_>, ty: &Ty, name: &str) -> bool {
    let is_shared = matches!(ty, Ty::Ref { access: Access::Shared, .. });
    concrete.index.impls.iter().any(|imp| {
        imp.inner.trait_.as_ref().is_some_and(|path| path.path.rsplit("::").next() == Some(name))
            && head(&imp.inner.for_).is_some()
            && is_shared == matches!(imp.inner.for_, Type::BorrowedRef { .. })
            && concrete.applies_to(*imp, ty)
    })
}

fn derefs_to_slice(concrete: &Concrete<'_>, ty: &Ty) -> bool {
    concrete.index.impls.iter().any(|imp| {
        let is_deref = imp
            .inner
            .trait_
            .as_ref()
            .is_some_and(|path| concrete.index.trait_name(path) == "std::ops::Deref");
        let target = imp.inner.items.iter().filter_map(|id| concrete.index.item(*id)).any(|item| {
            matches!(&item.inner, ItemEnum::AssocType { type_: Some(Type::Slice(_)), .. })
        });
        is_deref && target && concrete.applies_to(*imp, ty)
    })
}
