//! A linear relation between columns, and whether it holds on rows.

use super::modular::gcd;

/// `constant + sum of coefficient * column == 0`, without common factors; the last coefficient is
/// positive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// Columns with their coefficients, none of them zero, by column.
    pub terms: Vec<(usize, i64)>,
    /// What stands alone.
    pub constant: i64,
}

impl Relation {
    /// The relation with these coefficients, made as simple as it can be. None when it says
    /// nothing about any column.
    pub fn new(mut terms: Vec<(usize, i64)>, constant: i64) -> Option<Relation> {
        terms.retain(|(_, coefficient)| *coefficient != 0);
        terms.sort_unstable();
        let last = terms.last()?.1;
        let common = terms.iter().fold(constant, |common, (_, next)| gcd(common, *next));
        let unit = if last < 0 { -common } else { common };
        for (_, coefficient) in &mut terms {
            *coefficient /= unit;
        }
        Some(Relation { terms, constant: constant / unit })
    }

    /// The first row from `from` on where it does not hold.
    pub fn first_violation(&self, columns: &[&[i64]], from: usize) -> Option<usize> {
        const BLOCK: usize = 512;
        let rows = columns.first().map_or(0, |column| column.len());
        let mut sums = [0_i64; BLOCK];
        let mut start = from;
        while start < rows {
            let end = rows.min(start + BLOCK);
            let sums = &mut sums[..end - start];
            self.wrapped_sums(columns, start, sums);
            if sums.iter().any(|sum| *sum != 0) || self.is_wide(columns, start, end) {
                let wrong = (start..end).find(|row| !self.holds(columns, *row));
                if wrong.is_some() {
                    return wrong;
                }
            }
            start = end;
        }
        None
    }

    /// Whether it holds on one row, without any overflow.
    pub fn holds(&self, columns: &[&[i64]], row: usize) -> bool {
        let parts = self.terms.iter().map(|(column, coefficient)| {
            i128::from(*coefficient) * i128::from(columns[*column][row])
        });
        parts.sum::<i128>() + i128::from(self.constant) == 0
    }

    /// Whether it holds on the values of one row.
    pub fn holds_on(&self, row: &[i64]) -> bool {
        let parts = self.terms.iter();
        let parts =
            parts.map(|(column, coefficient)| i128::from(*coefficient) * i128::from(row[*column]));
        parts.sum::<i128>() + i128::from(self.constant) == 0
    }

    fn wrapped_sums(&self, columns: &[&[i64]], start: usize, sums: &mut [i64]) {
        sums.fill(self.constant);
        for (column, coefficient) in &self.terms {
            let values = &columns[*column][start..start + sums.len()];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = sum.wrapping_add(value.wrapping_mul(*coefficient));
            }
        }
    }

    /// Whether values are so large that a sum of 64 bits may be zero by overflow alone.
    fn is_wide(&self, columns: &[&[i64]], start: usize, end: usize) -> bool {
        let mut bound = i128::from(self.constant).abs();
        for (column, coefficient) in &self.terms {
            // The union of all bits is at least as large as the largest value.
            let bits = columns[*column][start..end].iter();
            let bits = bits.fold(0_i64, |bits, value| bits | (value ^ (value >> 63)));
            bound += i128::from(*coefficient).abs() * (2 * i128::from(bits) + 2);
        }
        bound >= i128::from(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_factors_and_signs_are_removed() {
        let relation = Relation::new(vec![(3, -4), (1, 6), (2, 0)], 8).unwrap();
        assert_eq!(relation, Relation { terms: vec![(1, -3), (3, 2)], constant: -4 });
        assert_eq!(Relation::new(vec![(1, 0)], 3), None);
    }

    #[test]
    fn the_first_row_that_does_not_fit_is_found() {
        let x: Vec<i64> = (0..2000).collect();
        let mut y: Vec<i64> = x.iter().map(|x| 2 * x + 1).collect();
        let relation = Relation::new(vec![(0, -2), (1, 1)], -1).unwrap();
        assert_eq!(relation.first_violation(&[&x, &y], 0), None);
        y[1500] += 1;
        assert_eq!(relation.first_violation(&[&x, &y], 0), Some(1500));
        assert_eq!(relation.first_violation(&[&x, &y], 1501), None);
    }

    #[test]
    fn overflow_does_not_make_a_relation_true() {
        // 4 * 2^62 is zero in 64 bits.
        let relation = Relation::new(vec![(0, 4), (1, 1)], 0).unwrap();
        assert_eq!(relation.first_violation(&[&[1 << 62], &[0]], 0), Some(0));
    }
}
