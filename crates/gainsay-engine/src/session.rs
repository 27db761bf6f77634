//! The crate under test in its ordinary build, with the workers that call it, the campaign that
//! knows what was seen and the store that keeps it. The stages pass it on to each other.

mod former_objects;
mod last_run;
mod start;

use std::cell::{Ref, RefCell};

use gainsay_explore::{Budget, Campaign, Listeners, SeenObject, recheck, run_script};
use gainsay_harness::Harness;
use gainsay_model::{
    api::{Api, Operation},
    event::StopReason,
};
use gainsay_report::ViewSet;
use gainsay_search::{SearchContext, SearchLimits, evaluate_relations};
use gainsay_store::{Samples, Store, StoredObject};
use gainsay_wire::{
    Breadth, Check, EpochReport, KeptCall, OpId, RunReport, RunTask, Sequence,
    Settings as WorkerSettings, Violation, to_bytes,
};
use gainsay_workers::{Answer, Cancel, Fleet, Runner as _, children_cpu_seconds};

pub(crate) use self::start::{Crew, Workers, confinement, start_fleet};
use crate::{
    builds::Workshop,
    ctx::Ctx,
    error::Result,
    known_faults::KnownFaults,
    settings::{RunSettings, Sandbox},
};

/// Calls with several objects that are looked at for relations between their versions, at most: each
/// is evaluated with every relation of its types, so that this bounds a part of the run that no
/// budget ends.
const MOST_RELATED: usize = 2_000;
/// Only the states of one epoch in so many are encoded to learn their size: encoding all of them
/// would cost as much as recording them.
const SIZED_EVERY: u64 = 8;

/// A crate under test.
pub struct Session {
    /// The surface of the crate.
    pub api: Api,
    /// The worker program of the ordinary build.
    pub harness: Harness,
    /// The settings of the run.
    pub settings: RunSettings,
    /// The evidence of this run and of earlier ones.
    pub store: Store,
    /// The worker processes.
    pub fleet: Fleet,
    /// The totals and findings so far, and what is to be tried next.
    pub campaign: Campaign,
    /// Calls that attacks made, as long as somebody wants to look at them again.
    pub attacked: Option<Vec<KeptCall>>,
    pub(crate) sandbox: Sandbox,
    /// Builds that are being made while the ordinary one is tested.
    pub(crate) workshop: Option<Workshop>,
    /// Faults of earlier runs, where they are of interest.
    pub(crate) known_faults: Option<KnownFaults>,
    /// Calls in which several objects met, for relations between them.
    meetings: Vec<KeptCall>,
    /// Observations that were read from the store so far.
    samples: RefCell<Samples>,
    /// Coverage counters hit by the time exploration ended.
    pub(crate) covered_before: u64,
    sizes: Sizes,
    cpu_before: Option<f64>,
}

/// The outcome of making stored objects again, each in a fresh process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemadeObjects {
    /// Objects in the state in which they were stored.
    pub same: u64,
    /// All others.
    pub different: u64,
}

/// Encoded sizes of states, of some epochs.
#[derive(Clone, Copy, Default)]
struct Sizes {
    epochs: u64,
    states: u64,
    bytes: u64,
}

impl Session {
    /// Returns the operation of the crate behind a number of the vocabulary.
    pub(crate) fn operation_of(&self, op: OpId) -> Option<&Operation> {
        self.api.operations.get(self.harness.operations.get(op.0 as usize)?.api?)
    }

    /// Reads distinct observations of each operation.
    // Each round learns from all of them, but only those recorded since the last one are decoded.
    pub(crate) fn read_samples(&self) -> Result<Ref<'_, Samples>> {
        self.store.update_samples(&mut self.samples.borrow_mut())?;
        Ok(self.samples.borrow())
    }

    /// Gives up measuring processor time: compilers that run beside the workers are children, too.
    pub(crate) fn forget_cpu_time(&mut self) {
        self.cpu_before = None;
    }

    /// Makes stored objects again, each in a fresh process, and counts those that look the same.
    pub fn remake_objects(&mut self, most: usize, cancel: &Cancel) -> Result<RemadeObjects> {
        let objects = self.store.some_objects(most)?;
        let seen: Vec<SeenObject<'_>> = objects
            .iter()
            .map(|StoredObject { ty, recipe, at, state }| SeenObject {
                ty: *ty,
                recipe,
                at: *at,
                state: *state,
            })
            .collect();
        let found = recheck(&mut self.fleet, &seen, cancel)?;
        Ok(RemadeObjects { same: found.same, different: found.different.len() as u64 })
    }

    /// Evaluates relations among the objects of calls in which several met.
    pub(crate) fn relate_versions(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let manifest = self.fleet.manifest().clone();
        let mut context = SearchContext {
            store: &mut self.store,
            manifest: &manifest,
            limits: SearchLimits::default(),
            cancel: &ctx.cancel,
            on_event: ctx.events,
        };
        evaluate_relations(&mut context, &mut self.fleet, &self.meetings)?;
        Ok(())
    }

    /// Explores until the budget ends.
    pub fn explore_for(&mut self, budget: Budget, ctx: &mut Ctx<'_>) -> Result<Stretch> {
        let (store, meetings, sizes) = (&mut self.store, &mut self.meetings, &mut self.sizes);
        let (campaign, fleet) = (&mut self.campaign, &mut self.fleet);
        let mut violations: Vec<Violation> = Vec::new();
        // Recording goes on in a thread of its own while workers make the next epochs.
        let end = store.record_while(|record| {
            let mut report = |report: EpochReport| {
                violations.extend(report.violations.iter().cloned());
                keep_meetings(meetings, &report.kept);
                sizes.add_epoch(&report);
                record(report);
            };
            let mut listeners = Listeners { report: &mut report, event: ctx.events };
            campaign.run(fleet, budget, &ctx.cancel, &mut listeners)
        })??;
        Ok(Stretch { stop: end.stop, violations })
    }

    /// Runs given sequences in place of random ones.
    pub(crate) fn run_sequences(
        &mut self,
        sequences: &[Sequence],
        cancel: &Cancel,
    ) -> Result<StopReason> {
        let ground = self.campaign.ground().clone();
        let findings = self.campaign.findings_mut();
        let report = run_script(&mut self.fleet, sequences, &ground, findings, cancel)?;
        keep_meetings(&mut self.meetings, &report.kept);
        self.campaign.count(&report);
        self.store.record_script(&report)?;
        Ok(StopReason::Script)
    }

    /// Has workers check contracts on every passing call, and keep what `requires` says on most.
    pub fn watch_contracts(&mut self, checks: Vec<Check>, requires: Vec<Check>) -> Result<()> {
        let settings = WorkerSettings { checks, requires, ..self.fleet.settings().clone() };
        Ok(self.fleet.configure(settings)?)
    }

    /// Ends the watch: replays must not depend on it.
    pub fn stop_watching(&mut self) -> Result<()> {
        self.watch_contracts(Vec::new(), Vec::new())
    }

    /// Draws values and sizes more widely from now on.
    pub(crate) fn widen_values(&mut self) -> Result<()> {
        Ok(self.fleet.configure(widen_settings(self.fleet.settings().clone()))?)
    }

    /// Counts views and their sizes: figures of speed cannot be read without them.
    pub(crate) fn view_set(&self) -> ViewSet {
        let types = &self.fleet.manifest().types;
        let demoted = self.fleet.settings().demoted.len() as u64;
        let queries: usize = types.iter().map(|ty| ty.queries.len()).sum();
        ViewSet {
            types: types.len() as u64,
            queries: (queries as u64).saturating_sub(demoted),
            mean_state_bytes: self.sizes.mean_bytes(),
        }
    }

    /// Ends the workers and returns the processor time that they took, unless compilers took some as
    /// well.
    pub(crate) fn end_workers(self) -> Option<f64> {
        let before = self.cpu_before;
        // The system adds a child's time to its parent's account when the child has ended.
        drop(self.fleet);
        before.map(|before| children_cpu_seconds() - before)
    }
}

/// The outcome of a stretch of exploration.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The reason for its end.
    pub stop: StopReason,
    /// Calls that broke contracts under watch, the first of each.
    pub violations: Vec<Violation>,
}

impl Sizes {
    fn add_epoch(&mut self, report: &EpochReport) {
        if self.epochs.is_multiple_of(SIZED_EVERY) {
            let bytes = report.states.iter().map(|state| to_bytes(&state.values).len() as u64);
            self.bytes += bytes.sum::<u64>();
            self.states += report.states.len() as u64;
        }
        self.epochs += 1;
    }

    fn mean_bytes(self) -> f64 {
        if self.states == 0 { 0.0 } else { self.bytes as f64 / self.states as f64 }
    }
}

/// Adds values beyond those that the subject suggests: powers of two and ten with their neighbours,
/// longer texts, larger sizes.
pub(crate) fn widen_settings(mut settings: WorkerSettings) -> WorkerSettings {
    if settings.breadth == Breadth::Wide {
        return settings;
    }
    let powers = (0..63).map(|bits| 1i64 << bits).chain((1..19).map(|digits| 10i64.pow(digits)));
    settings.integers.extend(powers.flat_map(|power| [power - 1, power, power + 1, -power]));
    settings.integers.sort_unstable();
    settings.integers.dedup();
    // One, two, three bytes, a space and a zero: the texts that byte offsets and C strings get
    // wrong. 17 and 300 are beyond inline buffers and beyond a length that fits a byte.
    for text in ["a", "\u{e9}", "\u{4e16}", " ", "\0"] {
        settings.strings.extend([text.to_owned(), text.repeat(17), text.repeat(300)]);
    }
    settings.chars.extend(['\0', '\u{7f}', '\u{80}', '\u{ffff}', '\u{10ffff}']);
    settings.breadth = Breadth::Wide;
    settings
}

/// Runs a sequence in fresh processes, without views and with them.
// Views are calls themselves: a fault may need them, or may be hidden by them.
pub(crate) fn run_again(
    fleet: &mut Fleet,
    sequence: &Sequence,
    cancel: &Cancel,
) -> Result<Vec<Answer<RunReport>>> {
    let ways = [false, true].map(|views| RunTask {
        sequence: sequence.clone(),
        views,
        laws: true,
        asks: vec![],
    });
    Ok(fleet.run_fresh(&ways, cancel)?)
}

/// Keeps calls in which objects can be related.
fn keep_meetings(meetings: &mut Vec<KeptCall>, kept: &[KeptCall]) {
    let several = kept.iter().filter(|call| !call.observation.objects.is_empty());
    // The first ones: later calls are mostly variations of them.
    let room = MOST_RELATED.saturating_sub(meetings.len());
    meetings.extend(several.take(room).cloned());
}
