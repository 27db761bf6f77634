//! std's types that the runtime makes values of: one table for all stages.

use crate::ty::{GenericArg, Ty};

/// True if values of a type can be made on the spot, with nothing of the subject in them.
pub fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Unit | Ty::Prim(_) | Ty::Probe => true,
        Ty::Array(item, _) => is_plain(item),
        Ty::Tuple(items) => items.len() <= LONGEST_TUPLE && items.iter().all(is_plain),
        Ty::Path { path, args } => {
            path.strip_prefix("std::").is_some_and(|path| is_plain_path(path, args))
        }
        Ty::Never
        | Ty::Str
        | Ty::Ref { .. }
        | Ty::Slice(_)
        | Ty::Closure { .. }
        | Ty::Iter { .. }
        | Ty::Opaque => false,
    }
}

/// True if values of this type, named by its public path, can be made when values of its
/// arguments can.
pub fn is_plain_std(path: &str) -> bool {
    let Some(name) = path.strip_prefix("std::") else { return false };
    ALWAYS.contains(&name)
        || BY_ARGUMENTS.contains(&name)
        || POINTERS.contains(&name)
        || matches!(name, "borrow::Cow" | "pin::Pin")
        || is_number_alias(name)
}

/// The paths of all such types but the aliases of numbers.
pub fn plain_std_paths() -> impl Iterator<Item = String> {
    let odd = ["borrow::Cow", "pin::Pin"];
    let all = ALWAYS.iter().chain(BY_ARGUMENTS).chain(POINTERS).copied().chain(odd);
    all.map(|path| format!("std::{path}"))
}

/// True if the type of this path holds a value of its argument.
pub fn takes_arguments(path: &str) -> bool {
    let name = path.strip_prefix("std::").unwrap_or_default();
    BY_ARGUMENTS.contains(&name) || POINTERS.contains(&name)
}

/// The owned type that dereferences to an unsized one.
pub fn unsized_owner(to: &Ty) -> Option<Ty> {
    let path = match to {
        Ty::Str => "std::string::String",
        Ty::Path { path, .. } => match path.as_str() {
            "std::path::Path" => "std::path::PathBuf",
            "std::ffi::OsStr" => "std::ffi::OsString",
            "std::ffi::CStr" => "std::ffi::CString",
            _ => return None,
        },
        _ => return None,
    };
    Some(Ty::named(path))
}

// std implements its traits for tuples of up to twelve.
const LONGEST_TUPLE: usize = 12;

fn is_plain_path(path: &str, args: &[GenericArg]) -> bool {
    let all = || args.iter().all(|arg| matches!(arg, GenericArg::Type(ty) if is_plain(ty)));
    match path {
        _ if POINTERS.contains(&path) => match args {
            [GenericArg::Type(Ty::Slice(item))] => is_plain(item),
            [GenericArg::Type(to)] => unsized_owner(to).is_some() || is_plain(to),
            _ => false,
        },
        "borrow::Cow" => match args {
            [GenericArg::Lifetime, GenericArg::Type(Ty::Slice(item))] => is_plain(item),
            [GenericArg::Lifetime, GenericArg::Type(to)] => unsized_owner(to).is_some(),
            _ => false,
        },
        "pin::Pin" => match args {
            [GenericArg::Type(Ty::Path { path, args })] if path == "std::boxed::Box" => {
                matches!(&args[..], [GenericArg::Type(to)] if is_plain(to))
            }
            _ => false,
        },
        _ if is_number_alias(path) => args.is_empty(),
        _ => ALWAYS.contains(&path) || (BY_ARGUMENTS.contains(&path) && all()),
    }
}

/// `NonZeroU8`, `AtomicU8` and their like.
fn is_number_alias(path: &str) -> bool {
    let atomic = path.strip_prefix("sync::atomic::Atomic");
    // `AtomicPtr` points to what nobody made.
    (path.starts_with("num::NonZero") && path != "num::NonZero")
        || atomic.is_some_and(|of| !of.is_empty() && of != "Ptr")
}

// `Rc` and `Arc` share what is behind them, but a value made on the spot has no other owner.
const POINTERS: &[&str] = &["boxed::Box", "rc::Rc", "sync::Arc"];

/// Plain whatever their arguments are.
const ALWAYS: &[&str] = &[
    "alloc::Layout",
    "alloc::LayoutError",
    "char::CharTryFromError",
    "char::DecodeUtf16Error",
    "char::ParseCharError",
    "cmp::Ordering",
    "collections::hash_map::RandomState",
    "ffi::CString",
    "ffi::FromBytesWithNulError",
    "ffi::NulError",
    "ffi::OsString",
    "fmt::Arguments",
    "fmt::Error",
    "hash::BuildHasherDefault",
    "hash::DefaultHasher",
    "hash::RandomState",
    "io::Empty",
    "io::Error",
    "io::ErrorKind",
    "io::IoSlice",
    "io::SeekFrom",
    "io::Sink",
    "iter::Empty",
    "marker::PhantomData",
    "marker::PhantomPinned",
    "net::AddrParseError",
    "net::IpAddr",
    "net::Ipv4Addr",
    "net::Ipv6Addr",
    "net::SocketAddr",
    "net::SocketAddrV4",
    "net::SocketAddrV6",
    "num::IntErrorKind",
    "num::ParseFloatError",
    "num::ParseIntError",
    "num::TryFromIntError",
    "ops::RangeFull",
    "path::PathBuf",
    "str::CharIndices",
    "str::Chars",
    "str::ParseBoolError",
    "str::Utf8Error",
    "string::FromUtf8Error",
    "string::String",
    "sync::atomic::Ordering",
    "task::Context",
    "task::Waker",
    "time::Duration",
    "time::Instant",
    "time::SystemTime",
    "time::SystemTimeError",
];

/// Plain where all arguments are.
const BY_ARGUMENTS: &[&str] = &[
    "cell::Cell",
    "cell::OnceCell",
    "cell::RefCell",
    "cell::UnsafeCell",
    "cmp::Reverse",
    "collections::BTreeMap",
    "collections::BTreeSet",
    "collections::BinaryHeap",
    "collections::HashMap",
    "collections::HashSet",
    "collections::LinkedList",
    "collections::VecDeque",
    "collections::vec_deque::IntoIter",
    "io::BufReader",
    "io::BufWriter",
    "io::Cursor",
    "io::LineWriter",
    "iter::Once",
    "iter::Repeat",
    "mem::ManuallyDrop",
    "mem::MaybeUninit",
    "num::NonZero",
    "num::Saturating",
    "num::Wrapping",
    "ops::Bound",
    "ops::ControlFlow",
    "ops::Range",
    "ops::RangeFrom",
    "ops::RangeInclusive",
    "ops::RangeTo",
    "ops::RangeToInclusive",
    "option::IntoIter",
    "option::Option",
    "panic::AssertUnwindSafe",
    "result::Result",
    "sync::Mutex",
    "sync::OnceLock",
    "sync::RwLock",
    "task::Poll",
    "vec::IntoIter",
    "vec::Vec",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_plain_when_all_its_parts_are() {
        let of =
            |path: &str, arg: Ty| Ty::Path { path: path.into(), args: vec![GenericArg::Type(arg)] };
        let check = |ty: Ty, expected: bool| assert_eq!(is_plain(&ty), expected, "{ty}");
        check(Ty::named("std::net::IpAddr"), true);
        check(Ty::named("std::sync::atomic::AtomicU8"), true);
        check(Ty::named("std::sync::atomic::Ordering"), true);
        check(Ty::named("std::num::NonZeroU8"), true);
        check(Ty::named("std::num::NonZero"), true);
        check(Ty::named("std::fs::File"), false);
        check(of("std::boxed::Box", Ty::Str), true);
        check(of("std::boxed::Box", Ty::Slice(Box::new(Ty::Probe))), true);
        check(of("std::vec::Vec", Ty::Str.shared()), false);
        check(of("std::vec::Vec", Ty::named("subject::Thing")), false);
        check(of("std::pin::Pin", of("std::boxed::Box", Ty::Probe)), true);
        check(of("std::pin::Pin", of("std::rc::Rc", Ty::Probe)), false);
        check(Ty::Tuple(vec![Ty::Probe; 12]), true);
        check(Ty::Tuple(vec![Ty::Probe; 13]), false);
    }
}
