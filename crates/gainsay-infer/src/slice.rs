//! Preconditions of the calls where a condition held: `pre(r|A)`.

use gainsay_wire::{Expr, Manifest, Observation, OpId, Truth, truth};

use crate::{
    Options, Samples, at_entry,
    scene::Scene,
    states::{Invariants, States},
    suppress,
};

/// What held before every passing call of `op` on which `condition` held before the call.
pub fn preconditions_where(
    manifest: &Manifest,
    samples: &Samples,
    op: OpId,
    condition: &Expr,
    options: &Options,
) -> Vec<Expr> {
    let Some(observations) = samples.get(&op) else { return Vec::new() };
    let vocabulary = manifest.vocabulary(op);
    let holds = |seen: &Observation| truth(condition, &(&vocabulary, seen)) == Truth::True;
    let own = std::iter::once((op, &observations[..]));
    let states = States::of(manifest, own, Invariants::Unknown);
    let scene = Scene::where_(manifest, op, observations, options, &states, holds);
    let Some(scene) = scene.filter(|scene| scene.table.rows >= scene.min_rows()) else {
        return Vec::new();
    };
    let found = suppress::few_and_strong(&scene, at_entry(&scene));
    found
        .kept
        .into_iter()
        .map(|candidate| candidate.expr)
        .filter(|expr| expr != condition)
        .collect()
}
