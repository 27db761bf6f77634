//! The greatest values of a column, batch by batch: they tell how well its end is known.

/// How many are kept: more than any limit on chances asks for.
const KEPT: usize = 40;

/// The greatest values so far, each as often as it was seen. For least values, negate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    /// In order.
    values: Vec<i64>,
}

impl Tail {
    /// Whether values up to this one can change anything.
    pub(crate) fn wants(&self, greatest: i64) -> bool {
        self.values.len() < KEPT || greatest > self.values[0]
    }

    /// Takes values.
    pub(crate) fn add(&mut self, values: impl IntoIterator<Item = i64>) {
        for value in values {
            if !self.wants(value) {
                continue;
            }
            let place = self.values.partition_point(|known| *known <= value);
            self.values.insert(place, value);
            if self.values.len() > KEPT {
                self.values.remove(0);
            }
        }
    }

    /// The greatest.
    pub(crate) fn end(&self) -> Option<i64> {
        self.values.last().copied()
    }

    /// How far beyond the greatest value the true end can be. If values went on as densely beyond
    /// it, the next one met on the way out would be as likely as the next one met on the way in; so
    /// that `n` are met inside before one outside has a chance of one in `2^n`. The distance is that
    /// to the value inside where this falls below the limit on chances (a logarithm).
    pub(crate) fn within(&self, limit: f64) -> Option<u64> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let enough = (-limit / std::f64::consts::LN_2).ceil().clamp(1.0, KEPT as f64) as usize;
        let inner = self.values.len().checked_sub(enough)?;
        Some(self.end()?.abs_diff(self.values[inner]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_is_hit_often_is_exact_and_a_thin_one_is_not() {
        let mut tail = Tail::default();
        tail.add([5; 30]);
        assert_eq!((tail.end(), tail.within(-14.0)), (Some(5), Some(0)));
        tail.add((0..1000).map(|i| i * 3));
        assert_eq!((tail.end(), tail.within(-14.0)), (Some(2997), Some(60)));
    }

    #[test]
    fn few_values_tell_nothing_about_the_end() {
        let mut tail = Tail::default();
        tail.add([1, 2, 3]);
        assert_eq!(tail.within(-14.0), None);
    }
}
