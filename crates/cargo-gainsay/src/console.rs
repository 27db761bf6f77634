//! The only file that knows the live line: what goes on, on standard error. On a terminal one
//! line is drawn over and over; elsewhere a few plain lines are written, and on request how far
//! it has come every now and then.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

use gainsay_model::event::{Event, Progress, Stage};
use gainsay_report::{Paint, Tone, counted};

use crate::settings::Verbosity;

/// Time between two drawings: often enough to look alive, seldom enough to cost nothing.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between lines that stay: a log should have few of them.
const REPEAT: Duration = Duration::from_secs(1);

/// Faults that say the same of other operations are shown as they come up to so many times; the
/// report has them all.
const MOST_ALIKE: u32 = 3;

/// Listens to events and shows them.
pub(crate) struct Console {
    paint: Paint,
    verbosity: Verbosity,
    line: Line,
    drawn: Option<Instant>,
    /// The moment when the present stage began to count calls, and the number of that moment.
    counting: Option<(Instant, u64)>,
    /// Messages of faults so far, each with the number of faults that had it.
    said: BTreeMap<String, u32>,
}

/// Abilities of standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Lines can be overwritten.
    Live,
    /// They cannot.
    Plain,
}

impl Console {
    /// A console on standard error.
    pub(crate) fn new(paint: Paint, verbosity: Verbosity) -> Console {
        // Of standard error alone: results may go to a file while somebody watches.
        let line = if io::stderr().is_terminal() { Line::Live } else { Line::Plain };
        Console { paint, verbosity, line, drawn: None, counting: None, said: BTreeMap::new() }
    }

    /// Shows an event.
    pub(crate) fn show_event(&mut self, event: &Event) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        // Calls of one stage a second say nothing of another: attacks are slower than exploration.
        if let Event::StageBegan(..) = event {
            self.counting = None;
        }
        if let Event::Progress(progress) = event {
            self.draw_progress(progress);
        } else if !self.is_said(event)
            && let Some(text) = event_text(event, self.paint, self.verbosity)
        {
            self.write_line(&text);
        }
    }

    /// Tells if the same was said of several operations already.
    fn is_said(&mut self, event: &Event) -> bool {
        let Event::FaultFound { message, .. } = event else { return false };
        let times = self.said.entry(message.clone()).or_default();
        *times += 1;
        self.verbosity != Verbosity::Verbose && *times > MOST_ALIKE
    }

    /// Takes the live line away.
    pub(crate) fn clear_line(&mut self) {
        if self.line == Line::Live && self.drawn.take().is_some() {
            put_text("\r\u{1b}[K");
        }
    }

    fn write_line(&mut self, text: &str) {
        self.clear_line();
        put_text(text);
    }

    /// Calls per second since the stage began; `None` as long as that says nothing.
    fn call_rate(&mut self, calls: u64) -> Option<u64> {
        let (began, before) = *self.counting.get_or_insert((Instant::now(), calls));
        let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        // Before that a single batch would make the rate jump.
        (millis > 200).then(|| calls.saturating_sub(before).saturating_mul(1000) / millis)
    }

    fn draw_progress(&mut self, progress: &Progress) {
        let rate = self.call_rate(progress.calls);
        let pause = if self.line == Line::Live { REDRAW } else { REPEAT };
        if self.drawn.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        let text = progress_text(progress, rate, self.paint);
        match self.line {
            Line::Live => put_text(&format!("\r\u{1b}[K{}", text.trim_end())),
            // A log file is no place for a counter, unless it is asked for.
            Line::Plain if self.verbosity == Verbosity::Verbose => put_text(&text),
            Line::Plain => {}
        }
        self.drawn = Some(Instant::now());
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.clear_line();
    }
}

/// Standard error may be closed; nobody is left to be told.
fn put_text(text: &str) {
    let mut stderr = io::stderr().lock();
    // Flushed at once: the live line has no end of line to wait for.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn event_text(event: &Event, paint: Paint, verbosity: Verbosity) -> Option<String> {
    match event {
        Event::StageBegan(stage, about) => {
            Some(paint.line(Tone::Good, stage_verb(*stage), &about.to_string()))
        }
        Event::StageEnded(stage, took) if verbosity == Verbosity::Verbose => {
            let about = format!("{} in {:.1}s", stage.name(), took.as_secs_f64());
            Some(paint.line(Tone::Faint, "Finished", &about))
        }
        Event::Furnished(examples) => {
            let about = format!("with {}", counted(*examples as u64, "example"));
            Some(paint.line(Tone::Good, "Furnished", &about))
        }
        Event::TakenUp { objects, dropped } => {
            let mut about = format!("{} of earlier runs", counted(*objects as u64, "object"));
            if *dropped > 0 {
                write!(about, "; {dropped} are not what they were and are left out")
                    .expect("writing to a string");
            }
            Some(paint.line(Tone::Good, "Taken up", &about))
        }
        Event::FaultFound { operation, message } => {
            // The report has the rest of a message of several lines.
            let first = message.lines().next().unwrap_or_default();
            Some(paint.line(Tone::Bad, "Fault", &format!("{operation}: {first}")))
        }
        Event::Degraded(what) => {
            Some(format!("{}: {what}\n", paint.tone(Tone::Notable, "warning")))
        }
        Event::StageEnded(..) | Event::Progress(_) => None,
    }
}

fn progress_text(progress: &Progress, rate: Option<u64>, paint: Paint) -> String {
    let rate =
        rate.map_or_else(String::new, |rate| format!(" ({} a second)", counted(rate, "call")));
    let about = format!(
        "{}{rate}, {}, {}, {}",
        counted(progress.calls, "call"),
        counted(progress.states, "state"),
        counted(progress.transitions, "transition"),
        counted(progress.findings, "finding"),
    );
    paint.line(Tone::Good, stage_verb(Stage::Explore), &about)
}

fn stage_verb(stage: Stage) -> &'static str {
    match stage {
        Stage::Discover => "Discovering",
        Stage::Harness => "Building",
        Stage::Replay => "Replaying",
        Stage::Explore => "Exploring",
        Stage::Infer => "Inferring",
        Stage::Refute => "Refuting",
        Stage::Confirm => "Confirming",
        Stage::Check => "Checking",
        Stage::Report => "Reporting",
    }
}

#[cfg(test)]
mod tests {
    use gainsay_model::event::{About, Degradation};

    use super::*;

    #[test]
    fn what_is_said_of_several_operations_is_enough() {
        let mut console = Console::new(Paint::Plain, Verbosity::Normal);
        let fault = |message: &str| Event::FaultFound {
            operation: "Deque::push".into(),
            message: message.into(),
        };
        let said = [(); 5].map(|()| console.is_said(&fault("panicked")));
        assert_eq!(said, [false, false, false, true, true]);
        assert!(!console.is_said(&fault("panicked elsewhere")));
        console.verbosity = Verbosity::Verbose;
        assert!(!console.is_said(&fault("panicked")));
    }

    #[test]
    fn events_read_like_cargo() {
        let check = |event: Event, verbosity, expected: Option<&str>| {
            let text = event_text(&event, Paint::Plain, verbosity);
            assert_eq!(text.as_deref(), expected, "{event:?}");
        };
        let began = Event::StageBegan(Stage::Harness, About::Operations(12));
        check(began, Verbosity::Normal, Some("    Building 12 operations\n"));
        let ended = || Event::StageEnded(Stage::Harness, Duration::from_millis(1250));
        check(ended(), Verbosity::Normal, None);
        check(ended(), Verbosity::Verbose, Some("    Finished harness in 1.2s\n"));
        let furnished = Some("   Furnished with 41 examples\n");
        check(Event::Furnished(41), Verbosity::Normal, furnished);
        let taken_up = Event::TakenUp { objects: 7, dropped: 0 };
        check(taken_up, Verbosity::Normal, Some("    Taken up 7 objects of earlier runs\n"));
        let taken_up = Event::TakenUp { objects: 1, dropped: 2 };
        let text =
            "    Taken up 1 object of earlier runs; 2 are not what they were and are left out\n";
        check(taken_up, Verbosity::Normal, Some(text));
        check(
            Event::Degraded(Degradation::SearchGivenUp),
            Verbosity::Normal,
            Some("warning: a search took too long and was given up\n"),
        );
    }

    #[test]
    fn progress_counts_in_words() {
        let progress = Progress { calls: 1_234_567, states: 1, transitions: 20, findings: 0 };
        assert_eq!(
            progress_text(&progress, None, Paint::Plain),
            "   Exploring 1,234,567 calls, 1 state, 20 transitions, 0 findings\n"
        );
        assert_eq!(
            progress_text(&progress, Some(45_678), Paint::Plain),
            "   Exploring 1,234,567 calls (45,678 calls a second), 1 state, 20 transitions, 0 findings\n"
        );
    }
}
