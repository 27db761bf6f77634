//! Texts: those that the subject's source writes, that queries and calls gave, that made the
//! subject do something new, and all of them a little changed.

use gainsay_wire::Value;

use super::{Gen, MANY_EVERY, Sizes};

/// Texts do not grow beyond this by splicing.
const MOST_SPLICED: usize = 256;
/// Texts of many characters are shorter than this, or made of one piece.
const LONG: usize = 6_000;
/// A character may come so many times in a row.
const MOST_IN_A_ROW: usize = 40;
/// In an epoch of huge sizes it may come so often: recursion for each one ends the stack.
const VERY_MANY: usize = 1 << 15;
/// One run of a character in so many is very long.
const VERY_MANY_EVERY: usize = 16;
/// So many digits are beyond every type.
const MOST_DIGITS: usize = 44;

/// Characters of several bytes: where bytes are counted and characters meant, the second goes wrong.
const MULTI_BYTE: &[char] = &[
    'ß',
    'é',
    '→',
    '\u{fffd}',
    '🦀',
    '\u{301}',
    '\u{2028}',
    'İ',
    'Σ',
    'ﬁ',
    '中',
    '\u{a0}',
    '\u{200b}',
    '\u{feff}',
    '\u{1f1e9}',
    '\u{10ffff}',
];
/// Numbers at the ends of the types that are used most: their last, and the first beyond.
const ENDS: &[&str] = &[
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
];
/// What ends lines, texts of C and plain writing.
const CONTROL: &[char] = &['\0', '\t', '\r', '\n', '\u{1b}', '\u{7f}', '\u{85}'];
/// Numbers at the ends of types, and what no type holds.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "00",
    "127",
    "128",
    "255",
    "256",
    "-128",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "79228162514264337593543950335",
    "170141183460469231731687303715884105727",
    "340282366920938463463374607431768211456",
];

impl Gen<'_> {
    /// A text.
    pub fn text(&mut self) -> String {
        let text = |value: &Value| match value {
            Value::Str(text) => Some(text.clone()),
            _ => None,
        };
        let found = match self.random.below(20) {
            0..6 => self.literal_text(),
            6..9 => self.random.pick(self.hints.finds).cloned(),
            9..12 => self.found_in_states(text),
            12..14 => self.found_in_recent(text),
            14 => Some(self.written()),
            _ => None,
        };
        if self.hints.sizes == Sizes::Many && self.random.one_in(MANY_EVERY) {
            return self.long(found.as_deref().unwrap_or("a"));
        }
        match found {
            Some(text) if !self.is_uniform() && self.random.one_in(2) => self.changed(text),
            Some(text) => text,
            None => self.small_text(),
        }
    }

    /// A text over and over, a little changed at the end.
    fn long(&mut self, text: &str) -> String {
        let size = self.random.below(LONG);
        let piece = if text.is_empty() { "a" } else { text };
        let times = size / piece.len() + 1;
        let long = piece.repeat(times);
        self.changed(long)
    }

    /// A text near another: what a grammar accepts is mostly close to something it accepts.
    pub(super) fn changed(&mut self, mut text: String) -> String {
        let times = [1, 1, 1, 2, 2, 3][self.random.below(6)];
        for _ in 0..times {
            text = self.changed_once(text);
        }
        text
    }

    fn changed_once(&mut self, mut text: String) -> String {
        let at = self.place_in(&text);
        let next = text[at..].chars().next();
        match (self.random.below(18), next) {
            (0, Some(_)) => drop(text.remove(at)),
            (14, Some(_)) => match bracketed(&text, at) {
                Some(inside) if self.random.one_in(2) => drop(text.drain(inside)),
                _ => drop(text.drain(word_around(&text, at))),
            },
            (1, Some(_)) => {
                text.remove(at);
                text.insert(at, self.character());
            }
            (2, _) => text.truncate(at),
            (3, _) => drop(text.drain(..at)),
            (4 | 5, _) => {
                let other = self.another().unwrap_or_else(|| text.clone());
                if text.len() + other.len() <= MOST_SPLICED {
                    text.insert_str(at, &other);
                }
            }
            (6, _) => {
                let other = self.another().unwrap_or_default();
                let from = self.place_in(&other);
                text.replace_range(at.., &other[from..]);
            }
            (7 | 8, _) => text.insert(at, *self.random.pick(MULTI_BYTE).unwrap_or(&'ß')),
            (9, Some(c)) => {
                let row = String::from(c).repeat(self.many());
                text.insert_str(at, &row);
            }
            (10 | 11 | 15 | 16, _) => self.renumber(&mut text, at),
            (12, Some(_)) => swap_case(&mut text, at),
            (13, Some(_)) => {
                let end = at + self.place_in(&text[at..]);
                let piece = text[at..end].to_owned();
                if text.len() + piece.len() <= MOST_SPLICED {
                    text.insert_str(at, &piece);
                }
            }
            _ => text.insert(at, self.character()),
        }
        text
    }

    /// A place between two characters, or an end.
    fn place_in(&mut self, text: &str) -> usize {
        let boundaries = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        // Short cut for long texts: some place near a random one.
        if text.len() > MOST_SPLICED {
            let near = self.random.below(text.len());
            return (near..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        }
        boundaries.clone().nth(self.random.below(boundaries.count())).unwrap_or(0)
    }

    fn another(&mut self) -> Option<String> {
        match self.random.below(3) {
            0 => self.random.pick(self.hints.finds).cloned().or_else(|| self.literal_text()),
            _ => self.literal_text(),
        }
    }

    /// How often a character is to come in a row.
    fn many(&mut self) -> usize {
        if self.hints.sizes == Sizes::Any && self.random.one_in(VERY_MANY_EVERY) {
            VERY_MANY
        } else {
            1 + self.random.below(MOST_IN_A_ROW)
        }
    }

    /// Puts another number in the place of the first digits after `at`, or of the last before it.
    fn renumber(&mut self, text: &mut String, at: usize) {
        let is_digit = |c: char| c.is_ascii_digit();
        let Some(start) = text[at..].find(is_digit).map(|i| at + i).or_else(|| text.find(is_digit))
        else {
            return text.insert_str(at, &self.written());
        };
        let end = text[start..].find(|c| !is_digit(c)).map_or(text.len(), |i| start + i);
        let number = self.written();
        // `E-7` with another number has one sign.
        let is_signed = text[..start].ends_with('-');
        let number = if is_signed { number.trim_start_matches('-') } else { &number };
        text.replace_range(start..end, number);
    }

    /// A number in one of the ways in which numbers are written.
    fn written(&mut self) -> String {
        let number = self.digits();
        if !self.random.one_in(3) {
            return number;
        }
        let (other, form) = (self.digits(), self.random.below(8));
        match form {
            0 => format!("{number}.{other}"),
            1 => format!("{number}e{other}"),
            2 => format!("{number}E-{}", other.trim_start_matches('-')),
            3 => format!("0.{}{number}", "0".repeat(self.random.below(MOST_IN_A_ROW))),
            4 => format!("{number}.{}", "0".repeat(1 + self.random.below(MOST_IN_A_ROW))),
            5 => format!("-{number}"),
            6 => format!("+{number}"),
            _ => format!("0x{number}"),
        }
    }

    /// A whole number as it is written.
    fn digits(&mut self) -> String {
        if self.random.one_in(4)
            && let Some(number) = self.literal_int()
        {
            let near = [0, 0, 1, -1][self.random.below(4)];
            return number.saturating_add(near).to_string();
        }
        if !self.random.one_in(3) {
            let all = if self.random.one_in(2) { ENDS } else { NUMBERS };
            return (*self.random.pick(all).unwrap_or(&"0")).to_owned();
        }
        let most = if self.random.one_in(2) { 4 } else { MOST_DIGITS };
        let len = 1 + self.random.below(most);
        let nines = self.random.one_in(2);
        let digit = |random: &mut crate::Random| if nines { 9 } else { random.below(10) };
        (0..len).map(|_| char::from(b'0' + u8::try_from(digit(self.random)).unwrap_or(0))).collect()
    }

    /// A character: mostly plain, sometimes of several bytes or one of the subject's.
    pub fn character(&mut self) -> char {
        const CHARS: &[char] = &['a', 'b', 'c', '0', '9', ' ', '.', '-', 'Z', '\n', 'ß', '→', '🦀'];
        let known = self.hints.settings.map_or(&[][..], |settings| &settings.chars);
        if !known.is_empty() && self.random.one_in(5) {
            return *self.random.pick(known).unwrap_or(&'a');
        }
        match self.random.below(16) {
            0 | 1 => char::from(b' ' + u8::try_from(self.random.below(95)).unwrap_or(0)),
            2 => *self.random.pick(CONTROL).unwrap_or(&'\n'),
            3 => *self.random.pick(MULTI_BYTE).unwrap_or(&'ß'),
            4 => *self.random.pick(CHARS).unwrap_or(&'a'),
            _ => CHARS[self.random.below(9)],
        }
    }

    pub(super) fn literal_text(&mut self) -> Option<String> {
        let strings = &self.hints.settings?.strings;
        self.random.pick(strings).cloned()
    }

    fn small_text(&mut self) -> String {
        let len = self.random.below(5);
        (0..len).map(|_| self.character()).collect()
    }
}

/// What stands between the first bracket or quote that opens at `at` or later, else the last before,
/// and the one that closes it.
fn bracketed(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    const PAIRS: [(char, char); 6] =
        [('[', ']'), ('(', ')'), ('{', '}'), ('<', '>'), ('"', '"'), ('\'', '\'')];
    let opens = |c: char| PAIRS.iter().any(|(open, _)| *open == c);
    let start = text[at..].find(opens).map(|i| at + i).or_else(|| text[..at].rfind(opens))?;
    let (_, close) = *PAIRS.iter().find(|(open, _)| text[start..].starts_with(*open))?;
    let end = start + 1 + text[start + 1..].find(close)?;
    Some(start + 1..end).filter(|inside| !inside.is_empty())
}

/// What stands between two signs of punctuation, around `at`; a sign itself, where there is one. A
/// part of a name or of a number may be missing.
fn word_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let is_sign = |c: char| !c.is_alphanumeric();
    let start = text[..at].char_indices().rev().find(|(_, c)| is_sign(*c));
    let start = start.map_or(0, |(i, c)| i + c.len_utf8());
    let end = text[at..].find(is_sign).map_or(text.len(), |i| at + i);
    match text[at..].chars().next() {
        Some(c) if start == end => at..at + c.len_utf8(),
        _ => start..end,
    }
}

/// Writes the word that begins at `at` in the other case.
fn swap_case(text: &mut String, at: usize) {
    let end = text[at..].find(|c: char| !c.is_ascii_alphabetic()).map_or(text.len(), |i| at + i);
    let upper = text[at..end].chars().any(|c| c.is_ascii_lowercase());
    let word = &text[at..end];
    let word = if upper { word.to_ascii_uppercase() } else { word.to_ascii_lowercase() };
    text.replace_range(at..end, &word);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gainsay_wire::Settings;

    use super::*;
    use crate::{Random, generate::Hints};

    fn drawn(strings: &[&str], sizes: Sizes, count: usize) -> BTreeSet<String> {
        let strings = strings.iter().map(|text| (*text).to_owned()).collect();
        let settings = Settings { strings, ..Settings::default() };
        let mut random = Random::new(5);
        let hints = Hints { settings: Some(&settings), sizes, ..Hints::default() };
        let mut source = Gen::new(&mut random, hints);
        (0..count).map(|_| source.text()).collect()
    }

    #[test]
    fn texts_come_as_they_are_written_and_a_little_changed() {
        let drawn = drawn(&["1.2→3"], Sizes::Modest, 10_000);
        for wanted in ["1.2→3", "1.→3", "1.2", "→3", "1.2→31.2→3", "1.2→🦀3"] {
            assert!(drawn.contains(wanted), "{wanted} never came");
        }
        assert!(drawn.iter().all(|text| text.len() <= MOST_SPLICED));
    }

    #[test]
    fn words_come_in_the_other_case_and_two_texts_crossed() {
        let drawn = drawn(&["Monday", "%a %b"], Sizes::Modest, 20_000);
        for wanted in ["MONDAY", "Mon %b", "Mondayday", "Mon%a %bday"] {
            assert!(drawn.contains(wanted), "{wanted} never came");
        }
    }

    #[test]
    fn a_word_goes_as_a_whole_and_so_does_what_is_in_brackets() {
        let drawn = drawn(&["x://[12ab]/y"], Sizes::Modest, 20_000);
        for wanted in ["x://[]/y", "://[12ab]/y", "x://[12ab]/"] {
            assert!(drawn.contains(wanted), "{wanted} never came");
        }
        let check = |text: &str, at, expected| assert_eq!(bracketed(text, at), expected);
        check("x://[::1]/y", 2, Some(5..8));
        check("x://[::1]/y", 9, Some(5..8));
        check("x://[]/(y", 2, None);
        check("\"→\" a", 0, Some(1..4));
        let check = |text: &str, at, expected| assert_eq!(word_around(text, at), expected);
        check("a→bc.d", 4, 4..6);
        check("a→bc.d", 6, 4..6);
        check("..", 1, 1..2);
        check("ab", 1, 0..2);
    }

    #[test]
    fn numbers_in_texts_become_longer_than_any_type() {
        let drawn = drawn(&["3.5E-7"], Sizes::Modest, 60_000);
        assert!(drawn.contains("3.5E-2147483647"));
        assert!(drawn.iter().any(|text| text.starts_with("3.5E-") && text.contains('e')));
        assert!(drawn.iter().any(|text| text.contains(&"9".repeat(41))));
    }

    #[test]
    fn texts_are_long_only_where_there_are_many_items() {
        let long =
            |sizes| drawn(&["ab"], sizes, 2_000).iter().filter(|text| text.len() > 1_000).count();
        assert!(long(Sizes::Many) > 50);
        assert_eq!(long(Sizes::Modest), 0);
    }

    #[test]
    fn a_character_comes_very_often_only_where_sizes_may_be_huge() {
        let longest = |sizes| drawn(&["a=b"], sizes, 20_000).iter().map(String::len).max();
        assert!(longest(Sizes::Any) > Some(VERY_MANY));
        assert!(longest(Sizes::Modest) <= Some(MOST_SPLICED));
    }

    #[test]
    fn texts_that_reached_new_code_come_again() {
        let finds = ["q→q".to_owned()];
        let mut random = Random::new(5);
        let hints = Hints { finds: &finds, ..Hints::default() };
        let mut source = Gen::new(&mut random, hints);
        assert!((0..100).any(|_| source.text() == "q→q"));
    }
}
