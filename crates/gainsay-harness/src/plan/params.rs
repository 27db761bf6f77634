//! How each parameter of an operation is passed.

use gainsay_model::{
    api::Param,
    skip::SkipReason,
    spelling::{Form, Passing, SpelledParam},
    ty::{Access, GenericArg, Ty},
};
use gainsay_wire::Mode;

use super::{
    PoolTypes,
    closures::{self, PlannedClosure},
    compose,
    plain::{self, Lend, Plain},
};

/// More operands for one parameter would hardly ever be there together.
const MOST_SLOTS: usize = 12;

/// A parameter with its way of being passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedParam {
    /// As in the source.
    pub(crate) name: String,
    /// As in the signature.
    pub(crate) ty: Ty,
    /// What is passed.
    pub(crate) pass: Pass,
}

/// What is passed for a parameter: a tree whose leaves are the operands of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// An object of the pool.
    Object {
        /// Number of its type in the plan.
        ty: usize,
        /// How.
        mode: Mode,
        /// What the pool's type is to the parameter's.
        carrier: Carrier,
    },
    /// A value made on the spot.
    Plain(Plain),
    /// A closure of the runtime's family.
    Closure(Box<PlannedClosure>),
    /// An iterator over a vector of plain values.
    Iter {
        /// The vector's item and how it is lent.
        item: Plain,
    },
    /// A formatter: the whole call runs inside of one.
    Formatter,
    /// Parts put together.
    Composite(Form, Vec<PlannedParam>),
}

/// What the type of an object is to the type that a parameter refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The same.
    Itself,
    /// A shared reference to it, which is copied.
    Shared,
    /// An exclusive reference or a box: it is dereferenced.
    Deref,
}

/// One operand of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// An object.
    Object {
        /// Number of its type in the plan.
        ty: usize,
        /// How it is passed.
        mode: Mode,
    },
    /// A plain value of this type.
    Plain(Ty),
    /// The literal of a closure.
    Closure,
    /// The literal of a closure that may write to what it is lent.
    WritingClosure,
}

/// Why a parameter cannot be passed.
pub(crate) type Refusal = (SkipReason, String);

pub(crate) fn param(param: &Param, pool: &PoolTypes) -> Result<PlannedParam, Refusal> {
    let pass = if is_formatter(&param.ty) { Some(Pass::Formatter) } else { pass(&param.ty, pool) };
    let planned =
        pass.map(|pass| PlannedParam { name: param.name.clone(), ty: param.ty.clone(), pass });
    planned
        .filter(|planned| planned.slots().len() <= MOST_SLOTS)
        .ok_or_else(|| (SkipReason::NoValueForArgument, param.ty.to_string()))
}

impl PlannedParam {
    /// Part of another parameter.
    pub(crate) fn part(ty: &Ty, pass: Pass) -> PlannedParam {
        PlannedParam { name: "part".into(), ty: ty.clone(), pass }
    }

    /// The operands it is made of, in the order in which generated code takes them.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let of = |parts: &[PlannedParam]| parts.iter().flat_map(PlannedParam::slots).collect();
        match &self.pass {
            Pass::Object { ty, mode, .. } => vec![Slot::Object { ty: *ty, mode: *mode }],
            Pass::Plain(plain) => vec![Slot::Plain(plain.owned.clone())],
            Pass::Iter { item } => vec![Slot::Plain(plain::vec(item.owned.clone()))],
            Pass::Closure(closure) if closure.is_function() => Vec::new(),
            Pass::Closure(closure) => {
                let gives = closure.answer.objects();
                let gives = gives.into_iter().flat_map(PlannedParam::slots);
                let writes = closure.written().is_some();
                let own = if writes { Slot::WritingClosure } else { Slot::Closure };
                std::iter::once(own).chain(gives).collect()
            }
            Pass::Formatter => Vec::new(),
            Pass::Composite(_, parts) => of(parts),
        }
    }

    /// The names of the operands, as many.
    pub(crate) fn slot_names(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.slots().len()).map(|at| match at {
            0 => self.name.clone(),
            at => format!("{}_{at}", self.name),
        })
    }

    /// In the words of a witness.
    pub(crate) fn spelled(&self) -> SpelledParam {
        let all = |parts: &[PlannedParam]| parts.iter().map(PlannedParam::spelled).collect();
        let passing = match &self.pass {
            Pass::Object { mode, carrier, .. } => passing(*mode, *carrier),
            Pass::Plain(_) => Passing::Plain,
            Pass::Closure(closure) if closure.is_function() => Passing::Function,
            Pass::Closure(closure) => match closure.answer.objects() {
                objects if objects.is_empty() => Passing::Closure,
                objects => {
                    Passing::Giving(objects.into_iter().map(PlannedParam::spelled).collect())
                }
            },
            Pass::Iter { .. } => Passing::Iterator,
            Pass::Formatter => Passing::Formatter,
            Pass::Composite(form, parts) => Passing::Composite(form.clone(), all(parts)),
        };
        SpelledParam { name: self.name.clone(), passing, ty: self.ty.clone() }
    }
}

fn passing(mode: Mode, carrier: Carrier) -> Passing {
    match (mode, carrier) {
        (Mode::Ref, Carrier::Itself) => Passing::Shared,
        // A copy of the reference.
        (Mode::Ref, Carrier::Shared) | (Mode::Own, _) => Passing::Owned,
        (Mode::Ref, Carrier::Deref) => Passing::SharedThrough,
        (Mode::Mut, Carrier::Itself) => Passing::Exclusive,
        (Mode::Mut, _) => Passing::ExclusiveThrough,
        (Mode::OptRef, Carrier::Itself) => Passing::OptionalShared,
        (Mode::OptRef, _) => Passing::OptionalSharedThrough,
        (Mode::OptOwn, _) => Passing::OptionalOwned,
    }
}

/// How a value of this type is passed, if it can be.
pub(crate) fn pass(ty: &Ty, pool: &PoolTypes) -> Option<Pass> {
    if let Some(object) = object(ty, pool) {
        return Some(object);
    }
    if let Some(plain) = plain::plain(ty) {
        return Some(Pass::Plain(plain));
    }
    match ty {
        Ty::Closure { kind, args, ret } => closures::closure(*kind, args, ret, pool),
        Ty::Iter { item } => match item_of_iterator(item) {
            Some(item) => Some(Pass::Iter { item }),
            None => compose::items(Form::Iterator, item, pool),
        },
        _ => compose::composite(ty, pool),
    }
}

/// An object of the pool for a parameter of this type.
pub(crate) fn object(ty: &Ty, pool: &PoolTypes) -> Option<Pass> {
    match ty {
        Ty::Ref { access: Access::Shared, to } => behind(to, Mode::Ref, pool),
        Ty::Ref { access: Access::Exclusive, to } => behind(to, Mode::Mut, pool),
        _ => itself(ty, Mode::Own, pool).or_else(|| match option_of(ty)? {
            Ty::Ref { access: Access::Shared, to } => behind(to, Mode::OptRef, pool),
            Ty::Ref { .. } => None,
            inner => itself(inner, Mode::OptOwn, pool),
        }),
    }
}

fn itself(ty: &Ty, mode: Mode, pool: &PoolTypes) -> Option<Pass> {
    pool.number(ty).map(|ty| Pass::Object { ty, mode, carrier: Carrier::Itself })
}

/// An object behind a reference: of the type itself, or of one that leads to it.
fn behind(to: &Ty, mode: Mode, pool: &PoolTypes) -> Option<Pass> {
    let pointer =
        |name: &str| Ty::Path { path: name.into(), args: vec![GenericArg::Type(to.clone())] };
    let carried = |ty: Ty, carrier| pool.number(&ty).map(|ty| Pass::Object { ty, mode, carrier });
    let exclusive = || carried(to.clone().exclusive(), Carrier::Deref);
    let boxed = || carried(pointer("std::boxed::Box"), Carrier::Deref);
    let own = itself(to, mode, pool);
    if mode == Mode::Mut {
        return own.or_else(exclusive).or_else(boxed);
    }
    own.or_else(|| carried(to.clone().shared(), Carrier::Shared))
        .or_else(exclusive)
        .or_else(boxed)
        .or_else(|| carried(pointer("std::rc::Rc"), Carrier::Deref))
        .or_else(|| carried(pointer("std::sync::Arc"), Carrier::Deref))
}

fn option_of(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Path { path, args } if path == "std::option::Option" => match args.as_slice() {
            [GenericArg::Type(inner)] => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

fn is_formatter(ty: &Ty) -> bool {
    let Ty::Ref { access: Access::Exclusive, to } = ty else { return false };
    matches!(&**to, Ty::Path { path, .. } if path == "std::fmt::Formatter")
}

fn item_of_iterator(item: &Ty) -> Option<Plain> {
    let plain = plain::plain(item)?;
    match plain.lend {
        Lend::SliceOf(_) | Lend::RefTo(_) | Lend::MutDeref | Lend::MutSlice | Lend::MutOption => {
            None
        }
        _ => Some(plain),
    }
}
