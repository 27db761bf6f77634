//! Which features that are off by default are switched on unasked: those that only add to the
//! crate, need no other crate, and are meant for everybody. Modules behind them would be seen by
//! nobody otherwise.

mod names;
mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use cargo_metadata::Package;
use gainsay_model::features::{Extra, OffReason};

use source::Written;

/// Of more features than this, users are to choose some.
const MOST: usize = 32;

/// Switched on whatever the source says: what is there without them stands in for std.
const BY_CONVENTION: [&str; 2] = ["std", "alloc"];

/// The extra features of a package.
pub(crate) fn extra(package: &Package) -> Extra {
    let optional = package.dependencies.iter().filter(|dependency| dependency.optional);
    let declared = Declared {
        features: package.features.clone(),
        optional: optional.map(|it| it.rename.clone().unwrap_or_else(|| it.name.clone())).collect(),
    };
    let root = package.manifest_path.parent().map_or(Path::new(""), |dir| dir.as_std_path());
    declared.extra(|| source::written(root))
}

/// What a manifest says.
#[derive(Debug, Default)]
struct Declared {
    /// What each feature switches on, in cargo's words.
    features: BTreeMap<String, Vec<String>>,
    /// Names of optional dependencies.
    optional: BTreeSet<String>,
}

/// All that a feature switches on.
#[derive(Debug, Default)]
struct Switched<'a> {
    features: BTreeSet<&'a str>,
    dependencies: BTreeSet<&'a str>,
    /// Features of dependencies.
    foreign: BTreeSet<&'a str>,
}

impl Declared {
    /// The source is only read if there is anything to decide.
    fn extra(&self, read: impl FnOnce() -> Written) -> Extra {
        let default = self.switched("default");
        let all = self.features.keys().filter(|name| !default.features.contains(&***name));
        let mut candidates = Vec::new();
        let mut extra = Extra::default();
        for name in all {
            let switched = self.switched(name).beyond(&default);
            let is_implied = name == "alloc" && default.features.contains("std");
            let implied = is_implied.then_some(OffReason::Implied);
            match implied.or(switched.named_reason()).or(switched.dependency_reason()) {
                Some(reason) => {
                    extra.off.insert(name.clone(), reason);
                }
                None => candidates.push((name, switched)),
            }
        }
        if candidates.len() > MOST {
            let off = candidates.into_iter().map(|(name, _)| (name.clone(), OffReason::TooMany));
            extra.off.extend(off);
            return extra;
        }
        let written = if candidates.is_empty() { Written::default() } else { read() };
        for (name, switched) in candidates {
            match switched.written_reason(&written) {
                Some(reason) => {
                    extra.off.insert(name.clone(), reason);
                }
                None => extra.on.push(name.clone()),
            }
        }
        extra
    }

    fn switched<'a>(&'a self, name: &'a str) -> Switched<'a> {
        let mut found = Switched::default();
        let mut queue = vec![name];
        while let Some(name) = queue.pop() {
            if !found.features.insert(name) {
                continue;
            }
            for value in self.features.get(name).into_iter().flatten() {
                if let Some(dependency) = value.strip_prefix("dep:") {
                    found.dependencies.insert(dependency);
                } else if let Some((_, feature)) = value.split_once("?/") {
                    found.foreign.insert(feature);
                } else if let Some((dependency, feature)) = value.split_once('/') {
                    found.foreign.insert(feature);
                    if self.optional.contains(dependency) {
                        found.dependencies.insert(dependency);
                    }
                } else {
                    queue.push(value);
                }
            }
        }
        found
    }
}

impl<'a> Switched<'a> {
    /// Without what is on anyway.
    fn beyond(self, default: &Switched<'a>) -> Switched<'a> {
        Switched {
            features: &self.features - &default.features,
            dependencies: &self.dependencies - &default.dependencies,
            foreign: &self.foreign - &default.foreign,
        }
    }

    fn named_reason(&self) -> Option<OffReason> {
        self.features.iter().chain(&self.foreign).find_map(|name| names::reason(name))
    }

    fn dependency_reason(&self) -> Option<OffReason> {
        (!self.dependencies.is_empty()).then_some(OffReason::Dependency)
    }

    fn written_reason(&self, written: &Written) -> Option<OffReason> {
        if self.features.iter().any(|name| written.unstable.contains(*name)) {
            return Some(OffReason::Toolchain);
        }
        let mut others = self.features.iter().filter(|name| !BY_CONVENTION.contains(name));
        others.any(|name| written.is_alternative(name)).then_some(OffReason::Alternative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features as `name: values, ..` by line; `dep:` makes dependencies optional.
    fn declared(manifest: &str) -> Declared {
        let mut declared = Declared::default();
        for line in manifest.split(';') {
            let (name, values) = line.split_once('=').unwrap();
            let values: Vec<String> = values.split_whitespace().map(str::to_owned).collect();
            let optional = values.iter().filter_map(|value| value.strip_prefix("dep:"));
            declared.optional.extend(optional.map(str::to_owned));
            declared.features.insert(name.trim().to_owned(), values);
        }
        declared
    }

    fn check(manifest: &str, on: &[&str], off: &[(&str, OffReason)]) {
        let written = || Written::of(&["uses-gates"], &["other-code", "std"]);
        let extra = declared(manifest).extra(written);
        let off = off.iter().map(|(name, reason)| ((*name).to_owned(), *reason)).collect();
        let on = on.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(extra, Extra { on, off, refused: None }, "{manifest}");
    }

    #[test]
    fn features_that_only_add_are_on_and_default_ones_are_not_extra() {
        check("default = a; a =; b = a; c = b d; d =", &["b", "c", "d"], &[]);
        check("b =", &["b"], &[]);
        check("default =; std =; alloc =", &["alloc", "std"], &[]);
        check("default = std; std =; alloc =", &[], &[("alloc", OffReason::Implied)]);
        check("default = a; a = b; b = a", &[], &[]);
    }

    #[test]
    fn what_switches_on_another_crate_is_off_unless_that_is_on_anyway() {
        use OffReason::Dependency;
        check("x = dep:x; a = x", &[], &[("a", Dependency), ("x", Dependency)]);
        check("x = dep:x; a = x/f", &[], &[("a", Dependency), ("x", Dependency)]);
        check("x = dep:x; a = x?/f", &["a"], &[("x", Dependency)]);
        check("default = x; x = dep:x; a = x/f; b = dep:x", &["a", "b"], &[]);
        check("a = needed/f", &["a"], &[]);
    }

    #[test]
    fn names_of_all_that_is_switched_on_count() {
        use OffReason::{Purpose, Toolchain};
        check("nightly =; a = nightly", &[], &[("a", Toolchain), ("nightly", Toolchain)]);
        check("a = needed/nightly; b =", &["b"], &[("a", Toolchain)]);
        check("default = testing; testing =; a = testing; __b =", &["a"], &[("__b", Purpose)]);
    }

    #[test]
    fn what_the_source_says_counts() {
        use OffReason::{Alternative, Toolchain};
        check("uses-gates =; a = uses-gates", &[], &[("a", Toolchain), ("uses-gates", Toolchain)]);
        check("other-code =; b =; std =", &["b", "std"], &[("other-code", Alternative)]);
    }

    #[test]
    fn of_very_many_features_none_is_on() {
        let many: Vec<String> = (0..=MOST).map(|i| format!("f{i} =")).collect();
        let extra = declared(&many.join(";")).extra(Written::default);
        assert!(extra.on.is_empty());
        assert_eq!(extra.off.len(), MOST + 1);
    }
}
