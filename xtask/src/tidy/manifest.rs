//! Every dependency of a workspace has its reason: a comment above it or above its group. The
//! workspaces of the evaluations and of the reader of traces have the lints and profiles of the
//! product's.

use super::{Complaint, File};

/// The manifests of the workspaces beside the product's.
pub(super) const OTHERS: [&str; 2] = ["evaluation/Cargo.toml", READER];

/// The manifest of the reader of traces.
const READER: &str = "traces/Cargo.toml";

/// Tables that all workspaces have alike, and all profiles of the product that a workspace has
/// packages for. Cargo offers no way to inherit them.
const SAME_TABLES: &[&str] =
    &["[workspace.package]", "[workspace.lints.rust]", "[workspace.lints.clippy]"];

/// The profiles of the product that the reader of traces has packages for.
const READER_PROFILES: &[&str] =
    &["[profile.dev]", "[profile.dev.package.gainsay-infer]", "[profile.release]"];

/// The profiles of packages that the evaluations lack. They have all others: they run the product's
/// engine in their own process, and measure it.
const BINARY_PROFILES: &[&str] = &[
    "[profile.release.package.cargo-gainsay]",
    "[profile.release.package.clap_builder]",
    "[profile.release.package.clap]",
];

/// Complains of each table of `file` that is not as in the product's manifest.
pub(super) fn check_same_tables(product: &str, file: &File<'_>) -> Vec<Complaint> {
    let profiles = product.lines().filter(|line| line.starts_with("[profile."));
    let has_packages = |table: &&str| match file.path {
        READER => READER_PROFILES.contains(table),
        _ => !BINARY_PROFILES.contains(table),
    };
    let tables = SAME_TABLES.iter().copied().chain(profiles.filter(has_packages));
    let differs = |table: &&str| settings_of(product, table) != settings_of(file.text, table);
    let complaint = |table: &str| {
        let line = file.text.lines().position(|line| line == table).map_or(1, |line| line + 1);
        file.complaint(line, format!("`{table}` is not as in Cargo.toml"))
    };
    tables.filter(differs).map(complaint).collect()
}

/// The lines of a table without comments and empty lines.
fn settings_of<'a>(text: &'a str, table: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != table).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

pub(super) fn check(file: &File<'_>) -> Vec<Complaint> {
    if file.path != "Cargo.toml" && !OTHERS.contains(&file.path) {
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
    #[test]
    fn a_table_that_differs_is_found() {
        let product = "[profile.dev]\n# Why.\ndebug = 1\n\n[profile.release]\ndebug = false\n";
        let complaints = |text| {
            let file = File { path: OTHERS[0], text };
            check_same_tables(product, &file).into_iter().map(|c| c.line).collect::<Vec<_>>()
        };
        let same = "[profile.dev]\ndebug = 1\n[profile.release]\ndebug = false\n";
        let changed = same.replace("false", "true");
        assert_eq!(complaints(same), [0usize; 0]);
        assert_eq!(complaints(&changed), [3]);
        assert_eq!(complaints("[profile.release]\ndebug = false\n"), [1]);
    }
}
