//! A process that records is killed. The test starts itself as that process.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use super::*;
use crate::{Export, testkit::*};

/// The variable that tells a process to record until it is killed, and into which file.
const RECORD: &str = "GAINSAY_RECORDS_UNTIL_KILLED";
const TOLD: &str = "batch is recorded";

/// One batch: a few sets.
fn batch(store: &mut Store, number: i64) {
    let reports: Vec<_> = (0..4).map(|at| epoch(10 * number + at)).collect();
    store.record_epochs(&reports).unwrap();
}

fn begun_at(path: &Path) -> Store {
    let mut store = Store::open(path).unwrap();
    store.begin_campaign(&subject(), &sets(), 7).unwrap();
    store
}

/// Records until it is killed.
#[allow(clippy::print_stdout, reason = "the process that kills listens")]
fn record_for_ever(path: &Path) {
    let mut store = begun_at(path);
    for number in 0.. {
        batch(&mut store, number);
        println!("{TOLD}");
        std::io::stdout().flush().unwrap();
    }
}

/// Lets a process record until it has told of so many batches, and kills it.
fn kill_after(batches: usize, path: &Path) {
    let name = "sqlite::connection::tests::killed::what_a_killed_process_recorded_is_there_but_for_its_last_batch";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(RECORD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let told = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told = told.filter(|line| line.contains(TOLD)).take(batches).count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(told, batches);
}

#[test]
fn what_a_killed_process_recorded_is_there_but_for_its_last_batch() {
    if let Some(path) = std::env::var_os(RECORD) {
        return record_for_ever(Path::new(&path));
    }
    let directory = tempfile::tempdir().unwrap();
    for batches in [1, 2, 5, 9] {
        let path = directory.path().join(format!("{batches}.sqlite"));
        kill_after(batches, &path);
        let left = Store::open(&path).unwrap();
        let calls = left.count_evidence().unwrap().calls;
        drop(left);
        Export::open(&path).unwrap();
        // It went on while it was being killed: whole batches, and all that it told of.
        let mut expected = begun_at(&directory.path().join(format!("{batches}-expected.sqlite")));
        let mut number = 0;
        while number < i64::try_from(batches).unwrap()
            || expected.count_evidence().unwrap().calls < calls
        {
            batch(&mut expected, number);
            number += 1;
            assert!(number < 1_000, "no number of batches makes {calls} calls");
        }
        assert_eq!(Store::open(&path).unwrap().dump().unwrap(), expected.dump().unwrap());
    }
}
