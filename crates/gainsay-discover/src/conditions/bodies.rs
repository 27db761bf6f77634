//! The functions of a file, and what else of it conditions are said with.

use std::collections::BTreeMap;

use gainsay_model::contract::Written;
use proc_macro2::Span;
use syn::{
    Attribute, Block, Expr, FnArg, ImplItem, Item, Pat, Signature, Stmt, TraitItem, Type,
    Visibility, spanned::Spanned as _,
};

use super::{
    decisions::{Decided, Decisions},
    words::{Lexicon, Words},
    written::Writings,
};

/// The functions of a file.
pub(crate) struct Bodies {
    functions: Vec<Function>,
    /// By the name of a type.
    lexicons: BTreeMap<String, Lexicon>,
    /// Of functions without a type.
    bare: Lexicon,
}

/// A function with a body.
pub(super) struct Function {
    first: u32,
    last: u32,
    owner: Option<String>,
    name: String,
    /// The names of its parameters, the receiver's among them; empty for other patterns.
    pub(super) params: Vec<String>,
    attributes: Vec<Attribute>,
    pub(super) block: Block,
}

impl Bodies {
    pub(crate) fn of(file: &syn::File) -> Bodies {
        let (functions, lexicons) = (Vec::new(), BTreeMap::new());
        let mut bodies = Bodies { functions, lexicons, bare: Lexicon::default() };
        bodies.items(&file.items);
        bodies
    }

    /// On what the function that begins in a line decides, in the order of its text.
    pub(crate) fn decided(&self, line: u32, params: &[&str]) -> Decided {
        let Some(function) = self.at(line) else { return Decided::default() };
        Decisions::of(self, function, self.words(function, params))
    }

    /// The function of the same type, or of none, that has this name.
    pub(super) fn named(&self, beside: &Function, name: &str) -> Option<&Function> {
        let mut alike = self.functions.iter().filter(|it| it.owner == beside.owner);
        alike.find(|it| it.name == name)
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
        let of_owner = function.owner.as_ref().and_then(|owner| self.lexicons.get(owner));
        Words::new(params, of_owner.unwrap_or(&self.bare))
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(function) => {
                    let parts = (&function.attrs[..], &function.sig, &*function.block);
                    self.function(item.span(), None, parts);
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
                    self.lexicon(&definition.ident.to_string()).fields.extend(names);
                }
                Item::Impl(block) => self.implementation(block),
                Item::Trait(block) => {
                    for item in &block.items {
                        if let TraitItem::Fn(function) = item
                            && let Some(body) = &function.default
                        {
                            let parts = (&function.attrs[..], &function.sig, body);
                            self.function(item.span(), None, parts);
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
            let function = match item {
                ImplItem::Fn(function) => function,
                ImplItem::Const(constant) => {
                    if let Some(owner) = &owner {
                        let entry = (constant.ident.to_string(), constant.expr.clone());
                        self.lexicon(owner).constants.push(entry);
                    }
                    continue;
                }
                _ => continue,
            };
            let parts = (&function.attrs[..], &function.sig, &function.block);
            self.function(item.span(), owner.as_ref(), parts);
            // What traits ask for is not the type's own way of speaking.
            let is_own = block.trait_.is_none() && takes_self_alone(&function.sig);
            if let Some(owner) = owner.as_ref().filter(|_| is_own) {
                let is_public = matches!(function.vis, Visibility::Public(_));
                let body = only_expression(&function.block);
                let (name, lexicon) = (function.sig.ident.to_string(), self.lexicon(owner));
                if is_public { lexicon.query(&name, body) } else { lexicon.private(&name, body) }
            }
        }
    }

    fn lexicon(&mut self, of: &str) -> &mut Lexicon {
        self.lexicons.entry(of.to_owned()).or_default()
    }

    fn function(
        &mut self,
        span: Span,
        owner: Option<&String>,
        (attributes, signature, block): (&[Attribute], &Signature, &Block),
    ) {
        let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        self.functions.push(Function {
            first: line(span.start().line),
            last: line(span.end().line),
            owner: owner.cloned(),
            name: signature.ident.to_string(),
            params: signature.inputs.iter().map(parameter).collect(),
            attributes: attributes.to_vec(),
            block: block.clone(),
        });
    }
}

/// The name of a parameter, if it is one.
fn parameter(input: &FnArg) -> String {
    match input {
        FnArg::Receiver(_) => "self".to_owned(),
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => name.ident.to_string(),
            _ => String::new(),
        },
    }
}

fn takes_self_alone(signature: &Signature) -> bool {
    let only = signature.inputs.first().filter(|_| signature.inputs.len() == 1);
    matches!(only, Some(FnArg::Receiver(receiver)) if receiver.mutability.is_none())
}

fn only_expression(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}
