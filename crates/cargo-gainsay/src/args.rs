//! What can be typed, and nothing about what it means: `settings` makes sense of it.

mod db;

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::db::LowDb;

/// Learns what a Rust crate seems to promise, tries hard to contradict it, and shows what is left.
///
/// Without a command: `run`. The crate's functions are called in a sandbox: no files but their own
/// scratch directory, no network, limited memory and processes. Build scripts and procedural macros
/// of the crate run as in any `cargo build`.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-gainsay",
    bin_name = "cargo gainsay",
    version,
    after_help = "Examples:\n  \
        cargo gainsay                                test the package of the current directory\n  \
        cargo gainsay --time 60s -p my-crate         test one member of a workspace for a minute\n  \
        cargo gainsay --crate NAME@1.2.3             test a published crate\n  \
        cargo gainsay emit --out tests               write a #[test] for each fault\n\n\
        Exit codes: 0 nothing found, 1 usage, 2 faults found, 3 the crate does not build,\n\
        4 nothing to test, 70 a bug of gainsay itself, 130 interrupted with Ctrl-C before a fault\n\
        was found. Ctrl-C ends a run with a report of what was found so far; a second one at once."
)]
pub(crate) struct LowArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LowCommand>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LowCommand {
    /// Test the crate: explore, infer contracts, try to refute them, report.
    #[command(after_help = "Example:\n  cargo gainsay run --time 2m --seed 7")]
    Run(RunArgs),
    /// List the operations by type, and what is skipped and why.
    ///
    /// The harness is built, as for a run: only rustc knows what it rejects.
    #[command(after_help = "Examples:\n  cargo gainsay list --crate NAME@1.2.3\n  \
        cargo gainsay list --format json\n\n\
        Values of types that are missing can be provided in `gainsay.toml`: docs/providers.md.")]
    List {
        /// How to write it.
        #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
        format: ListFormat,
        /// Do not build the harness: what rustc would reject is listed as if it could be called.
        #[arg(long)]
        no_build: bool,
    },
    /// Show the contracts of the last run with their verdicts.
    ///
    /// Formats other than the terminal's: a page of Markdown, JSON, paragraphs for documentation
    /// comments, attributes for crates that check contracts.
    #[command(after_help = "Examples:\n  cargo gainsay contracts Stack::push\n  \
        cargo gainsay contracts --verdict refuted,unsettled\n  \
        cargo gainsay contracts Stack --format docs\n  \
        cargo gainsay contracts --format attributes --for anodized")]
    Contracts {
        /// Only those of this type, or of operations whose path contains this text.
        #[arg(value_name = "TYPE|OPERATION")]
        name: Option<String>,
        /// How to write them.
        #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
        format: ContractFormat,
        /// Whose attributes, with `--format attributes`.
        #[arg(long = "for", value_enum, value_name = "CRATE", default_value = "contracts")]
        dialect: AttributeCrate,
        /// Only those with one of these verdicts, with all that is known of them.
        #[arg(long, value_enum, value_name = "VERDICT", value_delimiter = ',')]
        verdict: Vec<VerdictName>,
    },
    /// Show the faults of the last run.
    #[command(after_help = "Example:\n  cargo gainsay faults 3f9c21d0")]
    Faults {
        /// Only this fault; the beginning of its id is enough.
        id: Option<String>,
    },
    /// Run the sequence of a fault again in a fresh process.
    #[command(after_help = "Example:\n  cargo gainsay replay 3f9c21d0")]
    Replay {
        /// The fault; the beginning of its id is enough.
        id: String,
        /// A variable of the environment of workers, which is empty otherwise.
        #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable, hide = true)]
        worker_env: Vec<(String, String)>,
    },
    /// Write a self-contained test for each fault of the last run.
    ///
    /// Each is compiled and run first, in the sandbox; one that does not compile or does not fail
    /// as it says is not written but told with the reason.
    ///
    /// With `--regressions`, tests of what works: calls that passed and cover most, with what was
    /// seen after each as assertions, so that a later change is noticed. They are compiled and run,
    /// too; only what passes each time is written.
    #[command(after_help = "Examples:\n  cargo gainsay emit\n  \
        cargo gainsay emit --out tests --crate NAME@1.2.3\n  \
        cargo gainsay emit --regressions --most 50\n\n\
        docs/faults.md and docs/regressions.md tell what the tests look like.")]
    Emit {
        /// Where to write the files [default: `tests` of the package; for a published crate
        /// `tests` in the results directory].
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Write the tests without compiling and running them.
        #[arg(long, conflicts_with = "regressions")]
        no_check: bool,
        /// Write tests that pass, in place of those for faults.
        #[arg(long)]
        regressions: bool,
        /// At most so many tests that pass.
        #[arg(long, value_name = "N", default_value = "20", requires = "regressions")]
        most: std::num::NonZeroUsize,
    },
    /// Write the tests that are worth a look: those that contradict what the run had inferred.
    ///
    /// The first test for each refuted contract, those that contradict the same ones together, those
    /// that contradict most first. Each shows a behaviour that what was known until then did not
    /// exhibit: a fault, or a case that tests should have. They pass: they tell what the crate does,
    /// and whoever looks at them says whether it should.
    #[command(after_help = "Examples:\n  cargo gainsay select --most 5\n  \
        cargo gainsay select --out tests --crate NAME@1.2.3\n\n\
        docs/select.md tells what the tests look like.")]
    Select {
        /// Where to write the files [default: as `emit`].
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// At most so many tests.
        #[arg(long, value_name = "N", default_value = "10")]
        most: std::num::NonZeroUsize,
    },
    /// Infer what holds in a trace in Daikon's format; no crate is tested.
    ///
    /// Facts are shown with the chance that they would hold by chance alone, and only if that is
    /// small for all candidates together. What follows from others is not shown.
    ///
    /// Traces are read by a program of its own, `gainsay-traces`: `cargo install --path traces` in a
    /// checkout of gainsay installs it.
    #[command(after_help = "Examples:\n  cargo gainsay infer --dtrace run.dtrace.gz\n  \
        cargo gainsay infer --dtrace run.dtrace --decls run.decls --format json\n\n\
        docs/traces.md tells what is looked for and what is left out.")]
    Infer {
        /// The trace, plain or compressed with gzip.
        #[arg(long, value_name = "FILE")]
        dtrace: PathBuf,
        /// The declarations, if they are not in the trace.
        #[arg(long, value_name = "FILE")]
        decls: Option<PathBuf>,
        /// How to write it.
        #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
        format: ListFormat,
        /// Tell also what is not shown: facts that are implied, and by which; facts that may hold
        /// by chance.
        #[arg(long)]
        all: bool,
    },
    /// Look at the store of the last run, copy it, put a copy in its place.
    #[command(subcommand)]
    #[command(after_help = "Examples:\n  cargo gainsay db stats\n  \
        cargo gainsay db export before.sqlite\n\n\
        docs/store.md tells what is kept, and in which tables.")]
    Db(LowDb),
}

/// Options of a run.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct RunArgs {
    /// Explore for this long, such as `60s`, `500ms` or `2m` [default: 30s without `--calls`].
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) time: Option<Duration>,
    /// Explore with about this many calls, half of them before contracts are attacked; attacks
    /// come on top. The result is then the same on every machine, of a first run or with `--fresh`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) calls: Option<u64>,
    /// Decides everything random [default: 0].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Number of worker processes [default: number of processors].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Run the sequences of this file instead of exploring at random.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Explore at random only: no search for counterexamples to contracts.
    #[arg(long)]
    pub(crate) no_refute: bool,
    /// Which inputs may contradict a contract [default: reduce].
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<ModeName>,
    /// Infer and attack at most so often; without anything new, and when the time is up, it ends
    /// earlier [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,
    /// Let the caller's code behave: no callbacks that panic, iterators that lie, guards that are
    /// forgotten.
    #[arg(long)]
    pub(crate) no_inject: bool,
    /// How the crate is built besides the ordinary way, which is always there and comes first
    /// [default: asan,release where `--time` leaves room for them].
    ///
    /// Naming builds here waits for them as long as they take; `debug` alone means no others.
    #[arg(long, value_enum, value_name = "BUILD", value_delimiter = ',')]
    pub(crate) profile: Vec<BuildName>,
    /// Test a build with AddressSanitizer too, however long it takes to make.
    #[arg(long, conflicts_with = "no_sanitizer")]
    pub(crate) sanitizer: bool,
    /// Make no build with AddressSanitizer.
    #[arg(long)]
    pub(crate) no_sanitizer: bool,
    /// Neither replay faults of earlier runs first nor keep those of this run in
    /// `gainsay/regressions` beside the manifest.
    #[arg(long)]
    pub(crate) no_regressions: bool,
    /// Begin with an empty store: nothing that earlier runs kept is used, and it is gone.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Which faults make the exit code 2: these and worse ones [default: all].
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) fail_on: Option<FailOn>,
    /// How calls are chosen [default: guided].
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub(crate) strategy: Option<StrategyName>,
    /// A variable of the environment of workers, which is empty otherwise.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable, hide = true)]
    pub(crate) worker_env: Vec<(String, String)>,
}

/// Which crate.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(next_help_heading = "Subject options")]
pub(crate) struct SubjectArgs {
    /// A published crate instead of a local package; the newest version when none is given.
    #[arg(long = "crate", value_name = "NAME@VERSION", global = true)]
    #[arg(conflicts_with_all = ["package", "manifest_path"])]
    pub(crate) published: Option<String>,
    /// The member of the workspace.
    #[arg(short, long, value_name = "NAME", global = true)]
    pub(crate) package: Option<String>,
    /// Path to the package's Cargo.toml.
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Features to switch on, separated by commas. Without this and the options below, features
    /// that are off by default are on, too, if they only add to the crate: docs/features.md.
    #[arg(short = 'F', long, value_name = "FEATURES", value_delimiter = ',', global = true)]
    pub(crate) features: Vec<String>,
    /// Switch all features on.
    #[arg(long, global = true)]
    pub(crate) all_features: bool,
    /// Leave the default features off.
    #[arg(long, global = true)]
    pub(crate) no_default_features: bool,
    /// Switch on the default features and no others.
    #[arg(long, global = true)]
    #[arg(conflicts_with_all = ["features", "all_features", "no_default_features"])]
    pub(crate) default_features: bool,
    /// Where results and builds go, in a directory `gainsay` [default: cargo's target directory].
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) target_dir: Option<PathBuf>,
}

/// Rights of calls of the crate on this machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sandbox options")]
pub(crate) struct SandboxArgs {
    /// Give the crate a loopback network of its own; by default it has no network at all.
    #[arg(long, global = true, conflicts_with = "no_sandbox")]
    pub(crate) allow_net: bool,
    /// Call the crate's functions without a sandbox: they can then do all that you can. Only for
    /// crates you trust, on systems where the sandbox does not work.
    #[arg(long, global = true)]
    pub(crate) no_sandbox: bool,
}

/// Options of what is said.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output options")]
pub(crate) struct OutputArgs {
    /// When to use colours.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: ColorWhen,
    /// Say nothing on the way, only the result.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: how far it is, every skip with its detail, every contract with its evidence.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people.
    Text,
    /// For programs; docs/list-json.md and docs/traces.md tell the fields.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContractFormat {
    /// For people, with verdicts; `--verbose` adds the evidence.
    Text,
    /// A page with verdicts and evidence.
    Markdown,
    /// For programs; docs/contracts.md tells the fields.
    Json,
    /// `# Panics` and `# Errors` paragraphs for documentation comments.
    Docs,
    /// Attributes that check contracts at run time.
    Attributes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictName {
    /// Attacked without success.
    Upheld,
    /// Contradicted by a passing call.
    Refuted,
    /// Without an answer.
    Unsettled,
    /// Real preconditions: what panics when they are violated.
    Precondition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    /// Those that satisfy the inferred preconditions, which are taken for granted.
    Basic,
    /// Any: preconditions are not inferred at all. Invariants of types stay.
    NoPreconditions,
    /// Any, and preconditions are attacked like everything else.
    Reduce,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AttributeCrate {
    /// `#[requires(..)]` and `#[ensures(..)]`.
    Contracts,
    /// `#[spec(..)]`.
    Anodized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// By what was tried and what it brought, objects by state, values related to each other.
    Guided,
    /// Operations, objects and values uniformly at random: a baseline to compare with.
    Uniform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildName {
    /// With all checks of the compiler and the standard library.
    Debug,
    /// Without the standard library's checks of unsafe preconditions.
    Unchecked,
    /// Optimised: arithmetic wraps around, no debug assertions.
    Release,
    /// Like release, watched by AddressSanitizer.
    Asan,
    /// All of them.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Broken memory, and processes that end.
    Memory,
    /// Broken laws and contracts, too.
    Law,
    /// Undeclared panics, too.
    Panic,
    /// All that is reported, hangs and flaky faults included.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Reads `NAME=VALUE`.
fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is no variable; write it like `NAME=VALUE`")),
    }
}

/// Reads `60s`, `500ms`, `2m`, `1h` or a bare number of seconds.
fn parse_time(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let problem = || format!("`{text}` is no time; write it like `60s`, `500ms` or `2m`");
    let number: u64 = number.parse().map_err(|_| problem())?;
    let millis = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1_000),
        "m" | "min" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    // A time of centuries is a slip of the keyboard and must not overflow.
    let millis = millis.and_then(|unit| number.checked_mul(unit)).ok_or_else(problem)?;
    if millis == 0 {
        return Err("the time must be longer than nothing".into());
    }
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        LowArgs::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        let command = LowArgs::command();
        let nested = command.get_subcommands().flat_map(clap::Command::get_subcommands);
        for command in std::iter::once(&command).chain(command.get_subcommands()).chain(nested) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("cargo gainsay"), "{}: {help}", command.get_name());
        }
    }

    #[test]
    fn times_are_read_with_their_unit() {
        let check = |text: &str, millis: Option<u64>| {
            assert_eq!(parse_time(text).ok(), millis.map(Duration::from_millis), "{text}");
        };
        check("60s", Some(60_000));
        check("60", Some(60_000));
        check("500ms", Some(500));
        check("2m", Some(120_000));
        check("1h", Some(3_600_000));
        check("", None);
        check("s", None);
        check("-3s", None);
        check("0s", None);
        check("3 days", None);
        check("99999999999999999h", None);
    }
}
