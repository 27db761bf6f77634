//! First stage: the crate is discovered, a program that calls it is built, workers are started.

use gainsay_harness::{BuildOptions, Harness};
use gainsay_model::{
    api::{Api, Providers, Subject},
    build::Build,
    event::{About, Degradation, Stage},
};

use super::feature_fallback::with_or_without_features;
use crate::{
    builds::Workshop,
    ctx::Ctx,
    error::{EngineError, Result},
    known_faults::{KnownFaults, ReplayField},
    session::Session,
    settings::{Earlier, RunSettings, Sandbox},
};

/// The subject of a command.
#[derive(Clone)]
pub struct Target {
    /// The crate.
    pub subject: Subject,
    /// The user's functions that make values.
    pub providers: Option<Providers>,
    /// The confinement of its calls.
    pub sandbox: Sandbox,
}

/// A crate and the program that calls its operations.
pub(crate) struct BuiltCrate {
    pub(crate) api: Api,
    pub(crate) harness: Harness,
}

/// A crate whose workers wait for calls.
pub struct Prepared {
    pub(super) session: Session,
}

impl Prepared {
    /// Discovers a crate, builds its harness and starts workers.
    pub fn new(target: &Target, settings: &RunSettings, ctx: &mut Ctx<'_>) -> Result<Prepared> {
        let BuiltCrate { api, harness } = build_crate(target, ctx)?;
        let mut session = Session::open(api, harness, settings, target.sandbox)?;
        warn_of_gaps(&session, ctx);
        // The other builds are made while the ordinary one is explored: they take minutes the first
        // time.
        session.workshop = Some(Workshop::open(&session.api, &settings.others));
        if !settings.others.builds.is_empty() {
            session.forget_cpu_time();
        }
        let mut prepared = Prepared { session };
        if settings.earlier == Earlier::Replayed {
            prepared.replay_known_faults(ctx)?;
        }
        Ok(prepared)
    }

    /// Replays the faults of earlier runs before anything else: whoever mended one wants to know at
    /// once.
    fn replay_known_faults(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let session = &mut self.session;
        let mut known = KnownFaults::load(&session.api.subject, ctx);
        let count = known.count_in_build(Build::Debug);
        if count > 0 {
            ctx.run_stage(Stage::Replay, About::KnownFaults(count), |ctx| {
                let field =
                    ReplayField { fleet: &mut session.fleet, campaign: &mut session.campaign };
                known.replay_faults(field, session.settings.inject, ctx)
            })?;
        }
        session.known_faults = Some(known);
        Ok(())
    }
}

/// Discovers a crate and builds the program of its ordinary build.
pub(crate) fn build_crate(target: &Target, ctx: &mut Ctx<'_>) -> Result<BuiltCrate> {
    // Discovery and build in one: a crate may document well with features and not compile with them.
    with_or_without_features(target, ctx, |target, ctx| {
        let api = discover_crate(target, ctx)?;
        if api.operations.is_empty() {
            return Err(nothing_to_test(&target.subject));
        }
        let harness = build_harness(&api, ctx)?;
        if harness.operations.iter().all(|op| op.api.is_none()) {
            return Err(nothing_to_test(&target.subject));
        }
        Ok(BuiltCrate { api, harness })
    })
}

/// Discovers the surface of a crate.
pub(crate) fn discover_crate(target: &Target, ctx: &mut Ctx<'_>) -> Result<Api> {
    let Target { subject, providers, .. } = target;
    let about = About::Crate {
        name: subject.name.clone(),
        version: subject.version.clone(),
        extra_features: subject.features.extra.on.clone(),
    };
    ctx.run_stage(Stage::Discover, about, |_| {
        Ok(gainsay_discover::discover_with(subject, providers.as_ref())?)
    })
}

/// Builds the program that calls the operations of a crate.
pub(crate) fn build_harness(api: &Api, ctx: &mut Ctx<'_>) -> Result<Harness> {
    ctx.run_stage(Stage::Harness, About::Operations(api.operations.len()), |_| {
        Ok(gainsay_harness::build(api, &foreground_options())?)
    })
}

/// Builds the same program in another way.
pub(crate) fn build_harness_as(api: &Api, build: Build, ctx: &mut Ctx<'_>) -> Result<Harness> {
    ctx.run_stage(Stage::Harness, About::Build(build), |_| {
        Ok(gainsay_harness::build_as(api, build, &foreground_options())?)
    })
}

fn foreground_options() -> BuildOptions {
    // The wrapper is this program itself: without one, code of the subject is not counted.
    BuildOptions { wrapper: std::env::current_exe().ok(), background: None }
}

/// Tells once which parts of the sandbox this system lacks, and the consequences.
fn warn_of_gaps(session: &Session, ctx: &mut Ctx<'_>) {
    if session.sandbox == Sandbox::Off {
        ctx.warn_of(Degradation::NoSandbox);
        return;
    }
    for part in session.fleet.protection().missing() {
        ctx.warn_of(Degradation::SandboxIncomplete { absence: part.absence() });
    }
}

fn nothing_to_test(subject: &Subject) -> EngineError {
    EngineError::NothingToTest { subject: subject.name.clone() }
}
