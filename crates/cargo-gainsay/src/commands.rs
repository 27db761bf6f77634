//! One function per command. All but `run`, `list`, `replay` and `infer` are about what a run left.

use std::{fs, io, io::Write as _, path::Path};

use anyhow::Context as _;
use gainsay_engine::{
    Again, Cancel, Ctx, EngineError, ListDepth, Replay, Request, Target, Unasked, find_providers,
    find_subject, list_operations, replay_fault,
};
use gainsay_model::{api::Subject, fault::Confirmation};
use gainsay_report::{
    Detail, FaultClass, FaultRecord, RecordError, RunRecord, SubjectName, Tone, faults_text,
    list_text, summary_text,
};

use crate::{
    args::{FailOn, ListFormat},
    console::Console,
    contracts, db, emit,
    exit::Exit,
    failure::Failure,
    infer,
    interrupt::Interrupt,
    own_bug,
    settings::{Command, Settings, TestSettings, Verbosity},
};

/// Does what the settings ask for.
pub(crate) fn run_command(settings: &Settings) -> anyhow::Result<Exit> {
    match &settings.command {
        Command::Run(how) => test_crate(settings, how),
        Command::List { format, depth } => list_crate(settings, *format, *depth),
        Command::Contracts(how) => {
            let (_, record) = last_run(settings)?;
            contracts::show_contracts(settings, &record, how)
        }
        Command::Faults { id } => show_faults(settings, id.as_deref()),
        Command::Replay { id, environment } => replay_recorded(settings, id, environment),
        Command::Emit(how) => emit::emit_tests(settings, how),
        Command::Select(how) => emit::emit_selected(settings, how),
        Command::Infer(how) => Ok(infer::run_reader(how)?),
        Command::Db(how) => db::run_db(settings, how),
    }
}

fn test_crate(
    settings: &Settings,
    TestSettings { how, fail_on }: &TestSettings,
) -> anyhow::Result<Exit> {
    // A file of sequences that is not there is told now, not after minutes of building.
    how.check()?;
    let interrupt = Interrupt::listen(settings.stderr)?;
    let target = find_target(settings)?;
    let subject = &target.subject;
    let _turn = wait_for_turn(subject, settings)?;
    // From here on a panic of ours can say where the results are.
    own_bug::results_are_in(&subject.out_dir);
    own_bug::on_purpose();
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let cancel = &interrupt.cancel;
    let mut listen = |event| {
        interrupt.note_event(&event);
        console.show_event(&event);
    };
    let outcome = gainsay_engine::run(&target, how, &mut Ctx::new(cancel, &mut listen));
    // The live line must be gone before results are printed below it.
    drop(console);
    let record = unless_interrupted(outcome, cancel)?;
    record.save(&subject.out_dir)?;
    print_result(&summary_text(&record, &subject.out_dir, settings.stdout, detail_of(settings)))?;
    let found = record.faults.iter().any(|fault| counts_for_exit(fault, *fail_on));
    // A fault counts even if the user did not wait for the rest.
    Ok(match (found, cancel.is_interrupted()) {
        (true, _) => Exit::FaultsFound,
        (false, false) => Exit::NothingFound,
        (false, true) => Exit::Interrupted,
    })
}

/// Tells if the exit code tells of a fault.
// A flaky fault would make a build fail now and then for no change of its own.
fn counts_for_exit(fault: &FaultRecord, fail_on: FailOn) -> bool {
    let worst = match fail_on {
        FailOn::All => return true,
        FailOn::Memory => FaultClass::Memory,
        FailOn::Law => FaultClass::Contract,
        FailOn::Panic => FaultClass::Panic,
    };
    fault.confirmation == Confirmation::Confirmed && fault.oracle.class() <= worst
}

/// The crate that was asked for, with what the user provides for it.
fn find_target(settings: &Settings) -> anyhow::Result<Target> {
    let subject = find_subject(&settings.request)?;
    let providers = find_providers(&subject, &settings.request.current_dir)?;
    Ok(Target { subject, providers, sandbox: settings.sandbox })
}

/// One run at a time in one results directory: waits for the one that is using it, and says so.
fn wait_for_turn(subject: &Subject, settings: &Settings) -> anyhow::Result<fs::File> {
    match try_turn(subject)? {
        Turn::Mine(file) => Ok(file),
        Turn::Others(file) => {
            if settings.verbosity > Verbosity::Quiet {
                let dir = subject.out_dir.display();
                let about = format!("for another run that is using `{dir}` (Ctrl-C to give up)");
                let line = settings.stderr.line(Tone::Notable, "Waiting", &about);
                io::stderr().write_all(line.as_bytes()).ok();
            }
            file.lock().with_context(|| cannot_lock(subject))?;
            Ok(file)
        }
    }
}

/// Locks the results directory, unless a run is using it; released when the file is closed.
pub(crate) fn take_turn(subject: &Subject) -> anyhow::Result<fs::File> {
    match try_turn(subject)? {
        Turn::Mine(file) => Ok(file),
        Turn::Others(_) => {
            let message = format!("another run is using `{}`", subject.out_dir.display());
            let hint = "wait for it to end, or choose another place with `--target-dir`";
            Err(Failure::new(Exit::Usage, message).with_hint(hint).into())
        }
    }
}

/// Whose turn it is in a results directory.
enum Turn {
    Mine(fs::File),
    /// Another run has locked the file.
    Others(fs::File),
}

fn cannot_lock(subject: &Subject) -> String {
    format!("cannot write `{}`", subject.out_dir.join("run.lock").display())
}

fn try_turn(subject: &Subject) -> anyhow::Result<Turn> {
    let path = subject.out_dir.join("run.lock");
    let about = || cannot_lock(subject);
    fs::create_dir_all(&subject.out_dir).with_context(about)?;
    let file = fs::File::create(&path).with_context(about)?;
    // A lock of the system's: it is gone with the process, however that ends.
    match file.try_lock() {
        Ok(()) => Ok(Turn::Mine(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(Turn::Others(file)),
        Err(fs::TryLockError::Error(error)) => Err(error).with_context(about),
    }
}

/// Whatever fails after Ctrl-C fails because of it.
fn unless_interrupted<T>(outcome: Result<T, EngineError>, cancel: &Cancel) -> anyhow::Result<T> {
    outcome.map_err(|error| {
        if cancel.is_interrupted() { Failure::interrupted().into() } else { error.into() }
    })
}

fn list_crate(settings: &Settings, format: ListFormat, depth: ListDepth) -> anyhow::Result<Exit> {
    let target = find_target(settings)?;
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let mut listen = |event| console.show_event(&event);
    let mut ctx = Ctx::new(&Cancel::new(), &mut listen);
    let catalogue = list_operations(&target, depth, &mut ctx)?;
    drop(console);
    print_result(&match format {
        ListFormat::Text => list_text(&catalogue, settings.stdout, detail_of(settings)),
        ListFormat::Json => serde_json::to_string_pretty(&catalogue)? + "\n",
    })?;
    // Scripts that walk over many crates leave such a crate out.
    Ok(if catalogue.harnessed == 0 { Exit::NothingToTest } else { Exit::NothingFound })
}

fn show_faults(settings: &Settings, id: Option<&str>) -> anyhow::Result<Exit> {
    let (_, record) = last_run(settings)?;
    // A wrong id is a mistake even where there are no faults at all.
    if let Some(id) = id {
        choose_fault(&record, id)?;
    }
    if record.faults.is_empty() {
        print_result(&settings.stdout.line(Tone::Good, "Nothing", "no faults were found"))?;
        return Ok(Exit::NothingFound);
    }
    print_result(&faults_text(&record, id, settings.stdout))?;
    Ok(Exit::FaultsFound)
}

fn replay_recorded(
    settings: &Settings,
    id: &str,
    environment: &[(String, String)],
) -> anyhow::Result<Exit> {
    let (subject, record) = last_run(settings)?;
    let fault = choose_fault(&record, id)?;
    let providers = find_providers(&subject, &settings.request.current_dir)?;
    let sequence = fault.sequence().ok_or_else(|| no_run(&subject.out_dir))?;
    let target = Target { subject, providers, sandbox: settings.sandbox };
    // A replay has nothing to report before it ends: Ctrl-C ends it at once.
    let Interrupt { cancel, .. } = Interrupt::listen(settings.stderr)?;
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let again = Again { fault, sequence: &sequence, environment };
    let mut listen = |event| console.show_event(&event);
    let seen = replay_fault(&target, &again, &mut Ctx::new(&cancel, &mut listen))?;
    drop(console);
    print_result(&faults_text(&record, Some(&fault.id), settings.stdout))?;
    let (tone, verb, exit) = match &seen {
        Replay::Shown(_) => (Tone::Bad, "Shown", Exit::FaultsFound),
        Replay::NotShown(_) => (Tone::Good, "Not shown", Exit::NothingFound),
    };
    let (Replay::Shown(about) | Replay::NotShown(about)) = seen;
    print_result(&settings.stdout.line(tone, verb, &about))?;
    Ok(exit)
}

/// The subject and what the last run left of it.
pub(crate) fn last_run(settings: &Settings) -> anyhow::Result<(Subject, RunRecord)> {
    let subject = find_subject(&settings.request)?;
    // A damaged record is told from a missing one: both are mended by another run, but only one is
    // news to the user.
    match RunRecord::load(&subject.out_dir) {
        Ok(record) => match describe_mismatch(&record.summary.subject, &subject) {
            None => Ok((as_tested(settings, subject, &record)?, record)),
            Some(message) => Err(Failure::new(Exit::Usage, message).with_hint(RUN_HINT).into()),
        },
        Err(RecordError::NoRun { dir }) => Err(no_run(&dir).into()),
        Err(error @ RecordError::Unreadable { .. }) => {
            Err(Failure::new(Exit::Usage, error.to_string()).with_hint(RUN_HINT).into())
        }
        Err(error @ RecordError::File { .. }) => Err(error.into()),
    }
}

/// The subject with the features of the last run, unless others are asked for.
fn as_tested(settings: &Settings, subject: Subject, record: &RunRecord) -> anyhow::Result<Subject> {
    if settings.request.unasked == Unasked::Nothing || subject.features == record.features {
        return Ok(subject);
    }
    let features = record.features.clone();
    let request = Request { features, unasked: Unasked::Nothing, ..settings.request.clone() };
    Ok(find_subject(&request)?)
}

/// One results directory can hold the run of another crate or version.
fn describe_mismatch(of: &SubjectName, asked: &Subject) -> Option<String> {
    let same = of.name == asked.name && of.version == asked.version;
    (!same).then(|| {
        let SubjectName { name, version } = of;
        format!("the last run was of `{name}` {version}, not `{}` {}", asked.name, asked.version)
    })
}

pub(crate) const RUN_HINT: &str = "test the crate first with `cargo gainsay run`";

fn no_run(dir: &Path) -> Failure {
    let message = format!("there are no results of a run in `{}`", dir.display());
    Failure::new(Exit::Usage, message).with_hint(RUN_HINT)
}

/// Finds the fault whose id begins so.
// Ids are long because they must not change; nobody should have to type all of one.
fn choose_fault<'a>(record: &'a RunRecord, id: &str) -> Result<&'a FaultRecord, Failure> {
    let fitting: Vec<&FaultRecord> =
        record.faults.iter().filter(|fault| fault.id.starts_with(id)).collect();
    match fitting[..] {
        [fault] => Ok(fault),
        [] => Err(Failure::new(Exit::Usage, format!("no fault has the id `{id}`"))
            .with_hint(suggest_ids(record, id))),
        _ => Err(Failure::new(
            Exit::Usage,
            format!("several faults have ids that begin with `{id}`"),
        )
        .with_hint("give more digits of the id")),
    }
}

/// Suggests ids that come near one that is not there.
fn suggest_ids(record: &RunRecord, id: &str) -> String {
    let slips = |known: &str| {
        let shift = |by: usize| known.chars().skip(by).zip(id.chars()).filter(|(a, b)| a != b);
        // One digit too few or too many at the beginning moves all others.
        let lost = known.chars().zip(id.chars().skip(1)).filter(|(a, b)| a != b).count() + 1;
        shift(0).count().min(shift(1).count() + 1).min(lost)
    };
    // With more than half of the digits wrong, any id would come near.
    let likely = |fault: &&FaultRecord| slips(&fault.id) * 2 <= id.chars().count();
    let mut likely: Vec<&FaultRecord> = record.faults.iter().filter(likely).collect();
    likely.sort_by_key(|fault| (slips(&fault.id), &fault.id));
    let name = |fault: &&FaultRecord| format!("`{}` ({})", &fault.id, fault.operation);
    // More than three are no hint.
    let names: Vec<String> = likely.iter().take(3).map(name).collect();
    match (names.is_empty(), record.faults.is_empty()) {
        (false, _) => format!("did you mean {}?", names.join(" or ")),
        (true, false) => "`cargo gainsay faults` lists them".to_owned(),
        (true, true) => "the last run found no faults".to_owned(),
    }
}

pub(crate) fn detail_of(settings: &Settings) -> Detail {
    match settings.verbosity {
        Verbosity::Quiet | Verbosity::Normal => Detail::Brief,
        Verbosity::Verbose => Detail::Full,
    }
}

/// Results go to standard output; a reader that went away is no failure.
pub(crate) fn print_result(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
