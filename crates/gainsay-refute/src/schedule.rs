//! Two groups of attacks take turns: while workers make the calls that one group asked for, the
//! attacks of the other go on. An attack that needs what was not run yet stays in its group until
//! that is its turn again. Which calls are asked for together never depends on how fast workers are.

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, Verdict};
use gainsay_wire::ContractId;
use gainsay_workers::{Cancel, Ran, Runner, Spare, Work};

use crate::{
    Context, Desk, RefuteError,
    attack::Attack,
    focus::idle_work::IdleWork,
    round::{Batch, Round},
};

type Verdicts = BTreeMap<ContractId, Verdict>;

/// Attacks contracts as far as this pass of the round goes.
pub(crate) fn attack_in_turns(
    context: &mut Context<'_>,
    round: &mut Round,
    contracts: &[&Contract],
    verdicts: &mut Verdicts,
) -> Result<(), RefuteError> {
    let (runner, mut desk) = context.split_for_planning();
    let cancel = desk.search.cancel;
    let mut queue = Queue { left: contracts.iter(), most: desk.limits.together.max(1) };
    // With one group workers would wait while its attacks are planned, and planning for calls.
    let (mut running, mut planned) = (Vec::new(), Vec::new());
    let (mut batch, mut done) = (Batch::default(), None);
    round.open_idle_work(&mut desk, contracts)?;
    while !cancel.is_cancelled() {
        let mut next = Ok(Batch::default());
        let staff = Staff { idle_work: round.focus.idle_work.clone(), cancel };
        let mut plan = || {
            // Results come first: attacks that wait for them go on in this turn.
            next = take_done(&mut desk, round, done.take())
                .and_then(|()| round.record_if_many(&mut desk))
                .and_then(|()| queue.plan_group(&mut desk, round, &mut planned, verdicts));
        };
        let ran = staff.run_batch(runner, &batch, &mut plan)?;
        done = Some(Done { batch, ran });
        batch = next?;
        // An empty batch alone is no end: the other group may wait for calls that are under way.
        if batch.is_empty() && running.is_empty() && planned.is_empty() {
            break;
        }
        std::mem::swap(&mut running, &mut planned);
    }
    take_done(&mut desk, round, done)
}

/// Records what is left to record, while idle workers explore.
pub(crate) fn close_round(context: &mut Context<'_>, round: &mut Round) -> Result<(), RefuteError> {
    let (runner, mut desk) = context.split_for_planning();
    let staff = Staff { idle_work: round.focus.idle_work.clone(), cancel: desk.search.cancel };
    let (batch, mut recorded) = (Batch::default(), Ok(()));
    let mut record = || recorded = round.record_all(&mut desk);
    let ran = staff.run_batch(runner, &batch, &mut record)?;
    recorded?;
    round.take_results(&mut desk, batch, ran)?;
    round.record_all(&mut desk)
}

/// The way workers spend their time.
struct Staff<'a> {
    /// Work for workers that have none, if there is any.
    idle_work: Option<IdleWork>,
    cancel: &'a Cancel,
}

impl Staff<'_> {
    /// Has a batch run while something else is done, and idle work besides.
    fn run_batch(
        &self,
        runner: &mut dyn Runner,
        batch: &Batch,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Ran, RefuteError> {
        let next_epoch = || self.idle_work.as_ref().and_then(IdleWork::next_epoch);
        let spare = self.idle_work.is_some().then_some(&next_epoch as Spare<'_>);
        let work = Work { tasks: &batch.asks.to_tasks(), epochs: &batch.epochs, spare };
        Ok(runner.run_while(work, self.cancel, meanwhile)?)
    }
}

/// A batch that workers have run.
struct Done {
    batch: Batch,
    ran: Ran,
}

fn take_done(
    desk: &mut Desk<'_>,
    round: &mut Round,
    done: Option<Done>,
) -> Result<(), RefuteError> {
    done.map_or(Ok(()), |Done { batch, ran }| round.take_results(desk, batch, ran))
}

/// Contracts whose attacks have not begun.
struct Queue<'c> {
    left: std::slice::Iter<'c, &'c Contract>,
    most: usize,
}

impl<'c> Queue<'c> {
    /// Goes on with the attacks of a group, and with new ones for those that are over. Returns the
    /// work that they ask for.
    fn plan_group(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
        group: &mut Vec<Attack<'c>>,
        verdicts: &mut Verdicts,
    ) -> Result<Batch, RefuteError> {
        let mut waiting = Vec::new();
        let begun = std::mem::take(group).into_iter();
        for mut attack in begun.chain(self.left.by_ref().map(|contract| Attack::new(contract))) {
            if desk.search.cancel.is_cancelled() {
                break;
            }
            let contract = attack.contract();
            let verdict =
                round.count_search_time(contract.id, |round| -> Result<_, RefuteError> {
                    let verdict = attack.advance_goals(desk, round)?;
                    if verdict.is_some() {
                        round.order_epoch(desk, contract.op)?;
                    }
                    Ok(verdict)
                })?;
            if let Some(verdict) = verdict {
                note_verdict(desk, contract, verdict, verdicts);
            } else {
                // Its searches found objects that idle workers can begin with meanwhile.
                round.offer_found(contract.op);
                waiting.push(attack);
            }
            if waiting.len() >= self.most {
                break;
            }
        }
        *group = waiting;
        Ok(round.take_batch())
    }
}

/// An attack that was cut short says nothing unless it refutes.
fn note_verdict(desk: &Desk<'_>, contract: &Contract, verdict: Verdict, verdicts: &mut Verdicts) {
    if matches!(verdict, Verdict::Refuted { .. }) || !desk.search.cancel.is_cancelled() {
        verdicts.insert(contract.id, verdict);
    }
}
