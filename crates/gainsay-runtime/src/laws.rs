//! Laws of std traits and conventions between operations, checked on the objects of a call. Each
//! family has a file; the driver decides what a broken law is worth.

mod arithmetic;
mod check;
mod collecting;
mod conversions;
mod copies;
mod counts;
mod deeds;
mod endless;
mod ends;
mod equality;
mod foreign;
mod fresh;
mod heaps;
mod iterators;
mod lists;
mod lookup;
mod numbers;
mod order;
mod ranges;
mod round_trips;
mod rounding;
mod scene;
mod shown;
mod siblings;
mod sorted;
mod stores;
mod tally;

use std::any::Any;

use gainsay_wire::{LawBreach, LawId, LawParty, OpId, Standing, TypeId};

use crate::{
    frame::Cell,
    panics, probe,
    table::{OpEntry, TypeEntry},
    view::State,
    world::World,
};

use self::scene::Scene;
pub(crate) use self::{fresh::Twins, tally::Tallies};

/// A law of a type.
pub(crate) struct Law {
    id: LawId,
    standing: Standing,
    effort: Effort,
    /// The operation that is to blame when the law is about what it does to a copy of an object;
    /// otherwise it is the one after which the law holds no more.
    blamed: Option<OpId>,
    rule: Rule,
}

/// What checking a law takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// A look at what is known of the object, or a call or two.
    Little,
    /// Copies of the object, many calls: now and then.
    Much,
}

/// What a law speaks of. `None` means that it does not apply.
enum Rule {
    One(Box<OneRule>),
    /// Two objects of the type.
    Two(Box<TwoRule>),
    /// Three objects of the type.
    Three(ThreeRule),
    /// A call of the operation that is blamed.
    Deed(Box<deeds::DeedRule>),
    /// What this operation answers after a reset; see [`fresh`].
    Fresh(OpId),
}

/// Whether a law holds for an object.
type OneRule = dyn Fn(&Scene<'_>) -> Option<bool> + Send + Sync;
/// Whether a law holds for two objects.
type TwoRule = dyn Fn(&World, &dyn Any, &dyn Any) -> Option<bool> + Send + Sync;

/// Whether a law holds for three objects.
type ThreeRule = fn(&TypeEntry, [&dyn Any; 3]) -> Option<bool>;

impl Law {
    fn one(
        id: LawId,
        standing: Standing,
        rule: impl Fn(&Scene<'_>) -> Option<bool> + Send + Sync + 'static,
    ) -> Law {
        let rule = Rule::One(Box::new(rule));
        Law { id, standing, effort: Effort::Little, blamed: None, rule }
    }

    /// What a trait demands of two objects.
    fn two(ty: TypeId, id: LawId, rule: fn(&TypeEntry, &dyn Any, &dyn Any) -> Option<bool>) -> Law {
        let rule = move |world: &World, x: &dyn Any, y: &dyn Any| rule(world.type_entry(ty), x, y);
        Law { effort: Effort::Little, ..Law::pair(id, Standing::Trait, rule) }
    }

    /// What a trait demands of three objects.
    fn three(id: LawId, rule: ThreeRule) -> Law {
        let (rule, standing) = (Rule::Three(rule), Standing::Trait);
        Law { id, standing, effort: Effort::Little, blamed: None, rule }
    }

    /// What takes some calls on copies of two objects.
    fn pair(
        id: LawId,
        standing: Standing,
        rule: impl Fn(&World, &dyn Any, &dyn Any) -> Option<bool> + Send + Sync + 'static,
    ) -> Law {
        let rule = Rule::Two(Box::new(rule));
        Law { id, standing, effort: Effort::Much, blamed: None, rule }
    }

    fn costly(self) -> Law {
        Law { effort: Effort::Much, ..self }
    }

    fn blaming(self, op: OpId) -> Law {
        Law { blamed: Some(op), ..self }
    }
}

/// The laws of a type, family after family.
pub(crate) fn laws_of(world: &World, ty: TypeId) -> Vec<Law> {
    let families: &[fn(&World, TypeId) -> Vec<Law>] = &[
        equality::laws,
        order::laws,
        foreign::laws,
        copies::laws,
        counts::laws,
        ends::laws,
        sorted::laws,
        lookup::laws,
        iterators::laws,
        endless::laws,
        siblings::laws,
        heaps::laws,
        lists::laws,
        conversions::laws,
        round_trips::laws,
        stores::laws,
        ranges::laws,
        collecting::laws,
        shown::laws,
        arithmetic::laws,
        rounding::laws,
        fresh::laws,
        deeds::laws,
    ];
    families.iter().flat_map(|family| family(world, ty)).collect()
}

/// A law that some objects of a call broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    /// Of this type.
    pub(crate) ty: TypeId,
    /// Its place among the laws of the type.
    pub(crate) law: usize,
    /// The object that broke it, and for a law about several objects the others.
    pub(crate) on: Parties,
}

/// One object, and others.
pub(crate) type Parties = (Party, [Option<Party>; 2]);

/// No other object.
const ALONE: [Option<Party>; 2] = [None, None];

/// What an object is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Party {
    Operand(usize),
    Made(u32),
    /// What an operand borrowed from until the call ended the loan.
    Lender,
}

/// How the object is called that a guard or an iterator borrowed from.
const LENDER: &str = "lender";

impl Party {
    fn told(self) -> LawParty {
        match self {
            Party::Operand(at) => LawParty::Operand(u32::try_from(at).unwrap_or(u32::MAX)),
            Party::Made(out) => LawParty::Made(out),
            Party::Lender => LawParty::Lender,
        }
    }

    /// As code calls it: the parameter's name, `result`, or `result.1` for one of several objects.
    fn name(self, op: &OpEntry) -> String {
        match self {
            Party::Operand(at) => {
                op.names.get(at).map_or_else(|| format!("arg{at}"), |name| (*name).to_owned())
            }
            Party::Lender => LENDER.to_owned(),
            Party::Made(_) if op.makes.len() < 2 => "result".to_owned(),
            Party::Made(out) => format!("result.{out}"),
        }
    }
}

impl Breach {
    /// The law.
    pub(crate) fn law<'w>(&self, world: &'w World) -> &'w LawId {
        &world.laws(self.ty)[self.law].id
    }

    /// What a driver is told of it, apart from the law.
    pub(crate) fn told(&self, world: &World) -> LawBreach {
        let (first, others) = self.on;
        let parties = std::iter::once(first).chain(others.into_iter().flatten());
        let parties = parties.map(Party::told).collect();
        LawBreach { ty: self.ty, standing: self.standing(world), parties }
    }

    /// What the law rests on.
    pub(crate) fn standing(&self, world: &World) -> Standing {
        world.laws(self.ty)[self.law].standing
    }

    /// The operation that is to blame, if not the one that was called.
    pub(crate) fn blamed(&self, world: &World) -> Option<OpId> {
        world.laws(self.ty)[self.law].blamed
    }

    /// In words, with the names of the operation's operands.
    pub(crate) fn message(&self, world: &World, op: &OpEntry) -> String {
        let (law, (first, others)) = (self.law(world), self.on);
        let first = first.name(op);
        match others.map(|other| other.map(|other| other.name(op))) {
            [Some(second), Some(third)] => {
                format!("does not hold for `{first}`, `{second}` and `{third}`: {law}")
            }
            [Some(second), None] => format!("does not hold for `{first}` and `{second}`: {law}"),
            [None, _] => format!("does not hold for `{first}`: {law}"),
        }
    }
}

/// How often costly laws are checked while exploring, and any law on an object that looks like one
/// that keeps them all.
const COSTLY_EVERY: u64 = 8;
/// How often costly laws of two objects are checked.
const PAIRS_EVERY: u64 = 3;
/// So many costly laws are checked in a turn.
const COSTLY_AT_ONCE: usize = 2;

/// Checks laws, and keeps count of how they fare.
pub(crate) struct Laws {
    pub(crate) tallies: Tallies,
    turn: u64,
    /// Pairs of objects that were looked at.
    pairs: u64,
    zeal: Zeal,
}

/// How often costly laws are checked, and which breaches are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zeal {
    /// Now and then; told is what seems to be a law of the type.
    Sampling,
    /// All laws each time, and all breaches are told.
    Always,
}

/// The laws that an object is known to break, by their places.
pub(crate) type Broken = Vec<usize>;
/// Stands among them for: one of them was told. What is broken already breaks others later.
const TOLD: usize = usize::MAX;

impl Laws {
    pub(crate) fn new(tallies: Tallies, zeal: Zeal) -> Laws {
        Laws { tallies, turn: 0, pairs: 0, zeal }
    }

    /// The laws that one object breaks, and did not break before.
    pub(crate) fn of_one(
        &mut self,
        world: &World,
        who: Party,
        (cell, state, known): (&Cell, &State, &mut Broken),
        broken: &mut Vec<Breach>,
    ) {
        self.turn += 1;
        let is_turn = self.zeal == Zeal::Always || self.turn.is_multiple_of(COSTLY_EVERY);
        if state.lawful.get() && !is_turn {
            return;
        }
        let scene = Scene { world, ty: state.ty, cell, state };
        let laws = world.laws(state.ty);
        let costly = self.costly_now(laws);
        let mut keeps_all = true;
        // Like states count once, whether they keep laws or not.
        let counts = is_turn || !state.judged.replace(true);
        let (mut found, was_told) = (Vec::new(), known.contains(&TOLD));
        for (at, law) in laws.iter().enumerate() {
            let is_due = law.effort == Effort::Little || is_turn && costly.contains(&at);
            let Rule::One(rule) = &law.rule else { continue };
            if !is_due {
                continue;
            }
            let holds = asked(law.effort, || rule(&scene));
            if holds == Some(false) {
                keeps_all = false;
                if known.contains(&at) {
                    continue;
                }
                known.push(at);
            }
            if counts {
                self.note(law, (state.ty, at), holds, (who, ALONE), &mut found);
            } else if holds == Some(false) && self.is_told(law, (state.ty, at)) {
                found.push(Breach { ty: state.ty, law: at, on: (who, ALONE) });
            }
        }
        state.lawful.set(keeps_all);
        if self.zeal == Zeal::Always || !was_told {
            known.extend((!found.is_empty()).then_some(TOLD));
            let is_new = |one: &Breach| broken.iter().all(|b| (b.ty, b.law) != (one.ty, one.law));
            found.retain(is_new);
            broken.extend(found);
        }
    }

    fn is_told(&self, law: &Law, place: (TypeId, usize)) -> bool {
        self.zeal == Zeal::Always || self.tallies.is_worth_telling(place, law.standing)
    }

    /// The costly laws that are due in this turn: all, or a few after those of the last turn.
    fn costly_now(&self, laws: &[Law]) -> Vec<usize> {
        let costly = (0..laws.len()).filter(|at| laws[*at].effort == Effort::Much);
        let mut costly: Vec<usize> = costly.collect();
        if self.zeal == Zeal::Sampling && costly.len() > COSTLY_AT_ONCE {
            let turn = usize::try_from(self.turn / COSTLY_EVERY).unwrap_or(0);
            let len = costly.len();
            costly.rotate_left(turn * COSTLY_AT_ONCE % len);
            costly.truncate(COSTLY_AT_ONCE);
        }
        costly
    }

    /// The laws that two objects of one type break.
    pub(crate) fn of_two(
        &mut self,
        world: &World,
        ty: TypeId,
        [(first, a), (second, b)]: [(Party, &dyn Any); 2],
        broken: &mut Vec<Breach>,
    ) {
        self.pairs += 1;
        let is_turn = self.zeal == Zeal::Always || self.pairs.is_multiple_of(PAIRS_EVERY);
        for (at, law) in world.laws(ty).iter().enumerate() {
            let is_due = law.effort == Effort::Little || is_turn;
            if let (Rule::Two(rule), true) = (&law.rule, is_due) {
                let holds = asked(law.effort, || rule(world, a, b));
                self.note(law, (ty, at), holds, (first, [Some(second), None]), broken);
            }
        }
    }

    /// The laws that three objects of one type break.
    pub(crate) fn of_three(
        &mut self,
        world: &World,
        ty: TypeId,
        parties: [(Party, &dyn Any); 3],
        broken: &mut Vec<Breach>,
    ) {
        let ([first, second, third], objects) =
            (parties.map(|(party, _)| party), parties.map(|(_, object)| object));
        let on = (first, [Some(second), Some(third)]);
        for (at, law) in world.laws(ty).iter().enumerate() {
            if let Rule::Three(rule) = law.rule {
                let holds = asked(law.effort, || rule(world.type_entry(ty), objects));
                self.note(law, (ty, at), holds, on, broken);
            }
        }
    }

    /// Takes note of how a law fared that was checked elsewhere.
    fn judge(&mut self, world: &World, checked: Breach, holds: bool, broken: &mut Vec<Breach>) {
        let Breach { ty, law, on } = checked;
        self.note(&world.laws(ty)[law], (ty, law), Some(holds), on, broken);
    }

    fn note(
        &mut self,
        law: &Law,
        (ty, at): (TypeId, usize),
        holds: Option<bool>,
        on: Parties,
        broken: &mut Vec<Breach>,
    ) {
        let Some(holds) = holds else { return };
        let is_law = self.tallies.note((ty, at), law.standing, holds);
        let is_told = self.zeal == Zeal::Always || is_law;
        let is_new = |breach: &Breach| (breach.ty, breach.law) != (ty, at);
        if !holds && is_told && broken.iter().all(is_new) {
            broken.push(Breach { ty, law: at, on });
        }
    }
}

/// A panic on the way says nothing about the law. What elements meet with in copies is left to the
/// calls that do the same to objects of the pool.
fn asked(effort: Effort, rule: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match effort {
        Effort::Little => panics::catch(rule).ok().flatten(),
        Effort::Much => probe::aside(|| panics::catch(rule).ok().flatten()),
    }
}

#[cfg(test)]
mod tests;
