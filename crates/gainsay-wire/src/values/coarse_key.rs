//! Values from afar: alike when only their exact content differs. What is kept of a stream of calls
//! is decided by it.

use crate::Value;

/// A value from afar: its kind, and of its content what is few.
pub fn coarse_value_key(value: &Value) -> u64 {
    let content: i64 = match value {
        Value::Bool(value) => i64::from(*value),
        Value::Int(value) => size_bucket(*value),
        Value::Order(order) => *order as i64,
        Value::Opt(value) => i64::from(value.is_some()),
        Value::Res(is_ok, _) => i64::from(*is_ok),
        Value::Seq(items) | Value::Tuple(items) => size_bucket(items.len() as i128),
        Value::Str(text) => size_bucket(text.len() as i128),
        // Elements, tokens and characters are arbitrary: by their content every call would be a new kind.
        _ => 0,
    };
    (u64::from(value.kind()) << 32) ^ (content.cast_unsigned() & 0xffff_ffff)
}

/// Small numbers as they are, others by their number of digits.
fn size_bucket(value: i128) -> i64 {
    let size = value.unsigned_abs();
    let digits = i64::from(u128::BITS - size.leading_zeros());
    // The first numbers are cases of their own (empty, one, two); `digits + 1` goes on where they end.
    let bucket = if size < 4 { i64::try_from(size).unwrap_or_default() } else { digits + 1 };
    if value < 0 { -bucket } else { bucket }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tell_small_numbers_apart_and_large_ones_by_size() {
        let buckets = |values: &[i128]| values.iter().map(|v| size_bucket(*v)).collect::<Vec<_>>();
        assert_eq!(buckets(&[-5, -1, 0, 1, 2, 3]), [-4, -1, 0, 1, 2, 3]);
        assert_eq!(buckets(&[4, 7, 8, 15, 16]), [4, 4, 5, 5, 6]);
        assert_eq!(size_bucket(i128::MIN), -129);
    }

    #[test]
    fn shades_tell_results_apart_that_answer_differently() {
        let some = |value| Value::some(Value::Int(value));
        assert_ne!(coarse_value_key(&Value::Bool(true)), coarse_value_key(&Value::Bool(false)));
        assert_ne!(coarse_value_key(&some(1)), coarse_value_key(&Value::none()));
        assert_eq!(coarse_value_key(&some(1)), coarse_value_key(&some(2)));
        assert_ne!(coarse_value_key(&Value::Int(1)), coarse_value_key(&Value::Bool(true)));
    }
}
