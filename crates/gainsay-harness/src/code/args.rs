//! Arguments: how operands come out of the frame and into the call.

use gainsay_model::{
    api::Lending,
    spelling::Form,
    ty::{Access, Ty},
};
use gainsay_wire::Mode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{
    closure, lend,
    types::{TypeWriter, absolute, alias, ident},
};
use crate::plan::{Carrier, Lend, Pass, PlannedParam};

/// An argument in generated code.
pub(super) struct Argument {
    /// Statements before the call.
    pub(super) before: TokenStream,
    /// The expression in the call.
    pub(super) expr: TokenStream,
}

/// Takes the operands of a call in their order.
pub(super) struct Operands<'a> {
    pub(super) types: &'a TypeWriter,
    lending: Lending,
    taken: usize,
}

impl<'a> Operands<'a> {
    pub(super) fn new(types: &'a TypeWriter, lending: Lending) -> Operands<'a> {
        Operands { types, lending, taken: 0 }
    }

    /// The argument for a parameter or a part of one.
    pub(super) fn argument(&mut self, param: &PlannedParam) -> Argument {
        match &param.pass {
            Pass::Object { ty, mode, carrier } => self.object(*ty, *mode, *carrier),
            Pass::Plain(plain) => {
                let (var, at) = self.next();
                let ty = self.types.ty(&plain.owned);
                if self.lending == Lending::Operands && plain.lend != Lend::Value {
                    let made = quote!(let #var = f.lend_plain::<#ty>(#at););
                    let Argument { before, expr } = lend::lent_for_good(&var, &plain.lend);
                    return Argument { before: quote!(#made #before), expr };
                }
                let made = quote!(let mut #var = f.plain::<#ty>(#at););
                let Argument { before, expr } = lend::lent(&var, &plain.lend);
                Argument { before: quote!(#made #before), expr }
            }
            Pass::Closure(planned) => closure::closure(self, planned),
            Pass::Iter { item } => {
                let (var, at) = self.next();
                let ty = self.types.ty(&item.owned);
                let vec = quote!(::std::vec::Vec<#ty>);
                let before = if self.lending == Lending::Operands && item.lend != Lend::Value {
                    quote!(let #var = f.lend_plain::<#vec>(#at);)
                } else {
                    quote!(let mut #var = f.plain::<#vec>(#at);)
                };
                Argument { before, expr: lend::items(&var, &item.lend) }
            }
            Pass::Formatter => Argument { before: TokenStream::new(), expr: quote!(formatter) },
            Pass::Composite(form, parts) => self.composite(form, parts, &param.ty),
        }
    }

    /// The variable and the number of the next operand.
    pub(super) fn next(&mut self) -> (Ident, Literal) {
        let at = self.taken;
        self.taken += 1;
        (format_ident!("a{at}"), Literal::usize_unsuffixed(at))
    }

    fn object(&mut self, ty: usize, mode: Mode, carrier: Carrier) -> Argument {
        let (var, at) = self.next();
        let ty = alias(ty);
        let lends = self.lending == Lending::Operands;
        let method = match (mode, lends) {
            (Mode::Ref, false) => "by_ref",
            (Mode::Ref, true) => "lend",
            (Mode::Mut, false) => "by_mut",
            (Mode::Mut, true) => "lend_mut",
            (Mode::Own, _) => "own",
            (Mode::OptRef, false) => "by_opt_ref",
            (Mode::OptRef, true) => "opt_lend",
            (Mode::OptOwn, _) => "opt_own",
        };
        let (mutable, method) = ((mode == Mode::Mut).then(|| quote!(mut)), ident(method));
        let before = quote!(let #mutable #var = f.#method::<#ty>(#at););
        let expr = match (mode, carrier) {
            (Mode::Ref, Carrier::Itself) => quote!(&*#var),
            (Mode::Ref, Carrier::Shared) => quote!(*#var),
            (Mode::Ref, Carrier::Deref) => quote!(&**#var),
            (Mode::Mut, Carrier::Itself) => quote!(&mut *#var),
            (Mode::Mut, _) => quote!(&mut **#var),
            (Mode::Own | Mode::OptOwn, _) => quote!(#var),
            (Mode::OptRef, _) => {
                let found = if lends { quote!(#var) } else { quote!(#var.as_deref()) };
                if carrier == Carrier::Itself { found } else { quote!(#found.map(|x| &**x)) }
            }
        };
        Argument { before, expr }
    }

    fn composite(&mut self, form: &Form, parts: &[PlannedParam], ty: &Ty) -> Argument {
        let var = format_ident!("c{}", self.taken);
        let args: Vec<Argument> = parts.iter().map(|part| self.argument(part)).collect();
        let before = args.iter().map(|arg| &arg.before);
        let before = quote!(#(#before)*);
        let exprs: Vec<&TokenStream> = args.iter().map(|arg| &arg.expr).collect();
        let list = || {
            let items = parts.iter().zip(&exprs).map(|(part, expr)| item(part, expr));
            quote!([#(#items),*].into_iter().flatten())
        };
        let expr = match form {
            Form::Reference(access) => {
                let is_closure = matches!(parts, [PlannedParam { pass: Pass::Closure(_), .. }]);
                return self.reference(*access, before, &var, &quote!(#(#exprs)*), is_closure);
            }
            Form::Slice(access) => {
                let list = list();
                let vec = quote!(#list.collect::<::std::vec::Vec<_>>());
                return self.slice(*access, &before, &var, &vec);
            }
            Form::Vector => {
                let list = list();
                quote!(#list.collect::<::std::vec::Vec<_>>())
            }
            Form::Collection => {
                let (list, ty) = (list(), self.types.ty(ty));
                quote!(#list.collect::<#ty>())
            }
            Form::Iterator => {
                let list = list();
                quote!(rt::Items::new(#list.collect::<::std::vec::Vec<_>>().into_iter()))
            }
            Form::Array => quote!([#(#exprs),*]),
            Form::Tuple => quote!((#(#exprs,)*)),
            Form::Call(path) => {
                let function = absolute(path);
                quote!(#function(#(#exprs),*))
            }
            Form::Fields(path, names) => {
                let (path, names) = (absolute(path), names.iter().map(|name| ident(name)));
                quote!(#path { #(#names: #exprs),* })
            }
            Form::Present => quote!((#(#exprs)*)?),
        };
        Argument { before, expr }
    }

    /// A reference to what was put together. A closure stays where rustc sees what is expected
    /// of it.
    fn reference(
        &self,
        access: Access,
        before: TokenStream,
        var: &Ident,
        value: &TokenStream,
        is_closure: bool,
    ) -> Argument {
        let expr = match access {
            Access::Shared if is_closure => quote!(&#value),
            Access::Exclusive if is_closure => quote!(&mut #value),
            _ if self.lending == Lending::Operands => {
                let before = quote!(#before let #var = f.lend_value(#value););
                let expr = match access {
                    Access::Shared => quote!(&*#var),
                    Access::Exclusive => quote!(#var),
                };
                return Argument { before, expr };
            }
            _ => {
                let before = quote!(#before let mut #var = #value;);
                let expr = match access {
                    Access::Shared => quote!(&#var),
                    Access::Exclusive => quote!(&mut #var),
                };
                return Argument { before, expr };
            }
        };
        Argument { before, expr }
    }

    fn slice(
        &self,
        access: Access,
        before: &TokenStream,
        var: &Ident,
        vec: &TokenStream,
    ) -> Argument {
        let made = match self.lending {
            Lending::Operands => quote!(let #var = f.lend_value(#vec);),
            Lending::Inherited => quote!(let mut #var = #vec;),
        };
        let expr = match access {
            Access::Shared => quote!(&#var[..]),
            Access::Exclusive => quote!(&mut #var[..]),
        };
        Argument { before: quote!(#before #made), expr }
    }
}

/// An item of a list as an `Option`: missing when an operand of it is.
fn item(part: &PlannedParam, expr: &TokenStream) -> TokenStream {
    if has_present(part) {
        quote!((|| ::std::option::Option::Some(#expr))())
    } else {
        quote!(::std::option::Option::Some(#expr))
    }
}

fn has_present(part: &PlannedParam) -> bool {
    match &part.pass {
        Pass::Composite(Form::Present, _) => true,
        Pass::Composite(_, parts) => parts.iter().any(has_present),
        _ => false,
    }
}
