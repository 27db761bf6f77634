//! Semantic mutants of the functions of a type: where they are in the source, and what each has in
//! place of it. Constant functions, patterns, types and macros are left alone, as is what only
//! prints.

use std::ops::Range;

use gainsay_harness::patch::{Guard, Patch, Place};
use gainsay_wire::Digest;
use quote::{ToTokens, quote};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprCall, ExprIf, ExprLit, ExprMethodCall, ExprRange, FnArg,
    ImplItemFn, ItemImpl, Lit, Pat, RangeLimits, ReturnType, Signature, Stmt, Type,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use super::guards::Numbers;

/// Of each change there are so many mutants with a guard, besides the one without.
const GUARDED: u64 = 2;

/// How a mutant differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// `<` and `<=`, `==` and `!=`.
    Comparison,
    /// `+` and `-`, also with assignment.
    Arithmetic,
    /// `&&` and `||`.
    Connective,
    /// The condition of an `if` is the opposite.
    Negation,
    /// An integer is one more or one less.
    Constant,
    /// `..` and `..=`.
    Bound,
    /// A call or an assignment is left out.
    Omission,
    /// Two arguments are exchanged.
    Exchange,
    /// The function returns at once.
    Return,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    pub(super) change: Change,
    /// The function, for people.
    pub(super) function: String,
    /// What is there instead, where, and when it is on.
    pub(super) patch: Patch,
}

/// All mutants of the functions of a type in a file, in the order of the source. Guards speak of the
/// queries.
pub(super) fn mutants(source: &str, ty: &str, queries: &[String]) -> syn::Result<Vec<Mutant>> {
    let file = syn::parse_file(source)?;
    let mut maker = Maker { ty, queries, function: None, found: Vec::new() };
    maker.visit_file(&file);
    let mut found = maker.found;
    found.sort_by(|Mutant { patch: a, .. }, Mutant { patch: b, .. }| {
        (a.at.start, a.at.end, &a.text).cmp(&(b.at.start, b.at.end, &b.text))
    });
    found.dedup();
    Ok(found)
}

struct Maker<'a> {
    ty: &'a str,
    queries: &'a [String],
    /// The function that is being looked at, if it is one of the type's.
    function: Option<(String, Numbers)>,
    found: Vec<Mutant>,
}

/// Implementations of these only print, or are tests' business.
const PRINTING: &[&str] = &["Debug", "Display", "Serialize", "Deserialize", "Write"];

impl Maker<'_> {
    fn add(&mut self, change: Change, place: Place, at: &Range<usize>, text: &str) {
        let Some((function, numbers)) = &self.function else { return };
        let lot = |nth: u64| Digest::of_bytes(format!("{nth} {change:?} {at:?} {text}").as_bytes());
        let guards = (0..GUARDED).filter_map(|nth| numbers.guard(lot(nth)));
        let guards: Vec<Option<Guard>> = guards.map(Some).chain([None]).collect();
        for guard in guards {
            let patch = Patch { place, at: at.clone(), text: text.to_owned(), guard };
            self.found.push(Mutant { change, function: function.clone(), patch });
        }
    }

    fn instead(&mut self, change: Change, of: &impl ToTokens, by: impl ToTokens) {
        let at = of.span().byte_range();
        self.add(change, Place::Expression, &at, &by.to_token_stream().to_string());
    }

    fn binary(&mut self, expr: &ExprBinary) {
        let (left, right) = (&expr.left, &expr.right);
        let mut by = |change, op: proc_macro2::TokenStream| {
            self.instead(change, expr, quote!(#left #op #right));
        };
        match expr.op {
            BinOp::Lt(_) => by(Change::Comparison, quote!(<=)),
            BinOp::Le(_) => by(Change::Comparison, quote!(<)),
            BinOp::Gt(_) => by(Change::Comparison, quote!(>=)),
            BinOp::Ge(_) => by(Change::Comparison, quote!(>)),
            BinOp::Eq(_) => by(Change::Comparison, quote!(!=)),
            BinOp::Ne(_) => by(Change::Comparison, quote!(==)),
            BinOp::Add(_) => by(Change::Arithmetic, quote!(-)),
            BinOp::Sub(_) => by(Change::Arithmetic, quote!(+)),
            BinOp::AddAssign(_) => by(Change::Arithmetic, quote!(-=)),
            BinOp::SubAssign(_) => by(Change::Arithmetic, quote!(+=)),
            BinOp::And(_) => by(Change::Connective, quote!(||)),
            BinOp::Or(_) => by(Change::Connective, quote!(&&)),
            _ => {}
        }
    }

    /// The call with each two neighbours exchanged that are plain names.
    fn exchange<'e>(
        &mut self,
        call: &impl ToTokens,
        args: impl Iterator<Item = &'e Expr>,
        with: impl Fn(&[&Expr]) -> proc_macro2::TokenStream,
    ) {
        let args: Vec<&Expr> = args.collect();
        for i in 1..args.len() {
            if matches!((args[i - 1], args[i]), (Expr::Path(a), Expr::Path(b)) if a != b) {
                let mut other = args.clone();
                other.swap(i - 1, i);
                self.instead(Change::Exchange, call, with(&other));
            }
        }
    }

    /// A statement that is a call or an assignment can be left out.
    fn omit(&mut self, stmt: &Stmt) {
        let Stmt::Expr(expr, Some(_)) = stmt else { return };
        let is_assignment = match expr {
            Expr::Assign(_) => true,
            Expr::Binary(binary) => is_assignment(&binary.op),
            _ => false,
        };
        if is_assignment || matches!(expr, Expr::Call(_) | Expr::MethodCall(_)) {
            let at = stmt.span().byte_range();
            self.add(Change::Omission, Place::Statement, &at, "");
        }
    }

    /// Returning at once what can be made up.
    fn return_early(&mut self, sig: &Signature, block: &Block) {
        let Some(first) = block.stmts.first().filter(|_| block.stmts.len() > 1) else { return };
        let at = first.span().byte_range().start;
        let takes_self = matches!(sig.inputs.first(), Some(FnArg::Receiver(_)));
        let values: &[&str] = match returned(&sig.output).as_deref() {
            None if takes_self => &[""],
            Some("bool") => &["true", "false"],
            Some("Option") => &["None"],
            _ => &[],
        };
        for value in values {
            self.add(Change::Return, Place::Gap, &(at..at), &format!("return {value};"));
        }
    }
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | BitXorAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// The last name of the type that is returned.
fn returned(output: &ReturnType) -> Option<String> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(last_name(ty).unwrap_or_default()),
    }
}

pub(super) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Reference(inner) => last_name(&inner.elem),
        _ => None,
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let text = attr.meta.to_token_stream().to_string();
        text == "test" || text.starts_with("cfg") && text.contains("test")
    })
}

impl<'ast> Visit<'ast> for Maker<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        let prints = of_trait.is_some_and(|last| PRINTING.iter().any(|name| last.ident == name));
        if last_name(&item.self_ty).is_some_and(|name| name == self.ty) && !prints {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if item.sig.constness.is_some() || is_test(&item.attrs) {
            return;
        }
        let name = format!("{}::{}", self.ty, item.sig.ident);
        self.function = Some((name, Numbers::of(item, self.ty, self.queries)));
        self.return_early(&item.sig, &item.block);
        self.visit_block(&item.block);
        self.function = None;
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.omit(stmt);
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr_binary(&mut self, expr: &'ast ExprBinary) {
        self.binary(expr);
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_if(&mut self, expr: &'ast ExprIf) {
        let cond = &expr.cond;
        let is_let = cond.to_token_stream().to_string().contains("let ");
        if !is_let && !matches!(&**cond, Expr::Binary(_)) {
            self.instead(Change::Negation, cond, quote!(!(#cond)));
        }
        visit::visit_expr_if(self, expr);
    }

    fn visit_expr_lit(&mut self, expr: &'ast ExprLit) {
        let Lit::Int(int) = &expr.lit else { return };
        let Ok(value) = int.base10_parse::<u64>() else { return };
        let others = [value.checked_add(1), value.checked_sub(1)];
        for other in others.into_iter().flatten() {
            self.instead(
                Change::Constant,
                expr,
                syn::LitInt::new(&format!("{other}{}", int.suffix()), int.span()),
            );
        }
    }

    fn visit_expr_range(&mut self, expr: &'ast ExprRange) {
        let (start, end) = (&expr.start, &expr.end);
        match (end, expr.limits) {
            (Some(end), RangeLimits::HalfOpen(_)) => {
                self.instead(Change::Bound, end, quote!((#end) + 1));
            }
            (Some(_), RangeLimits::Closed(_)) => {
                if let Some(start) = start {
                    self.instead(Change::Bound, start, quote!((#start) + 1));
                }
            }
            _ => {}
        }
        visit::visit_expr_range(self, expr);
    }

    fn visit_expr_call(&mut self, expr: &'ast ExprCall) {
        let func = &expr.func;
        self.exchange(expr, expr.args.iter(), |args| quote!(#func(#(#args),*)));
        visit::visit_expr_call(self, expr);
    }

    fn visit_expr_method_call(&mut self, expr: &'ast ExprMethodCall) {
        let (on, method, generic) = (&expr.receiver, &expr.method, &expr.turbofish);
        let with = |args: &[&Expr]| quote!(#on.#method #generic (#(#args),*));
        self.exchange(expr, expr.args.iter(), with);
        visit::visit_expr_method_call(self, expr);
    }

    // Lengths of arrays, patterns, types, constants and macros are left alone.
    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }

    fn visit_pat(&mut self, _: &'ast Pat) {}

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[cfg(test)]
#[path = "mutants/tests.rs"]
mod tests;
