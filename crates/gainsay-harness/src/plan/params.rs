//! How each parameter of an operation is passed.

use gainsay_model::{
    api::Param,
    skip::SkipReason,
    spelling::Passing,
    ty::{Access, GenericArg, Ty},
};
use gainsay_wire::Mode;

use super::{
    PoolTypes,
    plain::{self, Lend, Plain},
};

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

/// What is passed for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// An object of the pool.
    Object {
        /// Number of its type in the plan.
        ty: usize,
        /// How.
        mode: Mode,
    },
    /// A value made on the spot.
    Plain(Plain),
    /// A closure of the runtime's family.
    Closure {
        /// Argument types.
        args: Vec<Ty>,
        /// What it answers.
        answer: Answer,
    },
    /// An iterator over a vector of plain values.
    Iter {
        /// The vector's item and how it is lent.
        item: Plain,
    },
}

/// What a closure gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A plain value of this type.
    Plain(Ty),
    /// Its n-th argument.
    Argument(usize),
}

/// Why a parameter cannot be passed.
pub(crate) type Refusal = (SkipReason, String);

pub(crate) fn param(param: &Param, pool: &PoolTypes) -> Result<PlannedParam, Refusal> {
    let pass = pass(&param.ty, pool)?;
    Ok(PlannedParam { name: param.name.clone(), ty: param.ty.clone(), pass })
}

impl Pass {
    /// In the words of a witness.
    pub(crate) fn passing(&self) -> Passing {
        match self {
            Pass::Object { mode: Mode::Ref, .. } => Passing::Shared,
            Pass::Object { mode: Mode::Mut, .. } => Passing::Exclusive,
            Pass::Object { mode: Mode::Own, .. } => Passing::Owned,
            Pass::Object { mode: Mode::OptRef, .. } => Passing::OptionalShared,
            Pass::Object { mode: Mode::OptOwn, .. } => Passing::OptionalOwned,
            Pass::Plain(_) => Passing::Plain,
            Pass::Closure { .. } => Passing::Closure,
            Pass::Iter { .. } => Passing::Iterator,
        }
    }

    /// The type of the value that is made on the spot; `None` for objects and closures.
    pub(crate) fn owned(&self) -> Option<Ty> {
        match self {
            Pass::Object { .. } | Pass::Closure { .. } => None,
            Pass::Plain(plain) => Some(plain.owned.clone()),
            Pass::Iter { item } => Some(plain::vec(item.owned.clone())),
        }
    }
}

fn pass(ty: &Ty, pool: &PoolTypes) -> Result<Pass, Refusal> {
    if let Some(object) = object(ty, pool) {
        return Ok(object);
    }
    let refused = || (SkipReason::NoValueForArgument, ty.to_string());
    match ty {
        Ty::Closure { args, ret, .. } => {
            let answer = answer(args, ret).ok_or_else(refused)?;
            Ok(Pass::Closure { args: args.clone(), answer })
        }
        Ty::Iter { item } => Ok(Pass::Iter { item: item_of_iterator(item).ok_or_else(refused)? }),
        _ => plain::plain(ty).map(Pass::Plain).ok_or_else(refused),
    }
}

fn object(ty: &Ty, pool: &PoolTypes) -> Option<Pass> {
    let (inner, mode) = match ty {
        Ty::Ref { access: Access::Shared, to } => (&**to, Mode::Ref),
        Ty::Ref { access: Access::Exclusive, to } => (&**to, Mode::Mut),
        Ty::Path { path, args } if path == "std::option::Option" => match args.as_slice() {
            [GenericArg::Type(Ty::Ref { access: Access::Shared, to })] => (&**to, Mode::OptRef),
            _ => (ty, Mode::Own),
        },
        _ => (ty, Mode::Own),
    };
    pool.number(inner).map(|ty| Pass::Object { ty, mode })
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

fn answer(args: &[Ty], ret: &Ty) -> Option<Answer> {
    if let Some(owned) = plain::owned(ret) {
        return Some(Answer::Plain(owned));
    }
    if let Ty::Iter { item } = ret {
        return Some(Answer::Plain(plain::vec(plain::owned(item)?)));
    }
    args.iter().position(|arg| arg == ret).map(Answer::Argument)
}
