//! Facts from foreign traces in Daikon's format: anything that a Daikon front end can record can
//! be read here.
//!
//! A trace is read once, in batches by point ([`format`]); each point has an engine (`learn`) that
//! makes candidates of its first batch and checks them on the rest. What holds in the end is kept if it
//! is unlikely to hold by chance, reckoned over all candidates of all points, and shown if it does
//! not follow from what is shown (`facts`). Memory does not grow with the trace.

#![allow(clippy::many_single_char_names, reason = "facts are about x and y, a and b")]

mod facts;
mod format;
mod learn;
mod numeric;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use crate::{
    facts::suppress::Fate,
    format::error::{Problem, TraceError},
};

use crate::{
    facts::{
        fact::Fact,
        show::Words,
        suppress::{Context, Given, fates, rank},
    },
    format::{
        reader::{Reader, Table},
        route::When,
    },
    learn::engine::Finding,
    numeric::odds::limit,
};

/// What was learnt from a trace.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// Points with samples, in order of their names.
    pub points: Vec<PointReport>,
    /// How many samples were read.
    pub samples: u64,
    /// How many candidates were looked at: the chance of each is held against their number.
    pub candidates: u64,
    /// Calls that end without having begun; their samples do not count.
    pub unbegun: u64,
    /// Calls that begin and do not end.
    pub unended: u64,
}

/// What holds at one point.
#[derive(Clone, Debug)]
pub struct PointReport {
    /// Its name; `if return` and `if !return` set calls apart by what they returned.
    pub name: String,
    /// How many samples it has.
    pub samples: u64,
    /// All facts, those that are not shown as well.
    pub facts: Vec<Told>,
}

/// A fact with its evidence.
#[derive(Clone, Debug)]
pub struct Told {
    /// As it is written.
    pub text: String,
    /// The family it belongs to.
    pub family: &'static str,
    /// Whether it is shown, or why not.
    pub fate: Fate,
    /// Samples on which all its terms had a value.
    pub samples: u64,
    /// The decimal logarithm of the chance that it holds by chance.
    pub log10_chance: f64,
    /// For bounds and thresholds: how far the true one can be from the one told.
    pub within: Option<u64>,
}

/// Reads a trace and learns what holds in it. Declarations may be in a file of their own.
pub fn infer_trace(trace: &Path, declarations: Option<&Path>) -> Result<TraceReport, TraceError> {
    let mut reader = Reader::new();
    if let Some(path) = declarations {
        reader.read(path)?;
    }
    reader.read(trace)?;
    if reader.samples == 0 {
        return Err(TraceError::NoSamples { path: trace.to_owned() });
    }
    if reader.tables.iter().any(|table| table.engine.is_late()) {
        reader.begin_again();
        if let Some(path) = declarations {
            reader.read(path)?;
        }
        reader.read(trace)?;
    }
    Ok(report(&reader))
}

fn report(reader: &Reader) -> TraceReport {
    let candidates = reader.tables.iter().map(|table| table.engine.tried()).sum();
    let mut places: Vec<usize> = (0..reader.tables.len()).collect();
    // What a point may refer to comes first: objects, then beginnings, then ends, then parts.
    places.sort_by_key(|place| (depth(reader, *place), &reader.tables[*place].title));
    let mut shown: Vec<Vec<Fact>> = vec![Vec::new(); reader.tables.len()];
    let mut points = Vec::new();
    for place in places {
        let table = &reader.tables[place];
        if table.engine.rows == 0 {
            continue;
        }
        let (facts, point) = point(reader, table, &shown, limit(candidates));
        shown[place] = facts;
        points.push(point);
    }
    points.sort_by(|a, b| a.name.cmp(&b.name));
    let (unbegun, unended) = (reader.calls.unbegun, reader.calls.unended);
    TraceReport { points, samples: reader.samples, candidates, unbegun, unended }
}

fn depth(reader: &Reader, place: usize) -> usize {
    let sources =
        reader.tables[place].sources.iter().filter_map(|source| find(reader, &source.title));
    sources.map(|source| depth(reader, source) + 1).max().unwrap_or(0)
}

fn find(reader: &Reader, title: &str) -> Option<usize> {
    reader.tables.iter().position(|table| table.title == title)
}

/// The shown facts of a point, and the report of all.
fn point(
    reader: &Reader,
    table: &Table,
    shown: &[Vec<Fact>],
    limit: f64,
) -> (Vec<Fact>, PointReport) {
    let words = Words { terms: &table.engine.terms, texts: &reader.texts };
    let context = Context {
        words,
        givens: givens(reader, table, shown),
        limit,
        same_calls: same_calls(reader, table),
    };
    let mut findings = table.engine.findings(&reader.texts, limit);
    findings.sort_by(|a, b| (rank(&a.fact), &a.fact).cmp(&(rank(&b.fact), &b.fact)));
    let fates = fates(&context, &findings);
    let kept = findings.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Shown);
    let kept = kept.map(|(finding, _)| finding.fact.clone()).collect();
    let facts = findings.iter().zip(fates).map(|(finding, fate)| told(&context, finding, fate));
    let facts = facts.collect();
    (kept, PointReport { name: table.title.clone(), samples: table.engine.rows, facts })
}

fn told(context: &Context<'_>, finding: &Finding, fate: Fate) -> Told {
    let within = finding.within(context.limit);
    Told {
        text: context.words.fact(&finding.fact),
        family: finding.fact.family(),
        fate,
        samples: finding.samples,
        log10_chance: finding.ln / std::f64::consts::LN_10,
        within,
    }
}

/// What other points tell about the terms of this one.
fn givens(reader: &Reader, table: &Table, shown: &[Vec<Fact>]) -> Vec<Given> {
    let mut givens: Vec<Given> = Vec::new();
    for source in &table.sources {
        let Some(place) = find(reader, &source.title) else { continue };
        let names = &reader.tables[place].engine.terms;
        let counterpart = |term: usize| {
            let name = match source.when {
                When::Now => names[term].name.clone(),
                When::Before => learn::terms::old(&names[term].name),
            };
            table.engine.terms.iter().position(|term| term.name == name)
        };
        for fact in &shown[place] {
            let Some(fact) = fact.renamed(&counterpart) else { continue };
            if !givens.iter().any(|given| given.fact == fact) {
                givens.push(Given { fact, at: source.title.clone() });
            }
        }
    }
    if let Some((place, value)) = table.only_if {
        let fact = Fact::OneOf(place, vec![value]);
        givens.push(Given { fact, at: table.title.clone() });
        let split = givens.iter().filter_map(|given| {
            let fact = facts::split::side(&given.fact, place, value)?;
            Some(Given { fact, at: given.at.clone() })
        });
        let split: Vec<Given> = split.collect();
        givens.extend(split);
    }
    givens
}

/// The beginning of the calls that end here, if all of them do.
fn same_calls(reader: &Reader, table: &Table) -> Option<String> {
    let base = table.title.strip_suffix(":::EXIT")?;
    let enter = find(reader, &format!("{base}:::ENTER"))?;
    let enter = &reader.tables[enter];
    (enter.engine.rows == table.engine.rows).then(|| enter.title.clone())
}

impl Fact {
    /// The family it belongs to.
    fn family(&self) -> &'static str {
        match self {
            Fact::Same(..) => "equality",
            Fact::OneOf(..) | Fact::OneOfArrays(..) => "few values",
            Fact::Linear(_) => "linear",
            Fact::Threshold(..) => "threshold",
            Fact::Opposite(..) => "negation",
            Fact::Implies(..) => "implication",
            Fact::Order(..) => "order",
            Fact::Gap(..) => "difference bound",
            Fact::Differs(..) => "inequality",
            Fact::Divides(..) => "divisor",
            Fact::Square(..) => "square",
            Fact::AtLeast(..) | Fact::AtMost(..) => "bound",
            Fact::NonZero(_) => "not zero",
            Fact::PowerOfTwo(_) => "power of two",
            Fact::ElementsOneOf(..) => "few elements",
            Fact::ElementsAtLeast(..) | Fact::ElementsAtMost(..) => "bound of elements",
            Fact::ElementsNonZero(_) => "elements not zero",
            Fact::Sorted(..) => "sorted",
            Fact::Member(..) => "member",
            Fact::ElementsAre(..) => "order of elements",
            Fact::ArrayOrder(..) => "lexical order",
            Fact::Pairwise(..) | Fact::PairwiseLinear(..) => "pairwise",
            Fact::Reversed(..) => "reversal",
        }
    }
}
