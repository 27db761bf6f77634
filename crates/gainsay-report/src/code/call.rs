//! One step: the call expression and what is done with its result.

use std::collections::BTreeMap;

use gainsay_model::{
    api::{Callee, Lending},
    spelling::{Passing, Spelling},
    ty::{Access, GenericArg, Ty},
};
use gainsay_wire::{Arg, ObjRef, Sequence, Step, Twist, Value};
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{
    Book, LastResult, Lets, Style, Unused,
    composite::{function, member},
    ident,
    lets::LentFor,
    literal::{Literals, Suffix},
    tokens,
    traits::TraitCall,
    types::Imports,
    unpack::{Wanted, unpack},
    variables::{Variable, base_name},
};

/// So many items an iterator is asked for: one that does not end must not keep a test.
const MOST_ITEMS: usize = 32;

/// Writes steps one after the other.
pub(crate) struct Writer<'a> {
    pub(crate) book: Book<'a>,
    pub(crate) style: &'a Style,
    pub(crate) variables: BTreeMap<ObjRef, Variable>,
    pub(crate) imports: Imports,
    /// Values that outlive their statements.
    pub(crate) lets: Lets,
    /// What was asserted so far: the result of a step, or the elements of an object after it.
    pub(crate) assertions: Vec<(usize, Option<ObjRef>)>,
}

impl Writer<'_> {
    /// The statement of a step.
    pub(crate) fn step(&mut self, sequence: &Sequence, at: usize) -> TokenStream {
        let step = &sequence.steps[at];
        let Some(spelling) = self.book.spelling(step.op) else {
            let unknown = format!("operation {} is not known", step.op.0);
            return quote!(unimplemented!(#unknown););
        };
        let wanted = self.wanted(spelling, at);
        let end = if at + 1 < sequence.steps.len() { End::Passed } else { End::Last };
        if self.ends_a_reference(spelling, step) {
            return quote!();
        }
        self.lets.span = self.lent_for(spelling, step, &wanted, end);
        self.lets.twist = step.twist;
        self.lets.is_late |= step.twist != Twist::None && !wanted.is_empty();
        if wanted.is_empty()
            && let Some(statement) = self.twisted(spelling, step)
        {
            let lets = self.lets.take();
            return quote!(#lets #statement);
        }
        let statement = match &spelling.callee {
            Callee::Part { path, field } if !wanted.is_empty() => {
                let Some(value) = self.operand(spelling, step, 0, Suffix::Left) else {
                    return quote!();
                };
                self.part(path, field, &value, &wanted, &spelling.result)
            }
            _ => {
                let is_tried = end == End::Last && self.style.last == LastResult::Tried;
                let tried = if is_tried { self.tried(spelling, step) } else { None };
                let call = tried.unwrap_or_else(|| self.call(spelling, step));
                let asserted = self.style.asserted.get(&at).filter(|_| wanted.is_empty());
                let asserted = asserted.and_then(|it| self.asserted(&call, &spelling.result, it));
                self.assertions.extend(asserted.as_ref().map(|_| (at, None)));
                asserted.unwrap_or_else(|| self.kept(&call, spelling, &wanted, end))
            }
        };
        let lets = self.lets.take();
        quote!(#lets #statement)
    }

    /// The statement of a call, by what is needed of its result.
    fn kept(
        &self,
        call: &TokenStream,
        spelling: &Spelling,
        wanted: &[Wanted],
        end: End,
    ) -> TokenStream {
        if !wanted.is_empty() {
            return unpack(call, &spelling.result, wanted);
        }
        if end == End::Last && self.style.last == LastResult::Bound {
            return quote!(let result = #call;);
        }
        if end == End::Last && spelling.has_plain_result() {
            match self.style.last {
                LastResult::Shown => return quote!(println!("{:?}", #call);),
                LastResult::Stepped => {
                    let most = proc_macro2::Literal::usize_unsuffixed(MOST_ITEMS);
                    return quote!(let _ = #call.take(#most).collect::<Vec<_>>(););
                }
                LastResult::Bound | LastResult::Ignored | LastResult::Tried => {}
            }
        }
        if !spelling.makes.is_empty() && self.style.unused == Unused::Kept {
            let name = format_ident!("_{}", base_name(&spelling.makes[0].ty));
            return quote!(let #name = #call;);
        }
        if is_statement(spelling) { quote!(#call;) } else { quote!(let _ = #call;) }
    }

    /// Whether a step only ends a reference, which needs no words.
    fn ends_a_reference(&self, spelling: &Spelling, step: &Step) -> bool {
        let is_drop =
            matches!(&spelling.callee, Callee::Function { path, .. } if path == "std::mem::drop");
        let [Arg::Object(object)] = &step.args[..] else { return false };
        let variable = self.variables.get(object);
        is_drop && variable.is_some_and(|variable| matches!(variable.ty, Ty::Ref { .. }))
    }

    /// How long the values must live that a step takes by reference.
    fn lent_for(&self, spelling: &Spelling, step: &Step, wanted: &[Wanted], end: End) -> LentFor {
        let is_bound = end == End::Last && self.style.last == LastResult::Bound;
        let is_kept = !spelling.makes.is_empty() && self.style.unused == Unused::Kept;
        let stores = step.args.iter().zip(spelling.operand_params()).any(|(arg, operand)| {
            let variable = match arg {
                Arg::Object(object) => self.variables.get(object),
                Arg::Plain(_) => None,
            };
            let changes = matches!(operand.passing, Passing::Exclusive | Passing::ExclusiveThrough);
            changes && variable.is_some_and(|variable| variable.ty.is_borrowed())
        });
        let lends = spelling.lending == Lending::Operands
            && (!wanted.is_empty() || is_kept || stores && end == End::Passed);
        if lends || is_bound && spelling.result.is_borrowed() {
            LentFor::Longer(self.style.probe)
        } else {
            LentFor::Statement
        }
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

    pub(super) fn call(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
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

    /// An object is written as text, which may fail: `format!` would panic then.
    fn tried(&mut self, spelling: &Spelling, step: &Step) -> Option<TokenStream> {
        let Callee::Trait { path, name, .. } = &spelling.callee else { return None };
        let form = directive(path).filter(|_| name == "fmt")?;
        let shown = self.receiver(spelling, step);
        Some(quote!(std::fmt::write(&mut String::new(), format_args!(#form, #shown))))
    }

    fn plain_call(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        match &spelling.callee {
            Callee::Function { path, generics } => {
                let constructor = self.constructor(path, &spelling.result);
                let turbofish = self.turbofish(generics);
                let path = match constructor {
                    Some(constructor) => constructor,
                    None if path == "std::mem::drop" => quote!(drop),
                    None => tokens(path),
                };
                let args = self.args(spelling, step, 0, Suffix::Left);
                quote!(#path #turbofish(#(#args),*))
            }
            Callee::Literal { path } => {
                let constructor = self.constructor(path, &spelling.result);
                let path = constructor.unwrap_or_else(|| function(&mut self.imports, path));
                let args = self.args(spelling, step, 0, Suffix::Left);
                let fields = spelling.params.iter().map(|param| member(&param.name));
                if args.is_empty() { path } else { quote!(#path { #(#fields: #args),* }) }
            }
            Callee::Part { path, field } => {
                let (path, member) = (function(&mut self.imports, path), member(field));
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
            Callee::Trait { ty, path, args, name, generics } => {
                let found = TraitCall { ty, path, args, name, generics };
                self.trait_call(&found, spelling, step)
            }
        }
    }

    /// The function's own types, where they say anything.
    pub(super) fn turbofish(&mut self, generics: &[Ty]) -> TokenStream {
        let is_left = |ty: &Ty| matches!(ty, Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque);
        if generics.iter().all(is_left) {
            return quote!();
        }
        let generics = generics.iter().map(|ty| self.imports.ty(ty));
        quote!(::<#(#generics),*>)
    }

    /// The receiver before a dot.
    pub(super) fn receiver(&mut self, spelling: &Spelling, step: &Step) -> TokenStream {
        let is_alone = spelling.params.first().is_some_and(|param| {
            !matches!(param.passing, Passing::Composite(..) | Passing::Giving(_))
        });
        if let (Some(Arg::Object(object)), true) = (step.args.first(), is_alone) {
            return self.object(*object);
        }
        let plain = unref(&self.operand(spelling, step, 0, Suffix::Written).unwrap_or_default());
        quote!((#plain))
    }

    pub(super) fn args(
        &mut self,
        spelling: &Spelling,
        step: &Step,
        from: usize,
        suffix: Suffix,
    ) -> Vec<TokenStream> {
        let all = from..spelling.params.len();
        all.map(|i| self.operand(spelling, step, i, suffix).unwrap_or_default()).collect()
    }

    /// What is passed for the parameter at `index`.
    pub(super) fn operand(
        &mut self,
        spelling: &Spelling,
        step: &Step,
        index: usize,
        suffix: Suffix,
    ) -> Option<TokenStream> {
        let param = spelling.params.get(index)?;
        self.lets.name.clone_from(&param.name);
        let before: usize = spelling.params[..index].iter().map(|p| p.operand_params().len()).sum();
        let mut args = step.args.get(before..).unwrap_or_default().iter();
        let written = self.composed(param, &mut args, suffix)?;
        let is_generic = match &spelling.callee {
            Callee::Function { generics, .. } => generics.is_empty() && may_be_generic(&param.ty),
            _ => suffix == Suffix::Written,
        };
        Some(if is_generic { self.typed(written, &param.ty) } else { written })
    }

    /// The constructor of the result's type, with the type's arguments: nothing else may tell.
    fn constructor(&mut self, path: &str, result: &Ty) -> Option<TokenStream> {
        let Ty::Path { path: made, .. } = result else { return None };
        let variant = path.strip_prefix(made.as_str())?;
        let head = self.imports.head(result);
        match variant.strip_prefix("::") {
            Some(variant) if !variant.contains("::") => {
                let variant = ident(variant);
                Some(quote!(#head::#variant))
            }
            None if variant.is_empty() => Some(head),
            _ => None,
        }
    }

    /// A value that says nothing of its type, with the type.
    fn typed(&mut self, written: TokenStream, ty: &Ty) -> TokenStream {
        if matches!(ty, Ty::Ref { to, .. } if matches!(**to, Ty::Slice(_))) {
            let is_empty = written.to_string().replace(' ', "").ends_with("[]");
            let ty = self.imports.ty(ty);
            return if is_empty { quote!((#written as #ty)) } else { written };
        }
        let Ty::Path { path, args } = ty else { return written };
        if let ("std::result::Result", [GenericArg::Type(ok), GenericArg::Type(err)]) =
            (path.as_str(), &args[..])
        {
            return self.typed_result(written, ok, err);
        }
        let Some(GenericArg::Type(item)) = args.first() else { return written };
        match written.to_string().replace(' ', "").as_str() {
            "None" => {
                let item = self.imports.ty(item);
                quote!(None::<#item>)
            }
            "Vec::new()" => {
                let item = self.imports.ty(item);
                quote!(Vec::<#item>::new())
            }
            _ => written,
        }
    }

    /// `Ok(..)` or `Err(..)`, with the type that is not in it, too.
    fn typed_result(&mut self, written: TokenStream, ok: &Ty, err: &Ty) -> TokenStream {
        let mut tokens = written.clone().into_iter();
        match tokens.next() {
            Some(TokenTree::Ident(head)) if head == "Ok" || head == "Err" => {
                let (ok, err) = (self.imports.ty(ok), self.imports.ty(err));
                let inside: TokenStream = tokens.collect();
                quote!(#head::<#ok, #err> #inside)
            }
            _ => written,
        }
    }

    pub(super) fn literal(&mut self, value: &Value, ty: &Ty, suffix: Suffix) -> TokenStream {
        let probe = self.style.probe;
        let (imports, lets) = (&mut self.imports, &mut self.lets);
        Literals { imports, probe, suffix, lets }.write(value, ty)
    }

    pub(super) fn object(&self, object: ObjRef) -> TokenStream {
        let name = self.variables.get(&object).map(|variable| variable.name.clone());
        let name = name.unwrap_or_else(|| ident("missing"));
        quote!(#name)
    }
}

/// Where a step stands in its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Others follow.
    Passed,
    /// It is the last.
    Last,
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

/// Whether the type holds one of those that stand for parameters: `i32` stands for plain ones.
fn may_be_generic(ty: &Ty) -> bool {
    let ty = ty.to_string();
    ty.contains("Probe") || ty.contains("i32")
}

/// Whether the call stands for itself: nothing comes back, or what comes back may be dropped
/// without a warning.
fn is_statement(spelling: &Spelling) -> bool {
    // The compiler wants the result of an operator used, except of assignments.
    if let Callee::Trait { ty, path, args, name, generics } = &spelling.callee {
        let call = TraitCall { ty, path, args, name, generics };
        if call.operator().is_some() {
            return name.ends_with("_assign");
        }
    }
    let changes = spelling.params.iter().any(|param| match param.passing {
        Passing::Exclusive | Passing::ExclusiveThrough => true,
        Passing::Owned => !matches!(param.ty, Ty::Ref { access: Access::Shared, .. }),
        _ => false,
    });
    match &spelling.result {
        Ty::Unit | Ty::Never => true,
        Ty::Path { path, .. } if path == "std::option::Option" => changes,
        Ty::Prim(_) | Ty::Probe => changes,
        _ => false,
    }
}

/// `usize::MAX - 1` as `(usize::MAX - 1)`: an operand of an operator must hold together.
pub(super) fn grouped(operand: TokenStream) -> TokenStream {
    let is_operator = |tree: proc_macro2::TokenTree| matches!(tree, proc_macro2::TokenTree::Punct(punct) if "-.".contains(punct.as_char()));
    // A sign in front binds tightly enough.
    if operand.clone().into_iter().skip(1).any(is_operator) { quote!((#operand)) } else { operand }
}

/// `&x` as `x`.
pub(super) fn unref(operand: &TokenStream) -> TokenStream {
    let mut inside = operand.clone().into_iter();
    match inside.next() {
        Some(proc_macro2::TokenTree::Punct(punct)) if punct.as_char() == '&' => {
            let is_mut = |token: &proc_macro2::TokenTree| token.to_string() == "mut";
            inside.skip_while(is_mut).collect()
        }
        _ => operand.clone(),
    }
}
