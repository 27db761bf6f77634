//! Closures from a family: what they answer follows from a literal, so that a call with a closure
//! can be stored, replayed and shrunk like any other.

use gainsay_wire::{Digest, Value, Wire};

use crate::{Gen, Plain, Random, generate::Hints, inject};

/// A closure argument under execution.
#[derive(Debug)]
pub struct Closure {
    family: Family,
    seed: u64,
    asked: u64,
    /// What it writes to what it is lent, if it writes.
    written: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Always the same answer.
    Constant,
    /// By what it saw.
    Hash,
    /// One answer below a threshold, another from there on.
    Threshold,
    /// By how often it was asked.
    Counting,
    /// What it saw, where that is of the right kind.
    Identity,
}

const FAMILIES: [Family; 5] =
    [Family::Constant, Family::Hash, Family::Threshold, Family::Counting, Family::Identity];
const SEEDS: usize = 8;
/// Of closures that could write to what they are lent, one in so many does.
const WRITES_EVERY: usize = 3;

/// Makes up the literal of a closure: family and seed.
pub fn closure_literal(source: &mut Gen<'_>) -> Value {
    Value::Tuple(vec![draw(source, FAMILIES.len()), draw(source, SEEDS)])
}

/// The same for a closure that is lent something: besides, what it writes there, 0 for nothing.
pub fn writing_closure_literal(source: &mut Gen<'_>) -> Value {
    let writes = source.random().one_in(WRITES_EVERY);
    let written = if writes { draw(source, SEEDS) } else { Value::Int(0) };
    Value::Tuple(vec![draw(source, FAMILIES.len()), draw(source, SEEDS), written])
}

fn draw(source: &mut Gen<'_>, bound: usize) -> Value {
    let drawn = source.random().below(bound);
    Value::Int(i128::try_from(drawn).unwrap_or(0))
}

impl Closure {
    pub(crate) fn new(literal: &Value) -> Closure {
        let part = |at: usize| match literal {
            Value::Tuple(items) => items.get(at).and_then(Value::as_int).unwrap_or(0),
            _ => 0,
        };
        let family = usize::try_from(part(0)).unwrap_or(0) % FAMILIES.len();
        let seed = u64::try_from(part(1)).unwrap_or(0);
        let written = i64::try_from(part(2)).ok().filter(|written| *written > 0);
        Closure { family: FAMILIES[family], seed, asked: 0, written }
    }

    /// Writes to what it was lent, if it is one that writes: an element or a number.
    pub fn overwrite<T: Plain>(&self, place: &mut T) {
        let Some(written) = self.written else { return };
        let kind = T::generate(&mut Gen::new(&mut Random::new(0), Hints::default()));
        let value = match kind {
            Value::Elem(_) => Value::Elem(written),
            Value::Int(_) => Value::Int(i128::from(written)),
            _ => return,
        };
        *place = inject::aside(|| T::make(&value));
    }

    /// The answer to what the closure was called with.
    pub fn answer<R: Plain>(&mut self, seen: &[Value]) -> R {
        let mixed = match self.family {
            Family::Constant | Family::Identity => 0,
            Family::Hash => digest(seen),
            Family::Threshold => u64::from(is_below(seen, self.seed)),
            Family::Counting => self.asked,
        };
        self.asked += 1;
        let mut random = Random::new(self.seed ^ mixed.wrapping_mul(0x9e37_79b9));
        let literal = R::generate(&mut Gen::new(&mut random, Hints::default()));
        let same_kind = |value: &&Value| value.kind() == literal.kind();
        match seen.iter().find(same_kind) {
            Some(value) if self.family == Family::Identity => inject::aside(|| R::make(value)),
            _ => inject::aside(|| R::make(&literal)),
        }
    }
}

fn digest(seen: &[Value]) -> u64 {
    let mut bytes = Vec::new();
    for value in seen {
        value.write_to(&mut bytes);
    }
    Digest::of_bytes(&bytes)
}

fn is_below(seen: &[Value], threshold: u64) -> bool {
    let threshold = i128::from(threshold);
    match seen.first() {
        Some(Value::Int(value)) => *value < threshold,
        Some(Value::Elem(key)) => i128::from(*key) < threshold,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closure(family: i128, seed: i128) -> Closure {
        Closure::new(&Value::Tuple(vec![Value::Int(family), Value::Int(seed)]))
    }

    fn answers(family: i128, seed: i128) -> Vec<i32> {
        let mut closure = closure(family, seed);
        (0..20).map(|i| closure.answer(&[Value::Int(i)])).collect()
    }

    #[test]
    fn a_closure_gives_the_same_answers_each_time_it_is_run() {
        for family in 0..5 {
            assert_eq!(answers(family, 3), answers(family, 3), "family {family}");
        }
    }

    /// A report writes closures with the same answers; there is the same list in its tests.
    #[test]
    fn yes_and_no_are_what_reports_write() {
        let constant = |seed: i128| closure(0, seed).answer::<bool>(&[Value::Elem(0)]);
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(constant),
            [true, false, false, false, false, false, false, false]
        );
        let hashed = |key: i64| closure(1, 3).answer::<bool>(&[Value::Elem(key)]);
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(hashed),
            [false, true, false, false, true, false, false, true]
        );
        let below = |key: i64| closure(2, 4).answer::<bool>(&[Value::Elem(key)]);
        assert_eq!([3, 4].map(below), [true, false]);
    }

    #[test]
    fn a_closure_writes_what_its_literal_says_to_numbers() {
        let overwritten = |parts: &[i128]| {
            let parts = parts.iter().map(|part| Value::Int(*part)).collect();
            let mut place = 90_u8;
            Closure::new(&Value::Tuple(parts)).overwrite(&mut place);
            place
        };
        assert_eq!(overwritten(&[1, 2, 5]), 5);
        assert_eq!((overwritten(&[1, 2, 0]), overwritten(&[1, 2])), (90, 90));
    }

    #[test]
    fn families_do_what_they_are_called() {
        assert!(answers(0, 3).windows(2).all(|pair| pair[0] == pair[1]));
        assert!(answers(1, 3).windows(2).any(|pair| pair[0] != pair[1]));
        assert!(answers(2, 3)[3..].windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(answers(4, 3), (0..20).collect::<Vec<_>>());
    }
}
