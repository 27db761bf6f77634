//! Concrete Rust types as generated code writes them.
//!
//! A [`Ty`] has no type parameters left: discovery has filled them in. Its `Display` is valid
//! Rust, used in texts for people; generated code is made from the tree itself.

use std::fmt;

use gainsay_wire::PlainType;
use serde::{Deserialize, Serialize};

/// A type with nothing left open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// `()`
    Unit,
    /// `!`
    Never,
    /// `bool`, `char`, an integer or a float, by its name.
    Prim(String),
    /// `str`, only behind a reference or a pointer.
    Str,
    // One element type for all: its copies and drops are counted, which shows what happens to memory.
    /// The probe element of the runtime: stands for "any element type".
    Probe,
    /// A named type by a public path: the subject's, or one of std's.
    Path {
        /// Absolute path without leading `::`, such as `std::vec::Vec` or `smallvec::SmallVec`.
        path: String,
        /// Generic arguments in declaration order.
        args: Vec<GenericArg>,
    },
    /// `&T` or `&mut T`
    Ref {
        /// Shared or exclusive.
        access: Access,
        /// The type referred to.
        to: Box<Ty>,
    },
    /// `[T]`, only behind a reference or a pointer.
    Slice(Box<Ty>),
    /// `[T; n]`
    Array(Box<Ty>, u64),
    /// `(A, B, ..)` with at least one member.
    Tuple(Vec<Ty>),
    /// An argument that is any closure of this shape.
    Closure {
        /// Which of the three closure traits was asked for.
        kind: FnKind,
        /// Argument types.
        args: Vec<Ty>,
        /// Result type.
        ret: Box<Ty>,
    },
    /// An argument that is any iterator (or anything that can be turned into one) over items.
    Iter {
        /// The type of its items.
        item: Box<Ty>,
    },
    // Never a parameter: nothing can be made of a type that nobody can name.
    /// A result known only by a trait (`impl Iterator`), or a projection that was not solved;
    /// only ever a result, to be looked at through what it can do.
    Opaque,
}

/// A generic argument of a named type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum GenericArg {
    /// `'_`
    Lifetime,
    /// A type.
    Type(Ty),
    /// A constant, as it is written.
    Const(String),
}

/// Shared or exclusive reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Access {
    /// `&`
    Shared,
    /// `&mut`
    Exclusive,
}

/// The closure traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FnKind {
    /// `Fn`
    Fn,
    /// `FnMut`
    FnMut,
    /// `FnOnce`
    FnOnce,
    /// A pointer to a function: it holds no state.
    Pointer,
}

impl Ty {
    /// A named type without arguments.
    pub fn named(path: impl Into<String>) -> Ty {
        Ty::Path { path: path.into(), args: Vec::new() }
    }

    /// A primitive by its name.
    pub fn prim(name: impl Into<String>) -> Ty {
        Ty::Prim(name.into())
    }

    /// `&self`
    pub fn shared(self) -> Ty {
        Ty::Ref { access: Access::Shared, to: Box::new(self) }
    }

    /// `&mut self`
    pub fn exclusive(self) -> Ty {
        Ty::Ref { access: Access::Exclusive, to: Box::new(self) }
    }

    /// The type of plain values that this is, as operations and queries exchange them.
    pub fn plain_type(&self) -> PlainType {
        let of = |args: &[GenericArg]| match args {
            [GenericArg::Type(item)] => Some(Box::new(item.plain_type())),
            _ => None,
        };
        let known = match self {
            Ty::Prim(name) => Some(PlainType::from(name.as_str())),
            Ty::Probe => Some(PlainType::Probe),
            Ty::Array(item, len) => Some(PlainType::Array(Box::new(item.plain_type()), *len)),
            Ty::Tuple(members) => {
                Some(PlainType::Tuple(members.iter().map(Ty::plain_type).collect()))
            }
            Ty::Path { path, args } => match path.as_str() {
                "std::string::String" => Some(PlainType::Text),
                "std::vec::Vec" => of(args).map(PlainType::List),
                "std::ops::Range" => of(args).map(PlainType::Range),
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or_else(|| PlainType::Other(self.to_string()))
    }

    /// The type without the references around it.
    pub fn referent(&self) -> &Ty {
        match self {
            Ty::Ref { to, .. } => to.referent(),
            other => other,
        }
    }

    /// True if a lifetime or a reference occurs anywhere: such a value cannot be kept.
    pub fn is_borrowed(&self) -> bool {
        match self {
            // An opaque result may hide a borrow; taking it for owned would let it outlive its source.
            Ty::Ref { .. } | Ty::Str | Ty::Slice(_) | Ty::Opaque => true,
            Ty::Path { args, .. } => args.iter().any(|arg| match arg {
                GenericArg::Lifetime => true,
                GenericArg::Type(ty) => ty.is_borrowed(),
                GenericArg::Const(_) => false,
            }),
            Ty::Array(item, _) => item.is_borrowed(),
            Ty::Tuple(items) => items.iter().any(Ty::is_borrowed),
            Ty::Unit
            | Ty::Never
            | Ty::Prim(_)
            | Ty::Probe
            | Ty::Closure { .. }
            | Ty::Iter { .. } => false,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Unit => f.write_str("()"),
            Ty::Never => f.write_str("!"),
            Ty::Prim(name) => f.write_str(name),
            Ty::Str => f.write_str("str"),
            Ty::Probe => f.write_str("Probe"),
            Ty::Path { path, args } => {
                f.write_str(path.strip_prefix("std::").map_or(path.as_str(), last_segment))?;
                write_list(f, args, ["<", ">"])
            }
            Ty::Ref { access: Access::Shared, to } => write!(f, "&{to}"),
            Ty::Ref { access: Access::Exclusive, to } => write!(f, "&mut {to}"),
            Ty::Slice(item) => write!(f, "[{item}]"),
            Ty::Array(item, len) => write!(f, "[{item}; {len}]"),
            // Without the comma it would be the type in parentheses.
            Ty::Tuple(items) if items.len() == 1 => write!(f, "({},)", items[0]),
            Ty::Tuple(items) => write_list(f, items, ["(", ")"]),
            Ty::Closure { kind, args, ret } => {
                match kind {
                    FnKind::Pointer => f.write_str("fn")?,
                    kind => write!(f, "impl {kind:?}")?,
                }
                if args.is_empty() {
                    f.write_str("()")?;
                }
                write_list(f, args, ["(", ")"])?;
                write!(f, " -> {ret}")
            }
            Ty::Iter { item } => write!(f, "impl IntoIterator<Item = {item}>"),
            Ty::Opaque => f.write_str("impl Sized"),
        }
    }
}

impl fmt::Display for GenericArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenericArg::Lifetime => f.write_str("'_"),
            GenericArg::Type(ty) => ty.fmt(f),
            GenericArg::Const(text) => f.write_str(text),
        }
    }
}

/// The last word of a public path: the name of what it leads to.
// The only place that takes paths apart: they are rustdoc's, and stand in the model as it tells them.
pub fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The word before the last one of a public path: a variant's type, a function's module.
pub fn parent_segment(path: &str) -> Option<&str> {
    path.rsplit("::").nth(1)
}

fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    [open, close]: [&str; 2],
) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str(close)
}

/// Which argument a closure may write to: the only one that it is lent exclusively, if that is an
/// element or an integer. Where it is lent several, one may be a key that nobody may change.
pub fn written_argument(args: &[Ty]) -> Option<usize> {
    let mut lent = (0..).zip(args).filter_map(|(at, arg)| match arg {
        Ty::Ref { access: Access::Exclusive, to } => Some((at, &**to)),
        _ => None,
    });
    match (lent.next()?, lent.next()) {
        ((at, Ty::Probe), None) => Some(at),
        ((at, Ty::Prim(name)), None) if name.starts_with(['i', 'u']) => Some(at),
        _ => None,
    }
}
