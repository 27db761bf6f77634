//! Steps in which the caller's code misbehaves. The functions and types that they name stand
//! beside the test.

use gainsay_model::{spelling::Spelling, ty::Ty};
use gainsay_wire::{Callback, Step, Twist};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{call::Writer, lets::Lets};

impl Writer<'_> {
    /// The statement of a twisted step whose results nobody needs, or of one that comes after it:
    /// by then any call may panic, and that is not what the sequence is about. `None` for all
    /// others.
    pub(super) fn twisted(&mut self, spelling: &Spelling, step: &Step) -> Option<TokenStream> {
        let is_late = std::mem::replace(&mut self.lets.is_late, true);
        match step.twist {
            Twist::None if is_late => {
                let call = self.ended(spelling, step);
                Some(quote!(caught(|| #call);))
            }
            Twist::None => {
                self.lets.is_late = false;
                None
            }
            Twist::Forget => {
                let forgotten = self.args(spelling, step, 0, super::Suffix::Left);
                Some(quote!(std::mem::forget(#(#forgotten),*);))
            }
            Twist::Fuse(_, after) => {
                let (after, call) = (Literal::u32_unsuffixed(after), self.ended(spelling, step));
                Some(quote!(with_fuse(#after, || #call);))
            }
            Twist::Shy | Twist::Lie(_) => {
                let call = self.ended(spelling, step);
                Some(quote!(caught(|| #call);))
            }
        }
    }

    /// The call, and the end of what comes of it.
    fn ended(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        let call = self.call(spelling, step);
        if spelling.result == Ty::Unit { call } else { quote!({ let _ = #call; }) }
    }
}

impl Lets {
    /// An iterator argument, honest or not.
    pub(crate) fn items(&self, items: TokenStream) -> TokenStream {
        let is_odd = matches!(self.twist, Twist::Shy | Twist::Lie(_));
        if is_odd || self.fused == Some(Callback::Next) { quote!(Items(#items)) } else { items }
    }

    /// A closure argument, which panics when it is its turn.
    pub(crate) fn closure(&self, closure: TokenStream) -> TokenStream {
        if self.fused != Some(Callback::Closure) {
            return closure;
        }
        let Ok(mut parsed) = syn::parse2::<syn::ExprClosure>(closure.clone()) else {
            return closure;
        };
        let body = &parsed.body;
        match syn::parse2(quote!({ burn(); #body })) {
            Ok(body) => parsed.body = body,
            Err(_) => return closure,
        }
        quote::ToTokens::to_token_stream(&parsed)
    }
}
