//! The services that every stage gets from whoever drives it: a way to be ended, a listener, and
//! the times of the stages. They exist once and are passed on together.

use std::time::Instant;

use gainsay_explore::{Effort, Hearing, SubjectModel};
use gainsay_model::event::{About, Degradation, Event, Stage};
use gainsay_report::StageTime;
use gainsay_workers::Cancel;

use crate::error::Result;

/// The services of a run.
pub struct Ctx<'a> {
    /// Ends the work that is under way.
    pub cancel: Cancel,
    /// Hears of everything that happens.
    pub events: &'a mut dyn FnMut(Event),
    /// The times of the stages so far.
    pub clock: Clock,
}

/// The times of stages.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    stages: Vec<StageTime>,
}

/// A stage that has begun and must be ended with [`OpenStage::end_stage`].
#[derive(Debug)]
#[must_use = "a stage that is not ended has no time"]
pub struct OpenStage {
    stage: Stage,
    began: Instant,
}

impl<'a> Ctx<'a> {
    /// Services of a run that has taken no time yet.
    pub fn new(cancel: &Cancel, events: &'a mut dyn FnMut(Event)) -> Ctx<'a> {
        Ctx { cancel: cancel.clone(), events, clock: Clock::default() }
    }

    /// Runs a stage, and tells of its beginning and its end.
    pub fn run_stage<T>(
        &mut self,
        stage: Stage,
        about: About,
        work: impl FnOnce(&mut Ctx<'a>) -> Result<T>,
    ) -> Result<T> {
        let open = self.begin_stage(stage, about);
        let result = work(self);
        open.end_stage(self);
        result
    }

    /// Begins a stage whose end another function will see.
    pub fn begin_stage(&mut self, stage: Stage, about: About) -> OpenStage {
        self.tell(Event::StageBegan(stage, about));
        OpenStage { stage, began: Instant::now() }
    }

    /// Adds to a stage that was told of already the time of work that belongs to it.
    pub(crate) fn add_to_stage<T>(
        &mut self,
        stage: Stage,
        work: impl FnOnce(&mut Ctx<'a>) -> Result<T>,
    ) -> Result<T> {
        let began = Instant::now();
        let result = work(self);
        self.clock.add_seconds(stage, began.elapsed().as_secs_f64());
        result
    }

    /// Returns what judging findings about a subject needs, with the ordinary budget.
    pub fn hearing<'s>(&'s mut self, subject: &'s SubjectModel) -> Hearing<'s> {
        let event: &mut dyn FnMut(Event) = &mut *self.events;
        Hearing { subject, effort: Effort::default(), cancel: &self.cancel, event }
    }

    /// Passes on an event.
    pub fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// Tells of something that the run has to do without.
    pub fn warn_of(&mut self, degradation: Degradation) {
        self.tell(Event::Degraded(degradation));
    }

    /// Does work that something else may end, such as a deadline of its own.
    pub fn with_cancel<T>(&mut self, cancel: Cancel, work: impl FnOnce(&mut Ctx<'a>) -> T) -> T {
        let outer = std::mem::replace(&mut self.cancel, cancel);
        let done = work(self);
        self.cancel = outer;
        done
    }

    /// Does work that has to end by a deadline, if there is one.
    pub fn until<T>(
        &mut self,
        deadline: Option<Instant>,
        work: impl FnOnce(&mut Ctx<'a>) -> T,
    ) -> T {
        let cancel = deadline.map_or_else(|| self.cancel.clone(), |at| self.cancel.until(at));
        self.with_cancel(cancel, work)
    }
}

impl OpenStage {
    /// Ends the stage.
    pub fn end_stage(self, ctx: &mut Ctx<'_>) {
        let took = self.began.elapsed();
        ctx.tell(Event::StageEnded(self.stage, took));
        ctx.clock.add_seconds(self.stage, took.as_secs_f64());
    }
}

impl Clock {
    /// Returns the times, in the order in which the stages began.
    pub fn stage_times(&self) -> Vec<StageTime> {
        self.stages.clone()
    }

    // Rounds run one stage several times; readers of `summary.json` expect one entry with the sum.
    fn add_seconds(&mut self, stage: Stage, seconds: f64) {
        match self.stages.iter_mut().find(|known| known.name == stage.name()) {
            Some(known) => known.seconds += seconds,
            None => self.stages.push(StageTime { name: stage.name().to_owned(), seconds }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stage_of_several_rounds_is_one_entry_and_is_told_each_time() {
        let mut told = Vec::new();
        let mut listen = |event: Event| told.push(event);
        let mut ctx = Ctx::new(&Cancel::new(), &mut listen);
        for round in 1..=2 {
            ctx.run_stage(Stage::Infer, About::Round(round), |_| Ok(())).unwrap();
        }
        ctx.add_to_stage(Stage::Infer, |_| Ok(())).unwrap();
        let times = ctx.clock.stage_times();
        assert_eq!(times.iter().map(|time| time.name.as_str()).collect::<Vec<_>>(), ["infer"]);
        assert_eq!(told.len(), 4, "{told:?}");
    }

    #[test]
    fn a_deadline_ends_the_work_within_and_nothing_after_it() {
        let mut listen = |_| {};
        let mut ctx = Ctx::new(&Cancel::new(), &mut listen);
        let past = Instant::now().checked_sub(Duration::from_millis(1));
        assert!(ctx.until(past.or_else(|| Some(Instant::now())), |ctx| ctx.cancel.is_cancelled()));
        assert!(!ctx.cancel.is_cancelled());
        assert!(!ctx.until(None, |ctx| ctx.cancel.is_cancelled()));
    }
}
