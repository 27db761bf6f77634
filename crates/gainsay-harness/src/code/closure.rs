//! Closures of the runtime's family, and functions without state.

use gainsay_model::ty::{Access, FnKind, Ty};
use gainsay_wire::Mode;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    args::{Argument, Operands},
    lend,
};
use crate::plan::{Answer, Pass, PlannedClosure, PlannedParam};

/// A closure; it owns its state, so it fits every closure trait.
pub(super) fn closure(operands: &mut Operands<'_>, planned: &PlannedClosure) -> Argument {
    let mut writer = ClosureWriter { planned, state: None, before: TokenStream::new(), lent: 0 };
    if !planned.is_function() {
        let (var, at) = operands.next();
        writer.before = quote!(let #var = rt::SharedClosure::new(f.closure(#at)););
        writer.state = Some(var);
    }
    let answer = writer.answer(operands, &planned.answer);
    let types = operands.types;
    let names: Vec<Ident> = (0..planned.args.len()).map(argument_name).collect();
    let tys = planned.args.iter().map(|ty| types.ty(ty));
    let looks = names.iter().zip(&planned.args).map(|(name, ty)| look(name, ty));
    let ret = match (&planned.answer, &planned.ret) {
        (Answer::Plain(ty), _) => Some(types.ty(ty)),
        (Answer::Argument(_) | Answer::Reborrowed(_) | Answer::Lent(_), _) => None,
        (_, ret) => (!ret.is_borrowed()).then(|| types.ty(ret)),
    };
    let ret = ret.map(|ret| quote!(-> #ret));
    let write = writer.state.as_ref().zip(planned.written()).map(|(state, at)| {
        let place = argument_name(at);
        quote!(#state.overwrite(&mut *#place);)
    });
    let expr = quote! {
        move |#(mut #names: #tys),*| #ret {
            rt::called();
            let seen: ::std::vec::Vec<rt::Value> = ::std::vec::Vec::from([#(#looks),*]);
            #write
            #answer
        }
    };
    Argument { before: writer.before, expr }
}

struct ClosureWriter<'a> {
    planned: &'a PlannedClosure,
    state: Option<Ident>,
    before: TokenStream,
    lent: usize,
}

impl ClosureWriter<'_> {
    fn answer(&mut self, operands: &mut Operands<'_>, answer: &Answer) -> TokenStream {
        match answer {
            Answer::Plain(ty) => {
                let ty = operands.types.ty(ty);
                self.ask(&ty)
            }
            Answer::Argument(index) => {
                let (name, asked) = (argument_name(*index), self.ask(&quote!(())));
                quote!({ #asked; #name })
            }
            Answer::Reborrowed(index) => {
                let (name, asked) = (argument_name(*index), self.ask(&quote!(())));
                quote!({ #asked; &*#name })
            }
            Answer::Lent(plain) => {
                let (ty, var) = (operands.types.ty(&plain.owned), self.variable());
                let state = &self.state;
                self.before.extend(
                    quote!(let #var: &'static #ty = &*f.lend_value(#state.answer::<#ty>(&[]));),
                );
                lend::lent_from(&quote!(#var), &plain.lend)
            }
            Answer::Object(object) => self.object(operands, object),
            Answer::Option(inner) => {
                let (inner, asked) = (self.answer(operands, inner), self.ask(&quote!(bool)));
                quote!(if #asked { ::std::option::Option::Some(#inner) } else { ::std::option::Option::None })
            }
            Answer::Result(ok, err) => {
                let mut part = |part: &Option<Box<Answer>>| {
                    part.as_ref().map(|part| self.answer(operands, part))
                };
                let (ok, err) = (part(ok), part(err));
                let ok = ok.map(|ok| quote!(::std::result::Result::Ok(#ok)));
                let err = err.map(|err| quote!(::std::result::Result::Err(#err)));
                match (ok, err) {
                    (Some(ok), Some(err)) => {
                        let asked = self.ask(&quote!(bool));
                        quote!(if #asked { #ok } else { #err })
                    }
                    (ok, err) => ok.or(err).unwrap_or_default(),
                }
            }
            Answer::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.answer(operands, part)).collect();
                quote!((#(#parts,)*))
            }
            Answer::Boxed(inner) => {
                let inner = self.answer(operands, inner);
                quote!(::std::boxed::Box::new(#inner))
            }
        }
    }

    /// An answer of the family; it also counts that the closure was called.
    fn ask(&self, ty: &TokenStream) -> TokenStream {
        if let Some(state) = &self.state {
            quote!(#state.answer::<#ty>(&seen))
        } else {
            quote!(rt::fixed_answer::<#ty>(&seen))
        }
    }

    /// An object that the closure holds: parted with if it is called once, else cloned.
    fn object(&mut self, operands: &mut Operands<'_>, object: &PlannedParam) -> TokenStream {
        let Argument { before, expr } = operands.argument(object);
        let var = self.variable();
        self.before.extend(quote!(#before let #var = #expr;));
        let is_owned = matches!(object.pass, Pass::Object { mode: Mode::Own | Mode::OptOwn, .. });
        if is_owned && self.planned.kind != FnKind::FnOnce {
            quote!(::std::clone::Clone::clone(&#var))
        } else {
            quote!(#var)
        }
    }

    fn variable(&mut self) -> Ident {
        self.lent += 1;
        let state = self.state.as_ref().map_or("f".to_owned(), ToString::to_string);
        format_ident!("{state}_{}", self.lent)
    }
}

fn argument_name(index: usize) -> Ident {
    format_ident!("x{index}")
}

/// What a closure sees of an argument.
fn look(name: &Ident, ty: &Ty) -> TokenStream {
    match ty {
        Ty::Ref { access: Access::Shared, .. } => quote!(rt::value!(#name)),
        Ty::Ref { access: Access::Exclusive, .. } => quote!(rt::value!(&*#name)),
        _ => quote!(rt::value!(&#name)),
    }
}
