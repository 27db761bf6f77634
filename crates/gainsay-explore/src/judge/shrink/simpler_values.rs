//! Simpler values: towards zero, shorter, absent. Every proposal is smaller by [`size`], so
//! shrinking always ends.

use gainsay_wire::Value;

/// Long values are cut in halves before single elements are tried.
// Above this, trying each element costs more runs than halving.
const ONE_BY_ONE: usize = 8;

/// The complexity of a value: number of parts, then magnitude.
pub(crate) fn size(value: &Value) -> (u64, u128) {
    match value {
        Value::Int(n) => (1, magnitude(*n)),
        Value::Elem(key) => (1, magnitude(i128::from(*key))),
        Value::Float(x) => (1, float_size(*x)),
        Value::Char(c) => (1, u128::from(u32::from(*c).abs_diff(u32::from('a')))),
        Value::Str(text) => {
            let far = |c: char| u128::from(u32::from(c).abs_diff(u32::from('a')));
            (1 + text.chars().count() as u64, text.chars().map(far).sum())
        }
        Value::Bool(value) => (1, u128::from(*value)),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => {
            let (parts, magnitude) = size(inner);
            (1 + parts, magnitude)
        }
        Value::Tuple(items) | Value::Seq(items) => {
            items.iter().map(size).fold((1, 0), |(a, b), (c, d)| (a + c, b.saturating_add(d)))
        }
        _ => (1, 0),
    }
}

fn magnitude(n: i128) -> u128 {
    // Twice, plus one for the sign: `-3` counts as less simple than `3`.
    n.unsigned_abs().saturating_mul(2).saturating_add(u128::from(n < 0))
}

fn float_size(x: f64) -> u128 {
    if x == 0.0 {
        return u128::from(x.is_sign_negative());
    }
    let whole = x.is_finite() && x.fract() == 0.0 && x.abs() <= 1e9;
    // Whole numbers by magnitude, everything else after them.
    #[allow(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    if whole { magnitude(x as i128) } else { u128::from(u64::MAX) }
}

/// Values to try instead, the simplest first.
pub(crate) fn simpler(value: &Value) -> Vec<Value> {
    let mut proposals = match value {
        Value::Int(n) => smaller_ints(*n).map(Value::Int).collect(),
        Value::Elem(key) => {
            let keys = smaller_ints(i128::from(*key));
            keys.filter_map(|key| i64::try_from(key).ok()).map(Value::Elem).collect()
        }
        Value::Float(x) => [0.0, 1.0, x.trunc()].map(Value::Float).to_vec(),
        Value::Char(_) => vec![Value::Char('a')],
        Value::Bool(_) => vec![Value::Bool(false)],
        Value::Str(text) => simpler_texts(text),
        Value::Opt(Some(inner)) => {
            let inside = simpler(inner).into_iter().map(Value::some);
            std::iter::once(Value::none()).chain(inside).collect()
        }
        Value::Res(is_ok, inner) => {
            simpler(inner).into_iter().map(|inner| Value::Res(*is_ok, Box::new(inner))).collect()
        }
        Value::Tuple(items) => one_simpler(items).map(Value::Tuple).collect(),
        Value::Seq(items) => {
            shorter_sequences(items).chain(one_simpler(items)).map(Value::Seq).collect()
        }
        _ => Vec::new(),
    };
    // What ends shrinking: no chain of proposals can go in a circle.
    proposals.retain(|proposal| size(proposal) < size(value));
    proposals.dedup();
    proposals
}

fn smaller_ints(n: i128) -> impl Iterator<Item = i128> {
    // Half the digits, then ever smaller cuts: near the border of failure only small ones pass.
    let root = n >> ((128 - n.unsigned_abs().leading_zeros()) / 2).min(127);
    let cuts = [1, 2, 3, 5, 8, 13].map(|bits| n - (n >> bits));
    [0, 1, 2, n.saturating_neg(), root].into_iter().chain(cuts).chain([n - n.signum()])
}

fn simpler_texts(text: &str) -> Vec<Value> {
    let chars: Vec<char> = text.chars().collect();
    let plain: String = chars.iter().map(|_| 'a').collect();
    let shorter = shorter_sequences(&chars).map(|chars| chars.into_iter().collect());
    // Each letter by itself, where the others must stay as they are.
    let one_plain = (0..chars.len().min(ONE_BY_ONE)).map(|at| {
        let letter = |(i, c): (usize, &char)| if i == at { 'a' } else { *c };
        chars.iter().enumerate().map(letter).collect()
    });
    shorter.chain(std::iter::once(plain)).chain(one_plain).map(Value::Str).collect()
}

/// Nothing, the halves, and each with one element missing, or of many elements an eighth of them.
fn shorter_sequences<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> {
    let half = items.len() / 2;
    let mut proposals = vec![Vec::new(), items[half..].to_vec(), items[..half].to_vec()];
    let piece = items.len().div_ceil(ONE_BY_ONE).max(1);
    for from in (0..items.len()).step_by(piece) {
        let rest = &items[items.len().min(from + piece)..];
        proposals.push([&items[..from], rest].concat());
    }
    proposals.into_iter()
}

/// Each with one element simpler.
fn one_simpler(items: &[Value]) -> impl Iterator<Item = Vec<Value>> {
    let at = move |i: usize| {
        simpler(&items[i]).into_iter().map(move |item| {
            let mut items = items.to_vec();
            items[i] = item;
            items
        })
    };
    (0..items.len().min(ONE_BY_ONE)).flat_map(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the first proposal that passes, as shrinking does.
    fn shrink(mut value: Value, fails: impl Fn(&Value) -> bool) -> Value {
        while let Some(next) = simpler(&value).into_iter().find(|value| fails(value)) {
            value = next;
        }
        value
    }

    #[test]
    fn integers_reach_the_border_at_which_it_still_fails() {
        let int = |value: &Value| value.as_int().unwrap();
        assert_eq!(shrink(Value::Int(i128::from(u64::MAX)), |_| true), Value::Int(0));
        assert_eq!(shrink(Value::Int(1000), |v| int(v) > 17), Value::Int(18));
        assert_eq!(shrink(Value::Int(-1000), |v| int(v) < -5), Value::Int(-6));
        assert_eq!(shrink(Value::Int(-1000), |v| int(v) != 0), Value::Int(1));
    }

    #[test]
    fn sequences_and_texts_get_shorter_and_plainer() {
        let seq = Value::Seq((0..40).map(Value::Elem).collect());
        let holds_13 =
            |v: &Value| matches!(v, Value::Seq(items) if items.contains(&Value::Elem(13)));
        assert_eq!(shrink(seq, holds_13), Value::Seq(vec![Value::Elem(13)]));
        let three = |v: &Value| matches!(v, Value::Str(text) if text.chars().count() >= 3);
        assert_eq!(shrink(Value::Str("Ünïcode text".into()), three), Value::Str("aaa".into()));
    }

    #[test]
    fn an_option_becomes_none_when_it_may() {
        let some = Value::some(Value::Int(9));
        assert_eq!(shrink(some.clone(), |_| true), Value::none());
        assert_eq!(shrink(some, |v| *v != Value::none()), Value::some(Value::Int(0)));
    }

    #[test]
    fn every_proposal_is_smaller() {
        for value in [
            Value::Int(i128::MIN),
            Value::Float(f64::NAN),
            Value::Float(-0.0),
            Value::Tuple(vec![Value::Bool(true), Value::Char('\u{10ffff}')]),
            Value::err(Value::Str("x".into())),
        ] {
            for proposal in simpler(&value) {
                assert!(size(&proposal) < size(&value), "{proposal} for {value}");
            }
        }
    }
}
