//! The border's operations, done by `SQLite`.

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
    Begun, BuildId, BuildRecord, CampaignId, Counts, EdgeRecord, EvidenceStore, Former,
    FormerObject, Found, NumberView, ObjectAt, ObservationId, Relation, Samples, SequenceView,
    Store, StoreError, StoredObject, TestCall, TransitionUse, Views, Wanted,
};

// A method of the type goes before one of a trait of the same name, so that none of these calls itself. A
// method that is renamed in one place alone would: the compiler warns of the recursion.
impl EvidenceStore for Store {
    fn find_former(&self, begun: &Begun<'_>) -> Result<Former, StoreError> {
        Store::find_former(self, begun)
    }

    fn former_objects(
        &self,
        begun: &Begun<'_>,
        most: usize,
    ) -> Result<(Vec<FormerObject>, usize), StoreError> {
        Store::former_objects(self, begun, most)
    }

    fn go_on(&mut self, begun: &Begun<'_>) -> Result<CampaignId, StoreError> {
        Store::go_on(self, begun)
    }

    fn begin_with(
        &mut self,
        begun: &Begun<'_>,
        kept: &[(StoredObject, StateRecord)],
    ) -> Result<CampaignId, StoreError> {
        Store::begin_with(self, begun, kept)
    }

    fn resume_campaign_of(
        &mut self,
        subject: &Subject,
        program: u64,
    ) -> Result<CampaignId, StoreError> {
        Store::resume_campaign_of(self, subject, program)
    }

    fn manifest(&self) -> Result<&Manifest, StoreError> {
        Store::manifest(self)
    }

    fn list_builds(&self) -> Result<Vec<BuildRecord>, StoreError> {
        Store::list_builds(self)
    }

    fn keep_builds(&mut self, most: usize) -> Result<usize, StoreError> {
        Store::keep_builds(self, most)
    }

    fn dump_build(&self, build: BuildId) -> Result<String, StoreError> {
        Store::dump_build(self, build)
    }

    fn count_evidence(&self) -> Result<Counts, StoreError> {
        Store::count_evidence(self)
    }

    fn record_epochs(&mut self, reports: &[EpochReport]) -> Result<(), StoreError> {
        Store::record_epochs(self, reports)
    }

    fn record_script(&mut self, report: &EpochReport) -> Result<(), StoreError> {
        Store::record_script(self, report)
    }

    fn record_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[KeptCall],
    ) -> Result<(), StoreError> {
        Store::record_calls(self, states, calls)
    }

    fn record_violations(&mut self, calls: &[KeptCall]) -> Result<(), StoreError> {
        Store::record_violations(self, calls)
    }

    fn record_test_calls(
        &mut self,
        states: &[StateRecord],
        calls: &[TestCall],
    ) -> Result<(), StoreError> {
        Store::record_test_calls(self, states, calls)
    }

    fn record_relations(&mut self, relations: &[Relation<'_>]) -> Result<(), StoreError> {
        Store::record_relations(self, relations)
    }

    fn record_contracts(&mut self, contracts: &[Contract]) -> Result<(), StoreError> {
        Store::record_contracts(self, contracts)
    }

    fn record_verdicts(&mut self, verdicts: &[(ContractId, Verdict)]) -> Result<(), StoreError> {
        Store::record_verdicts(self, verdicts)
    }

    fn record_faults(&mut self, faults: &[Fault]) -> Result<(), StoreError> {
        Store::record_faults(self, faults)
    }

    fn record_skips(&mut self, skips: &[Skip]) -> Result<(), StoreError> {
        Store::record_skips(self, skips)
    }

    fn update_samples(&self, samples: &mut Samples) -> Result<(), StoreError> {
        Store::update_samples(self, samples)
    }

    fn recipe_of(&self, id: ObservationId) -> Result<Option<Sequence>, StoreError> {
        Store::recipe_of(self, id)
    }

    fn list_edges(&self) -> Result<Vec<EdgeRecord>, StoreError> {
        Store::list_edges(self)
    }

    fn some_objects(&self, most: usize) -> Result<Vec<StoredObject>, StoreError> {
        Store::some_objects(self, most)
    }

    fn pick_furniture(&self, most: usize, longest: usize) -> Result<Vec<Sequence>, StoreError> {
        Store::pick_furniture(self, most, longest)
    }

    fn passing_recipes(&self, each: usize, longest: usize) -> Result<Vec<Sequence>, StoreError> {
        Store::passing_recipes(self, each, longest)
    }

    fn find_tuples(&self, wanted: &Wanted<'_>) -> Result<Found, StoreError> {
        Store::find_tuples(self, wanted)
    }

    fn find_transitions(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError> {
        Store::find_transitions(self, op, clause, limit)
    }

    fn find_changes(
        &self,
        op: OpId,
        clause: &Expr,
        limit: usize,
    ) -> Result<Vec<TransitionUse>, StoreError> {
        Store::find_changes(self, op, clause, limit)
    }

    fn find_numbers(&self, ty: TypeId, states: usize) -> Result<Vec<NumberView>, StoreError> {
        Store::find_numbers(self, ty, states)
    }

    fn find_sequences(&self, ty: TypeId) -> Result<Vec<SequenceView>, StoreError> {
        Store::find_sequences(self, ty)
    }

    fn read_views(&self, object: &StoredObject) -> Result<Arc<Views>, StoreError> {
        Store::read_views(self, object)
    }

    fn knows_relation(
        &self,
        query: &str,
        a: &ObjectAt<'_>,
        b: &ObjectAt<'_>,
    ) -> Result<bool, StoreError> {
        Store::knows_relation(self, query, a, b)
    }
}
