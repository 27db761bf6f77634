//! What a crate offers: its types and its operations, every type concrete.

use std::path::PathBuf;

use gainsay_wire::{CallableId, InstanceId, Role};
// Under this path too, beside the other parts of an operation: the wire is the home of what both
// sides of the pipe know.
pub use gainsay_wire::Lending;
use serde::{Deserialize, Serialize};

use crate::{
    contract::Written,
    example::Example,
    features::Features,
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
    /// The directory of results: `target/gainsay` of the workspace, or of the current directory for a
    /// published crate.
    pub out_dir: PathBuf,
    /// The source by which a harness's manifest names the subject.
    pub source: Source,
    /// Features to switch on.
    pub features: Features,
}

/// The source of the subject's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A package on this machine, at [`Subject::root`].
    Path,
    /// A published package, exactly this version.
    Registry,
}

/// The result of discovery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Api {
    /// The crate.
    pub subject: Subject,
    /// Owned types of the subject whose values live in the pool, with all parameters filled.
    pub types: Vec<ApiType>,
    /// The operations that can be called, in a stable order.
    pub operations: Vec<Operation>,
    /// The callables that cannot, each with a reason.
    pub skips: Vec<Skip>,
    /// Public safe callables before any skip, each counted once however often it is instantiated.
    ///
    /// Counted are, as far as the documentation shows them: functions with a public path; public
    /// inherent methods of public types; the methods of the subject's own public traits for every
    /// impl in the subject, provided ones included, also for types of other crates, a blanket impl
    /// counting once; and the methods that impls of std's traits in the subject write down
    /// (derived ones write theirs), for the traits that say something about a value: comparison,
    /// hashing, formatting, conversion, operators, iteration, collection, input and output, errors,
    /// dropping. Of provided methods of std's traits only `ExactSizeIterator::len` counts.
    /// Literals, tuple constructors and hidden items do not count; unsafe ones count apart.
    pub public: usize,
    /// Public unsafe callables.
    // Counted apart: the caller's promise is nothing that can be generated.
    pub unsafe_count: usize,
    /// All of them, safe and unsafe, each once and by path: the roll that records are checked
    /// against. Each safe one is an operation or a skip.
    pub callables: Vec<PublicCallable>,
    // Magic numbers guard branches that random numbers never reach.
    /// Literals seen in the subject's source, as seeds for arguments.
    pub literals: Literals,
    /// Calls that the subject's documentation and tests show, as first objects.
    pub examples: Vec<Example>,
    /// Crates other than the subject whose items operations name by their own paths.
    pub dependencies: Vec<Dependency>,
    /// Functions of the user that make values, if there are any.
    pub providers: Option<Providers>,
}

/// Name of the crate that holds the providers of a subject, as its paths begin.
pub const PROVIDERS_CRATE: &str = "gainsay_providers";

/// A Rust file of the user whose functions make values of the subject's types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Providers {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// A dependency of the subject that generated code names too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Name of the library in `use` paths.
    pub lib_name: String,
    /// Package name as in its manifest.
    pub package: String,
    /// Exactly the version that the subject is built with.
    pub version: String,
    /// Its source.
    pub source: DependencySource,
}

/// The source of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DependencySource {
    /// The registry.
    Registry,
    /// A package on this machine, by the directory of its manifest.
    Path(PathBuf),
}

/// A callable as the documentation shows it, before any type is filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicCallable {
    /// As in [`Operation::path`].
    pub path: String,
    /// The type it belongs to, for people; a free function has none.
    pub owner: Option<String>,
    /// Its relation to an object.
    pub kind: OpKind,
    /// The right to call it.
    pub safety: Safety,
}

/// The right to call a callable: an `unsafe fn` asks for a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// Anyone may call it.
    Safe,
    /// The caller must promise something.
    Unsafe,
}

/// Literals of the subject's source and documentation examples, sorted and without repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Literals {
    /// Integers that fit.
    pub integers: Vec<i64>,
    /// Texts of moderate length.
    pub strings: Vec<String>,
    /// Floats as they are written.
    pub floats: Vec<String>,
    /// Characters.
    pub chars: Vec<char>,
}

/// A concrete owned type of the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiType {
    /// The type itself, such as `smallvec::SmallVec<[Probe; 2]>`.
    pub ty: Ty,
    /// Short name for people, such as `SmallVec`.
    pub name: String,
    /// The way to walk through its elements by a shared reference, if there is one.
    pub elements: Option<Elements>,
    /// The public part of its definition.
    pub shape: Shape,
}

/// The public part of a type's definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Nothing that a value could be told by.
    #[default]
    Closed,
    /// A struct, all of whose fields are public; those of a tuple by their numbers.
    Open(Vec<Param>),
    /// A struct with public fields, these, and private ones.
    // No literal can be written of it, but its public fields can be looked at.
    Partly(Vec<Param>),
    /// The variants of an enum by their names.
    Variants(Vec<String>),
}

impl Shape {
    /// The public fields.
    pub fn public_fields(&self) -> &[Param] {
        match self {
            Shape::Open(fields) | Shape::Partly(fields) => fields,
            Shape::Closed | Shape::Variants(_) => &[],
        }
    }
}

/// The way to see the elements of a value without changing it.
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
    /// It is an iterator itself: `value.clone()`, drained.
    // The clone is drained and not the value: a view must change nothing.
    CloneIter,
}

/// A public callable with all types concrete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// For people, unique among callables: `SmallVec::push`, `SmallVec as Extend::extend`,
    /// `parse`. Two instantiations of one callable share it.
    pub path: String,
    /// The callable that it is an instance of.
    #[serde(with = "crate::subject::identity")]
    pub callable: CallableId,
    /// The function as generated code names it.
    pub callee: Callee,
    /// Its relation to an object.
    pub kind: OpKind,
    /// All parameters, the receiver first under the name `self`.
    pub params: Vec<Param>,
    /// The result's type.
    pub result: Ty,
    /// The sources that the objects it makes may borrow from.
    #[serde(with = "crate::subject::stored_lending")]
    pub lending: Lending,
    /// True for one of the callables of [`Api::public`]. Others only make values: literals,
    /// tuple constructors, constants, functions of dependencies.
    pub counted: bool,
    /// The documentation of panics, if there is any.
    pub documented_panics: Option<String>,
    // Texts, since they are made before calibration: which views there are is not known yet.
    /// On what its body decides, as far as that can be said with its parameters and public
    /// queries: texts of contracts, to be read before the call.
    pub conditions: Vec<String>,
    /// Which of these, or of their opposites, hold together in a branch within a branch.
    #[serde(default)]
    pub ways: Vec<String>,
    /// The contracts that its programmer wrote.
    #[serde(default)]
    pub written: Vec<Written>,
    /// Its place in the source.
    pub span: Option<Span>,
}

/// A function as an expression names it.
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
    /// A part that a pattern takes out of a value: `match value { path { field: it, .. } => Some(it),
    /// _ => None }`. The only parameter is the value.
    Part {
        /// Public path of the struct or variant, absolute without leading `::`.
        path: String,
        /// Name of the field; its number in a tuple.
        field: String,
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
    ///
    /// Two kinds are not written like this, since they cannot be called so: `std::ops::Drop::drop`
    /// takes `self` by value and means `drop(value)`; `fmt` of a formatting trait such as
    /// `std::fmt::LowerHex` takes `&self` alone and gives the `String` of `format!("{:x}", value)`.
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

impl Callee {
    /// The type arguments of an instance as written in code: of its type, its trait and itself.
    fn type_arguments(&self) -> Vec<String> {
        let of_type = |ty: &Ty| match ty {
            Ty::Path { args, .. } => args.iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        };
        let texts = |types: &[Ty]| types.iter().map(ToString::to_string).collect::<Vec<_>>();
        match self {
            Callee::Function { generics, .. } => texts(generics),
            Callee::Inherent { ty, generics, .. } => [of_type(ty), texts(generics)].concat(),
            Callee::Trait { ty, args, generics, .. } => {
                [of_type(ty), texts(args), texts(generics)].concat()
            }
            Callee::Literal { .. } | Callee::Part { .. } => Vec::new(),
        }
    }
}

/// The relation of an operation to the object it is called on.
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
    /// Its identity, the same in every build, version and process.
    pub fn instance_id(&self) -> InstanceId {
        let params = self.params.iter().map(|param| param.ty.to_string());
        let arguments = self.callee.type_arguments().into_iter().chain(params).collect();
        InstanceId { callable: self.callable.clone(), arguments }
    }

    /// The function's own name; empty for what is no function.
    pub fn function_name(&self) -> &str {
        match &self.callee {
            Callee::Inherent { name, .. } | Callee::Trait { name, .. } => name,
            Callee::Function { .. } => &self.callable.name,
            Callee::Literal { .. } | Callee::Part { .. } => "",
        }
    }

    /// Its relation to an object, ends of values left out: which of them stands for the drop of a
    /// pool type the harness decides.
    pub fn role(&self) -> Role {
        match (&self.callee, self.kind) {
            (Callee::Literal { .. }, _) => Role::Constructor,
            (Callee::Part { .. }, _) => Role::Part,
            (_, OpKind::Origin) => Role::Origin,
            (_, OpKind::Query) => Role::Query,
            (_, OpKind::Command) => Role::Command,
            (_, OpKind::Consumer) => Role::Consumer,
        }
    }

    /// The receiver, if there is one.
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
