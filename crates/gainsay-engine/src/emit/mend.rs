//! What is done about a test that does not compile or does not pass: the assertion that is in the
//! way is written otherwise or left out, else the whole test is written otherwise.

use std::collections::BTreeSet;

use gainsay_model::regression::{About, StepClaim};
use gainsay_report::{Items, RegressionFile, RegressionTest};
use gainsay_wire::Value;

use super::regression_check::Trouble;

/// Assertions of a test that may turn out not to hold before its calls are doubted: with more, the
/// calls went otherwise than in the run.
const FORGIVEN: usize = 2;

/// Returns the test with less in its way; `None` when nothing is left to try.
pub(super) fn mended(
    test: &RegressionTest,
    file: &RegressionFile,
    trouble: &Trouble,
) -> Option<RegressionTest> {
    match trouble {
        Trouble::Rejected { rendered, .. } => {
            let lines = error_lines(rendered);
            let claims = claims_at(file, &lines);
            if claims.is_empty() {
                return Some(RegressionTest { form: test.form.next()?, ..test.clone() });
            }
            let mut better = test.clone();
            for claim in claims {
                let next = better.items[claim].and_then(Items::next);
                let has_items = compares_items(&better.regression.claims[claim]);
                better.items[claim] = next.filter(|_| has_items);
            }
            Some(better)
        }
        Trouble::Failed(tried) => {
            let claims = claims_at(file, &panic_lines(&tried.said));
            if claims.is_empty() {
                return None;
            }
            let mut better = test.clone();
            for claim in claims {
                better.items[claim] = None;
                better.failed.push(claim);
            }
            // One thing may be another with other elements; when more is, the calls went otherwise.
            match better.failed.iter().min() {
                Some(first) if better.failed.len() > FORGIVEN => better.until(*first),
                _ => Some(better),
            }
        }
    }
}

/// Finds the tests of a file that do not compile with the others, by their numbers in it.
pub(super) fn quarrelling(file: &RegressionFile, trouble: &Trouble) -> BTreeSet<usize> {
    match trouble {
        Trouble::Rejected { rendered, .. } => {
            error_lines(rendered).into_iter().filter_map(|line| file.test_at(line)).collect()
        }
        Trouble::Failed(_) => BTreeSet::new(),
    }
}

fn claims_at(file: &RegressionFile, lines: &[usize]) -> Vec<usize> {
    lines.iter().filter_map(|line| file.claim_at(*line)).map(|(_, claim)| claim).collect()
}

/// Tells if items are compared, of which there are several forms.
fn compares_items(claim: &StepClaim) -> bool {
    matches!(claim.about, About::Elements(_)) || matches!(claim.value, Value::Seq(_))
}

/// Finds the lines of rustc's errors: the first place after each headline.
// Later places of an error are notes: what is declared elsewhere is not in the way.
fn error_lines(rendered: &str) -> Vec<usize> {
    let (mut lines, mut is_open) = (Vec::new(), false);
    for line in rendered.lines() {
        if line.starts_with("error") {
            is_open = true;
        } else if is_open && let Some(place) = line.trim_start().strip_prefix("--> ") {
            is_open = false;
            lines.extend(line_of(place));
        }
    }
    lines
}

/// Finds the line in which a test panicked.
// In the test itself only: a panic of the crate is no assertion that could be left out.
fn panic_lines(said: &str) -> Vec<usize> {
    let places = said.lines().filter_map(|line| line.split_once("panicked at tests/"));
    places.filter_map(|(_, place)| line_of(place.trim_end_matches(':'))).take(1).collect()
}

/// Reads the line in `file:line:column`.
fn line_of(place: &str) -> Option<usize> {
    place.rsplit(':').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_of_each_error_counts() {
        let rendered = "error[E0277]: no\n  --> tests/a.rs:12:5\n   |\n  ::: b\n  --> tests/a.rs:1:1\n\
                        error: other\n   --> tests/a.rs:30:9\n";
        assert_eq!(error_lines(rendered), [12, 30]);
    }

    #[test]
    fn a_panic_of_the_test_itself_is_found() {
        let said = "thread 'x' panicked at tests/gainsay_x.rs:17:5:\nassertion failed\n";
        assert_eq!(panic_lines(said), [17]);
        assert!(panic_lines("thread 'x' panicked at src/lib.rs:17:5:\n").is_empty());
    }
}
