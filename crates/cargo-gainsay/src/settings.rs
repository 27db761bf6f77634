//! What was typed becomes what it means: defaults filled in, contradictions refused.

use std::{io, path::PathBuf, str::FromStr as _, thread, time::Duration};

use gainsay_engine::{
    Budget, Earlier, Inject, ListDepth, Mode, Network, Others, PublishedSpec, Refute, Request,
    RunSettings, Sandbox, SequenceSource, StoredPool, Strategy, Unasked,
};
use gainsay_model::{build::Build, features::Features};
use gainsay_report::Paint;

use crate::{
    args::{
        AttributeCrate, BuildName, ColorWhen, ContractFormat, FailOn, ListFormat, LowArgs,
        LowCommand, ModeName, OutputArgs, RunArgs, SandboxArgs, StrategyName, SubjectArgs,
        VerdictName,
    },
    db::DbSettings,
    exit::Exit,
    failure::Failure,
    infer::{Extent, InferSettings},
};

/// Exploration time when nothing else limits a run: the patience of somebody who tries it.
const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// Time of a run, at least, in which other builds have a share: a shorter one would give
/// some of them less than a second and a half.
const LEAST_FOR_OTHERS: Duration = Duration::from_secs(10);

/// Rounds, at most. Most runs end earlier, with a round that brings nothing new.
const MOST_ROUNDS: u32 = 4;

/// Everything a command needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Which crate, and where results go.
    pub(crate) request: Request,
    /// The command.
    pub(crate) command: Command,
    /// Confinement of calls.
    pub(crate) sandbox: Sandbox,
    /// The amount that is said.
    pub(crate) verbosity: Verbosity,
    /// Colours of results.
    pub(crate) stdout: Paint,
    /// Colours of what is said on the way.
    pub(crate) stderr: Paint,
}

/// The commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// The whole loop.
    Run(TestSettings),
    /// Operations and skips.
    List { format: ListFormat, depth: ListDepth },
    /// Contracts of the last run.
    Contracts(ContractSettings),
    /// Faults of the last run.
    Faults { id: Option<String> },
    /// One fault again.
    Replay { id: String, environment: Vec<(String, String)> },
    /// Tests for the faults of the last run.
    Emit(EmitSettings),
    /// Tests that contradict what was inferred.
    Select(SelectSettings),
    /// Facts of a trace.
    Infer(InferSettings),
    /// The store of the last run.
    Db(DbSettings),
}

/// Settings of a test of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestSettings {
    /// The run.
    pub(crate) how: RunSettings,
    /// Which faults the exit code tells of.
    pub(crate) fail_on: FailOn,
}

/// Which contracts to show, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContractSettings {
    /// Of this type, or of operations whose path contains this.
    pub(crate) name: Option<String>,
    /// With one of these verdicts; with any when there is none.
    pub(crate) verdicts: Vec<VerdictName>,
    /// As what.
    pub(crate) format: ContractFormat,
    /// As whose attributes.
    pub(crate) dialect: AttributeCrate,
}

/// Which tests to select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectSettings {
    /// The directory for them.
    pub(crate) out: Option<PathBuf>,
    /// At most so many.
    pub(crate) most: usize,
}

/// Settings of tests that are to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmitSettings {
    /// The directory for them.
    pub(crate) out: Option<PathBuf>,
    /// The matter of the tests.
    pub(crate) tests: Tests,
}

/// The matter of emitted tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Faults.
    Faults(Trust),
    /// At most so many passing sequences.
    Regressions(usize),
}

/// Trust in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Each is compiled and run.
    Checked,
    /// Nobody looks.
    Unseen,
}

/// The amount that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Only the result.
    Quiet,
    /// The result, and what goes on.
    Normal,
    /// Every detail.
    Verbose,
}

impl Settings {
    /// Makes sense of the arguments.
    pub(crate) fn new(args: LowArgs, environment: &Environment) -> Result<Settings, Failure> {
        Ok(Settings {
            request: make_request(args.subject, environment)?,
            command: choose_command(args.command, args.run, args.output.color)?,
            sandbox: sandbox_of(&args.sandbox),
            verbosity: verbosity_of(&args.output),
            stdout: environment.paint(args.output.color, Stream::Stdout),
            stderr: environment.paint(args.output.color, Stream::Stderr),
        })
    }
}

fn make_request(args: SubjectArgs, environment: &Environment) -> Result<Request, Failure> {
    let published = args.published.as_deref().map(parse_published).transpose()?;
    let features = Features {
        named: args.features,
        all: args.all_features,
        no_default: args.no_default_features,
        ..Features::default()
    };
    // Who chooses features gets those and no others.
    let is_chosen = args.default_features || features != Features::default();
    Ok(Request {
        manifest_path: args.manifest_path,
        package: args.package,
        published,
        features,
        unasked: if is_chosen { Unasked::Nothing } else { Unasked::Additive },
        current_dir: environment.current_dir.clone(),
        target_dir: args.target_dir,
    })
}

fn parse_published(text: &str) -> Result<PublishedSpec, Failure> {
    let Ok(spec) = PublishedSpec::from_str(text);
    if spec.name.is_empty() || spec.version.as_deref() == Some("") {
        return Err(Failure::new(Exit::Usage, format!("`{text}` names no published crate"))
            .with_hint("write it like `--crate NAME@1.2.3` or `--crate NAME`"));
    }
    Ok(spec)
}

fn choose_command(
    command: Option<LowCommand>,
    top: RunArgs,
    color: ColorWhen,
) -> Result<Command, Failure> {
    let other = match command {
        None => return Ok(Command::Run(test_settings(top))),
        Some(LowCommand::Run(args)) => {
            return Ok(Command::Run(test_settings(merge_options(top, args))));
        }
        Some(LowCommand::List { format, no_build }) => {
            let depth = if no_build { ListDepth::Discovered } else { ListDepth::Built };
            Command::List { format, depth }
        }
        Some(LowCommand::Contracts { name, format, dialect, verdict: verdicts }) => {
            Command::Contracts(ContractSettings { name, verdicts, format, dialect })
        }
        Some(LowCommand::Faults { id }) => Command::Faults { id },
        Some(LowCommand::Replay { id, worker_env: environment }) => {
            Command::Replay { id, environment }
        }
        Some(LowCommand::Emit { out, no_check, regressions, most }) => {
            let trust = if no_check { Trust::Unseen } else { Trust::Checked };
            let tests =
                if regressions { Tests::Regressions(most.get()) } else { Tests::Faults(trust) };
            Command::Emit(EmitSettings { out, tests })
        }
        Some(LowCommand::Select { out, most }) => {
            Command::Select(SelectSettings { out, most: most.get() })
        }
        Some(LowCommand::Infer { dtrace, decls, format, all }) => {
            let extent = if all { Extent::All } else { Extent::Shown };
            Command::Infer(InferSettings { trace: dtrace, decls, format, extent, color })
        }
        Some(LowCommand::Db(how)) => Command::Db(how.into()),
    };
    // `run` may be left out, so its options stand before any command; elsewhere they mean nothing.
    if top != RunArgs::default() {
        return Err(Failure::new(Exit::Usage, "only `run` takes options such as `--time`")
            .with_hint("`cargo gainsay run --help` lists them"));
    }
    Ok(other)
}

/// Options may stand before and after `run`; the later one counts.
fn merge_options(before: RunArgs, after: RunArgs) -> RunArgs {
    RunArgs {
        time: after.time.or(before.time),
        calls: after.calls.or(before.calls),
        seed: after.seed.or(before.seed),
        jobs: after.jobs.or(before.jobs),
        from: after.from.or(before.from),
        no_refute: after.no_refute || before.no_refute,
        mode: after.mode.or(before.mode),
        rounds: after.rounds.or(before.rounds),
        strategy: after.strategy.or(before.strategy),
        no_inject: after.no_inject || before.no_inject,
        profile: if after.profile.is_empty() { before.profile } else { after.profile },
        sanitizer: after.sanitizer || before.sanitizer,
        no_sanitizer: after.no_sanitizer || before.no_sanitizer,
        no_regressions: after.no_regressions || before.no_regressions,
        fresh: after.fresh || before.fresh,
        fail_on: after.fail_on.or(before.fail_on),
        worker_env: [before.worker_env, after.worker_env].concat(),
    }
}

fn test_settings(args: RunArgs) -> TestSettings {
    let fail_on = args.fail_on.unwrap_or(FailOn::All);
    TestSettings { how: run_settings_of(args), fail_on }
}

fn run_settings_of(args: RunArgs) -> RunSettings {
    // Both limits at once would make a number of calls end somewhere else on every machine.
    let time = args.time.or(if args.calls.is_none() { Some(DEFAULT_TIME) } else { None });
    let others = other_builds(&args, time);
    RunSettings {
        others,
        // Of a given suite every call counts, and no other.
        pool: if args.fresh || args.from.is_some() {
            StoredPool::Dropped
        } else {
            StoredPool::TakenUp
        },
        budget: Budget { time, calls: args.calls },
        seed: args.seed.unwrap_or(0),
        jobs: args.jobs.map_or_else(count_processors, usize::from),
        source: args.from.map_or(SequenceSource::Random, SequenceSource::Script),
        refute: if args.no_refute { Refute::Skip } else { Refute::Search },
        mode: args.mode.map_or(Mode::Reduce, refute_mode),
        rounds: args.rounds.unwrap_or(MOST_ROUNDS),
        strategy: match args.strategy {
            None | Some(StrategyName::Guided) => Strategy::Guided,
            Some(StrategyName::Uniform) => Strategy::Uniform,
        },
        inject: if args.no_inject { Inject::Never } else { Inject::Sometimes },
        earlier: if args.no_regressions { Earlier::Ignored } else { Earlier::Replayed },
        environment: args.worker_env,
    }
}

fn refute_mode(name: ModeName) -> Mode {
    match name {
        ModeName::Basic => Mode::Basic,
        ModeName::NoPreconditions => Mode::NoPreconditions,
        ModeName::Reduce => Mode::Reduce,
    }
}

/// Which builds are tested besides the ordinary one. Whether one is ready in time depends on the
/// machine: a number of calls, which promises the same result everywhere, has none but those that
/// are asked for.
fn other_builds(args: &RunArgs, time: Option<Duration>) -> Others {
    let is_plain = args.from.is_none() && args.calls.is_none();
    let has_room = time.is_some_and(|time| time >= LEAST_FOR_OTHERS);
    let mut builds = match &args.profile[..] {
        [] if is_plain && has_room => vec![Build::Asan, Build::Release],
        named => named.iter().flat_map(|name| named_builds(*name)).copied().collect(),
    };
    // First, since it explains the crashes of all others.
    if args.sanitizer && !builds.contains(&Build::Asan) {
        builds.insert(0, Build::Asan);
    }
    builds.retain(|build| *build != Build::Debug && !(args.no_sanitizer && *build == Build::Asan));
    // The order is the user's, so that they cannot be sorted first.
    let mut known = Vec::new();
    builds.retain(|build| {
        !known.contains(build) && {
            known.push(*build);
            true
        }
    });
    Others { builds, asked: args.sanitizer || !args.profile.is_empty() }
}

fn named_builds(name: BuildName) -> &'static [Build] {
    match name {
        BuildName::Debug => &[Build::Debug],
        BuildName::Unchecked => &[Build::Unchecked],
        BuildName::Release => &[Build::Release],
        BuildName::Asan => &[Build::Asan],
        BuildName::All => &[Build::Asan, Build::Release, Build::Unchecked],
    }
}

fn sandbox_of(args: &SandboxArgs) -> Sandbox {
    match (args.no_sandbox, args.allow_net) {
        (true, _) => Sandbox::Off,
        (false, true) => Sandbox::On(Network::Loopback),
        (false, false) => Sandbox::On(Network::Nothing),
    }
}

fn count_processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn verbosity_of(args: &OutputArgs) -> Verbosity {
    match (args.quiet, args.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    }
}

/// The surroundings in which the process was started.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// The current directory.
    pub(crate) current_dir: PathBuf,
    /// `NO_COLOR` is set and not empty, or `CARGO_TERM_COLOR` is `never`.
    pub(crate) no_colour: bool,
    /// `CARGO_TERM_COLOR` is `always`.
    pub(crate) force_colour: bool,
    /// Standard output and standard error are terminals.
    pub(crate) terminals: [bool; 2],
}

#[derive(Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

impl Environment {
    /// Looks at the real one.
    pub(crate) fn of_process() -> io::Result<Environment> {
        use std::io::IsTerminal as _;
        let cargo = std::env::var("CARGO_TERM_COLOR").unwrap_or_default();
        Ok(Environment {
            current_dir: std::env::current_dir()?,
            // Set but empty means nothing: https://no-color.org.
            no_colour: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
                || cargo == "never",
            force_colour: cargo == "always",
            terminals: [io::stdout().is_terminal(), io::stderr().is_terminal()],
        })
    }

    /// Colours of what is said before there are settings.
    pub(crate) fn stderr_paint(&self, when: ColorWhen) -> Paint {
        self.paint(when, Stream::Stderr)
    }

    fn paint(&self, when: ColorWhen, stream: Stream) -> Paint {
        let coloured = match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            // `NO_COLOR` is stronger than `CARGO_TERM_COLOR`, as in cargo.
            ColorWhen::Auto if self.no_colour => false,
            ColorWhen::Auto => self.force_colour || self.terminals[stream as usize],
        };
        if coloured { Paint::Colour } else { Paint::Plain }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn environment() -> Environment {
        Environment {
            current_dir: "here".into(),
            no_colour: false,
            force_colour: false,
            terminals: [false, true],
        }
    }

    fn settings(line: &str) -> Result<Settings, Failure> {
        let words = std::iter::once("cargo-gainsay").chain(line.split_whitespace());
        Settings::new(LowArgs::try_parse_from(words).unwrap(), &environment())
    }

    fn run_settings(line: &str) -> RunSettings {
        match settings(line).unwrap().command {
            Command::Run(run) => run.how,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_run_is_limited_by_thirty_seconds_unless_calls_limit_it() {
        let seconds = |n| Some(Duration::from_secs(n));
        let check = |line: &str, time, calls| {
            assert_eq!(run_settings(line).budget, Budget { time, calls }, "{line}");
        };
        check("", seconds(30), None);
        check("--time 5s", seconds(5), None);
        check("--calls 100", None, Some(100));
        check("run --calls 100 --time 1m", seconds(60), Some(100));
        check("--calls 100 run --calls 200", None, Some(200));
    }

    #[test]
    fn a_strategy_a_mode_and_rounds_are_chosen_and_attacks_can_be_left_out() {
        assert_eq!(run_settings("").strategy, Strategy::Guided);
        assert_eq!(run_settings("run --strategy uniform").strategy, Strategy::Uniform);
        assert_eq!(run_settings("").refute, Refute::Search);
        assert_eq!(run_settings("run --no-refute").refute, Refute::Skip);
        assert_eq!(run_settings("").mode, Mode::Reduce);
        let basic = run_settings("--mode basic --rounds 2 run --rounds 3");
        assert_eq!((basic.mode, basic.rounds), (Mode::Basic, 3));
    }

    #[test]
    fn other_builds_have_to_be_asked_for_where_there_is_little_time_or_a_number_of_calls() {
        let check = |line: &str, builds: &[Build], asked| {
            let expected = Others { builds: builds.to_vec(), asked };
            assert_eq!(run_settings(line).others, expected, "{line}");
        };
        let (asan, release, unchecked) = (Build::Asan, Build::Release, Build::Unchecked);
        check("", &[asan, release], false);
        check("--time 5s", &[], false);
        check("--calls 100", &[], false);
        check("--no-sanitizer", &[release], false);
        check("--calls 100 --sanitizer", &[asan], true);
        check("run --profile debug", &[], true);
        check("--time 5s run --profile release,asan,release", &[release, asan], true);
        check("--profile all", &[asan, release, unchecked], true);
    }

    #[test]
    fn run_options_are_refused_by_other_commands() {
        let failure = settings("--seed 3 list").unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert!(settings("list").is_ok());
    }

    #[test]
    fn calls_are_confined_unless_that_is_switched_off() {
        let check = |line: &str, expected| {
            assert_eq!(settings(line).unwrap().sandbox, expected, "{line}");
        };
        check("", Sandbox::On(Network::Nothing));
        check("run --allow-net", Sandbox::On(Network::Loopback));
        check("replay abc --no-sandbox", Sandbox::Off);
        let both = ["cargo-gainsay", "--no-sandbox", "--allow-net"];
        assert!(LowArgs::try_parse_from(both).is_err());
    }

    #[test]
    fn a_published_crate_needs_a_name_and_no_empty_version() {
        let spec = |line: &str| settings(line).map(|s| s.request.published).map_err(|f| f.exit);
        let named = |name: &str, version: Option<&str>| {
            Ok(Some(PublishedSpec { name: name.into(), version: version.map(str::to_owned) }))
        };
        assert_eq!(spec("--crate a@1.2"), named("a", Some("1.2")));
        assert_eq!(spec("list --crate a"), named("a", None));
        assert_eq!(spec("--crate a@"), Err(Exit::Usage));
        assert_eq!(spec("--crate @1"), Err(Exit::Usage));
    }

    #[test]
    fn colours_follow_the_terminal_the_environment_and_the_option() {
        let check = |line: &str, no_colour, stdout, stderr| {
            let args = LowArgs::try_parse_from(line.split_whitespace()).unwrap();
            let settings =
                Settings::new(args, &Environment { no_colour, ..environment() }).unwrap();
            assert_eq!((settings.stdout, settings.stderr), (stdout, stderr), "{line} {no_colour}");
        };
        check("x", false, Paint::Plain, Paint::Colour);
        check("x", true, Paint::Plain, Paint::Plain);
        check("x --color always", true, Paint::Colour, Paint::Colour);
        check("x --color never", false, Paint::Plain, Paint::Plain);
    }
}
