//! One step: the call expression and what is done with its result.

use std::collections::BTreeMap;

use gainsay_model::{
    api::Callee,
    spelling::{Passing, Spelling},
    ty::Ty,
};
use gainsay_wire::{Arg, ObjRef, Sequence, Step, Value};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    Book, LastResult, Style, Unused, ident,
    literal::{Literals, Suffix},
    tokens,
    types::Imports,
    unpack::{Wanted, unpack},
    variables::Variable,
};

/// Writes steps one after the other.
pub(crate) struct Writer<'a> {
    pub(crate) book: Book<'a>,
    pub(crate) style: &'a Style,
    pub(crate) variables: BTreeMap<ObjRef, Variable>,
    pub(crate) imports: Imports,
}

impl Writer<'_> {
    /// The statement of a step.
    pub(crate) fn step(&mut self, sequence: &Sequence, at: usize) -> TokenStream {
        let step = &sequence.steps[at];
        let Some(spelling) = self.book.spelling(step.op) else {
            let unknown = format!("operation {} is not known", step.op.0);
            return quote!(unimplemented!(#unknown););
        };
        let call = self.call(spelling, step);
        let wanted = self.wanted(spelling, at);
        let is_last = at + 1 == sequence.steps.len();
        if !wanted.is_empty() {
            return unpack(&call, &spelling.result, &wanted);
        }
        if is_last && self.style.last == LastResult::Bound {
            return quote!(let result = #call;);
        }
        if !spelling.makes.is_empty() && self.style.unused == Unused::Kept {
            let name = format_ident!("_unused{}", at);
            return quote!(let #name = #call;);
        }
        if is_statement(spelling) { quote!(#call;) } else { quote!(let _ = #call;) }
    }

    /// The objects of a step that have names.
    fn wanted(&self, spelling: &Spelling, at: usize) -> Vec<Wanted> {
        let step = u32::try_from(at).unwrap_or(u32::MAX);
        let made = (0..).zip(&spelling.makes);
        let named = made.filter_map(|(out, made)| {
            let variable = self.variables.get(&ObjRef { step, out })?;
            let name = &variable.name;
            let pattern = if variable.is_mut { quote!(mut #name) } else { quote!(#name) };
            Some(Wanted { pattern, path: made.path.clone() })
        });
        named.collect()
    }

    fn call(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        match &spelling.callee {
            Callee::Trait { path, name, .. } if name == "fmt" && directive(path).is_some() => {
                let (form, shown) = (directive(path), self.receiver(spelling, step));
                quote!(format!(#form, #shown))
            }
            _ if spelling.params.iter().any(|param| param.passing == Passing::Formatter) => {
                shown_by(&self.plain_call(spelling, step))
            }
            _ => self.plain_call(spelling, step),
        }
    }

    fn plain_call(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        match &spelling.callee {
            Callee::Function { path, generics } => {
                let path = if path == "std::mem::drop" { quote!(drop) } else { tokens(path) };
                let turbofish = self.turbofish(generics);
                let args = self.args(spelling, step, 0, Suffix::Left);
                quote!(#path #turbofish(#(#args),*))
            }
            Callee::Literal { path } => {
                let path = tokens(path);
                let args = self.args(spelling, step, 0, Suffix::Left);
                let fields = spelling.params.iter().map(|param| ident(&param.name));
                if args.is_empty() { path } else { quote!(#path { #(#fields: #args),* }) }
            }
            Callee::Part { path, field } => {
                let path = tokens(path);
                let member = tokens(field);
                let args = self.args(spelling, step, 0, Suffix::Left);
                quote!(match #(#args)* { #path { #member: it, .. } => Some(it), _ => None })
            }
            Callee::Inherent { name, generics, .. } if spelling.is_method() => {
                let (receiver, name) = (self.receiver(spelling, step), ident(name));
                let turbofish = self.turbofish(generics);
                let args = self.args(spelling, step, 1, Suffix::Left);
                quote!(#receiver.#name #turbofish(#(#args),*))
            }
            Callee::Inherent { ty, name, generics } => {
                let (head, name) = (self.imports.head(ty), ident(name));
                let turbofish = self.turbofish(generics);
                let args = self.args(spelling, step, 0, Suffix::Left);
                quote!(#head::#name #turbofish(#(#args),*))
            }
            // A witness leaves the method's own types to inference.
            Callee::Trait { ty, path, args, name, .. } => {
                let found = TraitCall { ty, path, args, name };
                self.trait_call(&found, spelling, step)
            }
        }
    }

    fn turbofish(&mut self, generics: &[Ty]) -> TokenStream {
        let generics: Vec<_> = generics.iter().map(|ty| self.imports.ty(ty)).collect();
        if generics.is_empty() { quote!() } else { quote!(::<#(#generics),*>) }
    }

    fn trait_call(
        &mut self,
        callee: &TraitCall<'_>,
        spelling: &Spelling,
        step: &Step,
    ) -> TokenStream {
        let has_receiver = spelling.params.first().is_some_and(|param| param.name == "self");
        if let Some(operator) = callee.operator().filter(|_| spelling.params.len() == 2) {
            let left = self.receiver(spelling, step);
            let right = self.operand(spelling, step, 1, Suffix::Written);
            let right = grouped(if operator.compares { unref(&right) } else { right });
            let symbol = tokens(operator.symbol);
            return quote!(#left #symbol #right);
        }
        let name = ident(callee.name);
        // With several impls that differ in the trait's arguments only the full form is sure.
        let is_ambiguous = !callee.args.is_empty() && !callee.infers_arguments();
        if is_ambiguous || (has_receiver && matches!(callee.ty, Ty::Ref { .. })) {
            let (ty, path) = (self.imports.ty(callee.ty), self.imports.path(callee.path));
            let types: Vec<_> = callee.args.iter().map(|ty| self.imports.ty(ty)).collect();
            let types = if types.is_empty() { quote!() } else { quote!(<#(#types),*>) };
            let args = self.args(spelling, step, 0, Suffix::Left);
            return quote!(<#ty as #path #types>::#name(#(#args),*));
        }
        // The name itself is not written, but the trait must be in scope.
        let _ = self.imports.path(callee.path);
        if has_receiver {
            let receiver = self.receiver(spelling, step);
            let args = self.args(spelling, step, 1, Suffix::Written);
            return quote!(#receiver.#name(#(#args),*));
        }
        let head = self.imports.head(callee.ty);
        let args = self.args(spelling, step, 0, Suffix::Written);
        quote!(#head::#name(#(#args),*))
    }

    /// The receiver before a dot.
    fn receiver(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        let is_alone = spelling.params.first().is_some_and(|param| {
            !matches!(param.passing, Passing::Composite(..) | Passing::Giving(_))
        });
        if let (Some(Arg::Object(object)), true) = (step.args.first(), is_alone) {
            return self.object(*object);
        }
        let plain = unref(&self.operand(spelling, step, 0, Suffix::Written));
        quote!((#plain))
    }

    fn args(
        &mut self,
        spelling: &Spelling,
        step: &Step,
        from: usize,
        suffix: Suffix,
    ) -> Vec<TokenStream> {
        (from..spelling.params.len()).map(|i| self.operand(spelling, step, i, suffix)).collect()
    }

    /// What is passed for the parameter at `index`.
    fn operand(
        &mut self,
        spelling: &Spelling,
        step: &Step,
        index: usize,
        suffix: Suffix,
    ) -> TokenStream {
        let Some(param) = spelling.params.get(index) else { return quote!() };
        let before: usize = spelling.params[..index].iter().map(|p| p.operands().len()).sum();
        let mut args = step.args.get(before..).unwrap_or_default().iter();
        self.composed(param, &mut args, suffix).unwrap_or_default()
    }

    pub(super) fn literal(&mut self, value: &Value, ty: &Ty, suffix: Suffix) -> TokenStream {
        let probe = self.style.probe;
        Literals { imports: &mut self.imports, probe, suffix }.write(value, ty)
    }

    pub(super) fn object(&self, object: ObjRef) -> TokenStream {
        let name = self.variables.get(&object).map(|variable| variable.name.clone());
        let name = name.unwrap_or_else(|| ident("missing"));
        quote!(#name)
    }
}

/// How a formatting trait is asked for in a format string.
fn directive(path: &str) -> Option<&'static str> {
    Some(match path.strip_prefix("std::fmt::")? {
        "Debug" => "{:?}",
        "Display" => "{}",
        "LowerHex" => "{:x}",
        "UpperHex" => "{:X}",
        "Octal" => "{:o}",
        "Binary" => "{:b}",
        "LowerExp" => "{:e}",
        "UpperExp" => "{:E}",
        "Pointer" => "{:p}",
        _ => return None,
    })
}

/// The text that a call writes to the formatter `f`.
fn shown_by(call: &TokenStream) -> TokenStream {
    quote!({
        struct Shown<F>(F);
        impl<F: Fn(&mut std::fmt::Formatter<'_>) -> std::fmt::Result> std::fmt::Display for Shown<F> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0(f)
            }
        }
        Shown(|f: &mut std::fmt::Formatter<'_>| #call).to_string()
    })
}

/// A call through a trait.
struct TraitCall<'a> {
    ty: &'a Ty,
    path: &'a str,
    args: &'a [Ty],
    name: &'a str,
}

struct Operator {
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

    fn operator(&self) -> Option<Operator> {
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

/// Whether the call stands for itself: nothing comes back, or what comes back may be dropped
/// without a warning.
fn is_statement(spelling: &Spelling) -> bool {
    let is_assignment =
        matches!(&spelling.callee, Callee::Trait { name, .. } if name.ends_with("_assign"));
    let changes = spelling.params.iter().any(|param| {
        matches!(param.passing, Passing::Exclusive | Passing::ExclusiveThrough | Passing::Owned)
    });
    let may_be_dropped = match &spelling.result {
        Ty::Unit | Ty::Never => true,
        Ty::Path { path, .. } if path == "std::option::Option" => changes,
        Ty::Prim(_) | Ty::Probe => changes,
        _ => false,
    };
    is_assignment || may_be_dropped
}

/// `usize::MAX - 1` as `(usize::MAX - 1)`: an operand of an operator must hold together.
fn grouped(operand: TokenStream) -> TokenStream {
    let is_operator = |tree: proc_macro2::TokenTree| matches!(tree, proc_macro2::TokenTree::Punct(punct) if "-.".contains(punct.as_char()));
    // A sign in front binds tightly enough.
    if operand.clone().into_iter().skip(1).any(is_operator) { quote!((#operand)) } else { operand }
}

/// `&x` as `x`.
fn unref(operand: &TokenStream) -> TokenStream {
    let mut inside = operand.clone().into_iter();
    match inside.next() {
        Some(proc_macro2::TokenTree::Punct(punct)) if punct.as_char() == '&' => inside.collect(),
        _ => operand.clone(),
    }
}
