//! Types and paths as a person writes them: imported once, then named by their last segment.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::ty::{Access, FnKind, GenericArg, Ty};
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    literal::{PLAINEST, ProbeForm},
    tokens,
};

/// Gives paths their short names and remembers what must be imported for that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    short: BTreeMap<String, String>,
    uses: BTreeSet<String>,
    probe: bool,
    form: ProbeForm,
}

impl Imports {
    /// None yet; elements are of this form.
    pub(crate) fn with(form: ProbeForm) -> Imports {
        Imports { form, ..Imports::default() }
    }

    /// The same imports in code whose elements are of this form.
    pub(crate) fn in_form(self, form: ProbeForm) -> Imports {
        Imports { form, ..self }
    }

    /// Full paths to import, in order.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().map(String::as_str)
    }

    /// Whether the probe element is named anywhere.
    pub(crate) fn names_probe(&self) -> bool {
        self.probe
    }

    /// Notes that the probe element is used.
    pub(crate) fn note_probe(&mut self) {
        self.probe = true;
    }

    /// The name to write for a type or trait. A second path with the same last segment stays
    /// written out.
    pub(crate) fn path(&mut self, path: &str) -> TokenStream {
        let last = path.rsplit("::").next().unwrap_or(path);
        if is_prelude(path) || !path.contains("::") {
            return tokens(last);
        }
        let owner = self.short.entry(last.to_owned()).or_insert_with(|| path.to_owned());
        if owner != path || PRELUDE.contains(&last) {
            return tokens(path);
        }
        self.uses.insert(path.to_owned());
        tokens(last)
    }

    /// A type.
    pub(crate) fn ty(&mut self, ty: &Ty) -> TokenStream {
        match ty {
            Ty::Unit => quote!(()),
            Ty::Never => quote!(!),
            Ty::Prim(name) => tokens(name),
            Ty::Str => quote!(str),
            Ty::Probe if self.form == ProbeForm::Integer => tokens(PLAINEST),
            Ty::Probe => {
                self.probe = true;
                quote!(Probe)
            }
            Ty::Path { path, args } => {
                let path = self.path(path);
                let args = self.args(args);
                quote!(#path #args)
            }
            Ty::Ref { access, to } => {
                let to = self.ty(to);
                match access {
                    Access::Shared => quote!(&#to),
                    Access::Exclusive => quote!(&mut #to),
                }
            }
            Ty::Slice(item) => {
                let item = self.ty(item);
                quote!([#item])
            }
            Ty::Array(item, len) => {
                let (item, len) = (self.ty(item), tokens(&len.to_string()));
                quote!([#item; #len])
            }
            Ty::Tuple(items) => {
                let items = items.iter().map(|item| self.ty(item));
                quote!((#(#items,)*))
            }
            Ty::Closure { kind: FnKind::Pointer, args, ret } => {
                let args: Vec<_> = args.iter().map(|arg| self.ty(arg)).collect();
                let ret = self.ty(ret);
                quote!(fn(#(#args),*) -> #ret)
            }
            Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque => quote!(_),
        }
    }

    /// A type at the head of a path expression: `Vec::<Probe>`, `<[Probe; 2]>`.
    pub(crate) fn head(&mut self, ty: &Ty) -> TokenStream {
        match ty {
            Ty::Path { path, args } => {
                let path = self.path(path);
                let args = self.args(args);
                if args.is_empty() { path } else { quote!(#path :: #args) }
            }
            Ty::Prim(_) | Ty::Probe => self.ty(ty),
            other => {
                let other = self.ty(other);
                quote!(<#other>)
            }
        }
    }

    fn args(&mut self, args: &[GenericArg]) -> TokenStream {
        // Lifetimes of a call are always left to the compiler.
        let kept: Vec<TokenStream> = args
            .iter()
            .filter_map(|arg| match arg {
                GenericArg::Lifetime => None,
                GenericArg::Type(ty) => Some(self.ty(ty)),
                GenericArg::Const(text) => Some(tokens(text)),
            })
            .collect();
        if kept.is_empty() { TokenStream::new() } else { quote!(<#(#kept),*>) }
    }
}

/// Types and traits that need no import.
fn is_prelude(path: &str) -> bool {
    path.starts_with("std::") && path.rsplit("::").next().is_some_and(|l| PRELUDE.contains(&l))
}

const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "String",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: &Ty, expected_type: &str, expected_head: &str, uses: &[&str]) {
        let mut imports = Imports::default();
        let squeeze = |tokens: TokenStream| tokens.to_string().replace(' ', "");
        assert_eq!(squeeze(imports.ty(ty)), expected_type);
        assert_eq!(squeeze(imports.head(ty)), expected_head);
        assert_eq!(imports.uses().collect::<Vec<_>>(), uses);
    }

    fn of(path: &str, args: Vec<Ty>) -> Ty {
        Ty::Path { path: path.into(), args: args.into_iter().map(GenericArg::Type).collect() }
    }

    #[test]
    fn types_are_imported_and_named_by_their_last_segment() {
        check(&of("a::b::Stack", vec![]), "Stack", "Stack", &["a::b::Stack"]);
        check(
            &of("a::Stack", vec![Ty::Array(Box::new(Ty::Probe), 2)]),
            "Stack<[Probe;2]>",
            "Stack::<[Probe;2]>",
            &["a::Stack"],
        );
        check(&of("std::vec::Vec", vec![Ty::prim("u8")]), "Vec<u8>", "Vec::<u8>", &[]);
        check(&Ty::Tuple(vec![Ty::prim("u8")]), "(u8,)", "<(u8,)>", &[]);
    }

    #[test]
    fn a_name_that_is_taken_is_written_out() {
        let both = Ty::Tuple(vec![of("a::Map", vec![]), of("b::Map", vec![])]);
        check(&both, "(Map,b::Map,)", "<(Map,b::Map,)>", &["a::Map"]);
        let own_vec = of("a::Vec", vec![]);
        check(&own_vec, "a::Vec", "a::Vec", &[]);
    }
}
