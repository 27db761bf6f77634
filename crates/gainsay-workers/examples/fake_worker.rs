//! A worker that misbehaves on command, for the tests of this crate: the operation of a step
//! tells what to do.
#![allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]

use std::{
    env, fs,
    io::{self, Write},
    net::{TcpListener, TcpStream},
    process,
    time::Duration,
};

use gainsay_wire::{
    Arg, BODY_AT, EXIT_PIPES_LOST, EXIT_WORN_OUT, EpochReport, JOURNAL_ENV, JOURNAL_MAGIC,
    JournalPhase, Manifest, ManifestQuery, ManifestType, Outcome, Request, Response, RunReport,
    Step, StepReport, Value, read_message, to_bytes, write_message,
};

/// On this seed an epoch tells how many epochs the process has made.
const AGE: u64 = 1 << 40;

fn main() {
    let mut input = io::stdin().lock();
    let mut epochs = 0;
    let mut is_rotten = false;
    answer(&Response::Hello(manifest()));
    while let Ok(request) = read_message::<Request>(&mut input) {
        match request {
            Request::Configure(_) if is_rotten => process::abort(),
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
                is_rotten |= task.sequence.steps.iter().any(|step| step.op.0 == 14);
                if task.sequence.steps.iter().any(|step| step.op.0 == 11) {
                    process::exit(EXIT_WORN_OUT);
                }
            }
            Request::Stop => return,
        }
    }
}

fn manifest() -> Manifest {
    let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
    let queries = vec![query("len"), query("now")];
    let ty = ManifestType {
        name: "Clock".to_owned(),
        queries,
        can_clone: false,
        borrows: false,
        locks: false,
    };
    Manifest { types: vec![ty], ops: Vec::new() }
}

fn answer(response: &Response) {
    write_message(&mut io::stdout().lock(), response).expect("the driver listens");
}

fn make(step: &Step, all: &[Step]) -> StepReport {
    write_journal(all);
    if let Some(Arg::Plain(Value::Str(what))) = step.args.first() {
        let done = attempt(what);
        let outcome = if done.is_ok() { Outcome::Returned } else { Outcome::ReturnedErr };
        return StepReport { outcome, observation: None };
    }
    match step.op.0 {
        0 | 11 | 14 => {}
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
        12 => process::exit(EXIT_WORN_OUT),
        13 => process::exit(EXIT_PIPES_LOST),
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

/// Something that a confined worker must not, or may, be able to do.
fn attempt(what: &str) -> io::Result<()> {
    match what.split_whitespace().collect::<Vec<_>>()[..] {
        ["read", path] => fs::read(path).map(drop),
        ["see", path] => fs::read_dir(path).map(drop),
        ["write", path] => fs::write(path, "attempt"),
        ["remove", path] => fs::remove_file(path),
        ["connect", address] => TcpStream::connect(address).map(drop),
        ["talk", "to", "oneself"] => {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            TcpStream::connect(listener.local_addr()?).map(drop)
        }
        ["signal", process] => signal_nothing(process.parse().expect("a number")),
        ["write", count, "files", "of", megabytes, "megabytes"] => {
            let megabytes: usize = megabytes.parse().expect("a number");
            let bytes = vec![1; megabytes << 20];
            let mut all = 0..count.parse().expect("a number");
            all.try_for_each(|number: u32| fs::write(format!("big-{number}"), &bytes))
        }
        ["leave", count, "processes", "behind"] => {
            let mut all = 0..count.parse().expect("a number");
            all.try_for_each(|_: u32| leave_process_behind())
        }
        _ => unreachable!("{what}"),
    }
}

/// Signal 0: only whether it could be sent.
#[allow(unsafe_code)] // Plain numbers only.
fn signal_nothing(process: i32) -> io::Result<()> {
    if unsafe { libc::kill(process, 0) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A copy of this process that sleeps, in a session of its own.
#[allow(unsafe_code)] // The copy makes system calls only.
fn leave_process_behind() -> io::Result<()> {
    unsafe {
        match libc::fork() {
            0 => {
                libc::setsid();
                libc::sleep(600);
                libc::_exit(0)
            }
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
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
