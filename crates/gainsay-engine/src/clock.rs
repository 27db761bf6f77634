//! How long stages take, told to listeners as it happens.

use std::time::Instant;

use gainsay_model::event::{Event, Stage};
use gainsay_report::StageTime;

use crate::error::Result;

/// Times stages and passes events on.
pub(crate) struct Clock<'a> {
    events: &'a mut dyn FnMut(Event),
    stages: Vec<StageTime>,
}

impl<'a> Clock<'a> {
    /// Nothing has been timed.
    pub(crate) fn new(events: &'a mut dyn FnMut(Event)) -> Clock<'a> {
        Clock { events, stages: Vec::new() }
    }

    /// Runs a stage. A stage that is run in several rounds is one entry with the sum.
    pub(crate) fn stage<T>(
        &mut self,
        stage: Stage,
        about: String,
        work: impl FnOnce(&mut dyn FnMut(Event)) -> Result<T>,
    ) -> Result<T> {
        (self.events)(Event::StageBegan(stage, about));
        let began = Instant::now();
        let result = work(self.events);
        let took = began.elapsed();
        (self.events)(Event::StageEnded(stage, took));
        let seconds = took.as_secs_f64();
        match self.stages.iter_mut().find(|known| known.name == stage.name()) {
            Some(known) => known.seconds += seconds,
            None => self.stages.push(StageTime { name: stage.name().to_owned(), seconds }),
        }
        result
    }

    /// Passes on what belongs to no stage.
    pub(crate) fn tell(&mut self, event: Event) {
        (self.events)(event);
    }

    /// What was timed.
    pub(crate) fn stages(self) -> Vec<StageTime> {
        self.stages
    }
}
