//! Relations among the objects around a call, before and after it: both versions are built in
//! one run and asked about each other, as the first paper's database holds them.

use std::collections::BTreeSet;

use gainsay_store::{ObjectAt, Relation};
use gainsay_wire::{
    Arg, Ask, KeptCall, Manifest, ManifestParam, ObjRef, RunTask, Sequence, StateId, TypeId, Value,
};
use gainsay_workers::Runner;

use crate::{SearchContext, SearchError, relations::shared_pairs::introduce_pairs};

/// Evaluates every active relation between the objects of each call, in all their versions and
/// in both directions, and stores them. Returns how many were evaluated.
pub fn evaluate_relations(
    context: &mut SearchContext<'_>,
    runner: &mut dyn Runner,
    calls: &[KeptCall],
) -> Result<u64, SearchError> {
    let scenes: Vec<Scene> = calls
        .iter()
        .filter_map(|call| Scene::of_call(context.manifest, call))
        .take(context.limits.related_calls)
        .collect();
    let tasks: Vec<RunTask> = scenes.iter().map(Scene::to_task).collect();
    let introduced = introduce_pairs(context, runner, calls)?;
    if tasks.is_empty() {
        return Ok(introduced);
    }
    let answers = runner.run(&tasks, context.cancel)?;
    let mut relations = Vec::new();
    for (scene, answer) in scenes.iter().zip(&answers) {
        let Some(report) = answer.done() else { continue };
        for (question, value) in scene.questions.iter().zip(&report.answers) {
            // The query panicked or was not asked; that is no fact about the two objects.
            if *value == Value::Undefined {
                continue;
            }
            let [a, b] = [question.on, question.with].map(|at| scene.locate_actor(at));
            relations.push(Relation { query: &question.query, a, b, value });
        }
    }
    context.store.record_relations(&relations)?;
    Ok(introduced + relations.len() as u64)
}

/// The objects around one call, side by side.
struct Scene {
    after: Sequence,
    before: Sequence,
    actors: Vec<Actor>,
    questions: Vec<Question>,
}

/// A version of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Actor {
    ty: TypeId,
    state: StateId,
    at: ObjRef,
    version: Version,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Before,
    After,
}

/// A query of one actor about another.
struct Question {
    /// Index of the actor that is asked.
    on: usize,
    query: String,
    /// Index of the actor that it is asked about.
    with: usize,
}

impl Scene {
    /// `None` when the call did not return, or no query relates its objects.
    fn of_call(manifest: &Manifest, call: &KeptCall) -> Option<Scene> {
        let observation = &call.observation;
        let (last, rest) = call.recipe.steps.split_last()?;
        if !observation.outcome.returned() {
            return None;
        }
        // A set: an object that stands for two operands is asked once.
        let mut actors = BTreeSet::new();
        for object in &observation.objects {
            let Some(Arg::Object(at)) = last.args.get(object.operand as usize) else { continue };
            let before =
                Actor { ty: object.ty, state: object.before, at: *at, version: Version::Before };
            actors.insert(before);
            if let Some(state) = object.after.filter(|after| *after != object.before) {
                actors.insert(Actor { state, version: Version::After, ..before });
            }
        }
        let step = u32::try_from(rest.len()).expect("sequences are short");
        for (out, &(ty, state)) in (0..).zip(&observation.made) {
            let at = ObjRef { step, out };
            actors.insert(Actor { ty, state, at, version: Version::After });
        }
        let actors: Vec<Actor> = actors.into_iter().collect();
        let questions = list_questions(manifest, &actors);
        let before = Sequence { steps: rest.to_vec() };
        (!questions.is_empty()).then(|| Scene {
            after: call.recipe.clone(),
            before,
            actors,
            questions,
        })
    }

    fn to_task(&self) -> RunTask {
        // Objects of different runs cannot meet, so one run makes both versions.
        let mut sequence = self.after.clone();
        let shift = sequence.append(&self.before);
        let find_object = |actor: usize| {
            let Actor { at, version, .. } = self.actors[actor];
            match version {
                Version::After => at,
                Version::Before => ObjRef { step: at.step + shift, out: at.out },
            }
        };
        let to_ask = |question: &Question| Ask {
            on: find_object(question.on),
            query: question.query.clone(),
            with: find_object(question.with),
        };
        let asks = self.questions.iter().map(to_ask).collect();
        RunTask { sequence, views: false, laws: false, asks }
    }

    fn locate_actor(&self, actor: usize) -> ObjectAt<'_> {
        let Actor { ty, state, at, version } = self.actors[actor];
        let recipe = match version {
            Version::Before => &self.before,
            Version::After => &self.after,
        };
        ObjectAt { ty, state, recipe, at }
    }
}

/// All queries of each actor about each actor that they take.
fn list_questions(manifest: &Manifest, actors: &[Actor]) -> Vec<Question> {
    let mut questions = Vec::new();
    for (on, actor) in actors.iter().enumerate() {
        for query in manifest.active_queries(actor.ty) {
            let Some(ManifestParam::Object(wanted, _)) = &query.param else { continue };
            for (with, other) in actors.iter().enumerate() {
                if other.ty == *wanted {
                    questions.push(Question { on, query: query.name.clone(), with });
                }
            }
        }
    }
    questions
}
