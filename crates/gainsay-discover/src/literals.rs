//! Literals that the subject's source, documentation and tests write: good seeds for arguments. A
//! light lexer, no parser: it must be fast and must survive any file.

use std::{collections::BTreeSet, fs, path::Path};

use gainsay_model::api::Literals;

use crate::cache::sources;

const MOST_INTEGERS: usize = 200;
const MOST_STRINGS: usize = 300;
/// So many of them at most are from examples and tests, where there are others.
const MOST_SHOWN: usize = 240;
const MOST_FLOATS: usize = 100;
const MOST_CHARS: usize = 100;
const LONGEST_STRING: usize = 120;

/// Literals of the sources and of the examples in their documentation, of the introduction that
/// often is part of it, of tests and of example programs.
pub(crate) fn mine(root: &Path) -> Literals {
    let mut found = Found::default();
    for dir in ["src", "tests", "examples"] {
        let mut files = Vec::new();
        sources(&root.join(dir), &mut files);
        for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
            // Tests in a source file stand at its end.
            let tests = if dir == "src" { text.find("#[cfg(test)]") } else { Some(0) };
            let (code, tests) = text.split_at(tests.unwrap_or(text.len()));
            found.code(code);
            found.showing(|found| found.code(tests));
        }
    }
    if let Ok(text) = fs::read_to_string(root.join("README.md")) {
        found.prose(&text);
    }
    found.finish()
}

#[derive(Default)]
struct Found {
    integers: BTreeSet<i64>,
    strings: BTreeSet<String>,
    /// Texts that examples and tests write: messages and names of the code are not among them.
    shown: BTreeSet<String>,
    is_showing: bool,
    floats: BTreeSet<String>,
    chars: BTreeSet<char>,
}

impl Found {
    fn finish(self) -> Literals {
        // Small ones first when there are too many: they are met more often.
        let mut integers: Vec<i64> = self.integers.into_iter().collect();
        integers.sort_by_key(|value| value.unsigned_abs());
        integers.truncate(MOST_INTEGERS);
        integers.sort_unstable();
        let others: Vec<String> = self.strings.difference(&self.shown).cloned().collect();
        let shown = self.shown.into_iter().collect::<Vec<_>>();
        let mut strings =
            some_of_every_length(shown, MOST_STRINGS - others.len().min(MOST_STRINGS - MOST_SHOWN));
        let room = MOST_STRINGS - strings.len();
        strings.extend(some_of_every_length(others, room));
        strings.sort();
        let floats = self.floats.into_iter().take(MOST_FLOATS).collect();
        let chars = self.chars.into_iter().take(MOST_CHARS).collect();
        Literals { integers, strings, floats, chars }
    }

    /// What is found meanwhile is from an example or a test.
    fn showing(&mut self, read: impl FnOnce(&mut Found)) {
        let before = std::mem::replace(&mut self.is_showing, true);
        read(self);
        self.is_showing = before;
    }

    /// The code blocks of a text.
    fn prose(&mut self, text: &str) {
        let mut in_example = false;
        let mut examples = String::new();
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                in_example = !in_example;
            } else if in_example {
                examples.push_str(line);
                examples.push('\n');
            }
        }
        self.showing(|found| found.code(&examples));
    }

    fn code(&mut self, text: &str) {
        let mut examples = String::new();
        let mut in_example = false;
        let mut lexer = Lexer { rest: text };
        while let Some(token) = lexer.next() {
            match token {
                Token::Integer(value) => {
                    self.integers.insert(value);
                }
                Token::Text(text) if text.len() <= LONGEST_STRING => {
                    let known = if self.is_showing { &mut self.shown } else { &mut self.strings };
                    known.insert(text);
                }
                Token::Float(text) => {
                    self.floats.insert(text);
                }
                Token::Char(c) => {
                    self.chars.insert(c);
                }
                Token::Doc(line) if line.trim_start().starts_with("```") => {
                    in_example = !in_example;
                }
                Token::Doc(line) if in_example => {
                    examples.push_str(line);
                    examples.push('\n');
                }
                Token::Text(_) | Token::Doc(_) | Token::Other => {}
            }
        }
        if !examples.is_empty() {
            self.showing(|found| found.code(&examples));
        }
    }
}

/// Short texts are words, long ones are what is parsed: some of every length.
fn some_of_every_length(mut texts: Vec<String>, most: usize) -> Vec<String> {
    texts.sort_by_key(String::len);
    let total = texts.len();
    if total <= most {
        return texts;
    }
    (0..most).map(|i| texts[i * total / most].clone()).collect()
}

enum Token<'a> {
    Integer(i64),
    Text(String),
    /// A float as it is written, without its suffix.
    Float(String),
    Char(char),
    /// A line of documentation.
    Doc(&'a str),
    Other,
}

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let first = self.rest.chars().next()?;
        if self.rest.starts_with("//") {
            return Some(self.line_comment());
        }
        if self.rest.starts_with("/*") {
            let end = self.rest.find("*/").map_or(self.rest.len(), |end| end + 2);
            self.take(end);
            return Some(Token::Other);
        }
        match first {
            '"' => Some(self.string()),
            '\'' => Some(self.quote()),
            '0'..='9' => Some(self.number()),
            c if c.is_alphabetic() || c == '_' => Some(self.word()),
            c => {
                self.take(c.len_utf8());
                Some(Token::Other)
            }
        }
    }

    fn take(&mut self, count: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    fn line_comment(&mut self) -> Token<'a> {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.take(end);
        let is_doc =
            (line.starts_with("///") && !line.starts_with("////")) || line.starts_with("//!");
        if is_doc { Token::Doc(&line[3..]) } else { Token::Other }
    }

    fn string(&mut self) -> Token<'a> {
        self.take(1);
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.take(at + 1);
                    return Token::Text(text);
                }
                // Line continuations are not worth the trouble.
                '\\' => match chars.next() {
                    Some((_, 'x')) => {
                        let digits: String = chars.by_ref().take(2).map(|(_, c)| c).collect();
                        text.extend(numbered(&digits));
                    }
                    Some((_, 'u')) => {
                        let digits = chars.by_ref().map(|(_, c)| c).skip_while(|c| *c == '{');
                        let digits: String =
                            digits.take_while(|c| c.is_ascii_hexdigit() || *c == '_').collect();
                        text.extend(numbered(&digits.replace('_', "")));
                    }
                    escaped => text.extend(escaped.and_then(|(_, c)| unescaped(c))),
                },
                c => text.push(c),
            }
        }
        self.rest = "";
        Token::Other
    }

    /// A character or a lifetime.
    fn quote(&mut self) -> Token<'a> {
        let mut chars = self.rest.char_indices().skip(1);
        let (second, third) = (chars.next(), chars.next());
        match (second, third) {
            (Some((_, '\\')), escaped) => {
                let end = self.rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'');
                let taken = self.take(end.map_or(self.rest.len(), |(at, _)| at + 3));
                match escaped.and_then(|(_, c)| unescaped(c)) {
                    // Numeric escapes are longer.
                    Some(c) if taken.len() == 4 => Token::Char(c),
                    _ => Token::Other,
                }
            }
            (Some((_, c)), Some((at, '\''))) => {
                self.take(at + 1);
                Token::Char(c)
            }
            _ => {
                self.take(1);
                Token::Other
            }
        }
    }

    fn number(&mut self) -> Token<'a> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let text: String = self.take(end).chars().filter(|c| *c != '_').collect();
        let after = &self.rest;
        let is_float =
            after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
        match integer(&text) {
            Some(value) if !is_float => Token::Integer(value),
            _ if is_float => {
                let end = after[1..].find(|c| !is_part(c)).map_or(after.len(), |end| end + 1);
                let fraction = self.take(end);
                float(&format!("{text}{fraction}")).map_or(Token::Other, Token::Float)
            }
            _ => float(&text).map_or(Token::Other, Token::Float),
        }
    }

    /// An identifier, or the prefix of a raw or byte string.
    fn word(&mut self) -> Token<'a> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let word = self.take(end);
        match word {
            "r" | "br" | "cr" if self.rest.starts_with(['"', '#']) => self.raw_string(),
            "b" | "c" if self.rest.starts_with('"') => self.string(),
            _ => Token::Other,
        }
    }

    fn raw_string(&mut self) -> Token<'a> {
        let hashes = self.rest.len() - self.rest.trim_start_matches('#').len();
        if !self.rest[hashes..].starts_with('"') {
            return Token::Other;
        }
        self.take(hashes + 1);
        let close = format!("\"{}", "#".repeat(hashes));
        let end = self.rest.find(&close).unwrap_or(self.rest.len());
        let text = self.take(end).to_owned();
        self.take(close.len().min(self.rest.len()));
        Token::Text(text)
    }
}

/// What an escape with the number of a character stands for; a byte alone stands for one, too.
fn numbered(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// What an escape of one letter stands for.
fn unescaped(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '0' => Some('\0'),
        '"' | '\\' | '\'' => Some(c),
        _ => None,
    }
}

/// A float literal without suffix and underscores, if it is one.
fn float(text: &str) -> Option<String> {
    let text = text.replace('_', "");
    let text = text.strip_suffix("f32").or(text.strip_suffix("f64")).unwrap_or(&text);
    let value: f64 = text.parse().ok()?;
    (value.is_finite() && !text.starts_with("0x")).then(|| text.to_owned())
}

/// An integer literal's value, any base and suffix.
fn integer(text: &str) -> Option<i64> {
    const SUFFIXES: &[&str] =
        &["usize", "isize", "u128", "i128", "u64", "i64", "u32", "i32", "u16", "i16", "u8", "i8"];
    let text = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or(text);
    let (digits, base) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        Some("0b") => (&text[2..], 2),
        _ => (text, 10),
    };
    i64::from_str_radix(digits, base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, integers: &[i64], strings: &[&str]) {
        let mut found = Found::default();
        found.code(code);
        let literals = found.finish();
        assert_eq!(literals.integers, integers, "{code}");
        assert_eq!(literals.strings, strings, "{code}");
    }

    #[test]
    fn integers_of_all_bases_are_found_and_floats_are_not() {
        check(
            "let x = 0xFFu8 + 1_000 - 0b11; let y = 1.5e3; a[7]; 0..9",
            &[0, 3, 7, 9, 255, 1000],
            &[],
        );
    }

    #[test]
    fn floats_and_characters_are_found() {
        let mut found = Found::default();
        found.code(
            r"f(1.5, 2e3, 1_0.25f32, 7f64, 0x1f, 'x', '\n', '\'', 'ß', '\u{41}', &'a str, b'y')",
        );
        let literals = found.finish();
        assert_eq!(literals.floats, ["1.5", "10.25", "2e3", "7"]);
        assert_eq!(literals.chars, ['\n', '\'', 'x', 'y', 'ß']);
        assert_eq!(literals.integers, [0x1f]);
    }

    #[test]
    fn tests_programs_and_the_introduction_are_read_too() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("src/lib.rs", "const A: u8 = 1;"),
            ("tests/a.rs", "fn a() { f(2) }"),
            ("examples/b.rs", "fn main() { f(3) }"),
            ("README.md", "4 words\n```rust\nf(5);\n```\n6"),
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(mine(dir.path()).integers, [1, 2, 3, 5]);
    }

    #[test]
    fn texts_are_found_with_escapes_and_raw() {
        check(
            r##"f("a\nb"); g(r#"c"d"#); h(b"e"); 'x'; '\''; &'a str"##,
            &[],
            &["a\nb", "c\"d", "e"],
        );
    }

    #[test]
    fn numbers_in_escapes_are_characters() {
        check(r#"f("\x1b[0m", "a\u{1f60d}b")"#, &[], &["\u{1b}[0m", "a😍b"]);
    }

    #[test]
    fn texts_of_examples_and_tests_have_room_before_others() {
        let mut found = Found::default();
        found.showing(|found| (0..1_000).for_each(|i| found.code(&format!("f(\"shown {i}\")"))));
        (0..1_000).for_each(|i| found.code(&format!("f(\"other {i}\")")));
        let strings = found.finish().strings;
        assert_eq!(strings.len(), MOST_STRINGS);
        let shown = strings.iter().filter(|text| text.starts_with("shown")).count();
        assert_eq!(shown, MOST_SHOWN);
    }

    #[test]
    fn comments_are_skipped_but_not_examples_in_documentation() {
        check(
            "// 5 \"no\"\n/* 6 */\n/// 7\n/// ```\n/// f(8, \"yes\");\n/// ```\nfn f() {}",
            &[8],
            &["yes"],
        );
    }

    #[test]
    fn broken_files_do_not_stop_the_lexer() {
        check("\"never closed", &[], &[]);
        check("r#\"never closed", &[], &["never closed"]);
        check("'", &[], &[]);
        check("'\\", &[], &[]);
    }
}
