//! Focused epochs of a round: those that are planned with the attacks, and those that idle workers
//! make.

pub(crate) mod focused_epochs;
pub(crate) mod idle_work;

use std::collections::BTreeSet;

use gainsay_model::contract::Contract;
use gainsay_search::Goal;
use gainsay_wire::OpId;
use gainsay_workers::{Death, PlacedEpoch};

use crate::{
    Desk, FocusSettings, IdleWorkers, RefuteError,
    round::{Pass, Round},
    targets::boundaries::list_large,
};
use focused_epochs::{FocusedEpochs, choose_origins};
use idle_work::IdleWork;

/// Focused epochs of a round.
#[derive(Debug, Default)]
pub(crate) struct Focus {
    pub(crate) epochs: FocusedEpochs,
    /// Epochs for workers that have nothing to do, if they are to have any.
    pub(crate) idle_work: Option<IdleWork>,
    /// Operations whose objects idle workers have, pass by pass.
    offered: BTreeSet<(OpId, Pass)>,
    /// Epochs for the next batch.
    ordered: Vec<PlacedEpoch>,
}

impl Focus {
    pub(crate) fn new(settings: Option<&FocusSettings>, contracts: &[Contract]) -> Focus {
        let epochs = settings.map(|it| FocusedEpochs::new(it, contracts)).unwrap_or_default();
        let idle = settings.filter(|it| it.idle == IdleWorkers::Explore);
        Focus { epochs, idle_work: idle.map(IdleWork::new), ..Focus::default() }
    }

    /// The epochs that were ordered since the last time.
    pub(crate) fn take_ordered(&mut self) -> Vec<PlacedEpoch> {
        std::mem::take(&mut self.ordered)
    }

    /// Keeps idle workers from an operation that killed one in an epoch.
    pub(crate) fn note_death(&self, death: &Death) {
        if let (Some(idle_work), Some(last)) = (&self.idle_work, death.steps.steps.last()) {
            idle_work.bar_operation(last.op);
        }
    }
}

impl Round {
    /// Plans a focused epoch of an operation, unless this pass grants it no more.
    pub(crate) fn order_epoch(&mut self, desk: &mut Desk<'_>, op: OpId) -> Result<(), RefuteError> {
        if !self.focus.epochs.wants_more(op, self.pass) {
            return Ok(());
        }
        self.look_up_large(desk, op)?;
        let origins = choose_origins(&self.search, op);
        self.focus.ordered.extend(self.focus.epochs.plan_next(op, &origins));
        // Large objects were found since it was offered.
        self.focus.offered.remove(&(op, self.pass));
        self.offer_found(op);
        Ok(())
    }

    /// Looks up large objects, for epochs to begin with: a single attack rarely needs them, but many
    /// calls in a row on something full soon come to a border.
    fn look_up_large(&mut self, desk: &mut Desk<'_>, op: OpId) -> Result<(), RefuteError> {
        for condition in list_large(desk, &mut self.targets, op)? {
            self.search.look_up_tuples(&mut desk.search, &Goal::new(op, &[condition]))?;
        }
        Ok(())
    }

    /// Gives idle workers something to do before the first attack is planned.
    pub(crate) fn open_idle_work(
        &mut self,
        desk: &mut Desk<'_>,
        contracts: &[&Contract],
    ) -> Result<(), RefuteError> {
        let is_bare = self.focus.idle_work.as_ref().is_some_and(IdleWork::is_empty);
        if let Some(first) = contracts.first().filter(|_| is_bare) {
            self.look_up_large(desk, first.op)?;
            self.offer_found(first.op);
        }
        Ok(())
    }

    /// Offers the objects that were found for an operation to idle workers, once in each pass.
    pub(crate) fn offer_found(&mut self, op: OpId) {
        if let Some(idle_work) = &self.focus.idle_work
            && self.focus.offered.insert((op, self.pass))
        {
            idle_work.offer_operation(op, choose_origins(&self.search, op));
        }
    }
}
