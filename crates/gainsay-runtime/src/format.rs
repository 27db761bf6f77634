//! Implementations of `fmt` are called through a formatter that only the standard library makes.

use std::{cell::Cell, fmt};

use gainsay_wire::Value;

use crate::see;

/// Nothing of the subject needs to be written at more length; a text without end is cut here.
const MOST_BYTES: usize = 1 << 20;

/// What `write` makes of a formatter: the text, or that it failed.
pub fn formatted(write: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result) -> Value {
    let mut text = Limited(String::new());
    match fmt::write(&mut text, format_args!("{}", Once(Cell::new(Some(write))))) {
        Ok(()) if see::has_address(&text.0) => Value::Undefined,
        Ok(()) => see::text(&text.0),
        Err(fmt::Error) => Value::err(Value::Unit),
    }
}

/// A value whose only way of being shown is one call.
struct Once<F>(Cell<Option<F>>);

impl<F: FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for Once<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.take().map_or(Ok(()), |write| write(f))
    }
}

/// Text up to a limit.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MOST_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_seen_and_a_failure_is_told() {
        let shown = formatted(|f| fmt::LowerHex::fmt(&255, f));
        assert_eq!(shown, Value::Str("ff".into()));
        assert_eq!(formatted(|_| Err(fmt::Error)), Value::err(Value::Unit));
    }

    #[test]
    fn a_text_without_end_ends() {
        let endless = |f: &mut fmt::Formatter<'_>| loop {
            f.write_str("more and more")?;
        };
        assert_eq!(formatted(endless), Value::err(Value::Unit));
    }
}
