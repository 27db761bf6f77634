//! Integers and texts that the subject's source writes: good seeds for arguments. A light lexer,
//! no parser: it must be fast and must survive any file.

use std::{collections::BTreeSet, fs, path::Path};

use gainsay_model::api::Literals;

use crate::cache::sources;

const MOST_INTEGERS: usize = 200;
const MOST_STRINGS: usize = 300;
const LONGEST_STRING: usize = 40;

/// Literals of `src/**/*.rs` and of the examples in its documentation.
pub(crate) fn mine(root: &Path) -> Literals {
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut found = Found::default();
    for file in files {
        if let Ok(text) = fs::read_to_string(file) {
            found.code(&text);
        }
    }
    found.finish()
}

#[derive(Default)]
struct Found {
    integers: BTreeSet<i64>,
    strings: BTreeSet<String>,
}

impl Found {
    fn finish(self) -> Literals {
        // Small ones first when there are too many: they are met more often.
        let mut integers: Vec<i64> = self.integers.into_iter().collect();
        integers.sort_by_key(|value| value.unsigned_abs());
        integers.truncate(MOST_INTEGERS);
        integers.sort_unstable();
        let mut strings: Vec<String> = self.strings.into_iter().collect();
        strings.sort_by_key(String::len);
        strings.truncate(MOST_STRINGS);
        strings.sort();
        Literals { integers, strings }
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
                    self.strings.insert(text);
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
            self.code(&examples);
        }
    }
}

enum Token<'a> {
    Integer(i64),
    Text(String),
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
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('0') => text.push('\0'),
                    Some(c @ ('"' | '\\' | '\'')) => text.push(c),
                    // Line continuations and numeric escapes are not worth the trouble.
                    _ => {}
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
            (Some((_, '\\')), _) => {
                let end = self.rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'');
                self.take(end.map_or(self.rest.len(), |(at, _)| at + 3));
            }
            (Some(_), Some((at, '\''))) => {
                self.take(at + 1);
            }
            _ => {
                self.take(1);
            }
        }
        Token::Other
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
            _ => {
                if is_float {
                    let end = after[1..].find(|c| !is_part(c)).map_or(after.len(), |end| end + 1);
                    self.take(end);
                }
                Token::Other
            }
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
    fn texts_are_found_with_escapes_and_raw() {
        check(
            r##"f("a\nb"); g(r#"c"d"#); h(b"e"); 'x'; '\''; &'a str"##,
            &[],
            &["a\nb", "c\"d", "e"],
        );
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
