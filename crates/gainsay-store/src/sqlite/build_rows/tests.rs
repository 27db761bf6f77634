//! Versions and builds side by side in one store.

use std::path::Path;

use gainsay_model::{
    api::Subject,
    skip::{Skip, SkipReason},
};
use gainsay_wire::Manifest;

use super::*;
use crate::{Begun, TestCall, sqlite::schema, testkit::*};

/// A program on a version of the crate.
#[derive(Clone, Copy)]
struct Program {
    version: &'static str,
    digest: u64,
    /// Elements that its campaign puts into sets.
    first: i64,
}

/// Two versions, and two builds of one of them.
const PROGRAMS: [Program; 3] = [
    Program { version: "1.0.0", digest: 1, first: 100 },
    Program { version: "1.0.0", digest: 2, first: 110 },
    Program { version: "1.1.0", digest: 3, first: 120 },
];

/// Other builds number their operations otherwise.
fn manifest(program: Program) -> Manifest {
    let mut manifest = sets();
    if program.digest == 2 {
        manifest.ops.push(op("Set::late", vec![], vec![SET]));
    }
    manifest
}

fn begin(store: &mut Store, program: Program) {
    let subject = Subject { version: program.version.into(), ..subject() };
    let manifest = manifest(program);
    let begun = Begun { subject: &subject, manifest: &manifest, seed: 1, build: program.digest };
    store.begin_with(&begun, &[]).unwrap();
}

/// One batch of a campaign.
fn record_batch(store: &mut Store, program: Program, number: i64) {
    store.record_epochs(&[epoch(program.first + number)]).unwrap();
    let (states, call) = run(&set_of(0, &[1, program.first + number, 7]));
    store.record_calls(&states, &[call]).unwrap();
    let (states, call) = run(&set_of(0, &[2, program.first + number]));
    let seen = TestCall { observation: call.observation, test: "sets::grow".into() };
    store.record_test_calls(&states, &[seen]).unwrap();
}

fn conclude(store: &mut Store, program: Program) {
    let skip = Skip {
        operation: format!("Set::raw_{}", program.digest),
        reason: SkipReason::Unsafe,
        detail: String::new(),
    };
    store.record_skips(&[skip]).unwrap();
}

fn campaign(path: &Path, program: Program) {
    let mut store = Store::open(path).unwrap();
    begin(&mut store, program);
    (0..10).for_each(|number| record_batch(&mut store, program, number));
    conclude(&mut store, program);
}

/// The evidence of a program.
fn dump_of(path: &Path, program: Program) -> String {
    let store = Store::open(path).unwrap();
    let builds = store.list_builds().unwrap();
    let build = builds.iter().find(|build| build.program == program.digest).unwrap();
    assert_eq!(build.subject.version, program.version);
    store.dump_build(build.id).unwrap()
}

/// The evidence of a program that has a store to itself.
fn alone(program: Program) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    campaign(&path, program);
    dump_of(&path, program)
}

#[test]
fn runs_after_each_other_leave_the_evidence_of_other_builds_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    for (at, program) in PROGRAMS.iter().enumerate() {
        let before: Vec<String> = PROGRAMS[..at].iter().map(|it| dump_of(&path, *it)).collect();
        campaign(&path, *program);
        let after: Vec<String> = PROGRAMS[..at].iter().map(|it| dump_of(&path, *it)).collect();
        assert_eq!(before, after);
    }
    // Nor does it matter to a build what else is there.
    for program in PROGRAMS {
        assert_eq!(dump_of(&path, program), alone(program));
    }
    // Going on with the first one changes the first one alone.
    let others = || PROGRAMS[1..].iter().map(|it| dump_of(&path, *it)).collect::<Vec<_>>();
    let (before, first) = (others(), dump_of(&path, PROGRAMS[0]));
    let mut store = Store::open(&path).unwrap();
    let (subject, manifest) = (subject(), manifest(PROGRAMS[0]));
    store.go_on(&Begun { subject: &subject, manifest: &manifest, seed: 2, build: 1 }).unwrap();
    record_batch(&mut store, PROGRAMS[0], 50);
    drop(store);
    assert_ne!(dump_of(&path, PROGRAMS[0]), first);
    assert_eq!(others(), before);
}

#[test]
fn runs_at_once_leave_the_evidence_of_other_builds_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut stores = PROGRAMS.map(|program| {
        let mut store = Store::open(&path).unwrap();
        begin(&mut store, program);
        store
    });
    // Their batches take turns, and some are written by threads at the same time.
    for number in 0..5 {
        for (store, program) in stores.iter_mut().zip(PROGRAMS) {
            record_batch(store, program, number);
        }
    }
    std::thread::scope(|scope| {
        for (mut store, program) in stores.into_iter().zip(PROGRAMS) {
            scope.spawn(move || {
                (5..10).for_each(|number| record_batch(&mut store, program, number));
                conclude(&mut store, program);
            });
        }
    });
    for program in PROGRAMS {
        assert_eq!(dump_of(&path, program), alone(program));
    }
}

#[test]
fn old_builds_can_be_dropped_and_leave_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    for program in PROGRAMS {
        campaign(&path, program);
    }
    let kept = dump_of(&path, PROGRAMS[2]);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.keep_builds(3).unwrap(), 0);
    assert_eq!(store.keep_builds(1).unwrap(), 2);
    assert_eq!(store.list_builds().unwrap().len(), 1);
    let broken = "SELECT count(*) FROM pragma_foreign_key_check";
    let count = |sql: &str| -> i64 { store.connection.query_row(sql, [], |r| r.get(0)).unwrap() };
    assert_eq!((count(broken), count("SELECT count(*) FROM subject")), (0, 1));
    assert_eq!(dump_of(&path, PROGRAMS[2]), kept);
    // Each table holds what it holds where no other build ever was.
    let other = directory.path().join("other.sqlite");
    campaign(&other, PROGRAMS[2]);
    let other = Store::open(&other).unwrap();
    for table in schema::tables(&other.connection).unwrap() {
        let rows = format!("SELECT count(*) FROM {table}");
        let expected: i64 = other.connection.query_row(&rows, [], |r| r.get(0)).unwrap();
        assert_eq!(count(&rows), expected, "{table}");
    }
}

#[test]
fn the_build_that_ran_last_is_the_last_to_be_dropped() {
    let mut store = Store::in_memory().unwrap();
    for program in &PROGRAMS[..2] {
        begin(&mut store, *program);
    }
    let (subject, manifest) = (subject(), manifest(PROGRAMS[0]));
    store.go_on(&Begun { subject: &subject, manifest: &manifest, seed: 2, build: 1 }).unwrap();
    store.keep_builds(1).unwrap();
    let left: Vec<u64> = store.list_builds().unwrap().iter().map(|build| build.program).collect();
    assert_eq!(left, [1]);
}

#[test]
fn a_call_of_a_test_is_evidence_without_a_recipe() {
    let mut store = begun();
    let (states, call) = run(&set_of(0, &[4]));
    let test = "sets::grow".to_owned();
    let seen = TestCall { observation: call.observation.clone(), test };
    store.record_test_calls(&states, &[seen]).unwrap();
    let counts = store.count_evidence().unwrap();
    assert_eq!((counts.calls, counts.states, counts.objects), (1, 2, 0));
    let samples = store.read_samples().unwrap();
    let sample = samples.of(INSERT).next().unwrap().clone();
    assert_eq!(sample.observation, call.observation);
    assert_eq!(store.recipe_of(sample.id).unwrap(), None);
    let find = "SELECT provenance || ' ' || test FROM call";
    let origin: String = store.connection.query_row(find, [], |row| row.get(0)).unwrap();
    assert_eq!(origin, "observed sets::grow");
    // One that can be made again takes its place among the samples.
    store.record_calls(&states, &[call]).unwrap();
    let mut updated = samples.clone();
    store.update_samples(&mut updated).unwrap();
    let better = updated.of(INSERT).next().unwrap();
    assert_ne!(better.id, sample.id);
    assert!(store.recipe_of(better.id).unwrap().is_some());
    assert_eq!(updated, store.read_samples().unwrap());
}
