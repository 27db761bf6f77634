//! A worker that misbehaves on command, for the tests of this crate: the operation of a step
//! tells what to do.
#![allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]

use std::{
    env, fs,
    io::{self, Write},
    process,
    time::Duration,
};

use gainsay_wire::{
    BODY_AT, EpochReport, JOURNAL_ENV, JOURNAL_MAGIC, JournalPhase, Manifest, ManifestQuery,
    ManifestType, Outcome, Request, Response, RunReport, Step, StepReport, read_message, to_bytes,
    write_message,
};

/// On this seed an epoch tells how many epochs the process has made.
const AGE: u64 = 1 << 40;

fn main() {
    let mut input = io::stdin().lock();
    let mut epochs = 0;
    answer(&Response::Hello(manifest()));
    while let Ok(request) = read_message::<Request>(&mut input) {
        match request {
            Request::Configure(_) => answer(&Response::Configured),
            Request::Epoch(task) => {
                epochs += 1;
                let calls = if task.seed == AGE { epochs } else { task.seed };
                let report = EpochReport { calls, ..EpochReport::default() };
                answer(&Response::Epoch(report));
            }
            Request::Run(task) => {
                let steps = task.sequence.steps.iter().map(|step| make(step, &task.sequence.steps));
                let report = RunReport { steps: steps.collect(), ..RunReport::default() };
                answer(&Response::Run(report));
            }
            Request::Stop => return,
        }
    }
}

fn manifest() -> Manifest {
    let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
    let queries = vec![query("len"), query("now")];
    let ty = ManifestType { name: "Clock".to_owned(), queries, can_clone: false, borrows: false };
    Manifest { types: vec![ty], ops: Vec::new() }
}

fn answer(response: &Response) {
    write_message(&mut io::stdout().lock(), response).expect("the driver listens");
}

fn make(step: &Step, all: &[Step]) -> StepReport {
    write_journal(all);
    match step.op.0 {
        0 => {}
        1 => process::abort(),
        2 => std::thread::sleep(Duration::from_mins(10)),
        3 => process::exit(0),
        4 => println!("this is not the protocol, not at all, not in the least"),
        5 => eprintln!("{}", "chatter ".repeat(100_000)),
        6 => answer(&Response::Configured),
        7 => {
            let orphan = process::Command::new("/bin/sleep").arg("600").spawn();
            fs::write("orphan", orphan.expect("sleep exists").id().to_string()).expect("writable");
            process::exit(7);
        }
        8 => fs::write("pid", process::id().to_string()).expect("writable"),
        9 => {
            let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
            fs::write("env", names.collect::<Vec<_>>().join("\n")).expect("writable");
        }
        _ => {
            eprintln!("thread 'main' has overflowed its stack");
            process::abort();
        }
    }
    let outcome =
        if fs::exists("seen").unwrap_or(true) { Outcome::ReturnedErr } else { Outcome::Returned };
    fs::write("seen", "").expect("the scratch directory is writable");
    StepReport { outcome, observation: None }
}

fn write_journal(steps: &[Step]) {
    let path = env::var_os(JOURNAL_ENV).expect("the driver names a journal");
    let body: Vec<u8> = steps.iter().flat_map(to_bytes).collect();
    let count = u32::try_from(steps.len()).expect("few steps");
    let len = u32::try_from(body.len()).expect("few bytes");
    let mut bytes = JOURNAL_MAGIC.to_vec();
    for word in [0, JournalPhase::View.code(), count, len, 0, 0] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    assert_eq!(bytes.len(), BODY_AT);
    bytes.extend_from_slice(&body);
    let mut file = fs::File::options().write(true).open(path).expect("the journal exists");
    file.write_all(&bytes).expect("the journal is writable");
}
