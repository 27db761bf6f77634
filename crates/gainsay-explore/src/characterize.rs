//! Puts queries between the calls of a passing sequence, so that what each call changed is seen, and
//! keeps what is the same in every process: the makings of a regression test.

mod assertable_values;
pub(crate) mod covering_set;

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::OpKind,
    regression::{About, Regression, StepClaim},
    ty::Ty,
};
use gainsay_wire::{
    Arg, Manifest, ManifestParam, Mode, ObjRef, Observation, OpId, PlainType, Role, Root,
    RunReport, Sequence, Step, Term, TypeId, Value, When,
};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{characterize::covering_set::task_with_views, subject_model::SubjectModel};
use assertable_values::{is_readable, is_telling};

/// Runs that must look the same, each in a fresh process.
// A value that depends on one random bit agrees four times in one case of eight; calibration and
// the check of the emitted test catch the rest.
const TIMES: usize = 4;
/// Queries of an object that are tried after a call.
// Each query is a call in each of the runs above.
const TRIED: usize = 24;
/// Queries that are kept of those.
// A reader takes in a few assertions after a call, not two dozen.
const KEPT: usize = 3;
/// Queries with an argument of the call that are tried.
const ON_ARGUMENTS: usize = 2;
/// Queries about spare room: std and the allocator decide how much there is.
const OTHERS_DECIDE: &str = "capacity";
/// The made-up query for the elements of an object.
const ELEMENTS: &str = "seq";

/// A sequence that was run, with its report.
pub struct RanSequence<'a> {
    /// The calls.
    pub sequence: &'a Sequence,
    /// What came of them.
    pub report: &'a RunReport,
}

/// Queries that may be asked.
#[derive(Clone, Copy)]
struct QueryChoice<'a> {
    subject: &'a SubjectModel,
    /// Names of those that come first, whoever else decides what they tell.
    wanted: &'a BTreeSet<String>,
}

/// The number of times that a query told something new, by its operation and arguments.
type NewsCounts = BTreeMap<(OpId, Vec<Arg>), usize>;

/// The sequence with queries and what was seen; `None` when it does not look the same each time.
pub fn tell(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    seen: &RanSequence<'_>,
    cancel: &Cancel,
) -> Result<Option<Regression>, WorkerError> {
    tell_about(runner, subject, seen, &BTreeSet::new(), cancel)
}

/// The same, where queries of some names are what it is about: they come before others, and may tell
/// what others decide.
pub fn tell_about(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    seen: &RanSequence<'_>,
    wanted: &BTreeSet<String>,
    cancel: &Cancel,
) -> Result<Option<Regression>, WorkerError> {
    let draft = Draft::follow_with_queries(QueryChoice { subject, wanted }, seen);
    let Some(seen) = repeat_sequence(runner, &draft.sequence, cancel)? else { return Ok(None) };
    // Run again with the queries that are left: one that was taken out may have changed something.
    let thin = draft.without_repeated_queries(&seen);
    let Some(seen) = repeat_sequence(runner, &thin.sequence, cancel)? else { return Ok(None) };
    // Asked only now: a query that panicked was tried in the first draft and is out of the second.
    if seen.is_objected_to {
        return Ok(None);
    }
    Ok(thin.into_regression(subject, &seen))
}

/// Observations that were the same each time: the result of each step, and the elements of its objects.
struct Steady {
    results: Vec<Option<Value>>,
    elements: Vec<BTreeMap<ObjRef, Value>>,
    returned: Vec<bool>,
    /// True if anything panicked or an oracle objected; a query that was only tried may.
    is_objected_to: bool,
}

fn repeat_sequence(
    runner: &mut dyn Runner,
    sequence: &Sequence,
    cancel: &Cancel,
) -> Result<Option<Steady>, WorkerError> {
    let tasks = vec![task_with_views(sequence); TIMES];
    let answers = runner.run_fresh(&tasks, cancel)?;
    let reports: Option<Vec<&RunReport>> = answers.iter().map(|answer| answer.done()).collect();
    let Some(reports) = reports else { return Ok(None) };
    let is_whole = |report: &&RunReport| report.steps.len() == sequence.steps.len();
    if !reports.iter().all(is_whole) {
        return Ok(None);
    }
    let manifest = runner.manifest();
    let is_objected_to = reports.iter().any(|report| !report.findings.is_empty());
    let mut steady = Steady { results: vec![], elements: vec![], returned: vec![], is_objected_to };
    for (at, step) in sequence.steps.iter().enumerate() {
        let of = |report: &&RunReport| report.steps[at].observation.clone();
        let seen: Vec<Observation> = reports.iter().filter_map(of).collect();
        let outcomes = || reports.iter().map(|report| &report.steps[at].outcome);
        steady.returned.push(outcomes().all(gainsay_wire::Outcome::returned));
        let looks: Vec<Look> =
            seen.iter().map(|seen| read_step(manifest, at, step, seen)).collect();
        let same = |value: &Option<Value>| looks.iter().all(|look| look.result == *value);
        // A step that was not observed each time may look the same by chance.
        let first = looks.first().filter(|_| looks.len() == TIMES);
        steady.results.push(
            first.and_then(|look| look.result.clone()).filter(|value| same(&Some(value.clone()))),
        );
        let mut elements = first.map(|look| look.elements.clone()).unwrap_or_default();
        elements.retain(|object, value| {
            looks.iter().all(|look| look.elements.get(object) == Some(value))
        });
        steady.elements.push(elements);
    }
    Ok(Some(steady))
}

/// The observation of one step in one run.
struct Look {
    result: Option<Value>,
    elements: BTreeMap<ObjRef, Value>,
}

fn read_step(manifest: &Manifest, at: usize, step: &Step, seen: &Observation) -> Look {
    let vocabulary = manifest.vocabulary(seen.op);
    let value = |term: &Term| {
        let value = seen.values.get(vocabulary.position(term)?)?;
        (!value.is_undefined()).then(|| value.clone())
    };
    let elements_of = |root: Root| {
        value(&Term { when: When::After, root, query: Some(ELEMENTS.to_owned()), with: None })
    };
    let mut elements = BTreeMap::new();
    for (operand, object) in step.objects() {
        let root = Root::Operand(u32::try_from(operand).unwrap_or(u32::MAX));
        elements.extend(elements_of(root).map(|value| (object, value)));
    }
    for (object, root) in objects_made_by(manifest, at, seen) {
        elements.extend(elements_of(root).map(|value| (object, value)));
    }
    Look { result: value(&Term::result()), elements }
}

/// The objects that a step made, where it is clear which they are.
fn objects_made_by(manifest: &Manifest, at: usize, seen: &Observation) -> Vec<(ObjRef, Root)> {
    let makes = manifest.ops.get(seen.op.0 as usize).map_or(0, |op| op.makes.len());
    let step = u32::try_from(at).unwrap_or(u32::MAX);
    // An operation that could make several objects and made fewer does not say which.
    let outs = (0..).take(if seen.made.len() == makes { makes } else { 0 });
    outs.map(|out| (ObjRef { step, out }, Root::Made(out))).collect()
}

/// A sequence in which some steps only ask.
#[derive(Default)]
struct Draft {
    sequence: Sequence,
    /// For each step whether it is one of the calls that it is all about.
    is_call: Vec<bool>,
    /// The calls that changed an object, by step.
    changed: Vec<BTreeSet<ObjRef>>,
    /// Queries that come before others.
    wanted: BTreeSet<OpId>,
}

impl Draft {
    /// The calls, each followed by queries of what it changed or made.
    fn follow_with_queries(
        choice: QueryChoice<'_>,
        RanSequence { sequence: calls, report }: &RanSequence<'_>,
    ) -> Draft {
        let QueryChoice { subject, wanted } = choice;
        let manifest = subject.manifest();
        let is_wanted =
            |op: OpId| subject.operation(op).is_some_and(|it| wanted.contains(&it.callable.name));
        let mut draft = Draft::default();
        let mut places: Vec<u32> = Vec::new();
        for (at, call) in calls.steps.iter().enumerate() {
            // Queries come in between, so steps get other numbers.
            let place = u32::try_from(draft.sequence.steps.len()).expect("sequences are short");
            places.push(place);
            let Some(step) = call.renumber_with(|old| places.get(old as usize).copied()) else {
                continue;
            };
            let seen = report.steps.get(at).and_then(|step| step.observation.as_ref());
            let objects = seen.map(|seen| objects_changed_by(manifest, place, &step, seen));
            let objects = objects.unwrap_or_default();
            let asked = objects.iter().flat_map(|(object, ty)| {
                let mut plain = plain_queries_of(choice, *ty);
                plain.sort_by_key(|op| !is_wanted(*op));
                let plain = plain.into_iter().take(TRIED);
                let plain = plain.map(|op| Step::new(op, vec![Arg::Object(*object)]));
                plain.chain(on_arguments(subject, *ty, *object, &step))
            });
            let asked: Vec<Step> = asked.collect();
            draft.push_step(step, true, objects.into_keys().collect());
            for step in asked {
                if is_wanted(step.op) {
                    draft.wanted.insert(step.op);
                }
                draft.push_step(step, false, BTreeSet::new());
            }
        }
        draft
    }

    fn push_step(&mut self, step: Step, is_call: bool, changed: BTreeSet<ObjRef>) {
        self.sequence.steps.push(step);
        self.is_call.push(is_call);
        self.changed.push(changed);
    }

    /// Only the queries that tell something new of what was changed.
    fn without_repeated_queries(&self, seen: &Steady) -> Draft {
        let mut known: BTreeMap<(OpId, Vec<Arg>), Value> = BTreeMap::new();
        let mut news = NewsCounts::new();
        let mut is_news = vec![false; self.is_call.len()];
        for (at, step) in self.sequence.steps.iter().enumerate() {
            let value = seen.results[at].as_ref().filter(|value| is_telling(value));
            let (Some(value), false) = (value, self.is_call[at]) else { continue };
            let key = (step.op, step.args.clone());
            // A value that is the same as after an earlier call says nothing about this one.
            if known.insert(key.clone(), value.clone()).as_ref() != Some(value) {
                *news.entry(key).or_default() += 1;
                is_news[at] = true;
            }
        }
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut group: Vec<usize> = Vec::new();
        for (at, step) in self.sequence.steps.iter().enumerate() {
            if self.is_call[at] {
                kept.extend(self.most_telling_queries(
                    std::mem::take(&mut group),
                    Some(step),
                    seen,
                    &news,
                ));
                kept.insert(at);
            } else if is_news[at] && seen.returned[at] {
                group.push(at);
            }
        }
        kept.extend(self.most_telling_queries(group, None, seen, &news));
        self.with_steps(&kept)
    }

    /// The queries after one call that tell most: what changes often. Text is left for what nothing
    /// else tells, and what the next call asks itself is left to it.
    fn most_telling_queries(
        &self,
        mut asked: Vec<usize>,
        next: Option<&Step>,
        seen: &Steady,
        news: &NewsCounts,
    ) -> Vec<usize> {
        let step = |at: usize| &self.sequence.steps[at];
        // The next call asserts its own result: the query before it would say the same twice.
        asked.retain(|at| next.is_none_or(|next| next != step(*at)));
        let is_text = |at: usize| matches!(seen.results[at], Some(Value::Str(_)));
        let call = asked.first().and_then(|at| (0..*at).rev().find(|at| self.is_call[*at]));
        let shows_elements = call.is_some_and(|call| !seen.elements[call].is_empty());
        if shows_elements || asked.iter().any(|at| !is_text(*at)) {
            asked.retain(|at| !is_text(*at));
        }
        asked.sort_by_key(|at| {
            let told = news.get(&(step(*at).op, step(*at).args.clone())).copied().unwrap_or(0);
            (!self.wanted.contains(&step(*at).op), std::cmp::Reverse(told), *at)
        });
        asked.truncate(KEPT);
        asked
    }

    fn with_steps(&self, kept: &BTreeSet<usize>) -> Draft {
        let place = |old: u32| {
            let before = kept.range(..old as usize).count();
            u32::try_from(before).expect("sequences are short")
        };
        let moved = |object: &ObjRef| ObjRef { step: place(object.step), out: object.out };
        Draft {
            sequence: self.sequence.keep_steps(|at| kept.contains(&at)),
            is_call: kept.iter().map(|at| self.is_call[*at]).collect(),
            changed: kept.iter().map(|at| self.changed[*at].iter().map(moved).collect()).collect(),
            wanted: self.wanted.clone(),
        }
    }

    /// Turns the draft into assertions; `None` when there is nothing to assert.
    fn into_regression(self, subject: &SubjectModel, seen: &Steady) -> Option<Regression> {
        // A test that ends in a panic is a witness, and another part writes those.
        if !seen.returned.iter().all(|returned| *returned) {
            return None;
        }
        let mut claims = Vec::new();
        let mut known: BTreeMap<ObjRef, &Value> = BTreeMap::new();
        for step in 0..self.is_call.len() {
            let result = seen.results[step].as_ref().filter(|value| is_telling(value));
            claims.extend(result.map(|value| StepClaim {
                step,
                about: About::Result,
                value: value.clone(),
            }));
            for (object, value) in &seen.elements[step] {
                // Elements are seen at every step that has the object; only a change is worth a line.
                let is_new = self.changed[step].contains(object) && is_readable(value);
                if is_new && known.insert(*object, value) != Some(value) {
                    let about = About::Elements(*object);
                    claims.push(StepClaim { step, about, value: value.clone() });
                }
            }
        }
        let steps = self.sequence.steps.iter().enumerate();
        let calls = steps.filter(|(at, _)| self.is_call[*at]);
        let calls = calls.map(|(at, step)| (at, subject.path(step.op))).collect();
        let sequence = self.sequence;
        (!claims.is_empty()).then_some(Regression { sequence, calls, claims })
    }
}

/// The objects that a step changed or made, with their types.
fn objects_changed_by(
    manifest: &Manifest,
    place: u32,
    step: &Step,
    seen: &Observation,
) -> BTreeMap<ObjRef, TypeId> {
    let operands = seen.objects.iter().filter_map(|object| {
        let Some(Arg::Object(at)) = step.args.get(object.operand as usize) else { return None };
        (object.after? != object.before).then_some((*at, object.ty))
    });
    let made = objects_made_by(manifest, place as usize, seen).into_iter().zip(&seen.made);
    operands.chain(made.map(|((at, _), (ty, _))| (at, *ty))).collect()
}

/// Operations that only ask an object of this type something.
fn plain_queries_of(choice: QueryChoice<'_>, ty: TypeId) -> Vec<OpId> {
    let asks = |params: &[ManifestParam]| matches!(params, [ManifestParam::Object(of, Mode::Ref)] if *of == ty);
    queries_with_parameters(choice, ty, asks)
}

/// Queries of an object about what the call was given.
fn on_arguments(subject: &SubjectModel, ty: TypeId, object: ObjRef, call: &Step) -> Vec<Step> {
    let params = subject.params(call.op);
    let plain = params.iter().zip(&call.args).filter_map(|(param, arg)| match (param, arg) {
        (ManifestParam::Plain(key), Arg::Plain(value)) if is_readable(value) => Some((key, arg)),
        _ => None,
    });
    let given: Vec<(&PlainType, &Arg)> = plain.collect();
    let fits = |params: &[ManifestParam]| match params {
        [ManifestParam::Object(of, Mode::Ref), ManifestParam::Plain(key)] => {
            *of == ty && given.iter().any(|(known, _)| *known == key)
        }
        _ => false,
    };
    // A wanted query was asked without arguments already, if it can be.
    let choice = QueryChoice { subject, wanted: &BTreeSet::new() };
    let ops = queries_with_parameters(choice, ty, fits)
        .into_iter()
        .filter(|op| takes_a_value(subject, *op));
    let step = |op: OpId| {
        let ManifestParam::Plain(key) = subject.params(op).get(1)? else { return None };
        let (_, arg) = given.iter().find(|(known, _)| *known == key)?;
        Some(Step::new(op, vec![Arg::Object(object), (*arg).clone()]))
    };
    ops.filter_map(step).take(ON_ARGUMENTS).collect()
}

/// True if no operand besides the receiver is a function or an iterator.
fn takes_a_value(subject: &SubjectModel, op: OpId) -> bool {
    let is_value = |ty: &Ty| !matches!(ty, Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque);
    let params = subject.operation(op).map_or(&[][..], |operation| &operation.params);
    params.iter().skip(1).all(|param| is_value(param.ty.referent()))
}

/// Queries with such parameters that make no object and whose results are the subject's own, neither
/// impure nor random.
fn queries_with_parameters(
    QueryChoice { subject, wanted }: QueryChoice<'_>,
    ty: TypeId,
    fits: impl Fn(&[ManifestParam]) -> bool,
) -> Vec<OpId> {
    let manifest = subject.manifest();
    let views = manifest.types.get(ty.0 as usize).map_or(&[][..], |ty| &ty.queries);
    let is_left_out = |name: &str| {
        (name == OTHERS_DECIDE && !wanted.contains(name))
            || views.iter().any(|view| view.name == name && !view.active)
    };
    let ops = (0..).map(OpId).zip(&manifest.ops).filter(|(op, entry)| {
        let operation = subject.operation(*op);
        entry.role != Role::Drop
            && entry.makes.is_empty()
            && fits(&entry.params)
            && operation
                .is_some_and(|it| it.kind == OpKind::Query && !is_left_out(&it.callable.name))
    });
    ops.map(|(op, _)| op).collect()
}
