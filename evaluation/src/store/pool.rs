//! The synthetic pool: calls with the objects they take and leave, drawn from a distribution that is
//! the same for every store. Which states an object can be in and what commands do is settled at the
//! start; then calls are drawn, the frequent ones far more often than the rare ones.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of states and calls are small and not negative"
)]

use std::collections::BTreeSet;

use gainsay_wire::{OpId, Random};

use super::shape::{Kind, State, TYPES, op};

/// The paper's figures.
pub(super) const PAPER_OBJECTS: u64 = 3_500_000;
const PAPER_STATES: u64 = 40_000;
/// Calls of origins, queries, and commands on one, two and three objects: together they take and
/// leave 3.5 million objects, on which 18.4 million predicates are evaluated.
const PAPER_CALLS: [u64; 5] = [160_000, 625_000, 625_000, 195_000, 10_000];
/// Transitions of commands on one, two and three objects: 68,800.
const PAPER_TRANSITIONS: [u64; 3] = [50_000, 16_000, 2_800];

const KINDS: [Kind; 5] =
    [Kind::Origin, Kind::Look, Kind::Command, Kind::PairCommand, Kind::TripleCommand];

/// A call of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) op: OpId,
    /// States of its operands before; of what an origin made.
    pub(super) states: Vec<State>,
    /// The first operand's state after.
    pub(super) after: State,
    /// Tells transitions of one operation in one state apart: its plain argument.
    pub(super) value: u32,
    /// Tells objects in one state apart: how they were made.
    pub(super) variants: Vec<u32>,
}

/// What a command does to its first operand.
#[derive(Clone, Debug)]
struct Transition {
    op: OpId,
    states: Vec<State>,
    after: State,
}

/// The pool's distribution, and the calls that are still to come.
pub(super) struct Pool {
    random: Random,
    /// States of each type.
    pub(super) states: Vec<u32>,
    transitions: [Vec<Transition>; 3],
    /// Calls of each kind that are still to come, and that there were.
    left: [u64; 5],
    made: [u64; 5],
}

impl Pool {
    /// A pool with so many objects.
    pub(super) fn new(objects: u64, seed: u64) -> Pool {
        let scaled = |number: u64| (number * objects / PAPER_OBJECTS).max(1);
        let states = split(scaled(PAPER_STATES));
        let mut random = Random::new(seed);
        let [one, two, three] = PAPER_TRANSITIONS.map(scaled);
        let transitions = [
            draw_transitions(Kind::Command, one, &states, &mut random),
            draw_transitions(Kind::PairCommand, two, &states, &mut random),
            draw_transitions(Kind::TripleCommand, three, &states, &mut random),
        ];
        Pool { random, states, transitions, left: PAPER_CALLS.map(scaled), made: [0; 5] }
    }

    /// How many calls are still to come.
    pub(super) fn calls(&self) -> u64 {
        self.left.iter().sum()
    }

    /// How many transitions there are.
    pub(super) fn transitions(&self) -> usize {
        self.transitions.iter().map(Vec::len).sum()
    }

    /// What stands side by side when objects meet: the states of the operands of commands on
    /// several, before and after.
    pub(super) fn scenes(&self) -> Vec<Vec<State>> {
        let mut scenes = BTreeSet::new();
        for transition in self.transitions[1..].iter().flatten() {
            let mut after = transition.states.clone();
            after[0] = transition.after;
            scenes.extend([transition.states.clone(), after]);
        }
        scenes.into_iter().collect()
    }

    fn look(&mut self) -> Call {
        let ty = draw_type(&self.states, &mut self.random);
        let state = draw_state(ty, &self.states, &mut self.random);
        let op = draw_op(ty, Kind::Look, &mut self.random);
        let variants = vec![draw_variant(&mut self.random)];
        Call { kind: Kind::Look, op, states: vec![state], after: state, value: 0, variants }
    }

    fn origin(&mut self) -> Call {
        let ty = draw_type(&self.states, &mut self.random);
        let after = State { ty, number: 0 };
        let op = op(ty, 0);
        Call { kind: Kind::Origin, op, states: Vec::new(), after, value: 0, variants: Vec::new() }
    }

    /// Every so often a transition for the first time, else one that was seen.
    fn command(&mut self, at: usize) -> Call {
        let (known, made) = (&self.transitions[at - 2], self.made[at]);
        let total = made + self.left[at] + 1;
        let every = (total / known.len() as u64).max(1);
        let seen = usize::try_from(made / every).unwrap_or(usize::MAX);
        let is_new = made.is_multiple_of(every) && seen < known.len();
        let number =
            if is_new { seen } else { log_uniform((seen + 1).min(known.len()), &mut self.random) };
        let Transition { op, states, after } = known[number].clone();
        let variants = states.iter().map(|_| draw_variant(&mut self.random)).collect();
        let value = u32::try_from(number).unwrap_or(u32::MAX);
        Call { kind: KINDS[at], op, states, after, value, variants }
    }
}

impl Iterator for Pool {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        let mut pick = self.random.below(usize::try_from(self.calls()).ok()?) as u64;
        let at = self.left.iter().position(|left| {
            let here = pick < *left;
            pick = pick.saturating_sub(*left);
            here
        })?;
        self.left[at] -= 1;
        let call = match KINDS[at] {
            Kind::Origin => self.origin(),
            Kind::Look => self.look(),
            _ => self.command(at),
        };
        self.made[at] += 1;
        Some(call)
    }
}

/// States of each type: the first has most.
fn split(states: u64) -> Vec<u32> {
    let weight = |ty: u32| f64::from(ty + 1).powf(-0.7);
    let whole: f64 = (0..TYPES).map(weight).sum();
    let part = |ty| (states as f64 * weight(ty) / whole).max(2.0) as u32;
    (0..TYPES).map(part).collect()
}

/// Distinct transitions. Those on one object lead to every state at least once.
fn draw_transitions(
    kind: Kind,
    count: u64,
    states: &[u32],
    random: &mut Random,
) -> Vec<Transition> {
    let mut seen = BTreeSet::new();
    let mut drawn = Vec::new();
    let every = (0u32..).zip(states).flat_map(|(ty, n)| (0..*n).map(move |number| (ty, number)));
    let mut every = every.map(|(ty, number)| State { ty, number }).collect::<Vec<_>>();
    // Frequent states come first in all types alike.
    every.sort_by_key(|state| state.number);
    let mut targets = every.into_iter();
    while (drawn.len() as u64) < count {
        let target = if kind == Kind::Command { targets.next() } else { None };
        let ty = target.map_or_else(|| draw_type(states, random), |state| state.ty);
        let operands: Vec<State> =
            (0..kind.objects()).map(|_| draw_state(ty, states, random)).collect();
        let after = target.unwrap_or_else(|| draw_state(ty, states, random));
        let op = draw_op(ty, kind, random);
        if after != operands[0] && seen.insert((op, operands.clone(), after)) {
            drawn.push(Transition { op, states: operands, after });
        }
    }
    drawn
}

fn draw_type(states: &[u32], random: &mut Random) -> u32 {
    let whole: u32 = states.iter().sum();
    let mut pick = random.below(whole as usize) as u32;
    let at = states.iter().position(|n| {
        let here = pick < *n;
        pick = pick.saturating_sub(*n);
        here
    });
    at.unwrap_or(0) as u32
}

fn draw_state(ty: u32, states: &[u32], random: &mut Random) -> State {
    let number = log_uniform(states[ty as usize] as usize, random) as u32;
    State { ty, number }
}

fn draw_op(ty: u32, kind: Kind, random: &mut Random) -> OpId {
    let range = kind.range();
    op(ty, range.start + random.below(range.len()) as u32)
}

fn draw_variant(random: &mut Random) -> u32 {
    (random.bits() >> 32) as u32
}

/// A number below `bound`, with a chance in inverse proportion to itself.
fn log_uniform(bound: usize, random: &mut Random) -> usize {
    let part = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let drawn = ((bound as f64).ln() * part).exp() - 1.0;
    (drawn.round() as usize).min(bound.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_has_the_papers_numbers() {
        let pool = Pool::new(PAPER_OBJECTS / 100, 1);
        assert_eq!(pool.transitions(), 688);
        let (mut objects, mut evaluations, mut calls) = (0, 0, 0);
        for call in pool {
            let side_by_side = call.states.len();
            objects += if call.kind == Kind::Origin { 1 } else { 2 * side_by_side };
            let pairs = side_by_side * side_by_side.saturating_sub(1);
            evaluations +=
                if call.kind == Kind::Origin { 5 } else { 2 * (5 * side_by_side + pairs) };
            calls += 1;
        }
        assert_eq!((objects, evaluations, calls), (35_000, 184_000, 16_150));
    }

    #[test]
    fn all_states_and_transitions_come_up() {
        let pool = Pool::new(PAPER_OBJECTS / 100, 1);
        let (states, transitions) = (pool.states.iter().sum::<u32>(), pool.transitions());
        let mut seen = (BTreeSet::new(), BTreeSet::new());
        for call in pool {
            seen.0.extend(call.states.iter().copied().chain([call.after]));
            if call.kind > Kind::Look {
                seen.1.insert((call.op, call.states, call.after));
            }
        }
        assert_eq!((seen.0.len(), seen.1.len()), (states as usize, transitions));
    }

    #[test]
    fn the_same_seed_gives_the_same_calls() {
        let calls = |seed| Pool::new(3_500, seed).collect::<Vec<_>>();
        assert_eq!(calls(1), calls(1));
        assert_ne!(calls(1), calls(2));
    }
}
