//! What the definition of a type shows to everyone: public fields, names of variants.

use gainsay_model::{
    api::{Param, Shape},
    ty::{GenericArg, Ty},
};
use rustdoc_types::{Id, Item, ItemEnum, StructKind, Type, Visibility};

use crate::lower::{Concrete, Env};

/// More variants are a list of codes, not a state.
const MOST_VARIANTS: usize = 64;

/// The public part of a type's definition; that of what a reference or a box leads to.
pub(crate) fn shape(concrete: &Concrete<'_>, ty: &Ty) -> Shape {
    match ty {
        Ty::Ref { to, .. } => shape(concrete, to),
        Ty::Path { path, args } => match concrete.index.types.get(path) {
            Some(id) => definition(concrete, *id, args).unwrap_or_default(),
            None => match args.as_slice() {
                [GenericArg::Type(to)] if is_box(path) => shape(concrete, to),
                _ => Shape::Closed,
            },
        },
        _ => Shape::Closed,
    }
}

fn is_box(path: &str) -> bool {
    matches!(path, "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc")
}

fn definition(concrete: &Concrete<'_>, id: Id, args: &[GenericArg]) -> Option<Shape> {
    let item = concrete.index.item(id)?;
    match &item.inner {
        ItemEnum::Struct(inner) => {
            let env = concrete.assign(&inner.generics, args.to_vec()).ok()?;
            let (all, stripped): (Vec<Option<Id>>, bool) = match &inner.kind {
                StructKind::Unit => return None,
                StructKind::Tuple(fields) => (fields.clone(), false),
                StructKind::Plain { fields, has_stripped_fields } => {
                    (fields.iter().copied().map(Some).collect(), *has_stripped_fields)
                }
            };
            let fields: Vec<Param> =
                all.iter().filter_map(|id| field(concrete, (*id)?, &env)).collect();
            let is_open = !stripped && fields.len() == all.len();
            match fields.is_empty() {
                true => None,
                false if is_open => Some(Shape::Open(fields)),
                false => Some(Shape::Partly(fields)),
            }
        }
        ItemEnum::Enum(inner) => {
            let variants = inner.variants.iter().filter_map(|id| concrete.index.item(*id));
            let names: Vec<String> = variants.filter_map(|variant| variant.name.clone()).collect();
            let tells = (2..=MOST_VARIANTS).contains(&names.len());
            tells.then_some(Shape::Variants(names))
        }
        _ => None,
    }
}

/// Whether a field holds memory that its type vouches for. Though it be public, what is in it need not be
/// a value, so nobody else looks at it or fills it.
pub(crate) fn held_by_hand(ty: &Type) -> bool {
    const BY_HAND: [&str; 4] = ["ManuallyDrop", "MaybeUninit", "NonNull", "UnsafeCell"];
    match ty {
        Type::RawPointer { .. } => true,
        Type::ResolvedPath(path) => {
            path.path.rsplit("::").next().is_some_and(|name| BY_HAND.contains(&name))
        }
        _ => false,
    }
}

fn field(concrete: &Concrete<'_>, id: Id, env: &Env) -> Option<Param> {
    let item: &Item = concrete.index.item(id)?;
    let ItemEnum::StructField(ty) = &item.inner else { return None };
    if held_by_hand(ty) {
        return None;
    }
    let name = item.name.clone().filter(|_| item.visibility == Visibility::Public)?;
    Some(Param { name, ty: concrete.lower_result(ty, env) })
}
