//! Handles that meet an object which did not give them out: an index of one arena used in another.
//! Crates cannot mean anything sensible by that, so whatever panics then says nothing. Of a handle that
//! was made up from a number, though such objects give them out, laws and panics about indices say
//! nothing; where something was taken away meanwhile, or another kind of object gave the handle out, panics about
//! indices do not. The same goes for what is taken at the caller's word. Memory must survive it all the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use gainsay_model::{
    api::{Callee, Operation, Param},
    ty::{Ty, last_segment},
};
use gainsay_wire::{Arg, ManifestOp, ManifestParam, Mode, ObjRef, OpId, Sequence, Step, TypeId};

use crate::subject_model::{
    SubjectModel,
    signature::{is_index, is_size},
};

/// Degrees of odd use of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Oddity {
    /// As they are meant to be.
    None,
    /// The thing that a handle stood for may have been taken away.
    Stale,
    /// An object of another kind gave one out.
    Foreign,
    /// One was made up.
    MadeUp,
    /// One was given out by another object.
    Stranger,
}

/// The oddest use: whether some step takes a handle together with an object of a type that gives such
/// handles out, and another one gave it out, or none did.
pub(crate) fn oddity(subject: &SubjectModel, sequence: &Sequence) -> Oddity {
    // A broken promise makes any later answer of the object meaningless, like a handle of a stranger.
    if sequence.steps.iter().any(|step| takes_promise(subject, step)) {
        return Oddity::Stranger;
    }
    let homes = Homes::of(subject, sequence);
    let of_step = |(number, step): (u32, &Step)| {
        let objects = || step.objects().map(|(_, object)| object);
        let pairs = objects().flat_map(|handle| objects().map(move |owner| (handle, owner)));
        pairs.map(|(handle, owner)| homes.oddity_of_handle(handle, owner, number)).max()
    };
    (0..).zip(&sequence.steps).filter_map(of_step).max().unwrap_or(Oddity::None)
}

/// True if a call trusts a word of its caller that nobody kept: that a hash is the one of
/// a key, that nothing need be checked, that a closure makes what it is asked for, that what is raw is
/// handled with care.
fn takes_promise(subject: &SubjectModel, step: &Step) -> bool {
    subject.operation(step.op).is_some_and(|op| is_trusting(op) || is_of_raw(op))
}

/// Operations after which an object need not be what its type promises: those that take something at
/// their caller's word, and those that put a value where what is raw lets them.
pub fn trusting(subject: &SubjectModel) -> Vec<OpId> {
    let brings = |param: &Param| !matches!(param.ty, Ty::Ref { .. });
    let puts = |op: &Operation| is_of_raw(op) && op.params.iter().skip(1).any(brings);
    let all = (0..).take(subject.manifest().ops.len()).map(OpId);
    all.filter(|op| subject.operation(*op).is_some_and(|op| is_trusting(op) || puts(op))).collect()
}

fn is_trusting(op: &Operation) -> bool {
    let name = op.function_name();
    let is_hash = |param: &Param| {
        matches!(&param.ty, Ty::Prim(_)) && (param.name == "hash" || param.name.ends_with("_hash"))
    };
    let makes_element = |param: &Param| match &param.ty {
        Ty::Closure { args, .. } => matches!(&args[..], [Ty::Ref { to: key, .. }]
            if op.params.iter().any(|it| matches!(&it.ty, Ty::Ref { to, .. } if to == key))),
        _ => false,
    };
    op.params.iter().any(is_hash)
        || ["nocheck", "unchecked"].iter().any(|word| name.contains(word))
        || name.contains("or_insert") && op.params.iter().any(makes_element)
}

fn is_of_raw(op: &Operation) -> bool {
    let is_raw = |ty: &Ty| match ty {
        Ty::Path { path, .. } => last_segment(path).starts_with("Raw"),
        _ => false,
    };
    matches!(&op.callee, Callee::Inherent { ty, .. } if is_raw(ty))
}

/// The origins of objects.
struct Homes<'a> {
    subject: &'a SubjectModel,
    sequence: &'a Sequence,
    /// For each handle the objects that gave it out, or gave out what it was made of, and when.
    givers: BTreeMap<ObjRef, Givers>,
}

/// Objects that gave something out, each with the step in which it did.
type Givers = BTreeMap<ObjRef, u32>;

/// Verbs in the names of operations that may take away the thing a handle stands for.
const TAKING_AWAY: &[&str] = &[
    "clear",
    "delete",
    "drain",
    "free",
    "pop",
    "remove",
    "reset",
    "retain",
    "shrink",
    "split_off",
    "take",
    "truncate",
];

impl<'a> Homes<'a> {
    fn of(subject: &'a SubjectModel, sequence: &'a Sequence) -> Homes<'a> {
        let mut homes = Homes { subject, sequence, givers: BTreeMap::new() };
        for (number, step) in (0..).zip(&sequence.steps) {
            let givers = homes.givers_of(number, step);
            for out in (0..).take(subject.makes(step.op).len()) {
                homes.givers.insert(ObjRef { step: number, out }, givers.clone());
            }
        }
        homes
    }

    /// The receiver, if it is taken by reference, and who gave out the operands. What a copy of an
    /// object gives out means nothing to the original.
    fn givers_of(&self, number: u32, step: &Step) -> Givers {
        let is_method = |op: &ManifestOp| op.names.first().is_some_and(|name| name == "self");
        let op = self.subject.manifest().ops.get(step.op.0 as usize).filter(|op| is_method(op));
        let receiver = step.objects().find(|(at, _)| *at == 0).map(|(_, object)| object);
        let receiver = receiver.filter(|_| op.is_some());
        let mut givers = Givers::new();
        // What is made of a number that the caller chose, nobody gave out.
        if self.is_converted(step) {
            return givers;
        }
        for (_, object) in step.objects() {
            let earlier = self.givers.get(&object).into_iter().flatten();
            // A copy of a handle stands for the same; a copy of its arena is another arena.
            givers.extend(earlier.filter(|(of, _)| self.type_of(**of) != self.type_of(object)));
        }
        givers.extend(receiver.map(|receiver| (receiver, number)));
        givers
    }

    fn type_of(&self, object: ObjRef) -> Option<TypeId> {
        self.subject.type_of(self.sequence, object)
    }

    fn oddity_of_handle(&self, handle: ObjRef, owner: ObjRef, number: u32) -> Oddity {
        let (Some(ty), Some(of)) = (self.type_of(handle), self.type_of(owner)) else {
            return Oddity::None;
        };
        let Some(givers) = self.givers.get(&handle).filter(|_| ty != of) else {
            return Oddity::None;
        };
        let mut alike =
            givers.iter().filter(|(giver, _)| self.type_of(**giver) == Some(of)).peekable();
        if alike.peek().is_none() {
            let is_made_up = givers.keys().all(|giver| self.type_of(*giver) == Some(ty))
                && self.is_numeric(handle)
                && self.gives_out(of, ty);
            return match is_made_up {
                true => Oddity::MadeUp,
                false if self.is_foreign(handle, owner) => Oddity::Foreign,
                false => Oddity::None,
            };
        }
        match alike.filter(|(giver, since)| self.is_home(owner, **giver, **since)).max() {
            Some((_, since)) if self.is_robbed(owner, *since..number) => Oddity::Stale,
            Some(_) => Oddity::None,
            None => Oddity::Stranger,
        }
    }

    /// True if a handle comes from elsewhere than an object that could have given it out: some other
    /// object gave it out, and neither was made of the other.
    fn is_foreign(&self, handle: ObjRef, owner: ObjRef) -> bool {
        let (Some(ty), Some(of)) = (self.type_of(handle), self.type_of(owner)) else {
            return false;
        };
        let givers = || self.givers.get(&handle).into_iter().flat_map(BTreeMap::keys);
        let mut others = givers().filter(|giver| self.type_of(**giver) != Some(ty)).peekable();
        others.peek().is_some()
            && self.gives_out(of, ty)
            && self.stands_for_number(ty)
            && !self.ancestors_of(handle).contains(&owner)
            && others.all(|giver| !self.ancestors_of(owner).contains(giver))
    }

    /// All that an object was made of, and what that was made of.
    fn ancestors_of(&self, object: ObjRef) -> BTreeSet<ObjRef> {
        let mut known = BTreeSet::new();
        let mut next = vec![object];
        while let Some(object) = next.pop() {
            let step = self.sequence.steps.get(object.step as usize);
            let operands = step.into_iter().flat_map(Step::objects).map(|(_, of)| of);
            next.extend(operands.filter(|of| known.insert(*of)));
        }
        known
    }

    /// True if a number is enough to make objects of this type, which hold no items.
    fn stands_for_number(&self, ty: TypeId) -> bool {
        let ops = (0..).map(OpId).zip(&self.subject.manifest().ops);
        let mut makers = ops.filter(|(_, op)| op.makes == [ty]);
        makers.any(|(op, _)| match self.subject.operation(op) {
            Some(op) => match &op.params[..] {
                [it] => {
                    is_index(&it.ty)
                        && !is_size(&it.name)
                        && !self.subject.is_collection(&op.result)
                }
                _ => false,
            },
            None => false,
        })
    }

    /// True if an object knows the handles that another one gave out: it is that one, or was copied from
    /// one that did.
    fn is_home(&self, owner: ObjRef, giver: ObjRef, since: u32) -> bool {
        let copied = || self.givers.get(&owner).into_iter().flatten();
        let knew = |(of, _): (&ObjRef, &u32)| *of != owner && self.is_home(*of, giver, since);
        // A copy that was made before the handle was given out does not know it.
        owner == giver || owner.step > since && copied().any(knew)
    }

    /// True if a call in between may have taken away something that the object had given out.
    fn is_robbed(&self, owner: ObjRef, between: Range<u32>) -> bool {
        let steps = self.sequence.steps.get(between.start as usize + 1..between.end as usize);
        steps.into_iter().flatten().any(|step| {
            let ops = &self.subject.manifest().ops;
            let params = ops.get(step.op.0 as usize).map_or(&[][..], |op| &op.params);
            let changes = |(at, object): (usize, ObjRef)| {
                let mode = params.get(at);
                object == owner && matches!(mode, Some(ManifestParam::Object(_, Mode::Mut)))
            };
            let name = self.subject.operation(step.op).map(Operation::function_name);
            // By name, since no view of an arena says which handles it still knows.
            let takes = |name: &str| TAKING_AWAY.iter().any(|word| name.contains(word));
            step.objects().any(changes) && name.is_some_and(takes)
        })
    }

    /// True if a call turns one number into something: `from_index(&graph, 7)`.
    fn is_converted(&self, step: &Step) -> bool {
        let name = self.subject.operation(step.op).map(Operation::function_name);
        let mut plain = step.args.iter().filter_map(|arg| match arg {
            Arg::Plain(value) => Some(value.as_int().is_some()),
            Arg::Object(_) => None,
        });
        let is_one_number = (plain.next(), plain.next()) == (Some(true), None);
        is_one_number && name.is_some_and(|name| name.starts_with("from_"))
    }

    /// True if it was made of nothing, of one number, or of another such object: points and dates
    /// have more to them.
    fn is_numeric(&self, handle: ObjRef) -> bool {
        let step = self.sequence.steps.get(handle.step as usize);
        step.is_some_and(|step| match &step.args[..] {
            [] => true,
            [Arg::Plain(value)] => value.as_int().is_some(),
            [Arg::Object(of)] => of.step < handle.step && self.is_numeric(*of),
            _ => self.is_converted(step),
        })
    }

    /// True if some method of the one type makes the other, or one of any type does that takes
    /// something in.
    fn gives_out(&self, of: TypeId, ty: TypeId) -> bool {
        let gives = |op: &ManifestOp| match (op.names.first(), op.params.first()) {
            (Some(name), Some(ManifestParam::Object(it, mode))) => {
                let is_of = *it == of && *mode != Mode::Own;
                let takes_in = *it != ty && *mode == Mode::Mut && op.params.len() > 1;
                name == "self" && (is_of || takes_in) && op.makes.contains(&ty)
            }
            _ => false,
        };
        self.subject.manifest().ops.iter().any(gives)
    }
}

#[cfg(test)]
#[path = "handles/tests.rs"]
mod tests;
