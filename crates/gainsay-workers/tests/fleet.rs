//! Fleets of a fake worker that misbehaves on command.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use gainsay_wire::{
    EXIT_WORN_OUT, EpochReport, EpochTask, OpId, Outcome, RunReport, RunTask, Sequence, Settings,
    Step, TypeId,
};
use gainsay_workers::{
    Answer, Cancel, Confinement, Death, Fleet, Judge, Limits, Network, PlacedEpoch, Program,
    Runner, Sight, Work, WorkerError,
};

const FINE: u32 = 0;
const ABORT: u32 = 1;
const HANG: u32 = 2;
const EXIT: u32 = 3;
const GARBAGE: u32 = 4;
const CHATTER: u32 = 5;
const OUT_OF_TURN: u32 = 6;
const ORPHAN: u32 = 7;
const PID: u32 = 8;
const ENVIRONMENT: u32 = 9;
const STACK: u32 = 10;
const WORN: u32 = 11;
const WORN_AT_ONCE: u32 = 12;
const ROBBED: u32 = 13;
const ROTTEN: u32 = 14;

/// A seed on which the fake worker tells how many epochs its process has made.
const AGE: u64 = 1 << 40;

fn fleet(jobs: usize) -> (Fleet, tempfile::TempDir) {
    fleet_in(jobs, Confinement::Off)
}

fn fleet_in(jobs: usize, confinement: Confinement) -> (Fleet, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let path = example("fake_worker");
    let program =
        Program { path, scratch: scratch.path().to_owned(), confinement, environment: vec![] };
    let limits = Limits { task: Duration::from_secs(3) };
    (Fleet::start_with(&program, jobs, Settings::default(), limits).unwrap(), scratch)
}

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

/// With and without a sandbox: the same must come of it.
fn both() -> [Confinement; 2] {
    let (launcher, network) = (example("launcher"), Network::Nothing);
    [Confinement::Off, Confinement::Sandbox { launcher, network, sight: Sight::Nothing }]
}

fn task(ops: &[u32]) -> RunTask {
    let steps = ops.iter().map(|&op| Step::new(OpId(op), Vec::new())).collect();
    RunTask { sequence: Sequence { steps }, views: false, laws: false, asks: Vec::new() }
}

fn run(fleet: &mut Fleet, ops: &[u32]) -> Answer<RunReport> {
    fleet.run(&[task(ops)], &Cancel::new()).unwrap().remove(0)
}

fn death(fleet: &mut Fleet, ops: &[u32]) -> Death {
    match run(fleet, ops) {
        Answer::Died(death) => death,
        other => panic!("it lives: {other:?}"),
    }
}

fn aborted(how: &str) -> Outcome {
    Outcome::Aborted(how.parse().unwrap())
}

#[test]
fn a_death_is_an_answer_with_the_steps_of_the_journal_and_the_next_task_is_done() {
    for confinement in both() {
        let (mut fleet, _scratch) = fleet_in(1, confinement);
        let death = death(&mut fleet, &[FINE, ABORT]);
        assert_eq!(death.outcome, aborted("SIGABRT"));
        assert_eq!(death.steps, task(&[FINE, ABORT]).sequence);
        assert!(death.in_view);
        assert_eq!(death.judge, Judge::Worker);
        assert!(matches!(run(&mut fleet, &[FINE]), Answer::Done(_)));
        assert_eq!(fleet.deaths(), 1);
    }
}

#[test]
fn every_way_to_go_wrong_is_told_apart() {
    for confinement in both() {
        let (mut fleet, _scratch) = fleet_in(1, confinement);
        let mut outcome = |ops: &[u32]| death(&mut fleet, ops).outcome;
        assert_eq!(outcome(&[EXIT]), aborted("exit code 0"));
        assert_eq!(outcome(&[STACK]), aborted("stack overflow"));
        assert_eq!(outcome(&[GARBAGE]), aborted("what arrived is not a message"));
        assert_eq!(outcome(&[OUT_OF_TURN]), aborted("answered out of turn"));
        assert!(matches!(run(&mut fleet, &[FINE]), Answer::Done(_)));
    }
}

#[test]
fn a_worker_that_hangs_is_killed_by_the_driver() {
    for confinement in both() {
        let (mut fleet, _scratch) = fleet_in(1, confinement);
        let death = death(&mut fleet, &[HANG]);
        assert_eq!((death.outcome, death.judge), (Outcome::TimedOut, Judge::Driver));
        assert!(matches!(run(&mut fleet, &[FINE]), Answer::Done(_)));
    }
}

#[test]
fn a_child_that_holds_the_pipes_neither_delays_nor_outlives_its_worker() {
    let (mut fleet, scratch) = fleet(1);
    assert_eq!(death(&mut fleet, &[ORPHAN]).outcome, aborted("exit code 7"));
    let pid = std::fs::read_to_string(scratch.path().join("runner-0/orphan")).unwrap();
    assert!(is_gone(&pid), "the orphan {pid} still runs");
}

/// Gone, or waiting to be collected by whoever adopts orphans here.
fn is_gone(pid: &str) -> bool {
    let patience = Instant::now() + Duration::from_secs(5);
    while Instant::now() < patience {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn a_worker_that_is_worn_out_is_replaced_without_a_word() {
    for confinement in both() {
        let (mut fleet, _scratch) = fleet_in(1, confinement);
        assert!(matches!(run(&mut fleet, &[WORN]), Answer::Done(_)));
        let next = run(&mut fleet, &[FINE]);
        let outcome = &next.done().unwrap().steps[0].outcome;
        assert_eq!(*outcome, Outcome::Returned, "it is a new process in a clean directory");
        assert_eq!(fleet.deaths(), 0);
    }
}

#[test]
fn a_worker_whose_memory_was_broken_before_new_settings_came_is_replaced_without_a_word() {
    let (mut fleet, _scratch) = fleet(1);
    assert!(matches!(run(&mut fleet, &[ROTTEN]), Answer::Done(_)));
    fleet.configure(Settings::default()).unwrap();
    let next = run(&mut fleet, &[FINE]);
    assert_eq!(next.done().unwrap().steps[0].outcome, Outcome::Returned, "it is a new process");
}

#[test]
fn the_end_of_a_worn_out_worker_that_comes_with_every_task_is_a_death() {
    let (mut fleet, _scratch) = fleet(1);
    let code = format!("exit code {EXIT_WORN_OUT}");
    assert_eq!(death(&mut fleet, &[FINE, WORN_AT_ONCE]).outcome, aborted(&code));
}

#[test]
fn only_a_careful_worker_knows_which_step_closed_its_pipes() {
    let (mut fleet, _scratch) = fleet(1);
    let first = death(&mut fleet, &[FINE, ROBBED]);
    assert_eq!(first.outcome, aborted("closed the pipes of its worker"));
    assert_eq!(first.judge, Judge::Driver);
    let second = death(&mut fleet, &[ROBBED]);
    assert_eq!((second.outcome, second.judge), (first.outcome, Judge::Worker));
}

#[test]
fn a_chatty_worker_never_blocks() {
    let (mut fleet, _scratch) = fleet(1);
    assert!(matches!(run(&mut fleet, &[CHATTER, CHATTER]), Answer::Done(_)));
    let death = death(&mut fleet, &[CHATTER, ABORT]);
    assert!(death.stderr.len() <= 8 << 10 && death.stderr.ends_with("chatter \n"));
}

#[test]
fn answers_come_in_the_order_of_the_tasks_whatever_the_number_of_jobs() {
    let epochs: Vec<PlacedEpoch> = (0..50).map(|i| epoch(i, i as u64)).collect();
    for jobs in [1, 3] {
        let (mut fleet, _scratch) = fleet(jobs);
        let answers = fleet.epochs(&epochs, &Cancel::new()).unwrap();
        let calls: Vec<u64> = answers.iter().map(|answer| answer.done().unwrap().calls).collect();
        assert_eq!(calls, (0..50).collect::<Vec<u64>>());
    }
}

fn epoch(place: usize, seed: u64) -> PlacedEpoch {
    PlacedEpoch { place, task: EpochTask { seed, ..EpochTask::default() } }
}

#[test]
fn what_a_process_was_asked_before_is_the_same_for_any_number_of_jobs() {
    // Asked for this seed, the fake worker tells how many epochs its process has made.
    let ages = |jobs| {
        let (mut fleet, _scratch) = fleet(jobs);
        let epochs: Vec<PlacedEpoch> = (0..21).map(|i| epoch(i, AGE)).collect();
        let mut ages = Vec::new();
        for round in [&epochs[..], &epochs[..5], &epochs[3..9]] {
            let answers = fleet.epochs(round, &Cancel::new()).unwrap();
            ages.extend(answers.iter().map(|answer| answer.done().unwrap().calls));
            // What dies or begins anew elsewhere changes nothing.
            fleet.run(&[task(&[ABORT]), task(&[FINE])], &Cancel::new()).unwrap();
        }
        ages
    };
    let alone = ages(1);
    assert_eq!(alone[..9], [1, 1, 1, 1, 1, 1, 1, 1, 2]);
    assert_eq!(alone, ages(2));
    assert_eq!(alone, ages(5));
}

#[test]
fn workers_help_themselves_to_more_until_the_other_thing_is_done() {
    for jobs in [1, 3] {
        let (mut fleet, _scratch) = fleet(jobs);
        let (cancel, taken) = (Cancel::new(), AtomicUsize::new(0));
        let more = || {
            taken.fetch_add(1, Ordering::Relaxed);
            Some(EpochTask { seed: 5, ..EpochTask::default() })
        };
        let (tasks, epochs) = ([task(&[FINE])], [epoch(0, 7)]);
        let work = Work { tasks: &tasks, epochs: &epochs, spare: Some(&more) };
        let mut wait = || {
            while taken.load(Ordering::Relaxed) < 9 {
                thread::yield_now();
            }
        };
        let ran = fleet.run_while(work, &cancel, &mut wait).unwrap();
        let calls = |answer: &Answer<EpochReport>| answer.done().unwrap().calls;
        assert!(ran.answers[0].done().is_some() && calls(&ran.epochs[0]) == 7);
        assert_eq!(ran.spare.len(), taken.load(Ordering::Relaxed), "with {jobs} jobs");
        assert!(ran.spare.iter().all(|answer| calls(answer) == 5));
        let nothing = Work { spare: Some(&|| None), ..work };
        assert!(fleet.run_while(nothing, &cancel, &mut || {}).unwrap().spare.is_empty());
        taken.store(0, Ordering::Relaxed);
        let late = cancel.until(Instant::now());
        let ran = fleet.run_while(work, &late, &mut wait).unwrap();
        assert!(matches!(ran.epochs[..], [Answer::Cancelled]) && ran.spare.len() >= 9);
        cancel.cancel();
        assert!(fleet.run_while(work, &cancel, &mut || {}).unwrap().spare.is_empty());
    }
}

#[test]
fn workers_outlive_the_threads_that_restarted_them() {
    let (mut fleet, _scratch) = fleet(2);
    let cancel = Cancel::new();
    let mixed: Vec<RunTask> =
        (0..8).map(|i| task(&[if i % 2 == 0 { ABORT } else { FINE }])).collect();
    for _ in 0..3 {
        let answers = fleet.run(&mixed, &cancel).unwrap();
        for (i, answer) in answers.iter().enumerate() {
            assert_eq!(answer.done().is_some(), i % 2 == 1, "task {i}: {answer:?}");
        }
    }
    assert_eq!(fleet.deaths(), 12);
}

#[test]
fn a_fresh_run_meets_a_new_process_in_a_clean_directory() {
    let (mut fleet, _scratch) = fleet(1);
    let outcome = |answers: Vec<Answer<RunReport>>| {
        answers.iter().map(|answer| answer.done().unwrap().steps[0].outcome.clone()).collect()
    };
    let cancel = Cancel::new();
    let tasks = [task(&[FINE]), task(&[FINE])];
    let fresh: Vec<Outcome> = outcome(fleet.run_fresh(&tasks, &cancel).unwrap());
    assert_eq!(fresh, [Outcome::Returned, Outcome::Returned]);
    let warm: Vec<Outcome> = outcome(fleet.run(&tasks, &cancel).unwrap());
    assert_eq!(warm, [Outcome::ReturnedErr, Outcome::ReturnedErr]);
}

#[test]
fn an_interrupt_ends_a_running_task_and_skips_the_rest() {
    let (mut fleet, _scratch) = fleet(2);
    let cancel = Cancel::new();
    let hand = cancel.clone();
    let interrupter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        hand.cancel();
    });
    let answers = fleet.run(&[task(&[HANG]), task(&[HANG]), task(&[FINE])], &cancel).unwrap();
    interrupter.join().unwrap();
    assert!(answers.iter().all(|answer| *answer == Answer::Cancelled), "{answers:?}");
    assert_eq!(fleet.deaths(), 0);
}

#[test]
fn no_worker_is_left_when_the_fleet_is_gone() {
    let (mut fleet, scratch) = fleet(1);
    assert!(run(&mut fleet, &[PID]).done().is_some());
    let pid = std::fs::read_to_string(scratch.path().join("runner-0/pid")).unwrap();
    assert!(std::fs::exists(format!("/proc/{pid}")).unwrap());
    drop(fleet);
    assert!(is_gone(&pid), "worker {pid} still runs");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_worker_sees_nothing_of_the_users_environment() {
    let (mut fleet, scratch) = fleet(1);
    assert!(run(&mut fleet, &[ENVIRONMENT]).done().is_some());
    let names = std::fs::read_to_string(scratch.path().join("runner-0/env")).unwrap();
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    let ours = ["ASAN_OPTIONS", "GAINSAY_JOURNAL", "HOME", "RUST_BACKTRACE", "TMPDIR"];
    assert_eq!(names, ours);
}

#[test]
fn a_demoted_query_is_not_active_in_the_manifest() {
    let (mut fleet, _scratch) = fleet(1);
    let active = |fleet: &Fleet| -> Vec<String> {
        fleet.manifest().active_queries(TypeId(0)).map(|query| query.name.clone()).collect()
    };
    assert_eq!(active(&fleet), ["len", "now"]);
    let demoted = vec![(TypeId(0), "now".to_owned())];
    fleet.configure(Settings { demoted, ..Settings::default() }).unwrap();
    assert_eq!(active(&fleet), ["len"]);
    assert!(matches!(run(&mut fleet, &[FINE]), Answer::Done(_)));
}

#[test]
fn a_program_that_is_no_worker_is_an_error_that_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let start = |path: &str| {
        let scratch = scratch.path().to_owned();
        let program = Program {
            path: path.into(),
            scratch,
            confinement: Confinement::Off,
            environment: vec![],
        };
        Fleet::start(&program, 1, Settings::default()).unwrap_err()
    };
    assert!(matches!(start("/bin/true"), WorkerError::NotReady { .. }));
    assert!(matches!(start("/no/such/program"), WorkerError::Spawn { .. }));
}
