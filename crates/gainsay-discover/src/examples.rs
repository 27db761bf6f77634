//! Call sequences that the subject itself shows: the examples of its documentation, its tests and
//! its example programs. Only what is written in a straight line is taken; the rest of an example
//! is passed over.

mod blocks;
mod helpers;
mod statements;

use std::{
    fs,
    path::{Path, PathBuf},
};

use gainsay_model::example::Example;
use rustdoc_types::Crate;

use crate::cache::sources;

/// More are not taken; documentation comes first, since it shows what matters.
const MOST_EXAMPLES: usize = 300;
/// An example that is longer is cut.
const MOST_STATEMENTS: usize = 20;
/// Longer files are tables or generated.
const LONGEST_FILE: usize = 400_000;
/// A parser descends into what it reads, and strangers may have written anything.
const STACK: usize = 64 << 20;

/// The examples of a described crate, in the order of its source.
pub(crate) fn collect(krate: &Crate, root: &Path) -> Vec<Example> {
    let docs = docs(krate);
    let files = files(root);
    // What a parser cannot digest costs the examples, never the run.
    std::thread::scope(|scope| {
        let parse = move || parse(&docs, &files);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parse);
        thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
    })
}

/// The documentation of the subject's own items, by their places.
fn docs(krate: &Crate) -> Vec<String> {
    let own = krate.index.values().filter(|item| item.crate_id == 0);
    let mut found: Vec<_> = own
        .filter_map(|item| {
            let place = item.span.as_ref().map(|span| (span.filename.clone(), span.begin));
            Some((place, item.id.0, item.docs.clone()?))
        })
        .filter(|(_, _, docs)| docs.contains("```"))
        .collect();
    found.sort();
    found.dedup_by(|a, b| a.2 == b.2);
    found.into_iter().map(|(_, _, docs)| docs).collect()
}

/// Tests, programs and sources, in this order.
fn files(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    sources(&root.join("tests"), &mut paths);
    sources(&root.join("examples"), &mut paths);
    let mut own = Vec::new();
    sources(&root.join("src"), &mut own);
    // Reading all of the subject's code would take longer than it is worth.
    let has_tests =
        |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains("#[test]"));
    paths.extend(own.into_iter().filter(has_tests));
    let texts = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
    texts.filter(|text| text.len() <= LONGEST_FILE).collect()
}

fn parse(docs: &[String], files: &[String]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let from_docs = docs.iter().flat_map(|docs| blocks::rust(docs));
    let from_docs = from_docs.flat_map(|code| statements::of_snippet(&code));
    let files: Vec<syn::File> =
        files.iter().filter_map(|text| syn::parse_file(text).ok()).collect();
    let helpers = helpers::Helpers::of(&files);
    let from_files = files.iter().flat_map(statements::of_file);
    let from_files = from_files.map(|list| helpers.inlined(list));
    for statements in from_docs.chain(from_files) {
        let example = Example { statements };
        if !example.statements.is_empty() && !examples.contains(&example) {
            examples.push(example);
        }
        if examples.len() >= MOST_EXAMPLES {
            break;
        }
    }
    examples
}

#[cfg(test)]
mod tests;
