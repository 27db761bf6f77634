//! A machine without processes: small containers in plain Rust, told apart by the names of the
//! operations and queries in their manifest.

use gainsay_wire::{
    Arg, Ask, Digest, Finding, KeptCall, Manifest, ManifestOp, ManifestParam, ManifestQuery, Mode,
    ObjRef, ObjectState, Observation, Oracle, Outcome, PanicPlace, Root, RunReport, RunTask,
    Sequence, StateId, StateRecord, Step, StepReport, Term, TypeId, Value, When, to_bytes,
};

use crate::manifests::{make_op, make_query, make_type, object, plain};

/// The only type of object.
const THING: TypeId = TypeId(0);

/// One object: a list of numbers, a tree node with a cursor, whatever the operations make of it.
#[derive(Clone, Debug, Default)]
struct Thing {
    items: Vec<i64>,
    off: bool,
    parent: i64,
    /// The step that made it: two objects are the same exactly when this is.
    identity: i64,
}

/// Runs sequences on things.
pub struct ToyMachine {
    /// The operations and queries that it was asked for.
    pub manifest: Manifest,
}

impl ToyMachine {
    /// A machine with these queries and operations, such as `is_empty` and `Set::insert`.
    pub fn new(ty: &str, queries: &[&str], ops: &[&str]) -> ToyMachine {
        let queries = queries.iter().map(|name| query(name)).collect();
        let ops = ops.iter().map(|name| operation(name)).collect();
        ToyMachine { manifest: Manifest { types: vec![make_type(ty, queries)], ops } }
    }

    /// Every call of a sequence with the recipe that leads to it.
    pub fn calls(&self, sequence: &Sequence) -> (Vec<StateRecord>, Vec<KeptCall>) {
        let report = self.interpret(&RunTask {
            sequence: sequence.clone(),
            views: true,
            laws: false,
            asks: Vec::new(),
        });
        let call = |(i, step): (usize, StepReport)| KeptCall {
            observation: step.observation.unwrap(),
            recipe: Sequence { steps: sequence.steps[..=i].to_vec() },
        };
        (report.states, report.steps.into_iter().enumerate().map(call).collect())
    }

    /// Runs a sequence: what is seen of each call, and the answers to questions in the end.
    pub fn interpret(&self, task: &RunTask) -> RunReport {
        let mut report = RunReport::default();
        let mut things: Vec<Option<Thing>> = Vec::new();
        for step in &task.sequence.steps {
            let before = things.clone();
            let name = self.manifest.ops[step.op.0 as usize].function_name();
            let result = execute(name, step, &mut things);
            let made = matches!(result, Ok(Value::Object));
            if !made {
                things.push(None);
            }
            let outcome = match &result {
                Ok(_) => Outcome::Returned,
                Err(place) => Outcome::Panicked(place.clone()),
            };
            let objection = match &result {
                Err(place) => Some(Oracle::Panic(place.clone())),
                Ok(_) if name == "unlawful" => Some(Oracle::Law(gainsay_wire::LawId::SeqIsSorted)),
                Ok(_) => None,
            };
            report.findings.extend(objection.map(|oracle| Finding {
                oracle,
                op: step.op,
                about: None,
                message: String::new(),
                recipe: Sequence::default(),
            }));
            let scene = Scene { step, before: &before, after: &things, made };
            let observation = self.observe(&scene, &result, &outcome, &mut report.states);
            report.steps.push(StepReport { outcome, observation: Some(observation) });
        }
        let ask = |ask: &Ask| {
            let (on, with) = (thing(&things, ask.on), thing(&things, ask.with));
            evaluate(&ask.query, on, Some(Ok(with)))
        };
        report.answers = task.asks.iter().map(ask).collect();
        report
    }

    fn observe(
        &self,
        scene: &Scene<'_>,
        result: &Result<Value, PanicPlace>,
        outcome: &Outcome,
        states: &mut Vec<StateRecord>,
    ) -> Observation {
        let returned = outcome.returned();
        let value = |term: &Term| match (term.when, term.root) {
            (When::After, _) if !returned => Value::Undefined,
            (_, Root::Result) => result.clone().unwrap_or(Value::Undefined),
            (_, Root::Made(_)) => evaluate(
                term.query.as_ref().unwrap(),
                scene.after.last().unwrap().as_ref().unwrap(),
                None,
            ),
            (when, Root::Operand(on)) => scene.term(when, on, term),
        };
        let vocabulary = self.manifest.vocabulary(scene.step.op);
        let values = vocabulary.terms().iter().map(value).collect();
        let mut see = |thing: &Thing| {
            let unary =
                self.manifest.state_queries(THING).map(|query| evaluate(&query.name, thing, None));
            let values: Vec<Value> = unary.collect();
            let state = StateId(Digest::of_bytes(&to_bytes(&values)));
            states.push(StateRecord { state, ty: THING, values });
            state
        };
        let mut objects = Vec::new();
        for (i, at) in scene.step.objects() {
            let before = see(thing(scene.before, at));
            let after = returned.then(|| see(thing(scene.after, at)));
            let operand = u32::try_from(i).unwrap();
            objects.push(ObjectState { operand, ty: THING, before, after });
        }
        let made = scene.after.last().unwrap().iter().filter(|_| scene.made);
        let made = made.map(|thing| (THING, see(thing))).collect();
        Observation {
            op: scene.step.op,
            outcome: outcome.clone(),
            values,
            objects,
            made,
            freed: Vec::new(),
        }
    }
}

struct Scene<'a> {
    step: &'a Step,
    before: &'a [Option<Thing>],
    after: &'a [Option<Thing>],
    made: bool,
}

impl Scene<'_> {
    fn term(&self, when: When, on: u32, term: &Term) -> Value {
        let things = if when == When::Before { self.before } else { self.after };
        let operand = |i: u32| match &self.step.args[i as usize] {
            Arg::Object(at) => Ok(thing(things, *at)),
            Arg::Plain(value) => Err(value),
        };
        match operand(on) {
            Ok(on) => evaluate(term.query.as_ref().unwrap(), on, term.with.map(operand)),
            Err(value) => value.clone(),
        }
    }
}

fn thing(things: &[Option<Thing>], at: ObjRef) -> &Thing {
    things[at.step as usize].as_ref().unwrap()
}

fn query(name: &str) -> ManifestQuery {
    let param = match name {
        "is_disjoint" | "==" | "is_sibling" | "has" => Some(object(THING, Mode::Ref)),
        "contains" => Some(plain("i64")),
        _ => None,
    };
    make_query(name, param)
}

fn operation(name: &str) -> ManifestOp {
    let thing = |mode| object(THING, mode);
    let (params, makes): (Vec<(&str, ManifestParam)>, &[TypeId]) =
        match name.rsplit("::").next().unwrap() {
            "new" => (vec![], &[THING]),
            "node" => (vec![("parent", plain("i64"))], &[THING]),
            "insert" | "push" => (vec![("self", thing(Mode::Mut)), ("value", plain("i64"))], &[]),
            "at" => (vec![("self", thing(Mode::Ref)), ("index", plain("usize"))], &[]),
            "start" | "wipe_out" => (vec![("self", thing(Mode::Mut))], &[]),
            _ => (vec![("self", thing(Mode::Mut)), ("other", thing(Mode::Ref))], &[]),
        };
    make_op(name, &params, makes)
}

fn evaluate(query: &str, on: &Thing, with: Option<Result<&Thing, &Value>>) -> Value {
    if let ("contains", Some(Err(Value::Int(value)))) = (query, with) {
        return Value::Bool(on.items.iter().any(|item| i128::from(*item) == *value));
    }
    let with = with.and_then(Result::ok);
    Value::Bool(match (query, with) {
        ("is_empty", _) => on.items.is_empty(),
        ("off", _) => on.off,
        ("len", _) => return Value::Int(i128::try_from(on.items.len()).unwrap()),
        ("seq", _) => {
            let item = |item: &i64| Value::Int(i128::from(*item));
            return Value::Seq(on.items.iter().map(item).collect());
        }
        ("==", Some(with)) => on.items == with.items,
        ("is_disjoint", Some(with)) => !on.items.iter().any(|item| with.items.contains(item)),
        ("is_sibling", Some(with)) => on.parent == with.parent,
        ("has", Some(with)) => on.items.contains(&with.identity),
        _ => return Value::Undefined,
    })
}

/// Makes one call. An operation that makes an object pushes it and returns `Value::Object`.
fn execute(name: &str, step: &Step, things: &mut Vec<Option<Thing>>) -> Result<Value, PanicPlace> {
    let identity = i64::try_from(things.len()).unwrap();
    let number = |i: usize| match step.args.get(i) {
        Some(Arg::Plain(Value::Int(value))) => i64::try_from(*value).unwrap_or(i64::MAX),
        _ => 0,
    };
    let at = |i: usize| match step.args.get(i) {
        Some(Arg::Object(at)) => at.step as usize,
        _ => 0,
    };
    let other = things.get(at(1)).cloned().flatten().unwrap_or_default();
    if matches!(name, "new" | "node") {
        let (off, parent) = (name == "node", number(0));
        things.push(Some(Thing { items: Vec::new(), off, parent, identity }));
        return Ok(Value::Object);
    }
    let on = things[at(0)].as_mut().unwrap();
    match name {
        "insert" if on.items.contains(&number(1)) => {}
        "insert" | "push" => {
            on.items.push(number(1));
            on.items.sort_unstable();
        }
        "start" => on.off = false,
        "wipe_out" => on.items.clear(),
        "merge" | "append" => on.items.extend(other.items),
        "unite" => {
            on.items.extend(other.items);
            on.items.sort_unstable();
            on.items.dedup();
        }
        "extend" => on.items.push(other.identity),
        "graft" | "bad_graft" if on.off => return Err(panic_at(1, false)),
        "bad_graft" if on.parent == other.parent => return Err(panic_at(2, true)),
        "at" => {
            let index = usize::try_from(number(1)).unwrap();
            let item = on.items.get(index).ok_or_else(|| panic_at(3, false))?;
            return Ok(Value::Int(i128::from(*item)));
        }
        _ => {}
    }
    Ok(Value::Unit)
}

fn panic_at(line: u32, changed: bool) -> PanicPlace {
    PanicPlace { file: "src/lib.rs".into(), line, message: "no".into(), changed }
}
