//! Every dependency of the workspace has its reason: a comment above it or above its group.

use super::{Complaint, File};

pub(super) fn check(file: &File<'_>) -> Vec<Complaint> {
    if file.path != "Cargo.toml" {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let (mut inside, mut has_reason) = (false, false);
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
            has_reason = false;
        } else if line.starts_with('#') {
            has_reason = true;
        } else if line.trim().is_empty() {
            has_reason = false;
        } else if inside && !has_reason {
            let name = line.split(['=', ' ']).next().unwrap_or_default();
            complaints.push(file.complaint(number, format!("`{name}` has no reason above it")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<usize> {
        check(&File { path: "Cargo.toml", text }).into_iter().map(|c| c.line).collect()
    }

    #[test]
    fn a_reason_holds_for_its_group() {
        let head = "[workspace.dependencies]\n";
        assert_eq!(complaints(&format!("{head}# Why.\na = \"1\"\nb = \"1\"\n")), [0usize; 0]);
        assert_eq!(complaints(&format!("{head}a = \"1\"\n")), [2]);
        assert_eq!(complaints(&format!("{head}# Why.\na = \"1\"\n\nb = \"1\"\n")), [5]);
        assert_eq!(complaints("[profile.dev]\ndebug = 1\n"), [0usize; 0]);
    }
}
