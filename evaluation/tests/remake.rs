//! A recipe is worth something only if an object that is made by it again, in a fresh process, looks
//! as the stored one did.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use support::{Place, drive, text};

#[test]
fn every_stored_object_can_be_made_again_in_a_fresh_process_with_the_same_view() {
    let place = Place::new("remake");
    for fixture in ["odd_views", "sibling_trees", "borrowing_fixed"] {
        let root = place.copy_of(fixture);
        let output = drive(&root, &["remake", "100", "--calls", "6000", "--seed", "3"]);
        assert!(output.status.success(), "{fixture}: {}", text(&output));
        let remade = place.result("remade.json");
        assert_eq!(remade["different"], 0, "{fixture}: {remade}");
        assert!(remade["same"].as_u64().unwrap() >= 20, "{fixture}: {remade}");
    }
}
