//! Texts of a trace as numbers, so that columns hold numbers only.

use std::collections::HashMap;

/// How many texts are kept in full.
const MOST: usize = 1 << 15;
/// How long they may be together.
const MOST_BYTES: usize = 8 << 20;

/// The texts that were seen.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    ids: HashMap<Box<str>, i64>,
    kept: Vec<Box<str>>,
    bytes: usize,
}

impl Texts {
    /// The number of a text. Beyond what is kept it is negative and made of a digest: equal texts
    /// have equal numbers then, too, but cannot be shown or put in order.
    pub(crate) fn id(&mut self, text: &str) -> i64 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        if self.kept.len() >= MOST || self.bytes + text.len() > MOST_BYTES {
            return digest(text);
        }
        self.kept.push(text.into());
        self.bytes += text.len();
        let id = i64::try_from(self.kept.len()).unwrap_or(i64::MAX);
        self.ids.insert(text.into(), id);
        id
    }

    /// The text of a number; none for `null` and for what was not kept.
    pub(crate) fn text(&self, id: i64) -> Option<&str> {
        let place = usize::try_from(id).ok()?.checked_sub(1)?;
        self.kept.get(place).map(AsRef::as_ref)
    }
}

/// A negative number that equal texts share (FNV).
fn digest(text: &str) -> i64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash.cast_signed() | i64::MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_numbers_also_when_they_are_not_kept() {
        let mut texts = Texts::default();
        let a = texts.id("a");
        assert_eq!((texts.id("a"), texts.text(a)), (a, Some("a")));
        let long = "x".repeat(MOST_BYTES + 1);
        let id = texts.id(&long);
        assert!(id < 0);
        assert_eq!((texts.id(&long), texts.text(id), texts.text(0)), (id, None, None));
    }
}
