//! A crate that tries to harm the machine and its worker: nothing outside changes, no secret is
//! read, nothing is left running, and each attempt is an outcome in the summary.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    collections::BTreeMap,
    fs,
    net::{TcpListener, UdpSocket},
    path::{Path, PathBuf},
    time::SystemTime,
};

use gainsay_store::Store;
use serde_json::Value;
use support::{Place, gainsay_in};

const KEY: &str = "key-5c1d9a77e0";
const SECRET: &str = "secret-e41b0c93d2";

/// Which outcomes an operation may have, each by its beginning; at least one must be seen.
const EXPECTED: &[(&str, &[&str])] = &[
    ("abort", &["aborted: SIGABRT"]),
    ("allocate_100_gigabytes", &["out-of-memory"]),
    ("change_directory", &["returned"]),
    ("change_environment", &["returned"]),
    ("close_everything", &["aborted: closed the pipes"]),
    ("close_stdout", &["returned"]),
    ("corrupt_the_heap", &["aborted"]),
    ("delete_above_scratch", &["err"]),
    ("delete_directory_at_home", &["err"]),
    ("delete_file_at_home", &["err"]),
    ("exit_with_zero", &["exited: exit code 0"]),
    ("fill_the_disk", &["err"]),
    ("fork_endlessly", &["returned"]),
    ("leave_thread_behind", &["returned", "panicked"]),
    ("listen", &["err"]),
    ("loop_for_ever", &["timed-out"]),
    ("open_tcp_connection", &["err"]),
    ("overflow_the_stack", &["aborted"]),
    ("overwrite_above_scratch", &["err"]),
    ("overwrite_file_at_home", &["err"]),
    ("panic_in_drop_while_panicking", &["aborted"]),
    ("panic_plainly", &["panicked"]),
    ("print_a_gigabyte", &["returned", "timed-out"]),
    ("read_environment_of_others", &["err"]),
    ("read_environment_secret", &["err"]),
    ("read_ssh_key", &["err"]),
    ("replace_panic_hook", &["returned"]),
    ("send_datagram", &["err"]),
    ("signal_everybody", &["err", "returned"]),
    ("signal_parent", &["aborted: SIGTERM"]),
    ("wait_for_ever", &["timed-out"]),
    ("write_to_nowhere", &["aborted: SIGSEGV"]),
];

/// Things to harm, in the home directory and next to the scratch directories.
struct Decoys {
    files: Vec<PathBuf>,
    root: PathBuf,
}

impl Decoys {
    fn put_up(place: &Place) -> Decoys {
        let root = place.path().join("decoys");
        let above = place.shared_results().join("scratch/above.txt");
        let home = |name: &str| root.join("home").join(name);
        let files =
            vec![home(".ssh/id_ed25519"), home("notes.txt"), home("letters/first.txt"), above];
        for (i, file) in files.iter().enumerate() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, if i == 0 { KEY } else { "mine" }).unwrap();
        }
        Decoys { files, root }
    }

    /// All that could be changed.
    fn state(&self) -> BTreeMap<PathBuf, (SystemTime, String)> {
        let state = |file: &PathBuf| {
            let written = fs::metadata(file).unwrap().modified().unwrap();
            (file.clone(), (written, fs::read_to_string(file).unwrap()))
        };
        self.files.iter().map(state).collect()
    }
}

fn check_outcomes(summary: &Value) {
    let records = summary["operations"]["records"].as_array().unwrap();
    assert_eq!(records.len(), EXPECTED.len());
    for record in records {
        let path = record["path"].as_str().unwrap();
        let (_, allowed) = EXPECTED.iter().find(|(name, _)| *name == path).unwrap();
        let seen: Vec<&String> = record["outcomes"].as_object().unwrap().keys().collect();
        assert!(!seen.is_empty(), "{path} is no outcome: {record}");
        for outcome in seen {
            let is_allowed = allowed.iter().any(|allowed| outcome.starts_with(allowed));
            assert!(is_allowed, "{path}: {outcome}");
        }
    }
}

/// How many processes mention this text in their arguments or environment.
fn processes_with(text: &str) -> usize {
    let mentions = |path: &Path| {
        let read = |name: &str| fs::read(path.join(name)).unwrap_or_default();
        let all = [read("environ"), read("cmdline")].concat();
        all.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| mentions(&entry.path())).count()
}

#[test]
fn it_harms_nobody_and_each_attempt_is_an_outcome() {
    let place = Place::lasting("hostile");
    let root = place.copy_of("hostile");
    let decoys = Decoys::put_up(&place);
    let before = decoys.state();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let datagrams = UdpSocket::bind(address).unwrap();
    listener.set_nonblocking(true).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let address = address.to_string();
    let variables = [
        ("HOSTILE_DECOYS", decoys.root.to_str().unwrap()),
        ("HOSTILE_ADDRESS", address.as_str()),
        ("HOSTILE_SECRET", SECRET),
    ];
    let args =
        ["run", "--calls", "2000", "--no-refute", "--jobs", "2", "--target-dir", "../target"];
    let outcome = gainsay_in(&variables, &root, &args);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    assert!(outcome.stdout.contains("Stopped because"), "{}", outcome.text());

    assert_eq!(decoys.state(), before, "something outside has changed");
    assert!(listener.accept().is_err(), "somebody called");
    assert!(datagrams.recv(&mut [0; 16]).is_err(), "somebody sent something");
    let results = place.shared_results();
    let left: Vec<_> = fs::read_dir(results.join("scratch")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "only the decoy is left: {left:?}");
    assert_eq!(processes_with(SECRET), 0, "something with the environment is left running");
    let scratch = results.join("scratch");
    assert_eq!(processes_with(scratch.to_str().unwrap()), 0, "a worker is left running");

    let summary = fs::read_to_string(results.join("summary.json")).unwrap();
    let store = Store::open(&results.join("store.sqlite")).unwrap().dump().unwrap();
    for text in [&summary, &store, &outcome.text()] {
        assert!(!text.contains(KEY) && !text.contains(SECRET), "a secret was read");
    }
    check_outcomes(&serde_json::from_str(&summary).unwrap());
}
