//! Plain values as Rust expressions of a wanted type.

mod recipes;
mod special;

use std::cmp::Ordering;

use gainsay_model::ty::{Access, Ty};
use gainsay_wire::Value;
use proc_macro2::TokenStream;
use quote::quote;

use super::{closure, lets::Lets, tokens, types::Imports};

/// How a probe element is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProbeForm {
    /// `3`: the simplest element that there is.
    Integer,
    /// `Probe(3)`
    #[default]
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

/// What stands for a value of which nothing is known.
fn missing(ty: &Ty) -> Value {
    match ty {
        Ty::Probe => Value::Elem(0),
        Ty::Prim(name) if name == "bool" => Value::Bool(false),
        Ty::Prim(name) if name == "char" => Value::Char('a'),
        Ty::Prim(name) if name.starts_with('f') => Value::Float(0.0),
        Ty::Prim(_) => Value::Int(0),
        _ => Value::Undefined,
    }
}

/// Writes values.
pub(crate) struct Literals<'a> {
    pub(crate) imports: &'a mut Imports,
    pub(crate) probe: ProbeForm,
    pub(crate) suffix: Suffix,
    /// Where values go that must outlive the statement.
    pub(crate) lets: &'a mut Lets,
}

impl Literals<'_> {
    /// An expression of type `ty` that makes `value`.
    pub(crate) fn write(&mut self, value: &Value, ty: &Ty) -> TokenStream {
        match (ty, value) {
            (Ty::Ref { access, to }, _) => self.reference(value, *access, to),
            (Ty::Slice(item), Value::Seq(items) | Value::Tuple(items)) => {
                let items = self.all(items, item);
                quote!([#(#items),*])
            }
            (Ty::Array(item, len), Value::Seq(items) | Value::Tuple(items)) => {
                // Shrinking leaves items out; those that are missing are as a worker makes them.
                let len = usize::try_from(*len).unwrap_or(items.len());
                if items.is_empty() && len > 2 && matches!(**item, Ty::Prim(_)) {
                    let item = self.write(&missing(item), item);
                    let len = number(i128::try_from(len).unwrap_or(0));
                    return quote!([#item; #len]);
                }
                let all = items.iter().cloned().chain(std::iter::repeat(missing(item)));
                let items = self.all(&all.take(len).collect::<Vec<_>>(), item);
                quote!([#(#items),*])
            }
            (Ty::Iter { item }, Value::Seq(items)) => {
                let items = self.all(items, item);
                if items.is_empty() {
                    let item = self.imports.ty(item);
                    return self.lets.items(quote!(Vec::<#item>::new().into_iter()));
                }
                self.lets.items(quote!([#(#items),*].into_iter()))
            }
            (Ty::Tuple(tys), Value::Tuple(items)) => {
                let items = items.iter().zip(tys).map(|(item, ty)| self.write(item, ty));
                let items: Vec<_> = items.collect();
                if let [item] = &items[..] { quote!((#item,)) } else { quote!((#(#items),*)) }
            }
            (Ty::Closure { args, ret, .. }, _) => {
                let written = closure::write(self, value, args, ret);
                self.lets.closure(written)
            }
            (Ty::Path { path, args }, _) => self.named(value, path, args),
            (Ty::Prim(name), Value::Int(int)) => self.integer(*int, name),
            (Ty::Prim(name), Value::Float(float)) => self.float(*float, name),
            _ => self.by_value(value),
        }
    }

    fn reference(&mut self, value: &Value, access: Access, to: &Ty) -> TokenStream {
        let owner = gainsay_model::std_types::unsized_owner(to);
        match (value, access) {
            (Value::Str(text), Access::Shared) if *to == Ty::Str => quote!(#text),
            (Value::Str(text), Access::Shared) if is_text_slice(to) => {
                let to = self.imports.ty(to);
                quote!(#to::new(#text))
            }
            (Value::Seq(_), _) if self.suffix == Suffix::Written && matches!(to, Ty::Slice(_)) => {
                // Without a signature that says so, a reference to an array stays one.
                let array = self.write(value, to);
                let array = self.lets.place(array, access);
                match access {
                    Access::Shared => quote!(#array.as_slice()),
                    Access::Exclusive => quote!(#array.as_mut_slice()),
                }
            }
            _ => {
                let made = self.write(value, owner.as_ref().unwrap_or(to));
                self.lets.reference(made, access)
            }
        }
    }

    pub(super) fn all(&mut self, items: &[Value], ty: &Ty) -> Vec<TokenStream> {
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

    fn float(&self, value: f64, ty: &str) -> TokenStream {
        let text = float_text(value, ty);
        match self.suffix {
            Suffix::Written if !text.contains("::") => tokens(&format!("{text}{ty}")),
            _ => tokens(&text),
        }
    }

    /// The value's own form, when its type says nothing.
    pub(crate) fn by_value(&mut self, value: &Value) -> TokenStream {
        match value {
            Value::Undefined | Value::Object | Value::Token(_) => quote!(Default::default()),
            Value::Unit => quote!(()),
            Value::Bool(value) => quote!(#value),
            Value::Int(value) => number(*value),
            Value::Float(value) => tokens(&float_text(*value, "f64")),
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
        if self.probe == ProbeForm::Integer {
            return self.integer(i128::from(key), PLAINEST);
        }
        self.imports.note_probe();
        let key = number(i128::from(key));
        match self.probe {
            ProbeForm::Integer => key,
            ProbeForm::Tuple => quote!(Probe(#key)),
            ProbeForm::New => quote!(Probe::new(#key)),
        }
    }
}

/// The type that stands for an element where any will do.
pub(crate) const PLAINEST: &str = "i64";

/// One token, so that a minus sign stays where it belongs inside of macros.
fn number(value: i128) -> TokenStream {
    let literal = proc_macro2::Literal::i128_unsuffixed(value);
    quote!(#literal)
}

/// Unsized text other than `str`, which is made by `new` behind its reference.
fn is_text_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Path { path, .. } if path == "std::path::Path" || path == "std::ffi::OsStr")
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

fn float_text(value: f64, ty: &str) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "as the worker does it")]
    let narrow = value as f32;
    let is_narrow = ty == "f32";
    let value = if is_narrow { f64::from(narrow) } else { value };
    if value.is_nan() {
        format!("{ty}::NAN")
    } else if value == f64::INFINITY {
        format!("{ty}::INFINITY")
    } else if value == f64::NEG_INFINITY {
        format!("{ty}::NEG_INFINITY")
    } else if is_narrow {
        format!("{narrow:?}")
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests;
