//! Commands that are no whole test: about what the last run left, or about the crate alone.

pub(crate) mod catalogue;
pub(crate) mod contradicting_tests;
pub(crate) mod passing_tests;
pub(crate) mod replay_fault;

use gainsay_model::{api::ApiType, build::Build, regression::Regression, spelling::Spelling};

use crate::{
    ctx::Ctx,
    error::{EngineError, Result},
    session::{Crew, Session, Workers},
    settings::Sandbox,
    stages::prepared::{BuiltCrate, Target, build_crate},
};

/// Calls that pass, and the names to write them with.
pub struct Passing {
    /// The subject's types.
    pub types: Vec<ApiType>,
    /// The spelling of each operation, by its number.
    pub spellings: Vec<Spelling>,
    /// The calls.
    pub regressions: Vec<Regression>,
    /// Operations that passed in the run, as far as it was looked at.
    pub operations: usize,
}

impl Passing {
    fn new(session: Session, regressions: Vec<Regression>, operations: usize) -> Passing {
        let Session { api, harness, .. } = session;
        let spellings = harness.operations.into_iter().map(|op| op.spelling).collect();
        Passing { types: api.types, spellings, regressions, operations }
    }
}

/// Builds a crate and starts one worker that has nothing in its environment.
fn open_for_tests(target: &Target, ctx: &mut Ctx<'_>) -> Result<Session> {
    let BuiltCrate { api, harness } = build_crate(target, ctx)?;
    Session::open_for_replay(api, harness, &one_worker(target.sandbox, Build::Debug, &[]))
}

// One worker: what it does is waited for anyway, and its calls come in order.
fn one_worker(sandbox: Sandbox, build: Build, environment: &[(String, String)]) -> Workers {
    Workers { build, crew: Crew { jobs: 1, environment: environment.to_vec() }, sandbox }
}

fn fail_if_interrupted(ctx: &Ctx<'_>) -> Result<()> {
    if ctx.cancel.is_interrupted() { Err(EngineError::Interrupted) } else { Ok(()) }
}
