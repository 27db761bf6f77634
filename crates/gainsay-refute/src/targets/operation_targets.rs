//! Where an operation may change its ways, whatever a contract says of it: branches of its code, then
//! corners.

use std::{collections::BTreeSet, rc::Rc};

use gainsay_model::contract::Via;
use gainsay_wire::{Expr, OpId};

use crate::{
    Desk,
    error::Halt,
    goal::goal_search::Goal,
    round_state::{Range, Reach},
    targets::boundaries::corners,
};

/// Goals that are the same for all contracts of an operation, so that the calls are made once. None
/// from near.
pub(crate) fn aims(
    desk: &Desk<'_>,
    range: &mut Range,
    op: OpId,
) -> Result<Rc<Vec<(Goal, Via)>>, Halt> {
    if range.reach == Reach::Near {
        return Ok(Rc::default());
    }
    if let Some(known) = range.aims.get(&op) {
        return Ok(Rc::clone(known));
    }
    let requires = range.requires(desk, op);
    let branches = desk.knowledge.branches(op).targets();
    let corners = corners(desk, range, op)?;
    let branches = branches.iter().map(|condition| (condition, Via::Branch));
    let corners = corners.iter().map(|condition| (condition, Via::Corner));
    let mut known = BTreeSet::new();
    let mut aims = Vec::new();
    for (condition, via) in branches.chain(corners) {
        if known.insert(condition.normal()) {
            let clauses: Vec<Expr> =
                std::iter::once(condition).chain(requires.iter()).cloned().collect();
            aims.push((Goal::new(op, &clauses), via));
        }
    }
    let aims = Rc::new(aims);
    range.aims.insert(op, Rc::clone(&aims));
    Ok(aims)
}
