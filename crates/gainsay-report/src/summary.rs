//! `summary.json`: the numbers of a run for programs to read. `docs/summary-json.md` tells every
//! field; a change that a reader could notice raises [`VERSION`].

use std::{collections::BTreeMap, path::PathBuf};

use gainsay_model::{
    api::{OpKind, Subject},
    build::Build,
    event::StopReason,
    fault::{Confirmation, FirstSeen, PanicClass},
    features::{Extra, Features},
    skip::{DemotionReason, SkipReason},
};
use gainsay_wire::OpCount;
use serde::{Deserialize, Serialize};

use crate::{catalogue::OperationEntry, record::FaultClass};

/// The version of the format.
pub const VERSION: u32 = 1;

/// A whole run in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`VERSION`] of the program that wrote it.
    pub version: u32,
    /// The crate under test.
    pub subject: SubjectName,
    /// Features beyond the default ones: what was on, asked for or not, and what was not.
    #[serde(default)]
    pub features: Extra,
    /// Decided everything random.
    pub seed: u64,
    /// How calls were chosen: `guided` or `uniform`.
    #[serde(default)]
    pub strategy: String,
    /// Why exploration ended.
    pub stop_reason: StopReason,
    /// The parts of the sandbox that were in force; none without a sandbox.
    pub sandbox: Vec<String>,
    /// What could be called, and what became of it.
    pub operations: Operations,
    /// Calls made, refutation included.
    pub calls: u64,
    /// Those of them that were made in epochs in which the caller's code misbehaved.
    pub injected_calls: u64,
    /// Processor seconds of all workers; not known where other builds were made meanwhile.
    pub cpu_seconds: Option<f64>,
    /// `calls / cpu_seconds`.
    pub calls_per_cpu_second: Option<f64>,
    /// Distinct abstract states.
    pub states: u64,
    /// Distinct transitions.
    pub transitions: u64,
    /// What is looked at around each call.
    #[serde(default)]
    pub views: ViewSet,
    /// Distinct coverage counters that were hit: those of the subject's own code, if it is known
    /// which these are.
    pub covered: u64,
    /// How many of them there are in the program that was run, if that is known.
    #[serde(default)]
    pub coverable: Option<u64>,
    /// Of these, hit before contracts were attacked.
    pub covered_by_exploration: u64,
    /// What objects are seen by, one entry per type.
    pub types: Vec<TypeViews>,
    /// Wrong outcomes, one entry each.
    pub faults: Vec<FaultEntry>,
    /// Faults of earlier runs that no longer show.
    #[serde(default)]
    pub gone: Vec<GoneFault>,
    /// Panics that are the caller's business.
    pub illegal: Illegal,
    /// Contracts by verdict.
    pub contracts: ContractCounts,
    /// What attacks on them took.
    #[serde(default)]
    pub reduction: ReductionFigures,
    /// Wall time of the stages in their order.
    pub stages: Vec<StageTime>,
}

/// What attacks on contracts took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReductionFigures {
    /// Sequences that were run.
    pub runs: u64,
    /// Wall time in all.
    pub seconds: f64,
    /// Of it, while workers were running calls.
    pub running_seconds: f64,
    /// Of it, while the store was searched.
    pub searching_seconds: f64,
    /// Of it, while preconditions of parts of the calls were inferred.
    #[serde(default)]
    pub inferring_seconds: f64,
    /// Of it, while what was seen was recorded.
    #[serde(default)]
    pub recording_seconds: f64,
    /// What searching took for a contract in a round, in the median.
    pub median_search_millis: f64,
}

/// The views of a type as calibration settled them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeViews {
    /// The type as written in code.
    pub r#type: String,
    /// Queries without argument: their values are an object's state.
    pub state: Vec<String>,
    /// Queries of one operand on another.
    pub relations: Vec<String>,
    /// Queries that are no views, and why.
    pub demoted: Vec<DemotedView>,
    /// Whether values share state with others, as handles do.
    pub shares: bool,
    /// What is true of every object.
    #[serde(default)]
    pub invariants: Vec<TypeInvariant>,
    /// Laws that were checked on its objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<CheckedLaw>,
}

/// How a law fared on the objects of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedLaw {
    /// Its name.
    pub law: String,
    /// `trait`, `name`, `convention` or `guess`.
    pub rests_on: String,
    /// Times that it applied.
    pub checked: u64,
    /// Times that it did not hold.
    pub broken: u64,
    /// Whether the type follows it, so that what breaks it is a fault.
    pub followed: bool,
}

/// A fact about every object of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeInvariant {
    /// As it is written of `self`.
    pub text: String,
    /// Distinct states in which it could have failed.
    pub states: u64,
}

/// A query that is no view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DemotedView {
    /// Its name.
    pub query: String,
    /// Why.
    pub reason: DemotionReason,
}

/// Which crate it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectName {
    /// Package name.
    pub name: String,
    /// Package version.
    pub version: String,
}

/// How much there is to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewSet {
    /// Types whose objects are looked at.
    pub types: u64,
    /// Queries of all of them together.
    pub queries: u64,
    /// Mean size of what a look at an object brings, over distinct states of an epoch.
    pub mean_state_bytes: f64,
}

/// Counts of operations, and one record each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Public safe callables before any skip.
    pub public: u64,
    /// Public unsafe callables.
    pub r#unsafe: u64,
    /// Callables that the harness can call.
    pub harnessed: u64,
    /// Of these, called at least once.
    pub called: u64,
    /// Of these, came back with a value or `Err` at least once.
    pub returned: u64,
    /// Callables not exercised, by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// One per callable, skipped ones included, by path.
    pub records: Vec<OperationRecord>,
}

/// How one callable fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationRecord {
    /// For people, such as `SmallVec::push`.
    pub path: String,
    /// The type it belongs to; absent for a free function.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<String>,
    /// What it is to its receiver.
    pub kind: OpKind,
    /// Whether the harness can call it.
    pub harnessed: bool,
    /// Times called.
    pub called: u64,
    /// Times it came back with a value or `Err`.
    pub returned: u64,
    /// Times it panicked.
    pub panicked: u64,
    /// How its calls ended, with how often: `returned`, `err`, `panicked`, `timed-out`,
    /// `out-of-memory`, `exited: ..`, `aborted: ..`.
    #[serde(default)]
    pub outcomes: BTreeMap<String, u64>,
    /// Why it was not exercised, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skip: Option<SkipEntry>,
}

/// Why a callable was not exercised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkipEntry {
    /// The reason.
    pub reason: SkipReason,
    /// The particular: a type's name, or rustc's message.
    pub detail: String,
}

/// A fault of an earlier run that no longer shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneFault {
    /// Its identity.
    pub id: String,
    /// The operation's path.
    pub operation: String,
    /// What was wrong.
    pub message: String,
    /// The file that it is replayed from.
    pub file: PathBuf,
}

/// A wrong outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultEntry {
    /// Stable across seeds.
    pub id: String,
    /// What it is about.
    pub class: FaultClass,
    /// Who objects: `probe`, `death`, `law`, `panic`, `hang`, `memory` or `sentinel`.
    pub oracle: String,
    /// The operation's path.
    pub operation: String,
    /// `file:line` of a panic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The shortest sequence known, as lines of Rust.
    pub steps: Vec<String>,
    /// Whether every replay in a fresh process showed it.
    pub confirmed: bool,
    /// Whether misbehaviour of the caller's code was needed to show it.
    pub injected: bool,
    /// Which, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub needs: Option<String>,
    /// When exploration first saw it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<FirstSeen>,
    /// The build that shows it: `debug`, `unchecked`, `release` or `asan`.
    #[serde(default)]
    pub build: Build,
}

/// Panics that are the caller's business, not faults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Illegal {
    /// Operations whose documentation states the panics that were seen.
    pub documented: u64,
    /// Operations whose own assertion panicked without a word in the documentation.
    pub undocumented: u64,
    /// Operations that asked for more than a machine has.
    pub resource_limits: u64,
    /// One per operation and panic place.
    pub records: Vec<IllegalRecord>,
}

/// A precondition that was seen at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IllegalRecord {
    /// The operation's path.
    pub operation: String,
    /// What kind of panic it is.
    pub class: PanicClass,
    /// `file:line` of the panic.
    pub place: String,
    /// The panic's message.
    pub message: String,
    /// The learnt condition as text, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub condition: Option<String>,
}

/// Contracts by what the search made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractCounts {
    /// All that survived inference.
    pub inferred: u64,
    /// Deliberately attacked without success.
    pub upheld: u64,
    /// Contradicted by a passing call.
    pub refuted: u64,
    /// The search ended without an answer.
    pub unsettled: u64,
    /// Preconditions whose violation panicked every time.
    pub real_preconditions: u64,
    /// Found, but written by the programmer already; counted in none of the others.
    #[serde(default)]
    pub written: u64,
}

/// How long a stage took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// Name of the stage.
    pub name: String,
    /// Wall time.
    pub seconds: f64,
}

impl SubjectName {
    /// The name of a subject.
    pub fn of(subject: &Subject) -> SubjectName {
        SubjectName { name: subject.name.clone(), version: subject.version.clone() }
    }
}

/// What a subject was tested with beyond its default features.
pub fn beyond_default(features: &Features) -> Extra {
    Extra { on: features.all_named(), ..features.extra.clone() }
}

impl Illegal {
    /// Counts operations by class; one operation may count in several.
    pub fn of(mut records: Vec<IllegalRecord>) -> Illegal {
        records.sort_by(|a, b| (&a.operation, &a.place).cmp(&(&b.operation, &b.place)));
        let count = |class: PanicClass| {
            let seen = records.iter().filter(|record| record.class == class);
            let mut paths: Vec<&str> = seen.map(|record| record.operation.as_str()).collect();
            paths.dedup();
            paths.len() as u64
        };
        Illegal {
            documented: count(PanicClass::Documented),
            undocumented: count(PanicClass::OwnAssertion),
            resource_limits: count(PanicClass::ResourceLimit),
            records,
        }
    }
}

impl Operations {
    /// Counts from the records; `public` and `unsafe` come from discovery.
    pub fn of(public: u64, unsafe_count: u64, mut records: Vec<OperationRecord>) -> Operations {
        records.sort_by(|a, b| a.path.cmp(&b.path));
        let count = |holds: fn(&OperationRecord) -> bool| {
            records.iter().filter(|record| holds(record)).count() as u64
        };
        let mut skipped = BTreeMap::new();
        for skip in records.iter().filter_map(|record| record.skip.as_ref()) {
            *skipped.entry(skip.reason).or_insert(0) += 1;
        }
        Operations {
            public,
            r#unsafe: unsafe_count,
            harnessed: count(|record| record.harnessed),
            called: count(|record| record.called > 0),
            returned: count(|record| record.returned > 0),
            skipped,
            records,
        }
    }
}

impl OperationRecord {
    /// How a callable of the catalogue fared. What never became ready is harnessed all the same.
    pub fn new(entry: &OperationEntry, count: OpCount) -> OperationRecord {
        let never = || SkipEntry { reason: SkipReason::NeverReady, detail: String::new() };
        let skip = entry.skip.clone().or_else(|| (count.called == 0).then(never));
        OperationRecord {
            path: entry.path.clone(),
            owner: entry.owner.clone(),
            kind: entry.kind,
            harnessed: entry.skip.is_none(),
            called: count.called,
            returned: count.returned,
            panicked: count.panicked,
            outcomes: outcomes(count),
            skip,
        }
    }

    /// Takes in that workers died of calls. Those were calls, too, and what was called was ready.
    pub fn add_deaths(&mut self, manner: &str, count: u64) {
        *self.outcomes.entry(manner.to_owned()).or_default() += count;
        self.called += count;
        self.skip.take_if(|skip| skip.reason == SkipReason::NeverReady);
    }
}

/// The ways to end that a call can be told of by its worker, as far as they were seen.
fn outcomes(count: OpCount) -> BTreeMap<String, u64> {
    let ways = [
        ("returned", count.returned - count.failed),
        ("err", count.failed),
        ("panicked", count.panicked),
    ];
    let seen = ways.into_iter().filter(|(_, times)| *times > 0);
    seen.map(|(way, times)| (way.to_owned(), times)).collect()
}

impl FaultEntry {
    /// Whether a replay confirmed it.
    pub fn is_confirmed(confirmation: Confirmation) -> bool {
        confirmation == Confirmation::Confirmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(path: &str, called: u64, returned: u64, skip: Option<SkipReason>) -> OperationRecord {
        let skip = skip.map(|reason| SkipEntry { reason, detail: String::new() });
        let entry = OperationEntry {
            path: path.to_owned(),
            owner: None,
            kind: OpKind::Query,
            instances: Vec::new(),
            conditions: Vec::new(),
            skip,
        };
        OperationRecord::new(&entry, OpCount { called, returned, ..OpCount::default() })
    }

    #[test]
    fn operations_are_counted_from_their_records() {
        let operations = Operations::of(
            5,
            1,
            vec![
                record("b", 3, 2, None),
                record("a", 4, 0, None),
                record("c", 0, 0, None),
                record("d", 0, 0, Some(SkipReason::Async)),
            ],
        );
        assert_eq!(operations.records[0].path, "a");
        assert_eq!((operations.harnessed, operations.called, operations.returned), (3, 2, 1));
        let skipped: Vec<_> = operations.skipped.into_iter().collect();
        assert_eq!(skipped, [(SkipReason::Async, 1), (SkipReason::NeverReady, 1)]);
    }

    #[test]
    fn one_operation_with_two_panics_of_a_class_counts_once() {
        let record = |operation: &str, class, place: &str| IllegalRecord {
            operation: operation.into(),
            class,
            place: place.into(),
            message: String::new(),
            condition: None,
        };
        let illegal = Illegal::of(vec![
            record("b", PanicClass::Documented, "x:1"),
            record("a", PanicClass::Documented, "x:2"),
            record("a", PanicClass::OwnAssertion, "x:3"),
            record("a", PanicClass::Documented, "x:4"),
        ]);
        assert_eq!((illegal.documented, illegal.undocumented), (2, 1));
    }
}
