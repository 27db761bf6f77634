//! Which types the runtime can make values of, and how such a value is lent to a parameter that
//! wants a reference: `&str` from a `String`, `Option<&T>` from an `Option<T>`.

use gainsay_model::{
    std_types::{is_plain, unsized_owner},
    ty::{Access, GenericArg, Ty},
};

/// How an owned plain value becomes what the signature asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lend {
    /// Moved in as it is.
    Value,
    /// `&value`
    Whole,
    /// `&*value`: text, paths.
    Deref,
    /// `&value[..]`
    Slice,
    /// A slice whose items are lent themselves, through a vector in between.
    SliceOf(Box<Lend>),
    /// A reference to what is itself lent, through a variable in between.
    RefTo(Box<Lend>),
    /// An array, item by item.
    Array(Box<Lend>),
    /// `Option` of something lent.
    Option(Box<Lend>),
    /// Member by member.
    Tuple(Vec<Lend>),
    /// `&mut value`
    MutWhole,
    /// `&mut *value`: text.
    MutDeref,
    /// `&mut value[..]`
    MutSlice,
    /// `Option<&mut T>`
    MutOption,
}

impl Lend {
    /// Whether the callee may change the value.
    pub(crate) fn is_exclusive(&self) -> bool {
        match self {
            Lend::MutWhole | Lend::MutDeref | Lend::MutSlice | Lend::MutOption => true,
            Lend::RefTo(inner) => inner.is_exclusive(),
            _ => false,
        }
    }
}

/// A plain value for a parameter: the type to make, and how it is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Without references.
    pub(crate) owned: Ty,
    /// From the owned value to the parameter.
    pub(crate) lend: Lend,
}

/// How a parameter of this type is made of a plain value, if it can be.
pub(crate) fn plain(ty: &Ty) -> Option<Plain> {
    match ty {
        Ty::Ref { access: Access::Exclusive, to } => exclusive(to),
        Ty::Ref { access: Access::Shared, to } if matches!(**to, Ty::Ref { .. }) => {
            let Plain { owned, lend } = plain(to)?;
            Some(Plain { owned, lend: Lend::RefTo(Box::new(lend)) })
        }
        Ty::Path { path, args } if path == "std::option::Option" && ty.is_borrowed() => {
            match args.as_slice() {
                [GenericArg::Type(Ty::Ref { access: Access::Exclusive, to })] => {
                    let owned = option(owned(to)?);
                    Some(Plain { owned, lend: Lend::MutOption })
                }
                _ => shared(ty),
            }
        }
        _ => shared(ty),
    }
}

/// How an item is lent out of a collection that stays behind.
pub(crate) fn shared(ty: &Ty) -> Option<Plain> {
    if let Some(owned) = owned(ty) {
        return Some(Plain { owned, lend: Lend::Value });
    }
    match ty {
        Ty::Ref { access: Access::Shared, to } => behind(to),
        Ty::Tuple(items) => {
            let parts: Vec<Plain> = items.iter().map(shared).collect::<Option<_>>()?;
            let (owned, lend) = parts.into_iter().map(|part| (part.owned, part.lend)).unzip();
            Some(Plain { owned: Ty::Tuple(owned), lend: Lend::Tuple(lend) })
        }
        Ty::Array(item, len) => {
            let item = shared(item).filter(|item| !matches!(item.lend, Lend::SliceOf(_)))?;
            let owned = Ty::Array(Box::new(item.owned), *len);
            Some(Plain { owned, lend: Lend::Array(Box::new(item.lend)) })
        }
        Ty::Path { path, args } if path == "std::option::Option" => {
            let [GenericArg::Type(inner)] = args.as_slice() else { return None };
            let inner = shared(inner).filter(|inner| !matches!(inner.lend, Lend::SliceOf(_)))?;
            Some(Plain { owned: option(inner.owned), lend: Lend::Option(Box::new(inner.lend)) })
        }
        _ => None,
    }
}

/// The type itself, if the runtime can make values of it and it borrows nothing.
pub(crate) fn owned(ty: &Ty) -> Option<Ty> {
    is_plain(ty).then(|| ty.clone())
}

/// `Vec<item>`
pub(crate) fn vec(item: Ty) -> Ty {
    Ty::Path { path: "std::vec::Vec".into(), args: vec![GenericArg::Type(item)] }
}

fn option(item: Ty) -> Ty {
    Ty::Path { path: "std::option::Option".into(), args: vec![GenericArg::Type(item)] }
}

fn behind(to: &Ty) -> Option<Plain> {
    if let Some(owned) = unsized_owner(to) {
        return Some(Plain { owned, lend: Lend::Deref });
    }
    match to {
        Ty::Slice(item) => match shared(item)? {
            Plain { owned, lend: Lend::Value } => {
                Some(Plain { owned: vec(owned), lend: Lend::Slice })
            }
            Plain { lend: Lend::SliceOf(_), .. } => None,
            Plain { owned, lend } => {
                Some(Plain { owned: vec(owned), lend: Lend::SliceOf(Box::new(lend)) })
            }
        },
        _ => Some(Plain { owned: owned(to)?, lend: Lend::Whole }),
    }
}

fn exclusive(to: &Ty) -> Option<Plain> {
    match to {
        Ty::Str => Some(Plain { owned: unsized_owner(to)?, lend: Lend::MutDeref }),
        Ty::Slice(item) => Some(Plain { owned: vec(owned(item)?), lend: Lend::MutSlice }),
        _ => Some(Plain { owned: owned(to)?, lend: Lend::MutWhole }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_lent_from_an_owned_value() {
        let check = |ty: Ty, expected: Option<(&str, Lend)>| {
            let found = plain(&ty).map(|plain| (plain.owned.to_string(), plain.lend));
            assert_eq!(found, expected.map(|(key, lend)| (key.to_owned(), lend)), "{ty}");
        };
        check(Ty::prim("usize"), Some(("usize", Lend::Value)));
        check(Ty::Str.shared(), Some(("String", Lend::Deref)));
        check(Ty::Slice(Box::new(Ty::Probe)).shared(), Some(("Vec<Probe>", Lend::Slice)));
        check(Ty::Slice(Box::new(Ty::Probe)).exclusive(), Some(("Vec<Probe>", Lend::MutSlice)));
        check(Ty::prim("u8").exclusive(), Some(("u8", Lend::MutWhole)));
        check(
            option(Ty::Probe.shared()),
            Some(("Option<Probe>", Lend::Option(Lend::Whole.into()))),
        );
        check(
            Ty::Slice(Box::new(Ty::Str.shared())).shared(),
            Some(("Vec<String>", Lend::SliceOf(Lend::Deref.into()))),
        );
        check(
            Ty::Tuple(vec![Ty::Probe.shared(), Ty::prim("i32")]),
            Some(("(Probe, i32)", Lend::Tuple(vec![Lend::Whole, Lend::Value]))),
        );
        check(Ty::named("subject::Thing"), None);
        check(Ty::Str.shared().shared(), Some(("String", Lend::RefTo(Lend::Deref.into()))));
        check(
            Ty::Array(Box::new(Ty::Probe.shared()), 2),
            Some(("[Probe; 2]", Lend::Array(Lend::Whole.into()))),
        );
        check(Ty::named("std::num::NonZeroUsize"), Some(("NonZeroUsize", Lend::Value)));
        check(vec(Ty::Str.shared()), None);
    }
}
