//! Loans in stored descriptions: the wire's type has a form here that serde knows, since the wire has
//! no dependencies.

use gainsay_wire::Lending;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredLending {
    Inherited,
    Operands,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(crate) fn serialize<S: Serializer>(lending: &Lending, to: S) -> Result<S::Ok, S::Error> {
    let stored = match lending {
        Lending::Inherited => StoredLending::Inherited,
        Lending::Operands => StoredLending::Operands,
    };
    stored.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Lending, D::Error> {
    Ok(match StoredLending::deserialize(from)? {
        StoredLending::Inherited => Lending::Inherited,
        StoredLending::Operands => Lending::Operands,
    })
}
