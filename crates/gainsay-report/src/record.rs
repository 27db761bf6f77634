//! `run.json`: what a run leaves behind for the commands that show its results. Unlike
//! `summary.json` its format is nobody else's business.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use gainsay_model::{
    api::Dependency,
    build::Build,
    contract::{Attacks, Contract, ContractKind, Evidence, Unsettled, Verdict, Via, WrittenPlace},
    fault::{Confirmation, Fault, FirstSeen},
    features::Features,
    resolve::Words,
    script::sequence_text,
    spelling::Spelling,
};
use gainsay_wire::{
    DeathCause, Expr, LawId, LawParty, Manifest, ManifestParam, Misuse, Names, Oracle, Sequence,
    expr_text, from_bytes, to_bytes,
};
use serde::{Deserialize, Serialize};

use crate::{
    as_text,
    code::{self, Book},
    needs::{needs, twist_of},
    summary::{FaultEntry, Summary},
};

/// The version of the format.
const VERSION: u32 = 1;
const RUN: &str = "run.json";
const SUMMARY: &str = "summary.json";

/// Everything that is shown of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    version: u32,
    /// Directory of the subject's package.
    pub root: PathBuf,
    /// The numbers.
    pub summary: Summary,
    /// Crates besides the subject that calls name.
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
    /// The features that the subject was tested with.
    #[serde(default)]
    pub features: Features,
    /// How each operation is written, by its number.
    pub spellings: Vec<Spelling>,
    /// Faults with their sequences.
    pub faults: Vec<FaultRecord>,
    /// Contracts with their verdicts.
    pub contracts: Vec<ContractRecord>,
}

/// A fault that can be replayed and written as a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// Stable across seeds.
    pub id: String,
    /// Who objects.
    pub oracle: OracleRecord,
    /// The operation's path.
    pub operation: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// For a broken law: the objects that break it, as the last step has them.
    #[serde(skip_serializing_if = "Vec::is_empty", default, with = "as_text::list")]
    pub parties: Vec<LawParty>,
    /// Whether replays showed it.
    pub confirmation: Confirmation,
    /// When exploration first saw it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<FirstSeen>,
    /// The build that shows it.
    #[serde(default)]
    pub build: Build,
    /// The sequence as text, as `--from` reads it.
    pub script: String,
    /// The sequence in the wire's bytes, as hexadecimal digits.
    sequence: String,
}

/// [`Oracle`] in a form that can be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum OracleRecord {
    /// An element was misused.
    Probe {
        /// How.
        #[serde(with = "as_text")]
        what: Misuse,
    },
    /// The process died.
    Death {
        /// How.
        #[serde(with = "as_text")]
        how: DeathCause,
    },
    /// A law was broken.
    Law {
        /// Which.
        #[serde(with = "as_text")]
        name: LawId,
    },
    /// A panic nobody declared.
    Panic {
        /// The file as rustc names it.
        file: String,
        /// The line.
        line: u32,
        /// The panic's message.
        message: String,
    },
    /// No end in sight.
    Hang,
    /// Memory without bound.
    Memory,
    /// A value that stands for failure also occurs as an ordinary value.
    Sentinel {
        /// The contract's text.
        contract: String,
    },
}

/// A contract as text with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractRecord {
    /// The operation's path.
    pub operation: String,
    /// The operation's number.
    pub op: u32,
    /// Its operands by name, each with whether it is an object.
    pub operands: Vec<(String, bool)>,
    /// What it claims to be.
    pub kind: ContractKind,
    /// The claim.
    pub text: String,
    /// Why it was believed.
    pub evidence: Evidence,
    /// What the search made of it.
    pub verdict: VerdictRecord,
    /// Where the programmer wrote it, if so: then it is no news.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written: Option<WrittenPlace>,
    /// Claims that follow from it and are not shown for that reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub implies: Vec<String>,
}

/// [`Verdict`] in a form that can be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum VerdictRecord {
    /// Deliberately attacked without success.
    Upheld {
        /// What was tried.
        #[serde(flatten)]
        attacks: Attacks,
    },
    /// A passing call contradicts it.
    Refuted {
        /// How the counterexample was found.
        via: Via,
        /// The counterexample as lines of Rust.
        steps: Vec<String>,
        /// The same in the notation of `--from`.
        script: String,
        /// The same as bytes in hexadecimal digits.
        sequence: String,
    },
    /// Its violation panicked every time.
    RealPrecondition {
        /// The calls that violated it.
        #[serde(flatten)]
        attacks: Attacks,
    },
    /// The search ended without an answer.
    Unsettled {
        /// Why.
        reason: Unsettled,
        /// What was tried until then.
        #[serde(flatten)]
        attacks: Attacks,
    },
}

/// Results of a run could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// No run has left results here.
    #[error("there is no run in `{}`", .dir.display())]
    NoRun {
        /// The results directory.
        dir: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot access `{}`", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what this version writes.
    #[error("`{}` was written by another version of gainsay or is damaged", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
    },
}

impl RunRecord {
    /// A record of these parts.
    pub fn new(root: PathBuf, summary: Summary, spellings: Vec<Spelling>) -> RunRecord {
        let (faults, contracts, dependencies) = (Vec::new(), Vec::new(), Vec::new());
        let features = Features::default();
        let version = VERSION;
        RunRecord { version, root, summary, dependencies, features, spellings, faults, contracts }
    }

    /// How operations are written.
    pub fn book(&self) -> Book<'_> {
        Book(&self.spellings)
    }

    /// Writes `summary.json` and `run.json` into the results directory.
    pub fn save(&self, dir: &Path) -> Result<(), RecordError> {
        write_json(&dir.join(SUMMARY), &self.summary)?;
        write_json(&dir.join(RUN), self)
    }

    /// Reads what the last run left.
    pub fn load(dir: &Path) -> Result<RunRecord, RecordError> {
        let path = dir.join(RUN);
        let text = fs::read(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => RecordError::NoRun { dir: dir.to_owned() },
            _ => RecordError::File { path: path.clone(), source },
        })?;
        let record = serde_json::from_slice::<RunRecord>(&text).ok();
        record.filter(|record| record.version == VERSION).ok_or(RecordError::Unreadable { path })
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let problem = |source| RecordError::File { path: path.to_owned(), source };
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| problem(error.into()))?;
    text.push(b'\n');
    // A reader never sees half a file, however the run ends.
    let draft = path.with_extension("json.new");
    fs::write(&draft, text).and_then(|()| fs::rename(&draft, path)).map_err(problem)
}

impl FaultRecord {
    /// The record of a fault.
    pub fn new(fault: &Fault, manifest: &Manifest) -> FaultRecord {
        FaultRecord {
            id: fault.id.clone(),
            oracle: OracleRecord::from(&fault.oracle),
            operation: fault.operation.clone(),
            message: fault.message.clone(),
            parties: fault.parties.clone(),
            confirmation: fault.confirmation,
            seen: fault.seen,
            build: fault.build,
            script: sequence_text(&fault.sequence, manifest),
            sequence: hex(&to_bytes(&fault.sequence)),
        }
    }

    /// The sequence; `None` when the record is damaged.
    pub fn sequence(&self) -> Option<Sequence> {
        from_bytes(&unhex(&self.sequence)?).ok()
    }

    /// Where it stands among others: what repeats first, then what takes no misbehaviour of the
    /// caller's code, then what nobody can wave away.
    pub fn rank(&self) -> impl Ord + '_ {
        let (class, needs) = (self.oracle.class(), self.needs().is_some());
        (self.confirmation, needs, class, self.build, &self.operation, &self.id)
    }

    /// What it needs of its caller's code, in words; `None` when that may behave well.
    pub fn needs(&self) -> Option<String> {
        self.sequence().as_ref().and_then(twist_of).map(needs)
    }

    /// The entry of `summary.json`.
    pub fn entry(&self, book: Book<'_>) -> FaultEntry {
        FaultEntry {
            id: self.id.clone(),
            class: self.oracle.class(),
            oracle: self.oracle.name().to_owned(),
            operation: self.operation.clone(),
            place: self.oracle.place(),
            message: self.message.clone(),
            steps: self.sequence().map(|s| code::lines(&s, book)).unwrap_or_default(),
            confirmed: FaultEntry::is_confirmed(self.confirmation),
            injected: self.needs().is_some(),
            needs: self.needs(),
            seen: self.seen,
            build: self.build,
        }
    }
}

impl ContractRecord {
    /// The record of a contract.
    pub fn new(
        contract: &Contract,
        verdict: &Verdict,
        manifest: &Manifest,
        book: Book<'_>,
    ) -> ContractRecord {
        let op = manifest.ops.get(contract.op.0 as usize);
        let names = op.map(gainsay_wire::ManifestOp::operand_names).unwrap_or_default();
        let is_object = |param: &ManifestParam| matches!(param, ManifestParam::Object(..));
        let operands = |op: &gainsay_wire::ManifestOp| {
            op.names.iter().cloned().zip(op.params.iter().map(is_object)).collect()
        };
        ContractRecord {
            operation: op.map(|op| op.name.clone()).unwrap_or_default(),
            op: contract.op.0,
            operands: op.map(operands).unwrap_or_default(),
            kind: contract.kind,
            text: expr_text(&contract.expr, &names, contract.kind.point()),
            evidence: contract.evidence,
            verdict: VerdictRecord::new(verdict, manifest, book),
            written: None,
            implies: Vec::new(),
        }
    }

    /// With what follows from it.
    #[must_use]
    pub fn implying(mut self, implied: &[(ContractKind, Expr)]) -> ContractRecord {
        let names = Names::new(self.operands.iter().cloned());
        let said = implied.iter().map(|(kind, expr)| {
            format!("{} {}", kind.keyword(), expr_text(expr, &names, kind.point()))
        });
        self.implies = said.collect();
        self
    }
}

impl ContractRecord {
    /// The claim, and the names that it uses; `None` when another version wrote it.
    pub(crate) fn parsed(&self) -> Option<(Expr, Names)> {
        let names = Names::new(self.operands.iter().cloned());
        let words = Words::of_record(names.clone());
        Some((words.resolve(&self.text, self.kind.point()).ok()?, names))
    }

    /// Whether a passing call contradicts it.
    pub(crate) fn is_refuted(&self) -> bool {
        matches!(self.verdict, VerdictRecord::Refuted { .. })
    }

    /// Whether its violation panicked every time.
    pub(crate) fn is_real_precondition(&self) -> bool {
        matches!(self.verdict, VerdictRecord::RealPrecondition { .. })
    }
}

impl VerdictRecord {
    fn new(verdict: &Verdict, manifest: &Manifest, book: Book<'_>) -> VerdictRecord {
        match verdict.clone() {
            Verdict::Upheld { attacks } => VerdictRecord::Upheld { attacks },
            Verdict::Refuted { by, via } => VerdictRecord::Refuted {
                via,
                steps: code::lines(&by, book),
                script: sequence_text(&by, manifest),
                sequence: hex(&to_bytes(&by)),
            },
            Verdict::RealPrecondition { attacks } => VerdictRecord::RealPrecondition { attacks },
            Verdict::Unsettled { reason, attacks } => VerdictRecord::Unsettled { reason, attacks },
        }
    }

    /// The calls that contradict the contract; `None` when there are none, or the record is
    /// damaged.
    pub fn counterexample(&self) -> Option<Sequence> {
        match self {
            VerdictRecord::Refuted { sequence, .. } => from_bytes(&unhex(sequence)?).ok(),
            _ => None,
        }
    }
}

/// What a fault is about, what nobody can wave away first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultClass {
    /// Memory is broken, or the process ends.
    Memory,
    /// A law that every type of its kind keeps does not hold.
    Law,
    /// A contract of the operation does not hold.
    Contract,
    /// A panic that nothing announces.
    Panic,
    /// It takes time or memory without end.
    Endless,
}

impl FaultClass {
    /// All there are, in their order.
    pub const ALL: [FaultClass; 5] = [
        FaultClass::Memory,
        FaultClass::Law,
        FaultClass::Contract,
        FaultClass::Panic,
        FaultClass::Endless,
    ];
}

impl OracleRecord {
    /// What it is about.
    pub fn class(&self) -> FaultClass {
        match self {
            // Whoever exits does so on purpose.
            OracleRecord::Panic { .. } | OracleRecord::Death { how: DeathCause::Exit(_) } => {
                FaultClass::Panic
            }
            OracleRecord::Probe { .. } | OracleRecord::Death { .. } => FaultClass::Memory,
            OracleRecord::Law { .. } => FaultClass::Law,
            OracleRecord::Sentinel { .. } => FaultClass::Contract,
            OracleRecord::Hang | OracleRecord::Memory => FaultClass::Endless,
        }
    }

    /// One word, as in `summary.json`.
    pub fn name(&self) -> &'static str {
        match self {
            OracleRecord::Probe { .. } => "probe",
            OracleRecord::Death { .. } => "death",
            OracleRecord::Law { .. } => "law",
            OracleRecord::Panic { .. } => "panic",
            OracleRecord::Hang => "hang",
            OracleRecord::Memory => "memory",
            OracleRecord::Sentinel { .. } => "sentinel",
        }
    }

    /// `file:line` of a panic, or of a call that ended the process.
    pub fn place(&self) -> Option<String> {
        match self {
            OracleRecord::Panic { file, line, .. } => Some(format!("{file}:{line}")),
            OracleRecord::Death { how } => how.place().map(ToString::to_string),
            _ => None,
        }
    }
}

impl From<&Oracle> for OracleRecord {
    fn from(oracle: &Oracle) -> OracleRecord {
        match oracle.clone() {
            Oracle::Probe(what) => OracleRecord::Probe { what },
            Oracle::Death(how) => OracleRecord::Death { how },
            Oracle::Law(name) => OracleRecord::Law { name },
            Oracle::Panic(place) => OracleRecord::Panic {
                file: short_file(&place.file),
                line: place.line,
                message: place.message,
            },
            Oracle::Hang => OracleRecord::Hang,
            Oracle::Memory => OracleRecord::Memory,
            Oracle::Sentinel(contract) => OracleRecord::Sentinel { contract },
        }
    }
}

/// The file without what differs from machine to machine.
fn short_file(file: &str) -> String {
    if !file.starts_with('/') {
        return file.to_owned();
    }
    let from = file.find("/library/").filter(|_| file.starts_with("/rustc/"));
    let from = from.or_else(|| file.rfind("/src/")).or_else(|| file.rfind('/'));
    file[from.map_or(0, |at| at + 1)..].to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}

fn digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let nibbles: Vec<u32> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = nibbles.chunks(2);
    pairs.map(|pair| u8::try_from(pair.first()? * 16 + pair.get(1)?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_is_saved_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let record = samples::record();
        record.save(dir.path()).unwrap();
        assert_eq!(RunRecord::load(dir.path()).unwrap(), record);
        let fault = &record.faults[0];
        assert_eq!(fault.sequence().unwrap(), samples::overflow().sequence);
    }

    #[test]
    fn a_missing_and_a_damaged_record_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(RunRecord::load(dir.path()), Err(RecordError::NoRun { .. })));
        fs::write(dir.path().join(RUN), "{}").unwrap();
        assert!(matches!(RunRecord::load(dir.path()), Err(RecordError::Unreadable { .. })));
        let newer = RunRecord { version: VERSION + 1, ..samples::record() };
        newer.save(dir.path()).unwrap();
        assert!(matches!(RunRecord::load(dir.path()), Err(RecordError::Unreadable { .. })));
    }

    #[test]
    fn panic_places_say_nothing_about_the_machine() {
        let check = |file: &str, short: &str| assert_eq!(short_file(file), short);
        check("src/lib.rs", "src/lib.rs");
        check("/x/stack-1.2.3/src/a/b.rs", "src/a/b.rs");
        check("/rustc/59807616/library/core/src/option.rs", "library/core/src/option.rs");
        check("/x/build.rs", "build.rs");
    }

    #[test]
    fn hexadecimal_digits_go_there_and_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!(unhex("0"), None);
        assert_eq!(unhex("zz"), None);
    }

    #[test]
    fn the_summary_is_what_its_page_describes() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&samples::record().summary).unwrap());
    }
}
