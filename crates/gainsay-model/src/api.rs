//! What a crate offers: its types and its operations, every type concrete.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    skip::Skip,
    ty::{Access, Ty},
};

/// The crate under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Package name as in its manifest.
    pub name: String,
    /// Package version.
    pub version: String,
    /// Name of the library in `use` paths.
    pub lib_name: String,
    /// Directory that holds the package's `Cargo.toml`.
    pub root: PathBuf,
    /// Where results go: `target/gainsay` of the workspace, or of the current directory for a
    /// published crate.
    pub out_dir: PathBuf,
    /// How a harness names the subject in its manifest.
    pub source: Source,
    /// Features to switch on.
    pub features: Features,
}

/// Where the subject's code comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A package on this machine, at [`Subject::root`].
    Path,
    /// A published package, exactly this version.
    Registry,
}

/// The cargo features of the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// `--features`
    pub named: Vec<String>,
    /// `--all-features`
    pub all: bool,
    /// `--no-default-features`
    pub no_default: bool,
}

/// The result of discovery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Api {
    /// The crate.
    pub subject: Subject,
    /// Owned types of the subject whose values live in the pool, with all parameters filled.
    pub types: Vec<ApiType>,
    /// What can be called, in a stable order.
    pub operations: Vec<Operation>,
    /// What cannot, and why.
    pub skips: Vec<Skip>,
    /// Public safe callables before any skip, by one rule: every safe function, inherent method,
    /// method of a trait implementation in the subject that is called explicitly, counted once
    /// each however often it is instantiated. A literal is no callable.
    pub public: usize,
    /// Public unsafe callables.
    pub unsafe_count: usize,
    /// Literals seen in the subject's source, as seeds for arguments.
    pub literals: Literals,
}

/// Literals of the subject's source and documentation examples, sorted and without repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Literals {
    /// Integers that fit.
    pub integers: Vec<i64>,
    /// Texts of moderate length.
    pub strings: Vec<String>,
}

/// A concrete owned type of the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiType {
    /// The type itself, such as `smallvec::SmallVec<[Probe; 2]>`.
    pub ty: Ty,
    /// Short name for people, such as `SmallVec`.
    pub name: String,
    /// How its elements can be walked through a shared reference, if at all.
    pub elements: Option<Elements>,
}

/// How to see the elements of a value without changing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Elements {
    /// `value.iter()`
    Iter,
    /// `(&value).into_iter()`
    IntoIterator,
    /// `value.as_slice().iter()`
    AsSlice,
    /// Dereferences to a slice: `(&**value).iter()`
    DerefSlice,
}

/// A public callable with all types concrete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// For people, unique among callables: `SmallVec::push`, `SmallVec as Extend::extend`,
    /// `parse`. Two instantiations of one callable share it.
    pub path: String,
    /// How generated code names the function.
    pub callee: Callee,
    /// Its relation to an object.
    pub kind: OpKind,
    /// All parameters, the receiver first under the name `self`.
    pub params: Vec<Param>,
    /// The result's type.
    pub result: Ty,
    /// What the objects that it makes may borrow from.
    pub lending: Lending,
    /// What the documentation says of panics, if anything.
    pub documented_panics: Option<String>,
    /// Where it is written.
    pub span: Option<Span>,
}

/// What may hold a reference to an operand once the call is over: objects that it made, and
/// borrowing objects that it changed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Lending {
    /// At most to what its operands borrow themselves: `fn next(&mut self) -> Option<&'a T>`.
    #[default]
    Inherited,
    /// To the operands that are passed by reference too: `fn iter(&self) -> Iter<'_, T>`.
    Operands,
}

/// How a function is named in an expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// `path(args)`
    Function {
        /// Public path, absolute without leading `::`.
        path: String,
        /// Explicit type arguments, often none.
        generics: Vec<Ty>,
    },
    /// `path { field: value, .. }`, or `path` alone without parameters: a struct or a variant as
    /// its definition has it, or a constant. The parameters are named as the fields.
    Literal {
        /// Public path, absolute without leading `::`.
        path: String,
    },
    /// `<Type>::name(args)`
    Inherent {
        /// The type.
        ty: Ty,
        /// Method or associated function.
        name: String,
        /// Explicit type arguments of the function, often none.
        generics: Vec<Ty>,
    },
    /// `<Type as Trait>::name(args)`
    Trait {
        /// The implementing type.
        ty: Ty,
        /// The trait's public path, absolute.
        path: String,
        /// The trait's arguments.
        args: Vec<Ty>,
        /// The trait's method.
        name: String,
        /// Explicit type arguments of the method, often none.
        generics: Vec<Ty>,
    },
}

/// What an operation is to the object it is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpKind {
    /// No receiver.
    Origin,
    /// `&self`
    Query,
    /// `&mut self`
    Command,
    /// `self`
    Consumer,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name in the source; `self` for the receiver.
    pub name: String,
    /// Its type, receiver included (`&mut SmallVec<[Probe; 2]>`).
    pub ty: Ty,
}

/// A range of source lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file as rustc names it.
    pub file: String,
    /// First line, from 1.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
}

impl Operation {
    /// How the receiver is taken, if there is one.
    pub fn receiver(&self) -> Option<&Param> {
        self.params.first().filter(|param| param.name == "self")
    }
}

impl OpKind {
    /// The kind that a receiver of this type makes.
    pub fn of_receiver(receiver: Option<&Ty>) -> OpKind {
        match receiver {
            None => OpKind::Origin,
            Some(Ty::Ref { access: Access::Shared, .. }) => OpKind::Query,
            Some(Ty::Ref { access: Access::Exclusive, .. }) => OpKind::Command,
            Some(_) => OpKind::Consumer,
        }
    }
}
