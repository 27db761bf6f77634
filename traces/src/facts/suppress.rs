//! Which facts are shown: those that are no chance and follow from nothing that is told already.
//! The rest is kept with the reason.

use std::collections::BTreeMap;

use crate::{
    facts::{
        fact::{Fact, Strictly, TermId},
        knowledge::{Knowledge, edges},
        show::Words,
    },
    learn::{engine::Finding, terms::Time},
};

/// A fact that another point tells.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// About the terms of this point.
    pub(crate) fact: Fact,
    /// The name of the other point.
    pub(crate) at: String,
}

/// What becomes of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is shown.
    Shown,
    /// It follows from others; none when it follows from what the terms are.
    Implied(Vec<String>),
    /// A linear relation determines one of its terms, and says more.
    Determined(String),
    /// It may well hold by chance.
    ByChance,
}

/// What is known of a point besides its findings.
pub(crate) struct Context<'a> {
    pub(crate) words: Words<'a>,
    pub(crate) givens: Vec<Given>,
    /// What the logarithm of a chance must be below.
    pub(crate) limit: f64,
    /// The point where the same calls begin, if none of them is missing.
    pub(crate) same_calls: Option<String>,
}

/// The fate of each finding, in their order.
pub(crate) fn fates(context: &Context<'_>, findings: &[Finding]) -> Vec<Fate> {
    let mut work = Work::new(context);
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|i| (rank(&findings[*i].fact), size(&findings[*i].fact), &findings[*i].fact));
    let mut fates = vec![Fate::ByChance; findings.len()];
    for i in order {
        if findings[i].ln < context.limit {
            fates[i] = work.fate(i, &findings[i]);
        }
    }
    for (i, by) in work.remove_redundant(findings) {
        fates[i] = Fate::Implied(by);
    }
    for (finding, fate) in findings.iter().zip(&mut fates) {
        // What may be chance by itself can follow from what is not.
        if *fate == Fate::ByChance
            && let Some(by) = work.knowledge.implicants(&finding.fact, 0)
        {
            *fate = Fate::Implied(work.labels(&by));
        }
    }
    fates
}

struct Work<'a> {
    context: &'a Context<'a>,
    knowledge: Knowledge<'a>,
    labels: Vec<String>,
    /// Shown findings by their place in what is told.
    shown: BTreeMap<usize, usize>,
    /// Terms that a relation tells, other than as `x == y + c`.
    determined: BTreeMap<TermId, String>,
    /// Terms that are `y + c`, with `y`.
    shifted: BTreeMap<TermId, TermId>,
}

impl<'a> Work<'a> {
    fn new(context: &'a Context<'a>) -> Work<'a> {
        let mut work = Work {
            context,
            knowledge: Knowledge::new(context.words.terms),
            labels: Vec::new(),
            shown: BTreeMap::new(),
            determined: BTreeMap::new(),
            shifted: BTreeMap::new(),
        };
        for given in &context.givens {
            let label = format!("{} (at {})", context.words.fact(&given.fact), given.at);
            work.tell(&given.fact, label);
        }
        work
    }

    fn tell(&mut self, fact: &Fact, label: String) -> usize {
        if let Fact::Linear(relation) = fact {
            match relation.terms[..] {
                [(_, -1), (_, 1)] => {
                    self.shifted.insert(relation.terms[1].0, relation.terms[0].0);
                }
                [_, .., (last, _)] => {
                    self.determined.insert(last, label.clone());
                }
                _ => {}
            }
        }
        self.labels.push(label);
        self.knowledge.add(fact)
    }

    fn fate(&mut self, place: usize, finding: &Finding) -> Fate {
        let fact = &finding.fact;
        let all_before = |fact: &Fact| {
            fact.terms().iter().all(|term| self.context.words.terms[*term].time == Time::Before)
        };
        if let Some(enter) = &self.context.same_calls
            && all_before(fact)
        {
            return Fate::Implied(vec![format!("the same at {enter}")]);
        }
        // A bound that follows up to what is known of it follows.
        let within = finding.within(self.context.limit).unwrap_or(0);
        if let Some(by) = self.knowledge.implicants(fact, within) {
            return Fate::Implied(self.labels(&by));
        }
        if let Some(by) = self.determined_by(fact) {
            return Fate::Determined(by);
        }
        let label = self.context.words.fact(fact);
        let told = self.tell(fact, label);
        self.shown.insert(told, place);
        Fate::Shown
    }

    fn labels(&self, places: &[usize]) -> Vec<String> {
        places.iter().map(|place| self.labels[*place].clone()).collect()
    }

    /// Bounds and orders of what a relation determines are left to the relation, except bounds such
    /// as people write.
    fn determined_by(&self, fact: &Fact) -> Option<String> {
        let applies = match fact {
            Fact::AtLeast(_, c) | Fact::AtMost(_, c) => !(-2..=2).contains(c),
            Fact::Order(..) | Fact::Gap(..) | Fact::Differs(..) | Fact::Divides(..) => true,
            _ => false,
        };
        let terms = fact.terms();
        let relation = |term: &TermId| {
            let base = self.shifted.get(term).unwrap_or(term);
            self.determined.get(term).or_else(|| self.determined.get(base))
        };
        let mut found = terms.iter().filter_map(relation);
        found.next().filter(|_| applies).cloned()
    }

    /// Orders and bounds that became superfluous by what was told after them.
    fn remove_redundant(&self, findings: &[Finding]) -> Vec<(usize, Vec<String>)> {
        let mut left_out = Vec::new();
        let mut removed = Vec::new();
        for (place, finding) in self.shown.iter().rev() {
            let fact = &self.knowledge.told[*place];
            let is_edge = matches!(
                fact,
                Fact::Order(..) | Fact::Gap(..) | Fact::AtLeast(..) | Fact::AtMost(..)
            );
            if !is_edge || edges(self.context.words.terms, fact).is_empty() {
                continue;
            }
            let within = findings[*finding].within(self.context.limit).unwrap_or(0);
            if let Some(by) = self.knowledge.redundant(*place, within, &left_out) {
                left_out.push(*place);
                removed.push((*finding, self.labels(&by)));
            }
        }
        removed
    }
}

/// What is told first, because the rest is judged by it and a reader learns most from it.
pub(crate) fn rank(fact: &Fact) -> u8 {
    match fact {
        Fact::Same(..) => 0,
        Fact::OneOf(..) | Fact::OneOfArrays(..) => 1,
        Fact::Linear(_) => 2,
        Fact::Opposite(..) => 3,
        Fact::Threshold(..) => 4,
        Fact::Order(..) => 5,
        Fact::AtLeast(_, -2..=2) | Fact::AtMost(_, -2..=2) => 6,
        Fact::AtLeast(..) | Fact::AtMost(..) => 7,
        Fact::Gap(..) => 8,
        Fact::ElementsOneOf(..) => 9,
        Fact::Sorted(..) | Fact::Pairwise(..) | Fact::PairwiseLinear(..) | Fact::Reversed(..) => 10,
        Fact::ElementsAre(..) | Fact::ArrayOrder(..) => 11,
        Fact::ElementsAtLeast(..) | Fact::ElementsAtMost(..) => 12,
        Fact::ElementsNonZero(_) => 13,
        Fact::Square(..) => 14,
        Fact::Divides(..) => 15,
        Fact::Implies(..) => 16,
        Fact::NonZero(_) => 17,
        Fact::Member(..) => 18,
        Fact::PowerOfTwo(_) => 19,
        Fact::Differs(..) => 20,
    }
}

/// Small constants first; stronger orders first.
fn size(fact: &Fact) -> u64 {
    match fact {
        Fact::AtLeast(_, c) | Fact::AtMost(_, c) | Fact::Gap(_, _, c) => c.unsigned_abs(),
        Fact::Linear(relation) => relation.terms.len() as u64,
        Fact::Order(_, Strictly::OrEqual, _) => 1,
        Fact::OneOf(_, values) => values.len() as u64,
        _ => 0,
    }
}
