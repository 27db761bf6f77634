//! Objects that share state meet: where one handle leads to others, the first paper looks at all
//! that is reachable. Here that is what a recipe made besides the operands of its last call; each
//! pair of them is passed to the queries that take two such objects.

use std::collections::BTreeSet;

use gainsay_wire::{
    Arg, KeptCall, Manifest, ManifestParam, Mode, ObjRef, OpId, Sequence, Step, TypeId,
};

use crate::{Context, RefuteError, range::Range};

/// Pairs that are introduced to each other after one call.
const PAIRS_PER_CALL: usize = 6;

/// Makes objects of sharing types meet and stores what is seen. Returns how many pairs met.
pub(crate) fn introduce(
    context: &mut Context<'_>,
    calls: &[KeptCall],
) -> Result<u64, RefuteError> {
    let sharing: BTreeSet<TypeId> = context.runner.settings().sharing.iter().copied().collect();
    let mut meetings: BTreeSet<Sequence> = BTreeSet::new();
    for &ty in &sharing {
        let queries = queries_on_pairs(context.manifest, ty);
        for call in calls.iter().filter(|call| call.observation.outcome.returned()) {
            let objects = living(context.manifest, &call.recipe, ty);
            let pairs = objects.iter().flat_map(|a| objects.iter().map(move |b| (*a, *b)));
            for (a, b) in pairs.filter(|(a, b)| a != b).take(PAIRS_PER_CALL) {
                meetings.extend(queries.iter().map(|op| meeting(&call.recipe, *op, a, b)));
            }
            if meetings.len() >= context.limits.related_calls {
                break;
            }
        }
    }
    let mut range = Range::default();
    let count = meetings.len() as u64;
    range.run(context, meetings.into_iter().collect())?;
    let met = range.into_refutation(Vec::new());
    context.store.record_calls(&met.states, &met.calls)?;
    Ok(count)
}

/// Operations that only look at two objects of the type.
fn queries_on_pairs(manifest: &Manifest, ty: TypeId) -> Vec<OpId> {
    let looks = |param: &ManifestParam| *param == ManifestParam::Object(ty, Mode::Ref);
    let relates = |name: &str| {
        let related = manifest.active(ty).filter(|query| query.param.is_some());
        related.map(|query| &query.name).any(|query| name.ends_with(&format!("::{query}")))
    };
    let fits = (0..).map(OpId).zip(&manifest.ops).filter(|(_, op)| {
        op.params.len() == 2 && op.params.iter().all(looks) && relates(&op.name)
    });
    fits.map(|(op, _)| op).collect()
}

/// Objects of the type that a recipe makes and does not use up.
fn living(manifest: &Manifest, recipe: &Sequence, ty: TypeId) -> Vec<ObjRef> {
    let mut living = Vec::new();
    for (step, call) in (0..).zip(&recipe.steps) {
        let Some(op) = manifest.ops.get(call.op.0 as usize) else { continue };
        for (i, object) in call.objects() {
            if matches!(op.params.get(i), Some(ManifestParam::Object(_, Mode::Own))) {
                living.retain(|known| *known != object);
            }
        }
        let made = (0..).zip(&op.makes).filter(|(_, made)| **made == ty);
        living.extend(made.map(|(out, _)| ObjRef { step, out }));
    }
    // What was made last has had the least chance to meet anyone.
    living.reverse();
    living
}

fn meeting(recipe: &Sequence, op: OpId, a: ObjRef, b: ObjRef) -> Sequence {
    let mut sequence = recipe.clone();
    sequence.steps.push(Step { op, args: vec![Arg::Object(a), Arg::Object(b)] });
    sequence
}
