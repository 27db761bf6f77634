//! Features that nobody asked for must not cost anybody a run: a crate that does not build with
//! them is tested without them.

use gainsay_discover::{remember_refusal, without_extra_features};
use gainsay_model::event::Degradation;

use super::prepared::Target;
use crate::{ctx::Ctx, error::Result};

/// Does something with a subject; when it does not build with its extra features, again without
/// them.
pub(crate) fn with_or_without_features<T>(
    target: &Target,
    ctx: &mut Ctx<'_>,
    work: impl Fn(&Target, &mut Ctx<'_>) -> Result<T>,
) -> Result<T> {
    let error = match work(target, ctx) {
        Ok(done) => return Ok(done),
        Err(error) => error,
    };
    if target.subject.features.extra.on.is_empty() || !error.is_build_failure() {
        return Err(error);
    }
    let subject = without_extra_features(&target.subject, find_headline(&error.to_string()))?;
    let bare = Target { subject, ..target.clone() };
    ctx.warn_of(Degradation::ExtraFeaturesDropped);
    let done = work(&bare, ctx)?;
    // A crate that does not build either way says nothing about the features.
    remember_refusal(&bare.subject)?;
    Ok(done)
}

/// Finds the first line of rustc's that says what is wrong.
fn find_headline(text: &str) -> &str {
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
        assert_eq!(find_headline(text), "error[E0425]: cannot find");
        assert_eq!(find_headline("nothing of the kind"), "nothing of the kind");
    }
}
