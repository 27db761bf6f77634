//! What is done with a result: which parts are kept as objects, which are only looked at.

use gainsay_model::{
    spelling::{Made, Unpack},
    ty::{Access, GenericArg, Ty},
};

use super::{PoolTypes, plain};

/// How many objects of one collection are kept.
const KEPT_ITEMS: usize = 4;

/// What is done with a part of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The call does not return.
    Never,
    /// An owned value: looked at through a reference.
    Look,
    /// A shared reference: looked through.
    LookThrough,
    /// An exclusive reference: looked through.
    LookThroughMut,
    /// Something borrowed or unknown: its items are taken if it is an iterator.
    Drain,
    /// An object that goes into the pool under this number.
    Keep(usize),
    /// The first objects of a collection go into the pool from this number on.
    KeepItems {
        /// Number of the first.
        first: usize,
        /// How many at most.
        most: usize,
    },
    /// By presence.
    Option(Box<Seen>),
    /// By variant.
    Result(Box<Seen>, Box<Seen>),
    /// Member by member.
    Tuple(Vec<Seen>),
    /// Out of its box.
    Unboxed(Box<Seen>),
}

/// The plan of a result: what is seen, and the objects it makes with their pool types.
pub(crate) fn result(ty: &Ty, pool: &PoolTypes) -> (Seen, Vec<(usize, Made)>) {
    let mut plan = ResultPlan { pool, makes: Vec::new(), path: Vec::new() };
    let seen = plan.part(ty);
    (seen, plan.makes)
}

/// Whether a query with this result tells something that can be compared and printed.
pub(crate) fn is_telling(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) | Ty::Probe | Ty::Str => true,
        Ty::Ref { to, .. } => is_telling(to),
        Ty::Tuple(items) => items.len() <= 3 && items.iter().all(is_telling),
        Ty::Path { path, args } => match (path.as_str(), args.as_slice()) {
            ("std::string::String" | "std::cmp::Ordering", []) => true,
            ("std::option::Option", [GenericArg::Type(inner)])
            | ("std::result::Result", [GenericArg::Type(inner), _]) => {
                *inner == Ty::Unit || is_telling(inner)
            }
            _ => false,
        },
        _ => false,
    }
}

struct ResultPlan<'a> {
    pool: &'a PoolTypes,
    makes: Vec<(usize, Made)>,
    path: Vec<Unpack>,
}

impl ResultPlan<'_> {
    fn part(&mut self, ty: &Ty) -> Seen {
        if let Some(number) = self.pool.number(ty) {
            return Seen::Keep(self.make(number, ty));
        }
        match ty {
            Ty::Never => Seen::Never,
            Ty::Ref { access: Access::Shared, .. } => Seen::LookThrough,
            Ty::Ref { access: Access::Exclusive, .. } => Seen::LookThroughMut,
            Ty::Tuple(items) => Seen::Tuple(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| self.inside(Unpack::Field(i), item))
                    .collect(),
            ),
            Ty::Array(item, len) => {
                self.items(item, usize::try_from(*len).unwrap_or(KEPT_ITEMS)).unwrap_or(Seen::Look)
            }
            Ty::Path { path, args } => self.named(path, args, ty),
            _ if plain::owned(ty).is_some() => Seen::Look,
            _ => Seen::Drain,
        }
    }

    fn named(&mut self, path: &str, args: &[GenericArg], ty: &Ty) -> Seen {
        match (path, args) {
            ("std::option::Option", [GenericArg::Type(inner)]) => {
                Seen::Option(Box::new(self.inside(Unpack::Some, inner)))
            }
            ("std::result::Result", [GenericArg::Type(ok), GenericArg::Type(err)]) => {
                let ok = self.inside(Unpack::Ok, ok);
                Seen::Result(Box::new(ok), Box::new(self.inside(Unpack::Err, err)))
            }
            ("std::boxed::Box", [GenericArg::Type(inner)]) if self.pool.number(inner).is_some() => {
                Seen::Unboxed(Box::new(self.inside(Unpack::Deref, inner)))
            }
            ("std::vec::Vec", [GenericArg::Type(item)]) => {
                self.items(item, KEPT_ITEMS).unwrap_or(Seen::Look)
            }
            _ if plain::owned(ty).is_some() => Seen::Look,
            _ => Seen::Drain,
        }
    }

    fn items(&mut self, item: &Ty, len: usize) -> Option<Seen> {
        let number = self.pool.number(item)?;
        let first = self.makes.len();
        let most = len.min(KEPT_ITEMS);
        for i in 0..most {
            self.path.push(Unpack::Item(i));
            self.make(number, item);
            self.path.pop();
        }
        Some(Seen::KeepItems { first, most })
    }

    fn inside(&mut self, step: Unpack, ty: &Ty) -> Seen {
        self.path.push(step);
        let seen = self.part(ty);
        self.path.pop();
        seen
    }

    fn make(&mut self, number: usize, ty: &Ty) -> usize {
        self.makes.push((number, Made { ty: ty.clone(), path: self.path.clone() }));
        self.makes.len() - 1
    }
}
