//! One recorded fault again, in a fresh process.

use gainsay_explore::sightings_of;
use gainsay_model::build::Build;
use gainsay_report::{FaultClass, FaultRecord, OracleRecord};
use gainsay_wire::Sequence;
use gainsay_workers::Runner as _;

use super::one_worker;
use crate::{
    ctx::Ctx,
    error::Result,
    knowledge::sentinel_faults::find_broken_contract,
    session::{Session, run_again},
    stages::prepared::{BuiltCrate, Target, build_crate, build_harness_as},
};

/// A fault that is to be shown again.
pub struct Again<'a> {
    /// The fault as it was recorded.
    pub fault: &'a FaultRecord,
    /// Its calls.
    pub sequence: &'a Sequence,
    /// Variables of the environment of the process.
    pub environment: &'a [(String, String)],
}

/// The outcome of a replay, in words.
pub enum Replay {
    /// The same again.
    Shown(String),
    /// Something else.
    NotShown(String),
}

/// Replays a fault.
pub fn replay_fault(target: &Target, again: &Again<'_>, ctx: &mut Ctx<'_>) -> Result<Replay> {
    let Again { fault, sequence, environment } = again;
    let BuiltCrate { api, harness } = build_crate(target, ctx)?;
    // A fault of another build need not show in the ordinary one.
    let harness = match fault.build {
        Build::Debug => harness,
        other => build_harness_as(&api, other, ctx)?,
    };
    let workers = one_worker(target.sandbox, fault.build, environment);
    let mut session = Session::open_for_replay(api, harness, &workers)?;
    let answers = run_again(&mut session.fleet, sequence, &ctx.cancel)?;
    let ground = session.campaign.ground();
    let seen = answers.iter().flat_map(|answer| sightings_of(ground, sequence, answer));
    let mut others = Vec::new();
    for sighting in seen {
        // Broken memory may show in a call that only looks.
        let is_memory = fault.oracle.class() == FaultClass::Memory;
        let is_same = is_memory && OracleRecord::from(&sighting.oracle) == fault.oracle;
        if sighting.identity.id() == fault.id || is_same {
            return Ok(Replay::Shown(sighting.message));
        }
        // Told if nothing fits: the fault may have changed its shape.
        others.push(sighting.message);
    }
    let broken = find_broken_contract(session.fleet.manifest(), &fault.oracle, &answers);
    Ok(match (broken, others.first()) {
        (Some(contract), _) => Replay::Shown(format!("`{contract}` does not hold")),
        (None, Some(other)) => Replay::NotShown(format!("something else was seen: {other}")),
        (None, None) => Replay::NotShown("the calls went well".to_owned()),
    })
}
