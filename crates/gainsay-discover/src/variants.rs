//! One more instance of a type where another value of a parameter shows what the first one hides:
//! a container for one element, and elements of which some are not even equal to themselves.

use gainsay_model::ty::{GenericArg, Ty};
use rustdoc_types::{GenericBound, GenericParamDef, GenericParamDefKind, Generics, Id, Path, Type};

use crate::{
    capabilities::{ARITHMETIC, Answer, mentions_probe, predicates},
    index::{Implementation, is_lifetime},
    lower::Concrete,
};

/// Integers of the catalogue and of impls that a macro writes.
const INTEGERS: &[&str] =
    &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Traits that put elements in, take them out or get rid of them.
const WANTED: &[&str] = &[
    "std::clone::Clone",
    "std::default::Default",
    "std::iter::DoubleEndedIterator",
    "std::iter::Extend",
    "std::iter::FromIterator",
    "std::iter::IntoIterator",
    "std::iter::Iterator",
    "std::ops::Drop",
];

/// Another instance of a type, with how many functions it has.
pub(crate) struct Variant {
    pub(crate) ty: Ty,
    pub(crate) functions: usize,
}

/// Other instances of one of the subject's types, given those that were chosen.
pub(crate) fn variants(concrete: &Concrete<'_>, id: Id, chosen: &[Ty]) -> Vec<Variant> {
    let Some(generics) = concrete.index.type_generics(id) else { return Vec::new() };
    let Some(first) = chosen.first() else { return Vec::new() };
    let probed = chosen.iter().find(|ty| mentions_probe(ty)).unwrap_or(first);
    let impls = impls_of(concrete, id);
    if !impls.iter().any(|imp| has_origin(concrete, *imp)) {
        // Others give it, and of what they have variants.
        return Vec::new();
    }
    let wanted = functions(concrete, &impls, first);
    let floats = chosen.iter().find_map(|ty| of_floats(generics, &impls, ty));
    let all = [smallest(concrete, generics, probed), floats];
    all.into_iter()
        .flatten()
        .filter(|ty| !chosen.contains(ty) && is_sound(concrete, generics, ty))
        .map(|ty| Variant { functions: functions(concrete, &impls, &ty), ty })
        // What most functions do not take is no instance to test them with.
        .filter(|variant| variant.functions * 4 >= wanted * 3)
        .collect()
}

/// Whether functions of a trait, or of none, are called on variants: what only looks at a value or
/// hands it on shows little more than it does for the first instance.
pub(crate) fn is_wanted(concrete: &Concrete<'_>, of: Option<&Path>) -> bool {
    of.is_none_or(|path| WANTED.contains(&concrete.index.trait_name(path).as_str()))
}

/// Whether values are made without others.
fn has_origin(concrete: &Concrete<'_>, imp: Implementation<'_>) -> bool {
    let mut functions = concrete.index.functions(&imp.inner.items);
    is_wanted(concrete, imp.inner.trait_.as_ref())
        && functions
            .any(|(_, function)| function.sig.inputs.first().is_none_or(|(name, _)| name != "self"))
}

/// How many functions impl blocks have for an instance.
pub(crate) fn count(concrete: &Concrete<'_>, id: Id, ty: &Ty) -> usize {
    of_impls(concrete, impls_of(concrete, id).iter(), ty)
}

/// How many of them are called on variants.
fn functions(concrete: &Concrete<'_>, impls: &[Implementation<'_>], ty: &Ty) -> usize {
    let own = impls.iter().filter(|imp| is_wanted(concrete, imp.inner.trait_.as_ref()));
    of_impls(concrete, own, ty)
}

fn of_impls<'a>(
    concrete: &Concrete<'_>,
    impls: impl Iterator<Item = &'a Implementation<'a>>,
    ty: &Ty,
) -> usize {
    let own = impls.filter(|imp| concrete.applies_to(**imp, ty));
    own.map(|imp| imp.inner.items.len()).sum()
}

fn impls_of<'a>(concrete: &Concrete<'a>, id: Id) -> Vec<Implementation<'a>> {
    let of_type = |imp: &&Implementation<'a>| concrete.index.head(&imp.inner.for_) == Some(id);
    concrete.index.impls.iter().filter(of_type).copied().collect()
}

/// Whether an instance keeps the bounds of its definition.
pub(crate) fn is_sound(concrete: &Concrete<'_>, generics: &Generics, ty: &Ty) -> bool {
    let Ty::Path { args, .. } = ty else { return false };
    concrete
        .assign(generics, args.clone())
        .is_ok_and(|env| predicates(generics).iter().all(|p| concrete.check(p, &env) != Answer::No))
}

/// The type with another value for each parameter that `change` has one for.
fn changed(
    generics: &Generics,
    ty: &Ty,
    change: impl Fn(&GenericParamDef, &GenericArg) -> Option<GenericArg>,
) -> Option<Ty> {
    let Ty::Path { path, args } = ty else { return None };
    let mut args = args.clone();
    let mut any = false;
    let values = args.iter_mut().filter(|arg| **arg != GenericArg::Lifetime);
    for (param, arg) in generics.params.iter().filter(|param| !is_lifetime(param)).zip(values) {
        if let Some(value) = change(param, arg) {
            any |= value != *arg;
            *arg = value;
        }
    }
    any.then(|| Ty::Path { path: path.clone(), args })
}

/// Room for one.
fn smallest(concrete: &Concrete<'_>, generics: &Generics, ty: &Ty) -> Option<Ty> {
    changed(generics, ty, |param, arg| match arg {
        GenericArg::Type(ty) => {
            let shorter = leading_digit(ty).cloned();
            shorter.or_else(|| inner_size(concrete, ty)).map(GenericArg::Type)
        }
        _ => size(param),
    })
}

fn size(param: &GenericParamDef) -> Option<GenericArg> {
    let is_size = match &param.kind {
        GenericParamDefKind::Const { type_, .. } => *type_ == Type::Primitive("usize".into()),
        _ => false,
    };
    is_size.then(|| GenericArg::Const("1".into()))
}

/// The size may be that of a storage which a type has for a parameter.
fn inner_size(concrete: &Concrete<'_>, ty: &Ty) -> Option<Ty> {
    let Ty::Path { path, .. } = ty else { return None };
    let id = concrete.index.types.get(path)?;
    smallest(concrete, concrete.index.type_generics(*id)?, ty)
}

/// A number as a type is a list of its digits, the leading one inmost: alone it is one.
fn leading_digit(ty: &Ty) -> Option<&Ty> {
    let more = |ty: &Ty| match ty {
        Ty::Path { path, args } => match args.first() {
            Some(GenericArg::Type(Ty::Path { path: inner, .. })) => inner == path,
            _ => false,
        },
        _ => false,
    };
    let Ty::Path { args, .. } = ty else { return None };
    match args.first() {
        Some(GenericArg::Type(inner)) if more(ty) => leading_digit(inner).or(Some(inner)),
        _ => None,
    }
}

/// Floats for integers or probes, where an order is asked for that need not be total, or arithmetic.
fn of_floats(generics: &Generics, impls: &[Implementation<'_>], ty: &Ty) -> Option<Ty> {
    let names_numbers =
        |generics: &Generics| predicates(generics).iter().any(|p| p.bounds.iter().any(is_numeric));
    let own = impls.iter().filter(|imp| imp.inner.trait_.is_none());
    if !names_numbers(generics) && !own.into_iter().any(|imp| names_numbers(&imp.inner.generics)) {
        return None;
    }
    changed(generics, ty, |param, arg| {
        let is_free = matches!(param.kind, GenericParamDefKind::Type { default: None, .. });
        let is_replaced = match arg {
            GenericArg::Type(Ty::Prim(name)) => INTEGERS.contains(&name.as_str()),
            GenericArg::Type(ty) => *ty == Ty::Probe,
            _ => false,
        };
        (is_free && is_replaced).then(|| GenericArg::Type(Ty::prim("f64")))
    })
}

/// Whether a bound speaks of an order that need not be total, or of arithmetic.
fn is_numeric(bound: &GenericBound) -> bool {
    let GenericBound::TraitBound { trait_, .. } = bound else { return false };
    let short = trait_.path.rsplit("::").next().unwrap_or_default();
    short == "PartialOrd" || ARITHMETIC.contains(&short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(digits: &[&str]) -> Ty {
        digits.iter().fold(Ty::named("numbers::End"), |inner, digit| Ty::Path {
            path: "numbers::More".into(),
            args: vec![
                GenericArg::Type(inner),
                GenericArg::Type(Ty::named(format!("numbers::{digit}"))),
            ],
        })
    }

    #[test]
    fn the_leading_digit_of_a_number_is_one() {
        let check = |digits: &[&str], expected: Option<Ty>| {
            assert_eq!(leading_digit(&number(digits)), expected.as_ref(), "{digits:?}");
        };
        check(&["One", "Zero", "Zero"], Some(number(&["One"])));
        check(&["One", "One"], Some(number(&["One"])));
        check(&["One"], None);
        check(&[], None);
    }

    #[test]
    fn sizes_become_one_and_other_constants_stay() {
        let param = |name: &str, kind| GenericParamDef { name: name.into(), kind };
        let constant = |ty: &str| GenericParamDefKind::Const {
            type_: Type::Primitive(ty.into()),
            default: None,
        };
        let generics = Generics {
            params: vec![param("N", constant("usize")), param("B", constant("bool"))],
            where_predicates: Vec::new(),
        };
        let ty = |args: [&str; 2]| Ty::Path {
            path: "of::Size".into(),
            args: args.map(|arg| GenericArg::Const(arg.into())).to_vec(),
        };
        let size = |param: &GenericParamDef, _: &GenericArg| size(param);
        assert_eq!(changed(&generics, &ty(["4", "false"]), size), Some(ty(["1", "false"])));
        assert_eq!(changed(&generics, &ty(["1", "false"]), size), None);
    }
}
