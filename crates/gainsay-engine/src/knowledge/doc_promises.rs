//! Panics against the documentation: it says when an operation panics, in words that can be
//! understood from the first to the last, and a call panicked though it was not so. The only file
//! that reads English.

use std::collections::BTreeSet;

use gainsay_explore::{Broken, Effort, classify, judge_broken};
use gainsay_model::{
    fault::{Fault, PanicClass},
    resolve::Words,
};
use gainsay_store::Sample;
use gainsay_wire::{Expr, Manifest, OpId, Oracle, Outcome, PanicPlace, Point, Truth, truth};
use gainsay_workers::{Cancel, Runner as _};

use crate::{error::Result, session::Session};

/// Names of parameters that are places in a sequence: documentation calls them "the index" or "the
/// position", whatever they are called in the signature.
const PLACES: [&str; 9] = ["index", "idx", "i", "at", "mid", "pos", "position", "n", "offset"];

/// A recorded call that panicked although nothing announced it.
struct Unannounced<'a> {
    op: OpId,
    place: &'a PanicPlace,
    call: &'a Sample,
    demand: &'a Expr,
}

/// Finds panics against the documentation among the recorded calls, one for each place of a panic.
pub(crate) fn find_unannounced_panics(
    session: &mut Session,
    cancel: &Cancel,
) -> Result<Vec<Fault>> {
    let manifest = session.fleet.manifest().clone();
    let ground = session.campaign.ground().clone();
    let mut faults = Vec::new();
    let mut known = BTreeSet::new();
    let samples = session.read_samples()?.clone();
    for (op, seen) in samples.iter() {
        let Some(demand) = demand_of_docs(session, &manifest, op) else { continue };
        let vocabulary = manifest.vocabulary(op);
        for call in seen {
            let Outcome::Panicked(place) = &call.observation.outcome else { continue };
            let key = (ground.path(op), place.file.clone(), place.line);
            // No documentation announces that memory may run out.
            let is_limit = classify(&ground, place, None) == PanicClass::ResourceLimit;
            if is_limit
                || truth(&demand, &(&vocabulary, &call.observation)) != Truth::True
                || known.contains(&key)
            {
                continue;
            }
            let panic = Unannounced { op, place, call, demand: &demand };
            let fault = confirm_panic(session, &panic, cancel)?;
            if fault.is_some() {
                known.insert(key);
            }
            faults.extend(fault);
        }
    }
    Ok(faults)
}

fn confirm_panic(
    session: &mut Session,
    panic: &Unannounced<'_>,
    cancel: &Cancel,
) -> Result<Option<Fault>> {
    let Some(recipe) = session.store.recipe_of(panic.call.id)? else { return Ok(None) };
    let oracle = Oracle::Panic(panic.place.clone());
    let broken = Broken { op: panic.op, contract: panic.demand.clone(), oracle, recipe };
    let subject = session.campaign.ground().clone();
    let fleet = &mut session.fleet;
    Ok(judge_broken(fleet, &broken, &subject, Effort::default(), cancel)?)
}

/// Returns the demand that must hold before a call so that nothing announces a panic; `None` where
/// that is not known.
fn demand_of_docs(session: &Session, manifest: &Manifest, op: OpId) -> Option<Expr> {
    let operation = session.operation_of(op)?;
    let docs = operation.documented_panics.as_deref()?;
    let params: Vec<&str> = operation.params.iter().map(|param| param.name.as_str()).collect();
    let words = Words::of_operation(manifest, op).ok()?;
    let demands = read_demands(docs, &params)?;
    let all = demands.iter().map(|text| words.resolve(text, Point::Entry).ok());
    all.collect::<Option<_>>().map(Expr::And)
}

/// Reads the demands of a text about panics, as contracts: as long as they are kept, it announces
/// nothing. `None` when there is a word in it that is not understood.
// One sentence that is not understood may announce the very panic, so it spoils the rest.
fn read_demands(docs: &str, params: &[&str]) -> Option<Vec<String>> {
    // Lists and links are layout: a sentence may go on over several lines of either.
    let text = docs.replace(['*', '\n'], " ").replace("[`", "`").replace("`]", "`");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let sentences = text.split(". ").map(|part| part.trim().trim_end_matches('.').trim());
    let sentences: Vec<&str> = sentences.filter(|part| !part.is_empty()).collect();
    let demands: Option<Vec<Vec<String>>> =
        sentences.iter().map(|sentence| read_sentence(sentence, params)).collect();
    demands.map(|demands| demands.concat()).filter(|demands| !demands.is_empty())
}

/// Reads "Panics if A or if B" and "If A".
fn read_sentence(sentence: &str, params: &[&str]) -> Option<Vec<String>> {
    const BEGINNINGS: [&str; 9] = [
        "panics",
        "panic",
        "this method panics",
        "this function panics",
        "will panic",
        "this panics",
        "this method will panic",
        "this function will panic",
        "it panics",
    ];
    // In a section `# Panics` the verb is often left out.
    let mut rest = sentence.trim_start_matches(['-', ' ']);
    for beginning in BEGINNINGS.iter().filter(|beginning| sentence.starts_with(**beginning)) {
        rest = rest.strip_prefix(beginning).map_or(rest, str::trim_start);
    }
    let rest = rest.trim_start_matches(':').trim_start();
    let conditions = ["if ", "when "].iter().find_map(|word| rest.strip_prefix(word))?;
    conditions.split(" or if ").map(|condition| read_condition(condition, params)).collect()
}

/// Returns the opposite of a condition.
fn read_condition(condition: &str, params: &[&str]) -> Option<String> {
    let bare = condition.replace('`', "").replace("the provided ", "").replace("the given ", "");
    let bare = bare.trim().trim_start_matches("the ").trim_end_matches(['.', ',']);
    let place = params.iter().find(|param| PLACES.contains(param));
    if ["is empty", "self is empty", "vector is empty", "list is empty"].contains(&bare) {
        return Some("self.len() > 0".to_owned());
    }
    if is_shortage(bare) {
        // With several arguments nobody knows which of them is the amount.
        let [_, wanted] = params else { return None };
        return Some(format!("{wanted} <= self.remaining()"));
    }
    let (subject, said) = bare.split_once(' ')?;
    let subject = match params.iter().find(|param| **param == subject) {
        Some(param) => *param,
        // Documentation says "the index" of a parameter that is called `at`.
        None if subject == "index" || subject == "position" => place?,
        None => return None,
    };
    let said = said.trim_start_matches("is ");
    if ["zero", "0", "== 0"].contains(&said) {
        return Some(format!("{subject} != 0"));
    }
    let bound = |end: &str| match end.parse::<u32>() {
        Ok(number) => Some(number.to_string()),
        Err(_) => is_length(end).then(|| "self.len()".to_owned()),
    };
    if ["out of bounds", "out of range", "out-of-bounds"].contains(&said) {
        // Where the end itself may be meant, the demand is stronger than it has to be.
        return Some(format!("{subject} < self.len()"));
    }
    let (beginnings, sign): (&[&str], &str) =
        if said.starts_with(">=") || said.contains("or equal to") {
            (&[">=", "greater than or equal to", "larger than or equal to"], "<")
        } else {
            (&[">", "greater than", "larger than", "beyond"], "<=")
        };
    let end = beginnings.iter().find_map(|word| said.strip_prefix(word))?;
    Some(format!("{subject} {sign} {}", bound(end.trim())?))
}

/// Tells if words mean that a source holds less than is asked for.
fn is_shortage(words: &str) -> bool {
    let words = words.trim_start_matches("there is ").trim_end_matches(" in self");
    ["not enough data", "not enough remaining data", "not enough bytes"].contains(&words)
}

/// Tells if words mean the length of the receiver.
fn is_length(words: &str) -> bool {
    let words = words.trim_start_matches("the ");
    let last = words.rsplit(' ').next().unwrap_or(words);
    let whose = words.strip_suffix(last).unwrap_or("").trim();
    let owner = whose.is_empty()
        || whose.ends_with("'s") && !whose.contains(' ')
        || ["current", "collection's current"].contains(&whose);
    (owner && ["len", "len()", "self.len()", "length", "self.len"].contains(&last))
        || words.strip_prefix("length of the ").is_some_and(|of| !of.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(docs: &str, expected: Option<&[&str]>) {
        let found = read_demands(docs, &["self", "index", "element"]);
        let expected = expected.map(|all| all.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(found, expected, "{docs}");
    }

    #[test]
    fn conditions_in_code_and_in_words_are_understood() {
        check("Panics if `index > len`.", Some(&["index <= self.len()"]));
        check("* If the index is out of bounds.", Some(&["index < self.len()"]));
        check("Panics if `index` is out of bounds.", Some(&["index < self.len()"]));
        check("Panics if `index >= self.len()`.", Some(&["index < self.len()"]));
        check(
            "Panics if `index` is greater than the vector's length.",
            Some(&["index <= self.len()"]),
        );
        check(
            "This method panics if `index` is greater than or equal to the length of the list.",
            Some(&["index < self.len()"]),
        );
    }

    #[test]
    fn numbers_and_what_a_source_holds_are_ends() {
        check("Panics if `index` is greater than 8.", Some(&["index <= 8"]));
        check("Panics if `index` is zero.", Some(&["index != 0"]));
        let docs = "This function panics if there is not enough remaining data in `self`, or\n\
                    if `nbytes` is greater than 8.";
        let demands = ["nbytes <= self.remaining()", "nbytes <= 8"].map(str::to_owned).to_vec();
        assert_eq!(read_demands(docs, &["self", "nbytes"]), Some(demands));
        assert_eq!(read_demands(docs, &["self"]), None, "how much is asked for is not said");
    }

    #[test]
    fn all_reasons_count_and_one_that_is_not_understood_spoils_the_rest() {
        check(
            "Panics if `index > len` or if `index` is out of bounds.",
            Some(&["index <= self.len()", "index < self.len()"]),
        );
        for docs in [
            "Panics if `index > len` or the vector is full.",
            "Panics if `index > len`. Also panics if the capacity overflows.",
            "Panics if `index` is greater than the other length.",
            "May panic.",
            "Panics if `element` is out of favour.",
            "",
        ] {
            check(docs, None);
        }
    }
}
