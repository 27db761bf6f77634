//! Handles that meet an object which did not give them out: an index of one arena used in another.
//! Crates cannot mean anything sensible by that, so whatever panics then says nothing. Memory must
//! survive it all the same.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{ManifestOp, ObjRef, Sequence, Step, TypeId};

use crate::ground::Ground;

/// Whether some step takes a handle together with an object of the type that gave the handle out,
/// and it was another one.
pub(crate) fn has_stranger(ground: &Ground, sequence: &Sequence) -> bool {
    let homes = Homes::of(ground, sequence);
    sequence.steps.iter().any(|step| {
        let objects = || step.objects().map(|(_, object)| object);
        objects().any(|handle| objects().any(|owner| homes.is_stranger(handle, owner)))
    })
}

/// Where objects come from.
struct Homes<'a> {
    ground: &'a Ground,
    sequence: &'a Sequence,
    /// For each handle the objects that gave it out, or gave out what it was made of.
    givers: BTreeMap<ObjRef, BTreeSet<ObjRef>>,
}

impl<'a> Homes<'a> {
    fn of(ground: &'a Ground, sequence: &'a Sequence) -> Homes<'a> {
        let mut homes = Homes { ground, sequence, givers: BTreeMap::new() };
        for (number, step) in (0..).zip(&sequence.steps) {
            let givers = homes.givers_of(step);
            for out in (0..).take(ground.makes(step.op).len()) {
                homes.givers.insert(ObjRef { step: number, out }, givers.clone());
            }
        }
        homes
    }

    /// The receiver, if it is taken by reference, and who gave out the operands.
    fn givers_of(&self, step: &Step) -> BTreeSet<ObjRef> {
        let earlier = step.objects().filter_map(|(_, object)| self.givers.get(&object));
        let mut givers: BTreeSet<ObjRef> = earlier.flatten().copied().collect();
        let is_method = |op: &ManifestOp| op.names.first().is_some_and(|name| name == "self");
        let op = self.ground.manifest().ops.get(step.op.0 as usize).filter(|op| is_method(op));
        if op.is_some() {
            givers.extend(step.objects().find(|(at, _)| *at == 0).map(|(_, object)| object));
        }
        givers
    }

    fn ty(&self, object: ObjRef) -> Option<TypeId> {
        self.ground.type_of(self.sequence, object)
    }

    fn is_stranger(&self, handle: ObjRef, owner: ObjRef) -> bool {
        let (Some(ty), Some(of)) = (self.ty(handle), self.ty(owner)) else { return false };
        let Some(givers) = self.givers.get(&handle) else { return false };
        let mut alike = givers.iter().filter(|giver| self.ty(**giver) == Some(of)).peekable();
        let own = self.givers.get(&owner);
        let is_home =
            |giver: &ObjRef| *giver == owner || own.is_some_and(|own| own.contains(giver));
        ty != of && alike.peek().is_some() && !alike.any(is_home)
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Arg, Lending, Manifest, ManifestParam, ManifestType, Mode, OpId, Role};

    use super::*;

    const ARENA: TypeId = TypeId(0);
    const NODE: TypeId = TypeId(1);
    const NEW: u32 = 0;
    const ADD: u32 = 1;
    const REMOVE: u32 = 2;
    const COPY: u32 = 3;
    const CLONE: u32 = 4;

    fn ground() -> Ground {
        let op = |names: &[&str], params: &[(TypeId, Mode)], makes: &[TypeId]| ManifestOp {
            name: String::new(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            params: params.iter().map(|(ty, mode)| ManifestParam::Object(*ty, *mode)).collect(),
            makes: makes.to_vec(),
            lending: Lending::Inherited,
            role: Role::Ordinary,
        };
        let ty =
            ManifestType { name: String::new(), queries: vec![], can_clone: true, borrows: false };
        let ops = vec![
            op(&[], &[], &[ARENA]),
            op(&["self"], &[(ARENA, Mode::Mut)], &[NODE]),
            op(&["self", "arena"], &[(NODE, Mode::Own), (ARENA, Mode::Mut)], &[]),
            op(&["self"], &[(NODE, Mode::Ref)], &[NODE]),
            op(&["self"], &[(ARENA, Mode::Ref)], &[ARENA]),
        ];
        Ground::new(Manifest { types: vec![ty.clone(), ty], ops }, Vec::new(), "/s")
    }

    fn check(steps: &[(u32, &[u32])], expected: bool) {
        let step = |&(op, objects): &(u32, &[u32])| {
            let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 }));
            Step::new(OpId(op), args.collect())
        };
        let sequence = Sequence { steps: steps.iter().map(step).collect() };
        assert_eq!(has_stranger(&ground(), &sequence), expected, "{steps:?}");
    }

    #[test]
    fn a_handle_is_at_home_where_it_was_given_out() {
        check(&[(NEW, &[]), (ADD, &[0]), (REMOVE, &[1, 0])], false);
        check(&[(NEW, &[]), (ADD, &[0]), (COPY, &[1]), (REMOVE, &[2, 0])], false);
        check(&[(NEW, &[]), (ADD, &[0]), (CLONE, &[0]), (REMOVE, &[1, 2])], false);
    }

    #[test]
    fn a_handle_of_another_object_is_a_stranger() {
        check(&[(NEW, &[]), (NEW, &[]), (ADD, &[0]), (REMOVE, &[2, 1])], true);
        check(&[(NEW, &[]), (NEW, &[]), (ADD, &[0]), (COPY, &[2]), (REMOVE, &[3, 1])], true);
    }

    #[test]
    fn two_objects_of_one_type_may_meet() {
        check(&[(NEW, &[]), (CLONE, &[0]), (NEW, &[]), (REMOVE, &[1, 2])], false);
    }
}
