//! Readers and writers over bytes in memory.

use std::io::{BufReader, BufWriter, Cursor, Empty, LineWriter, Read, SeekFrom, Sink, Write};

use gainsay_wire::Value;

use super::Plain;
use crate::Gen;

macro_rules! plain_around {
    ($($ty:ident of $bound:path;)*) => {$(
        impl<P: Plain + $bound> Plain for $ty<P> {
            fn generate(source: &mut Gen<'_>) -> Value {
                P::generate(source)
            }
            fn make(value: &Value) -> Self {
                $ty::new(P::make(value))
            }
        }
    )*};
}
plain_around! {
    Cursor of Sized;
    BufReader of Read;
    BufWriter of Write;
    LineWriter of Write;
}

plain_unit! {
    [] Empty = std::io::empty();
    [] Sink = std::io::sink();
}

/// A pair: from where (start, end, here), and how far.
impl Plain for SeekFrom {
    fn generate(source: &mut Gen<'_>) -> Value {
        let from = i128::try_from(source.random().below(3)).unwrap_or(0);
        let range = if from == 0 { (0, i128::from(u64::MAX)) } else { (-40, 40) };
        Value::Tuple(vec![Value::Int(from), Value::Int(source.int(range.0, range.1))])
    }
    fn make(value: &Value) -> Self {
        match <(u8, i128)>::make(value) {
            (1, by) => SeekFrom::End(i64::try_from(by).unwrap_or(0)),
            (2, by) => SeekFrom::Current(i64::try_from(by).unwrap_or(0)),
            (_, at) => SeekFrom::Start(u64::try_from(at).unwrap_or(0)),
        }
    }
}
