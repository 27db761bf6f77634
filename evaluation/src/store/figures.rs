//! What was measured, as lines for people and as JSON.

use std::{fmt::Write as _, fs, time::Duration};

use serde_json::{Value, json};

use super::{
    BATCH, SEARCHES,
    pool::Pool,
    shape::{OPS, QUERIES, TYPES},
};

/// What loading took, and what is there then.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) loading: Duration,
    pub(super) indexing: Duration,
    pub(super) bytes: u64,
    pub(super) rows: Vec<(&'static str, u64)>,
}

/// What searches took and found.
#[derive(Clone, Debug, Default)]
pub(super) struct Searched {
    pub(super) times: Vec<Duration>,
    /// Searches that found something exactly when there is something.
    pub(super) right: u64,
    pub(super) wrong: u64,
    /// Searches that were stopped.
    pub(super) stopped: u64,
}

impl Searched {
    /// Takes down whether a search told the truth: `None` when it was stopped.
    pub(super) fn note(&mut self, satisfiable: bool, found: Option<usize>) {
        match found {
            None => self.stopped += 1,
            Some(found) if (found > 0) == satisfiable => self.right += 1,
            Some(_) => self.wrong += 1,
        }
    }

    fn total(&self) -> f64 {
        self.times.iter().map(Duration::as_secs_f64).sum()
    }

    /// The time in milliseconds below which so many of a hundred searches are.
    fn percentile(&self, percent: usize) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

/// All of it.
pub(super) struct Figures {
    objects: u64,
    states: u64,
    transitions: usize,
    calls: u64,
    limit: Duration,
    load_before: String,
    pub(super) ours: Option<(Loaded, Searched)>,
    pub(super) paper: Option<(Loaded, Searched)>,
}

impl Figures {
    pub(super) fn new(pool: &Pool, objects: u64, limit: Duration) -> Figures {
        Figures {
            objects,
            states: pool.states.iter().map(|n| u64::from(*n)).sum(),
            transitions: pool.transitions(),
            calls: pool.calls(),
            limit,
            load_before: load_average(),
            ours: None,
            paper: None,
        }
    }

    /// What is in the pool, in words.
    pub(super) fn distribution(&self) -> String {
        let Figures { objects, states, transitions, calls, .. } = self;
        format!(
            "Pool: {calls} calls that take and leave {objects} objects in {states} states of \
             {TYPES} types, {transitions} transitions; {OPS} operations and {} queries a type \
             ({} of one object: 3 truth values, 2 integers; 1 of two).\n\
             Types have states in proportion to the inverse of their rank to the 0.7th power. \
             States and transitions come up with a chance in inverse proportion to their rank, short \
             lists first; a transition in twelve is new. A tenth of the calls are origins, four in \
             ten queries, four in ten commands on one object, an eighth on two, one in 160 on \
             three.\n\
             Batches of {BATCH} calls. Searches: {SEARCHES}, 1 to 4 atoms, 1 to 3 variables, half \
             of them with nothing to be found; what the store looked up for one is forgotten before \
             the next.\n\
             Load of the machine at the start: {}\n",
            QUERIES.len() + 1,
            QUERIES.len(),
            self.load_before,
        )
    }

    /// A line for those who wait.
    pub(super) fn progress(&self, what: &str) -> String {
        let ours = self.ours.as_ref();
        let seconds = ours.map_or(0.0, |(loaded, _)| loaded.loading.as_secs_f64());
        let searching = ours.map_or(0.0, |(_, searched)| searched.total());
        format!("{what}: loaded in {seconds:.1} s, searched in {searching:.2} s\n")
    }

    /// Both side by side.
    pub(super) fn table(&self) -> String {
        let mut text = String::from(
            "\n|                           |        this store | the paper's schema |\n\
             |---------------------------|------------------:|-------------------:|\n",
        );
        let (Some((ours, found)), Some((paper, paper_found))) = (&self.ours, &self.paper) else {
            return text;
        };
        let mut row = |name: &str, a: String, b: String| {
            writeln!(text, "| {name:<25} | {a:>17} | {b:>18} |").expect("writing to a string");
        };
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        row("loading", seconds(ours.loading), seconds(paper.loading));
        row("making indexes", "-".into(), seconds(paper.indexing));
        row("file", megabytes(ours.bytes), megabytes(paper.bytes));
        for (name, percent) in [("median", 50), ("90 %", 90), ("99 %", 99), ("longest", 100)] {
            let ms = |searched: &Searched| format!("{:.2} ms", searched.percentile(percent));
            row(&format!("search, {name}"), ms(found), ms(paper_found));
        }
        let total = |searched: &Searched| format!("{:.2} s", searched.total());
        row("all searches", total(found), total(paper_found));
        let count = |number: u64| number.to_string();
        row("answers that are right", count(found.right), count(paper_found.right));
        row("answers that are wrong", count(found.wrong), count(paper_found.wrong));
        row("stopped", count(found.stopped), count(paper_found.stopped));
        text.push_str(&self.notes(ours, paper, paper_found.total() / found.total()));
        text
    }

    fn notes(&self, ours: &Loaded, paper: &Loaded, times: f64) -> String {
        let rows = |loaded: &Loaded| -> String {
            let rows: Vec<String> =
                loaded.rows.iter().map(|(name, count)| format!("{count} {name}")).collect();
            rows.join(", ")
        };
        format!(
            "\nRows: {}; the paper's schema: {}.\n\
             The searches are at least {times:.0} times as fast: those of the paper's form are \
             stopped after {} s and counted with that.\n\
             Load of the machine at the end: {}\n",
            rows(ours),
            rows(paper),
            self.limit.as_secs_f64(),
            load_average(),
        )
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        let one = |measured: &Option<(Loaded, Searched)>| {
            measured.as_ref().map(|(loaded, searched)| {
                json!({
                    "loading_seconds": loaded.loading.as_secs_f64(),
                    "indexing_seconds": loaded.indexing.as_secs_f64(),
                    "bytes": loaded.bytes,
                    "rows": loaded.rows.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
                    "median_ms": searched.percentile(50),
                    "p90_ms": searched.percentile(90),
                    "p99_ms": searched.percentile(99),
                    "longest_ms": searched.percentile(100),
                    "total_seconds": searched.total(),
                    "right": searched.right,
                    "wrong": searched.wrong,
                    "stopped": searched.stopped,
                })
            })
        };
        json!({
            "objects": self.objects, "states": self.states, "transitions": self.transitions,
            "calls": self.calls, "searches": SEARCHES, "limit_seconds": self.limit.as_secs_f64(),
            "load_before": self.load_before, "load_after": load_average(),
            "store": one(&self.ours), "paper": one(&self.paper),
        })
    }
}

fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_all_searches_in_order() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let searched = Searched { times, ..Searched::default() };
        let at = [50, 99, 100].map(|percent| format!("{:.0}", searched.percentile(percent)));
        assert_eq!(at, ["100", "198", "200"]);
        assert!(Searched::default().percentile(50).abs() < 1e-9);
    }

    #[test]
    fn a_search_is_right_when_it_finds_something_that_is_there_or_nothing_that_is_not() {
        let mut searched = Searched::default();
        for (satisfiable, found) in
            [(true, Some(3)), (false, Some(0)), (true, Some(0)), (false, Some(1)), (true, None)]
        {
            searched.note(satisfiable, found);
        }
        assert_eq!((searched.right, searched.wrong, searched.stopped), (2, 2, 1));
    }
}
