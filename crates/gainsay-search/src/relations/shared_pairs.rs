//! Objects that share state are made to meet. Where one handle leads to others, the first paper looks
//! at all objects that are reachable. Here these are the objects that a recipe made besides the
//! operands of its last call; each pair of them is passed to the queries that take two such objects.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use gainsay_wire::{
    Arg, Ask, KeptCall, Manifest, ManifestOp, ManifestParam, ManifestQuery, Mode, ObjRef, OpId,
    RunTask, Sequence, Step, TypeId, Value,
};
use gainsay_workers::{Answer, Runner};

use crate::{Search, SearchContext, SearchError};

/// Recipes that are looked at, those that made most first. The first few dozen tell how objects of a
/// type relate; all recipes would take longer than the exploration that made them.
const RECIPES: usize = 40;
/// Questions about one recipe: all pairs of twenty objects.
const QUESTIONS: usize = 400;
/// Pairs that meet for each answer to each query. Most pairs are unrelated: without this bound they
/// would fill the store, and the rare answer would be lost among them.
const PAIRS_PER_ANSWER: usize = 16;

/// Makes objects of sharing types meet and stores the calls on them. All pairs are asked about; of
/// those with the same answer some meet. Returns the number of pairs that met.
pub(crate) fn introduce_pairs(
    context: &mut SearchContext<'_>,
    runner: &mut dyn Runner,
    calls: &[KeptCall],
) -> Result<u64, SearchError> {
    // Several queries may choose one pair; the call on it is made once for each operation.
    let mut meetings: BTreeSet<Sequence> = BTreeSet::new();
    for ty in runner.settings().sharing.clone() {
        for query in list_pair_queries(context.manifest, ty) {
            meetings.extend(choose_meetings(context, runner, calls, &query)?);
        }
    }
    let mut search = Search::default();
    let count = meetings.len() as u64;
    search.run_calls(context, runner, meetings.into_iter().collect())?;
    search.log_mut().record_calls(context.store)?;
    Ok(count)
}

/// A query that relates two objects of a type, and the operation that asks it.
struct PairQuery {
    ty: TypeId,
    name: String,
    op: OpId,
}

/// Meetings of pairs with every answer that the query gives.
fn choose_meetings(
    context: &SearchContext<'_>,
    runner: &mut dyn Runner,
    calls: &[KeptCall],
    query: &PairQuery,
) -> Result<Vec<Sequence>, SearchError> {
    let manifest = context.manifest;
    let mut recipes: Vec<&Sequence> = calls
        .iter()
        .filter(|call| call.observation.outcome.returned())
        .map(|call| &call.recipe)
        .collect();
    recipes.sort_by_key(|recipe| Reverse(list_living(manifest, recipe, query.ty).len()));
    // One recipe stands for each of its objects.
    recipes.dedup();
    recipes.truncate(RECIPES);
    let tasks: Vec<RunTask> =
        recipes.iter().map(|recipe| ask_all_pairs(manifest, recipe, query)).collect();
    let answers = runner.run(&tasks, context.cancel)?;
    let mut met: BTreeMap<&Value, usize> = BTreeMap::new();
    let mut meetings = Vec::new();
    for (task, report) in tasks.iter().zip(answers.iter().map(Answer::done)) {
        let answers = report.map_or(&[][..], |report| &report.answers);
        for (ask, answer) in task.asks.iter().zip(answers) {
            let count = met.entry(answer).or_default();
            if *count < PAIRS_PER_ANSWER && !answer.is_undefined() {
                *count += 1;
                meetings.push(arrange_meeting(&task.sequence, query.op, ask));
            }
        }
    }
    Ok(meetings)
}

/// Asks a query about every pair that a recipe leaves.
fn ask_all_pairs(manifest: &Manifest, recipe: &Sequence, query: &PairQuery) -> RunTask {
    let objects = list_living(manifest, recipe, query.ty);
    let pairs = objects.iter().flat_map(|a| objects.iter().map(move |b| (*a, *b)));
    let ask = |(on, with)| Ask { on, query: query.name.clone(), with };
    let asks = pairs.filter(|(a, b)| a != b).take(QUESTIONS).map(ask).collect();
    RunTask { sequence: recipe.clone(), views: false, laws: false, asks }
}

/// Queries that relate two objects of the type, each with the operation that asks it.
fn list_pair_queries(manifest: &Manifest, ty: TypeId) -> Vec<PairQuery> {
    let only_looks = |param: &ManifestParam| *param == ManifestParam::Object(ty, Mode::Ref);
    let takes_pair = |op: &ManifestOp| op.params.len() == 2 && op.params.iter().all(only_looks);
    let find_op = |query: &ManifestQuery| {
        // The wire has no link from a query to its operation; both have the method's name.
        let mut ops = (0..).map(OpId).zip(&manifest.ops);
        ops.find(|(_, op)| takes_pair(op) && op.function_name() == query.name).map(|(op, _)| op)
    };
    let related = manifest.active_queries(ty).filter(|query| query.param.is_some());
    let to_pair = |query: &ManifestQuery| {
        Some(PairQuery { ty, name: query.name.clone(), op: find_op(query)? })
    };
    related.filter_map(to_pair).collect()
}

/// Objects of the type that a recipe makes and does not use up.
fn list_living(manifest: &Manifest, recipe: &Sequence, ty: TypeId) -> Vec<ObjRef> {
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
    // Objects that were made last have had the least chance to meet others.
    living.reverse();
    living
}

/// The call of the operation on the two objects of a question.
fn arrange_meeting(recipe: &Sequence, op: OpId, pair: &Ask) -> Sequence {
    let mut sequence = recipe.clone();
    sequence.steps.push(Step::new(op, vec![Arg::Object(pair.on), Arg::Object(pair.with)]));
    sequence
}
