//! The tables that generated code fills in: what can be called, what can be seen.
//!
//! Generated code is thin. Each entry's function moves values out of and into a [`Frame`]; all
//! decisions are made elsewhere in this crate.

use std::any::Any;

use gainsay_wire::{
    CallableId, InstanceId, IntegerType, Lending, Mode, Owner, PlainType, Role, TypeId, Value,
};

use crate::{
    Frame, Gen, Plain,
    capability::{
        arithmetic::Arithmetic,
        foreign::Foreign,
        iterator::Iteration,
        slices::{ShownFn, TextFn},
    },
};

/// All that a harness offers.
pub struct Tables {
    /// Pool types; the index is the `TypeId`.
    pub types: Vec<TypeEntry>,
    /// Operations; the index is the `OpId`.
    pub ops: Vec<OpEntry>,
}

/// Clones a value.
pub type CloneFn = fn(&dyn Any) -> Box<dyn Any>;
/// Compares two values for equality.
pub type EqFn = fn(&dyn Any, &dyn Any) -> bool;
/// Compares two values for order.
pub type CmpFn = fn(&dyn Any, &dyn Any) -> Option<std::cmp::Ordering>;
/// Orders two values.
pub type OrdFn = fn(&dyn Any, &dyn Any) -> std::cmp::Ordering;
/// Makes a value like another.
pub type CloneFromFn = fn(&mut dyn Any, &dyn Any);

/// What a type can do that laws need and nothing else.
#[derive(Default)]
pub struct Lawful {
    /// `cmp`, where the type has it.
    pub ord: Option<OrdFn>,
    /// `clone_from`, where the type has it.
    pub clone_from: Option<CloneFromFn>,
    /// What it can as an iterator, where it is one.
    pub iteration: Option<Iteration>,
    /// Types of std that it may be compared with.
    pub foreign: Vec<Foreign>,
    /// As it is printed, where it can be.
    pub display: Option<fn(&dyn Any) -> String>,
    /// How it and its slice are shown, where it has one.
    pub shown: Option<ShownFn>,
    /// How it is shown beside the text that it holds, where it can hold one.
    pub text: Option<TextFn>,
    /// Its operators, where it is a number.
    pub arithmetic: Arithmetic,
}

/// A pool type.
pub struct TypeEntry {
    /// As written in code.
    pub name: &'static str,
    /// Whether values hold references to other objects: a lifetime or a reference is in the type.
    pub borrows: bool,
    /// Clones a value, where the type can; found by `clone_of!`.
    pub clone: Option<CloneFn>,
    /// `==`, where the type has it.
    pub eq: Option<EqFn>,
    /// `partial_cmp`, where the type has it.
    pub cmp: Option<CmpFn>,
    /// Digest of `Hash`, where the type has it.
    pub hash: Option<fn(&dyn Any) -> u64>,
    /// Debug text, where the type has it.
    pub debug: Option<fn(&dyn Any) -> String>,
    /// What only laws need.
    pub lawful: Lawful,
    /// Views: methods with `&self` and no further or one further argument, and `seq`.
    pub queries: Vec<QueryEntry>,
}

impl TypeEntry {
    /// The last part of its path without arguments.
    pub(crate) fn base_name(&self) -> &'static str {
        let path = self.name.split('<').next().unwrap_or(self.name);
        path.rsplit("::").next().unwrap_or(path)
    }
}

/// A view of a type.
pub struct QueryEntry {
    /// The method's name, or `seq` for the element sequence.
    pub name: &'static str,
    /// The argument, if it takes one.
    pub param: Option<QueryParam>,
    /// Evaluates it. The runtime catches panics.
    pub eval: fn(&dyn Any, QueryArg<'_>) -> Value,
}

/// The type of a plain value as generated code writes it; see [`PlainType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainEntry {
    /// An integer type of the language.
    Integer(IntegerType),
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `String`
    Text,
    /// The probe element.
    Probe,
    /// `Vec<T>`
    List(&'static PlainEntry),
    /// `[T; n]`
    Array(&'static PlainEntry, u64),
    /// `Range<T>`
    Range(&'static PlainEntry),
    /// `(A, B, ..)`
    Tuple(&'static [PlainEntry]),
    /// Any other, as written in code.
    Other(&'static str),
}

impl PlainEntry {
    /// The same as the driver knows it.
    pub(crate) fn to_type(self) -> PlainType {
        match self {
            PlainEntry::Integer(ty) => PlainType::Integer(ty),
            PlainEntry::F32 => PlainType::F32,
            PlainEntry::F64 => PlainType::F64,
            PlainEntry::Bool => PlainType::Bool,
            PlainEntry::Char => PlainType::Char,
            PlainEntry::Text => PlainType::Text,
            PlainEntry::Probe => PlainType::Probe,
            PlainEntry::List(item) => PlainType::List(Box::new(item.to_type())),
            PlainEntry::Array(item, len) => PlainType::Array(Box::new(item.to_type()), len),
            PlainEntry::Range(of) => PlainType::Range(Box::new(of.to_type())),
            PlainEntry::Tuple(members) => {
                PlainType::Tuple(members.iter().map(|member| member.to_type()).collect())
            }
            PlainEntry::Other(text) => PlainType::Other(text.to_owned()),
        }
    }
}

/// What a query takes besides its receiver.
pub enum QueryParam {
    /// A shared reference to an object of this type.
    Object(TypeId),
    /// A plain value of this type; an operation's plain argument of the same type can be passed.
    Plain(PlainEntry),
}

/// The argument of a query.
#[derive(Clone, Copy)]
pub enum QueryArg<'a> {
    /// It takes none.
    None,
    /// An object.
    Object(&'a dyn Any),
    /// A plain value, to be made with `Plain::make`.
    Plain(&'a Value),
}

/// The place that a callable is written in; see [`Owner`].
#[derive(Clone, Copy, Debug)]
pub enum OwnerEntry {
    /// The module of a free function.
    Module(&'static str),
    /// A type.
    Type(&'static str),
}

/// The identity of an operation as generated code writes it; see [`InstanceId`].
#[derive(Clone, Copy, Debug)]
pub struct InstanceEntry {
    /// The place that the callable is written in.
    pub owner: OwnerEntry,
    /// The trait that it is a method of.
    pub in_trait: Option<&'static str>,
    /// The function's own name.
    pub name: &'static str,
    /// The concrete types.
    pub arguments: &'static [&'static str],
}

impl InstanceEntry {
    /// An inherent method of a type without arguments.
    pub const fn method(owner: &'static str, name: &'static str) -> InstanceEntry {
        InstanceEntry { owner: OwnerEntry::Type(owner), in_trait: None, name, arguments: &[] }
    }

    /// The same as the driver knows it.
    pub(crate) fn to_id(self) -> InstanceId {
        let owner = match self.owner {
            OwnerEntry::Module(path) => Owner::Module(path.to_owned()),
            OwnerEntry::Type(path) => Owner::Type(path.to_owned()),
        };
        let in_trait = self.in_trait.map(str::to_owned);
        let callable = CallableId { owner, in_trait, name: self.name.to_owned() };
        let arguments = self.arguments.iter().map(|ty| (*ty).to_owned()).collect();
        InstanceId { callable, arguments }
    }
}

/// An operation.
pub struct OpEntry {
    /// Its identity.
    pub id: InstanceEntry,
    /// The path for people.
    pub name: &'static str,
    /// Parameter names, `self` for a receiver.
    pub names: &'static [&'static str],
    /// Parameters, as many.
    pub params: Vec<ParamEntry>,
    /// Types of the objects that it can make: the n-th is kept with `Frame::keep(n, ..)`.
    pub makes: Vec<TypeId>,
    /// What borrowing objects that it makes or changes refer to afterwards.
    pub lending: Lending,
    /// Its relation to an object.
    pub role: Role,
    /// Makes the call with the operands of the frame and returns what is seen of the result.
    pub call: fn(&Frame<'_>) -> Value,
}

impl OpEntry {
    /// The function's own name.
    pub(crate) fn function(&self) -> &'static str {
        self.id.name
    }
}

/// A parameter.
pub enum ParamEntry {
    /// An object of the pool.
    Object {
        /// Of this type.
        ty: TypeId,
        /// Passed like this.
        mode: Mode,
    },
    /// A plain value.
    Plain {
        /// The type, without references.
        key: PlainEntry,
        /// Makes up a value.
        generate: fn(&mut Gen<'_>) -> Value,
    },
}

impl ParamEntry {
    /// Whether it is a number that may be a size, an index or a count.
    pub(crate) fn is_size(&self) -> bool {
        matches!(self, ParamEntry::Plain { key: PlainEntry::Integer(IntegerType::Usize), .. })
    }
}

const AGREED: &str = "tables and pool agree on types";

/// The object that a query looks at.
pub fn object<T: 'static>(object: &dyn Any) -> &T {
    object.downcast_ref().expect(AGREED)
}

/// The object that is a query's argument.
pub fn object_arg<T: 'static>(arg: QueryArg<'_>) -> &T {
    match arg {
        QueryArg::Object(found) => object(found),
        QueryArg::None | QueryArg::Plain(_) => panic!("{AGREED}"),
    }
}

/// The plain value that is a query's argument.
pub fn plain_arg<P: Plain>(arg: QueryArg<'_>) -> P {
    match arg {
        QueryArg::Plain(value) => P::make(value),
        QueryArg::None | QueryArg::Object(_) => P::make(&Value::Undefined),
    }
}
