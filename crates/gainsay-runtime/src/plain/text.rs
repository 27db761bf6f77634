//! Characters, texts and paths.

use std::{borrow::Cow, ffi::OsString, path::PathBuf};

use gainsay_wire::Value;

use super::Plain;
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
