//! Where operations change their ways: objects whose numbers meet, or are larger than those of
//! almost all others, numbers given that are just those of an object, or one off, and operands that
//! fit each other.

use std::rc::Rc;

use gainsay_store::NumberView;
use gainsay_wire::{Comparison, Expr, ManifestParam, OpId, Term, TypeId, When};

use crate::{Desk, error::Halt, round_state::Range, targets::fitting_operands::fitting};

/// Conditions on single objects and on numbers given, for one operation.
const MOST: usize = 16;
/// Of these, conditions about large objects for a focused epoch.
const MOST_LARGE: usize = 6;
/// About so many states are large.
const LARGE_STATES: usize = 24;

/// Conditions on the operands of an operation, each a corner worth calling it in.
pub(crate) fn corners(desk: &Desk<'_>, range: &mut Range, op: OpId) -> Result<Rc<Vec<Expr>>, Halt> {
    if let Some(known) = range.corners.get(&op) {
        return Ok(Rc::clone(known));
    }
    let params = desk.manifest.ops.get(op.0 as usize).map_or(&[][..], |op| &op.params);
    let (mut on_states, mut on_values) = (Vec::new(), Vec::new());
    for (at, param) in (0..).zip(params) {
        let ManifestParam::Object(ty, _) = param else { continue };
        let numbers = numbers(desk, range, *ty)?;
        on_states.extend(of_object(at, &numbers));
        let given = (0..)
            .zip(params)
            .filter(|(_, param)| matches!(param, ManifestParam::Plain(key) if is_integer(key)));
        for (argument, _) in given {
            on_values.extend(numbers.iter().flat_map(|view| of_argument(argument, at, view)));
        }
    }
    // Of both sorts some, where there are more than wanted.
    on_states.truncate(MOST.saturating_sub(on_values.len().min(MOST / 2)));
    on_values.truncate(MOST - on_states.len());
    on_states.extend(on_values);
    on_states.extend(fitting(desk, range, op)?);
    let found = Rc::new(on_states);
    range.corners.insert(op, Rc::clone(&found));
    Ok(found)
}

/// Conditions that an object of an operation is among the largest, one for each number of each, those
/// where two numbers meet besides first: what is full and large is about to change its ways.
pub(crate) fn large(desk: &Desk<'_>, range: &mut Range, op: OpId) -> Result<Vec<Expr>, Halt> {
    let params = desk.manifest.ops.get(op.0 as usize).map_or(&[][..], |op| &op.params);
    let mut found = Vec::new();
    for (at, param) in (0..).zip(params) {
        if let ManifestParam::Object(ty, _) = param {
            let numbers = numbers(desk, range, *ty)?;
            for (i, a) in numbers.iter().enumerate() {
                let full = |b: &NumberView| Expr::And(vec![is_large(at, a), meet(at, a, b)]);
                found.extend(numbers[i + 1..].iter().map(full));
            }
            found.extend(numbers.iter().map(|of| is_large(at, of)));
        }
    }
    found.truncate(MOST_LARGE);
    Ok(found)
}

pub(crate) fn numbers(
    desk: &Desk<'_>,
    range: &mut Range,
    ty: TypeId,
) -> Result<Rc<Vec<NumberView>>, Halt> {
    if let Some(known) = range.numbers.get(&ty) {
        return Ok(Rc::clone(known));
    }
    let found = Rc::new(desk.store.numbers(ty, LARGE_STATES)?);
    range.numbers.insert(ty, Rc::clone(&found));
    Ok(found)
}

fn view(operand: u32, of: &NumberView) -> Expr {
    Expr::term(Term::query(When::Before, operand, &of.query))
}

/// Numbers of one object that meet, and large ones.
fn of_object(operand: u32, numbers: &[NumberView]) -> Vec<Expr> {
    let mut found = Vec::new();
    for (i, a) in numbers.iter().enumerate() {
        found.extend(numbers[i + 1..].iter().map(|b| meet(operand, a, b)));
    }
    found.extend(numbers.iter().map(|of| is_large(operand, of)));
    found
}

fn meet(operand: u32, a: &NumberView, b: &NumberView) -> Expr {
    view(operand, a).equals(view(operand, b))
}

fn is_large(operand: u32, of: &NumberView) -> Expr {
    view(operand, of).compare(Comparison::Ge, Expr::int(of.large.into()))
}

/// A number that is given, beside one of an object.
fn of_argument(argument: u32, operand: u32, of: &NumberView) -> [Expr; 3] {
    let beside = |by: i128| Expr::term(Term::operand(argument)).equals(view(operand, of).plus(by));
    [beside(0), beside(1), beside(-1)]
}

/// Whether values of a kind are integers.
pub(crate) fn is_integer(key: &str) -> bool {
    let bits = key.strip_prefix(['u', 'i']);
    bits.is_some_and(|bits| bits == "size" || bits.parse::<u8>().is_ok())
}
