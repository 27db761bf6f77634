//! What an item's documentation says of panics.

/// The text about panics: a section or bold paragraph headed so, or else sentences that speak of
/// panicking. `None` where the documentation is silent or promises not to panic.
pub(crate) fn documented_panics(docs: &str) -> Option<String> {
    section(docs).or_else(|| sentences(docs))
}

/// What the documentation of a type, a module or an impl says of panics in one of its methods: a
/// section headed so, or sentences that speak of the method or of methods in general.
pub(crate) fn panics_of_all(docs: &str, method: &str) -> Option<String> {
    const GENERAL: [&str; 7] =
        ["method", "operation", "function", "any ", "all ", "every ", "indexing"];
    section(docs).or_else(|| {
        let speaks_of_it = |sentence: &str| {
            let text = sentence.to_lowercase();
            names(sentence, method) || GENERAL.iter().any(|word| text.contains(word))
        };
        joined(panic_sentences(&without_code(docs)).filter(|text| speaks_of_it(text)))
    })
}

/// Whether a method's name is in backticks: `` `name` ``, `` `name()` `` or `` `Type::name` ``.
fn names(sentence: &str, method: &str) -> bool {
    let quoted = sentence.split('`').skip(1).step_by(2);
    quoted
        .map(|text| text.trim_end_matches("()"))
        .any(|text| text.rsplit([':', '.']).next() == Some(method))
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
    joined(panic_sentences(&without_code(docs)))
}

fn panic_sentences(prose: &str) -> impl Iterator<Item = &str> {
    let parts = prose.split_inclusive(". ").flat_map(|part| part.split("\n\n"));
    parts.map(str::trim).filter(|sentence| speaks_of_panic(sentence) || states_condition(sentence))
}

fn joined<'a>(told: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<&str> = told.flat_map(str::split_whitespace).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Whether a sentence tells what arguments must be like. Whoever passes others is told why.
fn states_condition(sentence: &str) -> bool {
    const DUTIES: [&str; 6] =
        ["must be", "must not", "must have", "must lie", "should not exceed", "may not exceed"];
    const MEASURES: [&str; 18] = [
        "less than",
        "greater than",
        "at least",
        "at most",
        "smaller",
        "larger",
        "bounds",
        "range",
        "zero",
        "positive",
        "within",
        "exceed",
        "equal",
        "boundary",
        "power of two",
        "empty",
        "enough",
        "sufficient",
    ];
    let text = sentence.to_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let compares = ["<", ">", "≤", "≥"].iter().any(|sign| text.contains(sign));
    let duty = DUTIES.iter().any(|duty| text.contains(duty));
    text.contains("must match")
        || duty && (compares || MEASURES.iter().any(|measure| text.contains(measure)))
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

/// Whether the note of a deprecation names this method as the one to use instead.
pub(crate) fn names_instead(note: &str, method: &str) -> bool {
    let is_it = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == method)
    };
    let mut code = note.split('`').skip(1).step_by(2);
    method.contains('_') && is_it(note) || code.any(is_it)
}

#[cfg(test)]
mod tests {
    use super::{documented_panics, names_instead, panics_of_all};

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

    #[test]
    fn a_condition_on_the_arguments_is_told_too() {
        let told = "`index` must be less than or equal to `len`.";
        check(&format!("Inserts. {told}"), Some(told));
        check("The length must match.", Some("The length must match."));
        let room = "`self` must have enough room.";
        check(room, Some(room));
        check("The key must be hashable.", None);
        check("Is less than the other.", None);
    }

    #[test]
    fn a_type_speaks_for_a_method_by_name_or_for_all_of_them() {
        let check = |docs: &str, expected: Option<&str>| {
            assert_eq!(panics_of_all(docs, "push").as_deref(), expected, "{docs}");
        };
        check("A list.\n\n# Panics\n\nWhen full.", Some("When full."));
        check("A list. `List::push` panics if full.", Some("`List::push` panics if full."));
        check("A list. All methods panic if full.", Some("All methods panic if full."));
        check("A list. `pop` panics if empty.", None);
        check("A list that does not panic.", None);
    }

    #[test]
    fn a_deprecation_names_what_to_use_instead() {
        assert!(names_instead("use `get_disjoint_mut` instead", "get_disjoint_mut"));
        assert!(names_instead("renamed to get_disjoint_mut", "get_disjoint_mut"));
        assert!(names_instead("use `push()`", "push"));
        assert!(!names_instead("use `push_back`; push is slow", "push"));
        assert!(!names_instead("use another way to get it", "get"));
    }
}
