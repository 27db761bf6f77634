//! Making up plain values: small ones, boundaries, literals of the subject, values that earlier
//! calls returned, and values related to the objects of the same call.

mod near;
mod texts;

use gainsay_wire::{Settings, Strategy, Value};

use crate::{Random, view::State};

/// A source of values for one call.
pub struct Gen<'a> {
    random: &'a mut Random,
    hints: Hints<'a>,
    depth: u32,
}

/// What a value may be related to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hints<'a> {
    /// States of the objects of the same call.
    pub(crate) states: &'a [std::rc::Rc<State>],
    /// What earlier calls returned.
    pub(crate) recent: &'a [Value],
    /// Texts that made the subject do something that none did before.
    pub(crate) finds: &'a [String],
    /// Literals worth trying.
    pub(crate) settings: Option<&'a Settings>,
    /// How large sizes get.
    pub(crate) sizes: Sizes,
    /// Numbers are mostly extreme: where two have to be, one alone is not enough.
    pub(crate) bold: bool,
}

const MOST_DEPTH: u32 = 3;
/// A larger size is huge: room for as many elements may be more than there is.
const HUGE: i128 = 1 << 16;
/// A larger size is large: to fill so many elements takes as long as a thousand calls.
const LARGE: i128 = 1 << 10;
/// No machine has room for so many: asking for it fails at once and costs nothing.
const ABSURD: i128 = 1 << 56;
/// Of large sizes, one in so many is let through.
const LARGE_EVERY: usize = 16;
/// Where any size goes, one in so many is such that arithmetic with it wraps around.
const WRAPPING_EVERY: usize = 10;
/// Keys of a small set meet equals, keys of a large one do not.
const KEYS: [usize; 8] = [8, 8, 8, 8, 8, 64, 64, 10_000];

/// Where there are many items, so many collections and texts have them.
pub(crate) const MANY_EVERY: usize = 8;
/// Many items are fewer than this.
const MANY_ITEMS: usize = 400;

/// What sizes an epoch makes up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// None that could take all memory and with it the rest of the epoch.
    #[default]
    Modest,
    /// As modest, but collections and texts are now and then so large that what keeps them in pieces
    /// needs several.
    Many,
    /// Any.
    Any,
}

impl<'a> Gen<'a> {
    pub(crate) fn new(random: &'a mut Random, hints: Hints<'a>) -> Gen<'a> {
        Gen { random, hints, depth: 0 }
    }

    /// The random choices.
    pub fn random(&mut self) -> &mut Random {
        self.random
    }

    /// An integer between `min` and `max`.
    pub fn int(&mut self, min: i128, max: i128) -> i128 {
        let candidate = match self.random.below(100) {
            0..40 if self.is_uniform() => None,
            0..60 if self.hints.bold => Some(self.boundary(min, max)),
            60..75 if self.hints.bold => Some(self.wide(min, max)),
            // Where there is nothing to relate to, all depends on the numbers themselves.
            0..20 if self.is_alone() => Some(self.boundary(min, max)),
            20..30 if self.is_alone() => Some(self.wide(min, max)),
            0..40 => self.related_int(),
            40..48 => self.literal_int(),
            48..55 => self.found_in_recent(Value::as_int),
            55..62 => Some(self.boundary(min, max)),
            62..65 => Some(self.wide(min, max)),
            _ => None,
        };
        match candidate {
            Some(value) if (min..=max).contains(&value) => value,
            _ => self.small_int(min, max),
        }
    }

    /// A number that may be a size, an index or a count: `usize`.
    pub fn size(&mut self, min: i128, max: i128) -> i128 {
        if self.hints.sizes == Sizes::Any && self.random.one_in(WRAPPING_EVERY) {
            return self.wrapping(max);
        }
        let size = self.int(min, max);
        let huge = size > HUGE && self.hints.sizes != Sizes::Any;
        let large = (LARGE..ABSURD).contains(&size) && !self.random.one_in(LARGE_EVERY);
        if huge || large { self.small_int(min, max) } else { size }
    }

    /// The key of a probe element: often one that is in a container of this call.
    pub fn key(&mut self) -> i64 {
        let elem = |value: &Value| match value {
            Value::Elem(key) => Some(*key),
            _ => None,
        };
        let found = match self.random.below(10) {
            0..4 => self.found_in_states(elem),
            4 => self.found_in_recent(elem),
            _ => None,
        };
        found.unwrap_or_else(|| {
            let keys = if self.is_uniform() { 64 } else { KEYS[self.random.below(KEYS.len())] };
            i64::try_from(self.random.below(keys)).unwrap_or(0)
        })
    }

    /// How far the ends of a range may lie apart.
    pub(crate) fn limit_width(&mut self, start: i128, end: i128) -> i128 {
        let width = end.saturating_sub(start);
        let huge = width > HUGE && self.hints.sizes != Sizes::Any;
        let large = width > LARGE && !self.random.one_in(LARGE_EVERY);
        if huge || large { start + self.random.below(64) as i128 } else { end }
    }

    /// Whether a call has no objects; the answers of closures are no calls.
    fn is_alone(&self) -> bool {
        self.hints.states.is_empty() && self.hints.settings.is_some()
    }

    /// Whether values are to have nothing to do with each other.
    fn is_uniform(&self) -> bool {
        self.hints.settings.is_some_and(|settings| settings.strategy == Strategy::Uniform)
    }

    /// How many items a made-up collection has.
    pub fn item_count(&mut self) -> usize {
        if self.depth >= MOST_DEPTH {
            return 0;
        }
        if self.hints.sizes == Sizes::Many && self.depth == 0 && self.random.one_in(MANY_EVERY) {
            return self.random.below(MANY_ITEMS);
        }
        match self.random.below(64) {
            0 => 9 + self.random.below(32),
            1..=8 => 5 + self.random.below(4),
            n => n % 5,
        }
    }

    /// A float that the subject writes somewhere, now and then.
    pub fn literal_float(&mut self) -> Option<Value> {
        let known = &self.hints.settings?.floats;
        if known.is_empty() || !self.random.one_in(5) {
            return None;
        }
        self.random.pick(known).cloned()
    }

    /// A value one level deeper, so that nested collections stay small.
    pub fn nested(&mut self, generate: fn(&mut Gen<'_>) -> Value) -> Value {
        self.depth += 1;
        let value = generate(self);
        self.depth -= 1;
        value
    }

    fn small_int(&mut self, min: i128, max: i128) -> i128 {
        let bound = if self.is_uniform() || self.random.one_in(4) { 20 } else { 5 };
        let small = self.random.below(bound);
        let small = i128::try_from(small).unwrap_or(0);
        let small = if min < 0 && self.random.one_in(3) { -small } else { small };
        small.clamp(min, max)
    }

    fn boundary(&mut self, min: i128, max: i128) -> i128 {
        // The very ends most of all.
        if self.random.one_in(3) {
            let ends = [min, max, min + 1, max - 1, 0, -1];
            return ends[self.random.below(ends.len())].clamp(min, max);
        }
        let edges = [min, min + 1, max, max - 1, max / 2, max / 2 + 1, 7, 8, 31, 32, 63, 64];
        let more = [100, 127, 128, 255, 256, 1000];
        let near = i128::try_from(2 + self.random.below(30)).unwrap_or(2);
        let bits = max.max(1).ilog2();
        let power = 1_i128 << self.random.below(bits as usize + 1);
        // What is added to a number close to the end of its type may come out at the beginning.
        let far = [max - near, max / 2 + near, min + near, power, power - 1, power + 1];
        let at = self.random.below(edges.len() + more.len() + far.len());
        edges.iter().chain(&more).chain(&far).nth(at).copied().unwrap_or(0)
    }

    /// A size whose sum with a small one, or whose product with itself or a small one, does not fit
    /// but comes out small: what checks the result and not the operands lets it pass.
    fn wrapping(&mut self, max: i128) -> i128 {
        let small = i128::try_from(1 + self.random.below(30)).unwrap_or(1);
        let half = 1_i128 << (max.max(1).ilog2() / 2 + 1);
        let sizes = [half, max / 2 + 1, max / 2 + 1 + small, max - small, max / (small + 1) + 1];
        sizes[self.random.below(sizes.len())].min(max)
    }

    /// A number of any length: as likely of ten bits as of sixty.
    fn wide(&mut self, min: i128, max: i128) -> i128 {
        let bits = self.random.below(max.max(1).ilog2() as usize + 1);
        let all = u128::from(self.random.bits()) << 64 | u128::from(self.random.bits());
        let size = i128::try_from(all >> (127 - bits)).unwrap_or(0);
        if min < 0 && self.random.one_in(2) { -size } else { size }
    }

    fn related_int(&mut self) -> Option<i128> {
        let near = [0, 0, 0, -1, 1][self.random.below(5)];
        let (places, share) = (self.random.one_in(4), self.random.below(1 << 16));
        // Of what is long, a place in it: inside a character, too.
        let place = |len: usize| i128::try_from((len * share) >> 16).ok();
        let number = |value: &Value| match value {
            Value::Str(text) => place(text.len() + 1),
            Value::Seq(items) if places => place(items.len() + 1),
            other => other.as_int(),
        };
        self.found_in_states(number).and_then(|value| value.checked_add(near))
    }

    fn literal_int(&mut self) -> Option<i128> {
        let integers = &self.hints.settings?.integers;
        self.random.pick(integers).copied().map(i128::from)
    }

    fn found_in_states<T>(&mut self, want: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let states = self.hints.states;
        (0..4).find_map(|_| {
            let state = self.random.pick(states)?;
            let value = self.random.pick(&state.values)?;
            descend(value, self.random, &want)
        })
    }

    fn found_in_recent<T>(&mut self, want: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let recent = self.hints.recent;
        (0..4).find_map(|_| descend(self.random.pick(recent)?, self.random, &want))
    }
}

/// Walks to some part of a value that is wanted.
fn descend<T>(
    value: &Value,
    random: &mut Random,
    want: &impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let mut at = value;
    for _ in 0..4 {
        if let Some(found) = want(at) {
            return Some(found);
        }
        at = match at {
            Value::Opt(Some(inner)) | Value::Res(_, inner) => inner,
            Value::Tuple(items) | Value::Seq(items) => random.pick(items)?,
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, rc::Rc};

    fn ints(states: &[Rc<State>], settings: &Settings) -> BTreeSet<i128> {
        let mut random = Random::new(5);
        let recent = &[Value::some(Value::Int(77))];
        let hints = Hints {
            states,
            recent,
            settings: Some(settings),
            sizes: Sizes::Any,
            ..Hints::default()
        };
        let mut source = Gen::new(&mut random, hints);
        (0..2000).map(|_| source.int(0, 255)).collect()
    }

    #[test]
    fn integers_are_related_to_the_objects_of_the_call_and_stay_in_range() {
        let state = Rc::new(State::of_values(vec![Value::Int(42), Value::Bool(true)]));
        let settings = Settings { integers: vec![91, 4000], ..Settings::default() };
        let seen = ints(&[state], &settings);
        for wanted in [0, 1, 41, 42, 43, 77, 91, 255] {
            assert!(seen.contains(&wanted), "{wanted} never came");
        }
        assert!(seen.iter().all(|value| (0..=255).contains(value)));
    }

    #[test]
    fn a_modest_epoch_makes_up_no_size_that_takes_all_memory() {
        let max = i128::from(u64::MAX);
        let settings = Settings { integers: vec![1 << 40], ..Settings::default() };
        let largest = |sizes| {
            let mut random = Random::new(5);
            let hints = Hints { settings: Some(&settings), sizes, ..Hints::default() };
            let mut source = Gen::new(&mut random, hints);
            (0..100_000).map(|_| source.size(0, max)).max()
        };
        assert_eq!(largest(Sizes::Any), Some(max));
        assert!(largest(Sizes::Modest) <= Some(HUGE));
    }

    #[test]
    fn a_place_in_a_text_may_lie_inside_a_character() {
        let states = [Rc::new(State::of_values(vec![Value::Str("ab→".to_owned())]))];
        let seen = ints(&states, &Settings::default());
        assert!((0..=6).all(|place| seen.contains(&place)));
    }

    #[test]
    fn collections_are_mostly_small_and_sometimes_of_forty_items() {
        let mut random = Random::new(5);
        let mut source = Gen::new(&mut random, Hints::default());
        let counts: Vec<usize> = (0..20_000).map(|_| source.item_count()).collect();
        assert_eq!(counts.iter().max(), Some(&40));
        let small = counts.iter().filter(|count| **count <= 8).count();
        assert!(small > 19_000 && counts.contains(&0), "{small}");
    }

    #[test]
    fn collections_of_many_items_come_only_where_there_are_many() {
        let mut random = Random::new(5);
        let hints = Hints { sizes: Sizes::Many, ..Hints::default() };
        let mut source = Gen::new(&mut random, hints);
        let many = (0..1_000).filter(|_| source.item_count() > 40).count();
        assert!((50..200).contains(&many), "{many}");
    }

    #[test]
    fn characters_and_floats_of_the_subject_come_now_and_then() {
        let (chars, floats) = (vec!['§'], vec![Value::Float(6.25)]);
        let settings = Settings { chars, floats, ..Settings::default() };
        let mut random = Random::new(5);
        let hints = Hints { settings: Some(&settings), ..Hints::default() };
        let mut source = Gen::new(&mut random, hints);
        let drawn: String = (0..200).map(|_| source.character()).collect();
        assert!(drawn.contains('§') && drawn.contains('a'));
        let known = (0..200).filter_map(|_| source.literal_float()).count();
        assert!((10..100).contains(&known), "{known}");
    }

    #[test]
    fn keys_are_found_inside_containers_of_the_call() {
        let seq = Value::Seq(vec![Value::Elem(1234)]);
        let states = [Rc::new(State::of_values(vec![seq]))];
        let mut random = Random::new(5);
        let hints = Hints { states: &states, ..Hints::default() };
        let mut source = Gen::new(&mut random, hints);
        let keys: Vec<i64> = (0..100).map(|_| source.key()).collect();
        assert!(keys.contains(&1234));
        assert!(keys.iter().any(|key| (0..8).contains(key)));
    }
}
