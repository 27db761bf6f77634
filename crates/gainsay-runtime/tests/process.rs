//! A harness as a process of its own: protocol, journal, limits, hash seeds.
#![allow(clippy::unwrap_used)] // A test may fail by panicking.

mod harness;

use std::{
    io::Read as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use gainsay_runtime::Value;
use gainsay_wire::{
    Arg, EXIT_CANNOT_BEGIN, EXIT_TIMED_OUT, EpochTask, JOURNAL_ENV, JournalPhase, JournalStatus,
    ObjRef, Request, Response, RunTask, Sequence, Settings, Step, read_journal, read_message,
    write_message,
};
use harness::op;

/// The example is built together with the tests, next to them: by `cargo test`, but not by
/// `cargo test --test process` alone, which may meet an old one.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(|deps| deps.parent()).unwrap();
    built.join("examples").join("sample")
}

fn worker(journal: &PathBuf, args: &[&str]) -> Child {
    Command::new(program())
        .args(args)
        .env(JOURNAL_ENV, journal)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn receive(worker: &mut Child) -> Option<Response> {
    read_message(worker.stdout.as_mut().unwrap()).ok()
}

fn ask(worker: &mut Child, request: &Request) -> Option<Response> {
    write_message(worker.stdin.as_mut().unwrap(), request).unwrap();
    receive(worker)
}

fn journal_path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gainsay-test-{}-{name}", std::process::id()))
}

fn run(steps: Vec<Step>) -> Request {
    Request::Run(RunTask { sequence: Sequence { steps }, views: true, laws: false, asks: vec![] })
}

#[test]
fn hash_sets_iterate_alike_in_every_process() {
    let order = || Command::new(program()).arg("order").output().unwrap().stdout;
    let first = order();
    assert!(first.len() > 100);
    assert_eq!(first, order());
}

#[test]
fn the_same_seed_gives_the_same_report_in_every_process() {
    let report = |name: &str| {
        let path = journal_path(name);
        let mut worker = worker(&path, &["tame"]);
        receive(&mut worker).unwrap();
        let task = EpochTask { seed: 3, calls: 800, ..EpochTask::default() };
        let response = ask(&mut worker, &Request::Epoch(task)).unwrap();
        write_message(worker.stdin.as_mut().unwrap(), &Request::Stop).unwrap();
        worker.wait().unwrap();
        std::fs::remove_file(path).unwrap();
        response
    };
    let first = report("first");
    assert!(matches!(&first, Response::Epoch(report) if report.kept.len() > 50));
    assert_eq!(first, report("second"));
}

#[test]
fn a_worker_greets_answers_and_stops_and_its_journal_has_the_steps() {
    let path = journal_path("answers");
    let mut worker = worker(&path, &[]);
    let Some(Response::Hello(manifest)) = receive(&mut worker) else { panic!("no hello") };
    assert_eq!(manifest.ops.len(), harness::deadly_tables().ops.len());
    assert_eq!(
        ask(&mut worker, &Request::Configure(Settings::default())),
        Some(Response::Configured)
    );
    let steps = vec![Step::new(op("Pile::new"), vec![])];
    let Some(Response::Run(report)) = ask(&mut worker, &run(steps.clone())) else { panic!() };
    assert_eq!(report.steps.len(), 1);
    let state = read_journal(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(state.phase, JournalPhase::Idle);
    assert_eq!(state.status, JournalStatus::None);
    // The drop at the end is a step too.
    assert_eq!(state.steps.len(), 2);
    assert_eq!(state.steps[0], steps[0]);
    write_message(worker.stdin.as_mut().unwrap(), &Request::Stop).unwrap();
    assert!(worker.wait().unwrap().success());
    std::fs::remove_file(path).unwrap();
}

fn deadly(name: &str, settings: Settings, step: &Step) -> (Option<i32>, JournalStatus) {
    let path = journal_path(name);
    let mut worker = worker(&path, &[]);
    receive(&mut worker).unwrap();
    ask(&mut worker, &Request::Configure(settings)).unwrap();
    let first = Step::new(op("Pile::new"), vec![]);
    assert_eq!(ask(&mut worker, &run(vec![first.clone(), step.clone()])), None);
    let status = worker.wait().unwrap();
    let state = read_journal(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(state.phase, JournalPhase::Step);
    assert_eq!(state.steps, [first, step.clone()]);
    (status.code(), state.status)
}

#[test]
fn after_a_death_the_journal_tells_what_led_there() {
    let plain = |value| vec![Arg::Plain(Value::Int(value))];
    let hang = Step::new(op("Deadly::hang"), vec![]);
    let patient = Settings { step_millis: 200, ..Settings::default() };
    assert_eq!(deadly("hang", patient, &hang), (Some(EXIT_TIMED_OUT), JournalStatus::TimedOut));
    let eat = Step::new(op("Deadly::eat"), plain(200 << 20));
    let frugal = Settings { memory_bytes: 64 << 20, ..Settings::default() };
    let expected = (Some(gainsay_wire::EXIT_OUT_OF_MEMORY), JournalStatus::OutOfMemory);
    assert_eq!(deadly("eat", frugal, &eat), expected);
    let abort = Step::new(op("Deadly::abort"), vec![]);
    assert_eq!(deadly("abort", Settings::default(), &abort), (None, JournalStatus::None));
}

/// The steps of the journal and what was said on standard error when a run kills its worker.
fn dies(name: &str, steps: &[Step]) -> (Vec<Step>, String) {
    let path = journal_path(name);
    let mut worker = worker(&path, &[]);
    receive(&mut worker).unwrap();
    assert_eq!(ask(&mut worker, &run(steps.to_vec())), None);
    assert_eq!(worker.wait().unwrap().code(), None);
    let journal = read_journal(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(path).unwrap();
    (journal.steps, stderr_of(&mut worker))
}

fn stderr_of(worker: &mut Child) -> String {
    let mut said = String::new();
    worker.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
    said
}

#[test]
fn the_words_of_a_panic_that_cannot_unwind_reach_standard_error() {
    let check = |name: &str, args: Vec<Arg>, words: &[&str]| {
        let (_, said) = dies(name, &[Step::new(op(name), args)]);
        for words in words {
            assert!(said.contains(words), "{name} said:\n{said}");
        }
    };
    check(
        "Deadly::panic_twice",
        vec![],
        &["the second panic", "panic in a destructor during cleanup"],
    );
    check(
        "Deadly::cannot_unwind",
        vec![],
        &["no way out", "panic in a function that cannot unwind"],
    );
    check(
        "Deadly::precondition",
        vec![Arg::Plain(Value::Int(2))],
        &["unsafe precondition(s) violated: slice::get_unchecked"],
    );
}

#[test]
fn the_journal_has_the_steps_that_were_not_ready_too() {
    let object = |step| Arg::Object(ObjRef { step, out: 0 });
    let steps = [
        Step::new(op("Pile::pop"), vec![object(9)]),
        Step::new(op("Pile::new"), vec![]),
        Step::new(op("Pile::pop"), vec![object(1)]),
        Step::new(op("Deadly::abort"), vec![]),
    ];
    assert_eq!(dies("not-ready", &steps).0, steps);
}

#[test]
fn a_worker_that_cannot_map_its_journal_says_so_and_does_not_begin() {
    let mut worker = worker(&journal_path("no-such-directory").join("journal"), &[]);
    assert_eq!(receive(&mut worker), None);
    assert_eq!(worker.wait().unwrap().code(), Some(EXIT_CANNOT_BEGIN));
    let said = stderr_of(&mut worker);
    assert!(
        said.contains("cannot map the journal") && said.contains("no-such-directory"),
        "{said}"
    );
}
