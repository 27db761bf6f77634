//! Values of std's types that have a syntax or a habit of their own.

use gainsay_model::{std_types::unsized_owner, ty::Ty};
use gainsay_wire::Value;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{
    Literals, number,
    recipes::{ERROR_KINDS, Named},
    tokens,
};
use crate::code::ident;

pub(super) fn option(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let Value::Opt(Some(value)) = named.value else { return quote!(None) };
    let value = this.write(value, &named.inner());
    quote!(Some(#value))
}

pub(super) fn result(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (is_ok, value) = either(this, named, &[named.inner(), named.second()]);
    if is_ok { quote!(Ok(#value)) } else { quote!(Err(#value)) }
}

/// A value of the first or the second type, as `Ok` and `Err` say.
fn either(this: &mut Literals<'_>, named: &Named<'_>, types: &[Ty; 2]) -> (bool, TokenStream) {
    match named.value {
        Value::Res(false, value) => (false, this.write(value, &types[1])),
        Value::Res(true, value) => (true, this.write(value, &types[0])),
        other => (true, this.write(other, &types[0])),
    }
}

pub(super) fn control_flow(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (goes_on, value) = either(this, named, &[named.second(), named.inner()]);
    let (name, variant) = (this.name(named), ident(if goes_on { "Continue" } else { "Break" }));
    quote!(#name::#variant(#value))
}

pub(super) fn bound(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let Value::Res(is_included, value) = named.value else { return quote!(#name::Unbounded) };
    let variant = ident(if *is_included { "Included" } else { "Excluded" });
    let value = this.write(value, &named.inner());
    quote!(#name::#variant(#value))
}

pub(super) fn poll(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let Value::Opt(Some(value)) = named.value else { return quote!(#name::Pending) };
    let value = this.write(value, &named.inner());
    quote!(#name::Ready(#value))
}

pub(super) fn once(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let Value::Opt(Some(value)) = named.value else { return quote!(#name::new()) };
    let value = this.write(value, &named.inner());
    quote!(#name::from(#value))
}

pub(super) fn text(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    match named.value {
        Value::Str(text) if !text.is_empty() => quote!(#name::from(#text)),
        _ => quote!(#name::new()),
    }
}

/// A text without its zeros, as the worker makes it.
pub(super) fn c_string(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let Value::Str(text) = named.value else { return quote!(#name::default()) };
    let text: String = text.chars().filter(|c| *c != '\0').collect();
    quote!(#name::new(#text).unwrap())
}

/// What the runtime reads texts from that live for ever.
fn lasting_text(named: &Named<'_>) -> &'static str {
    const TEXTS: &[&str] = &["abc", "", "a", "a b", "aß→🦀", "12.5", "x=1;y=2", "line\nline\r\n"];
    let at = usize::try_from(named.number(0)).unwrap_or(0);
    TEXTS.get(at).unwrap_or(&TEXTS[0])
}

pub(super) fn chars(_: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let text = lasting_text(named);
    quote!(#text.chars())
}

pub(super) fn char_indices(_: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let text = lasting_text(named);
    quote!(#text.char_indices())
}

pub(super) fn io_slice(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, text) = (this.name(named), lasting_text(named));
    quote!(#name::new(#text.as_bytes()))
}

pub(super) fn vector(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let Value::Seq(items) = named.value else { return quote!(Vec::new()) };
    let items = this.all(items, &named.inner());
    if items.is_empty() { quote!(Vec::new()) } else { quote!(vec![#(#items),*]) }
}

pub(super) fn vec_iter(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let vector = vector(this, named);
    quote!(#vector.into_iter())
}

pub(super) fn option_iter(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let option = option(this, named);
    quote!(#option.into_iter())
}

pub(super) fn deque_iter(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let path = "std::collections::VecDeque";
    let deque = items(this, &Named { path, types: named.types.clone(), value: named.value });
    quote!(#deque.into_iter())
}

/// A collection of items, or of pairs.
pub(super) fn items(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let is_map = named.path.ends_with("Map");
    let item = match &named.types[..] {
        [key, value, ..] if is_map => Ty::Tuple(vec![key.clone(), value.clone()]),
        _ => named.inner(),
    };
    let items = this.all(if let Value::Seq(items) = named.value { items } else { &[] }, &item);
    // With a hasher of its own a collection cannot be made from an array.
    if named.types.len() > if is_map { 2 } else { 1 } {
        return quote!([#(#items),*].into_iter().collect());
    }
    let name = this.name(named);
    if items.is_empty() { quote!(#name::new()) } else { quote!(#name::from([#(#items),*])) }
}

pub(super) fn range(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let mut part = |at: usize| {
        let value = named.parts().get(at);
        value.map_or(quote!(Default::default()), |value| this.write(value, &named.inner()))
    };
    let first = part(0);
    match named.path.rsplit("::").next() {
        Some("RangeInclusive") => {
            let to = part(1);
            quote!(#first..=#to)
        }
        Some("RangeFrom") => quote!(#first..),
        Some("RangeTo") => quote!(..#first),
        Some("RangeToInclusive") => quote!(..=#first),
        _ => {
            let to = part(1);
            quote!(#first..#to)
        }
    }
}

/// A box or its shared relatives; what has no size comes from its owner.
pub(super) fn pointer(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, inner) = (this.name(named), named.inner());
    match (&inner, named.value) {
        (Ty::Str, Value::Str(text)) => quote!(#name::from(#text)),
        (Ty::Slice(item), Value::Seq(items)) => {
            let items = this.all(items, item);
            quote!(#name::from([#(#items),*]))
        }
        _ => {
            let owner = unsized_owner(&inner);
            let constructor = ident(if owner.is_some() { "from" } else { "new" });
            let value = this.write(named.value, &owner.unwrap_or(inner));
            quote!(#name::#constructor(#value))
        }
    }
}

pub(super) fn cow(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, inner) = (this.name(named), named.inner());
    match (&inner, named.value) {
        (Ty::Str, Value::Str(text)) => quote!(#name::from(#text)),
        (Ty::Slice(item), _) => {
            let types = vec![(**item).clone()];
            let items = vector(this, &Named { path: "std::vec::Vec", types, value: named.value });
            quote!(#name::Owned(#items))
        }
        _ => {
            let owner = unsized_owner(&inner).unwrap_or(inner);
            let made = this.write(named.value, &owner);
            quote!(#name::Owned(#made))
        }
    }
}

pub(super) fn pinned(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let inner = match named.inner() {
        Ty::Path { args, .. } => args.into_iter().find_map(|arg| match arg {
            gainsay_model::ty::GenericArg::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    };
    let value = this.write(named.value, &inner.unwrap_or(Ty::Opaque));
    quote!(Box::pin(#value))
}

/// The number type behind `NonZeroU8` or `AtomicU8`.
fn number_type(named: &Named<'_>, prefix: &str) -> Ty {
    let last = named.path.rsplit("::").next().unwrap_or_default();
    match last.strip_prefix(prefix) {
        Some(of) if !of.is_empty() => Ty::prim(of.to_lowercase()),
        _ => named.inner(),
    }
}

pub(super) fn non_zero(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let value = this.write(named.value, &number_type(named, "NonZero"));
    quote!(#name::new(#value).unwrap())
}

pub(super) fn atomic(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let value = this.write(named.value, &number_type(named, "Atomic"));
    quote!(#name::new(#value))
}

/// The largest unit that says it in a whole number.
pub(super) fn duration(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    nanoseconds(this, named.number(0).max(0))
}

fn nanoseconds(this: &mut Literals<'_>, nanos: i128) -> TokenStream {
    const UNITS: &[(i128, &str)] =
        &[(1_000_000_000, "from_secs"), (1_000_000, "from_millis"), (1_000, "from_micros")];
    let name = this.imports.path("std::time::Duration");
    let whole = UNITS.iter().find(|(unit, _)| nanos % unit == 0);
    let (unit, function) = *whole.unwrap_or(&(1, "from_nanos"));
    let (count, function) = (number(nanos / unit), ident(function));
    quote!(#name::#function(#count))
}

pub(super) fn system_time(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    match named.number(0) {
        0 => quote!(#name::UNIX_EPOCH),
        nanos => {
            let distance = nanoseconds(this, nanos.abs());
            let sign = tokens(if nanos < 0 { "-" } else { "+" });
            quote!(#name::UNIX_EPOCH #sign #distance)
        }
    }
}

pub(super) fn instant(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, distance) = (this.name(named), nanoseconds(this, named.number(0).max(0)));
    quote!(#name::now() + #distance)
}

/// Size and binary logarithm of the alignment.
pub(super) fn layout(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let align = 1_usize << named.number(1).clamp(0, 12);
    let size = usize::try_from(named.number(0)).unwrap_or(0);
    if std::alloc::Layout::from_size_align(size, align).is_err() {
        return quote!(#name::new::<u8>());
    }
    let (size, align) = (Literal::usize_unsuffixed(size), Literal::usize_unsuffixed(align));
    quote!(#name::from_size_align(#size, #align).unwrap())
}

pub(super) fn ipv4(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let bits = u32::try_from(named.number(0)).unwrap_or(0);
    let octets = bits.to_be_bytes().map(Literal::u8_unsuffixed);
    quote!(#name::new(#(#octets),*))
}

pub(super) fn ipv6(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let bits = named.number(0).cast_unsigned();
    let segments = std::net::Ipv6Addr::from(bits).segments();
    let segments =
        segments.map(|part| tokens(&if part == 0 { "0".into() } else { format!("{part:#x}") }));
    quote!(#name::new(#(#segments),*))
}

/// An address of either version.
pub(super) fn address(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let types = match named.path {
        "std::net::IpAddr" => ["std::net::Ipv4Addr", "std::net::Ipv6Addr"],
        _ => ["std::net::SocketAddrV4", "std::net::SocketAddrV6"],
    };
    let (is_old, value) = either(this, named, &types.map(Ty::named));
    let (name, variant) = (this.name(named), ident(if is_old { "V4" } else { "V6" }));
    quote!(#name::#variant(#value))
}

pub(super) fn socket(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let is_old = named.path.ends_with("V4");
    let ip = Ty::named(if is_old { "std::net::Ipv4Addr" } else { "std::net::Ipv6Addr" });
    let ip = this.write(named.parts().first().unwrap_or(&Value::Int(0)), &ip);
    let rest = (1..if is_old { 2 } else { 4 }).map(|at| number(named.number(at)));
    quote!(#name::new(#ip, #(#rest),*))
}

pub(super) fn seek_from(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let name = this.name(named);
    let (variant, ty) = match named.number(0) {
        1 => ("End", "i64"),
        2 => ("Current", "i64"),
        _ => ("Start", "u64"),
    };
    let (variant, by) = (ident(variant), this.integer(named.number(1), ty));
    quote!(#name::#variant(#by))
}

pub(super) fn io_error(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, kind) = (this.name(named), this.imports.path("std::io::ErrorKind"));
    let at = usize::try_from(named.number(0)).unwrap_or(0);
    let variant = ident(ERROR_KINDS.get(at).unwrap_or(&ERROR_KINDS[0]));
    quote!(#name::from(#kind::#variant))
}

pub(super) fn context(this: &mut Literals<'_>, named: &Named<'_>) -> TokenStream {
    let (name, waker) = (this.name(named), this.imports.path("std::task::Waker"));
    quote!(#name::from_waker(#waker::noop()))
}
