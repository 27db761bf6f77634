//! Features that nobody asked for must not cost anybody a run: what does not build with them is
//! tested without them.

use gainsay_discover::{remember_refusal, without_extra_features};
use gainsay_model::{api::Subject, event::Event};

use crate::{clock::Clock, error::Result, pipeline::Target};

/// More are not named before a run.
const MOST_NAMED: usize = 4;

/// Does something with a subject; when it does not build with its extra features, again without
/// them.
pub(crate) fn with_or_without<T>(
    target: &Target,
    clock: &mut Clock<'_>,
    work: impl Fn(&Target, &mut Clock<'_>) -> Result<T>,
) -> Result<T> {
    let error = match work(target, clock) {
        Ok(done) => return Ok(done),
        Err(error) => error,
    };
    if target.subject.features.extra.on.is_empty() || !error.is_build_failure() {
        return Err(error);
    }
    let subject = without_extra_features(&target.subject, headline(&error.to_string()))?;
    let bare = Target { subject, ..target.clone() };
    let what = "it does not build with features that are off by default; without them again";
    clock.tell(Event::Degraded(what.to_owned()));
    let done = work(&bare, clock)?;
    // What does not build either way says nothing about the features.
    remember_refusal(&bare.subject)?;
    Ok(done)
}

/// The extra features of a subject, as they follow its name.
pub(crate) fn named(subject: &Subject) -> String {
    match &subject.features.extra.on[..] {
        [] => String::new(),
        few if few.len() <= MOST_NAMED => format!(" with {}", few.join(", ")),
        many => format!(" with {} features that are off by default", many.len()),
    }
}

/// The first line of rustc's that says what is wrong.
fn headline(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    let said = lines.clone().find(|line| line.starts_with("error"));
    said.or_else(|| lines.next()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_is_what_rustc_says_first() {
        let text =
            "package `a` does not compile as rustdoc reads it\n\nerror[E0425]: cannot find\n --> x";
        assert_eq!(headline(text), "error[E0425]: cannot find");
        assert_eq!(headline("nothing of the kind"), "nothing of the kind");
    }
}
