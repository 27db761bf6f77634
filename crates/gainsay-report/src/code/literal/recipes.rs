//! How values of std's types are written: one line per type. What a value means for its type is
//! the runtime's business; here it is repeated in words that a reader knows.

use gainsay_model::ty::{GenericArg, Ty};
use gainsay_wire::Value;
use proc_macro2::TokenStream;
use quote::quote;

use super::{Literals, special, tokens};

/// How to write a value of a type.
#[derive(Clone, Copy)]
pub(super) enum Recipe {
    /// `Type::new(value)`
    New,
    /// `Type::new()`
    NewEmpty,
    /// `Type::default()`
    Default,
    /// `Type(value)`
    Tuple,
    /// `Type`
    Bare,
    /// `Type::from("text")`
    Text,
    /// `Type::from([items])`
    Items,
    /// `Type::Variant`, by the value's number.
    Variant(&'static [&'static str]),
    /// An expression that does not name the type, by the value's number.
    Fixed(&'static [&'static str]),
    /// `function(value)`
    Call(&'static str),
    /// In its own way.
    Special(fn(&mut Literals<'_>, &Named<'_>) -> TokenStream),
}

/// A value of a named type.
pub(super) struct Named<'a> {
    /// The type's path.
    pub(super) path: &'a str,
    /// The type's arguments that are types.
    pub(super) types: Vec<Ty>,
    /// The value.
    pub(super) value: &'a Value,
}

impl Named<'_> {
    /// The first argument.
    pub(super) fn inner(&self) -> Ty {
        self.types.first().cloned().unwrap_or(Ty::Opaque)
    }

    /// The second argument.
    pub(super) fn second(&self) -> Ty {
        self.types.get(1).cloned().unwrap_or(Ty::Opaque)
    }

    /// The parts of the value.
    pub(super) fn parts(&self) -> &[Value] {
        match self.value {
            Value::Tuple(parts) | Value::Seq(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// A part that is a number.
    pub(super) fn number(&self, index: usize) -> i128 {
        self.parts().get(index).and_then(Value::as_int).unwrap_or(0)
    }
}

impl Literals<'_> {
    /// A value of one of std's types.
    pub(super) fn named(&mut self, value: &Value, path: &str, args: &[GenericArg]) -> TokenStream {
        let types = args.iter().filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(ty.clone()),
            GenericArg::Lifetime | GenericArg::Const(_) => None,
        });
        let named = Named { path, types: types.collect(), value };
        let name = path.strip_prefix("std::").unwrap_or_default();
        match RECIPES.iter().find(|(known, _)| *known == name) {
            Some((_, recipe)) => self.follow(*recipe, &named),
            None if name.starts_with("num::NonZero") => special::non_zero(self, &named),
            None if name.starts_with("sync::atomic::Atomic") => special::atomic(self, &named),
            None => self.by_value(value),
        }
    }

    fn follow(&mut self, recipe: Recipe, named: &Named<'_>) -> TokenStream {
        match recipe {
            Recipe::New => {
                let (name, value) = (self.name(named), self.write(named.value, &named.inner()));
                quote!(#name::new(#value))
            }
            Recipe::Tuple => {
                let (name, value) = (self.name(named), self.write(named.value, &named.inner()));
                quote!(#name(#value))
            }
            Recipe::Call(function) => {
                let (function, value) = (tokens(function), self.write(named.value, &named.inner()));
                quote!(#function(#value))
            }
            Recipe::NewEmpty => {
                let name = self.name(named);
                quote!(#name::new())
            }
            Recipe::Default => {
                let name = self.name(named);
                quote!(#name::default())
            }
            Recipe::Bare => self.name(named),
            Recipe::Text => special::text(self, named),
            Recipe::Items => special::items(self, named),
            Recipe::Variant(variants) => {
                let (name, variant) = (self.name(named), tokens(chosen(named.value, variants)));
                quote!(#name::#variant)
            }
            Recipe::Fixed(expressions) => tokens(chosen(named.value, expressions)),
            Recipe::Special(write) => write(self, named),
        }
    }

    /// The type's name; only asked for where it is written, or an import would be unused.
    pub(super) fn name(&mut self, named: &Named<'_>) -> TokenStream {
        self.imports.path(named.path)
    }
}

/// Whether there is a recipe for a path.
#[cfg(test)]
pub(super) fn is_known(path: &str) -> bool {
    RECIPES.iter().any(|(known, _)| path.strip_prefix("std::") == Some(known))
}

/// What a number chooses; the first for anything else, as in the runtime.
fn chosen(value: &Value, from: &[&'static str]) -> &'static str {
    let number = value.as_int().and_then(|number| usize::try_from(number).ok());
    number.and_then(|number| from.get(number)).unwrap_or(&from[0])
}

/// The kinds of errors in the runtime's order.
pub(super) const ERROR_KINDS: &[&str] = &[
    "Other",
    "UnexpectedEof",
    "NotFound",
    "Interrupted",
    "WouldBlock",
    "InvalidData",
    "InvalidInput",
    "WriteZero",
    "PermissionDenied",
    "AlreadyExists",
    "TimedOut",
    "BrokenPipe",
];

/// By path below `std`.
const RECIPES: &[(&str, Recipe)] = &[
    ("alloc::Layout", Recipe::Special(special::layout)),
    (
        "alloc::LayoutError",
        Recipe::Fixed(&["std::alloc::Layout::from_size_align(1, 3).unwrap_err()"]),
    ),
    ("borrow::Cow", Recipe::Special(special::cow)),
    ("boxed::Box", Recipe::Special(special::pointer)),
    ("cell::Cell", Recipe::New),
    ("cell::OnceCell", Recipe::Special(special::once)),
    ("cell::RefCell", Recipe::New),
    ("cell::UnsafeCell", Recipe::New),
    ("char::CharTryFromError", Recipe::Fixed(&["char::try_from(u32::MAX).unwrap_err()"])),
    (
        "char::DecodeUtf16Error",
        Recipe::Fixed(&["char::decode_utf16([0xd800]).find_map(Result::err).unwrap()"]),
    ),
    ("char::ParseCharError", Recipe::Fixed(&["\"xy\".parse::<char>().unwrap_err()"])),
    ("cmp::Reverse", Recipe::Tuple),
    ("collections::BTreeMap", Recipe::Items),
    ("collections::BTreeSet", Recipe::Items),
    ("collections::BinaryHeap", Recipe::Items),
    ("collections::HashMap", Recipe::Items),
    ("collections::HashSet", Recipe::Items),
    ("collections::LinkedList", Recipe::Items),
    ("collections::VecDeque", Recipe::Items),
    ("collections::hash_map::RandomState", Recipe::NewEmpty),
    ("collections::vec_deque::IntoIter", Recipe::Special(special::deque_iter)),
    ("ffi::CString", Recipe::Special(special::c_string)),
    (
        "ffi::FromBytesWithNulError",
        Recipe::Fixed(&["std::ffi::CStr::from_bytes_with_nul(b\"x\").unwrap_err()"]),
    ),
    ("ffi::NulError", Recipe::Fixed(&["std::ffi::CString::new(\"\\0\").unwrap_err()"])),
    ("ffi::OsString", Recipe::Text),
    ("fmt::Arguments", Recipe::Fixed(&["format_args!(\"some text\")"])),
    ("fmt::Error", Recipe::Fixed(&["std::fmt::Error"])),
    ("hash::BuildHasherDefault", Recipe::Default),
    ("hash::DefaultHasher", Recipe::NewEmpty),
    ("hash::RandomState", Recipe::NewEmpty),
    ("io::BufReader", Recipe::New),
    ("io::BufWriter", Recipe::New),
    ("io::Cursor", Recipe::New),
    ("io::Empty", Recipe::Fixed(&["std::io::empty()"])),
    ("io::Error", Recipe::Special(special::io_error)),
    ("io::ErrorKind", Recipe::Variant(ERROR_KINDS)),
    ("io::IoSlice", Recipe::Special(special::io_slice)),
    ("io::LineWriter", Recipe::New),
    ("io::SeekFrom", Recipe::Special(special::seek_from)),
    ("io::Sink", Recipe::Fixed(&["std::io::sink()"])),
    ("iter::Empty", Recipe::Fixed(&["std::iter::empty()"])),
    ("iter::Once", Recipe::Call("std::iter::once")),
    ("iter::Repeat", Recipe::Call("std::iter::repeat")),
    ("marker::PhantomData", Recipe::Bare),
    ("marker::PhantomPinned", Recipe::Bare),
    ("mem::ManuallyDrop", Recipe::New),
    ("mem::MaybeUninit", Recipe::New),
    ("net::AddrParseError", Recipe::Fixed(&["\"x\".parse::<std::net::IpAddr>().unwrap_err()"])),
    ("net::IpAddr", Recipe::Special(special::address)),
    ("net::Ipv4Addr", Recipe::Special(special::ipv4)),
    ("net::Ipv6Addr", Recipe::Special(special::ipv6)),
    ("net::SocketAddr", Recipe::Special(special::address)),
    ("net::SocketAddrV4", Recipe::Special(special::socket)),
    ("net::SocketAddrV6", Recipe::Special(special::socket)),
    (
        "num::IntErrorKind",
        Recipe::Variant(&["Empty", "InvalidDigit", "PosOverflow", "NegOverflow"]),
    ),
    ("num::NonZero", Recipe::Special(special::non_zero)),
    ("num::ParseFloatError", Recipe::Fixed(&["\"x\".parse::<f64>().unwrap_err()"])),
    (
        "num::ParseIntError",
        Recipe::Fixed(&[
            "\"\".parse::<i8>().unwrap_err()",
            "\"x\".parse::<i8>().unwrap_err()",
            "\"256\".parse::<i8>().unwrap_err()",
            "\"-129\".parse::<i8>().unwrap_err()",
        ]),
    ),
    ("num::Saturating", Recipe::Tuple),
    ("num::TryFromIntError", Recipe::Fixed(&["u8::try_from(-1).unwrap_err()"])),
    ("num::Wrapping", Recipe::Tuple),
    ("ops::Bound", Recipe::Special(special::bound)),
    ("ops::ControlFlow", Recipe::Special(special::control_flow)),
    ("ops::Range", Recipe::Special(special::range)),
    ("ops::RangeFrom", Recipe::Special(special::range)),
    ("ops::RangeFull", Recipe::Fixed(&[".."])),
    ("ops::RangeInclusive", Recipe::Special(special::range)),
    ("ops::RangeTo", Recipe::Special(special::range)),
    ("ops::RangeToInclusive", Recipe::Special(special::range)),
    ("option::IntoIter", Recipe::Special(special::option_iter)),
    ("option::Option", Recipe::Special(special::option)),
    ("panic::AssertUnwindSafe", Recipe::Tuple),
    ("path::PathBuf", Recipe::Text),
    ("pin::Pin", Recipe::Special(special::pinned)),
    ("rc::Rc", Recipe::Special(special::pointer)),
    ("result::Result", Recipe::Special(special::result)),
    ("str::CharIndices", Recipe::Special(special::char_indices)),
    ("str::Chars", Recipe::Special(special::chars)),
    ("str::ParseBoolError", Recipe::Fixed(&["\"x\".parse::<bool>().unwrap_err()"])),
    (
        "str::Utf8Error",
        Recipe::Fixed(&[
            "String::from_utf8(b\"\\xff\".to_vec()).unwrap_err().utf8_error()",
            "String::from_utf8(b\"a\\xc3\".to_vec()).unwrap_err().utf8_error()",
            "String::from_utf8(b\"ab\\xe2\\x82x\".to_vec()).unwrap_err().utf8_error()",
        ]),
    ),
    (
        "string::FromUtf8Error",
        Recipe::Fixed(&[
            "String::from_utf8(b\"\\xff\".to_vec()).unwrap_err()",
            "String::from_utf8(b\"a\\xc3\".to_vec()).unwrap_err()",
            "String::from_utf8(b\"ab\\xe2\\x82x\".to_vec()).unwrap_err()",
        ]),
    ),
    ("string::String", Recipe::Text),
    ("sync::Arc", Recipe::Special(special::pointer)),
    ("sync::Mutex", Recipe::New),
    ("sync::OnceLock", Recipe::Special(special::once)),
    ("sync::RwLock", Recipe::New),
    (
        "sync::atomic::Ordering",
        Recipe::Variant(&["SeqCst", "Relaxed", "Acquire", "Release", "AcqRel"]),
    ),
    ("task::Context", Recipe::Special(special::context)),
    ("task::Poll", Recipe::Special(special::poll)),
    ("task::Waker", Recipe::Fixed(&["std::task::Waker::noop().clone()"])),
    ("time::Duration", Recipe::Special(special::duration)),
    ("time::Instant", Recipe::Special(special::instant)),
    ("time::SystemTime", Recipe::Special(special::system_time)),
    (
        "time::SystemTimeError",
        Recipe::Fixed(&["std::time::SystemTime::UNIX_EPOCH\
                          .duration_since(std::time::SystemTime::UNIX_EPOCH \
                          + std::time::Duration::from_secs(1)).unwrap_err()"]),
    ),
    ("vec::IntoIter", Recipe::Special(special::vec_iter)),
    ("vec::Vec", Recipe::Special(special::vector)),
];
