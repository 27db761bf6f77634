//! Plain values as Rust expressions of a wanted type.

use std::cmp::Ordering;

use gainsay_model::ty::{Access, GenericArg, Ty};
use gainsay_wire::Value;
use proc_macro2::TokenStream;
use quote::quote;

use super::{closure, tokens, types::Imports};

/// How a probe element is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeForm {
    /// `Probe(3)`
    Tuple,
    /// `Probe::new(3)`
    New,
}

/// Whether an integer says its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// The surroundings tell.
    Left,
    /// It must, because several types would fit.
    Written,
}

/// Writes values.
pub(crate) struct Literals<'a> {
    pub(crate) imports: &'a mut Imports,
    pub(crate) probe: ProbeForm,
    pub(crate) suffix: Suffix,
}

impl Literals<'_> {
    /// An expression of type `ty` that makes `value`.
    pub(crate) fn write(&mut self, value: &Value, ty: &Ty) -> TokenStream {
        match (ty, value) {
            (Ty::Ref { to, .. }, Value::Str(text)) if **to == Ty::Str => quote!(#text),
            (Ty::Ref { to, .. }, Value::Str(text)) if is_text_slice(to) => {
                let to = self.imports.ty(to);
                quote!(#to::new(#text))
            }
            (Ty::Ref { access: Access::Shared, to }, Value::Seq(_))
                if self.suffix == Suffix::Written && matches!(**to, Ty::Slice(_)) =>
            {
                // Without a signature that says so, a reference to an array stays one.
                let array = self.write(value, to);
                quote!(#array.as_slice())
            }
            (Ty::Ref { access, to }, _) => {
                let to = self.write(value, to);
                match access {
                    Access::Shared => quote!(&#to),
                    Access::Exclusive => quote!(&mut #to),
                }
            }
            (Ty::Slice(item) | Ty::Array(item, _), Value::Seq(items) | Value::Tuple(items)) => {
                let items = self.all(items, item);
                quote!([#(#items),*])
            }
            (Ty::Iter { item }, Value::Seq(items)) => {
                let items = self.all(items, item);
                if items.is_empty() {
                    let item = self.imports.ty(item);
                    return quote!(Vec::<#item>::new().into_iter());
                }
                quote!([#(#items),*].into_iter())
            }
            (Ty::Tuple(tys), Value::Tuple(items)) => {
                let items = items.iter().zip(tys).map(|(item, ty)| self.write(item, ty));
                let items: Vec<_> = items.collect();
                if let [item] = &items[..] { quote!((#item,)) } else { quote!((#(#items),*)) }
            }
            (Ty::Closure { args, ret, .. }, _) => closure::write(self, value, args, ret),
            (Ty::Path { path, args }, _) => self.named(value, path, args),
            (Ty::Prim(name), Value::Int(int)) => self.integer(*int, name),
            (Ty::Prim(name), Value::Float(float)) => float_text(*float, name),
            _ => self.by_value(value),
        }
    }

    fn all(&mut self, items: &[Value], ty: &Ty) -> Vec<TokenStream> {
        items.iter().map(|item| self.write(item, ty)).collect()
    }

    fn integer(&self, value: i128, ty: &str) -> TokenStream {
        if let Some(edge) = edge(value, ty) {
            return tokens(&edge);
        }
        match self.suffix {
            Suffix::Left => number(value),
            Suffix::Written => tokens(&format!("{value}{ty}")),
        }
    }

    /// A value of one of std's types.
    // long: one flat match over std's types
    fn named(&mut self, value: &Value, path: &str, args: &[GenericArg]) -> TokenStream {
        let parts = match value {
            Value::Tuple(parts) | Value::Seq(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut types = args.iter().filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(ty),
            GenericArg::Lifetime | GenericArg::Const(_) => None,
        });
        let inner = types.next().cloned().unwrap_or(Ty::Opaque);
        let second = types.next().cloned().unwrap_or(Ty::Opaque);
        let last = path.rsplit("::").next().unwrap_or(path);
        let name = self.imports.path(path);
        let part = |this: &mut Self, index: usize| {
            parts.get(index).map_or_else(|| quote!(Default::default()), |p| this.write(p, &inner))
        };
        match (last, value) {
            ("Option", Value::Opt(None)) => quote!(None),
            ("Option", Value::Opt(Some(value))) => {
                let value = self.write(value, &inner);
                quote!(Some(#value))
            }
            ("Result", Value::Res(is_ok, value)) => {
                let value = self.write(value, if *is_ok { &inner } else { &second });
                if *is_ok { quote!(Ok(#value)) } else { quote!(Err(#value)) }
            }
            ("String" | "PathBuf" | "OsString", Value::Str(text)) if text.is_empty() => {
                quote!(#name::new())
            }
            ("String" | "PathBuf" | "OsString", Value::Str(text)) => quote!(#name::from(#text)),
            ("Cow" | "Box" | "Rc" | "Arc", Value::Str(text)) if inner == Ty::Str => {
                quote!(#name::from(#text))
            }
            ("Vec", Value::Seq(items)) => {
                let items = self.all(items, &inner);
                if items.is_empty() { quote!(Vec::new()) } else { quote!(vec![#(#items),*]) }
            }
            ("HashMap" | "BTreeMap", Value::Seq(items)) => {
                let items = self.all(items, &Ty::Tuple(vec![inner, second]));
                quote!([#(#items),*].into_iter().collect())
            }
            (_, Value::Seq(items)) if is_collection(last) => {
                let items = self.all(items, &inner);
                quote!([#(#items),*].into_iter().collect())
            }
            ("Bound", Value::Res(is_included, value)) => {
                let value = self.write(value, &inner);
                if *is_included {
                    quote!(#name::Included(#value))
                } else {
                    quote!(#name::Excluded(#value))
                }
            }
            ("Bound", _) => quote!(#name::Unbounded),
            ("Range", _) => {
                let (from, to) = (part(self, 0), part(self, 1));
                quote!(#from..#to)
            }
            ("RangeInclusive", _) => {
                let (from, to) = (part(self, 0), part(self, 1));
                quote!(#from..=#to)
            }
            ("RangeFrom", _) => {
                let from = part(self, 0);
                quote!(#from..)
            }
            ("RangeTo", _) => {
                let to = part(self, 0);
                quote!(..#to)
            }
            ("RangeToInclusive", _) => {
                let to = part(self, 0);
                quote!(..=#to)
            }
            ("RangeFull", _) => quote!(..),
            ("Wrapping" | "Saturating" | "Reverse", value) => {
                let value = self.write(value, &inner);
                quote!(#name(#value))
            }
            ("Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Cursor", value) => {
                let value = self.write(value, &inner);
                quote!(#name::new(#value))
            }
            ("NonZero", value) => {
                let value = self.write(value, &inner);
                quote!(#name::new(#value).unwrap())
            }
            ("Duration", Value::Int(nanos)) => {
                let nanos = self.integer(*nanos, "u64");
                quote!(#name::from_nanos(#nanos))
            }
            ("PhantomData" | "Error", _) => name,
            ("RandomState", _) => quote!(#name::new()),
            ("DefaultHasher" | "BuildHasherDefault", _) => quote!(#name::default()),
            _ => self.by_value(value),
        }
    }

    /// The value's own form, when its type says nothing.
    pub(crate) fn by_value(&mut self, value: &Value) -> TokenStream {
        match value {
            Value::Undefined | Value::Object | Value::Token(_) => quote!(Default::default()),
            Value::Unit => quote!(()),
            Value::Bool(value) => quote!(#value),
            Value::Int(value) => number(*value),
            Value::Float(value) => float_text(*value, "f64"),
            Value::Char(value) => quote!(#value),
            Value::Str(text) => quote!(#text),
            Value::Elem(key) => self.probe(*key),
            Value::Order(order) => {
                let ordering = self.imports.path("std::cmp::Ordering");
                let variant = tokens(match order {
                    Ordering::Less => "Less",
                    Ordering::Equal => "Equal",
                    Ordering::Greater => "Greater",
                });
                quote!(#ordering::#variant)
            }
            Value::Opt(None) => quote!(None),
            Value::Opt(Some(value)) => self.wrapped("Some", value),
            Value::Res(true, value) => self.wrapped("Ok", value),
            Value::Res(false, value) => self.wrapped("Err", value),
            Value::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.by_value(item)).collect();
                if let [item] = &items[..] { quote!((#item,)) } else { quote!((#(#items),*)) }
            }
            Value::Seq(items) => {
                let items = items.iter().map(|item| self.by_value(item));
                quote!([#(#items),*])
            }
        }
    }

    fn wrapped(&mut self, constructor: &str, value: &Value) -> TokenStream {
        let (constructor, value) = (tokens(constructor), self.by_value(value));
        quote!(#constructor(#value))
    }

    fn probe(&mut self, key: i64) -> TokenStream {
        self.imports.note_probe();
        let key = number(i128::from(key));
        match self.probe {
            ProbeForm::Tuple => quote!(Probe(#key)),
            ProbeForm::New => quote!(Probe::new(#key)),
        }
    }
}

/// One token, so that a minus sign stays where it belongs inside of macros.
fn number(value: i128) -> TokenStream {
    let literal = proc_macro2::Literal::i128_unsuffixed(value);
    quote!(#literal)
}

/// Unsized text other than `str`, which is made by `new` behind its reference.
fn is_text_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Path { path, .. } if path == "std::path::Path" || path == "std::ffi::OsStr")
}

fn is_collection(name: &str) -> bool {
    matches!(name, "VecDeque" | "LinkedList" | "BTreeSet" | "HashSet" | "BinaryHeap")
}

/// `usize::MAX` and its neighbour, as a person writes them.
fn edge(value: i128, ty: &str) -> Option<String> {
    let (min, max) = match ty {
        "i8" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "i16" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "i32" => (i128::from(i32::MIN), i128::from(i32::MAX)),
        "i64" | "isize" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        "u8" => (0, i128::from(u8::MAX)),
        "u16" => (0, i128::from(u16::MAX)),
        "u32" => (0, i128::from(u32::MAX)),
        "u64" | "usize" => (0, i128::from(u64::MAX)),
        "i128" | "u128" => (i128::MIN, i128::MAX),
        _ => return None,
    };
    match value {
        // For `u128` this is not the largest value, only the largest that fits on the wire.
        _ if ty == "u128" => None,
        _ if value == max => Some(format!("{ty}::MAX")),
        _ if value == max - 1 => Some(format!("{ty}::MAX - 1")),
        _ if value == min && min < 0 => Some(format!("{ty}::MIN")),
        _ => None,
    }
}

fn float_text(value: f64, ty: &str) -> TokenStream {
    let name = if value.is_nan() {
        "NAN"
    } else if value == f64::INFINITY {
        "INFINITY"
    } else if value == f64::NEG_INFINITY {
        "NEG_INFINITY"
    } else {
        return tokens(&format!("{value:?}"));
    };
    tokens(&format!("{ty}::{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &Value, ty: &Ty, expected: &str) {
        let mut imports = Imports::default();
        let (probe, suffix) = (ProbeForm::Tuple, Suffix::Left);
        let written = Literals { imports: &mut imports, probe, suffix }.write(value, ty);
        let expected: TokenStream = expected.parse().unwrap();
        assert_eq!(written.to_string(), expected.to_string(), "{value} as {ty}");
    }

    fn of(path: &str, args: &[Ty]) -> Ty {
        Ty::Path { path: path.into(), args: args.iter().cloned().map(GenericArg::Type).collect() }
    }

    #[test]
    fn numbers_are_written_without_suffix_and_edges_by_name() {
        let usize = Ty::prim("usize");
        check(&Value::Int(3), &usize, "3");
        check(&Value::Int(i128::from(u64::MAX)), &usize, "usize::MAX");
        check(&Value::Int(i128::from(u64::MAX) - 1), &usize, "usize::MAX - 1");
        check(&Value::Int(-128), &Ty::prim("i8"), "i8::MIN");
        check(&Value::Int(-7), &Ty::prim("i8"), "-7");
        check(&Value::Float(1.0), &Ty::prim("f32"), "1.0");
        check(&Value::Float(f64::NAN), &Ty::prim("f32"), "f32::NAN");
    }

    #[test]
    fn references_follow_the_type() {
        let probes = Value::Seq(vec![Value::Elem(1), Value::Elem(2)]);
        check(&Value::Str("a\"b".into()), &Ty::Str.shared(), r#""a\"b""#);
        check(&Value::Str("a".into()), &of("std::string::String", &[]), r#"String::from("a")"#);
        check(&Value::Elem(3), &Ty::Probe.shared(), "&Probe(3)");
        check(&probes, &Ty::Slice(Box::new(Ty::Probe)).exclusive(), "&mut [Probe(1), Probe(2)]");
        check(&probes, &of("std::vec::Vec", &[Ty::Probe]), "vec![Probe(1), Probe(2)]");
        check(&probes, &Ty::Iter { item: Box::new(Ty::Probe) }, "[Probe(1), Probe(2)].into_iter()");
    }

    #[test]
    fn ranges_options_and_tuples_have_their_own_syntax() {
        let usize = Ty::prim("usize");
        let pair = Value::Tuple(vec![Value::Int(1), Value::Int(4)]);
        check(&pair, &of("std::ops::Range", std::slice::from_ref(&usize)), "1..4");
        check(&pair, &of("std::ops::RangeInclusive", std::slice::from_ref(&usize)), "1..=4");
        check(&Value::Int(4), &of("std::ops::RangeTo", std::slice::from_ref(&usize)), "..4");
        check(&Value::Unit, &of("std::ops::RangeFull", &[]), "..");
        check(&pair, &Ty::Tuple(vec![usize.clone(), usize.clone()]), "(1, 4)");
        check(&Value::some(Value::Int(1)), &of("std::option::Option", &[usize]), "Some(1)");
    }
}
