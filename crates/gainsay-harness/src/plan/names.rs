//! Names of operations for people: the path, and the instantiation where one path has several.

use std::collections::BTreeMap;

use gainsay_model::{api::Callee, ty::Ty};

use super::{OpRole, PlannedOp};

/// Makes all names different: by the type the operation belongs to, by the types of its
/// parameters, and as the last resort by number.
pub(crate) fn make_unique(ops: &mut [PlannedOp]) {
    let by_type: fn(&PlannedOp) -> Option<String> =
        |op| owner(op).map(|ty| format!("{} for {ty}", op.path));
    let by_params: fn(&PlannedOp) -> Option<String> = |op| {
        let types: Vec<String> = op.params.iter().map(|param| param.ty.to_string()).collect();
        Some(format!("{} with ({})", op.name, types.join(", ")))
    };
    for rename in [by_type, by_params] {
        for index in shared(ops) {
            if let Some(name) = rename(&ops[index]) {
                ops[index].name = name;
            }
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for index in shared(ops) {
        let count = seen.entry(ops[index].name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            ops[index].name = format!("{} ({count})", ops[index].name);
        }
    }
}

/// Indices of operations that share their name with another.
fn shared(ops: &[PlannedOp]) -> Vec<usize> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, op) in ops.iter().enumerate() {
        by_name.entry(&op.name).or_default().push(index);
    }
    let mut found: Vec<usize> =
        by_name.into_values().filter(|all| all.len() > 1).flatten().collect();
    found.sort_unstable();
    found
}

fn owner(op: &PlannedOp) -> Option<&Ty> {
    match &op.callee {
        Callee::Function { .. } if op.role == OpRole::Drop => {
            op.params.first().map(|param| &param.ty)
        }
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => None,
        Callee::Inherent { ty, .. } | Callee::Trait { ty, .. } => Some(ty),
    }
}
