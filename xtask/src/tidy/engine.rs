//! The engine's page of the story: short, and with every stage in order. And the binary, which is
//! to stay a thin one.

use std::{fs, io, path::Path};

use super::{Complaint, File, text::lines_without_tests};

/// The page that tells a whole test of a crate.
const PAGE: &str = "crates/gainsay-engine/src/pipeline.rs";
/// The stages, in the order in which the page tells them.
const STAGES: &[&str] = &["prepare", "calibrate", "explore", "learn", "refute", "judge", "record"];
/// Lines of the page, at most: more are not read at one go.
const MOST_PAGE_LINES: usize = 200;

/// The binary's sources.
const BINARY: &str = "crates/cargo-gainsay/src";
/// Lines of the binary without tests, at most. It holds arguments, settings, console and exit codes;
/// whatever else grows there belongs to the engine.
const MOST_BINARY_LINES: usize = 3_500;

pub(super) fn check(root: &Path) -> io::Result<Vec<Complaint>> {
    let text = fs::read_to_string(root.join(PAGE))?;
    let mut complaints = check_page(&File { path: PAGE, text: &text });
    let lines = count_lines(&root.join(BINARY))?;
    if lines > MOST_BINARY_LINES {
        let file = File { path: BINARY, text: "" };
        complaints.push(file.complaint(1, format!("{lines} lines, more than {MOST_BINARY_LINES}")));
    }
    Ok(complaints)
}

fn check_page(file: &File<'_>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let lines = file.text.lines().count();
    if lines > MOST_PAGE_LINES {
        let what = format!("the story has {lines} lines, more than {MOST_PAGE_LINES}");
        complaints.push(file.complaint(1, what));
    }
    // Code, not comments: a stage that is only talked about is not told.
    let code: Vec<&str> =
        file.text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut from = 0;
    for stage in STAGES {
        match code.iter().skip(from).position(|line| line.contains(stage)) {
            Some(at) => from += at,
            None => {
                complaints.push(file.complaint(1, format!("does not tell of `{stage}` in turn")));
            }
        }
    }
    complaints
}

fn count_lines(dir: &Path) -> io::Result<usize> {
    let mut lines = 0;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            lines += count_lines(&path)?;
        } else {
            lines += lines_without_tests(&fs::read_to_string(&path)?);
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_every_stage_in_order_and_is_short() {
        let check = |text: &str| check_page(&File { path: PAGE, text }).len();
        let story = STAGES.join("();\n");
        assert_eq!(check(&story), 0);
        assert_eq!(check(&story.replace("judge", "// judge")), 1);
        let turned: Vec<&str> = STAGES.iter().rev().copied().collect();
        assert!(check(&turned.join("();\n")) > 0);
        assert_eq!(check(&format!("{story}{}", "\n".repeat(200))), 1);
    }
}
