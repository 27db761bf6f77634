//! Features of a subject: those that were asked for, and those that are off by default and are
//! switched on all the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The cargo features of the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// `--features`
    pub named: Vec<String>,
    /// `--all-features`
    pub all: bool,
    /// `--no-default-features`
    pub no_default: bool,
    /// Features that nobody asked for.
    #[serde(default)]
    pub extra: Extra,
}

/// Features that are off by default and that nobody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// Those that are switched on.
    pub on: Vec<String>,
    /// Those that are not, and why.
    pub off: BTreeMap<String, OffReason>,
    /// Why the subject does not build with those that could have been on, in a line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<String>,
}

/// Why a feature that is off by default stays off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OffReason {
    /// It switches on a dependency that is not there without it.
    Dependency,
    /// It is for another compiler.
    Toolchain,
    /// It is for the crate's own tests, documentation or insides, not for its users.
    Purpose,
    /// There is code that is only compiled without it.
    Alternative,
    /// Its additions are there already.
    Implied,
    /// There are so many that they are meant to be chosen from.
    TooMany,
    // Found out by building: features may exclude each other without saying so in the manifest.
    /// The subject does not build with it, alone or with the others.
    DoesNotBuild,
}

impl Features {
    /// All that are switched on by name, each once and in order.
    pub fn all_named(&self) -> Vec<String> {
        // Cargo takes both separators in one argument.
        let named = self.named.iter().flat_map(|text| text.split([',', ' ']));
        let named = named.filter(|name| !name.is_empty()).map(str::to_owned);
        let mut all: Vec<String> = named.chain(self.extra.on.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}

impl Extra {
    /// All off, because the subject does not build with them.
    pub fn with_extra_off(&self, why: &str) -> Extra {
        let mut off = self.off.clone();
        off.extend(self.on.iter().map(|name| (name.clone(), OffReason::DoesNotBuild)));
        Extra { on: Vec::new(), off, refused: Some(why.to_owned()) }
    }

    /// Those that the subject does not build with.
    pub fn not_building(&self) -> Vec<String> {
        let refused = self.off.iter().filter(|(_, why)| **why == OffReason::DoesNotBuild);
        refused.map(|(name, _)| name.clone()).collect()
    }
}

impl OffReason {
    /// For people.
    pub fn as_text(self) -> &'static str {
        match self {
            OffReason::Dependency => "switches on another crate",
            OffReason::Toolchain => "is for another compiler",
            OffReason::Purpose => "is for the crate's own tests, documentation or insides",
            OffReason::Alternative => "leaves out code that is there without it",
            OffReason::Implied => "adds nothing to `std`",
            OffReason::TooMany => "is one of too many",
            OffReason::DoesNotBuild => "does not build",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_that_were_asked_for_and_others_are_listed_once() {
        let extra = Extra { on: vec!["b".into(), "a".into()], ..Extra::default() };
        let features = Features { named: vec!["c,b d".into()], extra, ..Features::default() };
        assert_eq!(features.all_named(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn refused_features_are_off_with_the_reason() {
        let off = BTreeMap::from([("x".to_owned(), OffReason::Dependency)]);
        let extra = Extra { on: vec!["a".into(), "b".into()], off, refused: None };
        let refused = extra.with_extra_off("E0425");
        assert!(refused.on.is_empty());
        assert_eq!(refused.not_building(), ["a", "b"]);
        assert_eq!(refused.off.get("x"), Some(&OffReason::Dependency));
        assert_eq!(refused.refused.as_deref(), Some("E0425"));
    }
}
