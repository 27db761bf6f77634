//! Operators of numbers with each other. Digits that are lost on the way break no law.

use std::{any::Any, cmp::Ordering};

use gainsay_wire::{Careful, LawId, Mode, OpId, Operator, Standing, TypeId, Value};

use super::{Law, numbers::Numbers};
use crate::{capability::arithmetic::BinaryFn, table::ParamEntry, world::World};

/// Operations that know what to do when a result cannot be had, and the operators that they stand
/// for: where the operator has a result, it is theirs.
const CHECKED: [(Careful, Operator); 11] = [
    (Careful::Checked, Operator::Add),
    (Careful::Checked, Operator::Sub),
    (Careful::Checked, Operator::Mul),
    (Careful::Checked, Operator::Div),
    (Careful::Checked, Operator::Rem),
    (Careful::Saturating, Operator::Add),
    (Careful::Saturating, Operator::Sub),
    (Careful::Saturating, Operator::Mul),
    (Careful::Wrapping, Operator::Add),
    (Careful::Wrapping, Operator::Sub),
    (Careful::Wrapping, Operator::Mul),
];

/// Whether a law holds for two numbers.
type Rule = fn(Numbers<'_>, &dyn Any, &dyn Any) -> Option<bool>;

/// The laws, and the operation that breaks each.
const LAWS: [(LawId, &str, Rule); 7] = [
    (LawId::AddCommutes, "add", |of, x, y| {
        let add = of.operators().add?;
        of.same(&*add(x, y), &*add(y, x), of.size(x, y))
    }),
    (LawId::MulCommutes, "mul", |of, x, y| {
        // What is printed otherwise may be a matrix.
        let (mul, _) = (of.operators().mul?, of.number(x).zip(of.number(y))?);
        of.same(&*mul(x, y), &*mul(y, x), of.size(x, y))
    }),
    (LawId::SubTakesWhatAddGave, "sub", |of, x, y| {
        let (add, sub) = (of.operators().add?, of.operators().sub?);
        of.same(&*sub(&*add(x, y), y), x, of.size(x, y))
    }),
    (LawId::AddGivesWhatSubTook, "sub", |of, x, y| {
        let (add, sub) = (of.operators().add?, of.operators().sub?);
        of.same(&*add(&*sub(x, y), y), x, of.size(x, y))
    }),
    (LawId::SubOfItself, "sub", |of, x, y| {
        let sub = of.operators().sub?;
        of.same(&*sub(x, x), &*sub(y, y), of.size(x, y))
    }),
    (LawId::AddOfNegIsSub, "sub", |of, x, y| {
        let (add, sub, neg) = (of.operators().add?, of.operators().sub?, of.operators().neg?);
        of.same(&*add(x, &*neg(y)), &*sub(x, y), of.size(x, y))
    }),
    (LawId::SubHasTheSignOfTheOrder, "sub", sign_is_order),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let of = Numbers { world, ty };
    if !of.is_number() {
        return Vec::new();
    }
    let blamed = |law: Law, name: &str| match of.operation(name) {
        Some(op) => law.blaming(op),
        None => law,
    };
    let mut laws = Vec::new();
    for (id, by, rule) in LAWS {
        let rule = move |world: &World, x: &dyn Any, y: &dyn Any| rule(Numbers { world, ty }, x, y);
        laws.push(blamed(Law::pair(id, Standing::Guess, rule), by));
    }
    if let Some(neg) = of.operators().neg {
        let law = Law::one(LawId::NegOfNeg, Standing::Guess, move |scene| {
            let of = Numbers { world: scene.world, ty };
            scene.with(|x| of.same(&*neg(&*neg(x)), x, of.size(x, x)))
        });
        laws.push(blamed(law, "neg"));
    }
    laws.extend(checked(of));
    laws.extend(alike(of, "is_zero", LawId::ZerosAreEqual));
    laws.extend(alike(of, "is_one", LawId::OnesAreEqual));
    laws.extend(difference(of));
    laws
}

/// There is one zero, however it was come by. Where there is an order, it is what must know.
fn alike(of: Numbers<'_>, query: &str, id: LawId) -> Option<Law> {
    let (asked, ty, ord) = (of.question(query)?, of.ty, of.entry().lawful.ord);
    let rule = move |world: &World, x: &dyn Any, y: &dyn Any| {
        let of = Numbers { world, ty };
        let is_it = |x| of.called(asked, &[x], &[])?.0.as_bool();
        (is_it(x)? && is_it(y)?).then_some(())?;
        match ord {
            Some(ord) => Some(ord(x, y) == Ordering::Equal),
            None => of.equal(x, y),
        }
    };
    let law = Law::pair(id, Standing::Convention, rule);
    let compares = of.operation(if ord.is_some() { "cmp" } else { "eq" });
    Some(compares.into_iter().fold(law, Law::blaming))
}

/// `abs_sub(x, y)` is `x - y` where `x` is greater, and zero elsewhere: so it is for the numbers of
/// the language.
fn difference(of: Numbers<'_>) -> Option<Law> {
    let (op, ty) = (two_of(of, "abs_sub")?, of.ty);
    let rule = move |world: &World, x: &dyn Any, y: &dyn Any| {
        let of = Numbers { world, ty };
        let (cmp, sub) = (of.entry().cmp?, of.operators().sub?);
        let rest = if cmp(x, y)? == Ordering::Greater { sub(x, y) } else { sub(x, x) };
        of.same(&*of.made(op, &[x, y], &[])?, &*rest, of.size(x, y))
    };
    Some(Law::pair(LawId::AbsSubIsSubOrZero, Standing::Name, rule).blaming(op))
}

/// `checked_add(x, y)` tells what `x + y` is, where it tells anything.
fn checked(of: Numbers<'_>) -> Vec<Law> {
    let can = of.operators();
    let function = |operator: Operator| match operator {
        Operator::Add => can.add,
        Operator::Sub => can.sub,
        Operator::Mul => can.mul,
        Operator::Div => can.div,
        Operator::Rem => can.rem,
    };
    let laws = CHECKED.iter().filter_map(|(careful, operator)| {
        let name = format!("{careful}_{operator}");
        let (op, plain_op, ty) = (two_of(of, &name)?, function(*operator)?, of.ty);
        let rule = move |world: &World, x: &dyn Any, y: &dyn Any| {
            agrees(Numbers { world, ty }, (op, plain_op), x, y)
        };
        Some(
            Law::pair(
                LawId::CarefulAgreesWith { careful: *careful, operator: *operator },
                Standing::Guess,
                rule,
            )
            .blaming(op),
        )
    });
    laws.collect()
}

/// The operation of that name that makes a number of two.
fn two_of(of: Numbers<'_>, name: &str) -> Option<OpId> {
    let users = of.world.type_plan(of.ty).users.iter().copied();
    let is_own = |param: &ParamEntry| matches!(param, ParamEntry::Object { ty, mode: Mode::Ref | Mode::Own } if *ty == of.ty);
    users.clone().find(|op| {
        let entry = of.world.op(*op);
        let takes = entry.params.len() == 2 && entry.params.iter().all(is_own);
        takes && entry.function() == name && entry.makes == [of.ty]
    })
}

fn agrees(
    of: Numbers<'_>,
    (op, plain): (OpId, BinaryFn),
    x: &dyn Any,
    y: &dyn Any,
) -> Option<bool> {
    let (told, made) = of.called(op, &[x, y], &[])?;
    matches!(told, Value::Opt(_) | Value::Res(true, _) | Value::Object).then_some(())?;
    of.same(&*made?, &*plain(x, y), of.size(x, y))
}

/// `x - y` is negative where `x < y`, and only there.
fn sign_is_order(of: Numbers<'_>, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (cmp, sub) = (of.entry().cmp?, of.operators().sub?);
    let (order, rest) = (cmp(x, y)?, sub(x, y));
    let is_nothing = of.equal(&*rest, &*sub(x, x))?;
    match order {
        // A difference that is too little to be told is none.
        _ if is_nothing => None,
        Ordering::Equal => None,
        order => Some(of.is_negative(&*rest)? == (order == Ordering::Less)),
    }
}
