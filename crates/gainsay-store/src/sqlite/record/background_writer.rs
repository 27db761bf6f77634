//! Recording while exploration goes on: in a thread of its own, many epochs to a transaction.

use std::{sync::mpsc, thread};

use gainsay_wire::EpochReport;

use crate::{Store, StoreError};

/// Epochs that may wait to be recorded; exploration that is faster waits. More would even out longer
/// bursts, but all that waits is lost with a killed process.
const WAITING: usize = 32;
/// Epochs that are recorded in one transaction, at most: a killed run lacks no more than these.
const AT_ONCE: usize = 16;
/// Epochs after which counts of edges are written. Each time nearly all rows of `edge` change; less often
/// costs less and lets a killed run lack more of its counts.
const EDGES_WRITTEN_EVERY: usize = 256;

impl Store {
    /// Records what `explore` hands over, in order, while it goes on. After a failure nothing more is
    /// recorded, and it is told at the end.
    pub fn record_while<T>(
        &mut self,
        explore: impl FnOnce(&mut dyn FnMut(EpochReport)) -> T,
    ) -> Result<T, StoreError> {
        self.check_writable()?;
        thread::scope(|scope| {
            // Bounded: reports of a fast crate would fill the memory otherwise.
            let (sender, receiver) = mpsc::sync_channel(WAITING);
            let thread = scope.spawn(move || self.record_all(&receiver));
            // What cannot be sent failed to be recorded, which the thread tells.
            let result = explore(&mut |report| drop(sender.send(report)));
            drop(sender);
            let recorded = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            recorded.map(|()| result)
        })
    }

    fn record_all(&mut self, reports: &mpsc::Receiver<EpochReport>) -> Result<(), StoreError> {
        // Most edges are counted in every epoch: writing them each time would cost more than all that is
        // new. A killed run lacks their last counts, never an observation that it told of.
        self.memory.defers_edges = true;
        let recorded = self.record_batches(reports);
        self.memory.defers_edges = false;
        recorded?;
        if self.memory.pending_edges.is_empty() { Ok(()) } else { self.recording(|_| Ok(())) }
    }

    fn record_batches(&mut self, reports: &mpsc::Receiver<EpochReport>) -> Result<(), StoreError> {
        let mut epochs = 0;
        while let Ok(first) = reports.recv() {
            let mut batch = vec![first];
            // What has come meanwhile goes along: a commit costs as much as dozens of calls.
            batch.extend(reports.try_iter().take(AT_ONCE - 1));
            epochs += batch.len();
            if epochs >= EDGES_WRITTEN_EVERY {
                epochs = 0;
                self.memory.defers_edges = false;
            }
            self.record_epochs(&batch)?;
            self.memory.defers_edges = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::EdgeCount;

    use super::*;
    use crate::testkit;

    fn calls(store: &Store) -> Vec<(i64, Vec<u8>)> {
        let find = "SELECT id, observation FROM call ORDER BY id";
        let mut statement = store.connection.prepare(find).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn what_is_handed_over_is_recorded_in_order_as_if_one_had_waited() {
        let with_edges = |item| {
            let report = testkit::epoch(item);
            let edges = EdgeCount::of_all(report.kept.iter().map(|call| &call.observation));
            EpochReport { edges, ..report }
        };
        let reports: Vec<_> = (0..50).map(with_edges).collect();
        let mut waited = testkit::begun();
        for report in &reports {
            waited.record_epochs(std::slice::from_ref(report)).unwrap();
        }
        let mut meanwhile = testkit::begun();
        let handed = meanwhile.record_while(|record| {
            reports.iter().cloned().for_each(record);
            reports.len()
        });
        assert_eq!(handed.unwrap(), 50);
        assert_eq!(meanwhile.count_evidence().unwrap(), waited.count_evidence().unwrap());
        assert!(!calls(&waited).is_empty());
        assert_eq!(calls(&meanwhile), calls(&waited));
        let observed: u64 = meanwhile.list_edges().unwrap().iter().map(|edge| edge.count).sum();
        assert_eq!(
            (observed, meanwhile.list_edges().unwrap()),
            (100, waited.list_edges().unwrap())
        );
    }

    #[test]
    fn what_could_not_be_recorded_is_told_at_the_end() {
        let mut store = testkit::begun();
        store.connection.execute_batch("DROP TABLE call").unwrap();
        let told = store.record_while(|record| (0..50).map(testkit::epoch).for_each(record));
        assert!(told.is_err());
    }
}
