//! What closures that are passed to an operation give back.

use gainsay_model::ty::{Access, FnKind, GenericArg, Ty, written_argument};
use gainsay_wire::Mode;

use super::{
    PoolTypes,
    params::{self, Carrier, Pass, PlannedParam},
    plain::{self, Plain},
};

/// A closure argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedClosure {
    /// Which of the closure traits, or a pointer to a function.
    pub(crate) kind: FnKind,
    /// Argument types.
    pub(crate) args: Vec<Ty>,
    /// Result type.
    pub(crate) ret: Ty,
    /// What it answers.
    pub(crate) answer: Answer,
}

/// What a closure gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A plain value of this type.
    Plain(Ty),
    /// Its n-th argument.
    Argument(usize),
    /// A shared reference to what its n-th argument refers to exclusively.
    Reborrowed(usize),
    /// A reference to a plain value that is made once.
    Lent(Plain),
    /// An object of the pool.
    Object(Box<PlannedParam>),
    /// Now and then.
    Option(Box<Answer>),
    /// One or the other, as far as they can be made.
    Result(Option<Box<Answer>>, Option<Box<Answer>>),
    /// Member by member.
    Tuple(Vec<Answer>),
    /// In a box.
    Boxed(Box<Answer>),
}

impl PlannedClosure {
    /// The argument that it may write to.
    pub(crate) fn written(&self) -> Option<usize> {
        written_argument(&self.args).filter(|_| !self.is_function())
    }

    /// Whether it is a function without state, which takes no operand.
    pub(crate) fn is_function(&self) -> bool {
        self.kind == FnKind::Pointer
    }
}

impl Answer {
    /// The objects that it gives away, each an operand of the call.
    pub(crate) fn objects(&self) -> Vec<&PlannedParam> {
        match self {
            Answer::Plain(_) | Answer::Argument(_) | Answer::Reborrowed(_) | Answer::Lent(_) => {
                Vec::new()
            }
            Answer::Object(object) => vec![&**object],
            Answer::Option(inner) | Answer::Boxed(inner) => inner.objects(),
            Answer::Result(ok, err) => {
                ok.iter().chain(err).flat_map(|inner| inner.objects()).collect()
            }
            Answer::Tuple(parts) => parts.iter().flat_map(Answer::objects).collect(),
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self, Answer::Plain(_))
    }
}

pub(crate) fn closure(kind: FnKind, args: &[Ty], ret: &Ty, pool: &PoolTypes) -> Option<Pass> {
    let answer = Maker { kind, args, pool }.answer(ret)?;
    let closure = PlannedClosure { kind, args: args.to_vec(), ret: ret.clone(), answer };
    Some(Pass::Closure(Box::new(closure)))
}

struct Maker<'a> {
    kind: FnKind,
    args: &'a [Ty],
    pool: &'a PoolTypes,
}

impl Maker<'_> {
    fn answer(&self, ret: &Ty) -> Option<Answer> {
        if let Some(owned) = plain::owned(ret) {
            return Some(Answer::Plain(owned));
        }
        if let Ty::Iter { item } = ret {
            return Some(Answer::Plain(plain::vec(plain::owned(item)?)));
        }
        if let Some(at) = self.args.iter().position(|arg| arg == ret) {
            return Some(Answer::Argument(at));
        }
        if let Ty::Ref { access: Access::Shared, to } = ret {
            let exclusive = (**to).clone().exclusive();
            if let Some(at) = self.args.iter().position(|arg| *arg == exclusive) {
                return Some(Answer::Reborrowed(at));
            }
        }
        self.object(ret).or_else(|| self.parts(ret)).or_else(|| self.lent(ret))
    }

    /// A function without state cannot hold an object.
    fn object(&self, ret: &Ty) -> Option<Answer> {
        let pass = params::object(ret, self.pool).filter(|_| self.kind != FnKind::Pointer)?;
        let fits = match &pass {
            Pass::Object { mode: Mode::Mut | Mode::OptOwn, .. } => self.kind == FnKind::FnOnce,
            Pass::Object { mode: Mode::OptRef, carrier, .. } => *carrier == Carrier::Itself,
            _ => true,
        };
        fits.then(|| Answer::Object(Box::new(PlannedParam::part(ret, pass))))
    }

    fn parts(&self, ret: &Ty) -> Option<Answer> {
        match ret {
            Ty::Tuple(items) => {
                let items = items.iter().map(|item| self.answer(item));
                Some(Answer::Tuple(items.collect::<Option<_>>()?))
            }
            Ty::Path { path, args } => match (path.as_str(), args.as_slice()) {
                ("std::option::Option", [GenericArg::Type(inner)]) => {
                    Some(Answer::Option(Box::new(self.answer(inner)?)))
                }
                ("std::result::Result", [GenericArg::Type(ok), GenericArg::Type(err)]) => {
                    let ok = self.answer(ok).map(Box::new);
                    // An error costs an operand more; a plain one is free.
                    let err = self.answer(err).filter(|err| err.is_plain() || ok.is_none());
                    let err = err.map(Box::new);
                    (ok.is_some() || err.is_some()).then_some(Answer::Result(ok, err))
                }
                ("std::boxed::Box", [GenericArg::Type(inner)]) => {
                    Some(Answer::Boxed(Box::new(self.answer(inner)?)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn lent(&self, ret: &Ty) -> Option<Answer> {
        let plain = plain::plain(ret).filter(|_| self.kind != FnKind::Pointer)?;
        (!plain.lend.is_exclusive()).then_some(Answer::Lent(plain))
    }
}
