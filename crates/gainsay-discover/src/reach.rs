//! What can be called at all: a fixed point over which types some operation makes.

use std::collections::BTreeSet;

use gainsay_model::{
    api::{Callee, Operation},
    skip::{Skip, SkipReason},
    ty::{GenericArg, Ty},
};

use crate::plain::is_plain_std;

/// Operations that can be called, the types they live on, and the rest with reasons.
pub(crate) struct Reached {
    pub(crate) operations: Vec<Operation>,
    pub(crate) types: Vec<Ty>,
    pub(crate) skips: Vec<Skip>,
}

/// `unowned` are the subject's types that cannot be kept: unsized or borrowing.
pub(crate) fn reachable(
    operations: Vec<Operation>,
    lib_name: &str,
    unowned: BTreeSet<String>,
) -> Reached {
    let mut makeable =
        Makeable { prefix: format!("{lib_name}::"), unowned, types: BTreeSet::new() };
    loop {
        let before = makeable.types.len();
        for operation in &operations {
            if operation.params.iter().all(|param| makeable.value(&param.ty)) {
                makeable.collect(&operation.result);
            }
        }
        if makeable.types.len() == before {
            break;
        }
    }
    let mut reached = Reached { operations: Vec::new(), types: Vec::new(), skips: Vec::new() };
    let mut refused = Vec::new();
    for operation in operations {
        match operation.params.iter().find(|param| !makeable.value(&param.ty)) {
            None => reached.operations.push(operation),
            Some(_) if matches!(operation.callee, Callee::Literal { .. }) => {}
            Some(param) => {
                let reason = if param.name == "self" {
                    SkipReason::NoOrigin
                } else {
                    SkipReason::NoValueForArgument
                };
                let detail = format!("{}: {}", param.name, param.ty);
                refused.push(Skip { operation: operation.path, reason, detail });
            }
        }
    }
    // A callable is skipped only when none of its instantiations can be called, and once.
    let mut settled: BTreeSet<String> =
        reached.operations.iter().map(|op| op.path.clone()).collect();
    reached.skips =
        refused.into_iter().filter(|skip| settled.insert(skip.operation.clone())).collect();
    reached.types = makeable.types.into_iter().collect();
    reached
}

struct Makeable {
    prefix: String,
    unowned: BTreeSet<String>,
    types: BTreeSet<Ty>,
}

impl Makeable {
    /// Whether a value of this type can be had for an argument.
    fn value(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Unit | Ty::Prim(_) | Ty::Str | Ty::Probe => true,
            Ty::Never | Ty::Opaque => false,
            Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => self.value(to),
            Ty::Tuple(items) => items.iter().all(|item| self.value(item)),
            Ty::Closure { ret, .. } => self.value(ret),
            Ty::Iter { item } => self.value(item),
            Ty::Path { path, args } if path.starts_with("std::") => {
                is_plain_std(path)
                    && args
                        .iter()
                        .all(|arg| !matches!(arg, GenericArg::Type(ty) if !self.value(ty)))
            }
            Ty::Path { .. } => self.types.contains(ty),
        }
    }

    /// The subject's types of which a result holds owned values.
    fn collect(&mut self, result: &Ty) {
        match result {
            Ty::Tuple(items) => items.iter().for_each(|item| self.collect(item)),
            Ty::Array(item, _) => self.collect(item),
            Ty::Path { path, args } if path.starts_with(&self.prefix) => {
                if !result.is_borrowed() && !self.unowned.contains(path) {
                    self.types.insert(result.clone());
                    return;
                }
                self.collect_args(args);
            }
            Ty::Path { args, path } if is_plain_std(path) => self.collect_args(args),
            _ => {}
        }
    }

    fn collect_args(&mut self, args: &[GenericArg]) {
        for arg in args {
            if let GenericArg::Type(ty) = arg {
                self.collect(ty);
            }
        }
    }
}
