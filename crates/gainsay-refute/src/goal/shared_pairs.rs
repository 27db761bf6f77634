//! Objects that share state meet: where one handle leads to others, the first paper looks at all
//! that is reachable. Here that is what a recipe made besides the operands of its last call; each
//! pair of them is passed to the queries that take two such objects.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{
    Arg, Ask, KeptCall, Manifest, ManifestOp, ManifestParam, ManifestQuery, Mode, ObjRef, OpId,
    RunTask, Sequence, Step, TypeId, Value,
};
use gainsay_workers::Answer;

use crate::{Context, RefuteError, round_state::Range};

/// Recipes that are looked at, those that made most first.
const RECIPES: usize = 40;
/// Questions about one recipe.
const QUESTIONS: usize = 400;
/// Pairs that are introduced for each answer to each query.
const PAIRS_PER_ANSWER: usize = 16;

/// Makes objects of sharing types meet and stores what is seen. All pairs are asked about; of
/// those that answer alike only some are introduced. Returns how many pairs met.
pub(crate) fn introduce(context: &mut Context<'_>, calls: &[KeptCall]) -> Result<u64, RefuteError> {
    let mut meetings: BTreeSet<Sequence> = BTreeSet::new();
    for ty in context.runner.settings().sharing.clone() {
        for (query, op) in queries_on_pairs(context.manifest, ty) {
            meetings.extend(chosen(context, calls, ty, (&query, op))?);
        }
    }
    let mut range = Range::default();
    let count = meetings.len() as u64;
    range.run_now(context, meetings.into_iter().collect())?;
    range.record(&mut context.apart().1)?;
    Ok(count)
}

/// Meetings of pairs with every answer that the query gives.
fn chosen(
    context: &mut Context<'_>,
    calls: &[KeptCall],
    ty: TypeId,
    (query, op): (&str, OpId),
) -> Result<Vec<Sequence>, RefuteError> {
    let mut recipes: Vec<&Sequence> = calls
        .iter()
        .filter(|call| call.observation.outcome.returned())
        .map(|call| &call.recipe)
        .collect();
    recipes.sort_by_key(|recipe| std::cmp::Reverse(living(context.manifest, recipe, ty).len()));
    recipes.dedup();
    recipes.truncate(RECIPES);
    let tasks: Vec<RunTask> =
        recipes.iter().map(|recipe| questions(context.manifest, recipe, ty, query)).collect();
    let answers = context.runner.run(&tasks, context.cancel)?;
    let mut known: BTreeMap<&Value, usize> = BTreeMap::new();
    let mut meetings = Vec::new();
    for (task, report) in tasks.iter().zip(answers.iter().map(Answer::done)) {
        let answers = report.map_or(&[][..], |report| &report.answers);
        for (ask, answer) in task.asks.iter().zip(answers) {
            let met = known.entry(answer).or_default();
            if *met < PAIRS_PER_ANSWER && !answer.is_undefined() {
                *met += 1;
                meetings.push(meeting(&task.sequence, op, ask.on, ask.with));
            }
        }
    }
    Ok(meetings)
}

/// Asks a query about every pair that a recipe leaves.
fn questions(manifest: &Manifest, recipe: &Sequence, ty: TypeId, query: &str) -> RunTask {
    let objects = living(manifest, recipe, ty);
    let pairs = objects.iter().flat_map(|a| objects.iter().map(move |b| (*a, *b)));
    let ask = |(on, with)| Ask { on, query: query.to_owned(), with };
    let asks = pairs.filter(|(a, b)| a != b).take(QUESTIONS).map(ask).collect();
    RunTask { sequence: recipe.clone(), views: false, laws: false, asks }
}

/// Queries that relate two objects of the type, each with the operation that asks it.
fn queries_on_pairs(manifest: &Manifest, ty: TypeId) -> Vec<(String, OpId)> {
    let looks = |param: &ManifestParam| *param == ManifestParam::Object(ty, Mode::Ref);
    let on_pairs = |op: &ManifestOp| op.params.len() == 2 && op.params.iter().all(looks);
    let asks = |query: &ManifestQuery| {
        let mut ops = (0..).map(OpId).zip(&manifest.ops);
        ops.find(|(_, op)| on_pairs(op) && op.function_name() == query.name).map(|(op, _)| op)
    };
    let related = manifest.active_queries(ty).filter(|query| query.param.is_some());
    related.filter_map(|query| Some((query.name.clone(), asks(query)?))).collect()
}

/// Objects of the type that a recipe makes and does not use up.
fn living(manifest: &Manifest, recipe: &Sequence, ty: TypeId) -> Vec<ObjRef> {
    let mut living = Vec::new();
    for (step, call) in (0..).zip(&recipe.steps) {
        let Some(op) = manifest.ops.get(call.op.0 as usize) else { continue };
        for (i, object) in call.objects() {
            if matches!(op.params.get(i), Some(ManifestParam::Object(_, mode)) if mode.consumes()) {
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
    sequence.steps.push(Step::new(op, vec![Arg::Object(a), Arg::Object(b)]));
    sequence
}
