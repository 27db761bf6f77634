//! How sure a share is.

/// The lower bound of a share of successes, with a confidence of 95 %: Clopper and Pearson's, which
/// is exact and errs on the safe side.
pub(super) fn lower(failures: u64, all: u64) -> f64 {
    if failures >= all {
        return 0.0;
    }
    // The largest chance of failure with which so few are still seen in one case of twenty.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if at_most(failures, all, middle) > 0.05 {
            low = middle;
        } else {
            high = middle;
        }
    }
    1.0 - high
}

/// The chance of at most so many failures.
fn at_most(failures: u64, all: u64, chance: f64) -> f64 {
    if chance <= 0.0 {
        return 1.0;
    }
    if chance >= 1.0 {
        return 0.0;
    }
    let mut log = all as f64 * (1.0 - chance).ln();
    let mut sum = log.exp();
    for k in 0..failures {
        log += ((all - k) as f64 / (k + 1) as f64).ln() + (chance / (1.0 - chance)).ln();
        sum += log.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_tables() {
        let check = |failures, all, expected: f64| {
            let found = lower(failures, all);
            assert!((found - expected).abs() < 5e-4, "{failures} of {all}: {found}");
        };
        // 0.05 to the power of one over n where nothing fails.
        check(0, 10, 0.7411);
        check(0, 299, 0.9900);
        check(1, 10, 0.6058);
        check(5, 100, 0.8977);
        check(10, 10, 0.0);
    }
}
