//! The mean of paired differences with its 95 % interval, by Student's distribution.

/// A mean and where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Two-sided 95 % quantiles of Student's distribution for 1, 2, .. degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// `None` for fewer than two numbers.
pub(super) fn mean_interval(numbers: &[f64]) -> Option<Interval> {
    let freedom = numbers.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let error = (squares / freedom as f64 / count).sqrt();
    let student = STUDENT.get(freedom - 1).copied().unwrap_or(1.96);
    Some(Interval { mean, low: mean - student * error, high: mean + student * error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        let Interval { mean, low, high } = mean_interval(&[1.0, 2.0, 3.0]).unwrap();
        assert!((mean - 2.0).abs() < 1e-9);
        assert!((high - (2.0 + 4.303 / 3f64.sqrt())).abs() < 1e-9, "{high}");
        assert!((low + high - 4.0).abs() < 1e-9);
    }

    #[test]
    fn one_number_has_none() {
        assert_eq!(mean_interval(&[1.0]), None);
        assert_eq!(mean_interval(&[]), None);
        let same = mean_interval(&[2.0, 2.0]).unwrap();
        assert_eq!((same.low, same.high), (2.0, 2.0));
    }
}
