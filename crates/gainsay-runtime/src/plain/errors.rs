//! std's errors: few have constructors, so they are made by what fails.

use std::{
    alloc::{Layout, LayoutError},
    char::{CharTryFromError, DecodeUtf16Error, ParseCharError},
    ffi::{FromBytesWithNulError, NulError},
    fmt,
    io::{self, ErrorKind},
    net::AddrParseError,
    num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError},
    str::{ParseBoolError, Utf8Error},
    string::FromUtf8Error,
    time::{Duration, SystemTime, SystemTimeError},
};

use gainsay_wire::Value;

use super::{Plain, choice, generate_choice};
use crate::Gen;

const KINDS: &[ErrorKind] = &[
    ErrorKind::Other,
    ErrorKind::UnexpectedEof,
    ErrorKind::NotFound,
    ErrorKind::Interrupted,
    ErrorKind::WouldBlock,
    ErrorKind::InvalidData,
    ErrorKind::InvalidInput,
    ErrorKind::WriteZero,
    ErrorKind::PermissionDenied,
    ErrorKind::AlreadyExists,
    ErrorKind::TimedOut,
    ErrorKind::BrokenPipe,
];

/// Which of the kinds.
impl Plain for ErrorKind {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_choice(source, KINDS)
    }
    fn make(value: &Value) -> Self {
        *choice(value, KINDS)
    }
}

impl Plain for io::Error {
    fn generate(source: &mut Gen<'_>) -> Value {
        ErrorKind::generate(source)
    }
    fn make(value: &Value) -> Self {
        io::Error::from(ErrorKind::make(value))
    }
}

/// Texts that are no integers, each for another reason.
const NOT_INTEGERS: &[&str] = &["", "x", "256", "-129"];

impl Plain for ParseIntError {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_choice(source, NOT_INTEGERS)
    }
    fn make(value: &Value) -> Self {
        let failed = choice(value, NOT_INTEGERS).parse::<i8>();
        failed.expect_err("none of the texts is an i8")
    }
}

impl Plain for IntErrorKind {
    fn generate(source: &mut Gen<'_>) -> Value {
        ParseIntError::generate(source)
    }
    fn make(value: &Value) -> Self {
        *ParseIntError::make(value).kind()
    }
}

/// Bytes that are no UTF-8: cut short, or wrong.
const NOT_UTF8: &[&[u8]] = &[b"\xff", b"a\xc3", b"ab\xe2\x82x"];

impl Plain for Utf8Error {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_choice(source, NOT_UTF8)
    }
    fn make(value: &Value) -> Self {
        std::str::from_utf8(choice::<&[u8]>(value, NOT_UTF8))
            .expect_err("none of the bytes are UTF-8")
    }
}

impl Plain for FromUtf8Error {
    fn generate(source: &mut Gen<'_>) -> Value {
        Utf8Error::generate(source)
    }
    fn make(value: &Value) -> Self {
        let bytes = choice(value, NOT_UTF8).to_vec();
        String::from_utf8(bytes).expect_err("none of the bytes are UTF-8")
    }
}

plain_unit! {
    [] fmt::Error = fmt::Error;
    [] ParseFloatError = "x".parse::<f64>().expect_err("x is no number");
    [] ParseBoolError = "x".parse::<bool>().expect_err("x is no truth value");
    [] ParseCharError = "xy".parse::<char>().expect_err("two characters are not one");
    [] CharTryFromError = char::try_from(u32::MAX).expect_err("there are fewer characters");
    [] TryFromIntError = u8::try_from(-1_i32).expect_err("u8 is not signed");
    [] AddrParseError = "x".parse::<std::net::IpAddr>().expect_err("x is no address");
    [] NulError = std::ffi::CString::new("\0").expect_err("there is a zero inside");
    [] FromBytesWithNulError =
        std::ffi::CStr::from_bytes_with_nul(b"x").expect_err("there is no zero at the end");
    [] LayoutError = Layout::from_size_align(1, 3).expect_err("three is no power of two");
    [] DecodeUtf16Error = char::decode_utf16([0xd800]).find_map(Result::err).expect("it is unpaired");
    [] SystemTimeError = SystemTime::UNIX_EPOCH
        .duration_since(SystemTime::UNIX_EPOCH + Duration::from_secs(1))
        .expect_err("the second is later");
}
