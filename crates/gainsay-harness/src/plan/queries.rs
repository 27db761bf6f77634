//! Which operations serve as views of a type.

use std::collections::BTreeSet;

use gainsay_model::{
    api::{Api, ApiType, Callee, Elements, OpKind, Operation},
    ty::{GenericArg, Ty},
};
use gainsay_wire::Mode;

use super::{
    PoolTypes,
    params::{self, Carrier, Pass},
    plain,
    result::{self, Seen},
};

/// Say nothing of the value that its elements would not, or make a new one.
const NOT_VIEWS: [&str; 5] = ["clone", "iter", "to_owned", "into_iter", "borrow"];

/// A view of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedQuery {
    /// The method's name, or `seq`.
    pub(crate) name: String,
    /// What the type is to the one that is looked at.
    pub(crate) carrier: Carrier,
    /// How it is evaluated.
    pub(crate) how: QueryHow,
}

/// How a view is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueryHow {
    /// The element sequence.
    Elements(Elements),
    /// A call.
    Call(Box<QueryCall>),
}

/// A call of a method with `&self`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryCall {
    /// The method.
    pub(crate) callee: Callee,
    /// The argument besides the receiver.
    pub(crate) arg: Option<Pass>,
    /// What is seen of the result.
    pub(crate) seen: Seen,
}

impl PlannedQuery {
    /// The argument, if it takes one.
    pub(crate) fn arg(&self) -> Option<&Pass> {
        match &self.how {
            QueryHow::Elements(_) => None,
            QueryHow::Call(call) => call.arg.as_ref(),
        }
    }

    /// What distinguishes two queries of one name: the type of the argument.
    fn identity(&self) -> (String, Option<String>) {
        let arg = self.arg().and_then(|arg| match arg {
            Pass::Object { ty, .. } => Some(format!("object {ty}")),
            Pass::Plain(plain) => Some(plain::key(&plain.owned)),
            _ => None,
        });
        (self.name.clone(), arg)
    }
}

pub(crate) fn queries(api: &Api, ty: &ApiType, pool: &PoolTypes) -> Vec<PlannedQuery> {
    let mut known = BTreeSet::new();
    let (target, carrier) = target(&ty.ty);
    let calls = api.operations.iter().filter(|op| is_receiver(op, target));
    let calls = calls.filter_map(|op| query(api, op, pool));
    let calls = calls.map(|query| PlannedQuery { carrier, ..query });
    let mut found: Vec<PlannedQuery> =
        calls.filter(|query| query.name != "seq" && known.insert(query.identity())).collect();
    if let Some(elements) = ty.elements {
        found.push(PlannedQuery { name: "seq".into(), carrier, how: QueryHow::Elements(elements) });
    }
    found
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

fn is_receiver(op: &Operation, ty: &Ty) -> bool {
    let shared = op.receiver().is_some_and(|receiver| receiver.ty == ty.clone().shared());
    shared && op.kind == OpKind::Query
}

fn query(api: &Api, op: &Operation, pool: &PoolTypes) -> Option<PlannedQuery> {
    let name = own_name(api, &op.callee)?;
    if NOT_VIEWS.contains(&name.as_str()) || !result::is_telling(&op.result) {
        return None;
    }
    let arg = match op.params.as_slice() {
        [_] => None,
        [_, param] => Some(params::param(param, pool).ok()?.pass),
        _ => return None,
    };
    let fits = match &arg {
        None | Some(Pass::Object { mode: Mode::Ref, .. }) => true,
        Some(Pass::Plain(plain)) => !plain.lend.is_exclusive(),
        Some(_) => false,
    };
    let (seen, makes) = result::result(&op.result, pool);
    let how = QueryHow::Call(Box::new(QueryCall { callee: op.callee.clone(), arg, seen }));
    (fits && makes.is_empty()).then_some(PlannedQuery { name, carrier: Carrier::Itself, how })
}

/// The method's name, if it is inherent or belongs to a trait of the subject.
fn own_name(api: &Api, callee: &Callee) -> Option<String> {
    match callee {
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => None,
        Callee::Inherent { name, .. } => Some(name.clone()),
        Callee::Trait { path, name, .. } => {
            let krate = path.split("::").next();
            (krate == Some(api.subject.lib_name.as_str())).then(|| name.clone())
        }
    }
}
