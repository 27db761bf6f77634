//! What a call returned, or what an object holds, as an assertion.

use gainsay_model::{
    api::Elements,
    ty::{GenericArg, Ty},
};
use gainsay_wire::Value;
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    ProbeForm,
    call::Writer,
    literal::{Literals, Suffix},
};

/// What is asserted of a value, and how its items are compared if it has any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asserted {
    pub(crate) value: Value,
    pub(crate) items: Items,
}

/// How items of an iterator are compared: what they are is known to the compiler alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// `[&1, &2]`, `[(&1, &2)]`
    Lent,
    /// `[(1, &2)]`: of pairs only the last is lent.
    LastLent,
    /// `[1, 2]`
    Owned,
    /// By their debug text.
    Shown,
}

impl Items {
    /// What to try when the compiler does not take this.
    pub fn next(self) -> Option<Items> {
        match self {
            Items::Lent => Some(Items::LastLent),
            Items::LastLent => Some(Items::Owned),
            Items::Owned => Some(Items::Shown),
            Items::Shown => None,
        }
    }
}

impl Writer<'_> {
    /// The assertion that a call of this type gives this value; `None` when there is no Rust for it.
    pub(super) fn asserted(
        &mut self,
        call: &TokenStream,
        ty: &Ty,
        asserted: &Asserted,
    ) -> Option<TokenStream> {
        let Asserted { value, items } = asserted;
        let value = &for_elements(value, self.style.probe);
        let is_plain = is_comparable(ty) && is_written(value);
        let of = method_receiver(call);
        Some(match value {
            Value::Bool(true) => quote!(assert!(#call);),
            Value::Bool(false) => quote!(assert!(!#of);),
            Value::Str(text) if is_text(ty) => quote!(assert_eq!(#call, #text);),
            Value::Seq(values) if !is_list(ty) => self.items(&of, values, *items),
            Value::Opt(None) => quote!(assert!(#of.is_none());),
            Value::Opt(Some(_)) if !is_plain => quote!(assert!(#of.is_some());),
            Value::Res(true, inside) if !is_plain => {
                let ok = argument(ty).filter(|ok| is_comparable(ok) && is_written(inside));
                let Some(ok) = ok.filter(|_| **inside != Value::Unit) else {
                    return Some(quote!(assert!(#of.is_ok());));
                };
                let inside = self.expected(inside, &ok);
                quote!(assert_eq!(#of.ok(), Some(#inside));)
            }
            Value::Res(false, _) if !is_plain => quote!(assert!(#of.is_err());),
            value if is_plain => {
                let expected = self.expected(value, ty);
                quote!(assert_eq!(#call, #expected);)
            }
            _ => return None,
        })
    }

    /// The assertion that an object has these elements.
    pub(crate) fn elements(
        &mut self,
        object: &TokenStream,
        how: Elements,
        asserted: &Asserted,
    ) -> Option<TokenStream> {
        let value = for_elements(&asserted.value, self.style.probe);
        let Value::Seq(values) = &value else { return None };
        let iterator = match how {
            Elements::Iter | Elements::DerefSlice => quote!(#object.iter()),
            Elements::IntoIterator => quote!((&#object).into_iter()),
            Elements::AsSlice => quote!(#object.as_slice().iter()),
            Elements::CloneIter => quote!(#object.clone()),
        };
        Some(self.items(&iterator, values, asserted.items))
    }

    fn items(&mut self, iterator: &TokenStream, values: &[Value], items: Items) -> TokenStream {
        if values.is_empty() {
            return quote!(assert_eq!(#iterator.count(), 0););
        }
        if items == Items::Shown {
            let text = Value::Str(Value::Seq(values.to_vec()).to_string());
            let Value::Str(text) = for_elements(&text, self.style.probe) else { return quote!() };
            return quote!(assert_eq!(format!("{:?}", #iterator.collect::<Vec<_>>()), #text););
        }
        let values: Vec<TokenStream> = values.iter().map(|value| self.item(value, items)).collect();
        quote!(assert_eq!(#iterator.collect::<Vec<_>>(), [#(#values),*]);)
    }

    fn item(&mut self, value: &Value, items: Items) -> TokenStream {
        let is_last = |at: usize, of: &[Value]| at + 1 == of.len();
        match (value, items) {
            (Value::Tuple(parts), _) => {
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let lent =
                        items == Items::Lent || items == Items::LastLent && is_last(at, parts);
                    self.item(part, if lent { Items::Lent } else { Items::Owned })
                });
                let parts: Vec<_> = parts.collect();
                quote!((#(#parts),*))
            }
            (value, Items::Lent | Items::LastLent) => {
                let value = self.by_value(value);
                quote!(&#value)
            }
            (value, _) => self.by_value(value),
        }
    }

    fn by_value(&mut self, value: &Value) -> TokenStream {
        let (imports, lets, probe) = (&mut self.imports, &mut self.lets, self.style.probe);
        Literals { imports, probe, suffix: Suffix::Left, lets }.by_value(value)
    }

    fn expected(&mut self, value: &Value, ty: &Ty) -> TokenStream {
        match (value, ty.referent()) {
            (Value::Str(text), _) if is_text(ty) => quote!(#text),
            // An array is equal to a slice, a reference to it is too much.
            (Value::Seq(_), Ty::Slice(item)) => {
                self.literal(value, &Ty::Slice(item.clone()), Suffix::Left)
            }
            _ => self.literal(value, ty, Suffix::Left),
        }
    }
}

/// The value as it is when elements are of this form: texts that show elements show others then.
fn for_elements(value: &Value, probe: ProbeForm) -> Value {
    let of = |value: &Value| for_elements(value, probe);
    match value {
        Value::Str(text) if probe == ProbeForm::Integer => Value::Str(plain_elements(text)),
        Value::Opt(Some(inside)) => Value::some(of(inside)),
        Value::Res(is_ok, inside) => Value::Res(*is_ok, Box::new(of(inside))),
        Value::Tuple(items) => Value::Tuple(items.iter().map(of).collect()),
        Value::Seq(items) => Value::Seq(items.iter().map(of).collect()),
        other => other.clone(),
    }
}

/// `[Probe(1)]` as `[1]`.
fn plain_elements(text: &str) -> String {
    const NAME: &str = "Probe(";
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (before, after) = (&rest[..at], &rest[at + NAME.len()..]);
        plain.push_str(before);
        match after.split_once(')') {
            Some((key, after)) if key.parse::<i64>().is_ok() => {
                plain.push_str(key);
                rest = after;
            }
            _ => {
                plain.push_str(NAME);
                rest = after;
            }
        }
    }
    plain + rest
}

/// A call before a dot or after a sign: operators are put in parentheses.
fn method_receiver(call: &TokenStream) -> TokenStream {
    let holds_together = syn::parse2::<syn::Expr>(call.clone()).is_ok_and(|expr| {
        matches!(
            expr,
            syn::Expr::MethodCall(_)
                | syn::Expr::Call(_)
                | syn::Expr::Path(_)
                | syn::Expr::Macro(_)
        )
    });
    if holds_together { call.clone() } else { quote!((#call)) }
}

/// Whether all of a value has a form in Rust.
fn is_written(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Token(_) | Value::Object => false,
        Value::Opt(Some(inside)) | Value::Res(_, inside) => is_written(inside),
        Value::Tuple(items) | Value::Seq(items) => items.iter().all(is_written),
        _ => true,
    }
}

/// Whether values of a type can surely be compared and shown.
fn is_comparable(ty: &Ty) -> bool {
    match ty {
        Ty::Path { path, args } => {
            path.starts_with("std::")
                && args.iter().all(|arg| match arg {
                    GenericArg::Type(ty) => is_comparable(ty),
                    GenericArg::Lifetime | GenericArg::Const(_) => true,
                })
        }
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => is_comparable(to),
        Ty::Tuple(items) => items.iter().all(is_comparable),
        Ty::Unit | Ty::Prim(_) | Ty::Str | Ty::Probe => true,
        Ty::Never | Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque => false,
    }
}

fn is_text(ty: &Ty) -> bool {
    match ty.referent() {
        Ty::Str => true,
        Ty::Path { path, .. } => path == "std::string::String",
        _ => false,
    }
}

/// Whether a type is a list of items itself, and not something that yields them.
fn is_list(ty: &Ty) -> bool {
    match ty.referent() {
        Ty::Slice(_) | Ty::Array(..) => true,
        Ty::Path { path, .. } => is_comparable(ty.referent()) && path.starts_with("std::"),
        _ => false,
    }
}

/// The first type argument.
fn argument(ty: &Ty) -> Option<Ty> {
    let Ty::Path { args, .. } = ty else { return None };
    args.iter().find_map(|arg| match arg {
        GenericArg::Type(ty) => Some(ty.clone()),
        GenericArg::Lifetime | GenericArg::Const(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_show_elements_show_numbers_where_elements_are_numbers() {
        assert_eq!(plain_elements("[Probe(1), Probe(-2)] Probe(x)"), "[1, -2] Probe(x)");
        assert_eq!(plain_elements("Probe("), "Probe(");
    }

    #[test]
    fn operators_are_put_in_parentheses() {
        let check = |code: &str, expected: &str| {
            let code: TokenStream = code.parse().unwrap();
            assert_eq!(method_receiver(&code).to_string().replace(' ', ""), expected);
        };
        check("a.len()", "a.len()");
        check("a == b", "(a==b)");
        check("f(1)", "f(1)");
    }
}
