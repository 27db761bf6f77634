//! `cargo evaluation drive`: the product's engine, driven stage by stage, for measurements that no
//! option of the product offers. One measurement is one process, as one run of the product is, so
//! that its processor time is its own and a run that does not end can be ended.

mod arguments;
mod attack_gain;
mod contract_audit;
mod figures;
mod promises;
mod recorded_contracts;

use std::{fs, process::ExitCode};

use anyhow::{Context as _, bail};
use gainsay_discover::{Request, Unasked};
use gainsay_engine::{
    Again, Calibrated, Ctx, ExplorePlan, Prepared, Replay, RunSettings, Sandbox, Target,
    find_providers, replay_fault,
};
use gainsay_model::features::Features;
use gainsay_report::RunRecord;
use gainsay_workers::{Cancel, Network};

use arguments::{Arguments, Measurement};
pub(crate) use figures::{Gain, Phase, RemadeFigures};

/// For the usage line.
pub(super) const USAGE: &str = "drive <run | explore [--bare] [--no-record] | audit FILE | gain \
    [--known FILE] [--expected FILE] | remake N | replay ID> --target-dir DIR \
    [--crate NAME@VERSION] [--default-features] [--time 10s | --calls N] [--seed 0] [--jobs N] \
    [--strategy uniform] [--no-inject] [--worker-env NAME=VALUE]";

/// The gain of attacks, beside the record of the run.
pub(crate) const GAIN: &str = "gain.json";
/// The outcome of making objects again, beside the record of the run.
pub(crate) const REMADE: &str = "remade.json";

/// Exit code of a replay that shows the fault again, as the product has it.
const SHOWN: u8 = 2;

/// Makes one measurement and leaves its record where a run of the product leaves it.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse(args)?;
    let target = find_target(&arguments)?;
    let settings = &arguments.settings;
    let dir = target.subject.out_dir.clone();
    fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let cancel = Cancel::new();
    let mut listen = |_| {};
    let mut ctx = Ctx::new(&cancel, &mut listen);
    let save = |name: &str, text: String| {
        let path = dir.join(name);
        fs::write(&path, text + "\n").with_context(|| format!("cannot write `{}`", path.display()))
    };
    let record = match &arguments.measurement {
        Measurement::Run => gainsay_engine::run(&target, settings, &mut ctx)?,
        Measurement::Explore => {
            explore_alone(&target, settings, arguments.explore_plan(), &mut ctx)?
        }
        Measurement::Audit(audited) => {
            contract_audit::audit_contracts(&target, settings, audited, &mut ctx)?
        }
        Measurement::Gain { known, expected } => {
            let lists = attack_gain::Lists { known: known.clone(), expected: expected.clone() };
            let measured = attack_gain::measure_gain(&target, settings, &lists, &mut ctx)?;
            save(GAIN, serde_json::to_string_pretty(&measured.gain)?)?;
            measured.record
        }
        Measurement::Remake(most) => {
            let (record, remade) = remake_objects(&target, settings, *most, &mut ctx)?;
            save(REMADE, serde_json::to_string_pretty(&remade)?)?;
            record
        }
        Measurement::Replay(id) => return replay(&target, id, settings, &mut ctx),
    };
    record.save(&dir)?;
    Ok(ExitCode::SUCCESS)
}

/// Starts workers and settles the vocabulary.
fn calibrate(
    target: &Target,
    settings: &RunSettings,
    plan: ExplorePlan,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<Calibrated> {
    Ok(Prepared::new(target, settings, ctx)?.calibrate(plan, ctx)?)
}

/// Explores and does nothing else: findings are not confirmed, and nothing is learnt.
fn explore_alone(
    target: &Target,
    settings: &RunSettings,
    plan: ExplorePlan,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<RunRecord> {
    let explored = calibrate(target, settings, plan, ctx)?.explore_for(settings.budget, ctx)?;
    Ok(explored.skip_learning().skip_judging().record(ctx)?.record)
}

/// Explores, and in the end makes so many of the stored objects again in fresh processes.
fn remake_objects(
    target: &Target,
    settings: &RunSettings,
    most: usize,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<(RunRecord, RemadeFigures)> {
    let plan = ExplorePlan::of(settings);
    let calibrated = calibrate(target, settings, plan, ctx)?;
    let mut explored = calibrated.explore_for(settings.budget, ctx)?;
    explored.relate_versions(ctx)?;
    let cancel = ctx.cancel.clone();
    let remade = explored.session().remake_objects(most, &cancel)?;
    let figures = RemadeFigures { same: remade.same, different: remade.different };
    Ok((explored.skip_learning().skip_judging().record(ctx)?.record, figures))
}

/// Shows a fault of the last measurement again.
fn replay(
    target: &Target,
    id: &str,
    settings: &RunSettings,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<ExitCode> {
    let record = RunRecord::load(&target.subject.out_dir)?;
    let fault = record.faults.iter().find(|fault| fault.id == id);
    let fault = fault.with_context(|| format!("no fault has the id `{id}`"))?;
    let sequence = fault.sequence().context("the fault has no calls")?;
    let again = Again { fault, sequence: &sequence, environment: &settings.environment };
    Ok(match replay_fault(target, &again, ctx)? {
        Replay::Shown(_) => ExitCode::from(SHOWN),
        Replay::NotShown(_) => ExitCode::SUCCESS,
    })
}

/// Finds the crate that is named, or the package of the current directory.
fn find_target(arguments: &Arguments) -> anyhow::Result<Target> {
    let current_dir = std::env::current_dir()?;
    let published = match &arguments.published {
        Some(text) => match text.parse() {
            Ok(spec) => Some(spec),
            Err(_) => bail!("`{text}` names no published crate"),
        },
        None => None,
    };
    let request = Request {
        manifest_path: None,
        package: None,
        published,
        features: Features::default(),
        unasked: arguments.unasked(),
        current_dir: current_dir.clone(),
        target_dir: Some(arguments.target_dir.clone()),
    };
    let subject = gainsay_discover::resolve(&request)?;
    let providers = find_providers(&subject, &current_dir)?;
    Ok(Target { subject, providers, sandbox: Sandbox::On(Network::Nothing) })
}

impl Arguments {
    fn unasked(&self) -> Unasked {
        if self.default_features { Unasked::Nothing } else { Unasked::Additive }
    }
}
