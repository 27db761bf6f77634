//! What assertions of contracts call where Rust has no method for it. Never compiled here: each
//! function is copied into the tests that need it, and the tests of this directory compile them all.

fn count<T: PartialEq>(items: &[T], item: &T) -> usize {
    items.iter().filter(|other| *other == item).count()
}

fn index_of<T: PartialEq>(items: &[T], item: &T) -> Option<usize> {
    items.iter().position(|other| other == item)
}

fn reverse<T: Clone>(items: &[T]) -> Vec<T> {
    items.iter().rev().cloned().collect()
}

fn sort<T: Clone + Ord>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort();
    items
}

fn distinct<T: PartialEq>(items: &[T]) -> bool {
    (1..items.len()).all(|at| !items[..at].contains(&items[at]))
}

fn permutation<T: PartialEq>(items: &[T], others: &[T]) -> bool {
    let times = |all: &[T], item: &T| all.iter().filter(|other| *other == item).count();
    items.len() == others.len() && items.iter().all(|item| times(items, item) == times(others, item))
}

fn subset<T: PartialEq>(items: &[T], others: &[T]) -> bool {
    items.iter().all(|item| others.contains(item))
}

fn subsequence<T: PartialEq>(items: &[T], whole: &[T]) -> bool {
    let mut rest = whole.iter();
    items.iter().all(|item| rest.any(|other| other == item))
}

fn rotate<T: Clone>(items: &[T], by: usize) -> Vec<T> {
    let mut items = items.to_vec();
    items.rotate_left(by);
    items
}

fn swap<T: Clone>(items: &[T], a: usize, b: usize) -> Vec<T> {
    let mut items = items.to_vec();
    items.swap(a, b);
    items
}

fn insert<T: Clone>(items: &[T], at: usize, item: T) -> Vec<T> {
    let mut items = items.to_vec();
    items.insert(at, item);
    items
}

fn remove<T: Clone>(items: &[T], at: usize) -> Vec<T> {
    let mut items = items.to_vec();
    items.remove(at);
    items
}

fn swap_remove<T: Clone>(items: &[T], at: usize) -> Vec<T> {
    let mut items = items.to_vec();
    items.swap_remove(at);
    items
}

fn put<T: Clone>(items: &[T], at: usize, item: T) -> Vec<T> {
    let mut items = items.to_vec();
    items[at] = item;
    items
}

fn dedup<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.dedup();
    items
}

fn keys<K: Clone, V>(pairs: &[(K, V)]) -> Vec<K> {
    pairs.iter().map(|(key, _)| key.clone()).collect()
}

fn values<K, V: Clone>(pairs: &[(K, V)]) -> Vec<V> {
    pairs.iter().map(|(_, value)| value.clone()).collect()
}

fn lookup<K: PartialEq, V: Clone>(pairs: &[(K, V)], key: &K) -> Option<V> {
    pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

fn with<K: Clone + PartialEq, V: Clone>(pairs: &[(K, V)], key: K, value: V) -> Vec<(K, V)> {
    let mut pairs = pairs.to_vec();
    match pairs.iter_mut().find(|(known, _)| *known == key) {
        Some(pair) => *pair = (key, value),
        None => pairs.push((key, value)),
    }
    pairs
}

fn merge<K: Clone + PartialEq, V: Clone>(pairs: &[(K, V)], more: &[(K, V)]) -> Vec<(K, V)> {
    let mut merged = pairs.to_vec();
    for (key, value) in more {
        match merged.iter_mut().find(|(known, _)| known == key) {
            Some(pair) => *pair = (key.clone(), value.clone()),
            None => merged.push((key.clone(), value.clone())),
        }
    }
    merged
}

/// What an element is known by: itself, or its key if it is a pair.
trait HasKey<K> {
    fn has_key(&self, key: &K) -> bool;
}

impl<K: PartialEq> HasKey<K> for K {
    fn has_key(&self, key: &K) -> bool {
        self == key
    }
}

impl<K: PartialEq, V> HasKey<K> for (K, V) {
    fn has_key(&self, key: &K) -> bool {
        self.0 == *key
    }
}

fn without<T: Clone + HasKey<K>, K>(items: &[T], key: &K) -> Vec<T> {
    items.iter().filter(|item| !item.has_key(key)).cloned().collect()
}

fn set<T: Clone + Ord>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort();
    items.dedup();
    items
}

fn union<T: Clone + Ord>(items: &[T], others: &[T]) -> Vec<T> {
    let mut all = [items, others].concat();
    all.sort();
    all.dedup();
    all
}

fn intersection<T: Clone + Ord>(items: &[T], others: &[T]) -> Vec<T> {
    let mut all: Vec<T> = items.iter().filter(|item| others.contains(item)).cloned().collect();
    all.sort();
    all.dedup();
    all
}

fn difference<T: Clone + Ord>(items: &[T], others: &[T]) -> Vec<T> {
    let mut all: Vec<T> = items.iter().filter(|item| !others.contains(item)).cloned().collect();
    all.sort();
    all.dedup();
    all
}

fn symmetric<T: Clone + Ord>(items: &[T], others: &[T]) -> Vec<T> {
    let ours = items.iter().filter(|item| !others.contains(item));
    let theirs = others.iter().filter(|item| !items.contains(item));
    let mut all: Vec<T> = ours.chain(theirs).cloned().collect();
    all.sort();
    all.dedup();
    all
}
