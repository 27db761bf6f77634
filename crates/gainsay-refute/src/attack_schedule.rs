//! Two groups of contracts take turns: while workers make the calls that one group ordered, the
//! attacks of the other are planned. An attack that needs what was not run yet is left, and begun
//! again once it was; all that it knows by then is remembered, so it comes to the same place.

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, ContractKind, Verdict};
use gainsay_wire::ContractId;
use gainsay_workers::{Cancel, Ran, Runner, Spare, Work};

use crate::{
    Context, Desk, RefuteError, attack::panic_claim, attack::postcondition, attack::precondition,
    error::Halt, focus::idle_work::IdleWork, goal::work_batch::Orders, round_state::Range,
};

type Verdicts = BTreeMap<ContractId, Verdict>;

/// Attacks contracts as far as the range reaches now.
pub(crate) fn take(
    context: &mut Context<'_>,
    range: &mut Range,
    contracts: &[&Contract],
    verdicts: &mut Verdicts,
) -> Result<(), RefuteError> {
    let (runner, mut desk) = context.apart();
    let cancel = desk.cancel;
    let mut queue = Queue { left: contracts.iter(), most: desk.limits.together.max(1) };
    let (mut running, mut planned) = (Vec::new(), Vec::new());
    let (mut orders, mut done) = (Orders::default(), None);
    range.open_idle_work(&mut desk, contracts)?;
    while !cancel.is_cancelled() {
        let mut next = Ok(Orders::default());
        let idle_work = range.idle_work.clone();
        let mut plan = || {
            next = take_in(&mut desk, range, done.take())
                .and_then(|()| range.record_many(&mut desk))
                .and_then(|()| queue.plan(&mut desk, range, &mut planned, verdicts));
        };
        let ran = work(runner, &orders, (idle_work.as_ref(), cancel), &mut plan)?;
        done = Some((orders, ran));
        orders = next?;
        if orders.is_empty() && running.is_empty() && planned.is_empty() {
            break;
        }
        std::mem::swap(&mut running, &mut planned);
    }
    take_in(&mut desk, range, done)
}

/// Records what is left to record, while idle workers explore.
pub(crate) fn close(context: &mut Context<'_>, range: &mut Range) -> Result<(), RefuteError> {
    let (runner, mut desk) = context.apart();
    let cancel = desk.cancel;
    let (idle_work, orders) = (range.idle_work.clone(), Orders::default());
    let mut recorded = Ok(());
    let mut record = || recorded = range.record(&mut desk);
    let ran = work(runner, &orders, (idle_work.as_ref(), cancel), &mut record)?;
    recorded?;
    range.absorb(&mut desk, orders, ran)?;
    range.record(&mut desk)
}

/// Has orders carried out while something else is done, and idle work besides.
fn work(
    runner: &mut dyn Runner,
    orders: &Orders,
    (idle_work, cancel): (Option<&IdleWork>, &Cancel),
    meanwhile: &mut dyn FnMut(),
) -> Result<Ran, RefuteError> {
    let next = || idle_work.and_then(IdleWork::next_epoch);
    let spare = idle_work.is_some().then_some(&next as Spare<'_>);
    let work = Work { tasks: &orders.tasks(), epochs: &orders.epochs, spare };
    Ok(runner.run_while(work, cancel, meanwhile)?)
}

/// Takes in what came of earlier orders: those who wait for it are planned next.
fn take_in(
    desk: &mut Desk<'_>,
    range: &mut Range,
    done: Option<(Orders, Ran)>,
) -> Result<(), RefuteError> {
    done.map_or(Ok(()), |(orders, ran)| range.absorb(desk, orders, ran))
}

/// Contracts whose attacks have not begun.
struct Queue<'c> {
    left: std::slice::Iter<'c, &'c Contract>,
    most: usize,
}

impl<'c> Queue<'c> {
    /// Goes on with the attacks of a group, and with new ones for those that are over. Returns what
    /// they order.
    fn plan(
        &mut self,
        desk: &mut Desk<'_>,
        range: &mut Range,
        group: &mut Vec<&'c Contract>,
        verdicts: &mut Verdicts,
    ) -> Result<Orders, RefuteError> {
        let mut waiting = Vec::new();
        let begun = std::mem::take(group).into_iter();
        for contract in begun.chain(self.left.by_ref().copied()) {
            if desk.cancel.is_cancelled() {
                break;
            }
            range.about = Some(contract.id);
            match attack(desk, range, contract) {
                Ok(verdict) => {
                    note(desk, contract, verdict, verdicts);
                    if let Err(Halt::Failed(error)) = range.order_epoch(desk, contract.op) {
                        return Err(error);
                    }
                }
                Err(Halt::Waiting) => {
                    range.stock(contract.op);
                    waiting.push(contract);
                }
                Err(Halt::Failed(error)) => return Err(error),
            }
            if waiting.len() >= self.most {
                break;
            }
        }
        *group = waiting;
        Ok(range.take_orders())
    }
}

/// An attack that was cut short says nothing unless it refutes.
fn note(desk: &Desk<'_>, contract: &Contract, verdict: Verdict, verdicts: &mut Verdicts) {
    if matches!(verdict, Verdict::Refuted { .. }) || !desk.cancel.is_cancelled() {
        verdicts.insert(contract.id, verdict);
    }
}

fn attack(desk: &mut Desk<'_>, range: &mut Range, contract: &Contract) -> Result<Verdict, Halt> {
    if let Some(refuted) = range.focused.find_refutation(contract.id) {
        return Ok(refuted);
    }
    match contract.kind {
        ContractKind::Precondition => precondition::attack(desk, range, contract),
        ContractKind::Postcondition => postcondition::attack(desk, range, contract),
        ContractKind::Panics => panic_claim::attack(desk, range, contract),
    }
}
