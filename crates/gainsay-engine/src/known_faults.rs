//! Faults of earlier runs: replayed before anything else, kept for the next run. Not to be taken for
//! regression tests, which show what works.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use gainsay_explore::{Campaign, Sighting, sightings_of};
use gainsay_model::{
    api::{Source, Subject},
    build::Build,
    event::Degradation,
    script::parse_script,
};
use gainsay_report::{FaultClass, GoneFault, KeptFault, OracleRecord, RunRecord};
use gainsay_wire::{Sequence, Twist};
use gainsay_workers::{Cancel, Fleet, Runner as _};

use crate::{
    ctx::Ctx,
    error::{EngineError, FileAction, Result},
    knowledge::sentinel_faults::find_broken_contract,
    session::run_again,
    settings::Inject,
};

/// Faults of earlier runs, with those among them that are gone.
#[derive(Debug, Default)]
pub(crate) struct KnownFaults {
    dir: PathBuf,
    kept: Vec<(PathBuf, KeptFault)>,
    /// Faults that no longer show, by their place in `kept`.
    gone: Vec<usize>,
}

/// Workers of one build, and the campaign that takes notice of their findings.
pub(crate) struct ReplayField<'a> {
    pub(crate) fleet: &'a mut Fleet,
    pub(crate) campaign: &'a mut Campaign,
}

/// Returns the directory for the faults of a subject: beside its manifest, where version control sees
/// them.
// The sources of a published crate belong to others: its faults lie with the results.
fn fault_dir(subject: &Subject) -> PathBuf {
    match subject.source {
        Source::Path => subject.root.join("gainsay").join("regressions"),
        Source::Registry => {
            let name = format!("{}-{}", subject.name, subject.version);
            subject.out_dir.join("regressions").join(name)
        }
    }
}

impl KnownFaults {
    /// Reads the faults that were kept. A file that cannot be read is told and passed over.
    pub(crate) fn load(subject: &Subject, ctx: &mut Ctx<'_>) -> KnownFaults {
        let dir = fault_dir(subject);
        let mut paths: Vec<PathBuf> = fs::read_dir(&dir)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
            .collect();
        // The order of a directory is another one on every machine, and replays follow it.
        paths.sort();
        let mut kept = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).map_err(|error| error.to_string());
            match text.and_then(|text| KeptFault::parse(&text).map_err(|why| why.to_string())) {
                Ok(fault) => kept.push((path, fault)),
                Err(why) => ctx.warn_of(Degradation::FaultFileUnreadable { path, why }),
            }
        }
        KnownFaults { dir, kept, gone: Vec::new() }
    }

    /// Counts the faults that a build showed.
    pub(crate) fn count_in_build(&self, build: Build) -> usize {
        self.kept.iter().filter(|(_, fault)| fault.build == build).count()
    }

    /// Replays the faults of the workers' build in fresh processes, with and without views. One that
    /// shows is a finding like any other, to be confirmed and shrunk.
    pub(crate) fn replay_faults(
        &mut self,
        mut field: ReplayField<'_>,
        inject: Inject,
        ctx: &mut Ctx<'_>,
    ) -> Result<()> {
        let build = field.campaign.ground().build();
        let kept = self.kept.iter().enumerate().filter(|(_, (_, it))| it.build == build);
        for (at, (path, fault)) in kept {
            let sequence = match parse_script(&fault.script, field.fleet.manifest()) {
                Ok(sequences) => sequences.into_iter().next().unwrap_or_default(),
                Err(why) => {
                    let (path, why) = (path.clone(), why.to_string());
                    ctx.warn_of(Degradation::FaultNotReplayable { path, why });
                    continue;
                }
            };
            let misbehaves = sequence.steps.iter().any(|step| step.twist != Twist::None);
            // Who asks for callers that behave does not want to hear of such faults.
            if misbehaves && inject == Inject::Never {
                continue;
            }
            let is_shown = replay_fault(&mut field, fault, &sequence, &ctx.cancel)?;
            if !is_shown && !ctx.cancel.is_cancelled() {
                self.gone.push(at);
            }
        }
        Ok(())
    }

    /// Tells in the record which faults are gone, and keeps the faults of this run.
    pub(crate) fn settle_faults(&self, record: &mut RunRecord) -> Result<()> {
        let found = record.faults.iter().any(|fault| KeptFault::of(fault).is_some());
        for (path, kept) in &self.kept {
            let now = record
                .faults
                .iter()
                .find(|fault| kept.is_same(&fault.id, &fault.operation, &fault.message));
            // Its line moved: it is kept under its new identity.
            if let Some(now) = now
                && now.id != kept.id
                && KeptFault::of(now).is_some()
            {
                remove_if_there(path)?;
            }
        }
        // No directory appears beside a manifest without a reason.
        if found {
            fs::create_dir_all(&self.dir)
                .map_err(EngineError::of_file(FileAction::Make, &self.dir))?;
        }
        for fault in record.faults.iter().filter_map(KeptFault::of) {
            let path = self.dir.join(fault.file_name());
            fs::write(&path, fault.text())
                .map_err(EngineError::of_file(FileAction::Write, path))?;
        }
        record.summary.gone = self.list_gone(record);
        Ok(())
    }

    /// Lists the faults that no replay showed, unless exploration found them all the same.
    fn list_gone(&self, record: &RunRecord) -> Vec<GoneFault> {
        let gone = self.gone.iter().filter_map(|at| self.kept.get(*at));
        let gone = gone.filter(|(_, kept)| {
            let is_same = |fault: &gainsay_report::FaultRecord| {
                kept.is_same(&fault.id, &fault.operation, &fault.message)
            };
            !record.faults.iter().any(is_same)
        });
        gone.map(|(path, kept)| GoneFault {
            id: kept.id.clone(),
            operation: kept.operation.clone(),
            message: kept.message.clone(),
            file: path.clone(),
        })
        .collect()
    }
}

/// Replays a fault; tells if it shows.
fn replay_fault(
    field: &mut ReplayField<'_>,
    fault: &KeptFault,
    sequence: &Sequence,
    cancel: &Cancel,
) -> Result<bool> {
    let answers = run_again(field.fleet, sequence, cancel)?;
    let ground = field.campaign.ground().clone();
    let manifest = field.fleet.manifest();
    let mut shown = find_broken_contract(manifest, &fault.oracle, &answers).is_some();
    let is_memory = fault.oracle.class() == FaultClass::Memory;
    for answer in &answers {
        let all = sightings_of(&ground, sequence, answer);
        let is_same = |seen: &Sighting| {
            fault.is_same(&seen.identity.id(), &seen.identity.operation, &seen.message)
        };
        let same = all.iter().any(is_same);
        // Broken memory may show in a call that only looks, which is not to blame. In other builds
        // that is found out for every finding.
        let looked = is_memory && all.iter().any(|s| OracleRecord::from(&s.oracle) == fault.oracle);
        if same || !looked || ground.build() != Build::Debug {
            field.campaign.note_replay(sequence, answer);
        }
        shown |= same || looked;
    }
    Ok(shown)
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EngineError::of_file(FileAction::Remove, path)(error))
        }
        _ => Ok(()),
    }
}
