//! Calls that look at objects, in place of views: a test has none.

use gainsay_wire::{
    Arg, ManifestOp, ManifestParam, Mode, ObjRef, OpId, Role, Sequence, Step, TypeId,
};

use crate::subject_model::SubjectModel;

/// The number of calls tried that look at objects.
const MOST_QUESTIONS: usize = 64;

/// The sequence with a look at one of its objects afterwards, the latest first.
pub(crate) fn questions(subject: &SubjectModel, sequence: &Sequence) -> Vec<Sequence> {
    with_looks_before(
        subject,
        sequence,
        &objects_latest_first(subject, sequence),
        sequence.steps.len(),
    )
}

/// The sequence with a look at an operand of the last step before that step: looking may be what
/// breaks the object.
pub(crate) fn questions_before(subject: &SubjectModel, sequence: &Sequence) -> Vec<Sequence> {
    let Some(last) = sequence.steps.last() else { return Vec::new() };
    let operands: Vec<ObjRef> = last.objects().map(|(_, at)| at).collect();
    with_looks_before(subject, sequence, &operands, sequence.steps.len() - 1)
}

/// The sequence with a look at one of these objects before the step of this number. No later step
/// may use what a step makes that moves.
fn with_looks_before(
    subject: &SubjectModel,
    sequence: &Sequence,
    objects: &[ObjRef],
    at: usize,
) -> Vec<Sequence> {
    let number = u32::try_from(at).expect("sequences are short");
    let mut all = Vec::new();
    for object in objects {
        for look in ways_to_look(subject, sequence, *object) {
            let mut asked = sequence.clone();
            asked.steps.splice(at..at, look.steps_of_look(*object, number));
            all.push(asked);
        }
    }
    all.truncate(MOST_QUESTIONS);
    all
}

/// A call that takes nothing but one object by `&`, and the call that steps what it gives, if that
/// can be stepped.
struct Look {
    query: OpId,
    step: Option<OpId>,
}

impl Look {
    fn steps_of_look(&self, object: ObjRef, number: u32) -> Vec<Step> {
        let given = ObjRef { step: number, out: 0 };
        let stepped = self.step.map(|op| Step::new(op, vec![Arg::Object(given)]));
        let asked = Step::new(self.query, vec![Arg::Object(object)]);
        std::iter::once(asked).chain(stepped).collect()
    }
}

/// All ways to look at an object: plain ones first.
fn ways_to_look(subject: &SubjectModel, sequence: &Sequence, object: ObjRef) -> Vec<Look> {
    let Some(ty) = subject.type_of(sequence, object) else { return Vec::new() };
    let queries: Vec<(OpId, &ManifestOp)> = ordinary_operations(subject)
        .filter(|(_, op)| op.params == [ManifestParam::Object(ty, Mode::Ref)])
        .collect();
    let stepped = queries.iter().filter_map(|(query, op)| match op.makes[..] {
        [made] => Some(Look { query: *query, step: Some(next_item_call(subject, made)?) }),
        _ => None,
    });
    let plain = queries.iter().map(|(query, _)| Look { query: *query, step: None });
    plain.chain(stepped).collect()
}

/// The call that takes the next item from an iterator.
fn next_item_call(subject: &SubjectModel, ty: TypeId) -> Option<OpId> {
    let is_next = |op: &ManifestOp| {
        op.function_name() == "next" && op.params == [ManifestParam::Object(ty, Mode::Mut)]
    };
    ordinary_operations(subject).find(|(_, op)| is_next(op)).map(|(op, _)| op)
}

fn ordinary_operations(subject: &SubjectModel) -> impl Iterator<Item = (OpId, &ManifestOp)> {
    let ops = (0..).map(OpId).zip(&subject.manifest().ops);
    ops.filter(|(_, op)| op.role != Role::Drop)
}

/// The objects of a sequence: what the last step made, then operands, the latest first.
fn objects_latest_first(subject: &SubjectModel, sequence: &Sequence) -> Vec<ObjRef> {
    let last = (0..).zip(&sequence.steps).last();
    let made = last.into_iter().flat_map(|(step, last)| {
        (0..).take(subject.makes(last.op).len()).map(move |out| ObjRef { step, out })
    });
    let operands = sequence.steps.iter().rev().flat_map(|step| step.objects().map(|(_, at)| at));
    let mut objects: Vec<ObjRef> = Vec::new();
    for object in made.chain(operands) {
        if !objects.contains(&object) {
            objects.push(object);
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{CallableId, Lending, Manifest, ManifestType};

    use super::*;

    const LIST: TypeId = TypeId(0);
    const KEYS: TypeId = TypeId(1);

    fn subject() -> SubjectModel {
        let op = |name: &str, params: &[ManifestParam], makes: &[TypeId]| ManifestOp {
            id: CallableId::method("", name).into(),
            name: name.to_owned(),
            names: vec!["self".to_owned(); params.len()],
            params: params.to_vec(),
            makes: makes.to_vec(),
            lending: Lending::Inherited,
            role: Role::Command,
        };
        let takes = |ty, mode| [ManifestParam::Object(ty, mode)];
        let ty = ManifestType {
            name: String::new(),
            queries: vec![],
            can_clone: false,
            borrows: false,
            locks: false,
        };
        let ops = vec![
            op("new", &[], &[LIST]),
            op("keys", &takes(LIST, Mode::Ref), &[KEYS]),
            op("next", &takes(KEYS, Mode::Mut), &[]),
            op("clear", &takes(LIST, Mode::Mut), &[]),
        ];
        SubjectModel::new(Manifest { types: vec![ty.clone(), ty], ops }, Vec::new(), "/s")
    }

    fn step(op: u32, objects: &[u32]) -> Step {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 })).collect();
        Step::new(OpId(op), args)
    }

    fn check(asked: &[Sequence], expected: &[&[Step]]) {
        let asked: Vec<&[Step]> = asked.iter().map(|sequence| &sequence.steps[..]).collect();
        assert_eq!(asked, expected);
    }

    #[test]
    fn what_the_last_step_made_is_looked_at_and_what_can_be_stepped_is() {
        let made = Sequence { steps: vec![step(0, &[])] };
        check(
            &questions(&subject(), &made),
            &[&[step(0, &[]), step(1, &[0])], &[step(0, &[]), step(1, &[0]), step(2, &[1])]],
        );
    }

    #[test]
    fn the_last_step_stays_the_last_where_looking_comes_before() {
        let cleared = Sequence { steps: vec![step(0, &[]), step(3, &[0])] };
        check(
            &questions_before(&subject(), &cleared),
            &[
                &[step(0, &[]), step(1, &[0]), step(3, &[0])],
                &[step(0, &[]), step(1, &[0]), step(2, &[1]), step(3, &[0])],
            ],
        );
        check(&questions_before(&subject(), &Sequence::default()), &[]);
    }
}
