//! Values that must outlive the statement which uses them: what is made borrows from them.

use std::collections::BTreeSet;

use gainsay_model::ty::Access;
use gainsay_wire::{Callback, Twist};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use super::{ident, literal::ProbeForm};

/// Gives names to values that are lent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lets {
    /// How long the values of the statement must live.
    pub(crate) span: LentFor,
    /// What the next value is called: the parameter's name.
    pub(crate) name: String,
    /// Names that are in use.
    /// How the caller's code misbehaves in the statement.
    pub(crate) twist: Twist,
    /// Whether there was misbehaviour before.
    pub(crate) is_late: bool,
    /// What panics in one of the statements: it may have been handed over in an earlier one.
    pub(crate) fused: Option<Callback>,
    taken: BTreeSet<String>,
    statements: TokenStream,
}

/// How long a value must live that a call takes by reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LentFor {
    /// To the end of the statement.
    #[default]
    Statement,
    /// As long as what the statement makes.
    Longer(ProbeForm),
}

impl Lets {
    /// None yet; these names are in use.
    pub(crate) fn avoiding(taken: BTreeSet<String>) -> Lets {
        Lets { taken, ..Lets::default() }
    }

    /// A reference to a value that lives long enough.
    pub(crate) fn reference(&mut self, value: TokenStream, access: Access) -> TokenStream {
        let value = self.place(value, access);
        match access {
            Access::Shared => quote!(&#value),
            Access::Exclusive => quote!(&mut #value),
        }
    }

    /// The value itself where it lives long enough, else a variable that holds it.
    pub(crate) fn place(&mut self, value: TokenStream, access: Access) -> TokenStream {
        let LentFor::Longer(probe) = self.span else { return value };
        if is_variable(&value) || (access == Access::Shared && is_constant(&value, probe)) {
            return value;
        }
        let name = ident(&self.unused_name());
        self.statements.extend(match access {
            Access::Shared => quote!(let #name = #value;),
            Access::Exclusive => quote!(let mut #name = #value;),
        });
        quote!(#name)
    }

    /// The statements so far; they go before the call.
    pub(crate) fn take(&mut self) -> TokenStream {
        std::mem::take(&mut self.statements)
    }

    fn unused_name(&mut self) -> String {
        let base = match self.name.trim_start_matches('_') {
            "" | "self" => "value",
            name => name,
        };
        let numbered = (2..).map(|n: u32| format!("{base}{n}"));
        let mut names = std::iter::once(base.to_owned()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}

/// `x`, `*x`: what has a place already.
fn is_variable(value: &TokenStream) -> bool {
    let mut trees = value.clone().into_iter().peekable();
    let is_star = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == '*');
    while trees.next_if(is_star).is_some() {}
    let is_name = matches!(
        trees.next(),
        Some(TokenTree::Ident(name)) if name.to_string().starts_with(|c: char| c.is_lowercase())
    );
    is_name && trees.next().is_none()
}

/// What the compiler keeps for ever behind a `&`.
fn is_constant(value: &TokenStream, probe: ProbeForm) -> bool {
    value.clone().into_iter().all(|tree| match tree {
        TokenTree::Literal(_) => true,
        TokenTree::Punct(punct) => "&,-".contains(punct.as_char()),
        TokenTree::Group(group) => is_constant(&group.stream(), probe),
        TokenTree::Ident(name) => match name.to_string().as_str() {
            "true" | "false" | "None" | "Some" | "Ok" | "Err" => true,
            "Probe" => probe != ProbeForm::New,
            _ => false,
        },
    })
}
