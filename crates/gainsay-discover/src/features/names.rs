//! Names of features that say what they are for.

use gainsay_model::features::OffReason::{self, Purpose, Toolchain};

/// Words that stand in names of features which users of stable Rust do not switch on. Words of a
/// name are separated by `-` or `_`.
const WORDS: &[(&str, OffReason)] = &[
    ("nightly", Toolchain),
    ("unstable", Toolchain),
    ("allocator_api", Toolchain),
    ("allocator_api2", Toolchain),
    ("may_dangle", Toolchain),
    ("specialization", Toolchain),
    ("portable_simd", Toolchain),
    ("packed_simd", Toolchain),
    ("core_intrinsics", Toolchain),
    ("rustc_dep_of_std", Toolchain),
    ("compiler_builtins", Toolchain),
    ("no_std", Toolchain),
    ("nostd", Toolchain),
    ("wasm", Toolchain),
    ("wasm32", Toolchain),
    ("bench", Purpose),
    ("benches", Purpose),
    ("benchmark", Purpose),
    ("benchmarks", Purpose),
    ("test", Purpose),
    ("tests", Purpose),
    ("testing", Purpose),
    ("mock", Purpose),
    ("ci", Purpose),
    ("loom", Purpose),
    ("shuttle", Purpose),
    ("miri", Purpose),
    ("kani", Purpose),
    ("fuzz", Purpose),
    ("fuzzing", Purpose),
    ("quickcheck", Purpose),
    ("proptest", Purpose),
    ("doc", Purpose),
    ("docs", Purpose),
    ("docsrs", Purpose),
    ("doc_cfg", Purpose),
    ("internal", Purpose),
    ("internals", Purpose),
    ("private", Purpose),
    ("example", Purpose),
    ("examples", Purpose),
    ("dev", Purpose),
];

/// Why a name says that its feature is not for everybody.
pub(crate) fn reason(name: &str) -> Option<OffReason> {
    if name.starts_with('_') {
        return Some(Purpose);
    }
    let words = format!("_{}_", name.replace(['-', '.'], "_").to_lowercase());
    let stands = |word: &str| words.contains(&format!("_{word}_"));
    WORDS.iter().find(|(word, _)| stands(word)).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_of_a_name_count() {
        let check = |name: &str, expected| assert_eq!(reason(name), expected, "{name}");
        check("nightly", Some(Toolchain));
        check("simd-nightly", Some(Toolchain));
        check("allocator_api", Some(Toolchain));
        check("no-std", Some(Toolchain));
        check("test_debug", Some(Purpose));
        check("__internal_x", Some(Purpose));
        check("_x", Some(Purpose));
        check("unstable-Doc", Some(Toolchain));
        check("collections", None);
        check("latest", None);
        check("documents", None);
        check("std", None);
    }
}
