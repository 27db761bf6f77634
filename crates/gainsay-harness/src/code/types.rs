//! Types and functions of the model as tokens.

use gainsay_model::{
    api::Callee,
    ty::{Access, FnKind, GenericArg, Ty},
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use crate::{live::Live, plan::PoolTypes};

/// Writes types; living pool types by their alias.
pub(super) struct TypeWriter {
    pool: PoolTypes,
    living: Vec<usize>,
    lifetime: Lifetime,
}

/// What is written where a type borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifetime {
    /// Left to rustc.
    Open,
    /// `'static`
    Static,
}

impl TypeWriter {
    pub(super) fn new(live: &Live<'_>) -> TypeWriter {
        let pool = PoolTypes::new(live.plan.types.iter().map(|ty| &ty.ty));
        TypeWriter { pool, living: live.types.clone(), lifetime: Lifetime::Open }
    }

    pub(super) fn pool(&self) -> &PoolTypes {
        &self.pool
    }

    /// A type in an expression or a signature.
    pub(super) fn ty(&self, ty: &Ty) -> TokenStream {
        let number = self.pool.number(ty);
        match number.filter(|number| self.living.binary_search(number).is_ok()) {
            // The alias of what borrows says `'static`, which is not always meant.
            Some(number) if !ty.is_borrowed() => {
                let alias = alias(number);
                quote!(#alias)
            }
            _ => self.spelled_out(ty),
        }
    }

    /// A type as an alias of the pool has it: what it borrows lives as long as the pool says.
    pub(super) fn kept(ty: &Ty) -> TokenStream {
        let lifetime = Lifetime::Static;
        TypeWriter { pool: PoolTypes::default(), living: Vec::new(), lifetime }.spelled_out(ty)
    }

    /// A type without an alias at its top.
    fn spelled_out(&self, ty: &Ty) -> TokenStream {
        match ty {
            Ty::Unit => quote!(()),
            Ty::Never => quote!(!),
            Ty::Prim(name) => path(name, PathRoot::Local),
            Ty::Str => quote!(str),
            Ty::Probe => quote!(rt::Probe),
            Ty::Path { path: name, args } => {
                let path = path(name, PathRoot::Crate);
                let args = self.args(args);
                quote!(#path #args)
            }
            Ty::Ref { access, to } => {
                let to = self.ty(to);
                let lifetime = (self.lifetime == Lifetime::Static).then(|| quote!('static));
                match access {
                    Access::Shared => quote!(&#lifetime #to),
                    Access::Exclusive => quote!(&#lifetime mut #to),
                }
            }
            Ty::Slice(item) => {
                let item = self.ty(item);
                quote!([#item])
            }
            Ty::Array(item, len) => {
                let (item, len) = (self.ty(item), Literal::u64_unsuffixed(*len));
                quote!([#item; #len])
            }
            Ty::Tuple(items) => {
                let items = items.iter().map(|item| self.ty(item));
                quote!((#(#items,)*))
            }
            // What is passed for any iterator, where an alias must name it.
            Ty::Iter { item } if self.lifetime == Lifetime::Static => {
                let item = self.ty(item);
                quote!(rt::Items<::std::vec::IntoIter<#item>>)
            }
            Ty::Closure { kind: FnKind::Pointer, args, ret } => self.pointer(args, ret),
            Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque => quote!(_),
        }
    }

    /// A pointer to a function: it takes references of any lifetime.
    fn pointer(&self, args: &[Ty], ret: &Ty) -> TokenStream {
        let open = TypeWriter {
            pool: self.pool.clone(),
            living: self.living.clone(),
            lifetime: Lifetime::Open,
        };
        let args = args.iter().map(|arg| open.ty(arg));
        let ret = open.ty(ret);
        quote!(fn(#(#args),*) -> #ret)
    }

    /// The function of a call.
    pub(super) fn callee(&self, callee: &Callee) -> TokenStream {
        match callee {
            Callee::Function { path: name, generics } => {
                let path = path(name, PathRoot::Crate);
                let generics = self.turbofish(generics);
                quote!(#path #generics)
            }
            Callee::Literal { path: name } | Callee::Part { path: name, .. } => {
                path(name, PathRoot::Crate)
            }
            Callee::Inherent { ty, name, generics } => {
                let (ty, name) = (self.ty(ty), ident(name));
                let generics = self.turbofish(generics);
                quote!(<#ty>::#name #generics)
            }
            Callee::Trait { ty, path: name, args, name: method, generics } => {
                let (ty, method) = (self.ty(ty), ident(method));
                let path = path(name, PathRoot::Crate);
                let args: Vec<GenericArg> = args.iter().cloned().map(GenericArg::Type).collect();
                let args = self.args(&args);
                let generics = self.turbofish(generics);
                quote!(<#ty as #path #args>::#method #generics)
            }
        }
    }

    fn turbofish(&self, generics: &[Ty]) -> TokenStream {
        if generics.is_empty() {
            return TokenStream::new();
        }
        let generics = generics.iter().map(|ty| self.ty(ty));
        quote!(::<#(#generics),*>)
    }

    fn args(&self, args: &[GenericArg]) -> TokenStream {
        if args.is_empty() {
            return TokenStream::new();
        }
        let args = args.iter().map(|arg| match arg {
            GenericArg::Lifetime if self.lifetime == Lifetime::Static => quote!('static),
            GenericArg::Lifetime => quote!('_),
            GenericArg::Type(ty) => self.ty(ty),
            GenericArg::Const(text) => constant(text),
        });
        quote!(<#(#args),*>)
    }
}

/// An absolute path.
pub(super) fn absolute(name: &str) -> TokenStream {
    path(name, PathRoot::Crate)
}

/// The alias of a pool type, by its number in the plan.
pub(super) fn alias(number: usize) -> Ident {
    format_ident!("T{number}")
}

/// An identifier, raw where it is a keyword.
pub(super) fn ident(name: &str) -> Ident {
    let name = name.strip_prefix("r#").unwrap_or(name);
    match syn::parse_str::<Ident>(name) {
        Ok(ident) => ident,
        Err(_) if syn::parse_str::<Ident>(&["r#", name].concat()).is_ok() => {
            Ident::new_raw(name, Span::call_site())
        }
        // No name of Rust: rustc will say so, and the unit is taken out.
        Err(_) => Ident::new("not_a_name", Span::call_site()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PathRoot {
    /// `::name::..`
    Crate,
    /// `name`
    Local,
}

fn path(name: &str, root: PathRoot) -> TokenStream {
    let segments = name.split("::").map(ident);
    match root {
        PathRoot::Crate => quote!(#(::#segments)*),
        PathRoot::Local => quote!(#(#segments)::*),
    }
}

/// A constant argument; anything but a literal needs braces.
fn constant(text: &str) -> TokenStream {
    match syn::parse_str::<syn::Expr>(text) {
        Ok(syn::Expr::Lit(literal)) => quote!(#literal),
        Ok(expr) => quote!({ #expr }),
        Err(_) => quote!({ not_a_constant }),
    }
}
