//! What an item's documentation says of panics.

/// The text about panics: a section or bold paragraph headed so, or else sentences that speak of
/// panicking. `None` where the documentation is silent or promises not to panic.
pub(crate) fn documented_panics(docs: &str) -> Option<String> {
    section(docs).or_else(|| sentences(docs))
}

/// The text below `# Panics`, or in the paragraph that begins with `**Panics**`.
fn section(docs: &str) -> Option<String> {
    let lines: Vec<&str> = docs.lines().collect();
    let is_heading = |line: &str| {
        let line = line.trim();
        line.starts_with('#') && strip(line).to_lowercase().starts_with("panic")
    };
    if let Some(start) = lines.iter().position(|line| is_heading(line)) {
        let body = lines[start + 1..].iter().take_while(|line| !line.trim_start().starts_with('#'));
        return non_empty(body);
    }
    let is_bold = |line: &str| {
        let line = line.trim().to_lowercase();
        line.starts_with("**") && line.trim_start_matches('*').starts_with("panic")
    };
    let start = lines.iter().position(|line| is_bold(line))?;
    non_empty(lines[start..].iter().take_while(|line| !line.trim().is_empty()))
}

fn strip(line: &str) -> &str {
    line.trim_start_matches('#').trim().trim_matches('*')
}

fn non_empty<'a>(lines: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    let text =
        lines.map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn sentences(docs: &str) -> Option<String> {
    let prose = without_code(docs);
    let told: Vec<&str> = prose
        .split_inclusive(". ")
        .flat_map(|part| part.split("\n\n"))
        .map(str::trim)
        .filter(|sentence| speaks_of_panic(sentence))
        .collect();
    (!told.is_empty()).then(|| told.join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
}

fn speaks_of_panic(sentence: &str) -> bool {
    let text = sentence.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let promises = [
        "not panic",
        "never panic",
        "without panic",
        "n't panic",
        "no panic",
        "instead of panic",
        "rather than panic",
        "cannot panic",
        "panic-free",
    ];
    text.contains("panic") && !promises.iter().any(|promise| text.contains(promise))
}

/// The documentation without its code blocks: an example may mention a panic of its own.
fn without_code(docs: &str) -> String {
    let mut inside = false;
    let mut prose = String::new();
    for line in docs.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::documented_panics;

    fn check(docs: &str, expected: Option<&str>) {
        assert_eq!(documented_panics(docs).as_deref(), expected, "{docs}");
    }

    #[test]
    fn a_panics_section_is_taken_up_to_the_next_heading() {
        check(
            "Adds.\n\n# Panics\n\nIf full.\nAlways.\n\n# Examples\n\nNone.",
            Some("If full. Always."),
        );
        check("Adds.\n\n## Panics\nIf full.", Some("If full."));
    }

    #[test]
    fn a_bold_paragraph_counts_as_a_section() {
        check("Adds.\n\n***Panics*** if full.\n\nMore.", Some("***Panics*** if full."));
        check("Adds.\n\n**Panics** if\nfull.", Some("**Panics** if full."));
    }

    #[test]
    fn a_sentence_that_speaks_of_panicking_is_enough() {
        check("Removes it. It will panic when empty. Fast.", Some("It will panic when empty."));
    }

    #[test]
    fn a_promise_not_to_panic_is_no_panic() {
        for docs in
            ["Never panics.", "Does not panic.", "Works without panicking.", "It\ndoes not\npanic."]
        {
            check(docs, None);
        }
        check("Adds.\n\n```\n// may panic\n```", None);
    }
}
