//! Ends of loans, spelt out: where a worker drops a borrower because what it borrows from is needed,
//! a reader of the sequence wants to see a step that says so.

use std::collections::BTreeMap;

use gainsay_wire::{
    Arg, Loans, Manifest, ManifestOp, ManifestParam, Mode, ObjRef, OpId, Party, Role, Sequence,
    Step, TypeId,
};

/// The same sequence with a step for each borrower that ends because it stands in the way of a
/// later step.
pub(crate) fn spelt_out(sequence: &Sequence, manifest: &Manifest) -> Sequence {
    let mut scribe = Scribe { manifest, loans: Loans::default(), objects: BTreeMap::new() };
    let mut written = Sequence::default();
    let mut places: Vec<u32> = Vec::new();
    for step in &sequence.steps {
        let moved = step.renumber_with(|step| places.get(step as usize).copied());
        let Some(moved) = moved else { return sequence.clone() };
        for end in scribe.ends_before(&moved) {
            scribe.follow_step(&end, next(&written));
            written.steps.push(end);
        }
        places.push(next(&written));
        scribe.follow_step(&moved, next(&written));
        written.steps.push(moved);
    }
    written
}

/// The same sequence with all that borrows from the operands of its last step ended before that
/// step; `None` when nothing does.
pub(crate) fn released(sequence: &Sequence, manifest: &Manifest) -> Option<Sequence> {
    let (last, before) = sequence.steps.split_last()?;
    let mut scribe = Scribe { manifest, loans: Loans::default(), objects: BTreeMap::new() };
    for (number, step) in (0..).zip(before) {
        scribe.follow_step(step, number);
    }
    let parties = scribe.parties_of(last);
    let sources = |party: &Party| {
        let taken = scribe.loans.taken_by(party.object).iter().map(|loan| loan.of);
        taken.chain([party.object]).collect::<Vec<_>>()
    };
    let mut holders: Vec<u32> = Vec::new();
    for of in parties.iter().flat_map(sources) {
        let dependents = scribe.loans.dependents_of(of).into_iter().rev();
        let apart = |object: &u32| parties.iter().all(|party| party.object != *object);
        let new: Vec<u32> = dependents.filter(apart).filter(|o| !holders.contains(o)).collect();
        holders.extend(new);
    }
    let ends: Vec<Step> = holders.into_iter().filter_map(|object| scribe.end_of(object)).collect();
    let steps = before.iter().cloned().chain(ends.clone()).chain([last.clone()]).collect();
    (!ends.is_empty()).then_some(Sequence { steps })
}

fn next(sequence: &Sequence) -> u32 {
    u32::try_from(sequence.steps.len()).expect("sequences are short")
}

/// Knows who borrows from whom at a point of a sequence.
struct Scribe<'a> {
    manifest: &'a Manifest,
    loans: Loans,
    /// Objects by the numbers that loans know them by.
    objects: BTreeMap<ObjRef, (u32, TypeId)>,
}

impl Scribe<'_> {
    fn entry_of(&self, step: &Step) -> Option<&ManifestOp> {
        self.manifest.ops.get(step.op.0 as usize)
    }

    fn type_borrows(&self, ty: TypeId) -> bool {
        self.manifest.types.get(ty.0 as usize).is_some_and(|ty| ty.borrows)
    }

    fn parties_of(&self, step: &Step) -> Vec<Party> {
        let Some(op) = self.entry_of(step) else { return Vec::new() };
        let party = |(arg, param): (&Arg, &ManifestParam)| match (arg, param) {
            (Arg::Object(at), ManifestParam::Object(ty, mode)) => {
                let (object, _) = *self.objects.get(at)?;
                let ty = self.manifest.types.get(ty.0 as usize)?;
                Some(Party { object, mode: *mode, borrows: ty.borrows, locks: ty.locks })
            }
            _ => None,
        };
        step.args.iter().zip(&op.params).filter_map(party).collect()
    }

    /// The steps that end what stands in the way.
    fn ends_before(&self, step: &Step) -> Vec<Step> {
        let blocking = self.loans.borrowers_to_end(&self.parties_of(step)).unwrap_or_default();
        blocking.into_iter().filter_map(|object| self.end_of(object)).collect()
    }

    fn end_of(&self, object: u32) -> Option<Step> {
        let (at, (_, ty)) = self.objects.iter().find(|(_, (number, _))| *number == object)?;
        let drops = |op: &&ManifestOp| {
            op.role == Role::Drop && op.params == [ManifestParam::Object(*ty, Mode::Own)]
        };
        let op = self.manifest.ops.iter().position(|op| drops(&op))?;
        Some(Step::new(OpId(u32::try_from(op).ok()?), vec![Arg::Object(*at)]))
    }

    /// Notes what a step does to loans.
    fn follow_step(&mut self, step: &Step, number: u32) {
        let Some(op) = self.entry_of(step).cloned() else { return };
        let parties = self.parties_of(step);
        let mut made = Vec::new();
        for (out, ty) in (0..).zip(&op.makes) {
            let object = u32::try_from(self.objects.len()).expect("sequences are short");
            self.objects.insert(ObjRef { step: number, out }, (object, *ty));
            made.extend(self.type_borrows(*ty).then_some(object));
        }
        self.loans.note_call(&parties, &made, op.lending);
        for party in parties.iter().filter(|party| party.mode.consumes()) {
            self.loans.end_loans(party.object);
        }
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Lending, ManifestType};

    use super::*;

    const LIST: TypeId = TypeId(0);
    const ITER: TypeId = TypeId(1);

    fn manifest() -> Manifest {
        let op = |params: &[ManifestParam], makes: &[TypeId], lending, role| ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: String::new(),
            names: vec!["self".to_owned(); params.len()],
            params: params.to_vec(),
            makes: makes.to_vec(),
            lending,
            role,
        };
        let ty = |borrows| ManifestType {
            name: String::new(),
            queries: vec![],
            can_clone: false,
            borrows,
            locks: false,
        };
        let takes = |ty, mode| [ManifestParam::Object(ty, mode)];
        let ops = vec![
            op(&[], &[LIST], Lending::Inherited, Role::Command),
            op(&takes(LIST, Mode::Ref), &[ITER], Lending::Operands, Role::Command),
            op(&takes(LIST, Mode::Mut), &[], Lending::Inherited, Role::Command),
            op(&takes(ITER, Mode::Own), &[], Lending::Inherited, Role::Drop),
        ];
        Manifest { types: vec![ty(false), ty(true)], ops }
    }

    fn step(op: u32, objects: &[u32]) -> Step {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 })).collect();
        Step::new(OpId(op), args)
    }

    fn check(before: &[Step], after: &[Step]) {
        let sequence = Sequence { steps: before.to_vec() };
        assert_eq!(spelt_out(&sequence, &manifest()).steps, after);
    }

    #[test]
    fn a_borrower_in_the_way_gets_a_step_for_its_end_and_later_steps_move() {
        check(
            &[step(0, &[]), step(1, &[0]), step(2, &[0]), step(1, &[0]), step(2, &[0])],
            &[
                step(0, &[]),
                step(1, &[0]),
                step(3, &[1]),
                step(2, &[0]),
                step(1, &[0]),
                step(3, &[4]),
                step(2, &[0]),
            ],
        );
    }

    #[test]
    fn what_holds_an_operand_of_the_last_step_can_be_let_go() {
        let held = Sequence { steps: vec![step(0, &[]), step(1, &[0]), step(1, &[0])] };
        let freed = released(&held, &manifest()).unwrap();
        assert_eq!(freed.steps, [step(0, &[]), step(1, &[0]), step(3, &[1]), step(1, &[0])]);
        let alone = Sequence { steps: vec![step(0, &[]), step(2, &[0])] };
        assert_eq!(released(&alone, &manifest()), None);
    }

    #[test]
    fn what_ended_already_or_is_not_in_the_way_stays_as_it_is() {
        let ended = [step(0, &[]), step(1, &[0]), step(3, &[1]), step(2, &[0])];
        check(&ended, &ended);
        let shared = [step(0, &[]), step(1, &[0]), step(1, &[0])];
        check(&shared, &shared);
    }
}
