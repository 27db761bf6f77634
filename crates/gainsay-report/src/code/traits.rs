//! Calls through traits: as operators, as methods, or in full where a method would be ambiguous.

use gainsay_model::{
    api::Callee,
    spelling::{Passing, Spelling},
    ty::Ty,
};
use gainsay_wire::{Arg, Step};
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    call::{Writer, grouped, unref},
    ident,
    literal::Suffix,
    tokens,
};

impl Writer<'_> {
    pub(super) fn trait_call(
        &mut self,
        callee: &TraitCall<'_>,
        spelling: &Spelling,
        step: &Step,
    ) -> TokenStream {
        if let Some(operator) = callee.operator().filter(|_| spelling.params.len() == 2) {
            return self.operation(&operator, callee, spelling, step);
        }
        let has_receiver = spelling.params.first().is_some_and(|param| param.name == "self");
        if self.needs_full_form(callee, has_receiver) {
            return self.in_full(callee, spelling, step);
        }
        // The name itself is not written, but the trait must be in scope.
        let _ = self.imports.path(callee.path);
        let (name, turbofish) = (ident(callee.name), self.turbofish(callee.generics));
        if has_receiver {
            let receiver = self.behind(callee.ty, spelling, step);
            let args = self.args(spelling, step, 1, Suffix::Written);
            return quote!(#receiver.#name #turbofish(#(#args),*));
        }
        let head = self.imports.head(callee.ty);
        let args = self.args(spelling, step, 0, Suffix::Written);
        quote!(#head::#name #turbofish(#(#args),*))
    }

    /// `left symbol right`
    fn operation(
        &mut self,
        operator: &Operator,
        callee: &TraitCall<'_>,
        spelling: &Spelling,
        step: &Step,
    ) -> TokenStream {
        let left = self.behind(callee.ty, spelling, step);
        let right = self.operand(spelling, step, 1, Suffix::Written).unwrap_or_default();
        let right = match &spelling.params[1].passing {
            // A reference that is an object itself; comparisons look behind it.
            Passing::Owned if operator.compares => quote!(*#right),
            _ if operator.compares => unref(&right),
            _ => right,
        };
        let (symbol, right) = (tokens(operator.symbol), grouped(right));
        quote!(#left #symbol #right)
    }

    /// The receiver as a value of type `ty`, where the object is a reference or a box to it.
    fn behind(&mut self, ty: &Ty, spelling: &Spelling, step: &Step) -> TokenStream {
        let receiver = self.receiver(spelling, step);
        let variable = match step.args.first() {
            Some(Arg::Object(object)) => self.variables.get(object),
            _ => None,
        };
        let is_carrier = variable.is_some_and(|variable| variable.ty != *ty)
            && spelling.params.first().is_some_and(|param| param.passing != Passing::Owned);
        if is_carrier && is_alone(spelling) { quote!((*#receiver)) } else { receiver }
    }

    /// Whether a method call would not be sure to mean this trait of this type.
    fn needs_full_form(&self, callee: &TraitCall<'_>, has_receiver: bool) -> bool {
        // With several impls that differ in the trait's arguments only the full form is sure; of
        // std's traits there may be more than were offered.
        let is_std = callee.path.starts_with("std::");
        let is_ambiguous = is_std && !callee.args.is_empty() && !callee.infers_arguments();
        let has_namesake = self.book.0.iter().any(|other| match &other.callee {
            Callee::Inherent { ty, name, .. } => ty == callee.ty && name == callee.name,
            Callee::Trait { ty, path, args, name, .. } => {
                let differs = path != callee.path || args != callee.args && !is_std;
                ty == callee.ty && name == callee.name && differs
            }
            _ => false,
        });
        is_ambiguous || has_namesake || (has_receiver && matches!(callee.ty, Ty::Ref { .. }))
    }

    /// `<Type as Trait>::name(args)`
    fn in_full(&mut self, callee: &TraitCall<'_>, spelling: &Spelling, step: &Step) -> TokenStream {
        let (ty, path) = (self.imports.ty(callee.ty), self.imports.path(callee.path));
        let types: Vec<_> = callee.args.iter().map(|ty| self.imports.ty(ty)).collect();
        let types = if types.is_empty() { quote!() } else { quote!(<#(#types),*>) };
        let (name, turbofish) = (ident(callee.name), self.turbofish(callee.generics));
        let args = self.args(spelling, step, 0, Suffix::Left);
        quote!(<#ty as #path #types>::#name #turbofish(#(#args),*))
    }
}

/// Whether the receiver is one object.
fn is_alone(spelling: &Spelling) -> bool {
    spelling
        .params
        .first()
        .is_some_and(|param| !matches!(param.passing, Passing::Composite(..) | Passing::Giving(_)))
}

/// A call through a trait.
pub(super) struct TraitCall<'a> {
    pub(super) ty: &'a Ty,
    pub(super) path: &'a str,
    pub(super) args: &'a [Ty],
    pub(super) name: &'a str,
    pub(super) generics: &'a [Ty],
}

pub(super) struct Operator {
    symbol: &'static str,
    /// Comparisons take their operands by reference without saying so.
    compares: bool,
}

impl TraitCall<'_> {
    fn trait_name(&self) -> &str {
        match self.path.strip_prefix("std::") {
            Some(path) => path.rsplit("::").next().unwrap_or(path),
            None => "",
        }
    }

    pub(super) fn operator(&self) -> Option<Operator> {
        let (symbol, compares) = match (self.trait_name(), self.name) {
            ("PartialEq", "eq") => ("==", true),
            ("PartialEq", "ne") => ("!=", true),
            ("PartialOrd", "lt") => ("<", true),
            ("PartialOrd", "le") => ("<=", true),
            ("PartialOrd", "gt") => (">", true),
            ("PartialOrd", "ge") => (">=", true),
            ("Add", _) => ("+", false),
            ("Sub", _) => ("-", false),
            ("Mul", _) => ("*", false),
            ("Div", _) => ("/", false),
            ("Rem", _) => ("%", false),
            ("BitAnd", _) => ("&", false),
            ("BitOr", _) => ("|", false),
            ("BitXor", _) => ("^", false),
            ("Shl", _) => ("<<", false),
            ("Shr", _) => (">>", false),
            ("AddAssign", _) => ("+=", false),
            ("SubAssign", _) => ("-=", false),
            ("MulAssign", _) => ("*=", false),
            ("DivAssign", _) => ("/=", false),
            ("RemAssign", _) => ("%=", false),
            ("BitAndAssign", _) => ("&=", false),
            ("BitOrAssign", _) => ("|=", false),
            ("BitXorAssign", _) => ("^=", false),
            ("ShlAssign", _) => ("<<=", false),
            ("ShrAssign", _) => (">>=", false),
            _ => return None,
        };
        // An operator on `&T` itself would need its own `&` on the left; the full form has it.
        (!matches!(self.ty, Ty::Ref { .. })).then_some(Operator { symbol, compares })
    }

    /// Whether the trait's arguments follow from what is passed.
    fn infers_arguments(&self) -> bool {
        const FROM_OPERANDS: &[&str] = &["Extend", "From", "FromIterator", "PartialOrd", "TryFrom"];
        FROM_OPERANDS.contains(&self.trait_name())
    }
}
