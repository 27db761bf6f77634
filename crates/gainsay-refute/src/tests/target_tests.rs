//! Attacks where operations change their ways: branches of their code, operands that fit each other,
//! and states near the border of a claim.

use gainsay_model::contract::{Verdict, Via};

use super::{Lab, refuted, sets};

/// How a postcondition fell, if it did.
fn via(lab: &mut Lab, op: &str, text: &str) -> Option<Via> {
    match lab.post(op, text) {
        Verdict::Refuted { via, .. } => Some(via),
        _ => None,
    }
}

/// Sets {1}, {5}, .. and no call of what is attacked on large numbers.
fn pushed() -> Lab {
    let mut lab = sets();
    lab.seen(&["new", "push 0 1"]);
    lab
}

#[test]
fn a_number_that_only_the_code_speaks_of_is_given() {
    let text = "value != 41";
    assert_eq!(via(&mut pushed(), "push", text), None);
    let mut lab = pushed();
    lab.branches = vec![("push", "value > 40")];
    let verdict = lab.post("push", text);
    refuted(&lab, &verdict, Via::Branch, &["new", "push 0 41"]);
    let mut lab = pushed();
    lab.branches = vec![("compare", "self.len() > 40")];
    assert_eq!(via(&mut lab, "push", text), None, "the code of another operation");
}

#[test]
fn both_sides_of_a_branch_are_attacked() {
    let decided = |condition| {
        let mut lab = pushed();
        lab.branches = vec![("push", condition)];
        lab
    };
    let text = "old(self.len()) != 2 || value < 77";
    assert_eq!(via(&mut pushed(), "push", text), None);
    assert_eq!(via(&mut decided("self.len() == 2 && value > 77"), "push", text), Some(Via::Branch));
    assert_eq!(via(&mut decided("self.len() != 2 || value < 78"), "push", text), Some(Via::Branch));
}

#[test]
fn what_is_required_is_kept_on_branches() {
    let mut lab = pushed();
    lab.branches = vec![("push", "value > 40")];
    lab.requires = vec![("push", "value < 30")];
    assert_eq!(via(&mut lab, "push", "value != 41"), None);
}

#[test]
fn an_element_of_the_object_is_given() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 77", "insert 0 99"]);
    let text = "self.len() == old(self.len()) + 1 || old(self.len()) != 2 || value != 99";
    assert_eq!(via(&mut lab, "insert", text), Some(Via::Corner));
}

/// Lists of all lengths up to this, on which nothing but pushing was called.
fn lists(longest: usize) -> Lab {
    let mut lab = Lab::new(&["len"], &["new", "push", "merge"]);
    let pushes = (0..longest).map(|number| format!("push 0 {number}"));
    let steps: Vec<String> = std::iter::once("new".to_owned()).chain(pushes).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    for length in 1..=steps.len() {
        lab.seen(&steps[..length]);
    }
    lab
}

#[test]
fn objects_meet_whose_lengths_are_one_apart() {
    for text in
        ["old(self.len()) != old(other.len()) + 1", "old(self.len()) + 1 != old(other.len())"]
    {
        assert_eq!(via(&mut lists(60), "merge", text), Some(Via::Corner), "{text}");
    }
}

#[test]
fn the_states_in_which_a_claim_is_nearest_to_being_false_are_tried_before_others() {
    // Only a list of 60 can become longer, and 45 shorter ones are found before it.
    let mut lab = lists(60);
    let verdict = lab.post("push", "self.len() <= 60");
    let Verdict::Refuted { by, via: Via::Nearest } = &verdict else { panic!("{verdict:?}") };
    assert_eq!(by.steps.len(), 62);
    // Merging was never called; of many states the longest are nearest.
    let verdict = lists(60).post("merge", "self.len() < 115");
    assert!(matches!(verdict, Verdict::Refuted { via: Via::Nearest, .. }), "{verdict:?}");
}

#[test]
fn where_nothing_tells_states_apart_none_is_nearer() {
    let mut lab = lists(60);
    let verdict = lab.post("merge", "self.len() >= old(self.len())");
    let Verdict::Upheld { attacks } = &verdict else { panic!("{verdict:?}") };
    assert!(!attacks.ways.contains_key(&Via::Nearest), "{attacks:?}");
}
