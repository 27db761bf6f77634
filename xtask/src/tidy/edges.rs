//! Which crate may know which. Stages never depend on each other; they share vocabulary (`wire`,
//! `model`) and mechanism (`workers`, `store`, `search`).

use super::{Complaint, File};

/// What each room may use of our own rooms.
const ALLOWED: &[(&str, &[&str])] = &[
    ("gainsay-wire", &[]),
    ("gainsay-runtime", &["gainsay-wire"]),
    ("gainsay-model", &["gainsay-wire"]),
    ("gainsay-discover", VOCABULARY),
    ("gainsay-harness", VOCABULARY),
    ("gainsay-workers", VOCABULARY),
    ("gainsay-store", VOCABULARY),
    ("gainsay-explore", &["gainsay-wire", "gainsay-model", "gainsay-workers", "gainsay-store"]),
    ("gainsay-infer", VOCABULARY),
    ("gainsay-search", &["gainsay-wire", "gainsay-model", "gainsay-workers", "gainsay-store"]),
    (
        "gainsay-refute",
        &["gainsay-wire", "gainsay-model", "gainsay-workers", "gainsay-store", "gainsay-search"],
    ),
    ("gainsay-report", VOCABULARY),
    // It prints what the engine found. What else it needs to say, the engine hands on.
    ("cargo-gainsay", &["gainsay-engine", "gainsay-model", "gainsay-report"]),
];

/// The stages. Only the engine puts them together: whoever knows three of them is a second engine.
const STAGES: &[&str] = &[
    "gainsay-discover",
    "gainsay-harness",
    "gainsay-explore",
    "gainsay-infer",
    "gainsay-refute",
    "gainsay-report",
];

/// Stages that a room other than the engine may know, at most.
const MOST_STAGES: usize = 2;

const ENGINE: &str = "gainsay-engine";

const VOCABULARY: &[&str] = &["gainsay-wire", "gainsay-model"];

/// Rooms that are compiled inside strangers' builds: nothing from outside.
const BARE: &[&str] = &["gainsay-wire", "gainsay-runtime"];

pub(super) fn check(file: &File<'_>) -> Vec<Complaint> {
    let Some(room) = room(file.path) else { return Vec::new() };
    let mut complaints = Vec::new();
    let (mut section, mut stages) = ("", 0);
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        // Tests may use what they need.
        if !section.contains("dependencies") || section.contains("dev-dependencies") {
            continue;
        }
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
        stages += usize::from(STAGES.contains(&name));
        if let Some(why) = refusal(room, name) {
            complaints.push(file.complaint(number, why));
        }
        if room != ENGINE && stages > MOST_STAGES && STAGES.contains(&name) {
            let what =
                format!("`{room}` knows {stages} stages; only `{ENGINE}` knows more than two");
            complaints.push(file.complaint(number, what));
        }
    }
    complaints
}

fn room(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")
}

fn refusal(room: &str, dependency: &str) -> Option<String> {
    if dependency.is_empty() || dependency.starts_with('#') {
        return None;
    }
    if !dependency.starts_with("gainsay-") {
        let bare = BARE.contains(&room);
        return bare.then(|| format!("`{room}` has no dependencies, so not `{dependency}`"));
    }
    let allowed = ALLOWED.iter().find(|(name, _)| *name == room).map(|(_, allowed)| *allowed);
    // The engine puts all rooms together; a room that is not listed is new and needs a line here.
    match allowed {
        None if room == ENGINE => None,
        Some(allowed) if allowed.contains(&dependency) => None,
        _ => Some(format!("`{room}` must not know `{dependency}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(room: &str, text: &str) -> usize {
        let path = format!("crates/{room}/Cargo.toml");
        check(&File { path: &path, text }).len()
    }

    #[test]
    fn stages_do_not_know_each_other() {
        let on = |name: &str| format!("[dependencies]\n{name}.workspace = true\n");
        assert_eq!(complaints("gainsay-infer", &on("gainsay-model")), 0);
        assert_eq!(complaints("gainsay-infer", &on("gainsay-refute")), 1);
        assert_eq!(complaints("gainsay-report", &on("gainsay-store")), 1);
        assert_eq!(complaints("gainsay-refute", &on("gainsay-store")), 0);
        assert_eq!(complaints("gainsay-refute", &on("gainsay-search")), 0);
        assert_eq!(complaints("gainsay-search", &on("gainsay-refute")), 1);
        assert_eq!(complaints("gainsay-engine", &on("gainsay-refute")), 0);
        assert_eq!(complaints("cargo-gainsay", &on("gainsay-refute")), 1);
        assert_eq!(complaints("cargo-gainsay", &on("gainsay-report")), 0);
        assert_eq!(complaints("gainsay-newcomer", &on("gainsay-wire")), 1);
    }

    #[test]
    fn only_the_engine_knows_three_stages() {
        let lines = STAGES[..3].iter().map(|name| format!("{name}.workspace = true\n"));
        let text = format!("[dependencies]\n{}", lines.collect::<String>());
        assert_eq!(complaints("gainsay-engine", &text), 0);
        // Each is refused for itself, and the third for being the third.
        assert_eq!(complaints("gainsay-newcomer", &text), 4);
    }

    #[test]
    fn what_is_compiled_elsewhere_stays_bare() {
        let on = |name: &str| format!("[dependencies]\n{name} = \"1\"\n");
        assert_eq!(complaints("gainsay-runtime", &on("serde")), 1);
        assert_eq!(complaints("gainsay-runtime", &on("gainsay-wire")), 0);
        assert_eq!(complaints("gainsay-runtime", "[dev-dependencies]\nserde = \"1\"\n"), 0);
        assert_eq!(complaints("gainsay-model", &on("serde")), 0);
    }
}
