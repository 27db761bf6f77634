//! Calls whose literals made the subject run code that no call before them did. Near them is more of
//! it: a text that a parser took, a number that met a special case.

use gainsay_wire::{Arg, OpId, Step, Value};

use crate::Random;

/// Calls that are remembered of one operation; later ones take the places of others.
const MOST_OF_ONE: usize = 24;
/// Texts that are remembered.
const MOST_TEXTS: usize = 192;
/// A longer text is not worth the room.
const LONGEST_TEXT: usize = 256;
/// One call in so many is made like one that is remembered.
const AGAIN_EVERY: usize = 3;

/// The literals of a call, nothing where an object stood.
type Literals = Vec<Option<Value>>;

/// What a worker has found.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    ops: Vec<Vec<Literals>>,
    texts: Vec<String>,
}

impl Finds {
    /// Takes note of a call that reached new code.
    pub(crate) fn note(&mut self, step: &Step, random: &mut Random) {
        let literal = |arg: &Arg| match arg {
            Arg::Plain(value) => Some(value.clone()),
            Arg::Object(_) => None,
        };
        let literals: Literals = step.args.iter().map(literal).collect();
        for value in literals.iter().flatten() {
            self.note_texts(value, random);
        }
        let at = step.op.0 as usize;
        if self.ops.len() <= at {
            self.ops.resize_with(at + 1, Vec::new);
        }
        put(&mut self.ops[at], literals, MOST_OF_ONE, random);
    }

    /// The literals of a call to make again, mostly none.
    pub(crate) fn draw(&self, op: OpId, random: &mut Random) -> Option<&Literals> {
        let known = self.ops.get(op.0 as usize).filter(|known| !known.is_empty())?;
        if random.one_in(AGAIN_EVERY) { random.pick(known) } else { None }
    }

    /// Texts among the literals of such calls.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    fn note_texts(&mut self, value: &Value, random: &mut Random) {
        match value {
            Value::Str(text) if text.len() <= LONGEST_TEXT && !self.texts.contains(text) => {
                put(&mut self.texts, text.clone(), MOST_TEXTS, random);
            }
            Value::Opt(Some(inner)) => self.note_texts(inner, random),
            Value::Seq(items) if is_text(items) => {
                let bytes = items.iter().map(|item| item.as_int().map(u8::try_from));
                let bytes: Option<Result<Vec<u8>, _>> = bytes.collect();
                if let Some(Ok(bytes)) = bytes
                    && let Ok(text) = String::from_utf8(bytes)
                {
                    self.note_texts(&Value::Str(text), random);
                }
            }
            _ => {}
        }
    }
}

/// Whether a list may be the bytes of a text.
fn is_text(items: &[Value]) -> bool {
    (1..=LONGEST_TEXT).contains(&items.len())
        && items.iter().all(|item| item.as_int().is_some_and(|byte| (0..256).contains(&byte)))
}

fn put<T>(known: &mut Vec<T>, new: T, most: usize, random: &mut Random) {
    if known.len() < most {
        known.push(new);
    } else {
        known[random.below(most)] = new;
    }
}

/// Whether a call has literals in which much can be hidden: texts and lists.
pub(crate) fn is_rich(step: &Step) -> bool {
    step.args.iter().any(|arg| match arg {
        Arg::Plain(value) => has_text(value),
        Arg::Object(_) => false,
    })
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::Str(text) => !text.is_empty(),
        Value::Seq(items) => !items.is_empty(),
        Value::Opt(Some(inner)) => has_text(inner),
        Value::Tuple(items) => items.iter().any(has_text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str, number: i128) -> Step {
        let bytes = text.bytes().map(|byte| Value::Int(byte.into())).collect();
        let args = [Value::Str(text.to_owned()), Value::Int(number), Value::Seq(bytes)];
        Step::new(OpId(2), args.map(Arg::Plain).to_vec())
    }

    #[test]
    fn calls_are_drawn_of_their_own_operation_now_and_then_and_their_texts_are_known() {
        let (mut finds, mut random) = (Finds::default(), Random::new(1));
        finds.note(&step("12:30", 4), &mut random);
        let drawn = (0..300).filter(|_| finds.draw(OpId(2), &mut random).is_some()).count();
        assert!((60..140).contains(&drawn), "{drawn}");
        assert_eq!(finds.draw(OpId(1), &mut random), None);
        assert_eq!(finds.texts(), ["12:30"], "as a text and as bytes it is one");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (mut finds, mut random) = (Finds::default(), Random::new(1));
        for i in 0..1_000 {
            finds.note(&step(&format!("text {i}"), i), &mut random);
        }
        assert_eq!(finds.texts().len(), MOST_TEXTS);
        assert_eq!(finds.ops[2].len(), MOST_OF_ONE);
    }

    #[test]
    fn texts_and_lists_are_rich_and_numbers_are_not() {
        assert!(is_rich(&step("a", 1)));
        let number = Step::new(OpId(0), vec![Arg::Plain(Value::Int(3))]);
        assert!(!is_rich(&number));
    }
}
