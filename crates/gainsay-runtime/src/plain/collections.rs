//! Collections of plain values. Their literals are sequences; of maps, sequences of pairs.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    hash::{BuildHasher, Hash},
};

use gainsay_wire::Value;

use super::{Plain, generate_items, generate_many, items};
use crate::Gen;

macro_rules! plain_collection {
    ($($ty:ty where $bound:path;)*) => {$(
        impl<P: Plain + $bound> Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                generate_many::<P>(source)
            }
            fn make(value: &Value) -> $ty {
                items(value).iter().map(P::make).collect()
            }
        }
    )*};
}
plain_collection! {
    Vec<P> where Sized;
    Box<[P]> where Sized;
    std::rc::Rc<[P]> where Sized;
    std::sync::Arc<[P]> where Sized;
    VecDeque<P> where Sized;
    std::borrow::Cow<'static, [P]> where Clone;
    LinkedList<P> where Sized;
    BTreeSet<P> where Ord;
    BinaryHeap<P> where Ord;
}

macro_rules! plain_iterator {
    ($($ty:ty => $from:ty;)*) => {$(
        /// What is left of a collection.
        impl<P: Plain> Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$from>::generate(source)
            }
            fn make(value: &Value) -> Self {
                <$from>::make(value).into_iter()
            }
        }
    )*};
}
plain_iterator! {
    std::vec::IntoIter<P> => Vec<P>;
    std::option::IntoIter<P> => Option<P>;
    std::collections::vec_deque::IntoIter<P> => VecDeque<P>;
}

impl<P: Plain + Hash + Eq, S: BuildHasher + Default + 'static> Plain for HashSet<P, S> {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_items(source, P::generate)
    }
    fn make(value: &Value) -> Self {
        items(value).iter().map(P::make).collect()
    }
}

impl<K: Plain + Ord, V: Plain> Plain for BTreeMap<K, V> {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_items(source, <(K, V)>::generate)
    }
    fn make(value: &Value) -> Self {
        items(value).iter().map(<(K, V)>::make).collect()
    }
}

impl<K: Plain + Hash + Eq, V: Plain, S: BuildHasher + Default + 'static> Plain
    for HashMap<K, V, S>
{
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_items(source, <(K, V)>::generate)
    }
    fn make(value: &Value) -> Self {
        items(value).iter().map(<(K, V)>::make).collect()
    }
}

impl<P: Plain, const N: usize> Plain for [P; N] {
    fn generate(source: &mut Gen<'_>) -> Value {
        Value::Seq((0..N).map(|_| source.nested(P::generate)).collect())
    }
    fn make(value: &Value) -> Self {
        let items = items(value);
        std::array::from_fn(|i| P::make(items.get(i).unwrap_or(&Value::Undefined)))
    }
}

macro_rules! plain_tuple {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Plain),+> Plain for ($($name,)+) {
            fn generate(source: &mut Gen<'_>) -> Value {
                Value::Tuple(vec![$(source.nested($name::generate)),+])
            }
            fn make(value: &Value) -> Self {
                let items = items(value);
                ($($name::make(items.get($at).unwrap_or(&Value::Undefined)),)+)
            }
        }
    };
}
plain_tuple!(A 0);
plain_tuple!(A 0, B 1);
plain_tuple!(A 0, B 1, C 2);
plain_tuple!(A 0, B 1, C 2, D 3);
plain_tuple!(A 0, B 1, C 2, D 3, E 4);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
plain_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
