//! Error values that collide with ordinary ones: a result such as `-1` that stands for "there is
//! none" and is also returned where there is one.

use std::collections::BTreeSet;

use gainsay_wire::{Expr, Manifest, OpId, Root, Term};

use crate::{
    Options, Samples, atom::Atom, bits::Bits, boolean, column::Column, constant, scene::Scene,
    states::States,
};

/// So many distinct calls must have met the condition, and so many results differ without it.
const LEAST: usize = 3;

/// An out-of-band value that is not out of band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentinel {
    /// The operation.
    pub op: OpId,
    /// The value.
    pub constant: i128,
    /// When it means "none", before the call.
    pub condition: Expr,
    /// What the operation seems to promise, and breaks: the value exactly under the condition.
    pub contract: Expr,
    /// The observation that returns the value although the condition does not hold: its index
    /// among the operation's samples.
    pub witness: usize,
}

/// The sentinels of all operations with an integer result.
pub fn sentinels(manifest: &Manifest, samples: &Samples) -> Vec<Sentinel> {
    let (options, states) = (Options::default(), States::default());
    let mut found = Vec::new();
    for (op, observations) in samples {
        let scene = Scene::new(manifest, *op, observations, &options, &states);
        found.extend(scene.and_then(|scene| of_operation(&scene)));
    }
    found
}

fn of_operation(scene: &Scene<'_>) -> Option<Sentinel> {
    let result = scene.column(scene.table.position(&Term::result())?);
    let mut conditions: Vec<Atom> = Vec::new();
    for column in scene.table.columns.iter().filter(|column| is_state(column)) {
        let atom = boolean::atom(column);
        conditions.extend(atom.iter().map(Atom::negated));
        conditions.extend(atom);
        conditions.extend(constant::zero_atom(column));
    }
    conditions.sort_by_key(|atom| (matches!(atom.expr, Expr::Not(_)), atom.simplicity()));
    conditions.iter().find_map(|atom| collision(scene, result, atom))
}

/// Conditions on the state before, not on arguments, nor on parts of an operand or its room: those
/// may coincide with anything.
fn is_state(column: &Column<'_>) -> bool {
    let term = &column.term;
    let is_plain = |query: &String| !query.contains('.') && !query.contains("capacity");
    term.is_before()
        && term.query.as_ref().is_some_and(is_plain)
        && matches!(term.root, Root::Operand(_))
}

fn collision(scene: &Scene<'_>, result: &Column<'_>, atom: &Atom) -> Option<Sentinel> {
    let values = result.ints()?;
    let under = atom.yes.and(&result.known);
    let constant = values[under.rows().next()?];
    let always = under.rows().all(|row| values[row] == constant);
    if !always || !is_conventional(constant) || !is_enough(scene, atom, &under) {
        return None;
    }
    let otherwise = atom.no().and(&result.known);
    let others: BTreeSet<i128> = otherwise.rows().map(|row| values[row]).collect();
    let witness = otherwise.rows().find(|row| values[*row] == constant)?;
    let returns = Expr::term(result.term.clone()).equals(Expr::int(constant));
    (others.len() >= LEAST).then(|| Sentinel {
        op: scene.id,
        constant,
        condition: atom.expr.clone(),
        contract: returns.iff(atom.expr.clone()),
        witness: scene.table.origins[witness],
    })
}

/// Enough distinct calls met the condition, or it leaves only one state to call from.
fn is_enough(scene: &Scene<'_>, atom: &Atom, under: &Bits) -> bool {
    let is_narrow = scene.op.params.len() == 1 && atom.shape <= crate::atom::Shape::Zero;
    under.count() >= LEAST || is_narrow
}

/// The one value that by convention is out of band. The extremes of unsigned types are not taken
/// for it: a room that is left, or a distance, is at its limit in ordinary states too.
fn is_conventional(value: i128) -> bool {
    value == -1
}
