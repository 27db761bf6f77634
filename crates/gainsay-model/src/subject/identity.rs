//! Identities of callables in stored descriptions: the wire's type has a form here that serde
//! knows, since the wire has no dependencies.

use gainsay_wire::{CallableId, Owner};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredOwner {
    Module(String),
    Type(String),
}

#[derive(Serialize, Deserialize)]
struct StoredId {
    owner: StoredOwner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_trait: Option<String>,
    name: String,
}

pub(crate) fn serialize<S: Serializer>(id: &CallableId, to: S) -> Result<S::Ok, S::Error> {
    let owner = match id.owner.clone() {
        Owner::Module(path) => StoredOwner::Module(path),
        Owner::Type(path) => StoredOwner::Type(path),
    };
    StoredId { owner, in_trait: id.in_trait.clone(), name: id.name.clone() }.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CallableId, D::Error> {
    let StoredId { owner, in_trait, name } = StoredId::deserialize(from)?;
    let owner = match owner {
        StoredOwner::Module(path) => Owner::Module(path),
        StoredOwner::Type(path) => Owner::Type(path),
    };
    Ok(CallableId { owner, in_trait, name })
}
