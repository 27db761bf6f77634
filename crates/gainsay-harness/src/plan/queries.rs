//! Which views a type has.
//!
//! A state must tell objects apart and must be cheap, since it is taken around every call. So
//! views are ranked: the sequence of elements and what is simple come first, what repeats the
//! contents as a whole is left out, and text is only for types that nothing else tells apart.

mod calls;
mod contents;
mod inner;

use std::collections::BTreeSet;

use gainsay_model::{
    api::{Api, ApiType, Callee, Elements, Operation, Shape},
    ty::{GenericArg, Ty},
};

use super::{
    PoolTypes,
    params::{Carrier, Pass},
    result::Seen,
};

/// A state has no more argument-less queries than this.
const MOST_UNARY: usize = 12;
/// A type has no more queries with an argument than this.
const MOST_RELATIONS: usize = 12;

/// A view of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedQuery {
    /// The method's name; `seq` and others are made up. What begins with a dot is to be read
    /// after the object as it stands: `.major`, `.front()?.len()`.
    pub(crate) name: String,
    /// What the type is to the one that is looked at.
    pub(crate) carrier: Carrier,
    /// How it is evaluated.
    pub(crate) how: QueryHow,
    /// How much it is wanted.
    pub(crate) rank: Rank,
}

/// How a view is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueryHow {
    /// The element sequence.
    Elements(Elements),
    /// The elements in the order of their values: what a type holds whose own order depends on
    /// hashes.
    Bag(Elements),
    /// A call.
    Call(Box<QueryCall>),
    /// A public field.
    Field(String),
    /// The name of an enum's variant.
    Variant {
        /// Public path of the enum.
        path: String,
        /// Its variants.
        names: Vec<String>,
    },
    /// The text of `Display`.
    Text,
    /// A digest of the text of `Debug`.
    Debug,
}

/// A call of a method with `&self`, of the object or of one that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryCall {
    /// How to get from the object to the receiver.
    pub(crate) through: Option<Through>,
    /// The method.
    pub(crate) callee: Callee,
    /// The argument besides the receiver.
    pub(crate) arg: Option<Pass>,
    /// What is seen of the result.
    pub(crate) seen: Seen,
}

/// The way from an object to one that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Through {
    /// What gives the inner object.
    pub(crate) by: Hop,
    /// Whether there may be none: the view is an option then.
    pub(crate) optional: bool,
    /// Whether it is given by reference.
    pub(crate) by_ref: bool,
}

/// What gives an inner object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// A query without argument.
    Call(Callee),
    /// A public field.
    Field(String),
}

/// What a view is worth: when there are too many, those of the last ranks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// The elements, the variant.
    Essence,
    /// A truth value.
    Truth,
    /// A number, a character, an ordering.
    Simple,
    /// Options and tuples of these, texts.
    Compound,
    /// What can only be told apart.
    Token,
    /// All that the object holds, said once more in another way.
    Contents,
    /// Of another object that this one leads to.
    Inner,
    /// The last resort.
    Text,
}

impl PlannedQuery {
    /// The argument, if it takes one.
    pub(crate) fn arg(&self) -> Option<&Pass> {
        match &self.how {
            QueryHow::Call(call) => call.arg.as_ref(),
            _ => None,
        }
    }

    /// What distinguishes two queries of one name: the type of the argument.
    fn identity(&self) -> (String, Option<String>) {
        let arg = self.arg().and_then(|arg| match arg {
            Pass::Object { ty, .. } => Some(format!("object {ty}")),
            Pass::Plain(plain) => Some(plain.owned.to_string()),
            _ => None,
        });
        (self.name.clone(), arg)
    }
}

/// A type that is looked at, with what is known of it.
struct Looked<'a> {
    api: &'a Api,
    ty: &'a ApiType,
    /// The type itself, behind references and boxes.
    target: &'a Ty,
    pool: &'a PoolTypes,
}

impl<'a> Looked<'a> {
    /// The operations that take it by shared reference.
    fn operations(&self) -> impl Iterator<Item = &'a Operation> + use<'a> {
        let target = self.target;
        self.api.operations.iter().filter(move |op| calls::is_receiver(op, target))
    }

    /// Whether a trait is implemented: its method is an operation.
    fn has(&self, path: &str) -> bool {
        self.operations()
            .any(|op| matches!(&op.callee, Callee::Trait { path: found, .. } if found == path))
    }
}

/// The views of a type, the most wanted ones of each kind in the order of the Api.
pub(crate) fn queries(api: &Api, ty: &ApiType, pool: &PoolTypes) -> Vec<PlannedQuery> {
    let (target, carrier) = target(&ty.ty);
    let looked = Looked { api, ty, target, pool };
    let mut found = calls::queries(&looked);
    found.extend(elements(ty));
    found.extend(calls::fields(&looked));
    found.extend(variant(&looked));
    found.extend(inner::queries(&looked));
    found.extend(contents::queries(&looked, &found));
    let mut known = BTreeSet::new();
    found.retain(|query| known.insert(query.identity()));
    let (unary, relations): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|query| query.arg().is_none());
    let mut found = best(relations, MOST_RELATIONS);
    found.splice(0..0, best(unary, MOST_UNARY));
    found.into_iter().map(|query| PlannedQuery { carrier, ..query }).collect()
}

/// The most wanted ones, in the order in which they come.
fn best(queries: Vec<PlannedQuery>, most: usize) -> Vec<PlannedQuery> {
    let mut ranks: Vec<(Rank, usize)> =
        queries.iter().enumerate().map(|(at, query)| (query.rank, at)).collect();
    // Where the sequence is random, the bag takes its place: they count as one.
    ranks.retain(|(_, at)| !matches!(queries[*at].how, QueryHow::Bag(_)));
    ranks.sort_unstable();
    ranks.truncate(most);
    let chosen: BTreeSet<usize> = ranks.into_iter().map(|(_, at)| at).collect();
    let is_chosen = |(at, query): &(usize, PlannedQuery)| {
        chosen.contains(at) || matches!(query.how, QueryHow::Bag(_))
    };
    queries.into_iter().enumerate().filter(is_chosen).map(|(_, query)| query).collect()
}

fn planned(name: impl Into<String>, how: QueryHow, rank: Rank) -> PlannedQuery {
    PlannedQuery { name: name.into(), carrier: Carrier::Itself, how, rank }
}

/// The sequence of elements, and the same without an order.
fn elements(ty: &ApiType) -> Vec<PlannedQuery> {
    let Some(elements) = ty.elements else { return Vec::new() };
    let mut found = vec![planned("seq", QueryHow::Elements(elements), Rank::Essence)];
    if elements != Elements::CloneIter && !ty.ty.is_borrowed() {
        found.push(planned("bag", QueryHow::Bag(elements), Rank::Essence));
    }
    found
}

fn variant(looked: &Looked<'_>) -> Option<PlannedQuery> {
    let (Shape::Variants(names), Ty::Path { path, .. }) = (&looked.ty.shape, looked.target) else {
        return None;
    };
    let how = QueryHow::Variant { path: path.clone(), names: names.clone() };
    Some(planned("variant", how, Rank::Essence))
}

/// What is looked at through a value of a type.
fn target(ty: &Ty) -> (&Ty, Carrier) {
    match ty {
        Ty::Ref { to, .. } => (to, Carrier::Deref),
        Ty::Path { path, args } => match (path.as_str(), args.as_slice()) {
            ("std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc", [GenericArg::Type(to)]) => {
                (to, Carrier::Deref)
            }
            _ => (ty, Carrier::Itself),
        },
        _ => (ty, Carrier::Itself),
    }
}
