//! Observations as evidence: what they are known by, where they come from, and those that inference
//! learns from.

use std::collections::{BTreeMap, HashMap};

use gainsay_wire::{Digest, Observation, OpId, to_bytes};

/// Distinct observations of one operation that inference gets. Templates are checked against each of
/// them, so that this bounds the time of a round; more of them hardly ever contradict anything that
/// these do not.
const SAMPLES_PER_OPERATION: usize = 2_000;

/// The number of an observation in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservationId(pub i64);

/// The origin of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// A random call.
    Explored,
    /// A call that was looked for: an attack on a contract, or one that broke it.
    Attacked,
    /// A call in the user's own tests.
    Observed,
    /// A call of an example in the documentation.
    Example,
    /// A call of a sequence that the user gave.
    Script,
}

impl Provenance {
    /// The word for it in the store.
    pub fn as_word(self) -> &'static str {
        match self {
            Provenance::Explored => "explored",
            Provenance::Attacked => "attacked",
            Provenance::Observed => "observed",
            Provenance::Example => "example",
            Provenance::Script => "script",
        }
    }
}

/// A call in a test of the user, which gainsay cannot make again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCall {
    /// The call, its states and values.
    pub observation: Observation,
    /// The path of the test.
    pub test: String,
}

/// An observation with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its number.
    pub id: ObservationId,
    /// The call, its states and values.
    pub observation: Observation,
}

/// Distinct observations of each operation in the vocabulary of one campaign, those with the shortest
/// recipes first, and how far the store was read for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    operations: BTreeMap<OpId, OperationSamples>,
}

/// The place of a sample among those of its operation: steps and digest of its recipe, and its number.
pub(crate) type Place = (i64, i64, ObservationId);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OperationSamples {
    samples: BTreeMap<Place, Sample>,
    /// Places by a digest of outcome and values, of samples that had no room, too.
    places: HashMap<u64, Place>,
    last: Option<ObservationId>,
}

impl Samples {
    /// The observations of an operation.
    pub fn of(&self, op: OpId) -> impl ExactSizeIterator<Item = &Sample> {
        static NONE: BTreeMap<Place, Sample> = BTreeMap::new();
        self.operations.get(&op).map_or(&NONE, |known| &known.samples).values()
    }

    /// The operations with their observations.
    pub fn iter(&self) -> impl Iterator<Item = (OpId, impl ExactSizeIterator<Item = &Sample>)> {
        let operations = self.operations.iter().filter(|(_, known)| !known.samples.is_empty());
        operations.map(|(op, known)| (*op, known.samples.values()))
    }

    /// Copies of the observations alone.
    pub fn to_observations(&self) -> BTreeMap<OpId, Vec<Observation>> {
        let observations =
            self.iter().map(|(op, seen)| (op, seen.map(|sample| sample.observation.clone())));
        observations.map(|(op, seen)| (op, seen.collect())).collect()
    }

    /// The observations alone.
    pub fn into_observations(self) -> BTreeMap<OpId, Vec<Observation>> {
        let operations = self.operations.into_iter().filter(|(_, known)| !known.samples.is_empty());
        let observations = |known: OperationSamples| {
            known.samples.into_values().map(|sample| sample.observation).collect()
        };
        operations.map(|(op, known)| (op, observations(known))).collect()
    }

    /// The last observation of an operation that was read from the store.
    pub(crate) fn last_read(&self, op: OpId) -> Option<ObservationId> {
        self.operations.get(&op)?.last
    }

    /// Adds an observation that was read, unless one with a shorter recipe looks just so.
    pub(crate) fn add(&mut self, op: OpId, place: Place, observation: Observation) {
        let known = self.operations.entry(op).or_default();
        known.last = known.last.max(Some(place.2));
        let mut look = to_bytes(&observation.outcome);
        look.extend(to_bytes(&observation.values));
        let look = Digest::of_bytes(&look);
        match known.places.get(&look) {
            // Attacks begin with recipes, and short ones leave them more calls.
            Some(shorter) if *shorter <= place => return,
            Some(longer) => drop(known.samples.remove(longer)),
            None => {}
        }
        known.places.insert(look, place);
        known.samples.insert(place, Sample { id: place.2, observation });
        // Of places that only ever get better, one that fell off the end never comes back.
        if known.samples.len() > SAMPLES_PER_OPERATION {
            known.samples.pop_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Outcome, Value};

    use super::*;

    fn seen(value: i128) -> Observation {
        let (objects, made) = (Vec::new(), Vec::new());
        let values = vec![Value::Int(value)];
        Observation {
            op: OpId(0),
            outcome: Outcome::Returned,
            values,
            objects,
            made,
            freed: Vec::new(),
        }
    }

    fn values(samples: &Samples) -> Vec<Option<i128>> {
        samples.of(OpId(0)).map(|sample| sample.observation.values[0].as_int()).collect()
    }

    #[test]
    fn of_observations_that_look_the_same_the_one_with_the_shortest_recipe_stays() {
        let mut samples = Samples::default();
        for (id, steps, value) in [(1, 3, 7), (2, 2, 8), (3, 1, 7), (4, 5, 8)] {
            samples.add(OpId(0), (steps, 0, ObservationId(id)), seen(value));
        }
        assert_eq!(values(&samples), [Some(7), Some(8)]);
        let ids: Vec<i64> = samples.of(OpId(0)).map(|sample| sample.id.0).collect();
        assert_eq!(ids, [3, 2]);
        assert_eq!(samples.last_read(OpId(0)), Some(ObservationId(4)));
    }

    #[test]
    fn an_operation_has_no_more_samples_than_its_limit_and_long_recipes_go() {
        let mut samples = Samples::default();
        for number in (0..3_000).rev() {
            let place = (number, 0, ObservationId(number));
            samples.add(OpId(0), place, seen(i128::from(number)));
        }
        assert_eq!(samples.of(OpId(0)).len(), 2_000);
        assert_eq!(values(&samples).last(), Some(&Some(1_999)));
    }
}
