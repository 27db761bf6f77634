//! The decisions in a body: each condition by itself, and the ways to its branches, which are the
//! conditions that hold or do not hold on all of the way.

use syn::{
    BinOp, Block, Expr, ExprLit, Item, Lit, Local, Macro, Pat, Stmt, Token, parse::Parser as _,
    punctuated::Punctuated, visit::Visit,
};

use super::{
    bodies::{Bodies, Function},
    words::Words,
};

/// Functions that are called on the way down to a condition, the first not counted.
const DEEPEST: usize = 2;
/// Of the conditions on a way those that were decided last.
const LONGEST: usize = 4;

/// On what a function decides, as texts of contracts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Conditions, those of functions that it calls after its own.
    pub(crate) conditions: Vec<String>,
    /// Several conditions that hold together where the function goes on in one way.
    pub(crate) ways: Vec<String>,
}

/// Collects what a body decides on.
pub(super) struct Decisions<'b> {
    bodies: &'b Bodies,
    function: &'b Function,
    words: Words<'b>,
    depth: usize,
    /// What holds where the visit is.
    way: Vec<String>,
    found: Decided,
    /// Of functions that are called.
    deeper: Decided,
}

impl<'b> Decisions<'b> {
    /// All that a function decides on.
    pub(super) fn of(bodies: &'b Bodies, function: &'b Function, words: Words<'b>) -> Decided {
        let (found, deeper) = (Decided::default(), Decided::default());
        let mut decisions =
            Decisions { bodies, function, words, depth: 0, way: Vec::new(), found, deeper };
        decisions.visit_block(&function.block);
        decisions.into_decided()
    }

    fn into_decided(self) -> Decided {
        let Decisions { mut found, deeper, .. } = self;
        found.conditions.extend(deeper.conditions);
        found.ways.extend(deeper.ways);
        found
    }

    /// The condition as a whole, or those of its parts that can be said.
    fn decide(&mut self, condition: &Expr) {
        if let Some(text) = self.words.condition(condition) {
            self.found.conditions.push(text);
        } else if let Expr::Binary(binary) = condition
            && matches!(binary.op, BinOp::And(_) | BinOp::Or(_))
        {
            self.decide(&binary.left);
            self.decide(&binary.right);
        } else if let Expr::Paren(inner) = condition {
            self.decide(&inner.expr);
        }
    }

    /// Goes on to a branch where more holds; two conditions or more are worth telling together.
    fn go(&mut self, more: Vec<String>, on: impl FnOnce(&mut Self)) {
        let length = self.way.len();
        let is_new = !more.is_empty();
        self.way.extend(more);
        if is_new && self.way.len() > 1 {
            let parts: Vec<String> = self.way.iter().map(|part| format!("({part})")).collect();
            let last = &parts[parts.len().saturating_sub(LONGEST)..];
            self.found.ways.push(last.join(" && "));
        }
        on(self);
        self.way.truncate(length);
    }

    /// A method of the same file that is called with what can be said.
    fn follow(&mut self, name: &str, args: &[&Expr]) {
        let Some(callee) = self.bodies.named(self.function, name) else { return };
        // Beside what a trait provides there are functions of no type, too.
        if callee.params.first().is_none_or(|first| first != "self") {
            return;
        }
        let is_own = std::ptr::eq(callee, self.function);
        if is_own || self.depth == DEEPEST || args.len() != callee.params.len() {
            return;
        }
        let words = self.words.for_call(&callee.params, args);
        let mut inner = Decisions {
            bodies: self.bodies,
            function: callee,
            words,
            depth: self.depth + 1,
            way: self.way.clone(),
            found: Decided::default(),
            deeper: Decided::default(),
        };
        inner.visit_block(&callee.block);
        let inner = inner.into_decided();
        self.deeper.conditions.extend(inner.conditions);
        self.deeper.ways.extend(inner.ways);
    }

    /// What holds where a condition does, as far as it can be said.
    fn holds(&self, condition: &Expr) -> Vec<String> {
        self.parts(condition, |op| matches!(op, BinOp::And(_)), |text| text)
    }

    /// What holds where a condition does not.
    fn fails(&self, condition: &Expr) -> Vec<String> {
        self.parts(condition, |op| matches!(op, BinOp::Or(_)), |text| format!("!({text})"))
    }

    fn parts(
        &self,
        condition: &Expr,
        splits: fn(&BinOp) -> bool,
        as_said: fn(String) -> String,
    ) -> Vec<String> {
        if let Some(text) = self.words.condition(condition) {
            return vec![as_said(text)];
        }
        match condition {
            Expr::Paren(inner) => self.parts(&inner.expr, splits, as_said),
            Expr::Binary(binary) if splits(&binary.op) => {
                let mut parts = self.parts(&binary.left, splits, as_said);
                parts.extend(self.parts(&binary.right, splits, as_said));
                parts
            }
            _ => Vec::new(),
        }
    }
}

impl<'ast> Visit<'ast> for Decisions<'_> {
    fn visit_block(&mut self, node: &'ast Block) {
        let (length, words) = (self.way.len(), self.words.clone());
        syn::visit::visit_block(self, node);
        self.way.truncate(length);
        self.words = words;
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        let words = self.words.clone();
        self.decide(&node.cond);
        self.visit_expr(&node.cond);
        let (then, otherwise) = (self.holds(&node.cond), self.fails(&node.cond));
        self.go(then, |this| this.visit_block(&node.then_branch));
        self.go(otherwise.clone(), |this| {
            if let Some((_, branch)) = &node.else_branch {
                this.visit_expr(branch);
            }
        });
        self.words = words;
        // Whoever comes by here did not go where there is no way back.
        if node.else_branch.is_none() && diverges(&node.then_branch) {
            self.way.extend(otherwise);
        }
    }

    fn visit_expr_while(&mut self, node: &'ast syn::ExprWhile) {
        self.decide(&node.cond);
        self.visit_expr(&node.cond);
        let inside = self.holds(&node.cond);
        self.go(inside, |this| this.visit_block(&node.body));
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        self.visit_expr(&node.expr);
        let words = self.words.clone();
        for arm in &node.arms {
            self.words = words.clone();
            let mut here = Vec::new();
            if let Some(number) = literal(&arm.pat) {
                here.extend(self.words.compared(&node.expr, "==", &number));
                self.found.conditions.extend(here.iter().cloned());
            }
            self.visit_pat(&arm.pat);
            if let Some((_, guard)) = &arm.guard {
                self.decide(guard);
                self.visit_expr(guard);
                here.extend(self.holds(guard));
            }
            self.go(here, |this| this.visit_expr(&arm.body));
        }
        self.words = words;
    }

    fn visit_local(&mut self, node: &'ast Local) {
        let value = node.init.as_ref().map(|init| &*init.expr);
        if let Some(value) = value {
            self.visit_expr(value);
        }
        if let Some((_, otherwise)) = node.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            self.visit_expr(otherwise);
        }
        let mut words = self.words.clone();
        self.visit_pat(&node.pat);
        let pattern = match &node.pat {
            Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        // What may be assigned to later stands for nothing.
        if let Pat::Ident(name) = pattern
            && name.mutability.is_none()
        {
            words.bind(&name.ident.to_string(), value);
            self.words = words;
        }
    }

    /// A name that a pattern binds has its meaning from there.
    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        self.words.bind(&node.ident.to_string(), None);
        syn::visit::visit_pat_ident(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast syn::ExprMethodCall) {
        syn::visit::visit_expr_method_call(self, node);
        if matches!(&*node.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            let args: Vec<&Expr> = std::iter::once(&*node.receiver).chain(&node.args).collect();
            self.follow(&node.method.to_string(), &args);
        }
    }

    fn visit_macro(&mut self, node: &'ast Macro) {
        let name = node.path.segments.last().map(|last| last.ident.to_string());
        let name = name.as_deref().map_or("", |name| name.strip_prefix("debug_").unwrap_or(name));
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(args) = parser.parse2(node.tokens.clone()) else { return };
        let mut asserted = Vec::new();
        match (name, args.first(), args.get(1)) {
            ("assert", Some(condition), _) => {
                self.decide(condition);
                asserted = self.holds(condition);
            }
            ("assert_eq", Some(a), Some(b)) => asserted.extend(self.words.compared(a, "==", b)),
            ("assert_ne", Some(a), Some(b)) => asserted.extend(self.words.compared(a, "!=", b)),
            _ => {}
        }
        if name != "assert" {
            self.found.conditions.extend(asserted.iter().cloned());
        }
        self.way.extend(asserted);
    }

    /// Other functions and closures have their own variables.
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

/// Whether a block ends where nothing after it is reached.
fn diverges(block: &Block) -> bool {
    let is_end = |call: &Macro| {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        matches!(name.as_deref(), Some("panic" | "unreachable" | "todo" | "unimplemented"))
    };
    match block.stmts.last() {
        Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _)) => true,
        Some(Stmt::Expr(Expr::Macro(call), _)) => is_end(&call.mac),
        Some(Stmt::Macro(call)) => is_end(&call.mac),
        _ => false,
    }
}

/// The number that a pattern is.
fn literal(pattern: &Pat) -> Option<Expr> {
    match pattern {
        Pat::Lit(ExprLit { lit: lit @ (Lit::Int(_) | Lit::Bool(_)), .. }) => {
            Some(Expr::Lit(ExprLit { attrs: Vec::new(), lit: lit.clone() }))
        }
        _ => None,
    }
}
