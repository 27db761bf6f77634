//! What the subject's examples say, as sequences of the harness's operations. A name means the
//! first operation that it fits and that takes what is passed; what means nothing is left out,
//! with all that depends on it.

mod example_values;
mod std_names;

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::{Callee, Operation},
    example::{Example, Statement, Term},
    ty::{Ty, last_segment, parent_segment},
};
use gainsay_wire::{Arg, ManifestParam, Mode, ObjRef, OpId, Sequence, Step, TypeId, Value};

use crate::subject_model::SubjectModel;

/// A longer sequence is cut: nested calls make many steps of one statement.
// Exploration goes on from these sequences, and each of their steps is made in every epoch that
// starts with one.
const MOST_STEPS: usize = 40;
/// A name may fit several instantiations of a type; each example is read so many ways.
// More readings of one example would crowd out the others.
const READINGS: usize = 3;

/// Sequences made of examples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Furniture {
    /// The number of examples that gave at least one.
    pub examples: usize,
    /// In the order of the examples, none twice.
    pub sequences: Vec<Sequence>,
}

/// Reads examples as calls of the operations that are there.
pub fn furniture(examples: &[Example], subject: &SubjectModel) -> Furniture {
    let index = Index::new(subject);
    let mut furniture = Furniture::default();
    let mut known = BTreeSet::new();
    for example in examples {
        let mut said_something = false;
        for reading in 0..READINGS {
            let sequence = Reader::new(&index, reading).read_example(example);
            said_something |= is_telling(&sequence);
            // Examples of one type repeat each other's first lines.
            if is_telling(&sequence) && known.insert(gainsay_wire::to_bytes(&sequence)) {
                furniture.sequences.push(sequence);
            }
        }
        furniture.examples += usize::from(said_something);
    }
    furniture
}

/// A single call without arguments is made often enough without being told.
fn is_telling(sequence: &Sequence) -> bool {
    sequence.steps.iter().any(|step| !step.args.is_empty())
}

/// Operations by the last word of their names.
struct Index<'g> {
    subject: &'g SubjectModel,
    /// The operation that copies an object of a type.
    clones: BTreeMap<TypeId, OpId>,
    named: BTreeMap<&'g str, Vec<(OpId, &'g Operation)>>,
}

impl<'g> Index<'g> {
    fn new(subject: &'g SubjectModel) -> Index<'g> {
        let mut named: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let mut clones = BTreeMap::new();
        for op in (0..).map(OpId).take(subject.manifest().ops.len()) {
            let Some(operation) = subject.operation(op) else { continue };
            if let Some(name) = callee_name(&operation.callee) {
                named.entry(name).or_default().push((op, operation));
            }
            if let [ManifestParam::Object(ty, Mode::Ref)] = subject.params(op)
                && subject.makes(op) == [*ty]
                && callee_name(&operation.callee) == Some("clone")
            {
                clones.entry(*ty).or_insert(op);
            }
        }
        Index { subject, clones, named }
    }

    fn operations_named(&self, name: &str) -> &[(OpId, &'g Operation)] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }
}

fn callee_name(callee: &Callee) -> Option<&str> {
    match callee {
        Callee::Inherent { name, .. } | Callee::Trait { name, .. } => Some(name),
        Callee::Function { path, .. } | Callee::Literal { path } => Some(last_segment(path)),
        Callee::Part { .. } => None,
    }
}

/// The result of reading an expression.
#[derive(Clone, Debug)]
enum Meaning {
    /// A value with no names left in it.
    Plain(Term),
    /// Objects that a step made.
    Objects(Vec<(ObjRef, TypeId)>),
    /// Not known.
    Unknown,
}

/// Reads one example.
struct Reader<'i, 'g> {
    index: &'i Index<'g>,
    reading: usize,
    variables: BTreeMap<String, Meaning>,
    steps: Vec<Step>,
}

impl<'i, 'g> Reader<'i, 'g> {
    fn new(index: &'i Index<'g>, reading: usize) -> Reader<'i, 'g> {
        Reader { index, reading, variables: BTreeMap::new(), steps: Vec::new() }
    }

    fn read_example(mut self, example: &Example) -> Sequence {
        for statement in &example.statements {
            self.read_statement(statement);
        }
        Sequence { steps: self.steps }
    }

    fn read_statement(&mut self, statement: &Statement) {
        let meaning = self.read_term(&statement.value, statement.ty.as_deref());
        let several = statement.names.len() > 1;
        for (at, name) in statement.names.iter().enumerate() {
            let part = match &meaning {
                Meaning::Plain(Term::Tuple(items)) if several => {
                    items.get(at).cloned().map(Meaning::Plain)
                }
                Meaning::Objects(made) if several => {
                    made.get(at).map(|made| Meaning::Objects(vec![*made]))
                }
                whole if !several => Some(whole.clone()),
                _ => None,
            };
            // Also when it is unknown: the name must not keep the meaning that it had before.
            self.variables.insert(name.clone(), part.unwrap_or(Meaning::Unknown));
        }
    }

    /// Makes the calls in an expression; `hint` names the type that is wanted.
    fn read_term(&mut self, term: &Term, hint: Option<&str>) -> Meaning {
        match term {
            Term::Name(path) => self.read_path(path),
            Term::Call { path, args } => {
                let args: Vec<Meaning> = args.iter().map(|arg| self.read_term(arg, None)).collect();
                self.call_function(path, &args, hint)
                    .unwrap_or_else(|| std_names::read_call(path, &args))
            }
            Term::Struct { path, fields } => self.read_literal(path, fields),
            Term::Method { receiver, name, of, args } => {
                let receiver = self.read_term(receiver, None);
                let args = args.iter().map(|arg| self.read_term(arg, None));
                let args: Vec<Meaning> = std::iter::once(receiver).chain(args).collect();
                self.call_method(name, &args, of.as_deref().or(hint))
            }
            Term::Seq(items) => self.plain_all(items, Term::Seq),
            Term::Tuple(items) => self.plain_all(items, Term::Tuple),
            Term::Range { from, to } => {
                let ends = [from, to].map(|end| {
                    end.as_deref().map(|end| match self.read_term(end, None) {
                        Meaning::Plain(term) => Box::new(term),
                        _ => Box::new(Term::Unknown),
                    })
                });
                let [from, to] = ends;
                Meaning::Plain(Term::Range { from, to })
            }
            Term::Unknown => Meaning::Unknown,
            literal => Meaning::Plain(literal.clone()),
        }
    }

    fn plain_all(&mut self, items: &[Term], build: fn(Vec<Term>) -> Term) -> Meaning {
        let items: Vec<Meaning> = items.iter().map(|item| self.read_term(item, None)).collect();
        let plain = items.into_iter().map(|item| match item {
            Meaning::Plain(term) => Some(term),
            _ => None,
        });
        let plain: Option<Vec<Term>> = plain.collect();
        plain.map_or(Meaning::Unknown, |items| Meaning::Plain(build(items)))
    }

    fn read_path(&mut self, path: &[String]) -> Meaning {
        if let [name] = path
            && let Some(known) = self.variables.get(name)
        {
            return known.clone();
        }
        self.call_function(path, &[], None).unwrap_or_else(|| std_names::read_constant(path))
    }

    fn call_function(
        &mut self,
        path: &[String],
        args: &[Meaning],
        hint: Option<&str>,
    ) -> Option<Meaning> {
        let name = path.last()?;
        let index = self.index;
        let named = index.operations_named(name).iter();
        let fitting = named.filter(|(_, operation)| is_called(operation, path, hint));
        self.call_fitting(fitting.copied(), args)
    }

    fn read_literal(&mut self, path: &[String], fields: &[(String, Term)]) -> Meaning {
        let Some(name) = path.last() else { return Meaning::Unknown };
        let given: Vec<(&str, Meaning)> =
            fields.iter().map(|(name, term)| (name.as_str(), self.read_term(term, None))).collect();
        let index = self.index;
        for (op, operation) in index.operations_named(name).iter().copied() {
            let Callee::Literal { .. } = operation.callee else { continue };
            let by_name = operation.params.iter().map(|param| {
                let found = given.iter().find(|(name, _)| *name == param.name);
                found.map(|(_, meaning)| meaning.clone())
            });
            if let Some(args) = by_name.collect::<Option<Vec<Meaning>>>()
                && is_called(operation, path, None)
                && let Some(made) = self.call_fitting([(op, operation)].into_iter(), &args)
            {
                return made;
            }
        }
        Meaning::Unknown
    }

    fn call_method(&mut self, name: &str, args: &[Meaning], hint: Option<&str>) -> Meaning {
        let index = self.index;
        let is_method = |operation: &Operation| operation.receiver().is_some();
        let named = index.operations_named(name).iter().copied();
        if let Some(made) = self.call_fitting(named.filter(|(_, found)| is_method(found)), args) {
            return made;
        }
        // `"..".parse()` and `x.into()` are other methods than the subject writes.
        if let (Some(written), Some(hint)) = (std_names::method_called_by_std(name), hint) {
            let named = index.operations_named(written).iter().copied();
            let wanted = |operation: &Operation| owner_name(&operation.callee) == Some(hint);
            if let Some(made) = self.call_fitting(named.filter(|(_, found)| wanted(found)), args) {
                return made;
            }
        }
        std_names::read_method(name, args)
    }

    /// Calls one of several operations that takes these arguments.
    fn call_fitting(
        &mut self,
        operations: impl Iterator<Item = (OpId, &'g Operation)>,
        args: &[Meaning],
    ) -> Option<Meaning> {
        let mut fitting: Vec<(OpId, Vec<Arg>)> = Vec::new();
        for (op, operation) in operations.filter(|(_, found)| found.params.len() == args.len()) {
            fitting.extend(self.fit_arguments(op, operation, args).map(|args| (op, args)));
            // A reading takes the fit of its own number, or the last one.
            if fitting.len() > self.reading {
                break;
            }
        }
        let (op, mut args) = fitting.pop()?;
        if self.steps.len() >= MOST_STEPS {
            return None;
        }
        self.copy_used_up(op, &mut args);
        let step = u32::try_from(self.steps.len()).ok()?;
        self.steps.push(Step::new(op, args));
        let made = (0..).zip(self.index.subject.makes(op));
        let made: Vec<_> = made.map(|(out, ty)| (ObjRef { step, out }, *ty)).collect();
        Some(if made.is_empty() { Meaning::Unknown } else { Meaning::Objects(made) })
    }

    /// Passes copies of what a call uses up: types may be `Copy`, and an example may go on with
    /// the original.
    fn copy_used_up(&mut self, op: OpId, args: &mut [Arg]) {
        let subject = self.index.subject;
        for (param, arg) in subject.params(op).iter().zip(args) {
            if let (ManifestParam::Object(ty, mode), Arg::Object(object)) = (param, arg)
                && mode.consumes()
                && let Some(clone) = self.index.clones.get(ty)
                && let Ok(step) = u32::try_from(self.steps.len())
            {
                self.steps.push(Step::new(*clone, vec![Arg::Object(*object)]));
                *object = ObjRef { step, out: 0 };
            }
        }
    }

    fn fit_arguments(&self, op: OpId, operation: &Operation, args: &[Meaning]) -> Option<Vec<Arg>> {
        let offered = self.index.subject.manifest().ops.get(op.0 as usize)?;
        let mut slots = offered.names.iter().zip(&offered.params).peekable();
        let mut passed = Vec::new();
        for (param, arg) in operation.params.iter().zip(args) {
            // A parameter without a slot is made up by the harness.
            let Some((_, slot)) = slots.next_if(|(name, _)| **name == param.name) else { continue };
            passed.push(fit_argument(slot, &param.ty, arg)?);
            let more = format!("{}_1", param.name);
            // The harness splits the parameter over several slots, and an example says nothing about that.
            if slots.peek().is_some_and(|(name, _)| **name == more) {
                return None;
            }
        }
        (passed.len() == offered.params.len()).then_some(passed)
    }
}

/// Returns the argument for a slot, if the value fits.
fn fit_argument(slot: &ManifestParam, ty: &Ty, arg: &Meaning) -> Option<Arg> {
    match (slot, arg) {
        (ManifestParam::Object(wanted, _), Meaning::Objects(made)) => {
            made.iter().find(|(_, ty)| ty == wanted).map(|(object, _)| Arg::Object(*object))
        }
        (ManifestParam::Object(_, mode), Meaning::Plain(term)) => {
            (mode.is_optional() && std_names::is_none(term)).then(|| Arg::Plain(Value::none()))
        }
        (ManifestParam::Plain(_), Meaning::Plain(term)) => {
            example_values::value_of_term(term, ty).map(Arg::Plain)
        }
        _ => None,
    }
}

/// True if a path in an example means this operation.
fn is_called(operation: &Operation, path: &[String], hint: Option<&str>) -> bool {
    let Some((_, before)) = path.split_last() else { return false };
    let last = before.last().map(String::as_str);
    match &operation.callee {
        Callee::Inherent { .. } => last.is_some() && owner_name(&operation.callee) == last,
        Callee::Trait { path: of, .. } => {
            let own = owner_name(&operation.callee);
            // `Default::default()` says the type by what is wanted only.
            let by_trait = Some(last_segment(of)) == last;
            last.is_some() && (own == last || (by_trait && (hint.is_none() || own == hint)))
        }
        Callee::Function { path: of, .. } | Callee::Literal { path: of } => {
            last.is_none() || parent_segment(of) == last
        }
        Callee::Part { .. } => false,
    }
}

/// The name of the type that an operation belongs to.
fn owner_name(callee: &Callee) -> Option<&str> {
    match callee {
        Callee::Inherent { ty, .. } | Callee::Trait { ty, .. } => match ty.referent() {
            Ty::Path { path, .. } => Some(last_segment(path)),
            Ty::Prim(name) => Some(name),
            _ => None,
        },
        Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => None,
    }
}

#[cfg(test)]
mod tests;
