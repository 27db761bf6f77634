//! Linear relations of integers: one null-space for the terms that have values on the same rows,
//! told as a basis. Terms that move with a single other one are told by that one; only the rest
//! by more.

use std::collections::BTreeMap;

use crate::numeric::odds::ln_fit;
use crate::{
    facts::fact::{Fact, TermId, View},
    format::kind::Scalar,
    learn::scene::{Candidate, Profile, Scene},
};
use gainsay_infer::numeric::null_space::NullSpace;
use gainsay_infer::numeric::relation::Relation;

/// The null-spaces of a point.
#[derive(Debug, Default)]
pub(crate) struct Spaces {
    spaces: Vec<Space>,
}

/// Terms that were missing on the same rows at first, with those that never were.
#[derive(Debug)]
struct Space {
    terms: Vec<TermId>,
    /// Relations must have one of these: the others have a space of their own.
    own: Vec<TermId>,
    relations: NullSpace,
}

impl Spaces {
    /// The spaces of the terms of a scene, without rows.
    pub(crate) fn new(scene: &Scene<'_>) -> Spaces {
        let mut classes: BTreeMap<(Option<&str>, &[bool]), Vec<TermId>> = BTreeMap::new();
        for term in scene.varying(Scalar::Int) {
            let missing = scene.batch.columns[term].missing.as_slice();
            let key = scene.terms[term].key.as_deref();
            classes.entry((key, missing)).or_default().push(term);
        }
        let mut spaces = Vec::new();
        for ((key, missing), own) in &classes {
            scene.count(own.len() * own.len());
            let whole = if missing.is_empty() { None } else { classes.get(&(*key, &[][..])) };
            let mut terms: Vec<TermId> =
                own.iter().chain(whole.into_iter().flatten()).copied().collect();
            terms.sort_unstable();
            let relations = NullSpace::new(terms.len());
            spaces.push(Space { terms, own: own.clone(), relations });
        }
        Spaces { spaces }
    }

    /// Takes rows; tells whether all relations still hold.
    pub(crate) fn add(&mut self, view: View<'_>) -> bool {
        let before: usize = self.spaces.iter().map(|space| space.relations.rank()).sum();
        for space in &mut self.spaces {
            space.add(view);
        }
        self.spaces.iter().map(|space| space.relations.rank()).sum::<usize>() == before
    }

    /// The relations that hold on all rows.
    pub(crate) fn candidates(&self, profiles: &[Profile]) -> Vec<Candidate> {
        self.spaces.iter().flat_map(|space| space.candidates(profiles)).collect()
    }
}

impl Space {
    fn add(&mut self, view: View<'_>) {
        let columns: Vec<_> = self.terms.iter().map(|term| view.column(*term)).collect();
        if columns.iter().all(|column| column.missing.is_empty()) {
            let slices: Vec<&[i64]> =
                columns.iter().map(|column| column.cells.as_slice()).collect();
            self.relations.add(&slices);
            return;
        }
        let rows: Vec<usize> = view.rows(&self.terms).collect();
        let dense = |term: &TermId| -> Vec<i64> {
            rows.iter().map(|row| view.column(*term).cells[*row]).collect()
        };
        let dense: Vec<Vec<i64>> = self.terms.iter().map(dense).collect();
        let slices: Vec<&[i64]> = dense.iter().map(Vec::as_slice).collect();
        self.relations.add(&slices);
    }

    fn candidates(&self, profiles: &[Profile]) -> Vec<Candidate> {
        let present = self.own.iter().map(|term| profiles[*term].present).min().unwrap_or(0);
        let rank = self.relations.rank();
        let told = told_by_few(self.relations.relations());
        let mut found = Vec::new();
        for (relation, determined) in told {
            let terms = relation.terms.iter().map(|(place, by)| (self.terms[*place], *by));
            let Some(relation) = Relation::new(terms.collect(), relation.constant) else {
                continue;
            };
            if !relation.terms.iter().any(|(term, _)| self.own.contains(term)) {
                continue;
            }
            let profile = &profiles[self.terms[determined]];
            let ln = ln_fit(present.min(profile.present), rank, profile.most);
            found.push(Candidate { fact: Fact::Linear(relation), ln });
        }
        found
    }
}

/// The same relations with as few terms as it takes: each determined column is told by the first
/// column that it moves with, if there is one. Gives the determined column beside.
fn told_by_few(relations: &[Relation]) -> Vec<(Relation, usize)> {
    let mut first: BTreeMap<Vec<(usize, i64)>, usize> = BTreeMap::new();
    let mut told = Vec::new();
    for (i, relation) in relations.iter().enumerate() {
        let Some((determined, _)) = relation.terms.last() else { continue };
        let explaining = &relation.terms[..relation.terms.len() - 1];
        let direction = Relation::new(explaining.to_vec(), 0).map_or(Vec::new(), |d| d.terms);
        let shorter = match first.get(&direction) {
            Some(known) if direction.len() > 1 => combined(&relations[*known], relation),
            _ => {
                first.insert(direction, i);
                None
            }
        };
        told.push((shorter.unwrap_or_else(|| relation.clone()), *determined));
    }
    told
}

/// Removes what explains both determined columns, so that one is told by the other.
fn combined(known: &Relation, relation: &Relation) -> Option<Relation> {
    let (a, b) = (known.terms.first()?.1, relation.terms.first()?.1);
    let (f, g) = (known.terms.last()?, relation.terms.last()?);
    let terms = vec![(f.0, f.1.checked_mul(b)?), (g.0, a.checked_mul(g.1)?.checked_neg()?)];
    let constant = known.constant.checked_mul(b)?.checked_sub(relation.constant.checked_mul(a)?)?;
    Relation::new(terms, constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_moves_with_another_is_told_by_it() {
        // c == 2a + 3b - 7, d == 4a + 6b: d == 2c + 14.
        let c = Relation::new(vec![(0, -2), (1, -3), (2, 1)], 7).unwrap();
        let d = Relation::new(vec![(0, -4), (1, -6), (3, 1)], 0).unwrap();
        let told = told_by_few(&[c.clone(), d]);
        let expected = Relation::new(vec![(2, -2), (3, 1)], -14).unwrap();
        assert_eq!(told, [(c, 2), (expected, 3)]);
    }
}
