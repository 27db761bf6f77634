//! Decides what the harness offers: pool types, operations with every parameter's way of being
//! passed, views of each type. What cannot be offered becomes a skip with its reason.

mod closures;
mod compose;
mod names;
mod params;
mod plain;
mod queries;
mod result;

use std::collections::BTreeMap;

use gainsay_model::{
    api::{Api, Callee, Lending, Operation},
    skip::{Skip, SkipReason},
    spelling::{Made, Spelling},
    ty::{GenericArg, Ty},
};
use gainsay_wire::{CallableId, InstanceId, Mode, Owner, Role};

pub(crate) use closures::{Answer, PlannedClosure};
pub(crate) use params::{Carrier, Pass, PlannedParam, Slot};
pub(crate) use plain::Lend;
pub(crate) use queries::{Hop, PlannedQuery, QueryCall, QueryHow, Through};
pub(crate) use result::Seen;

/// What the harness is to offer, before rustc has seen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Pool types in the order of the Api.
    pub(crate) types: Vec<PlannedType>,
    /// Operations in the order of the Api, then one drop per type.
    pub(crate) ops: Vec<PlannedOp>,
    /// What cannot be offered.
    pub(crate) skips: Vec<Skip>,
}

/// A pool type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedType {
    /// The type.
    pub(crate) ty: Ty,
    /// Short name for people.
    pub(crate) name: String,
    /// Its views.
    pub(crate) queries: Vec<PlannedQuery>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedOp {
    /// Index in the Api; `None` for a drop that the subject does not write itself.
    pub(crate) api: Option<usize>,
    /// Its identity, the same in every build, version and process.
    pub(crate) id: InstanceId,
    /// Its relation to an object.
    pub(crate) role: Role,
    /// Path for people, unique by the instantiation.
    pub(crate) name: String,
    /// Path for people as the Api has it.
    pub(crate) path: String,
    /// The function.
    pub(crate) callee: Callee,
    /// Its parameters.
    pub(crate) params: Vec<PlannedParam>,
    /// The result's type.
    pub(crate) result: Ty,
    /// What the objects that it makes may borrow from.
    pub(crate) lending: Lending,
    /// What is seen of the result.
    pub(crate) seen: Seen,
    /// Objects that it makes, with the numbers of their types.
    pub(crate) makes: Vec<(usize, Made)>,
}

/// The pool types by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolTypes {
    numbers: BTreeMap<Ty, usize>,
}

impl PoolTypes {
    /// Numbers the types in their order.
    pub(crate) fn new<'a>(types: impl IntoIterator<Item = &'a Ty>) -> PoolTypes {
        let mut numbers = BTreeMap::new();
        for (number, ty) in types.into_iter().enumerate() {
            numbers.entry(ty.clone()).or_insert(number);
        }
        PoolTypes { numbers }
    }

    /// Whether values of the type with this number hold references.
    pub(crate) fn borrows(&self, number: usize) -> bool {
        self.numbers.iter().any(|(ty, known)| *known == number && ty.is_borrowed())
    }

    /// The number of a type, if it is one of the pool.
    pub(crate) fn number(&self, ty: &Ty) -> Option<usize> {
        self.numbers.get(ty).copied()
    }
}

impl Plan {
    /// Plans a harness for all of `api`.
    pub(crate) fn new(api: &Api) -> Plan {
        let pool = PoolTypes::new(api.types.iter().map(|ty| &ty.ty));
        let mut ops = Vec::new();
        let mut skips = Vec::new();
        let mut drops = BTreeMap::new();
        for (index, op) in api.operations.iter().enumerate() {
            if let Some(number) = dropped(op).and_then(|ty| pool.number(ty)) {
                drops.entry(number).or_insert(index);
                continue;
            }
            match planned(index, op, &pool) {
                Ok(planned) => ops.push(planned),
                Err((reason, detail)) => {
                    skips.push(Skip { operation: op.path.clone(), reason, detail });
                }
            }
        }
        ops.extend(api.types.iter().enumerate().map(|(number, ty)| {
            let written = drops.get(&number).map(|&index| (index, &api.operations[index]));
            drop_of(number, &ty.ty, &ty.name, written)
        }));
        names::make_unique(&mut ops);
        let types = api.types.iter().map(|ty| PlannedType {
            ty: ty.ty.clone(),
            name: ty.name.clone(),
            queries: queries::queries(api, ty, &pool),
        });
        Plan { types: types.collect(), ops, skips }
    }
}

impl Plan {
    /// The pool types by their numbers.
    pub(crate) fn pool(&self) -> PoolTypes {
        PoolTypes::new(self.types.iter().map(|ty| &ty.ty))
    }
}

impl PlannedOp {
    /// How a witness writes the call.
    pub(crate) fn spelling(&self) -> Spelling {
        Spelling {
            callee: self.callee.clone(),
            params: self.params.iter().map(PlannedParam::spelled).collect(),
            result: self.result.clone(),
            makes: self.makes.iter().map(|(_, made)| made.clone()).collect(),
            lending: self.lending,
        }
    }

    /// The operands of a call.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.params.iter().flat_map(PlannedParam::slots)
    }

    /// Numbers of the types whose objects it needs before it can be called.
    pub(crate) fn needs(&self) -> impl Iterator<Item = usize> + '_ {
        self.slots().filter_map(|slot| match slot {
            Slot::Object { ty, mode } if !mode.is_optional() => Some(ty),
            _ => None,
        })
    }

    /// Numbers of all types that its table entry names.
    pub(crate) fn mentions(&self) -> impl Iterator<Item = usize> + '_ {
        let operands = self.slots().filter_map(|slot| match slot {
            Slot::Object { ty, .. } => Some(ty),
            _ => None,
        });
        operands.chain(self.makes.iter().map(|(ty, _)| *ty))
    }

    /// Numbers of the types whose objects may refer to operands after the call: what it makes,
    /// and what it may change.
    pub(crate) fn may_hold(&self) -> impl Iterator<Item = usize> + '_ {
        let changed = self.slots().filter_map(|slot| match slot {
            Slot::Object { ty, mode: Mode::Mut } => Some(ty),
            _ => None,
        });
        changed.chain(self.makes.iter().map(|(ty, _)| *ty))
    }
}

fn planned(index: usize, op: &Operation, pool: &PoolTypes) -> Result<PlannedOp, params::Refusal> {
    let params = op.params.iter().map(|param| params::param(param, pool));
    let params = params.collect::<Result<Vec<_>, _>>().map_err(|refusal| receiver(op, refusal))?;
    let (seen, makes) = result::result(&op.result, pool);
    let mut planned = PlannedOp {
        api: Some(index),
        id: op.instance_id(),
        role: op.role(),
        name: op.path.clone(),
        path: op.path.clone(),
        callee: op.callee.clone(),
        params,
        result: op.result.clone(),
        lending: op.lending,
        seen,
        makes,
    };
    // Where nothing is left that could refer to an operand, it is an ordinary call.
    if !planned.may_hold().any(|ty| pool.borrows(ty)) {
        planned.lending = Lending::Inherited;
    }
    Ok(planned)
}

/// The type whose end an operation is.
fn dropped(op: &Operation) -> Option<&Ty> {
    match &op.callee {
        Callee::Trait { ty, path, name, .. } if path == "std::ops::Drop" && name == "drop" => {
            Some(ty)
        }
        _ => None,
    }
}

/// A receiver that cannot be had is named as such.
fn receiver(op: &Operation, (reason, detail): params::Refusal) -> params::Refusal {
    match op.receiver() {
        Some(receiver) if receiver.ty.to_string() == detail => {
            let borrows = matches!(&receiver.ty, Ty::Ref { to, .. } if to.is_borrowed());
            let borrowed =
                borrows || matches!(&receiver.ty, Ty::Path { .. } if receiver.ty.is_borrowed());
            let reason = if borrowed { SkipReason::BorrowedReceiver } else { SkipReason::NoOrigin };
            (reason, detail)
        }
        _ => (reason, detail),
    }
}

fn drop_of(number: usize, ty: &Ty, name: &str, written: Option<(usize, &Operation)>) -> PlannedOp {
    let pass = Pass::Object { ty: number, mode: Mode::Own, carrier: Carrier::Itself };
    let path = written.map_or_else(|| format!("{name} as Drop::drop"), |(_, op)| op.path.clone());
    let callable = CallableId {
        owner: Owner::Type(ty.to_string()),
        in_trait: Some("std::ops::Drop".into()),
        name: "drop".into(),
    };
    let made_up = || InstanceId { callable, arguments: Vec::new() };
    let id = written.map_or_else(made_up, |(_, op)| op.instance_id());
    PlannedOp {
        api: written.map(|(index, _)| index),
        id,
        role: Role::Drop,
        name: path.clone(),
        path,
        callee: Callee::Function { path: "std::mem::drop".into(), generics: Vec::new() },
        params: vec![PlannedParam { name: "self".into(), ty: ty.clone(), pass }],
        result: Ty::Unit,
        lending: Lending::Inherited,
        seen: Seen::Look,
        makes: Vec::new(),
    }
}

/// Whether a type can be written after `let r:` without risk: nothing borrowed or unknown in it.
pub(crate) fn can_annotate(ty: &Ty, pool: &PoolTypes) -> bool {
    pool.number(ty).is_some()
        || plain::owned(ty).is_some()
        || match ty {
            Ty::Tuple(items) => items.iter().all(|item| can_annotate(item, pool)),
            Ty::Path { path, args } => {
                let wraps = matches!(
                    path.as_str(),
                    "std::option::Option"
                        | "std::result::Result"
                        | "std::vec::Vec"
                        | "std::boxed::Box"
                );
                let inner = |arg: &GenericArg| matches!(arg, GenericArg::Type(ty) if can_annotate(ty, pool));
                wraps && args.iter().all(inner)
            }
            _ => false,
        }
}
