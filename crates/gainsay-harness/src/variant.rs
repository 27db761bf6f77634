//! What the builds of a harness differ in: a profile of cargo's, and flags that only the compiler
//! wrapper can add. The sources are the same, and so is what the program offers.

use gainsay_model::build::Build;

/// What sets a build apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The name of cargo's profile; each has a directory of its own.
    pub(crate) profile: &'static str,
    /// Flags for rustc that only an unstable compiler knows. They are for code that runs in a
    /// worker, never for build scripts and procedural macros.
    pub(crate) flags: &'static [&'static str],
    /// The feature that says what elements are made of, if not of plain words.
    pub(crate) probe: Option<&'static str>,
}

/// Features of the harness, one for each kind of elements. Each build has a kind of its own: that
/// is as good as another instance of every generic type, and costs nothing.
pub(crate) const PROBES: [&str; 3] = ["probe-boxed", "probe-aligned", "probe-zero"];

impl Variant {
    /// Of a build.
    pub(crate) fn of(build: Build) -> Variant {
        match build {
            Build::Debug => Variant { profile: "dev", flags: &[], probe: None },
            Build::Unchecked => Variant {
                profile: "gainsay-unchecked",
                flags: &["-Zub-checks=no"],
                probe: Some("probe-zero"),
            },
            Build::Release => {
                Variant { profile: "gainsay-release", flags: &[], probe: Some("probe-aligned") }
            }
            Build::Asan => Variant {
                profile: "gainsay-asan",
                flags: &["-Zsanitizer=address"],
                probe: Some("probe-boxed"),
            },
        }
    }

    /// Whether cargo has to keep what runs in a worker apart from what runs during the build.
    pub(crate) fn is_apart(self) -> bool {
        !self.flags.is_empty()
    }
}

/// The profiles of all builds but the ordinary one, for the manifest. `Release` is optimised like
/// the others, since millions of calls are to be made: what counts is that nothing is checked.
pub(crate) const PROFILES: &str = "\
[profile.gainsay-unchecked]
inherits = \"dev\"

[profile.gainsay-release]
inherits = \"dev\"
opt-level = 2
debug-assertions = false
overflow-checks = false

[profile.gainsay-asan]
inherits = \"dev\"
debug-assertions = false
overflow-checks = false
";
