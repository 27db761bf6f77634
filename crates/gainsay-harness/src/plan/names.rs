//! Names of operations for people: the path, and the instantiation where one path has several.

use std::collections::BTreeMap;

use gainsay_model::{api::Callee, ty::Ty};

use gainsay_wire::Role;

use super::PlannedOp;

/// Makes all names different: by the type the operation belongs to, by what it is asked for, by the
/// types of its parameters, and as the last resort by number.
pub(crate) fn make_unique(ops: &mut [PlannedOp]) {
    let by_type: fn(&PlannedOp) -> Option<String> =
        |op| owner(op).map(|ty| format!("{} for {ty}", op.path));
    let by_params: fn(&PlannedOp) -> Option<String> = |op| {
        let types: Vec<String> = op.params.iter().map(|param| param.ty.to_string()).collect();
        Some(format!("{} with ({})", op.name, types.join(", ")))
    };
    for rename in [by_type, by_wish, by_params] {
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

/// `Report::downcast for Probe`: the type that it belongs to is left out, since its path names it.
fn by_wish(op: &PlannedOp) -> Option<String> {
    let generics = match &op.callee {
        Callee::Function { generics, .. }
        | Callee::Inherent { generics, .. }
        | Callee::Trait { generics, .. } => generics,
        Callee::Literal { .. } | Callee::Part { .. } => return None,
    };
    let asked: Vec<String> = generics.iter().map(ToString::to_string).collect();
    let has_args = |ty: &Ty| matches!(ty, Ty::Path { args, .. } if !args.is_empty());
    match (asked.as_slice(), owner(op)) {
        ([], _) => None,
        (asked, Some(ty)) if has_args(ty) => {
            Some(format!("{} for {ty} and {}", op.path, asked.join(", ")))
        }
        (asked, _) => Some(format!("{} for {}", op.path, asked.join(", "))),
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
        Callee::Function { .. } if op.role == Role::Drop => {
            op.params.first().map(|param| &param.ty)
        }
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => None,
        Callee::Inherent { ty, .. } | Callee::Trait { ty, .. } => Some(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan::Plan, sample};

    /// The names of two operations that differ in what they are asked for.
    fn names(owner: &Ty) -> Vec<String> {
        let mut api = sample::api(std::path::Path::new("out"));
        for asked in [Ty::prim("u8"), Ty::Probe] {
            let mut op = api.operations[0].clone();
            op.path = "Stack::ask".into();
            let generics = vec![asked];
            op.callee = Callee::Inherent { ty: owner.clone(), name: "ask".into(), generics };
            api.operations.push(op);
        }
        let ops = Plan::new(&api).ops;
        ops.into_iter().filter(|op| op.path == "Stack::ask").map(|op| op.name).collect()
    }

    #[test]
    fn operations_are_told_apart_by_what_they_are_asked_for() {
        let plain = Ty::named("tiny_stack::Plain");
        assert_eq!(names(&plain), ["Stack::ask for u8", "Stack::ask for Probe"]);
        let generic = sample::stack();
        let expected = ["u8", "Probe"].map(|asked| format!("Stack::ask for {generic} and {asked}"));
        assert_eq!(names(&generic), expected);
    }
}
