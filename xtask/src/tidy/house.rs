//! Names and prose of crates in figures, held by a table: what was reached may become better, not
//! worse. The figures are those of a scanner of lines, not of a parser, and mean little for one
//! file; for a whole crate they tell a habit.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use super::{Complaint, File};

/// The table, from the root.
pub(super) const TABLE: &str = "quality/house.txt";

/// Directories and files that hold no product code.
const NO_PRODUCT: &[&str] = &[
    "target",
    "tests",
    "examples",
    "fixtures",
    "snapshots",
    "benches",
    "tests.rs",
    "fake.rs",
    "testkit.rs",
];

/// Names of traits' methods and constructors: they are not ours to choose.
const COMMON: &[&str] = &[
    "new", "fmt", "from", "default", "next", "drop", "clone", "eq", "cmp", "hash", "len", "main",
    "deref", "index", "into", "iter",
];

/// A name that stands so often in a crate hardly means the same each time.
const OFTEN: usize = 4;

/// First words of a doc line that make a clause of what should be a noun or a verb.
const OPENINGS: &[&str] = &["What", "Whether", "How", "Where", "Who", "So", "When", "That"];

/// Methods that decide by a piece of text, if their argument is one.
const DECIDING: &[&str] = &[
    "starts_with",
    "ends_with",
    "contains",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "rsplit",
    "trim_end_matches",
];

/// The figures of a crate, or their limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Functions with a one-word name, in per cent.
    one_word: f64,
    /// Functions whose one-word name stands several times, in per cent.
    again: f64,
    /// Doc lines that open with a clause, in per cent.
    openings: f64,
    /// Comments that say why, per 100 lines of code. The only figure that should be high.
    why: f64,
    /// Functions with a tuple parameter.
    tuples: f64,
    /// Places that decide by a piece of text.
    texts: f64,
    /// Files at the top of the crate.
    flat: f64,
}

const COLUMNS: [&str; 7] = ["one-word", "again", "openings", "why", "tuples", "texts", "flat"];

impl Figures {
    fn columns(&self) -> [f64; 7] {
        let Figures { one_word, again, openings, why, tuples, texts, flat } = *self;
        [one_word, again, openings, why, tuples, texts, flat]
    }

    fn of_columns(columns: [f64; 7]) -> Figures {
        let [one_word, again, openings, why, tuples, texts, flat] = columns;
        Figures { one_word, again, openings, why, tuples, texts, flat }
    }

    /// Names the figures that are worse than a limit.
    fn worse_than(&self, limits: &Figures) -> Vec<String> {
        // The table has one decimal.
        const ROUNDING: f64 = 0.05;
        let columns = COLUMNS.iter().zip(self.columns()).zip(limits.columns());
        let worse = columns.filter(|((name, found), limit)| {
            let above = if **name == "why" { limit - found } else { found - limit };
            above > ROUNDING
        });
        worse
            .map(|((name, found), limit)| format!("{name} is {found:.1}, not {limit:.1}"))
            .collect()
    }
}

/// Complains of each crate in the table whose figures are worse than those in its line.
pub(super) fn check(root: &Path) -> io::Result<Vec<Complaint>> {
    let text = fs::read_to_string(root.join(TABLE))?;
    let file = File { path: TABLE, text: &text };
    let mut complaints = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let Some((name, limits)) = read_line(line) else {
            complaints.push(file.complaint(number, "is no crate with seven figures"));
            continue;
        };
        for worse in figures_of(&root.join("crates").join(name))?.worse_than(&limits) {
            complaints.push(file.complaint(number, format!("`{name}`: {worse}")));
        }
    }
    Ok(complaints)
}

/// Writes the table as it would be today, for the crates that are in it.
pub(crate) fn table(root: &Path) -> io::Result<String> {
    let text = fs::read_to_string(root.join(TABLE))?;
    let mut table = String::new();
    for line in text.lines() {
        let known = if line.starts_with('#') { None } else { read_line(line) };
        let Some((name, _)) = known else {
            writeln!(table, "{line}").expect("writing to a string");
            continue;
        };
        let figures = figures_of(&root.join("crates").join(name))?.columns();
        let columns: Vec<String> = figures.iter().map(|figure| format!("{figure:>9.1}")).collect();
        writeln!(table, "{name:<18}{}", columns.concat()).expect("writing to a string");
    }
    Ok(table)
}

fn read_line(line: &str) -> Option<(&str, Figures)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
    Some((name, Figures::of_columns(numbers?.try_into().ok()?)))
}

fn figures_of(dir: &Path) -> io::Result<Figures> {
    let mut counts = Counts::default();
    for path in product_files(dir)? {
        let is_at_top = path.parent() == Some(&dir.join("src"));
        counts.flat += usize::from(is_at_top);
        counts.add_file(&fs::read_to_string(&path)?);
    }
    Ok(counts.figures())
}

fn product_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if NO_PRODUCT.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// Counts of a crate.
#[derive(Default)]
struct Counts {
    names: BTreeMap<String, usize>,
    docs: usize,
    openings: usize,
    why: usize,
    code: usize,
    tuples: usize,
    texts: usize,
    flat: usize,
}

impl Counts {
    fn add_file(&mut self, text: &str) {
        let body = without_tests(text);
        for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(doc) = line.strip_prefix("///") {
                self.docs += 1;
                let first = doc.split_whitespace().next().unwrap_or_default();
                let word = first.trim_matches(|c: char| !c.is_alphanumeric());
                let is_opening = first.starts_with(word) && OPENINGS.contains(&word);
                self.openings += usize::from(is_opening);
            } else if line.starts_with("//") {
                self.why += usize::from(!line.starts_with("//!"));
            } else {
                self.code += 1;
                self.texts += usize::from(decides_by_text(line));
            }
        }
        let mut at = 0;
        for line in body.split_inclusive('\n') {
            if let Some(name) = function_name(line) {
                let rest = &body[at..];
                let signature = rest.split(['{', ';']).next().unwrap_or_default();
                self.tuples += usize::from(has_tuple_parameter(signature));
                *self.names.entry(name.to_owned()).or_default() += 1;
            }
            at += line.len();
        }
    }

    fn figures(&self) -> Figures {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let ours = || self.names.iter().filter(|(name, _)| !COMMON.contains(&name.as_str()));
        let all = ours().map(|(_, count)| count).sum();
        let one = || ours().filter(|(name, _)| !name.trim_matches('_').contains('_'));
        let often = one().filter(|(_, count)| **count >= OFTEN);
        Figures {
            one_word: share(one().map(|(_, count)| count).sum(), all),
            again: share(often.map(|(_, count)| count).sum(), all),
            openings: share(self.openings, self.docs),
            why: share(self.why, self.code),
            tuples: self.tuples as f64,
            texts: self.texts as f64,
            flat: self.flat as f64,
        }
    }
}

/// Returns the text before the test module.
fn without_tests(text: &str) -> &str {
    let mut at = 0;
    for part in text.split_inclusive('\n') {
        if part.trim_end() == "#[cfg(test)]" {
            let after = text[at..].lines().skip(1).find(|line| !line.starts_with("#["));
            let is_module = after.is_some_and(|line| {
                let line = line.trim();
                line.starts_with("mod ") && line.ends_with('{')
            });
            if is_module {
                return &text[..at];
            }
        }
        at += part.len();
    }
    text
}

/// Returns the name of the function that begins on a line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        let inside = public.strip_prefix('(').and_then(|it| it.split_once(')'));
        rest = inside.map_or(public, |(_, after)| after).trim_start();
    }
    loop {
        let before = rest;
        for word in ["const ", "async ", "unsafe "] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        if rest == before {
            break;
        }
    }
    let name = rest.strip_prefix("fn ")?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0).then(|| &name[..end])
}

/// Tells if a parameter is taken apart in the signature: `(a, b): (A, B)`.
fn has_tuple_parameter(signature: &str) -> bool {
    let is_pattern = |(at, _): (usize, &str)| {
        let rest = &signature[at + 1..];
        let Some((names, after)) = rest.split_once(')') else { return false };
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        let is_word = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '&')
        };
        let after = after.trim_start().strip_prefix(':').map(str::trim_start);
        names.len() > 1
            && names.iter().all(is_word)
            && after.is_some_and(|after| after.starts_with('('))
    };
    signature.match_indices('(').any(is_pattern)
}

/// Tells if a line decides by a piece of text that stands in it.
fn decides_by_text(line: &str) -> bool {
    DECIDING.iter().any(|method| {
        let call = format!(".{method}(");
        line.match_indices(&call).any(|(at, _)| {
            let argument = line[at + call.len()..].trim_start();
            let is_constant = |c: char| c.is_ascii_uppercase() || c == '_';
            ["\"", "b\"", "[\"", "&[\"", "'"].iter().any(|text| argument.starts_with(text))
                || argument.chars().take_while(|c| is_constant(*c)).count() >= 3
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(text: &str) -> Figures {
        let mut counts = Counts::default();
        counts.add_file(text);
        counts.figures()
    }

    #[test]
    fn names_are_counted_without_those_that_are_not_ours_and_without_tests() {
        let text = "pub(crate) fn told() {}\nconst unsafe fn settle_all() {}\nfn new() {}\n\
                    #[cfg(test)]\nmod tests {\n    fn other() {}\n}\n";
        assert!((figures(text).one_word - 50.0).abs() < 0.1);
    }

    #[test]
    fn a_doc_line_that_opens_with_a_clause_is_told_from_others() {
        let text = "/// What it is.\n/// Returns it.\n/// `What` is a word.\n/// Whatever.\n";
        assert!((figures(text).openings - 25.0).abs() < 0.1);
    }

    #[test]
    fn a_reason_is_a_comment_that_is_no_documentation() {
        let text = "//! File.\n// Why.\nlet a = 1;\nlet b = 2; // Not counted.\n";
        assert!((figures(text).why - 50.0).abs() < 0.1);
    }

    #[test]
    fn tuples_in_a_signature_are_found_over_several_lines() {
        assert!(has_tuple_parameter("fn f(\n    (a, b): (A, B),\n)"));
        assert!(!has_tuple_parameter("fn f(a: (A, B), g: impl Fn(A, B))"));
    }

    #[test]
    fn only_text_that_stands_there_decides() {
        assert!(decides_by_text("if name.starts_with(\"a\") {"));
        assert!(decides_by_text("if name.contains(WORDS) {"));
        assert!(!decides_by_text("if names.contains(&name) {"));
    }

    #[test]
    fn a_figure_may_become_better_and_not_worse() {
        let limits = Figures::of_columns([38.0, 9.0, 3.0, 3.0, 0.0, 10.0, 16.0]);
        assert!(limits.worse_than(&limits).is_empty());
        let better = Figures { one_word: 20.0, why: 4.0, ..limits };
        assert!(better.worse_than(&limits).is_empty());
        let worse = Figures { why: 2.0, tuples: 1.0, ..limits };
        assert_eq!(worse.worse_than(&limits), ["why is 2.0, not 3.0", "tuples is 1.0, not 0.0"]);
    }
}
