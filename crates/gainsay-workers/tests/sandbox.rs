//! What a confined worker cannot do. Each attempt is also made without the sandbox, where it must
//! succeed: otherwise the test would show nothing.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::{fs, net::TcpListener, path::PathBuf, thread, time::Duration};

use gainsay_wire::{Arg, OpId, Outcome, RunTask, Sequence, Settings, Step, Value};
use gainsay_workers::{
    Answer, Cancel, Confinement, Fleet, Network, Part, Program, Runner, Sight, WorkerError,
};

const ATTEMPT: u32 = 20;

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

fn sandbox(network: Network) -> Confinement {
    Confinement::Sandbox { launcher: example("launcher"), network, sight: Sight::Nothing }
}

fn fleet(confinement: Confinement) -> (Fleet, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let (path, place) = (example("fake_worker"), scratch.path().to_owned());
    let program = Program { path, scratch: place, confinement, environment: vec![] };
    (Fleet::start(&program, 1, Settings::default()).unwrap(), scratch)
}

/// Has a worker attempt something; whether it succeeded.
fn attempt(fleet: &mut Fleet, what: &str) -> bool {
    let args = vec![Arg::Plain(Value::Str(what.to_owned()))];
    let steps = vec![Step::new(OpId(ATTEMPT), args)];
    let task =
        RunTask { sequence: Sequence { steps }, views: false, laws: false, asks: Vec::new() };
    match fleet.run(&[task], &Cancel::new()).unwrap().remove(0) {
        Answer::Done(report) => report.steps[0].outcome == Outcome::Returned,
        other => panic!("{what}: {other:?}"),
    }
}

/// Succeeds in the open and fails in the sandbox.
fn check_denied(what: &str) {
    let (mut open, _scratch) = fleet(Confinement::Off);
    assert!(attempt(&mut open, what), "{what} fails by itself");
    let (mut closed, _scratch) = fleet(sandbox(Network::Nothing));
    assert!(!attempt(&mut closed, what), "{what} succeeds in the sandbox");
}

#[test]
fn what_is_in_force_is_known() {
    let (closed, _scratch) = fleet(sandbox(Network::Nothing));
    let protection = closed.protection();
    assert!(protection.guards_files(), "{protection}");
    assert_eq!(protection.parts.len() + protection.missing().count(), Part::ALL.len());
    let (open, _scratch) = fleet(Confinement::Off);
    assert_eq!(open.protection().parts.len(), 0);
}

#[test]
fn files_of_others_can_be_neither_read_nor_written_nor_seen() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    fs::write(&secret, "mine").unwrap();
    check_denied(&format!("read {}", secret.display()));
    check_denied(&format!("see {}", dir.path().display()));
    check_denied("read /proc/self/environ");
    let (mut closed, _scratch) = fleet(sandbox(Network::Nothing));
    assert!(!attempt(&mut closed, &format!("write {}", secret.display())));
    assert!(!attempt(&mut closed, &format!("remove {}", secret.display())));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "mine");
    check_denied(&format!("write {}", secret.display()));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "attempt");
}

#[test]
fn nobody_outside_can_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    check_denied(&format!("connect {}", listener.local_addr().unwrap()));
    let (mut closed, _scratch) = fleet(sandbox(Network::Loopback));
    assert!(!attempt(&mut closed, &format!("connect {}", listener.local_addr().unwrap())));
}

#[test]
fn a_worker_reaches_itself_where_that_is_asked_for() {
    check_denied("talk to oneself");
    let (mut closed, _scratch) = fleet(sandbox(Network::Loopback));
    assert!(attempt(&mut closed, "talk to oneself"));
}

#[test]
fn no_other_process_can_be_sent_a_signal() {
    check_denied(&format!("signal {}", std::process::id()));
}

#[test]
fn the_scratch_directory_is_writable_and_bounded_and_leaves_nothing_behind() {
    let (mut closed, scratch) = fleet(sandbox(Network::Nothing));
    assert!(attempt(&mut closed, "write file"));
    assert!(attempt(&mut closed, "read file"));
    assert!(!attempt(&mut closed, "write 100 files of 4 megabytes"));
    let left = fs::read_dir(scratch.path().join("runner-0")).unwrap().count();
    assert_eq!(left, 0, "what a confined worker writes is not on the disk");
}

#[test]
fn processes_are_limited_and_end_with_their_worker() {
    let (mut closed, scratch) = fleet(sandbox(Network::Nothing));
    assert!(attempt(&mut closed, "leave 3 processes behind"));
    assert!(!attempt(&mut closed, "leave 300 processes behind"));
    let home = scratch.path().join("runner-0");
    assert!(processes_with(home.to_str().unwrap()) > 3);
    drop(closed);
    for _ in 0..100 {
        if processes_with(home.to_str().unwrap()) == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("something is left running");
}

/// How many processes have this text in their environment.
fn processes_with(text: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let environments = all.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    let mentions = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    environments.filter(mentions).count()
}

#[test]
fn a_launcher_that_confines_nothing_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let (launcher, network) = ("/bin/true".into(), Network::Nothing);
    let program = Program {
        path: example("fake_worker"),
        scratch: scratch.path().to_owned(),
        confinement: Confinement::Sandbox { launcher, network, sight: Sight::Nothing },
        environment: vec![],
    };
    let error = Fleet::start(&program, 1, Settings::default()).unwrap_err();
    assert!(matches!(error, WorkerError::NoSandbox), "{error}");
}
