//! Programs that are tried end as they do, in the open and confined.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::{fs, path::PathBuf, time::Duration};

use gainsay_workers::{Cancel, Confinement, End, Network, Sight, Tried, Tryout, WorkerError};

const SIGABRT: i32 = 6;

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

fn sandbox() -> Confinement {
    let (network, sight) = (Network::Nothing, Sight::Nothing);
    Confinement::Sandbox { launcher: example("launcher"), network, sight }
}

fn tryout(confinement: Confinement) -> (Tryout, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let tryout = Tryout {
        scratch: dir.path().to_owned(),
        confinement,
        patience: Duration::from_secs(20),
        address_space: Some(1 << 30),
    };
    (tryout, dir)
}

fn run(tryout: &Tryout, order: &str) -> Tried {
    tryout.run(&example("fake_test"), &[("FAKE", order)], &Cancel::new()).unwrap()
}

#[test]
fn a_program_ends_as_it_does_whether_confined_or_not() {
    for confinement in [Confinement::Off, sandbox()] {
        let (tryout, dir) = tryout(confinement);
        let fine = run(&tryout, "");
        assert_eq!(fine.end, End::Exited(0));
        assert!(fine.said.contains("told to") && fine.said.contains("on standard error"));
        assert_eq!(run(&tryout, "exit 3").end, End::Exited(3));
        assert_eq!(run(&tryout, "abort").end, End::Killed(SIGABRT));
        assert!(run(&tryout, "abort").end.is_crash());
        let hungry = run(&tryout, "take 2000000000");
        assert!(hungry.end.is_crash() && hungry.said.contains("memory allocation"), "{hungry:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
    }
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    for confinement in [Confinement::Off, sandbox()] {
        let (tryout, _dir) = tryout(confinement);
        let tryout = Tryout { patience: Duration::from_millis(300), ..tryout };
        assert_eq!(run(&tryout, "sleep").end, End::Overdue);
    }
}

#[test]
fn a_program_is_ended_when_nobody_wants_to_know() {
    let (tryout, _dir) = tryout(Confinement::Off);
    let cancel = Cancel::new();
    cancel.cancel();
    let tried = tryout.run(&example("fake_test"), &[("FAKE", "sleep")], &cancel).unwrap();
    assert_eq!(tried.end, End::Cancelled);
}

#[test]
fn a_confined_program_reads_no_files_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    fs::write(&secret, "mine").unwrap();
    let order = format!("read {}", secret.display());
    assert_eq!(run(&tryout(Confinement::Off).0, &order).end, End::Exited(0));
    let (closed, _dir) = tryout(sandbox());
    assert_eq!(run(&closed, &order).end, End::Exited(1));
}

#[test]
fn of_much_talk_both_ends_are_kept() {
    let (tryout, _dir) = tryout(Confinement::Off);
    let said = run(&tryout, "chatter").said;
    assert!(said.len() < 100_000);
    for words in ["told to chatter", "line 0\n", "[..]", "line 99999\n"] {
        assert!(said.contains(words), "{words}");
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let (tryout, dir) = tryout(Confinement::Off);
    let tried = tryout.run(&dir.path().join("missing"), &[], &Cancel::new());
    assert!(matches!(tried, Err(WorkerError::Spawn { .. })));
}
