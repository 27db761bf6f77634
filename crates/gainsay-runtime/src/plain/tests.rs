//! Every plain type: what it makes up can be made, and anything else makes a default.

use std::{
    alloc::{Layout, LayoutError},
    borrow::Cow,
    cell::OnceCell,
    char::DecodeUtf16Error,
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    ffi::{CString, NulError, OsString},
    fmt,
    hash::{BuildHasherDefault, DefaultHasher, RandomState},
    io::{self, Cursor, IoSlice},
    iter,
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit},
    net::{IpAddr, SocketAddr},
    num::{NonZero, ParseIntError, Saturating, Wrapping},
    ops::{Bound, ControlFlow, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo},
    path::{Path, PathBuf},
    pin::Pin,
    rc::Rc,
    str::{Chars, Utf8Error},
    string::FromUtf8Error,
    sync::{
        Arc, Mutex, OnceLock, RwLock,
        atomic::{self, AtomicU8},
    },
    task::{self, Poll, Waker},
    time::{Duration, Instant, SystemTime},
    vec,
};

use super::*;
use crate::{Random, generate::Hints};

fn rubbish() -> Vec<Value> {
    vec![
        Value::Undefined,
        Value::Unit,
        Value::Int(i128::MAX),
        Value::Int(-1),
        Value::Float(f64::NAN),
        Value::Str("x".into()),
        Value::none(),
        Value::some(Value::Unit),
        Value::err(Value::Unit),
        Value::Tuple(vec![Value::Unit]),
        Value::Seq(vec![Value::Tuple(vec![]), Value::Object]),
        Value::Token(3),
    ]
}

fn check<P: Plain>() {
    let mut random = Random::new(1);
    let mut source = Gen::new(&mut random, Hints::default());
    for _ in 0..200 {
        let literal = P::generate(&mut source);
        drop(P::make(&literal));
    }
    for value in rubbish() {
        drop(P::make(&value));
    }
}

macro_rules! check_all {
    ($($ty:ty),* $(,)?) => { $( check::<$ty>(); )* };
}

#[test]
fn every_plain_type_makes_what_it_made_up_and_survives_rubbish() {
    let _alone = crate::worker::alone();
    check_all!(bool, char, u8, u64, u128, usize, i8, i128, isize, f32, f64, (), Ordering);
    check_all!(String, Box<str>, Cow<'static, str>, PathBuf, OsString, Probe);
    check_all!(Option<Probe>, Result<u8, String>, Vec<Vec<Vec<Probe>>>, Box<u8>, Box<[u8]>);
    check_all!(Rc<Probe>, Arc<u8>, [Probe; 3], [u8; 0], (u8,), (u8, i8, (), char, bool, f64));
    check_all!(VecDeque<u8>, HashMap<String, Probe>, BTreeMap<u8, Probe>, BTreeSet<Probe>);
    check_all!(HashSet<Probe, BuildHasherDefault<DefaultHasher>>, Cursor<Vec<u8>>, Bound<u8>);
    check_all!(Range<usize>, RangeInclusive<u8>, RangeFrom<i64>, RangeTo<usize>, RangeFull);
    check_all!(IpAddr, SocketAddr, SystemTime, Instant, Layout, atomic::Ordering, AtomicU8);
    check_all!(io::Error, io::ErrorKind, io::SeekFrom, io::BufReader<Cursor<Vec<u8>>>, io::Sink);
    check_all!(Mutex<Probe>, RwLock<u8>, OnceCell<u8>, OnceLock<u8>, Poll<u8>, Waker);
    check_all!(MaybeUninit<u8>, ManuallyDrop<u8>, Reverse<u8>, Saturating<u8>, Pin<Box<Probe>>);
    check_all!(ParseIntError, Utf8Error, FromUtf8Error, DecodeUtf16Error, LayoutError, NulError);
    check_all!(CString, Cow<'static, Path>, Cow<'static, [Probe]>, Box<Path>, vec::IntoIter<u8>);
    check_all!(task::Context<'static>, fmt::Arguments<'static>, Chars<'static>, IoSlice<'static>);
    check_all!(ControlFlow<u8, Probe>, iter::Once<u8>, (u8, u8, u8, u8, u8, u8, u8, u8, u8));
    check_all!(Duration, NonZero<u32>, NonZero<i8>, Wrapping<u8>, RandomState, PhantomData<u8>);
}

#[test]
fn literals_keep_their_content() {
    assert_eq!(u8::make(&Value::Int(200)), 200);
    assert_eq!(u8::make(&Value::Int(300)), 0);
    assert_eq!(<(u8, String)>::make(&Value::Tuple(vec![Value::Int(1)])), (1, String::new()));
    assert_eq!(Vec::<u8>::make(&Value::Seq(vec![Value::Int(1), Value::Int(2)])), [1, 2]);
    assert_eq!(Range::make(&Value::Tuple(vec![Value::Int(1), Value::Int(4)])), 1..4_usize);
    let pair = Value::Tuple(vec![Value::Int(1), Value::Char('x')]);
    assert_eq!(BTreeMap::make(&Value::Seq(vec![pair])), BTreeMap::from([(1_u8, 'x')]));
    assert_eq!(Duration::make(&Value::Int(5)), Duration::from_nanos(5));
}

#[test]
fn bytes_are_often_those_of_a_text_that_the_subject_knows() {
    let settings = gainsay_wire::Settings { strings: vec!["GET /".into()], ..Default::default() };
    let mut random = Random::new(5);
    let hints = Hints { settings: Some(&settings), ..Hints::default() };
    let mut source = Gen::new(&mut random, hints);
    let made: Vec<Vec<u8>> =
        (0..1000).map(|_| Vec::make(&Vec::<u8>::generate(&mut source))).collect();
    let known = made.iter().filter(|bytes| *bytes == b"GET /").count();
    assert!((50..500).contains(&known), "{known}");
}
