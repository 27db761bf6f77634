//! Which values are worth an assertion.

use gainsay_wire::Value;

/// No longer sequences are written down.
const ITEMS: usize = 12;
/// No longer texts are.
const CHARS: usize = 120;
/// Digits after `0x` that make an address.
const ADDRESS: usize = 6;

/// True if an assertion about the value can fail: presence alone is something, `()` is not.
pub(super) fn is_telling(value: &Value) -> bool {
    match value {
        Value::Unit => false,
        Value::Opt(_) | Value::Res(..) => true,
        value => is_readable(value),
    }
}

/// True if the whole value can be written down for a reader.
pub(super) fn is_readable(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Token(_) | Value::Object => false,
        Value::Float(float) => !float.is_nan(),
        Value::Str(text) => text.chars().count() <= CHARS && !has_address(text),
        Value::Opt(inside) => inside.as_deref().is_none_or(is_readable),
        Value::Res(_, inside) => is_readable(inside),
        Value::Tuple(items) => items.iter().all(is_readable),
        Value::Seq(items) => items.len() <= ITEMS && items.iter().all(is_readable),
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Char(_)
        | Value::Elem(_)
        | Value::Order(_) => true,
    }
}

fn has_address(text: &str) -> bool {
    let digits = |from: usize| text[from..].chars().take_while(char::is_ascii_hexdigit).count();
    text.match_indices("0x").any(|(at, _)| digits(at + 2) >= ADDRESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_what_cannot_be_written_are_no_values() {
        let text = |text: &str| Value::Str(text.to_owned());
        assert!(is_readable(&text("Colour(0xff00)")));
        assert!(!is_readable(&text("Ptr(0x7ffd10a0)")));
        assert!(!is_readable(&Value::some(Value::Token(3))));
        assert!(!is_readable(&Value::Float(f64::NAN)));
        assert!(is_readable(&Value::Seq(vec![Value::Elem(1)])));
    }

    #[test]
    fn that_something_is_there_is_worth_an_assertion() {
        assert!(is_telling(&Value::some(Value::Token(3))));
        assert!(is_telling(&Value::ok(Value::Unit)));
        assert!(!is_telling(&Value::Unit));
        assert!(!is_telling(&Value::Token(3)));
    }
}
