//! A store that is filled batch by batch, always with the same for the same seed. Every few batches
//! it is closed and opened again, so that a process can be killed at that, too.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gainsay_store::Store;

use super::{batch, pool::Pool, shape, subject, told::Teller};

/// Objects of the pool; nobody lives to see the end of it.
const OBJECTS: u64 = 350_000;
/// Calls of a batch.
const CALLS: usize = 25;
/// Batches between closing and opening.
const BATCHES: u64 = 7;

/// A store that is being filled.
pub(crate) struct Recording {
    path: PathBuf,
    store: Option<Store>,
    pool: Pool,
    teller: Teller,
    batches: u64,
}

impl Recording {
    /// Makes a store.
    pub(crate) fn begin(path: &Path, seed: u64) -> anyhow::Result<Recording> {
        let (pool, teller) = (Pool::new(OBJECTS, seed), Teller::new(&shape::manifest()));
        let mut recording =
            Recording { path: path.to_owned(), store: None, pool, teller, batches: 0 };
        let mut store = Store::open(path)?;
        store.begin_campaign(&subject(), &shape::manifest(), seed)?;
        recording.store = Some(store);
        Ok(recording)
    }

    /// Records one batch.
    pub(crate) fn batch(&mut self) -> anyhow::Result<()> {
        self.batches += 1;
        if self.batches.is_multiple_of(BATCHES) {
            self.store = None;
            let mut store = Store::open(&self.path)?;
            store.resume_campaign()?;
            self.store = Some(store);
        }
        let (states, calls) = batch(&mut self.pool, &self.teller, CALLS);
        let store = self.store.as_mut().context("the store is open between batches")?;
        Ok(store.record_calls(&states, &calls)?)
    }

    /// All that the store holds.
    pub(crate) fn dump(&self) -> anyhow::Result<String> {
        let store = self.store.as_ref().context("the store is open between batches")?;
        Ok(store.dump()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_recordings_hold_the_same_and_grow() {
        let dir = std::env::temp_dir().join(format!("gainsay-recording-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let dump = |name: &str, batches: u64| {
            let path = super::super::fresh(&dir, name).unwrap();
            let mut recording = Recording::begin(&path, 3).unwrap();
            (0..batches).for_each(|_| recording.batch().unwrap());
            recording.dump().unwrap()
        };
        let (a, b, more) = (dump("a", 9), dump("b", 9), dump("b", 10));
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(a, b);
        assert!(more != b && !b.is_empty());
    }
}
