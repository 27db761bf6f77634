//! Manifests in short form.

use gainsay_wire::{
    CallableId, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Role, TypeId,
};

/// A query that takes part.
pub fn make_query(name: &str, param: Option<ManifestParam>) -> ManifestQuery {
    ManifestQuery { name: name.to_owned(), param, active: true }
}

/// A type that neither clones nor borrows nor locks.
pub fn make_type(name: &str, queries: Vec<ManifestQuery>) -> ManifestType {
    let name = name.to_owned();
    ManifestType { name, queries, can_clone: false, borrows: false, locks: false }
}

/// An operation; its identity is that of a method of the type that its name begins with, its role
/// that of its receiver.
pub fn make_op(name: &str, params: &[(&str, ManifestParam)], makes: &[TypeId]) -> ManifestOp {
    let (owner, function) = name.rsplit_once("::").unwrap_or(("", name));
    let receiver = params.first().filter(|(name, _)| *name == "self").map(|(_, param)| param);
    let role = match receiver {
        None => Role::Origin,
        Some(ManifestParam::Object(_, Mode::Own)) => Role::Consumer,
        Some(ManifestParam::Object(_, Mode::Ref | Mode::OptRef)) => Role::Query,
        Some(_) => Role::Command,
    };
    ManifestOp {
        id: CallableId::method(owner, function).into(),
        name: name.to_owned(),
        names: params.iter().map(|(name, _)| (*name).to_owned()).collect(),
        params: params.iter().map(|(_, param)| param.clone()).collect(),
        makes: makes.to_vec(),
        role,
        ..ManifestOp::default()
    }
}

/// A parameter that takes an object.
pub fn object(ty: TypeId, mode: Mode) -> ManifestParam {
    ManifestParam::Object(ty, mode)
}

/// A parameter that takes a plain value of a type.
pub fn plain(key: &str) -> ManifestParam {
    ManifestParam::Plain(key.into())
}
