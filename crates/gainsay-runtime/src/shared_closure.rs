//! A closure of the family behind a handle that fits every bound a parameter may have: it can be
//! cloned, sent, shared and kept.

use std::sync::{Arc, Mutex, PoisonError};

use gainsay_wire::Value;

use crate::{Closure, Plain};

/// A closure argument; clones share what they count.
#[derive(Clone, Debug)]
pub struct SharedClosure(Arc<Mutex<Closure>>);

impl SharedClosure {
    /// Shares a closure.
    pub fn new(closure: Closure) -> SharedClosure {
        SharedClosure(Arc::new(Mutex::new(closure)))
    }

    /// The answer to what the closure was called with.
    pub fn answer<R: Plain>(&self, seen: &[Value]) -> R {
        // Making an answer may panic on purpose; the closure is as good as before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answer(seen)
    }

    /// Writes to what the closure was lent, if it is one that writes.
    pub fn overwrite<T: Plain>(&self, place: &mut T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).overwrite(place);
    }
}

/// The answer of a function pointer, which cannot hold a closure's state.
pub fn fixed_answer<R: Plain>(seen: &[Value]) -> R {
    Closure::new(&Value::Unit).answer(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_count_together() {
        let counting = || Closure::new(&Value::Tuple(vec![Value::Int(3), Value::Int(3)]));
        let mut alone = counting();
        let expected = [(); 20].map(|()| alone.answer::<u64>(&[]));
        assert!(expected.windows(2).any(|pair| pair[0] != pair[1]));
        let closure = SharedClosure::new(counting());
        assert_eq!([(); 20].map(|()| closure.clone().answer::<u64>(&[])), expected);
    }
}
