//! What can be seen line by line: module comments, length, words that have no place.

use super::{Complaint, File};

/// Longest file, tests not counted.
const MOST_LINES: usize = 600;

/// Words that have no place in Rust files, split so that this file does not hold them itself.
const BANNED: &[(&[&str], &str)] =
    &[(&["#[ign", "ore"], "no test is left out"), (&["tod", "o!("], "finish it or leave it out")];

/// Beginnings of paths that exist on one machine only. Tests may make them up.
const MACHINE: &[&[&str]] = &[&["/ho", "me/"], &["/ro", "ot/"], &["/Us", "ers/"], &["/wo", "rk/"]];

const SQL: &[&[&str]] = &[&["SEL", "ECT "], &["INSERT ", "INTO "], &["DELETE ", "FROM "]];

/// The one place for SQL in the product.
const STORE: &str = "crates/gainsay-store/";

/// What is no part of the product; it measures other schemas than the store's.
const EVALUATION: &str = "evaluation/";

pub(super) fn check(file: &File<'_>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !file.text.starts_with("//!") {
        complaints.push(file.complaint(1, "begins without a `//!` comment"));
    }
    let lines = lines_without_tests(file.text);
    if lines > MOST_LINES && !is_test(file.path) {
        let what = format!("{lines} lines without tests, more than {MOST_LINES}");
        complaints.push(file.complaint(1, what));
    }
    for (number, line) in (1..).zip(file.text.lines()) {
        for (word, why) in BANNED {
            if line.contains(&word.concat()) {
                complaints.push(file.complaint(number, format!("`{}`: {why}", word.concat())));
            }
        }
        let is_product = number <= lines && !is_test(file.path);
        if is_product && MACHINE.iter().any(|path| line.contains(&path.concat())) {
            complaints.push(file.complaint(number, "a path of one machine"));
        }
        let is_of_product = !file.path.starts_with(EVALUATION);
        if is_of_product
            && !file.path.starts_with(STORE)
            && SQL.iter().any(|word| line.contains(&word.concat()))
        {
            complaints.push(file.complaint(number, "SQL outside of gainsay-store"));
        }
    }
    complaints
}

/// Whether the file holds nothing but tests.
pub(super) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// Lines before the test module.
pub(super) fn lines_without_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod tests {");
    lines.windows(2).position(is_tests).unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<(usize, String)> {
        check(&File { path, text }).into_iter().map(|c| (c.line, c.what)).collect()
    }

    #[test]
    fn a_file_needs_a_module_comment() {
        assert_eq!(complaints("a.rs", "//! Fine.\n"), []);
        assert_eq!(complaints("a.rs", "fn f() {}\n").len(), 1);
    }

    #[test]
    fn length_counts_without_tests() {
        let code = format!("//! Long.\n{}", "\n".repeat(590));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(100));
        assert_eq!(complaints("a.rs", &format!("{code}{tests}")), []);
        let longer = format!("{code}{}{tests}", "\n".repeat(20));
        assert_eq!(complaints("a.rs", &longer).len(), 1);
        assert_eq!(complaints("crates/a/tests/b.rs", &longer), []);
    }

    #[test]
    fn banned_words_are_found_where_they_stand() {
        for (word, _) in BANNED {
            let found = complaints("a.rs", &format!("//! Fine.\nlet x = {};\n", word.concat()));
            assert_eq!(found.len(), 1, "{word:?}");
            assert_eq!(found[0].0, 2, "{word:?}");
        }
    }

    #[test]
    fn machine_paths_are_for_tests_only() {
        let line = format!("let x = \"{}me\";\n", MACHINE[0].concat());
        assert_eq!(complaints("a.rs", &format!("//! Fine.\n{line}")).len(), 1);
        let test = format!("//! Fine.\n#[cfg(test)]\nmod tests {{\n{line}}}\n");
        assert_eq!(complaints("a.rs", &test), []);
    }

    #[test]
    fn sql_is_for_the_store_only() {
        let text = format!("//! Fine.\nlet q = \"{}1\";\n", SQL[0].concat());
        assert_eq!(complaints("crates/gainsay-store/src/a.rs", &text), []);
        assert_eq!(complaints("crates/gainsay-refute/src/a.rs", &text).len(), 1);
        assert_eq!(complaints("evaluation/src/a.rs", &text), []);
    }
}
