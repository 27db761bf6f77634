//! What a worker remembers from epoch to epoch, so that it need not tell the driver twice: states,
//! transitions, covered code, and what calls it has sent.
//!
//! Epochs of one virtual worker run in one process and in order, so the memory is as deterministic
//! as they are. It is lost with the process: then things are told again, and the driver knows them.

use std::{
    collections::{HashMap, HashSet},
    hash::BuildHasherDefault,
};

use gainsay_wire::{AsIs, OpId};

use crate::merit::Experience;

/// More digests of a kind are not remembered: what comes after them counts as seen.
const MOST_DIGESTS: usize = 2_000_000;
/// Calls that are sent of those that look alike from afar.
const MOST_ALIKE: u8 = 2;
/// Calls that are sent of one operation: eight workers send as many as a store keeps.
const MOST_OF_ONE: u32 = 250;
/// The first calls of an operation are sent whether there is room or not.
const FIRST_OF_ONE: u32 = 24;
/// Calls of an operation that are looked at closely after one that was sent.
const APPETITE: u8 = 2;
/// Of an operation that brought nothing new for long, one call in so many is looked at closely.
const BITE_EVERY: u8 = 16;

/// Recipes that are looked for at first to have a short one for a finding.
const MOST_RECIPES: u32 = 8;

/// A set of digests.
pub(crate) type Digests = HashSet<u64, BuildHasherDefault<AsIs>>;

/// The memory.
#[derive(Default)]
pub(crate) struct Memory {
    states: Digests,
    transitions: Digests,
    /// Calls sent, by how they look from afar.
    alike: HashMap<u64, u8, BuildHasherDefault<AsIs>>,
    ops: Vec<Appetite>,
    covered: Vec<bool>,
    /// Times that a finding was seen, by a digest of what it is.
    findings: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
    /// Calls that may still be sent in this epoch: sending costs more than calling.
    room: u32,
    /// Calls of this epoch.
    calls: u32,
    /// How operations fared, for the choice of others.
    pub(crate) experience: Experience,
}

/// How an operation's calls fared.
#[derive(Clone, Copy, Default)]
struct Appetite {
    sent: u32,
    /// Calls that are still to be looked at closely.
    left: u8,
    since: u8,
}

impl Appetite {
    /// Whether no more calls of the operation are sent for now.
    fn is_sated(self, room: u32) -> bool {
        self.sent >= MOST_OF_ONE || (room == 0 && self.sent >= FIRST_OF_ONE)
    }
}

/// One call in so many may be sent, spread over the epoch: the first calls are on simple objects.
const SEND_EVERY: u32 = 48;
/// So many more at the beginning of an epoch.
const HEAD_START: u32 = 8;
/// A short epoch may send so many: the first epochs are short, and all that they see is new.
const ROOM_OF_SHORT: u32 = 64;
/// An epoch of fewer calls is short.
const SHORT: u32 = 1_000;

impl Memory {
    /// An epoch of so many calls begins.
    pub(crate) fn begin_epoch(&mut self, calls: u32) {
        self.room = if calls < SHORT { ROOM_OF_SHORT } else { HEAD_START };
        self.calls = 0;
    }

    /// Whether a state is new.
    pub(crate) fn note_state(&mut self, state: u64) -> bool {
        self.states.len() < MOST_DIGESTS && self.states.insert(state)
    }

    /// Whether a transition is new.
    pub(crate) fn note_transition(&mut self, transition: u64) -> bool {
        self.transitions.len() < MOST_DIGESTS && self.transitions.insert(transition)
    }

    /// Whether the next call of an operation is to be looked at closely, with a view to sending it.
    pub(crate) fn is_hungry(&mut self, op: OpId) -> bool {
        self.calls += 1;
        self.room += u32::from(self.calls.is_multiple_of(SEND_EVERY));
        let room = self.room;
        let appetite = self.appetite(op);
        if appetite.is_sated(room) {
            return false;
        }
        if appetite.sent == 0 {
            return true;
        }
        if appetite.left > 0 {
            appetite.left -= 1;
            return true;
        }
        appetite.since = (appetite.since + 1) % BITE_EVERY;
        appetite.since == 0
    }

    /// Whether a call that looks like this from afar is to be sent. One that was not looked at
    /// closely makes those that follow it looked at.
    pub(crate) fn wants(&mut self, op: OpId, from_afar: u64, closely: bool) -> bool {
        let known = self.alike.get(&from_afar).copied().unwrap_or(0);
        let room = self.room;
        let appetite = self.appetite(op);
        if known >= MOST_ALIKE || appetite.is_sated(room) {
            return false;
        }
        if !closely {
            appetite.left = appetite.left.max(1);
            return false;
        }
        appetite.sent += 1;
        appetite.left = APPETITE;
        self.room = self.room.saturating_sub(1);
        self.alike.insert(from_afar, known + 1);
        true
    }

    /// Whether one more sighting of a finding is worth a recipe, which may be shorter than the others:
    /// at first, then ever more rarely.
    pub(crate) fn wants_finding(&mut self, finding: u64) -> bool {
        let seen = self.findings.entry(finding).or_default();
        *seen = seen.saturating_add(1);
        *seen <= MOST_RECIPES || seen.is_power_of_two()
    }

    /// What is covered is told anew: what came before may not have been counted. It is new only
    /// once, though, and only these counters are.
    pub(crate) fn begin_coverage(&mut self, counters: &[u32]) {
        self.covered.clear();
        self.experience.code.count_only(counters);
    }

    /// Those of the covered counters that were not told yet.
    pub(crate) fn newly_covered(&mut self, covered: &[u32]) -> Vec<u32> {
        let mut news = Vec::new();
        for &counter in covered {
            let at = counter as usize;
            if self.covered.len() <= at {
                self.covered.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.covered[at], true) {
                news.push(counter);
            }
        }
        news
    }

    fn appetite(&mut self, op: OpId) -> &mut Appetite {
        let at = op.0 as usize;
        if self.ops.len() <= at {
            self.ops.resize(at + 1, Appetite::default());
        }
        &mut self.ops[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OP: OpId = OpId(3);

    /// A memory with room for all.
    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.begin_epoch(0);
        memory.room = u32::MAX / 2;
        memory
    }

    #[test]
    fn an_epoch_sends_a_share_of_its_calls_to_its_end() {
        let mut memory = Memory::default();
        let mut sent = |calls: u32, from: u32| {
            memory.begin_epoch(calls);
            let sent = |call: &u32| {
                let op = OpId(call % 64);
                let closely = memory.is_hungry(op);
                memory.wants(op, u64::from(from + call), closely)
            };
            (0..calls).filter(sent).collect::<Vec<u32>>()
        };
        assert_eq!(sent(100, 0).len(), 100, "all are first calls");
        let few = sent(64 * FIRST_OF_ONE, 1_000);
        assert!(few.len() > 64 * 16, "{}", few.len());
        let long = sent(4_000, 10_000);
        assert!((60..=8 + 4_000 / 48).contains(&long.len()), "{}", long.len());
        assert!(long.iter().filter(|call| **call > 2_000).count() > 30);
    }

    #[test]
    fn few_calls_alike_are_sent_and_others_still() {
        let mut memory = memory();
        let sent = (0..10).filter(|_| memory.wants(OP, 1, true)).count();
        assert_eq!(sent, usize::from(MOST_ALIKE));
        assert!(memory.wants(OP, 2, true));
        let many = (10..5_000).filter(|look| memory.wants(OP, *look, true)).count();
        assert_eq!(many, MOST_OF_ONE as usize - sent - 1);
        assert!(!memory.is_hungry(OP) && memory.is_hungry(OpId(4)));
    }

    #[test]
    fn an_operation_that_brings_nothing_new_is_looked_at_now_and_then() {
        let mut memory = memory();
        assert!(memory.is_hungry(OP));
        memory.wants(OP, 1, true);
        let bites = (0..1_000).filter(|_| memory.is_hungry(OP)).count();
        let expected =
            usize::from(APPETITE) + (1_000 - usize::from(APPETITE)) / usize::from(BITE_EVERY);
        assert_eq!(bites, expected);
        assert!(!memory.wants(OP, 2, false), "nobody looked closely enough to tell of it");
        assert!(memory.is_hungry(OP), "the next one may be like it");
    }

    #[test]
    fn a_finding_is_worth_a_recipe_at_first_and_then_ever_more_rarely() {
        let mut memory = memory();
        let worth = (1..=100).filter(|_| memory.wants_finding(9)).count();
        assert_eq!(worth, 8 + [16, 32, 64].len());
        assert!(memory.wants_finding(10));
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let mut memory = Memory::default();
        assert!(memory.note_state(1) && !memory.note_state(1));
        assert!(memory.note_transition(1) && !memory.note_transition(1));
        assert_eq!(memory.newly_covered(&[2, 5]), [2, 5]);
        assert_eq!(memory.newly_covered(&[2, 4, 5]), [4]);
        memory.begin_coverage(&[]);
        assert_eq!(memory.newly_covered(&[2, 4]), [2, 4]);
    }
}
