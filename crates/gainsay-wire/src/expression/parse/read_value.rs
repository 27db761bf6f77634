//! Reads values back.

use super::{ParseError, Parsed, Parser};
use crate::Value;

/// Values.
impl Parser<'_> {
    /// A value if one begins here; `None` leaves the position undefined.
    pub(super) fn read_value(&mut self) -> Parsed<Option<Value>> {
        let rest = self.skip_spaces();
        match rest.chars().next() {
            Some('0'..='9') => return self.read_number().map(Some),
            Some('-') if rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == 'i') => {
                return self.read_number().map(Some);
            }
            Some('"') => return self.read_quoted('"').map(Value::Str).map(Some),
            Some('\'') => {
                let text = self.read_quoted('\'')?;
                return text
                    .chars()
                    .next()
                    .map(|c| Some(Value::Char(c)))
                    .ok_or_else(|| self.expected_error("a character"));
            }
            Some('[') => {
                self.at += 1;
                return Ok(self.read_items("]")?.map(Value::Seq));
            }
            Some('(') => {
                self.at += 1;
                return Ok(self.read_items(")")?.map(|items| {
                    if items.is_empty() { Value::Unit } else { Value::Tuple(items) }
                }));
            }
            Some('#') => {
                let digits = rest.get(1..17).and_then(|hex| u64::from_str_radix(hex, 16).ok());
                let digest =
                    digits.ok_or_else(|| self.expected_error("sixteen hexadecimal digits"))?;
                self.at += 17;
                return Ok(Some(Value::Token(digest)));
            }
            _ => {}
        }
        let Some(word) = self.read_word() else { return Ok(None) };
        self.read_named(&word)
    }

    fn read_named(&mut self, word: &str) -> Parsed<Option<Value>> {
        Ok(Some(match word {
            "undefined" => Value::Undefined,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "None" => Value::none(),
            "object" => Value::Object,
            "NaN" => Value::Float(f64::NAN),
            "inf" => Value::Float(f64::INFINITY),
            "Less" => Value::Order(std::cmp::Ordering::Less),
            "Equal" => Value::Order(std::cmp::Ordering::Equal),
            "Greater" => Value::Order(std::cmp::Ordering::Greater),
            "Some" | "Ok" | "Err" | "Probe" => {
                self.need_token("(")?;
                let Some(inner) = self.read_value()? else { return Ok(None) };
                self.need_token(")")?;
                match (word, inner) {
                    ("Some", inner) => Value::some(inner),
                    ("Ok", inner) => Value::ok(inner),
                    ("Err", inner) => Value::err(inner),
                    (_, Value::Int(key)) => {
                        Value::Elem(i64::try_from(key).map_err(|_| self.expected_error("a key"))?)
                    }
                    _ => return Err(self.expected_error("a key")),
                }
            }
            _ => return Ok(None),
        }))
    }

    fn read_number(&mut self) -> Parsed<Value> {
        if self.eat_token("-inf") {
            return Ok(Value::Float(f64::NEG_INFINITY));
        }
        let mut len = usize::from(self.sees("-"));
        let rest = self.skip_spaces();
        let bytes = rest.as_bytes();
        while let Some(byte) = bytes.get(len) {
            let exponent_sign = *byte == b'-' && matches!(bytes[len - 1], b'e' | b'E');
            // `0..n` is a range and `(1).0` a part: a point belongs to a number once, with a digit.
            let is_point = *byte == b'.'
                && !rest[..len].contains('.')
                && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
            if !byte.is_ascii_digit() && !matches!(byte, b'e' | b'E') && !exponent_sign && !is_point
            {
                break;
            }
            len += 1;
        }
        let text = rest[..len].to_owned();
        let int = text.parse().map(Value::Int);
        let value = int.or_else(|_| text.parse().map(Value::Float));
        let value = value.map_err(|_| self.expected_error("a number"))?;
        self.at += len;
        Ok(value)
    }

    fn read_items(&mut self, close: &'static str) -> Parsed<Option<Vec<Value>>> {
        let mut items = Vec::new();
        while !self.eat_token(close) {
            let Some(item) = self.read_value()? else { return Ok(None) };
            items.push(item);
            if !self.eat_token(",") {
                self.need_token(close)?;
                break;
            }
        }
        Ok(Some(items))
    }

    /// Text between quotes, with the escapes that `{:?}` writes.
    fn read_quoted(&mut self, quote: char) -> Parsed<String> {
        let mut chars = self.skip_spaces()[1..].char_indices();
        let mut text = String::new();
        loop {
            let Some((at, c)) = chars.next() else {
                return Err(self.expected_error("a closing quote"));
            };
            if c == quote {
                self.at += 1 + at + c.len_utf8();
                return Ok(text);
            }
            text.push(if c == '\\' {
                read_escape(&mut chars).ok_or(ParseError { at: self.at, expected: "an escape" })?
            } else {
                c
            });
        }
    }
}

fn read_escape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    Some(match chars.next()?.1 {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'u' => {
            let digits: String =
                chars.map(|(_, c)| c).skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
        }
        other => other,
    })
}
