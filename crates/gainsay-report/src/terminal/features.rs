//! Which features beyond the default ones were on, and which could not be.

use gainsay_model::features::Extra;

use super::{Detail, line};
use crate::paint::{Paint, Tone};

/// A line about features beyond the default ones, if there is anything to say.
pub(super) fn features(features: &Extra, paint: Paint) -> String {
    if let Some(why) = &features.refused {
        let names = list(&features.not_building());
        let about = format!("the default ones alone; it does not build with {names}: {why}");
        return paint.line(Tone::Notable, "Features", &about);
    }
    if features.on.is_empty() {
        return String::new();
    }
    paint.line(Tone::Good, "Features", &format!("the default ones and {}", list(&features.on)))
}

/// Features that were left off, with the reasons; only for those who want to know all.
pub(super) fn left_off(features: &Extra, detail: Detail) -> String {
    let mut text = String::new();
    if detail == Detail::Full {
        for (name, reason) in &features.off {
            line(&mut text, &format!("  {name} {}", reason.as_text()));
        }
    }
    text
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => quoted.join(""),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gainsay_model::features::OffReason;

    use super::*;

    #[test]
    fn what_is_on_and_what_does_not_build_is_told_in_a_line() {
        let told = |extra: &Extra| features(extra, Paint::Plain).trim().to_owned();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(told(&Extra::default()), "");
        let one = Extra { on: names(&["a"]), ..Extra::default() };
        assert_eq!(told(&one), "Features the default ones and `a`");
        let three = Extra { on: names(&["a", "b", "c"]), ..Extra::default() };
        assert_eq!(told(&three), "Features the default ones and `a`, `b` and `c`");
        let refused = "Features the default ones alone; it does not build with `a`: E0425";
        assert_eq!(told(&one.with_extra_off("E0425")), refused);
    }

    #[test]
    fn features_that_are_off_are_told_to_those_who_ask() {
        let off = BTreeMap::from([("a".to_owned(), OffReason::Dependency)]);
        let extra = Extra { off, ..Extra::default() };
        assert_eq!(left_off(&extra, Detail::Brief), "");
        assert_eq!(left_off(&extra, Detail::Full), "  a switches on another crate\n");
    }
}
