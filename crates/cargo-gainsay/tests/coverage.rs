//! What of a subject's code was run, counted in regions: all of its own functions and no others.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::fs;

use serde_json::Value;
use support::{Place, gainsay};

/// All of it is generic, hence compiled with the harness. Shelves never get so full that the
/// second half is reached.
const SHELVES: &str = "/// Holds things.
#[derive(Debug)]
pub struct Shelf<T> { things: Vec<T>, moved: usize }
impl<T: Clone> Shelf<T> {
    /// Nothing on it.
    pub fn new() -> Shelf<T> { Shelf { things: Vec::new(), moved: 0 } }
    /// How many.
    pub fn len(&self) -> usize { self.things.len() }
    /// One more; returns how many were moved.
    #[inline(never)]
    pub fn put(&mut self, thing: T) -> usize {
        if self.things.len() % 3 == 1 { self.moved += 2 }
        self.things.push(thing);
        if self.things.len() < 1 << 40 { return self.moved }
        self.rearrange()
    }
    #[inline(never)]
    fn rearrange(&mut self) -> usize {
        for at in 0..self.things.len() / 2 {
            if at % 7 == 2 { self.things.swap(at, 0) } else { self.moved += at }
            if at % 5 == 3 { self.things.truncate(at) }
        }
        match self.moved % 4 { 0 => self.things.clear(), 1 => self.moved = 0, _ => self.moved /= 2 }
        self.moved
    }
}
";

#[test]
fn generic_code_that_cannot_be_reached_counts_as_not_covered() {
    let place = Place::new();
    let root = place.library("shelves", SHELVES);
    let args = ["run", "--calls", "3000", "--seed", "7", "--target-dir", "../target"];
    let outcome = gainsay(&root, &args);
    assert!([0, 2].contains(&outcome.code), "{}", outcome.text());
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let number = |field: &str| summary[field].as_u64().unwrap();
    let (covered, coverable) = (number("covered"), number("coverable"));
    // `put` alone has as many regions as these; `rearrange` has more. Generated code has hundreds.
    assert!(covered >= 4 && coverable >= covered + 8, "{covered} of {coverable}");
    assert!(coverable < 100, "{coverable}");
    let words = format!("Covered {covered} of {coverable} regions of the crate");
    assert!(outcome.text().contains(&words), "{}", outcome.text());
}
