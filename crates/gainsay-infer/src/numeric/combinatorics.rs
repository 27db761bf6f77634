//! Numbers of ways to choose and to arrange, as logarithms: the numbers themselves overflow.

/// The logarithm of the number of ways to choose `k` of `n`.
pub fn ln_choose(n: usize, k: usize) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// The logarithm of `n!`.
pub fn ln_factorial(n: usize) -> f64 {
    // Stirling's series with one term is wrong by less than 1e-7 from 32 on; below, the exact sum
    // is short.
    if n < 32 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_goes_on_where_the_sum_ends() {
        let step = ln_factorial(32) - ln_factorial(31);
        assert!((step - 32.0_f64.ln()).abs() < 1e-7, "{step}");
        assert!((ln_choose(4, 2) - 6.0_f64.ln()).abs() < 1e-12);
    }
}
