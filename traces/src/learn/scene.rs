//! The first samples of a point, prepared for all families: what each term looks like alone, and
//! which terms are always the same.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use crate::{
    facts::fact::{Fact, TermId, View},
    format::{
        kind::Scalar,
        row::{Batch, Column},
        texts::Texts,
    },
    learn::terms::{self, Term},
};

/// A relation with a smaller chance is taken for granted while pairs are made.
const SURE: f64 = -25.0;

/// A fact that holds on all samples so far.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) fact: Fact,
    /// The chance that it would hold by chance, as a logarithm.
    pub(crate) ln: f64,
}

/// How a term is determined by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// Not at all.
    Free,
    /// `x == y + c`: what holds of the one is known of the other.
    Shifted,
    /// By several others.
    Determined,
}

/// What a term looks like alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    /// All values, sorted; empty for arrays.
    pub(crate) sorted: Vec<i64>,
    pub(crate) distinct: usize,
    /// How often the most frequent value was seen.
    pub(crate) most: usize,
    /// How many samples have a value.
    pub(crate) present: usize,
}

/// The first samples.
pub(crate) struct Scene<'a> {
    pub(crate) terms: &'a [Term],
    pub(crate) batch: &'a Batch,
    pub(crate) texts: &'a Texts,
    pub(crate) profiles: Vec<Profile>,
    /// For each term the first one that is always the same.
    pub(crate) leader: Vec<TermId>,
    /// Terms that are worth being looked at: with values, and not always the same as another.
    pub(crate) live: Vec<TermId>,
    ties: Vec<Tie>,
    tried: Cell<u64>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(terms: &'a [Term], batch: &'a Batch, texts: &'a Texts) -> Scene<'a> {
        let profiles = batch.columns.iter().map(|column| profile(column, batch.rows)).collect();
        let (leader, live, tried) = (Vec::new(), Vec::new(), Cell::new(0));
        let ties = vec![Tie::Free; terms.len()];
        let mut scene = Scene { terms, batch, texts, profiles, leader, live, ties, tried };
        scene.find_leaders();
        scene
    }

    pub(crate) fn view(&self) -> View<'a> {
        View { batch: self.batch, texts: self.texts }
    }

    /// Counts candidates that were looked at, whether they held or not.
    pub(crate) fn count(&self, tried: usize) {
        self.tried.set(self.tried.get() + tried as u64);
    }

    /// How many candidates were looked at.
    pub(crate) fn tried(&self) -> u64 {
        self.tried.get()
    }

    pub(crate) fn is_constant(&self, term: TermId) -> bool {
        let profile = &self.profiles[term];
        !self.terms[term].kind.is_array && profile.distinct <= 1
    }

    /// Live terms of a kind of single values that are not constant.
    pub(crate) fn varying(&self, of: Scalar) -> Vec<TermId> {
        let fits = |term: &TermId| {
            let kind = self.terms[*term].kind;
            kind.of == of && !kind.is_array && !self.is_constant(*term)
        };
        self.live.iter().copied().filter(fits).collect()
    }

    /// Takes note of linear relations: pairs are only made of what they leave open.
    pub(crate) fn tie(&mut self, linear: &[Candidate]) {
        for candidate in linear.iter().filter(|candidate| candidate.ln < SURE) {
            let Fact::Linear(relation) = &candidate.fact else { continue };
            match relation.terms[..] {
                // With what is determined moves what is determined.
                [(first, _), (last, _)] if self.ties[first] == Tie::Determined => {
                    self.ties[last] = Tie::Determined;
                }
                [(_, -1), (last, 1)] => self.ties[last] = Tie::Shifted,
                [_, _, .., (last, _)] => {
                    self.ties[last] = Tie::Determined;
                }
                _ => {}
            }
        }
    }

    /// Terms that vary and are not tied to others in a way that is refused.
    pub(crate) fn varying_but(&self, of: Scalar, refused: &[Tie]) -> Vec<TermId> {
        let mut varying = self.varying(of);
        varying.retain(|term| !refused.contains(&self.ties[*term]));
        varying
    }

    /// Pairs of such terms that may stand in one fact.
    pub(crate) fn pairs(&self, terms: &[TermId]) -> Vec<(TermId, TermId)> {
        let mut pairs = Vec::new();
        for (i, x) in terms.iter().enumerate() {
            for y in &terms[i + 1..] {
                if self.go_together(*x, *y) {
                    pairs.push((*x, *y));
                }
            }
        }
        pairs
    }

    pub(crate) fn go_together(&self, x: TermId, y: TermId) -> bool {
        self.terms[x].goes_with(&self.terms[y])
    }

    /// The values of two terms on the rows where both have one.
    pub(crate) fn pair(&self, x: TermId, y: TermId) -> (Cow<'a, [i64]>, Cow<'a, [i64]>) {
        let (a, b) = (&self.batch.columns[x], &self.batch.columns[y]);
        if a.missing.is_empty() && b.missing.is_empty() {
            return (Cow::Borrowed(&a.cells), Cow::Borrowed(&b.cells));
        }
        let rows = self.view().rows(&[x, y]);
        let (a, b): (Vec<i64>, Vec<i64>) = rows.map(|row| (a.cells[row], b.cells[row])).unzip();
        (Cow::Owned(a), Cow::Owned(b))
    }

    fn find_leaders(&mut self) {
        let mut by_content: BTreeMap<(u64, Scalar, bool), Vec<TermId>> = BTreeMap::new();
        self.leader = (0..self.terms.len()).collect();
        for term in 0..self.terms.len() {
            let (kind, profile) = (self.terms[term].kind, &self.profiles[term]);
            let out_of_bounds = terms::is_out_of_bounds(&self.terms[term], term, self.batch);
            if profile.present == 0 || out_of_bounds {
                continue;
            }
            let digest = digest(&self.batch.columns[term], self.batch.rows);
            let known = by_content.entry((digest, kind.of, kind.is_array)).or_default();
            let leader = known.iter().find(|known| {
                self.terms[**known].goes_with(&self.terms[term])
                    && Fact::Same(**known, term)
                        .survives(View { batch: self.batch, texts: self.texts })
            });
            if let Some(leader) = leader {
                self.leader[term] = *leader;
            } else {
                known.push(term);
                self.live.push(term);
            }
        }
    }
}

fn profile(column: &Column, rows: usize) -> Profile {
    let present = (0..rows).filter(|row| !column.is_missing(*row)).count();
    if column.kind.is_array {
        return Profile { present, ..Profile::default() };
    }
    let values = (0..rows).filter(|row| !column.is_missing(*row)).map(|row| column.cells[row]);
    let mut sorted: Vec<i64> = values.collect();
    sorted.sort_unstable();
    let counts = counts(&sorted);
    let most = counts.iter().copied().max().unwrap_or(0);
    Profile { distinct: counts.len(), most, sorted, present }
}

/// How often each value of a sorted column was seen.
pub(crate) fn counts(sorted: &[i64]) -> Vec<usize> {
    sorted.chunk_by(|a, b| a == b).map(<[i64]>::len).collect()
}

fn digest(column: &Column, rows: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    column.cells.hash(&mut hasher);
    column.items.hash(&mut hasher);
    for row in 0..rows {
        if column.is_missing(row) {
            row.hash(&mut hasher);
        }
    }
    hasher.finish()
}
