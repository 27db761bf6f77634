//! The Rust code in a documentation's text.

/// Code blocks that rustdoc would run as tests and that are meant to pass.
pub(super) fn rust(docs: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(&str, Option<String>)> = None;
    for line in docs.lines() {
        let trimmed = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
        match (&mut open, fence) {
            (None, Some(fence)) => {
                let info = trimmed.trim_start_matches(['`', '~']);
                open = Some((fence, is_rust(info).then(String::new)));
            }
            (Some((began, code)), Some(fence)) if *began == fence => {
                found.extend(code.take());
                open = None;
            }
            (Some((_, Some(code))), _) => {
                if let Some(shown) = unhidden(line) {
                    code.push_str(shown);
                    code.push('\n');
                }
            }
            _ => {}
        }
    }
    found
}

fn is_rust(info: &str) -> bool {
    let mut words = info.split([',', ' ', '{', '}']).map(str::trim).filter(|word| !word.is_empty());
    words.all(|word| matches!(word, "rust" | "no_run") || word.starts_with("edition"))
}

/// A line without the mark that hides it; attributes of a whole crate are left out.
fn unhidden(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let hidden = trimmed.strip_prefix("# ");
    let is_crate_attribute = hidden.unwrap_or(trimmed).trim_start().starts_with("#![");
    if trimmed == "#" || is_crate_attribute {
        return None;
    }
    // Two of them stand for one that is shown.
    let doubled = trimmed.strip_prefix('#').filter(|rest| rest.starts_with('#'));
    Some(hidden.or(doubled).unwrap_or(line))
}
