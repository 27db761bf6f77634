//! Arguments that are put together from several operands.

use gainsay_model::{
    spelling::{Form, Passing, SpelledParam},
    ty::{FnKind, Ty},
};
use gainsay_wire::{Arg, Value};
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    call::Writer,
    closure::{self, Given},
    ident,
    literal::{Literals, Suffix},
    tokens,
    types::Imports,
};

/// The arguments of a step that are not written yet.
pub(super) type Args<'a> = std::slice::Iter<'a, Arg>;

impl Writer<'_> {
    /// What is passed for a parameter; `None` for an item that is not there.
    pub(super) fn composed(
        &mut self,
        param: &SpelledParam,
        args: &mut Args<'_>,
        suffix: Suffix,
    ) -> Option<TokenStream> {
        match &param.passing {
            Passing::Composite(Form::Present, parts) => self.present(parts.first()?, args),
            Passing::Composite(form, parts) => {
                let parts = parts.iter().map(|part| self.composed(part, args, suffix));
                let parts: Vec<Option<TokenStream>> = parts.collect();
                self.put_together(form, &param.ty, parts)
            }
            Passing::Giving(parts) => {
                let Arg::Plain(family) = args.next()? else { return None };
                let given = parts
                    .iter()
                    .map(|part| Some((part.ty.clone(), self.composed(part, args, Suffix::Left)?)));
                let given: Vec<_> = given.flatten().collect();
                Some(self.giving(family, &param.ty, &given))
            }
            Passing::Function => Some(self.literal(&Value::Unit, &param.ty, suffix)),
            Passing::Formatter => Some(quote!(f)),
            leaf => match args.next()? {
                Arg::Plain(value) => Some(self.literal(value, &param.ty, suffix)),
                Arg::Object(object) => Some(passed(leaf, &self.object(*object))),
            },
        }
    }

    /// An optional operand as an item.
    fn present(&mut self, part: &SpelledParam, args: &mut Args<'_>) -> Option<TokenStream> {
        let Arg::Object(object) = args.next()? else { return None };
        let name = self.object(*object);
        Some(match part.passing {
            Passing::OptionalShared => quote!(&#name),
            Passing::OptionalSharedThrough => quote!(&*#name),
            _ => name,
        })
    }

    fn put_together(
        &mut self,
        form: &Form,
        ty: &Ty,
        parts: Vec<Option<TokenStream>>,
    ) -> Option<TokenStream> {
        let is_list =
            matches!(form, Form::Vector | Form::Slice(_) | Form::Collection | Form::Iterator);
        if !is_list && parts.iter().any(Option::is_none) {
            return None;
        }
        let parts: Vec<TokenStream> = parts.into_iter().flatten().collect();
        Some(match form {
            Form::Reference(access) => self.lets.reference(quote!(#(#parts)*), *access),
            Form::Slice(access) => self.lets.reference(quote!([#(#parts),*]), *access),
            Form::Vector if parts.is_empty() => quote!(Vec::new()),
            Form::Vector => quote!(vec![#(#parts),*]),
            Form::Array => quote!([#(#parts),*]),
            Form::Tuple => match &parts[..] {
                [part] => quote!((#part,)),
                parts => quote!((#(#parts),*)),
            },
            Form::Call(path) => {
                let function = function(&mut self.imports, path);
                quote!(#function(#(#parts),*))
            }
            Form::Fields(path, names) => {
                let path = function(&mut self.imports, path);
                let names = names.iter().map(|name| member(name));
                quote!(#path { #(#names: #parts),* })
            }
            Form::Collection => quote!([#(#parts),*].into_iter().collect()),
            Form::Iterator if parts.is_empty() => {
                let item =
                    if let Ty::Iter { item } = ty { self.imports.ty(item) } else { quote!(_) };
                self.lets.items(quote!(Vec::<#item>::new().into_iter()))
            }
            Form::Iterator => self.lets.items(quote!([#(#parts),*].into_iter())),
            Form::Present => quote!(#(#parts)*),
        })
    }

    fn giving(&mut self, family: &Value, ty: &Ty, given: &[(Ty, TokenStream)]) -> TokenStream {
        let Ty::Closure { kind, args, ret } = ty else { return quote!() };
        let (probe, suffix) = (self.style.probe, Suffix::Left);
        let lets = &mut self.lets;
        let mut literals = Literals { imports: &mut self.imports, probe, suffix, lets };
        let given = Given { objects: given, is_once: *kind == FnKind::FnOnce };
        let written = closure::write_giving(&mut literals, family, args, ret, &given);
        self.lets.closure(written)
    }
}

/// An object as it is passed alone.
fn passed(passing: &Passing, name: &TokenStream) -> TokenStream {
    match passing {
        Passing::Exclusive => quote!(&mut #name),
        Passing::ExclusiveThrough => quote!(&mut *#name),
        Passing::SharedThrough => quote!(&*#name),
        Passing::Owned => name.clone(),
        Passing::OptionalShared => quote!(Some(&#name)),
        Passing::OptionalSharedThrough => quote!(Some(&*#name)),
        Passing::OptionalOwned => quote!(Some(#name)),
        _ => quote!(&#name),
    }
}

/// A field by its name, or by its number in a tuple.
pub(super) fn member(name: &str) -> TokenStream {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return tokens(name);
    }
    let name = ident(name);
    quote!(#name)
}

/// `Box::new` of `std::boxed::Box::new`, `Some` of `std::option::Option::Some`.
pub(super) fn function(imports: &mut Imports, path: &str) -> TokenStream {
    let (parent, last) = path.rsplit_once("::").unwrap_or(("", path));
    if matches!(last, "Some" | "Ok" | "Err") {
        return tokens(last);
    }
    let of_type =
        parent.rsplit("::").next().is_some_and(|name| name.starts_with(char::is_uppercase));
    if !of_type {
        return imports.path(path);
    }
    let (owner, last) = (imports.path(parent), ident(last));
    quote!(#owner::#last)
}
