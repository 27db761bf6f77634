//! Boundaries of numbers: objects whose numbers meet, or are larger than those of almost all others;
//! given numbers that are just a number of an object, or one off; and operands that fit each other.

use gainsay_store::{NumberView, StoreError};
use gainsay_wire::{Comparison, Expr, ManifestOp, ManifestParam, OpId, PlainType, Term, When};

use crate::{
    Desk,
    targets::{fitting_operands::list_fitting, operation_targets::TargetCache},
};

/// Conditions on single objects and on given numbers, for one operation. Each is a search and some
/// dozen calls, for which all contracts of the operation wait.
const MOST: usize = 16;
/// Of these, conditions about large objects for a focused epoch, which begins with a few objects of
/// each.
const MOST_LARGE: usize = 6;
/// Number of states whose objects are large: enough to try some operands beside each, few enough to be
/// an end of the distribution.
pub(crate) const LARGE_STATES: usize = 24;

/// Conditions on the operands of an operation, each a corner worth calling it in.
pub(crate) fn list_corners(
    desk: &Desk<'_>,
    cache: &mut TargetCache,
    op: OpId,
) -> Result<Vec<Expr>, StoreError> {
    let params = list_params(desk, op);
    let (mut on_states, mut on_values) = (Vec::new(), Vec::new());
    for (at, param) in (0..).zip(params) {
        let ManifestParam::Object(ty, _) = param else { continue };
        let numbers = cache.find_numbers(desk, *ty)?;
        on_states.extend(list_on_object(at, &numbers));
        let given = (0..)
            .zip(params)
            .filter(|(_, param)| matches!(param, ManifestParam::Plain(PlainType::Integer(_))));
        for (argument, _) in given {
            on_values.extend(numbers.iter().flat_map(|view| list_beside(argument, at, view)));
        }
    }
    // Some of both sorts, where there are more than wanted.
    on_states.truncate(MOST.saturating_sub(on_values.len().min(MOST / 2)));
    on_values.truncate(MOST - on_states.len());
    on_states.extend(on_values);
    on_states.extend(list_fitting(desk, cache, op)?);
    Ok(on_states)
}

/// Conditions that an object of an operation is among the largest, one for each number of each. Those
/// where two numbers meet besides come first: an object that is full and large is about to change its
/// ways.
pub(crate) fn list_large(
    desk: &Desk<'_>,
    cache: &mut TargetCache,
    op: OpId,
) -> Result<Vec<Expr>, StoreError> {
    let mut found = Vec::new();
    for (at, param) in (0..).zip(list_params(desk, op)) {
        if let ManifestParam::Object(ty, _) = param {
            let numbers = cache.find_numbers(desk, *ty)?;
            for (i, a) in numbers.iter().enumerate() {
                let is_full = |b: &NumberView| Expr::And(vec![is_large(at, a), meets(at, a, b)]);
                found.extend(numbers[i + 1..].iter().map(is_full));
            }
            found.extend(numbers.iter().map(|of| is_large(at, of)));
        }
    }
    found.truncate(MOST_LARGE);
    Ok(found)
}

pub(crate) fn list_params<'a>(desk: &Desk<'a>, op: OpId) -> &'a [ManifestParam] {
    let found: Option<&'a ManifestOp> = desk.search.manifest.ops.get(op.0 as usize);
    found.map_or(&[][..], |op| &op.params)
}

fn number_before(operand: u32, of: &NumberView) -> Expr {
    Expr::term(Term::query(When::Before, operand, &of.query))
}

/// Numbers of one object that meet, and large ones.
fn list_on_object(operand: u32, numbers: &[NumberView]) -> Vec<Expr> {
    let mut found = Vec::new();
    for (i, a) in numbers.iter().enumerate() {
        found.extend(numbers[i + 1..].iter().map(|b| meets(operand, a, b)));
    }
    found.extend(numbers.iter().map(|of| is_large(operand, of)));
    found
}

fn meets(operand: u32, a: &NumberView, b: &NumberView) -> Expr {
    number_before(operand, a).equals(number_before(operand, b))
}

fn is_large(operand: u32, of: &NumberView) -> Expr {
    number_before(operand, of).compare(Comparison::Ge, Expr::int(of.large.into()))
}

/// A given number that is a number of an object, or one off.
// One off on both sides: `index <= len` where `index < len` was meant shows at the border itself or
// just beside it.
fn list_beside(argument: u32, operand: u32, of: &NumberView) -> [Expr; 3] {
    let is_off_by =
        |by: i128| Expr::term(Term::operand(argument)).equals(number_before(operand, of).plus(by));
    [is_off_by(0), is_off_by(1), is_off_by(-1)]
}
