//! What can be called at all: a fixed point over which types some operation makes.

use std::collections::BTreeSet;

use gainsay_model::{
    api::{Callee, Operation},
    skip::{Skip, SkipReason},
    ty::{Access, GenericArg, Ty},
};

use crate::plain::is_plain_std;

/// Operations that can be called, the types they live on, and the rest with reasons.
pub(crate) struct Reached {
    pub(crate) operations: Vec<Operation>,
    pub(crate) types: Vec<Ty>,
    pub(crate) skips: Vec<Skip>,
}

/// What of `operations` can be called. `unsized_ones` are the types that live behind references
/// and boxes only.
pub(crate) fn reachable(operations: Vec<Operation>, unsized_ones: BTreeSet<String>) -> Reached {
    let mut makeable = Makeable { unsized_ones, ..Makeable::default() };
    makeable.extend(&operations.iter().filter(|operation| !is_part(operation)));
    // Values are taken apart only for what cannot be had otherwise.
    let whole = makeable.clone();
    makeable.extend(&operations.iter());
    let is_needed = |operation: &Operation| {
        !is_part(operation) || {
            let mut more = whole.clone();
            more.collect(&operation.result);
            more.size() > whole.size()
        }
    };
    let operations: Vec<Operation> = operations.into_iter().filter(is_needed).collect();
    let mut reached = Reached { operations: Vec::new(), types: Vec::new(), skips: Vec::new() };
    let mut refused = Vec::new();
    for operation in operations {
        match operation.params.iter().find(|param| !makeable.value(&param.ty)) {
            None => reached.operations.push(operation),
            Some(_) if !operation.counted => {}
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
    let params = reached.operations.iter().flat_map(|operation| &operation.params);
    reached.types = without_idle(makeable.pooled(), params.map(|param| &param.ty));
    reached
}

/// So many types are kept although no operation takes them. Whatever is kept is looked at in every
/// way that its traits allow, which takes the compiler long; what adapters make of adapters may be
/// thousands of types. Operations that give others are called all the same.
const MOST_IDLE: usize = 120;

/// The types without those that are too many and that nothing can be called on, simple ones first.
fn without_idle<'t>(types: Vec<Ty>, params: impl Iterator<Item = &'t Ty>) -> Vec<Ty> {
    let mut taken = BTreeSet::new();
    for param in params {
        note_parts(param, &mut taken);
    }
    let is_taken = |ty: &Ty| taken.contains(ty) || carried(ty).is_some_and(|to| taken.contains(to));
    let mut idle: Vec<&Ty> = types.iter().filter(|ty| !is_taken(ty)).collect();
    if idle.len() <= MOST_IDLE {
        return types;
    }
    idle.sort_by_cached_key(|ty| ty.to_string().len());
    let left_out: BTreeSet<Ty> = idle.into_iter().skip(MOST_IDLE).cloned().collect();
    types.into_iter().filter(|ty| !left_out.contains(ty)).collect()
}

/// A type and all that it is made of.
fn note_parts<'t>(ty: &'t Ty, parts: &mut BTreeSet<&'t Ty>) {
    parts.insert(ty);
    match ty {
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) | Ty::Iter { item: to } => {
            note_parts(to, parts);
        }
        Ty::Tuple(items) => items.iter().for_each(|item| note_parts(item, parts)),
        Ty::Closure { args, ret, .. } => {
            args.iter().chain([&**ret]).for_each(|item| note_parts(item, parts));
        }
        Ty::Path { args, .. } => {
            for arg in args {
                if let GenericArg::Type(ty) = arg {
                    note_parts(ty, parts);
                }
            }
        }
        _ => {}
    }
}

fn is_part(operation: &Operation) -> bool {
    matches!(operation.callee, Callee::Part { .. })
}

#[derive(Clone, Default)]
struct Makeable {
    unsized_ones: BTreeSet<String>,
    /// Types of crates of which some operation makes values.
    types: BTreeSet<Ty>,
    /// References and boxes to types of crates that some operation gives.
    carriers: BTreeSet<Ty>,
}

impl Makeable {
    /// Adds what operations make, one after another, until none of them makes anything new.
    fn extend<'o>(&mut self, operations: &(impl Iterator<Item = &'o Operation> + Clone)) {
        loop {
            let before = self.size();
            for operation in operations.clone() {
                if operation.params.iter().all(|param| self.value(&param.ty)) {
                    self.collect(&operation.result);
                }
            }
            if self.size() == before {
                return;
            }
        }
    }

    fn size(&self) -> usize {
        self.types.len() + self.carriers.len()
    }

    /// What is worth keeping: a reference to a type only where there are no values of it.
    fn pooled(self) -> Vec<Ty> {
        let carriers = self.carriers.iter();
        let needed = carriers.filter(|ty| carried(ty).is_some_and(|to| !self.types.contains(to)));
        needed.chain(&self.types).cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether a value of this type can be had for an argument.
    fn value(&self, ty: &Ty) -> bool {
        if self.types.contains(ty) || self.carriers.contains(ty) {
            return true;
        }
        match ty {
            Ty::Unit | Ty::Prim(_) | Ty::Str | Ty::Probe => true,
            Ty::Ref { access, to } if is_of_a_crate(to) => {
                self.types.contains(&**to) || self.is_carried(to, *access)
            }
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
            Ty::Path { .. } | Ty::Never | Ty::Opaque => false,
        }
    }

    /// Whether something that is kept leads to a `to` with this access.
    fn is_carried(&self, to: &Ty, access: Access) -> bool {
        let owned = |name: &str| self.carriers.contains(&boxed(name, to));
        let exclusive = self.carriers.contains(&to.clone().exclusive()) || owned(BOX);
        match access {
            Access::Exclusive => exclusive,
            Access::Shared => {
                exclusive
                    || self.carriers.contains(&to.clone().shared())
                    || CARRIERS.iter().any(|name| owned(name))
            }
        }
    }

    /// Whether a value cannot be taken out of its box.
    fn stays(&self, carrier: &str, to: &Ty) -> bool {
        carrier != BOX || matches!(to, Ty::Path { path, .. } if self.unsized_ones.contains(path))
    }

    /// The types of crates that a result holds, by value or by reference.
    fn collect(&mut self, result: &Ty) {
        match result {
            Ty::Tuple(items) => items.iter().for_each(|item| self.collect(item)),
            Ty::Array(item, _) => self.collect(item),
            Ty::Ref { to, .. } if is_of_a_crate(to) => {
                self.carriers.insert(result.clone());
            }
            // `Cow<'_, Text>` holds no `Text` by value.
            Ty::Path { path, .. } if self.unsized_ones.contains(path) => {}
            Ty::Path { .. } if is_of_a_crate(result) => {
                self.types.insert(result.clone());
            }
            Ty::Path { path, .. } if carried(result).is_some_and(|to| self.stays(path, to)) => {
                self.carriers.insert(result.clone());
            }
            Ty::Path { args, path } if is_plain_std(path) => {
                for arg in args {
                    if let GenericArg::Type(ty) = arg {
                        self.collect(ty);
                    }
                }
            }
            _ => {}
        }
    }
}

const BOX: &str = "std::boxed::Box";
const CARRIERS: &[&str] = &[BOX, "std::rc::Rc", "std::sync::Arc"];

fn is_of_a_crate(ty: &Ty) -> bool {
    matches!(ty, Ty::Path { path, .. } if !path.starts_with("std::"))
}

fn boxed(path: &str, to: &Ty) -> Ty {
    Ty::Path { path: path.to_owned(), args: vec![GenericArg::Type(to.clone())] }
}

/// What a reference or a box leads to, if that is a type of a crate.
fn carried(ty: &Ty) -> Option<&Ty> {
    let to = match ty {
        Ty::Ref { to, .. } => &**to,
        Ty::Path { path, args } if CARRIERS.contains(&path.as_str()) => match args.as_slice() {
            [GenericArg::Type(to)] => to,
            _ => return None,
        },
        _ => return None,
    };
    is_of_a_crate(to).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(depth: usize) -> Ty {
        (0..depth).fold(Ty::named("a::Base"), |inner, _| Ty::Path {
            path: "a::Wrapper".to_owned(),
            args: vec![GenericArg::Type(inner)],
        })
    }

    #[test]
    fn of_many_types_that_nothing_takes_the_simple_ones_are_kept() {
        let all: Vec<Ty> = (0..MOST_IDLE + 40).map(wrapper).collect();
        let deep = &all[MOST_IDLE + 30];
        let taken = Ty::Tuple(vec![deep.clone().shared(), Ty::prim("u8")]);
        let kept = without_idle(all.clone(), [&taken].into_iter());
        // Whatever a type that is taken is made of is taken with it.
        assert_eq!(kept, all, "few are idle");
        let kept = without_idle(all.clone(), std::iter::empty());
        assert_eq!(kept, all[..MOST_IDLE]);
        let lone = Ty::named("a::Lone");
        let kept =
            without_idle([&all[..], std::slice::from_ref(&lone)].concat(), [&lone].into_iter());
        assert_eq!(kept, [&all[..MOST_IDLE], &[lone]].concat());
    }
}
