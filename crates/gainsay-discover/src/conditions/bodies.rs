//! The functions of a file, and the decisions in their bodies.

use std::collections::BTreeMap;

use gainsay_model::contract::Written;
use proc_macro2::Span;
use syn::{
    Attribute, Block, Expr, FnArg, ImplItem, Item, Local, Pat, Signature, Stmt, Token, TraitItem,
    Type, Visibility, parse::Parser as _, punctuated::Punctuated, spanned::Spanned as _,
    visit::Visit,
};

use super::{words::Words, written::Writings};

/// The functions of a file.
pub(crate) struct Bodies {
    functions: Vec<Function>,
    /// By the name of a type: what its public queries return, where that is one expression.
    getters: BTreeMap<String, Vec<(Expr, String)>>,
    /// By the name of a type: its public fields.
    fields: BTreeMap<String, Vec<String>>,
}

struct Function {
    first: u32,
    last: u32,
    owner: Option<String>,
    attributes: Vec<Attribute>,
    block: Block,
}

impl Bodies {
    pub(crate) fn of(file: &syn::File) -> Bodies {
        let mut bodies =
            Bodies { functions: Vec::new(), getters: BTreeMap::new(), fields: BTreeMap::new() };
        bodies.items(&file.items);
        bodies
    }

    /// The conditions of the function that begins in a line, in their order.
    pub(crate) fn conditions(&self, line: u32, params: &[&str]) -> Vec<String> {
        let Some(function) = self.at(line) else { return Vec::new() };
        let words = self.words(function, params);
        let mut decisions = Decisions { words, found: Vec::new() };
        decisions.visit_block(&function.block);
        decisions.found
    }

    /// The contracts of the function that begins in a line, with what is documented of its panics.
    pub(crate) fn written(
        &self,
        line: u32,
        params: &[&str],
        documented: Option<&str>,
    ) -> Vec<Written> {
        let Some(function) = self.at(line) else { return Vec::new() };
        let words = self.words(function, params);
        Writings::of(words, &function.attributes, &function.block, documented)
    }

    /// Of nested functions the innermost; the span of documentation begins before `fn`.
    fn at(&self, line: u32) -> Option<&Function> {
        let begins = |function: &&Function| (function.first..=function.last).contains(&line);
        self.functions.iter().filter(begins).min_by_key(|f| f.last - f.first)
    }

    fn words(&self, function: &Function, params: &[&str]) -> Words<'_> {
        let owner = function.owner.as_deref().unwrap_or_default();
        let getters = self.getters.get(owner).map_or(&[][..], Vec::as_slice);
        let fields = self.fields.get(owner).map_or(&[][..], Vec::as_slice);
        Words::new(params, getters, fields)
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(function) => {
                    self.function(item.span(), None, (&function.attrs, &function.block));
                }
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.items(items);
                    }
                }
                Item::Struct(definition) => {
                    let public = definition.fields.iter();
                    let public = public.filter(|f| matches!(f.vis, Visibility::Public(_)));
                    let names = public.filter_map(|field| Some(field.ident.as_ref()?.to_string()));
                    self.fields.insert(definition.ident.to_string(), names.collect());
                }
                Item::Impl(block) => self.implementation(block),
                Item::Trait(block) => {
                    for item in &block.items {
                        if let TraitItem::Fn(function) = item
                            && let Some(body) = &function.default
                        {
                            self.function(item.span(), None, (&function.attrs, body));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn implementation(&mut self, block: &syn::ItemImpl) {
        let owner = match &*block.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            self.function(item.span(), owner.as_ref(), (&function.attrs, &function.block));
            let is_public = matches!(function.vis, Visibility::Public(_));
            if let Some(owner) = owner.as_ref().filter(|_| is_public)
                && let Some(body) = getter(&function.sig, &function.block)
            {
                let entry = (body.clone(), function.sig.ident.to_string());
                self.getters.entry(owner.clone()).or_default().push(entry);
            }
        }
    }

    fn function(
        &mut self,
        span: Span,
        owner: Option<&String>,
        (attributes, block): (&[Attribute], &Block),
    ) {
        let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        self.functions.push(Function {
            first: line(span.start().line),
            last: line(span.end().line),
            owner: owner.cloned(),
            attributes: attributes.to_vec(),
            block: block.clone(),
        });
    }
}

/// What a query without argument returns, if its body is one expression.
fn getter<'b>(signature: &Signature, block: &'b Block) -> Option<&'b Expr> {
    let takes_self = signature.inputs.len() == 1
        && matches!(signature.inputs.first(), Some(FnArg::Receiver(receiver)) if receiver.mutability.is_none());
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] if takes_self => Some(expr),
        _ => None,
    }
}

/// Collects what a body decides on.
struct Decisions<'w> {
    words: Words<'w>,
    found: Vec<String>,
}

impl Decisions<'_> {
    /// The condition as a whole, or those of its parts that can be said.
    fn decide(&mut self, condition: &Expr) {
        if let Some(text) = self.words.condition(condition) {
            self.found.push(text);
        } else if let Expr::Binary(binary) = condition
            && matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_))
        {
            self.decide(&binary.left);
            self.decide(&binary.right);
        } else if let Expr::Paren(inner) = condition {
            self.decide(&inner.expr);
        }
    }
}

impl<'ast> Visit<'ast> for Decisions<'_> {
    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        self.decide(&node.cond);
        syn::visit::visit_expr_if(self, node);
    }

    fn visit_expr_while(&mut self, node: &'ast syn::ExprWhile) {
        self.decide(&node.cond);
        syn::visit::visit_expr_while(self, node);
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            self.decide(guard);
        }
        syn::visit::visit_arm(self, node);
    }

    fn visit_local(&mut self, node: &'ast Local) {
        syn::visit::visit_local(self, node);
        let name = match &node.pat {
            Pat::Ident(ident) => &ident.ident,
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(ident) => &ident.ident,
                _ => return,
            },
            _ => return,
        };
        self.words.bind(&name.to_string(), node.init.as_ref().map(|init| &*init.expr));
    }

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        let name = node.path.segments.last().map(|last| last.ident.to_string());
        let name = name.as_deref().map_or("", |name| name.strip_prefix("debug_").unwrap_or(name));
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(args) = parser.parse2(node.tokens.clone()) else { return };
        match (name, args.first(), args.get(1)) {
            ("assert", Some(condition), _) => self.decide(condition),
            ("assert_eq", Some(a), Some(b)) => self.found.extend(self.words.compared(a, "==", b)),
            ("assert_ne", Some(a), Some(b)) => self.found.extend(self.words.compared(a, "!=", b)),
            _ => {}
        }
    }

    /// Other functions and closures have their own variables.
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}
