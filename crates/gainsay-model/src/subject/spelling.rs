//! How a call of an operation is written by a person: what a witness prints. The harness plans
//! it, the report prints it.

use serde::{Deserialize, Serialize};

use crate::{
    api::{Callee, Lending},
    ty::{Access, Ty},
};

/// A call without its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spelling {
    /// The function.
    pub callee: Callee,
    /// Its parameters, the receiver first under the name `self`.
    pub params: Vec<SpelledParam>,
    /// The result's type.
    pub result: Ty,
    /// Paths inside the result to the objects that go into the pool, in the order of their numbers.
    pub makes: Vec<Made>,
    /// Sources that the objects it makes may borrow from. A value made on the spot must outlive them.
    #[serde(default, with = "crate::subject::stored_lending")]
    pub lending: Lending,
}

/// One parameter of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpelledParam {
    /// As in the subject's source.
    pub name: String,
    /// The argument, and the form in which it is passed.
    pub passing: Passing,
    /// The type as the signature has it, references included. A plain value is written by
    /// walking this type: `&` where it has a reference.
    pub ty: Ty,
}

/// The value passed for a parameter. It may be put together from several operands: the
/// leaves of the tree, from left to right, are the arguments of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passing {
    /// An object as `&v0`.
    Shared,
    /// An object that is a reference or a box, as `&*v0`.
    SharedThrough,
    /// An object as `&mut v0`.
    Exclusive,
    /// An object that is a reference or a box, as `&mut *v0`.
    ExclusiveThrough,
    /// An object by value.
    Owned,
    /// `Some(&v0)` or `None`.
    OptionalShared,
    /// `Some(&*v0)` or `None`.
    OptionalSharedThrough,
    /// `Some(v0)` or `None`.
    OptionalOwned,
    /// A value made on the spot.
    Plain,
    // Chosen by a value, so that a sequence can be stored: a closure itself cannot.
    /// A closure of the runtime's family, chosen by a plain value.
    Closure,
    /// Such a closure that gives back what follows.
    Giving(Vec<SpelledParam>),
    /// A function without state: no operand.
    Function,
    /// An iterator over a vector made on the spot.
    Iterator,
    /// A formatter, which only the standard library makes: no operand.
    Formatter,
    /// Several operands put together.
    Composite(Form, Vec<SpelledParam>),
}

/// Form in which parts are put together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `&part` or `&mut part`
    Reference(Access),
    /// `&vec![parts][..]`
    Slice(Access),
    /// `vec![parts]`
    Vector,
    /// `[parts]`
    Array,
    /// `(parts)`
    Tuple,
    /// `path(parts)`: `Some`, `Box::new`.
    Call(String),
    /// `path { field: part, .. }`, with the names of the fields.
    Fields(String, Vec<String>),
    /// A collection of the parts.
    Collection,
    /// An iterator over the parts.
    Iterator,
    /// The only part is optional; without it there is no item of what is around it.
    Present,
}

/// An object inside a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Its type.
    pub ty: Ty,
    /// The way from the result to it; empty when it is the result itself.
    pub path: Vec<Unpack>,
}

/// One step into a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpack {
    /// Inside `Some`.
    Some,
    /// Inside `Ok`.
    Ok,
    /// Inside `Err`.
    Err,
    /// The n-th member of a tuple.
    Field(usize),
    /// The n-th item of a vector or an array.
    Item(usize),
    /// Out of a `Box`.
    Deref,
}

impl Spelling {
    /// True if the result tells something beyond the objects in it that go into the pool: there are
    /// none, or only its failure is one.
    // A failure that is an object says nothing of what a success tells.
    pub fn has_plain_result(&self) -> bool {
        let is_failure = |made: &Made| made.path.first() == Some(&Unpack::Err);
        self.result != Ty::Unit && self.makes.iter().all(is_failure)
    }

    /// True if it is written `receiver.name(..)`: an inherent method with a receiver.
    pub fn is_method(&self) -> bool {
        let has_receiver = self.params.first().is_some_and(|param| param.name == "self");
        has_receiver && matches!(self.callee, Callee::Inherent { .. })
    }

    /// Returns the form of each argument of a step, in their order.
    pub fn operand_params(&self) -> Vec<&SpelledParam> {
        self.params.iter().flat_map(SpelledParam::operand_params).collect()
    }
}

impl SpelledParam {
    /// The arguments of a step that this is made of.
    pub fn operand_params(&self) -> Vec<&SpelledParam> {
        match &self.passing {
            Passing::Function | Passing::Formatter => Vec::new(),
            Passing::Composite(_, parts) => {
                parts.iter().flat_map(SpelledParam::operand_params).collect()
            }
            Passing::Giving(parts) => {
                let parts = parts.iter().flat_map(SpelledParam::operand_params);
                std::iter::once(self).chain(parts).collect()
            }
            _ => vec![self],
        }
    }
}
