//! The sources of a search, and its limits.

use gainsay_model::event::Event;
use gainsay_store::EvidenceStore;
use gainsay_wire::Manifest;
use gainsay_workers::Cancel;

/// The sources of a search. Workers are not among them: they may be busy while it goes on.
pub struct SearchContext<'a> {
    /// Source of objects and transitions.
    pub store: &'a mut dyn EvidenceStore,
    /// The manifest of the campaign.
    pub manifest: &'a Manifest,
    /// Limits of each search.
    pub limits: SearchLimits,
    /// Ends the search early.
    pub cancel: &'a Cancel,
    /// Listener to degradations.
    pub on_event: &'a mut dyn FnMut(Event),
}

/// Limits of the search for one goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Tuples of stored objects that are looked up.
    pub tuples: usize,
    /// Tuples that are looked up to choose those nearest to a border among them.
    pub wide_tuples: usize,
    /// Transitions for each clause that is given up.
    pub transitions: usize,
    /// Transitions that follow each other.
    pub chain: usize,
    /// Of the objects on their way to a goal, those that take the next transition.
    pub beam: usize,
    /// Tuples of objects that never met whose relations are evaluated.
    pub new_tuples: usize,
    /// Calls around which relations are evaluated by [`crate::evaluate_relations`].
    pub related_calls: usize,
    /// Instructions of the database engine that one search may take.
    pub patience: u64,
}

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits {
            // The first paper's number of objects per query.
            tuples: 45,
            // Four times as many: looking up is cheap beside the calls, of which there are no more.
            wide_tuples: 180,
            // Each is tried on each of the tuples, so eight times 45 calls are planned at most, of
            // which `tuples` are made.
            transitions: 8,
            // Each further one multiplies the calls. Most containers change their ways within a
            // few elements.
            chain: 3,
            // Times `transitions` it is about `tuples`: one step of a chain costs what a search does.
            beam: 6,
            // Evaluating a relation is one run; a few more than the tuples that are wanted, since
            // the relation holds on some of them only.
            new_tuples: 64,
            // Bounds the time at the beginning of a run, before any contract is attacked.
            related_calls: 400,
            // The first paper gave a query a minute. This is about a second, as a count, so that a
            // search comes to the same on any machine.
            patience: 20_000_000,
        }
    }
}
