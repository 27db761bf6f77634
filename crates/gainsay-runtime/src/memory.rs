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

use crate::{edges::EdgeCounters, explore::TRIED_BY_RETURN, laws::Tallies, merit::Experience};

/// More digests of a kind are not remembered: what comes after them counts as seen.
const MOST_DIGESTS: usize = 2_000_000;
/// Calls that are sent of those that look alike from afar.
const MOST_ALIKE: u8 = 2;
/// The same for the first calls of all.
const MOST_ALIKE_EARLY: u8 = 8;
/// So many calls are the first.
const EARLY_CALLS: u32 = 2_000;
/// Calls that are sent of one operation: eight workers send as many as a store keeps.
const MOST_OF_ONE: u32 = 250;
/// Of these so many may be calls that panicked: they must not take the room of those that return.
const MOST_PANICS_OF_ONE: u32 = 64;
/// The first calls of an operation that return are sent whether there is room or not, unless other
/// workers had them, and so are the first that panic.
const FIRST_OF_ONE: u32 = 24;
/// The first calls of an operation are all looked at closely: those that return may be rare.
const FIRST_LOOKS: u8 = 128;
/// Calls of an operation that are looked at closely after one that was sent.
const APPETITE: u8 = 2;
/// And after one that would have been among the first, had it been looked at: the next like it may
/// be long in coming.
const CRAVING: u8 = 64;
/// Of an operation that brought nothing new for long, one call in so many is looked at closely.
const BITE_EVERY: u8 = 16;

/// How much an operation counts as tried in a campaign when each of eight workers has made a call to it
/// that returned.
const TRIED_IN_CAMPAIGN: u64 = 8 * TRIED_BY_RETURN;

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
    /// Calls that may still be sent in this epoch, whatever they are.
    quota: u32,
    /// Calls of this epoch.
    calls: u32,
    /// Calls of all epochs.
    life: u32,
    /// Times that a call might have been sent, were it early.
    turns: u32,
    /// How operations fared, for the choice of others.
    pub(crate) experience: Experience,
    /// What observed calls did to their subjects.
    pub(crate) edges: EdgeCounters,
    /// How laws fared.
    pub(crate) tallies: Tallies,
}

/// How an operation's calls fared.
#[derive(Clone, Copy, Default)]
struct Appetite {
    /// Calls that returned.
    sent: u32,
    sent_panics: u32,
    /// Whether all workers together have made as many calls that returned as each may send at first.
    is_common: bool,
    looked: u8,
    /// Calls that are still to be looked at closely.
    left: u8,
    since: u8,
}

impl Appetite {
    /// Whether no more calls of the operation that return are sent for now.
    fn is_sated(self, room: u32) -> bool {
        self.sent + self.sent_panics >= MOST_OF_ONE || (room == 0 && !self.is_new())
    }

    /// Whether the first calls that return are still to be sent.
    fn is_new(self) -> bool {
        !self.is_common && self.sent < FIRST_OF_ONE
    }

    /// Whether no more calls that panic are.
    fn is_sick(self, room: u32) -> bool {
        self.is_sated(u32::MAX)
            || self.sent_panics >= if room == 0 { FIRST_OF_ONE } else { MOST_PANICS_OF_ONE }
    }
}

/// What a call looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) afar: u64,
    /// With how its objects relate to each other, when that was looked at.
    pub(crate) near: Option<u64>,
    pub(crate) panicked: bool,
}

/// One call in so many may be sent, spread over the epoch: the first calls are on simple objects.
const SEND_EVERY: u32 = 48;
/// For so many calls; after `n` times as many one in `n` times as many, so that what is sent grows with
/// the logarithm of what is called. Sending and recording cost as much as dozens of calls.
const FULL_PACE: u32 = 12_500;
/// So many more at the beginning of an epoch.
const HEAD_START: u32 = 8;
/// A short epoch may send so many: the first epochs are short, and all that they see is new.
const ROOM_OF_SHORT: u32 = 64;
/// An epoch of fewer calls is short.
const SHORT: u32 = 1_000;

impl Memory {
    /// Hears how much each operation was tried in the campaign. What others told first need not be
    /// told first again, nor what a process told that died and was replaced by this one.
    pub(crate) fn hear(&mut self, tried: &[u64]) {
        let own = |tried: u64| u32::try_from(tried / TRIED_IN_CAMPAIGN).unwrap_or(u32::MAX);
        if self.life == 0 {
            self.life = own(tried.iter().sum());
        }
        for (op, tried) in (0..).map(OpId).zip(tried) {
            self.appetite(op).is_common = own(*tried) >= FIRST_OF_ONE;
        }
    }

    /// An epoch of so many calls begins, of which at most `keep` are sent.
    pub(crate) fn begin_epoch(&mut self, calls: u32, keep: Option<u32>) {
        self.edges.begin_epoch();
        self.quota = keep.unwrap_or(u32::MAX);
        let head_start = (HEAD_START / self.thinning()).max(1);
        self.room = if calls < SHORT { ROOM_OF_SHORT } else { head_start };
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
        // Calls of which none may be sent do not make those of others rarer.
        if self.quota == 0 {
            return false;
        }
        self.life = self.life.saturating_add(1);
        self.calls += 1;
        if self.calls.is_multiple_of(SEND_EVERY) {
            self.turns = self.turns.wrapping_add(1);
            self.room += u32::from(self.turns.is_multiple_of(self.thinning()));
        }
        let (room, is_early) = (self.room, self.is_early());
        let appetite = self.appetite(op);
        if is_early {
            return !appetite.is_sated(u32::MAX);
        }
        if appetite.is_sated(room) {
            return false;
        }
        if appetite.looked < FIRST_LOOKS && !appetite.is_common {
            appetite.looked += 1;
            return true;
        }
        if appetite.left > 0 {
            appetite.left -= 1;
            return true;
        }
        appetite.since = (appetite.since + 1) % BITE_EVERY;
        appetite.since == 0
    }

    /// Whether a call is to be sent. One that was not looked at closely enough makes those that
    /// follow it looked at.
    pub(crate) fn wants(&mut self, op: OpId, look: Look) -> bool {
        if self.quota == 0 {
            return false;
        }
        let known = self.alike.get(&look.near.unwrap_or(look.afar)).copied().unwrap_or(0);
        let (room, most) =
            if self.is_early() { (u32::MAX, MOST_ALIKE_EARLY) } else { (self.room, MOST_ALIKE) };
        let appetite = self.appetite(op);
        let enough = if look.panicked { appetite.is_sick(room) } else { appetite.is_sated(room) };
        if known >= most || enough {
            return false;
        }
        let Some(near) = look.near else {
            let is_rare = !look.panicked && appetite.is_new();
            appetite.left = appetite.left.max(if is_rare { CRAVING } else { 1 });
            return false;
        };
        let sent = if look.panicked { &mut appetite.sent_panics } else { &mut appetite.sent };
        *sent += 1;
        appetite.left = appetite.left.max(APPETITE);
        self.room = self.room.saturating_sub(1);
        self.quota -= 1;
        self.alike.insert(near, known + 1);
        if near != look.afar {
            let known = self.alike.entry(look.afar).or_default();
            *known = known.saturating_add(1);
        }
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

    /// Whether nearly all is still to be learnt: short runs are over before sending costs much.
    fn is_early(&self) -> bool {
        self.life < EARLY_CALLS
    }

    /// By how much fewer calls are sent than at first.
    fn thinning(&self) -> u32 {
        (self.life / FULL_PACE).max(1)
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

    fn seen(look: u64) -> Look {
        Look { afar: look, near: Some(look), panicked: false }
    }

    fn seen_from_afar(look: u64) -> Look {
        Look { near: None, ..seen(look) }
    }

    /// A memory with room for all.
    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.begin_epoch(0, None);
        memory.life = EARLY_CALLS;
        memory.room = u32::MAX / 2;
        memory
    }

    #[test]
    fn an_epoch_sends_a_share_of_its_calls_to_its_end() {
        let mut memory = Memory { life: EARLY_CALLS, ..Memory::default() };
        let mut sent = |calls: u32, from: u32| {
            memory.begin_epoch(calls, None);
            let sent = |call: &u32| {
                let op = OpId(call % 64);
                let look = if memory.is_hungry(op) { seen } else { seen_from_afar };
                memory.wants(op, look(u64::from(from + call)))
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
    fn first_calls_that_others_had_are_not_sent_again() {
        let often = TRIED_IN_CAMPAIGN * 10_000;
        let sent = |tried: &[u64], op: u32| {
            let mut memory = Memory::default();
            memory.hear(tried);
            memory.begin_epoch(4_000, None);
            let sent =
                |look: &u64| memory.is_hungry(OpId(op)) && memory.wants(OpId(op), seen(*look));
            (0..40).filter(sent).count()
        };
        assert_eq!(sent(&[], 0), 40);
        assert_eq!(sent(&[often, 0], 0), HEAD_START as usize);
        assert_eq!(sent(&[often, 0], 1), FIRST_OF_ONE as usize, "this one is new");
        let mut lived = memory();
        lived.hear(&[often]);
        assert_eq!(lived.life, EARLY_CALLS, "who lives knows it by itself");
    }

    #[test]
    fn what_is_sent_grows_more_slowly_than_what_is_called() {
        let mut memory = Memory::default();
        let mut sent = |calls: u32, from: u32| {
            let sent = |call: &u32| {
                if call.is_multiple_of(4_000) {
                    memory.begin_epoch(4_000, None);
                }
                // Many operations, of which none has had enough, nor is new.
                let op = OpId(call % 512);
                memory.appetite(op).sent = FIRST_OF_ONE;
                let look = if memory.is_hungry(op) { seen } else { seen_from_afar };
                memory.wants(op, look(u64::from(from + call)))
            };
            (0..calls).filter(sent).count()
        };
        let early = sent(FULL_PACE, 0);
        let late = sent(8 * FULL_PACE, FULL_PACE);
        let later = sent(64 * FULL_PACE, 9 * FULL_PACE);
        assert!(late > early / 4 && late < 4 * early, "{early}, {late}");
        assert!(later > late / 4 && later < 2 * late, "{late}, {later}");
    }

    #[test]
    fn the_first_calls_of_all_are_sent_more_freely() {
        let mut memory = Memory::default();
        memory.begin_epoch(4_000, None);
        let sent = |call: &u32| {
            let closely = memory.is_hungry(OP).then_some(1);
            memory.wants(OP, Look { afar: 1, near: closely, panicked: *call > 9_999 })
        };
        assert_eq!((0..1_000).filter(sent).count(), usize::from(MOST_ALIKE_EARLY));
    }

    #[test]
    fn few_calls_alike_are_sent_and_others_still() {
        let mut memory = memory();
        let sent = (0..10).filter(|_| memory.wants(OP, seen(1))).count();
        assert_eq!(sent, usize::from(MOST_ALIKE));
        assert!(memory.wants(OP, seen(2)));
        let many = (10..5_000).filter(|look| memory.wants(OP, seen(*look))).count();
        assert_eq!(many, MOST_OF_ONE as usize - sent - 1);
        assert!(!memory.is_hungry(OP) && memory.is_hungry(OpId(4)));
    }

    #[test]
    fn an_operation_that_brings_nothing_new_is_looked_at_now_and_then() {
        let mut memory = memory();
        assert!((0..FIRST_LOOKS).all(|_| memory.is_hungry(OP)), "the first are all looked at");
        memory.wants(OP, seen(1));
        let bites = (0..1_000).filter(|_| memory.is_hungry(OP)).count();
        let expected =
            usize::from(APPETITE) + (1_000 - usize::from(APPETITE)) / usize::from(BITE_EVERY);
        assert_eq!(bites, expected);
        let told = memory.wants(OP, seen_from_afar(2));
        assert!(!told, "nobody looked closely enough to tell of it");
        assert!(memory.is_hungry(OP), "the next one may be like it");
        memory.wants(OP, seen(3));
        let bites = (1..CRAVING).filter(|_| memory.is_hungry(OP)).count();
        assert_eq!(bites, usize::from(CRAVING) - 1, "another call does not make up for it");
    }

    #[test]
    fn calls_whose_objects_relate_differently_are_not_alike() {
        let mut memory = memory();
        let near = |near| Look { near: Some(near), ..seen(1) };
        let sent = (10..14).map(|at| (0..5).filter(|_| memory.wants(OP, near(at))).count());
        assert_eq!(sent.collect::<Vec<_>>(), [usize::from(MOST_ALIKE); 4]);
    }

    #[test]
    fn panics_leave_room_for_calls_that_return() {
        let mut memory = memory();
        let panic = |look| Look { panicked: true, ..seen(look) };
        let sent = (0..1_000).filter(|look| memory.wants(OP, panic(*look))).count();
        assert_eq!(sent, MOST_PANICS_OF_ONE as usize);
        memory.room = 0;
        assert!(memory.is_hungry(OP) && memory.wants(OP, seen(2_000)));
        let sent = (3_000..4_000).filter(|look| memory.wants(OpId(4), panic(*look))).count();
        assert_eq!(sent, FIRST_OF_ONE as usize);
    }

    #[test]
    fn what_a_limit_keeps_back_is_sent_when_there_is_none() {
        for life in [0, EARLY_CALLS] {
            let mut memory = Memory { life, ..Memory::default() };
            let mut sent = |keep| {
                memory.begin_epoch(600, keep);
                (0..5).filter(|look| memory.is_hungry(OP) && memory.wants(OP, seen(*look))).count()
            };
            assert_eq!((sent(Some(0)), sent(Some(3))), (0, 3));
            assert_eq!(sent(None), 5);
        }
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
