//! The border between evidence and the database that holds it. Whoever tests, learns or searches works
//! with this; no type of it knows a database. The tests of the contract below hold for every engine.

use std::sync::Arc;

use gainsay_model::{
    api::Subject,
    contract::{Contract, Verdict},
    fault::Fault,
    skip::Skip,
};
use gainsay_wire::{
    ContractId, EpochReport, Expr, KeptCall, Manifest, OpId, Sequence, StateRecord, TypeId,
};

use crate::{
    Begun, BuildId, BuildRecord, CampaignId, Counts, EdgeRecord, Former, FormerObject, Found,
    NumberView, ObjectAt, ObservationId, Relation, Samples, SequenceView, StoreError, StoredObject,
    TestCall, TransitionUse, Views, Wanted,
};

/// A store of evidence: of each build of a subject its observations, states, objects, relations,
/// transitions and edges, and of each campaign its conclusions.
///
/// All that is asked is about the build of the campaign under way. What is recorded by one call is there
/// as a whole or not at all, and never changes the evidence of another build.
// `Send`, since a thread of its own records while exploration goes on.
pub trait EvidenceStore: Send {
    /// Tells what a campaign can begin with.
    fn find_former(&self, begun: &Begun<'_>) -> Result<Former, StoreError>;
    /// Objects of the last build of the crate that can be tried with this harness, those with short
    /// recipes first, and how many states there are whose objects cannot be tried.
    fn former_objects(
        &self,
        begun: &Begun<'_>,
        most: usize,
    ) -> Result<(Vec<FormerObject>, usize), StoreError>;
    /// Begins a campaign on top of those that the same build made. Their conclusions go.
    fn go_on(&mut self, begun: &Begun<'_>) -> Result<CampaignId, StoreError>;
    /// Begins the first campaign of a build with these objects, in states as they are seen now.
    fn begin_with(
        &mut self,
        begun: &Begun<'_>,
        kept: &[(StoredObject, StateRecord)],
    ) -> Result<CampaignId, StoreError>;
    /// Takes up the last campaign of a program on a subject again, to look at it; if the program never
    /// ran, the last one on the subject.
    fn resume_campaign_of(
        &mut self,
        subject: &Subject,
        program: u64,
    ) -> Result<CampaignId, StoreError>;
    /// The manifest of the campaign's harness, with the queries that took part.
    fn manifest(&self) -> Result<&Manifest, StoreError>;
    /// The builds that the store has evidence of, those that ran last at the end.
    fn list_builds(&self) -> Result<Vec<BuildRecord>, StoreError>;
    /// Drops the evidence of all builds but the last so many that ran. Returns how many went.
    fn keep_builds(&mut self, most: usize) -> Result<usize, StoreError>;
    /// The evidence of one build, as stable text. It does not depend on what else is in the store.
    fn dump_build(&self, build: BuildId) -> Result<String, StoreError>;
    /// The amount of evidence.
    fn count_evidence(&self) -> Result<Counts, StoreError>;

    /// Records what adds something of all that some epochs sent, and counts what they observed.
    fn record_epochs(&mut self, reports: &[EpochReport]) -> Result<(), StoreError>;
    /// Records what sequences showed that the user gave.
    fn record_script(&mut self, report: &EpochReport) -> Result<(), StoreError>;
    /// Records calls that were looked for, and states that they speak of.
    fn record_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[KeptCall],
    ) -> Result<(), StoreError>;
    /// Records calls that broke a contract in an epoch, which has counted them.
    fn record_violations(&mut self, calls: &[KeptCall]) -> Result<(), StoreError>;
    /// Records calls that the user's tests made. They have no recipes.
    fn record_test_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[TestCall],
    ) -> Result<(), StoreError>;
    /// Records relations between objects.
    fn record_relations(&mut self, relations: &[Relation<'_>]) -> Result<(), StoreError>;
    /// Records contracts, or what has changed of them.
    fn record_contracts(&mut self, contracts: &[Contract]) -> Result<(), StoreError>;
    /// Records verdicts, in place of earlier ones on the same contracts.
    fn record_verdicts(&mut self, verdicts: &[(ContractId, Verdict)]) -> Result<(), StoreError>;
    /// Records faults, in place of earlier records of the same ones.
    fn record_faults(&mut self, faults: &[Fault]) -> Result<(), StoreError>;
    /// Records what is not covered.
    fn record_skips(&mut self, skips: &[Skip]) -> Result<(), StoreError>;

    /// Adds what was recorded since to samples that were read from the same campaign before.
    fn update_samples(&self, samples: &mut Samples) -> Result<(), StoreError>;
    /// The recipe of an observation, if it has one; the call is its last step.
    fn recipe_of(&self, id: ObservationId) -> Result<Option<Sequence>, StoreError>;
    /// The edges, with what was observed of them.
    fn list_edges(&self) -> Result<Vec<EdgeRecord>, StoreError>;
    /// Some objects of all types.
    fn some_objects(&self, most: usize) -> Result<Vec<StoredObject>, StoreError>;
    /// Recipes that make one object in each of so many states, other ones than the simplest.
    fn pick_furniture(&self, most: usize, longest: usize) -> Result<Vec<Sequence>, StoreError>;
    /// Recipes of passing calls, none longer than `longest`, at most `each` of every operation and sort.
    fn passing_recipes(&self, each: usize, longest: usize) -> Result<Vec<Sequence>, StoreError>;

    /// Tuples of operands that satisfy a predicate as far as the store can tell.
    fn find_tuples(&self, wanted: &Wanted<'_>) -> Result<Found, StoreError>;
    /// Transitions seen to flip `clause` from false to true.
    fn find_transitions(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError>;
    /// Transitions seen to change what `clause` asks, whether or not they made it true.
    fn find_changes(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError>;
    /// The numbers that queries of a type gave, least and large.
    fn find_numbers(&self, ty: TypeId, states: usize) -> Result<Vec<NumberView>, StoreError>;
    /// The queries of a type that gave sequences.
    fn find_sequences(&self, ty: TypeId) -> Result<Vec<SequenceView>, StoreError>;
    /// The answers of all queries about an object.
    fn read_views(&self, object: &StoredObject) -> Result<Arc<Views>, StoreError>;
    /// Tells if `a.query(b)` is recorded for exactly these two objects.
    fn knows_relation(
        &self,
        query: &str,
        a: &ObjectAt<'_>,
        b: &ObjectAt<'_>,
    ) -> Result<bool, StoreError>;
}

#[cfg(test)]
mod tests;
