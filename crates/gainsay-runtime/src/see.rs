//! How values of the subject become [`Value`]s: exactly where the type is known, as a digest
//! where it can be hashed or printed, and otherwise not at all.
//!
//! The choice is made per concrete type by autoref specialisation (`value!`, `drain!`); it does
//! not work in generic code.

use std::{
    cell::RefCell,
    fmt::{Debug, Write as _},
    hash::{Hash, Hasher as _},
    hint::black_box,
    panic::{AssertUnwindSafe, catch_unwind},
};

use gainsay_wire::{Misuse, Mix, Value};

use crate::probe;

mod drain;
mod known;

pub use drain::{
    Drain, DrainAny, DrainDebugItems, DrainDebugged, DrainHashed, DrainHashedItems, DrainItems,
    DrainSeen, DrainSeenItems,
};

/// A type whose values can be seen exactly.
pub trait See {
    /// What is seen.
    fn see(&self) -> Value;
}

/// Sequences of more items are seen as a digest of all: a cut one would look like another.
pub const MOST_ITEMS: usize = 64;
/// Nothing counts further than this.
const MOST_COUNTED: usize = 10_000;
/// Texts of more bytes are seen as a digest.
const MOST_TEXT: usize = 1024;

thread_local! {
    static SPARE: RefCell<Vec<Vec<Value>>> = const { RefCell::new(Vec::new()) };
}

/// Lists that are kept for the next sequences.
const MOST_SPARE: usize = 8;

/// Takes values back that nobody needs any more: most looks at an object show what is known.
pub(crate) fn recycle(values: &mut Vec<Value>) {
    for value in values.drain(..) {
        if let Value::Seq(mut items) = value {
            items.clear();
            SPARE.with_borrow_mut(|spare| {
                if spare.len() < MOST_SPARE {
                    spare.push(items);
                }
            });
        }
    }
}

/// The sequence of what an iterator yields.
pub fn sequence(items: impl Iterator<Item = Value>) -> Value {
    let mut first = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    let mut digest: Option<Mix> = None;
    for (i, item) in items.enumerate() {
        if i >= MOST_ITEMS {
            crate::view::note_effort();
        }
        match &mut digest {
            None if i < MOST_ITEMS => first.push(item),
            None => {
                let mut all = Mix::new();
                first.iter().chain([&item]).for_each(|item| item.hash(&mut all));
                digest = Some(all);
            }
            Some(_) if i == MOST_COUNTED => {
                crate::view::note_oversize();
                break;
            }
            Some(digest) => item.hash(digest),
        }
    }
    digest.map_or(Value::Seq(first), |digest| Value::Token(digest.finish()))
}

/// What an iterator yields, in the order of the values: for collections whose own order says
/// nothing.
pub fn bag(items: impl Iterator<Item = Value>) -> Value {
    let mut items: Vec<Value> = items.take(MOST_COUNTED + 1).collect();
    items.sort();
    sequence(items.into_iter())
}

/// A digest of a value's debug text, as a view.
pub fn debug_digest<T: Debug + ?Sized>(value: &T) -> Value {
    debug_token(value)
}

/// A text as it is, or a digest of a long one.
pub(crate) fn text(text: &str) -> Value {
    // The compiler takes it for granted that a text is one.
    let bytes = black_box(text.as_bytes());
    if text.len() <= MOST_TEXT {
        let text = std::str::from_utf8(bytes).map(|text| Value::Str(text.to_owned()));
        text.unwrap_or_else(|_| bad_text(Mix::of_bytes(bytes)))
    } else {
        Value::Token(Mix::of_bytes(text.as_bytes()))
    }
}

/// A character, if it is one.
pub(crate) fn character(value: char) -> Value {
    let code = black_box(u32::from(value));
    char::from_u32(code).map_or_else(|| bad_text(code.into()), Value::Char)
}

/// What cannot be a text can only be told apart.
fn bad_text(digest: u64) -> Value {
    probe::record(Misuse::BadText);
    Value::Token(digest)
}

/// A digest of a value's hash. The subject's `Hash` may panic: then there is nothing to see.
pub(crate) fn hash_token<T: Hash + ?Sized>(value: &T) -> Value {
    let digest = catch_unwind(AssertUnwindSafe(|| hash_digest(value)));
    digest.map_or(Value::Undefined, Value::Token)
}

pub(crate) fn hash_digest<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut digest = Mix::new();
    value.hash(&mut digest);
    digest.finish()
}

/// A digest of a value's debug text.
pub(crate) fn debug_token<T: Debug + ?Sized>(value: &T) -> Value {
    let write = || {
        let mut text = String::new();
        write!(text, "{value:?}").is_ok().then_some(text)
    };
    match catch_unwind(AssertUnwindSafe(write)) {
        Ok(Some(text)) => text_token(&text),
        _ => Value::Undefined,
    }
}

/// A digest of a text; a text with an address in it means something else in each process.
pub(crate) fn text_token(text: &str) -> Value {
    if has_address(text) { Value::Undefined } else { Value::Token(Mix::of_bytes(text.as_bytes())) }
}

pub(crate) fn has_address(text: &str) -> bool {
    text.match_indices("0x").any(|(at, _)| {
        let digits = text[at + 2..].bytes().take(6);
        digits.filter(u8::is_ascii_hexdigit).count() == 6
    })
}

/// A reference to what is looked at; `value!` asks it in order of preference.
pub struct Seen<'a, T: ?Sized>(pub &'a T);

/// First choice: the type is known.
pub trait ByItself {
    /// What is seen.
    fn value_seen(&self) -> Value;
}
/// Second choice: a digest of its hash.
pub trait ByHash {
    /// What is seen.
    fn value_seen(&self) -> Value;
}
/// Third choice: a digest of its debug text.
pub trait ByDebug {
    /// What is seen.
    fn value_seen(&self) -> Value;
}
/// Last choice: nothing can be seen.
pub trait NotAtAll {
    /// What is seen.
    fn value_seen(&self) -> Value;
}

impl<T: See + ?Sized> ByItself for &&&Seen<'_, T> {
    fn value_seen(&self) -> Value {
        self.0.see()
    }
}
impl<T: Hash + ?Sized> ByHash for &&Seen<'_, T> {
    fn value_seen(&self) -> Value {
        hash_token(self.0)
    }
}
impl<T: Debug + ?Sized> ByDebug for &Seen<'_, T> {
    fn value_seen(&self) -> Value {
        debug_token(self.0)
    }
}
impl<T: ?Sized> NotAtAll for Seen<'_, T> {
    fn value_seen(&self) -> Value {
        Value::Object
    }
}

/// What is seen of the value behind a reference.
#[macro_export]
macro_rules! value {
    ($reference:expr) => {{
        #[allow(unused_imports)]
        use $crate::see::{ByDebug as _, ByHash as _, ByItself as _, NotAtAll as _};
        (&&&&$crate::see::Seen($reference)).value_seen()
    }};
}

/// The first items of an owned iterator, or what is seen of any other owned value.
#[macro_export]
macro_rules! drain {
    ($owned:expr) => {{
        #[allow(unused_imports)]
        use $crate::see::{
            DrainAny as _, DrainDebugItems as _, DrainDebugged as _, DrainHashed as _,
            DrainHashedItems as _, DrainItems as _, DrainSeen as _, DrainSeenItems as _,
        };
        (&&&&&&&&$crate::see::Drain::new($owned)).value_drained()
    }};
}

#[cfg(test)]
mod tests;
