//! What a programmer wrote of what a function asks for and promises: attributes of crates for
//! contracts, assertions at the beginning of its body, documented panics. What cannot be said in
//! the words of contracts is passed over.

use gainsay_model::contract::{ContractKind, Written, WrittenPlace};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Attribute, Block, Expr, Stmt, Token, parse::Parser as _, punctuated::Punctuated};

use super::words::Words;

/// Collects the contracts of one function.
pub(super) struct Writings<'w> {
    words: Words<'w>,
    found: Vec<Written>,
}

impl<'w> Writings<'w> {
    /// All that is written of a function.
    pub(super) fn of(
        words: Words<'w>,
        attributes: &[Attribute],
        block: &Block,
        documented: Option<&str>,
    ) -> Vec<Written> {
        let mut writings = Writings { words, found: Vec::new() };
        for attribute in attributes {
            writings.attribute(attribute);
        }
        if let Some(text) = documented {
            writings.documented(text);
        }
        writings.leading(block);
        writings.found
    }

    fn note(&mut self, kind: ContractKind, text: Option<String>, place: WrittenPlace) {
        let written = text.map(|text| Written { kind, text, place });
        self.found.extend(written);
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let name = attribute.path().segments.last().map(|last| last.ident.to_string());
        let name = name.unwrap_or_default();
        let name =
            ["debug_", "test_"].iter().find_map(|mode| name.strip_prefix(mode)).unwrap_or(&name);
        let Ok(list) = attribute.meta.require_list() else { return };
        let parts = split(list.tokens.clone());
        match name {
            "requires" => self.clauses(&parts, &[ContractKind::Precondition]),
            "ensures" => self.clauses(&parts, &[ContractKind::Postcondition]),
            "invariant" => {
                self.clauses(&parts, &[ContractKind::Precondition, ContractKind::Postcondition]);
            }
            "spec" => self.specification(&parts),
            _ => {}
        }
    }

    /// Conditions, the last of which may be a message.
    fn clauses(&mut self, parts: &[TokenStream], kinds: &[ContractKind]) {
        for part in parts {
            for kind in kinds {
                let text = self.clause(part, *kind);
                self.note(*kind, text, WrittenPlace::Attribute);
            }
        }
    }

    fn clause(&self, tokens: &TokenStream, kind: ContractKind) -> Option<String> {
        let mut words = self.words.clone();
        if kind == ContractKind::Postcondition {
            words.after_the_call("ret");
        }
        said(&words, tokens)
    }

    /// `requires: .., maintains: .., captures: .., ensures: ..` of one attribute.
    fn specification(&mut self, parts: &[TokenStream]) {
        let mut words = self.words.clone();
        words.after_the_call("output");
        for part in parts {
            let mut tokens = part.clone().into_iter().peekable();
            while matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '#') {
                tokens.by_ref().take(2).for_each(drop);
            }
            let Some(TokenTree::Ident(field)) = tokens.next() else { continue };
            tokens.next();
            let rest: TokenStream = tokens.collect();
            let (pre, post) = (ContractKind::Precondition, ContractKind::Postcondition);
            match field.to_string().as_str() {
                "requires" => self.clauses(&members(rest), &[pre]),
                "maintains" => self.clauses(&members(rest), &[pre, post]),
                "captures" => captures(&mut words, rest),
                "ensures" => {
                    let rest = bound(&mut words, rest);
                    for member in members(rest) {
                        self.note(post, said(&words, &member), WrittenPlace::Attribute);
                    }
                }
                _ => {}
            }
        }
    }

    /// Assertions before anything else is done.
    fn leading(&mut self, block: &Block) {
        for statement in &block.stmts {
            let texts = match statement {
                Stmt::Macro(call) => asserted(&self.words, &call.mac),
                Stmt::Expr(Expr::If(branch), _) => guarded(&self.words, branch),
                _ => None,
            };
            let Some(text) = texts else { return };
            self.note(ContractKind::Precondition, Some(text), WrittenPlace::Assertion);
        }
    }

    /// "Panics if `a > b`." The code must be the whole condition.
    fn documented(&mut self, text: &str) {
        for rest in text.split(" if `").skip(1) {
            let Some((code, after)) = rest.split_once('`') else { continue };
            let ends = after.trim_start().is_empty() || after.starts_with(['.', '\n', ';']);
            let condition = syn::parse_str::<Expr>(code).ok().filter(|_| ends);
            let text = condition.and_then(|condition| self.words.condition(&condition));
            let text = text.map(|text| format!("!({text})"));
            self.note(ContractKind::Precondition, text, WrittenPlace::Documentation);
        }
    }
}

/// What an assertion asserts; `None` for any other macro, and for what only debug builds check.
fn asserted(words: &Words<'_>, call: &syn::Macro) -> Option<String> {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    let args = parser.parse2(call.tokens.clone()).ok()?;
    let name = call.path.segments.last()?.ident.to_string();
    match (name.as_str(), args.first()?, args.get(1)) {
        ("assert", condition, _) => words.condition(condition),
        ("assert_eq", a, Some(b)) => words.compared(a, "==", b),
        ("assert_ne", a, Some(b)) => words.compared(a, "!=", b),
        _ => None,
    }
}

/// `if a { panic!(..) }` asks for the opposite.
fn guarded(words: &Words<'_>, branch: &syn::ExprIf) -> Option<String> {
    let only = match branch.then_branch.stmts.as_slice() {
        [Stmt::Macro(only)] => &only.mac,
        [Stmt::Expr(Expr::Macro(only), _)] => &only.mac,
        _ => return None,
    };
    let is_panic = only.path.is_ident("panic") && branch.else_branch.is_none();
    let text = words.condition(&branch.cond).filter(|_| is_panic)?;
    Some(format!("!({text})"))
}

/// A condition with `->` for implication.
fn said(words: &Words<'_>, tokens: &TokenStream) -> Option<String> {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |tree: Option<&TokenTree>, mark: char| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let arrow = (0..all.len()).find(|at| is(all.get(*at), '-') && is(all.get(at + 1), '>'));
    let Some(at) = arrow else {
        return words.condition(&syn::parse2(tokens.clone()).ok()?);
    };
    let side = |trees: &[TokenTree]| trees.iter().cloned().collect::<TokenStream>();
    let antecedent = words.condition(&syn::parse2(side(&all[..at])).ok()?)?;
    Some(format!("({antecedent}) ==> ({})", said(words, &side(&all[at + 2..]))?))
}

/// What stands between commas.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for tree in tokens {
        match (&tree, parts.last_mut()) {
            (TokenTree::Punct(mark), _) if mark.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(last)) => last.extend([tree]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The members of `[a, b]`, or the one thing that stands alone.
fn members(tokens: TokenStream) -> Vec<TokenStream> {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Bracket => {
            split(group.stream())
        }
        _ => vec![tokens],
    }
}

/// `name = value` before the call.
fn captures(words: &mut Words<'_>, tokens: TokenStream) {
    for member in members(tokens) {
        let Ok(assignment) = syn::parse2::<syn::ExprAssign>(member) else { continue };
        if let Expr::Path(name) = &*assignment.left
            && let Some(name) = name.path.get_ident()
        {
            words.capture(&name.to_string(), &assignment.right);
        }
    }
}

/// Takes `|name|` off, which from then on means what is returned.
fn bound(words: &mut Words<'_>, tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    let is_bar = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Punct(mark)) if mark.as_char() == '|');
    if !is_bar(trees.next().as_ref()) {
        return tokens;
    }
    for tree in trees.by_ref() {
        match tree {
            TokenTree::Ident(name) if name != "ref" => words.after_the_call(&name.to_string()),
            other if is_bar(Some(&other)) => break,
            _ => {}
        }
    }
    trees.collect()
}
