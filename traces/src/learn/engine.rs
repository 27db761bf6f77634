//! What is learnt at one point, batch by batch.
//!
//! The first batch is the sample from which all candidates are made, and from which their chances
//! are reckoned; later batches only check. When a later batch shows that the first was not typical
//! (a constant changes, two terms that were the same part), its rows join the sample, and the
//! trace is read once more.

use std::collections::BTreeMap;

use crate::{
    facts::{
        fact::{Fact, Strictly, TermId, View},
        judge::extremes,
    },
    format::{kind::Scalar, row::Batch, texts::Texts},
    learn::{
        family::{self, Spaces},
        scene::{Candidate, Profile, Scene},
        terms::{self, Term},
    },
    numeric::{
        odds::{End, ln_below, ln_crossed},
        tail::Tail,
    },
};

/// A point in the making.
pub(crate) struct Engine {
    pub(crate) terms: Vec<Term>,
    /// How many samples there were.
    pub(crate) rows: u64,
    present: Vec<u64>,
    sample: Batch,
    late: Option<Batch>,
    learnt: Option<Learnt>,
}

/// What the sample taught.
struct Learnt {
    candidates: Vec<Candidate>,
    spaces: Spaces,
    profiles: Vec<Profile>,
    /// The least (negated) and the greatest values of numbers.
    extremes: BTreeMap<TermId, (Tail, Tail)>,
    /// The greatest differences of pairs.
    gaps: BTreeMap<(TermId, TermId), Tail>,
    /// Terms with one value in the sample.
    constants: Vec<(TermId, i64)>,
    /// Terms without any.
    absent: Vec<TermId>,
    tried: u64,
}

/// A fact that holds on all samples.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) fact: Fact,
    /// The chance that it holds by chance, as a logarithm.
    pub(crate) ln: f64,
    /// How many samples it was seen on.
    pub(crate) samples: u64,
    /// For bounds, what is known of the end.
    pub(crate) tail: Option<Tail>,
}

impl Finding {
    /// For bounds, how far the true end can be from the one seen.
    pub(crate) fn within(&self, limit: f64) -> Option<u64> {
        if let Fact::Threshold(.., at) = &self.fact {
            return Some(at.yes.abs_diff(at.no) - 1);
        }
        self.tail.as_ref()?.within(limit)
    }
}

impl Engine {
    pub(crate) fn new(terms: Vec<Term>) -> Engine {
        let present = vec![0; terms.len()];
        let sample = Batch::default();
        Engine { terms, rows: 0, present, sample, late: None, learnt: None }
    }

    /// Takes the samples of a batch of variables.
    pub(crate) fn take(&mut self, mut batch: Batch, texts: &Texts) -> Batch {
        let given = batch.columns.len();
        batch.settle();
        terms::derive(&self.terms, &mut batch);
        self.rows += batch.rows as u64;
        for (present, column) in self.present.iter_mut().zip(&batch.columns) {
            let missing = column.missing.iter().filter(|missing| **missing).count();
            *present += (batch.rows - missing) as u64;
        }
        if let Some(learnt) = &mut self.learnt {
            let is_typical = learnt.check(View { batch: &batch, texts }, &self.terms);
            if !is_typical {
                self.keep_late(&batch);
            }
        } else {
            self.sample.clone_from(&batch);
            self.learn(texts);
        }
        batch.columns.truncate(given);
        batch.clear();
        batch
    }

    /// Whether the sample was not typical, so that another reading is worth it.
    pub(crate) fn is_late(&self) -> bool {
        self.late.is_some()
    }

    /// Begins anew with a better sample.
    pub(crate) fn begin_again(&mut self, texts: &Texts) {
        if let Some(late) = self.late.take() {
            self.sample.append(&late);
        }
        self.rows = 0;
        self.present.fill(0);
        self.learnt = None;
        if self.sample.rows > 0 {
            self.learn(texts);
        }
    }

    /// How many candidates were looked at.
    pub(crate) fn tried(&self) -> u64 {
        self.learnt.as_ref().map_or(0, |learnt| learnt.tried)
    }

    /// What holds. The limit on chances decides how exactly constants can be told.
    pub(crate) fn findings(&self, texts: &Texts, limit: f64) -> Vec<Finding> {
        let Some(learnt) = &self.learnt else { return Vec::new() };
        let linear = learnt.spaces.candidates(&learnt.profiles);
        let view = View { batch: &self.sample, texts };
        let found = learnt.candidates.iter().chain(&linear).map(|candidate| {
            let terms = candidate.fact.terms();
            let samples = terms.iter().map(|term| self.present[*term]).min().unwrap_or(0);
            let mut finding =
                Finding { fact: candidate.fact.clone(), ln: candidate.ln, samples, tail: None };
            learnt.finish(&mut finding, view, (&self.terms, limit));
            finding
        });
        found.collect()
    }

    fn learn(&mut self, texts: &Texts) {
        let mut scene = Scene::new(&self.terms, &self.sample, texts);
        let mut spaces = Spaces::new(&scene);
        spaces.add(scene.view());
        scene.tie(&spaces.candidates(&scene.profiles));
        let candidates = family::candidates(&scene);
        let live = scene.live.iter().copied();
        let constants = live.filter(|term| scene.is_constant(*term));
        let constants = constants.map(|term| (term, scene.profiles[term].sorted[0])).collect();
        let absent = (0..self.terms.len()).filter(|term| scene.profiles[*term].present == 0);
        let absent = absent.collect();
        let (extremes, gaps) = (BTreeMap::new(), BTreeMap::new());
        let tried = scene.tried();
        let profiles = scene.profiles;
        let mut learnt =
            Learnt { candidates, spaces, profiles, extremes, gaps, constants, absent, tried };
        learnt.follow_ends(View { batch: &self.sample, texts });
        self.learnt = Some(learnt);
    }

    fn keep_late(&mut self, batch: &Batch) {
        match &mut self.late {
            None => self.late = Some(batch.clone()),
            Some(late) if late.rows < self.sample.rows => late.append(batch),
            Some(_) => {}
        }
    }
}

impl Learnt {
    /// Takes a batch; false when it shows that the sample was not typical.
    fn check(&mut self, view: View<'_>, terms: &[Term]) -> bool {
        let constant = |(term, value): &(TermId, i64)| {
            let column = view.column(*term);
            view.rows(&[*term]).all(|row| column.cells[row] == *value)
        };
        let kept = self.constants.len();
        self.constants.retain(constant);
        let absent = |term: &TermId| view.rows(&[*term]).next().is_none();
        let without = self.absent.len();
        self.absent.retain(absent);
        let mut is_typical = kept == self.constants.len() && without == self.absent.len();
        self.candidates.retain_mut(|candidate| {
            let out = |term: &TermId| terms::is_out_of_bounds(&terms[*term], *term, view.batch);
            let survives = candidate.fact.survives(view) && !candidate.fact.terms().iter().any(out);
            is_typical &= survives || !matches!(candidate.fact, Fact::Same(..));
            survives
        });
        self.follow_ends(view);
        is_typical &= self.spaces.add(view);
        is_typical
    }

    /// Takes note of the extremes of all terms and pairs with bounds.
    fn follow_ends(&mut self, view: View<'_>) {
        for candidate in &self.candidates {
            match candidate.fact {
                Fact::AtMost(x, _) => follow(view, x, self.extremes.entry(x).or_default()),
                Fact::Gap(x, y, high) => {
                    let tail = self.gaps.entry((x, y)).or_default();
                    if tail.wants(high) {
                        let (a, b) = (view.column(x), view.column(y));
                        let rows = view.rows(&[x, y]);
                        tail.add(rows.map(|row| a.cells[row].saturating_sub(b.cells[row])));
                    }
                }
                _ => {}
            }
        }
    }

    /// Constants and chances as they are in the end.
    fn finish(&self, finding: &mut Finding, view: View<'_>, (terms, limit): (&[Term], f64)) {
        match &mut finding.fact {
            Fact::AtLeast(x, c) => {
                let Some((least, greatest)) = self.extremes.get(x) else { return };
                let (Some(low), Some(high)) = (least.end(), greatest.end()) else { return };
                *c = -low;
                let ends = family::ends(&self.profiles[*x], terms[*x].kind.of, *c, high);
                finding.ln = ends.0.ln_open;
                finding.tail = Some(least.clone());
            }
            Fact::AtMost(x, c) => {
                let Some((least, greatest)) = self.extremes.get(x) else { return };
                let (Some(low), Some(high)) = (least.end(), greatest.end()) else { return };
                *c = high;
                let ends = family::ends(&self.profiles[*x], terms[*x].kind.of, -low, *c);
                finding.ln = ends.1.ln_open;
                finding.tail = Some(greatest.clone());
            }
            Fact::Order(x, strictly, y) if terms[*x].kind.of == Scalar::Int => {
                let (left, right, _) = sorted_pair(view, *x, *y);
                if *strictly == Strictly::Less && !self.never_meet(view, (*x, *y), limit) {
                    *strictly = Strictly::OrEqual;
                }
                finding.ln = ln_below(&left, &right, strictly.slack());
            }
            Fact::Gap(x, y, c) => {
                let (left, right, differences) = sorted_pair(view, *x, *y);
                let low = differences.first().map_or(0, |low| i128::from(*low));
                let end = End::upper(&differences, low, i128::from(*c));
                // It must be unlikely by chance, and the differences must end there.
                finding.ln = ln_below(&left, &right, i128::from(*c)).max(end.ln_open);
                finding.tail = self.gaps.get(&(*x, *y)).cloned();
            }
            _ => {}
        }
    }
}

impl Learnt {
    /// Whether it is no chance that two ordered numbers were never equal.
    fn never_meet(&self, view: View<'_>, (x, y): (TermId, TermId), limit: f64) -> bool {
        let tail = self.gaps.get(&(x, y));
        let nearest =
            tail.and_then(|tail| Some(i128::from(tail.end()?) + i128::from(tail.within(limit)?)));
        let (a, b) = (view.column(x), view.column(y));
        let rows: Vec<usize> = view.rows(&[x, y]).collect();
        let differ = |i: usize, j: usize| a.cells[rows[i]] != b.cells[rows[j]];
        nearest.is_some_and(|nearest| nearest < 0) || ln_crossed(rows.len(), differ) < limit
    }
}

fn follow(view: View<'_>, x: TermId, (least, greatest): &mut (Tail, Tail)) {
    let column = view.column(x);
    let (Some(low), Some(high)) = extremes(view, x) else { return };
    let values = || view.rows(&[x]).map(|row| column.cells[row]);
    if least.wants(low.saturating_neg()) {
        least.add(values().map(i64::saturating_neg));
    }
    if greatest.wants(high) {
        greatest.add(values());
    }
}

/// The values of two terms and their differences, each in order.
fn sorted_pair(view: View<'_>, x: TermId, y: TermId) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let (a, b) = (view.column(x), view.column(y));
    let rows: Vec<usize> = view.rows(&[x, y]).collect();
    let sorted = |value: &dyn Fn(usize) -> i64| {
        let mut sorted: Vec<i64> = rows.iter().map(|row| value(*row)).collect();
        sorted.sort_unstable();
        sorted
    };
    let difference = |row: usize| a.cells[row].saturating_sub(b.cells[row]);
    (sorted(&|row| a.cells[row]), sorted(&|row| b.cells[row]), sorted(&difference))
}
