//! How a call of an operation is written by a person: what a witness prints. The harness plans
//! it, the report prints it.

use serde::{Deserialize, Serialize};

use crate::{api::Callee, ty::Ty};

/// A call without its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spelling {
    /// The function.
    pub callee: Callee,
    /// Its parameters, the receiver first under the name `self`.
    pub params: Vec<SpelledParam>,
    /// The result's type.
    pub result: Ty,
    /// Where the result holds the objects that go into the pool, in the order of their numbers.
    pub makes: Vec<Made>,
}

/// One parameter of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpelledParam {
    /// As in the subject's source.
    pub name: String,
    /// What is passed, and how.
    pub passing: Passing,
    /// The type as the signature has it, references included. A plain value is written by
    /// walking this type: `&` where it has a reference.
    pub ty: Ty,
}

/// What is passed for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passing {
    /// An object as `&v0`.
    Shared,
    /// An object as `&mut v0`.
    Exclusive,
    /// An object by value.
    Owned,
    /// `Some(&v0)` or `None`.
    OptionalShared,
    /// `Some(v0)` or `None`.
    OptionalOwned,
    /// A value made on the spot.
    Plain,
    /// A closure of the runtime's family, chosen by a plain value.
    Closure,
    /// An iterator over a vector made on the spot.
    Iterator,
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
    /// Whether it is written `receiver.name(..)`: an inherent method with a receiver.
    pub fn is_method(&self) -> bool {
        let has_receiver = self.params.first().is_some_and(|param| param.name == "self");
        has_receiver && matches!(self.callee, Callee::Inherent { .. })
    }
}
