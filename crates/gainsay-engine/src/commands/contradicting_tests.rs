//! Tests that contradict claims of the last run, with what they show every time.

use std::collections::BTreeSet;

use gainsay_explore::{RanSequence, select, tell_about};
use gainsay_model::event::{About, Stage};
use gainsay_report::ContractRecord;
use gainsay_workers::Runner as _;

use super::{Passing, fail_if_interrupted, open_for_tests};
use crate::{
    ctx::Ctx,
    emit::selection::{claims_of, queries_of},
    error::Result,
    stages::prepared::Target,
};

/// Tests that contradict claims of the last run.
pub struct Contradicting {
    /// The tests.
    pub passing: Passing,
    /// The numbers of the claims that each contradicts.
    pub contradicted: Vec<BTreeSet<usize>>,
    /// The same of tests that do not look the same each time, or that have nothing to assert.
    pub untold: Vec<BTreeSet<usize>>,
}

/// Finds tests that contradict these contracts, at most so many.
pub fn find_contradicting(
    target: &Target,
    contracts: &[&ContractRecord],
    most: usize,
    ctx: &mut Ctx<'_>,
) -> Result<Contradicting> {
    let mut session = open_for_tests(target, ctx)?;
    let (mut regressions, mut contradicted, mut untold) = (vec![], vec![], vec![]);
    ctx.run_stage(Stage::Replay, About::ContradictedContracts(contracts.len()), |ctx| {
        session.look_as_last_run()?;
        let subject = session.campaign.ground().clone();
        let claims = claims_of(contracts, session.fleet.manifest());
        let selected = select(&mut session.fleet, &subject, &claims, most, &ctx.cancel)?;
        for test in selected {
            let seen = RanSequence { sequence: &test.sequence, report: &test.report };
            // A test that says nothing of the queries of its contract would be about something else.
            let wanted = queries_of(&claims, &test.contradicts);
            match tell_about(&mut session.fleet, &subject, &seen, &wanted, &ctx.cancel)? {
                Some(told) => {
                    regressions.push(told);
                    contradicted.push(test.contradicts);
                }
                None => untold.push(test.contradicts),
            }
        }
        Ok(())
    })?;
    fail_if_interrupted(ctx)?;
    let operations = regressions.len();
    let passing = Passing::new(session, regressions, operations);
    Ok(Contradicting { passing, contradicted, untold })
}
