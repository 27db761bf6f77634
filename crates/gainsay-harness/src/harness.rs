//! The result of this stage.

use std::path::PathBuf;

use gainsay_model::{skip::Skip, spelling::Spelling, ty::Ty};
use gainsay_wire::OpId;
use serde::{Deserialize, Serialize};

use crate::live::Live;

/// A worker program and what it offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harness {
    /// The built program.
    pub program: PathBuf,
    /// Its operations; the index is the `OpId`.
    pub operations: Vec<HarnessedOp>,
    /// Its pool types; the index is the `TypeId`.
    pub types: Vec<Ty>,
    /// What could not be offered, beyond the skips of discovery.
    pub skips: Vec<Skip>,
    /// Whether an earlier build was reused and nothing had to be compiled.
    pub fresh: bool,
}

/// An operation of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarnessedOp {
    /// Its number in the program's table.
    #[serde(with = "op_number")]
    pub op: OpId,
    /// Index in the Api's operations; `None` for the built-in drop of a type.
    pub api: Option<usize>,
    /// Path for people, with the instantiation where one path has several.
    pub name: String,
    /// How a witness writes the call.
    pub spelling: Spelling,
}

impl Harness {
    /// What the program built from `live` offers.
    pub(crate) fn new(live: &Live<'_>, program: PathBuf) -> Harness {
        let operations = (0..).zip(&live.ops).map(|(number, &op)| {
            let op = &live.plan.ops[op];
            HarnessedOp {
                op: OpId(number),
                api: op.api,
                name: op.name.clone(),
                spelling: op.spelling(),
            }
        });
        Harness {
            program,
            operations: operations.collect(),
            types: live.types.iter().map(|&ty| live.plan.types[ty].ty.clone()).collect(),
            skips: live.plan.skips.iter().chain(&live.skips).cloned().collect(),
            fresh: false,
        }
    }
}

mod op_number {
    //! Ids of the wire have no serde of their own.

    use gainsay_wire::OpId;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(super) fn serialize<S: Serializer>(op: &OpId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(op.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OpId, D::Error> {
        u32::deserialize(from).map(OpId)
    }
}
