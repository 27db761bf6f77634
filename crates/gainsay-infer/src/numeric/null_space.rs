//! All linear relations between columns of integers, exactly, row by row.
//!
//! The rows seen so far span a space; the relations are what is orthogonal to it. A row that
//! satisfies all relations changes nothing, and there can be at most as many others as there are
//! columns: so after a short beginning the work is to check few relations on columns. Elimination
//! runs modulo a prime, relations are recovered as small fractions and then checked with true
//! integers on every row.

use super::{
    modular::{Residue, gcd},
    relation::Relation,
};

/// The relations that hold on all rows so far. The first columns are preferred as those that the
/// later ones are expressed by.
#[derive(Clone, Debug)]
pub struct NullSpace {
    columns: usize,
    /// The rows that made a difference, as they came.
    witnesses: Vec<Vec<i64>>,
    reduced: Reduced,
    relations: Vec<Relation>,
    /// Columns that are determined, but not by small coefficients.
    unclear: Vec<usize>,
    /// Rows that say nothing new modulo the prime, but violate a relation: some of their values
    /// are larger than the prime.
    wide: Vec<Vec<i64>>,
}

impl NullSpace {
    /// No rows yet: everything is zero.
    pub fn new(columns: usize) -> NullSpace {
        let reduced = Reduced::new(columns + 1);
        let mut space = NullSpace {
            columns,
            witnesses: Vec::new(),
            reduced,
            relations: Vec::new(),
            unclear: Vec::new(),
            wide: Vec::new(),
        };
        space.recover();
        space
    }

    /// Takes the rows of columns of equal length.
    pub fn add(&mut self, columns: &[&[i64]]) {
        assert_eq!(columns.len(), self.columns, "one slice for each column");
        let rows = columns.first().map_or(0, |column| column.len());
        let mut row = 0;
        // Most of the first rows make a difference, so relations between them are not worth
        // recovering.
        let mut quiet = 0;
        while row < rows && quiet < 8 && self.witnesses.len() <= self.columns {
            quiet = if self.take(columns, row) { 0 } else { quiet + 1 };
            row += 1;
        }
        self.recover();
        // Those that made no difference modulo the prime may make one.
        row = 0;
        while let Some(wrong) = self.first_violation(columns, row) {
            if !self.take(columns, wrong) {
                // No relation modulo the prime will ever tell it from the others.
                self.wide.push(columns.iter().map(|column| column[wrong]).collect());
            }
            self.recover();
            row = wrong;
        }
    }

    /// The relations that hold, one for each determined column, simplest columns first.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// How many rows the relations are fitted to: as many say nothing about them.
    pub fn rank(&self) -> usize {
        self.witnesses.len()
    }

    /// What the same rows say about some of the columns.
    pub fn narrowed(&self, kept: &[usize]) -> NullSpace {
        let mut space = NullSpace::new(kept.len());
        for witness in &self.witnesses {
            let row: Vec<i64> = kept.iter().map(|column| witness[*column]).collect();
            space.insert(row);
        }
        let row = |wide: &Vec<i64>| kept.iter().map(|column| wide[*column]).collect();
        space.wide = self.wide.iter().map(row).collect();
        space.recover();
        space
    }

    fn take(&mut self, columns: &[&[i64]], row: usize) -> bool {
        self.insert(columns.iter().map(|column| column[row]).collect())
    }

    fn insert(&mut self, row: Vec<i64>) -> bool {
        let residues = std::iter::once(1).chain(row.iter().copied());
        let residues = residues.map(|value| Residue::of(i128::from(value))).collect();
        let is_new = self.reduced.insert(residues);
        if is_new {
            self.witnesses.push(row);
        }
        is_new
    }

    /// Reads the relations off the reduced rows, with the first independent columns as those that
    /// explain.
    fn recover(&mut self) {
        self.reduced = self.reduced.ordered();
        self.relations.clear();
        self.unclear.clear();
        for column in 1..=self.columns {
            if self.reduced.is_pivot(column) {
                continue;
            }
            match self.reduced.relation(column) {
                Some(relation) if self.wide.iter().all(|row| relation.holds_on(row)) => {
                    self.relations.push(relation);
                }
                Some(_) => {}
                None => self.unclear.push(column),
            }
        }
    }

    fn first_violation(&self, columns: &[&[i64]], from: usize) -> Option<usize> {
        let known =
            self.relations.iter().filter_map(|relation| relation.first_violation(columns, from));
        let unclear = self
            .unclear
            .iter()
            .filter_map(|column| self.reduced.first_violation(*column, columns, from));
        known.chain(unclear).min()
    }
}

/// Rows in reduced form; column 0 is the constant one.
#[derive(Clone, Debug)]
struct Reduced {
    width: usize,
    /// Each with its pivot, where it is one and all others are zero.
    rows: Vec<(usize, Vec<Residue>)>,
    pivots: Vec<bool>,
}

impl Reduced {
    fn new(width: usize) -> Reduced {
        Reduced { width, rows: Vec::new(), pivots: vec![false; width] }
    }

    fn is_pivot(&self, column: usize) -> bool {
        self.pivots[column]
    }

    /// Takes a row; false when it says nothing new.
    fn insert(&mut self, mut row: Vec<Residue>) -> bool {
        for (pivot, known) in &self.rows {
            subtract(&mut row, known, *pivot);
        }
        let Some(pivot) = row.iter().position(|value| !value.is_zero()) else { return false };
        let inverse = row[pivot].inverse();
        for value in &mut row {
            *value = value.times(inverse);
        }
        for (_, known) in &mut self.rows {
            subtract(known, &row, pivot);
        }
        self.rows.push((pivot, row));
        self.pivots[pivot] = true;
        true
    }

    /// The same space with the leftmost independent columns as pivots.
    fn ordered(&self) -> Reduced {
        let mut left: Vec<Vec<Residue>> = self.rows.iter().map(|(_, row)| row.clone()).collect();
        let mut ordered = Reduced::new(self.width);
        for column in 0..self.width {
            let Some(found) = left.iter().position(|row| !row[column].is_zero()) else { continue };
            let mut row = left.swap_remove(found);
            let inverse = row[column].inverse();
            for value in &mut row {
                *value = value.times(inverse);
            }
            for other in &mut left {
                subtract(other, &row, column);
            }
            for (_, other) in &mut ordered.rows {
                subtract(other, &row, column);
            }
            ordered.rows.push((column, row));
            ordered.pivots[column] = true;
        }
        ordered
    }

    /// The relation that determines a column, if its coefficients are small.
    fn relation(&self, column: usize) -> Option<Relation> {
        let mut parts = Vec::new();
        let mut denominator = 1_i64;
        for (pivot, row) in &self.rows {
            let (top, bottom) = row[column].fraction()?;
            denominator = (denominator / gcd(denominator, bottom)).checked_mul(bottom)?;
            parts.push((*pivot, top, bottom));
        }
        let mut terms = vec![(column - 1, denominator.checked_neg()?)];
        let mut constant = 0;
        for (pivot, top, bottom) in parts {
            let coefficient = top.checked_mul(denominator / bottom)?;
            match pivot {
                0 => constant = coefficient,
                _ => terms.push((pivot - 1, coefficient)),
            }
        }
        Relation::new(terms, constant)
    }

    fn first_violation(&self, column: usize, columns: &[&[i64]], from: usize) -> Option<usize> {
        let rows = columns.first().map_or(0, |column| column.len());
        let value = |column: usize, row: usize| match column {
            0 => Residue::of(1),
            _ => Residue::of(i128::from(columns[column - 1][row])),
        };
        (from..rows).find(|row| {
            let explained = self.rows.iter().fold(Residue::ZERO, |sum, (pivot, known)| {
                sum.plus(known[column].times(value(*pivot, *row)))
            });
            explained != value(column, *row)
        })
    }
}

/// Takes from a row what makes it zero at the pivot.
fn subtract(row: &mut [Residue], known: &[Residue], pivot: usize) {
    let factor = row[pivot];
    if factor.is_zero() {
        return;
    }
    for (value, known) in row.iter_mut().zip(known) {
        *value = value.minus(factor.times(*known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relations(columns: &[&[i64]]) -> Vec<(Vec<(usize, i64)>, i64)> {
        let mut space = NullSpace::new(columns.len());
        space.add(columns);
        space.relations().iter().map(|found| (found.terms.clone(), found.constant)).collect()
    }

    #[test]
    fn a_plane_is_found_and_nothing_else() {
        let x: Vec<i64> = (0..40).map(|i| i * 37 % 101).collect();
        let y: Vec<i64> = (0..40).map(|i| i * i * 53 % 97).collect();
        let z: Vec<i64> = x.iter().zip(&y).map(|(x, y)| 2 * x + 3 * y - 7).collect();
        assert_eq!(relations(&[&x, &y, &z]), [(vec![(0, -2), (1, -3), (2, 1)], 7)]);
    }

    #[test]
    fn fractions_become_integers() {
        let x: Vec<i64> = (0..20).map(|i| 2 * i).collect();
        let y: Vec<i64> = (0..20).map(|i| 3 * i + 1).collect();
        assert_eq!(relations(&[&x, &y]), [(vec![(0, -3), (1, 2)], -2)]);
    }

    #[test]
    fn a_late_row_ends_a_relation_and_leaves_the_others() {
        let x: Vec<i64> = (0..5000).map(|i| i * 7919 % 1009).collect();
        let same = x.clone();
        let mut late = x.clone();
        late[4321] += 1;
        assert_eq!(relations(&[&x, &late, &same]), [(vec![(0, -1), (2, 1)], 0)]);
    }

    /// Modulo the prime the greatest number is three.
    #[test]
    fn values_beyond_the_prime_end_a_relation_that_holds_modulo_it() {
        let x = [1, 5, 9, 4];
        let three = [3, 3, i64::MAX, 3];
        assert_eq!(relations(&[&x, &three]), []);
        let mut space = NullSpace::new(2);
        space.add(&[&x, &three]);
        space.add(&[&[7], &[3]]);
        assert_eq!(space.relations(), []);
        assert_eq!(space.narrowed(&[1]).relations(), []);
    }

    #[test]
    fn constants_are_relations_until_they_change() {
        let mut space = NullSpace::new(2);
        space.add(&[&[5, 5, 5], &[1, 2, 4]]);
        assert_eq!(space.relations(), [Relation { terms: vec![(0, 1)], constant: -5 }]);
        space.add(&[&[6], &[4]]);
        assert_eq!(space.relations(), []);
        assert_eq!(space.rank(), 3);
    }

    #[test]
    fn few_columns_keep_what_was_known_about_them() {
        let x: Vec<i64> = (0..30).map(|i| i * 37 % 101).collect();
        let y: Vec<i64> = (0..30).map(|i| i * i * 53 % 97).collect();
        let z: Vec<i64> = y.iter().map(|y| y + 4).collect();
        let mut space = NullSpace::new(3);
        space.add(&[&x, &y, &z]);
        let narrow = space.narrowed(&[1, 2]);
        assert_eq!(narrow.relations(), [Relation { terms: vec![(0, -1), (1, 1)], constant: -4 }]);
    }

    #[test]
    fn sixty_dependent_columns_of_large_values_have_a_basis() {
        let hidden: Vec<(i64, i64)> =
            (0..200).map(|i| (i * 7919 % 10_007, i * i * 104_729 % 9973)).collect();
        let columns: Vec<Vec<i64>> = (0..60)
            .map(|k| hidden.iter().map(|(s, t)| (k % 9 + 1) * s - (k % 7 + 2) * t + k).collect())
            .collect();
        let views: Vec<&[i64]> = columns.iter().map(Vec::as_slice).collect();
        let found = relations(&views);
        assert_eq!(found.len(), 58);
    }
}
