//! The vocabulary that calibration settles is the one in which findings are judged.

use gainsay_model::fault::Confirmation;
use gainsay_wire::{
    Finding, Lending, Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode,
    Observation, Oracle, Outcome, PanicPlace, Point, QueryStats, Role, RunReport, StepReport,
    TypeId, Value, parse_expr,
};
use gainsay_workers::{Answer, Runner as _};

use super::*;
use crate::{
    Broken, Effort, SubjectModel,
    fake::{Fake, died, epoch, int, obj, sequence},
    judge_broken,
    sequences::loan_ends::spelt_out,
};

fn query(name: &str) -> ManifestQuery {
    ManifestQuery { name: name.to_owned(), param: None, active: true }
}

fn ty(name: &str, queries: Vec<ManifestQuery>, borrows: bool) -> ManifestType {
    ManifestType { name: name.to_owned(), queries, can_clone: false, borrows, locks: false }
}

fn op(name: &str, params: &[(&str, ManifestParam)], makes: &[u32]) -> ManifestOp {
    ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: name.to_owned(),
        names: params.iter().map(|(name, _)| (*name).to_owned()).collect(),
        params: params.iter().map(|(_, param)| param.clone()).collect(),
        makes: makes.iter().map(|ty| TypeId(*ty)).collect(),
        lending: Lending::Inherited,
        role: Role::Command,
    }
}

fn object(mode: Mode) -> ManifestParam {
    ManifestParam::Object(TypeId(0), mode)
}

fn calibrated(manifest: &Manifest, fake: &mut Fake<'_>) -> Campaign {
    let known = manifest.ops.iter().map(|_| None).collect();
    let subject = SubjectModel::new(manifest.clone(), known, "/s");
    let mut campaign = Campaign::new(1, subject, Plan::default());
    campaign.calibrate(fake, &Cancel::new()).unwrap();
    campaign
}

/// A list whose first query changes something by looking, and whose `insert` promises to panic for
/// an index beyond its length, and for nothing else.
fn list() -> Manifest {
    let insert = [("self", object(Mode::Mut)), ("index", ManifestParam::Plain("usize".into()))];
    Manifest {
        types: vec![ty("List", vec![query("counted_looks"), query("len")], false)],
        ops: vec![op("List::new", &[], &[0]), op("List::insert", &insert, &[])],
    }
}

#[test]
fn a_promise_is_judged_in_the_vocabulary_without_the_query_that_calibration_took_out() {
    const INSERT: OpId = OpId(1);
    let (file, message) = ("src/lib.rs".to_owned(), "no such index".to_owned());
    let place = PanicPlace { file, line: 7, message, changed: false };
    let panicked = Outcome::Panicked(place.clone());
    let impure = |task: &EpochTask| {
        let stats = QueryStats { name: "counted_looks".to_owned(), ..QueryStats::default() };
        let queries = vec![QueryStats { evaluated: 9, impure: 1, ..stats }];
        Answer::Done(EpochReport { queries, ..epoch(task) })
    };
    let run = |task: &gainsay_wire::RunTask| {
        let Some(last) = task.sequence.steps.last().filter(|step| step.op == INSERT) else {
            return Answer::Done(RunReport::default());
        };
        let Some(gainsay_wire::Arg::Plain(index)) = last.args.get(1) else { unreachable!() };
        // Workers look with what is settled: `index`, and of `self` the length alone, which is 3.
        let observation = Observation {
            op: INSERT,
            outcome: panicked.clone(),
            values: vec![index.clone(), Value::Int(3), Value::Undefined, Value::Undefined],
            objects: Vec::new(),
            made: Vec::new(),
            freed: Vec::new(),
        };
        let made = StepReport { outcome: Outcome::Returned, observation: None };
        let called = StepReport { outcome: panicked.clone(), observation: Some(observation) };
        let finding = Finding {
            oracle: Oracle::Panic(place.clone()),
            op: INSERT,
            about: None,
            message: String::new(),
            recipe: Sequence::default(),
        };
        let (steps, findings) = (vec![made, called], vec![finding]);
        Answer::Done(RunReport { steps, findings, ..RunReport::default() })
    };
    let mut fake = Fake { epoch: Box::new(impure), manifest: list(), ..Fake::running(run) };
    let campaign = calibrated(&list(), &mut fake);
    assert_eq!(fake.settings.demoted, [(TypeId(0), "counted_looks".to_owned())]);

    let names = fake.manifest.ops[1].operand_names();
    let contract = parse_expr("index <= self.len()", &names, Point::Entry).unwrap();
    let mut judged = |index| {
        let recipe = sequence(&[(OpId(0), &[]), (INSERT, &[obj(0), int(index)])]);
        let oracle = Oracle::Panic(place.clone());
        let broken = Broken { op: INSERT, contract: contract.clone(), oracle, recipe };
        let effort = Effort::default();
        judge_broken(&mut fake, &broken, campaign.ground(), effort, &Cancel::new()).unwrap()
    };
    let fault = judged(2).expect("it panicked although the index is within the length");
    assert_eq!(fault.confirmation, Confirmation::Confirmed);
    assert_eq!(judged(4), None, "it panicked as it promises");
}

/// A lock, its guard and a call that waits for it.
fn lock() -> Manifest {
    let waits = [("self", object(Mode::Ref))];
    let guard = ManifestParam::Object(TypeId(1), Mode::Own);
    Manifest {
        types: vec![ty("Lock", vec![], false), ty("Guard", vec![], true)],
        ops: vec![
            op("Lock::new", &[], &[0]),
            ManifestOp { lending: Lending::Operands, ..op("Lock::lock", &waits, &[1]) },
            op("Lock::get", &waits, &[]),
            ManifestOp { role: Role::Drop, ..op("drop Guard", &[("it", guard)], &[]) },
        ],
    }
}

#[test]
fn the_guard_of_a_type_that_calibration_found_locking_is_dropped_in_a_step_of_its_own() {
    let (new, lock_it, get, drop_guard) = (OpId(0), OpId(1), OpId(2), OpId(3));
    let deadlock = sequence(&[(new, &[]), (lock_it, &[obj(0)]), (get, &[obj(0)])]);
    let asked = std::cell::Cell::new(0);
    let waits = |task: &EpochTask| {
        asked.set(asked.get() + 1);
        // The first epoch waits for the guard; none does once the workers know the lock.
        match asked.get() {
            1 => Answer::Died(died(&deadlock, Outcome::TimedOut)),
            _ => Answer::Done(epoch(task)),
        }
    };
    let mut fake = Fake { manifest: lock(), ..Fake::exploring(waits) };
    let campaign = calibrated(&lock(), &mut fake);
    assert_eq!(fake.settings.locking, [TypeId(0)]);

    let written = spelt_out(&deadlock, campaign.ground().manifest());
    let ops: Vec<OpId> = written.steps.iter().map(|step| step.op).collect();
    assert_eq!(ops, [new, lock_it, drop_guard, get]);
}

#[test]
fn a_campaign_that_takes_over_settled_workers_takes_over_their_vocabulary() {
    let mut fake = Fake { manifest: list(), ..Fake::exploring(|task| Answer::Done(epoch(task))) };
    let mut campaign = calibrated(&list(), &mut fake);
    let demoted = vec![(TypeId(0), "counted_looks".to_owned())];
    fake.configure(gainsay_wire::Settings { demoted, ..Default::default() }).unwrap();
    campaign.adopt_vocabulary(&fake);
    assert_eq!(campaign.ground().manifest(), fake.manifest());
}
