//! Characters, texts and paths.

use std::{
    borrow::Cow,
    ffi::{CStr, CString, OsStr, OsString},
    fmt::Arguments,
    io::IoSlice,
    path::{Path, PathBuf},
    str::{CharIndices, Chars},
};

use gainsay_wire::Value;

use super::{Plain, choice, generate_choice};
use crate::Gen;

impl Plain for char {
    fn generate(source: &mut Gen<'_>) -> Value {
        Value::Char(source.character())
    }
    fn make(value: &Value) -> char {
        match value {
            Value::Char(c) => *c,
            _ => 'a',
        }
    }
}

impl Plain for String {
    fn generate(source: &mut Gen<'_>) -> Value {
        Value::Str(source.text())
    }
    fn make(value: &Value) -> String {
        match value {
            Value::Str(text) => text.clone(),
            _ => String::new(),
        }
    }
}

macro_rules! plain_text {
    ($($ty:ty),*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                String::generate(source)
            }
            fn make(value: &Value) -> $ty {
                String::make(value).into()
            }
        }
    )*};
}
plain_text!(Box<str>, std::rc::Rc<str>, std::sync::Arc<str>, OsString, PathBuf, Cow<'static, str>);

macro_rules! plain_cow {
    ($($ty:ty as $owned:ty;)*) => {$(
        impl Plain for Cow<'static, $ty> {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$owned>::generate(source)
            }
            fn make(value: &Value) -> Self {
                Cow::Owned(<$owned>::make(value))
            }
        }
    )*};
}
macro_rules! plain_unsized {
    ($($ty:ty => $owned:ty;)*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$owned>::generate(source)
            }
            fn make(value: &Value) -> Self {
                <$owned>::make(value).into()
            }
        }
    )*};
}
plain_unsized! {
    Box<Path> => PathBuf;
    std::rc::Rc<Path> => PathBuf;
    std::sync::Arc<Path> => PathBuf;
    Box<OsStr> => OsString;
    std::sync::Arc<OsStr> => OsString;
    Box<CStr> => CString;
}

plain_cow! {
    Path as PathBuf;
    OsStr as OsString;
    CStr as CString;
}

/// A text without its zeros.
impl Plain for CString {
    fn generate(source: &mut Gen<'_>) -> Value {
        String::generate(source)
    }
    fn make(value: &Value) -> CString {
        let text: String = String::make(value).chars().filter(|c| *c != '\0').collect();
        CString::new(text).unwrap_or_default()
    }
}

/// Texts that live for ever, for what borrows from one.
const TEXTS: &[&str] = &["abc", "", "a", "a b", "aß→🦀", "12.5", "x=1;y=2", "line\nline\r\n"];

macro_rules! plain_borrower {
    ($($ty:ty: |$text:ident| $make:expr;)*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                generate_choice(source, TEXTS)
            }
            fn make(value: &Value) -> Self {
                let $text: &'static str = choice::<&'static str>(value, TEXTS);
                $make
            }
        }
    )*};
}
plain_borrower! {
    Chars<'static>: |text| text.chars();
    CharIndices<'static>: |text| text.char_indices();
    IoSlice<'static>: |text| IoSlice::new(text.as_bytes());
}

impl Plain for Arguments<'static> {
    fn generate(_: &mut Gen<'_>) -> Value {
        Value::Unit
    }
    fn make(_: &Value) -> Self {
        format_args!("some text")
    }
}
