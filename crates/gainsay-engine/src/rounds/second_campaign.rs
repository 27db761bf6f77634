//! A second campaign, with another seed and wider values, from which nothing is learnt: whatever
//! was only true of the calls of the first one falls here.

use std::collections::BTreeMap;

use gainsay_model::{contract::Contract, event::About};
use gainsay_wire::ContractId;
use gainsay_workers::Runner as _;

use super::{
    Rounds,
    contract_ledger::Ledger,
    model::Model,
    type_invariants,
    watch::{Watch, explore_under_watch},
};
use crate::{ctx::Ctx, error::Result, knowledge::type_facts::TypeFacts, session::Session};

/// Makes the seed of the second campaign another one: the fraction of the golden ratio, whose bits
/// have no pattern that a small seed could share.
const OTHER_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Holds contracts and invariants against a second campaign, and leaves contracts open that were at
/// risk too seldom in both.
pub(crate) fn run_second_campaign(
    session: &mut Session,
    rounds: &mut Rounds,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    rounds.facts = TypeFacts::new(type_invariants(session)?);
    // Of a given suite there is no second one.
    if session.settings.is_given_suite() {
        return Ok(());
    }
    if !ctx.cancel.is_interrupted() {
        let before = session.campaign.totals().attacks.clone();
        session.campaign.begin_again(session.settings.seed ^ OTHER_SEED);
        session.widen_values()?;
        watch_standing(session, &mut rounds.ledger, &mut rounds.facts, ctx)?;
        let mut held = session.campaign.totals().attacks.clone();
        // Totals go on from the first campaign.
        for (contract, calls) in &mut held {
            *calls -= before.get(contract).copied().unwrap_or(0);
        }
        rounds.held_again = held;
    }
    rounds.ledger.leave_open_untested(&session.campaign.totals().attacks);
    Ok(())
}

/// Explores with all that stands under watch; what falls is refuted.
fn watch_standing(
    session: &mut Session,
    ledger: &mut Ledger,
    facts: &mut TypeFacts,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    let (standing, verdicts): (Vec<_>, Vec<_>) = ledger.standing.drain(..).unzip();
    let ids = standing.iter().map(|contract: &Contract| contract.id);
    let verdicts: BTreeMap<ContractId, _> = ids.zip(verdicts).collect();
    let mut model = Model::new(session.settings.mode, standing);
    model.attacked.extend(facts.claims_about(session.fleet.manifest()));
    let budget = session.settings.ordinary_share(1, 8);
    let watch = Watch { model: &model, budget, about: About::OtherSeed };
    let mut standing = explore_under_watch(session, ledger, watch, ctx)?;
    facts.note_standing(&standing);
    // Granted contracts were not watched, and stand as they stood.
    standing.extend(model.granted);
    ledger.refuted.retain(|id, _| !facts.is_claim(*id));
    let verdict = |contract: &Contract| verdicts.get(&contract.id).cloned();
    let standing =
        standing.into_iter().filter_map(|contract| Some((verdict(&contract)?, contract)));
    ledger.standing = standing.map(|(verdict, contract)| (contract, verdict)).collect();
    Ok(())
}
