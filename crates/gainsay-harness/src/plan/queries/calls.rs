//! Methods and fields as views.

use gainsay_model::{
    api::{Api, Callee, OpKind, Operation, Shape},
    ty::{GenericArg, Ty},
};
use gainsay_wire::Mode;

use super::{Looked, PlannedQuery, QueryCall, QueryHow, Rank, planned};
use crate::plan::{
    params::{self, Pass},
    result::{self, Seen},
};

/// Say nothing of the value that its elements would not, or make a new one.
const NOT_VIEWS: [&str; 6] = ["clone", "iter", "to_owned", "into_iter", "borrow", "seq"];

/// Methods of std's traits that say something by themselves.
const OF_STD: [(&str, &str); 5] = [
    ("std::cmp::Ord", "cmp"),
    ("std::cmp::PartialOrd", "partial_cmp"),
    ("std::iter::ExactSizeIterator", "len"),
    ("std::iter::Iterator", "size_hint"),
    ("std::hash::Hasher", "finish"),
];

pub(super) fn is_receiver(op: &Operation, ty: &Ty) -> bool {
    let shared = op.receiver().is_some_and(|receiver| receiver.ty == ty.clone().shared());
    shared && op.kind == OpKind::Query
}

/// Methods whose results can be told.
pub(super) fn queries(looked: &Looked<'_>) -> Vec<PlannedQuery> {
    let mut found: Vec<PlannedQuery> =
        looked.operations().filter_map(|op| query(looked, op)).collect();
    let has = |name: &str| found.iter().any(|query| query.name == name);
    // One says all that the other could say.
    let ordered = has("cmp");
    let counted = has("len") || looked.ty.elements.is_some();
    found.retain(|query| match query.name.as_str() {
        "partial_cmp" => !ordered,
        "size_hint" => !counted,
        _ => true,
    });
    found
}

/// Public fields; what they hold is seen as it is, or told apart.
pub(super) fn fields(looked: &Looked<'_>) -> Vec<PlannedQuery> {
    let fields = looked.ty.shape.public_fields().iter();
    let seen = fields.filter(|field| !matches!(field.ty, Ty::Closure { .. } | Ty::Opaque));
    seen.map(|field| {
        let how = QueryHow::Field(field.name.clone());
        planned(format!(".{}", field.name), how, rank(&field.ty))
    })
    .collect()
}

fn query(looked: &Looked<'_>, op: &Operation) -> Option<PlannedQuery> {
    let name = own_name(looked.api, &op.callee)?;
    if NOT_VIEWS.contains(&name.as_str()) {
        return None;
    }
    let arg = match op.params.as_slice() {
        [_] => None,
        [_, param] => Some(params::param(param, looked.pool).ok()?.pass),
        _ => return None,
    };
    let fits = match &arg {
        None | Some(Pass::Object { mode: Mode::Ref, .. }) => true,
        Some(Pass::Plain(plain)) => !plain.lend.is_exclusive(),
        Some(_) => false,
    };
    let seen = if result::is_telling(&op.result) {
        let (seen, makes) = result::result(&op.result, looked.pool);
        makes.is_empty().then_some(seen)?
    } else {
        told_apart(looked, &op.result)?
    };
    let call = QueryCall { through: None, callee: op.callee.clone(), arg, seen };
    fits.then(|| planned(name, QueryHow::Call(Box::new(call)), rank(&op.result)))
}

/// How a result is seen that is an object of the subject behind a reference, or one of a few
/// values: by its digest.
fn told_apart(looked: &Looked<'_>, result: &Ty) -> Option<Seen> {
    match result {
        Ty::Ref { to, .. } if is_ours(looked.api, to) => Some(Seen::LookThrough),
        Ty::Path { path, args } => match (path.as_str(), args.as_slice()) {
            ("std::option::Option", [GenericArg::Type(inner)]) => {
                Some(Seen::Option(Box::new(told_apart(looked, inner)?)))
            }
            _ if is_enum(looked.api, result) => Some(Seen::Look),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type is one of the subject's.
pub(super) fn is_ours(api: &Api, ty: &Ty) -> bool {
    matches!(ty, Ty::Path { path, .. } if path.split("::").next() == Some(&*api.subject.lib_name))
}

fn is_enum(api: &Api, ty: &Ty) -> bool {
    let known = api.types.iter().find(|known| known.ty == *ty);
    known.is_some_and(|known| matches!(known.shape, Shape::Variants(_)))
}

/// What a result of this type is worth.
pub(super) fn rank(ty: &Ty) -> Rank {
    match ty {
        Ty::Prim(name) if name == "bool" => Rank::Truth,
        Ty::Prim(_) => Rank::Simple,
        Ty::Path { path, .. } if path == "std::cmp::Ordering" => Rank::Simple,
        _ if result::is_telling(ty) => Rank::Compound,
        _ => Rank::Token,
    }
}

/// The method's name, if it is inherent or belongs to a trait of the subject or to one of std's
/// that are listed.
pub(super) fn own_name(api: &Api, callee: &Callee) -> Option<String> {
    match callee {
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => None,
        Callee::Inherent { name, .. } => Some(name.clone()),
        Callee::Trait { path, name, .. } => {
            let own = path.split("::").next() == Some(api.subject.lib_name.as_str());
            let listed = OF_STD.contains(&(path.as_str(), name.as_str()));
            (own || listed).then(|| name.clone())
        }
    }
}
