//! From Rust syntax to statements in a straight line.

mod terms;

use gainsay_model::example::{Statement, Term};
use syn::{Block, Expr, Item, Macro, Pat, Stmt};

use super::MOST_STATEMENTS;
use terms::{arguments, last_word, method, operator, term};

/// What an example in documentation does: one list for itself, or one for each function in it.
pub(super) fn of_snippet(code: &str) -> Vec<Vec<Statement>> {
    // The line break ends a comment on the last line.
    let Ok(block) = syn::parse_str::<Block>(&format!("{{{code}\n}}")) else { return Vec::new() };
    let mut lists = vec![of_block(&block)];
    for stmt in &block.stmts {
        if let Stmt::Item(Item::Fn(function)) = stmt
            && function.sig.inputs.is_empty()
        {
            lists.push(of_block(&function.block));
        }
    }
    lists
}

/// What the tests and the main function of a file do, one list for each.
pub(super) fn of_file(file: &syn::File) -> Vec<Vec<Statement>> {
    let mut lists = Vec::new();
    of_items(&file.items, &mut lists);
    lists
}

/// What a function gives that only evaluates an expression of its parameters.
pub(super) fn abbreviation(function: &syn::ItemFn) -> Option<(Vec<String>, Term)> {
    let [Stmt::Expr(expr, None)] = function.block.stmts.as_slice() else { return None };
    let params = function.sig.inputs.iter().map(|input| match input {
        syn::FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    Some((params.collect::<Option<Vec<_>>>()?, term(expr, 0)))
}

fn of_items(items: &[Item], lists: &mut Vec<Vec<Statement>>) {
    for item in items {
        match item {
            Item::Fn(function) => {
                let is_test = function.attrs.iter().any(|attr| attr.path().is_ident("test"));
                let panics = function.attrs.iter().any(|attr| attr.path().is_ident("should_panic"));
                if (is_test || function.sig.ident == "main") && !panics {
                    lists.push(of_block(&function.block));
                }
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    of_items(items, lists);
                }
            }
            _ => {}
        }
    }
}

fn of_block(block: &Block) -> Vec<Statement> {
    let mut list = List::default();
    list.block(block);
    list.statements
}

#[derive(Default)]
struct List {
    statements: Vec<Statement>,
}

impl List {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if self.statements.len() >= MOST_STATEMENTS {
                return;
            }
            match stmt {
                Stmt::Local(local) => {
                    let Some(init) = &local.init else { continue };
                    let (names, ty) = bound(&local.pat);
                    self.push(names, ty, &init.expr);
                }
                Stmt::Expr(expr, _) => self.expr(expr),
                Stmt::Macro(stmt) => self.shown(&stmt.mac),
                Stmt::Item(_) => {}
            }
        }
    }

    /// The calls in a statement, as far as they are certain to be made.
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Block(inner) => self.block(&inner.block),
            Expr::ForLoop(inner) => self.expr(&inner.expr),
            Expr::If(inner) => self.expr(&inner.cond),
            Expr::While(inner) => self.expr(&inner.cond),
            Expr::Match(inner) => self.expr(&inner.expr),
            Expr::Let(inner) => self.expr(&inner.expr),
            Expr::Paren(inner) => self.expr(&inner.expr),
            Expr::Reference(inner) => self.expr(&inner.expr),
            Expr::Unary(inner) => self.expr(&inner.expr),
            Expr::Macro(inner) => self.shown(&inner.mac),
            Expr::Binary(inner) if operator(&inner.op).is_none() => {
                self.expr(&inner.left);
                self.expr(&inner.right);
            }
            Expr::Assign(inner) => match &*inner.left {
                Expr::Path(path) if path.path.get_ident().is_some() => {
                    let name = path.path.get_ident().map(ToString::to_string);
                    self.push(name.into_iter().collect(), None, &inner.right);
                }
                _ => self.expr(&inner.right),
            },
            Expr::Return(syn::ExprReturn { expr: Some(inner), .. }) => self.expr(inner),
            other => self.push(Vec::new(), None, other),
        }
    }

    fn push(&mut self, names: Vec<String>, ty: Option<String>, expr: &Expr) {
        self.push_term(names, ty, term(expr, 0));
    }

    fn push_term(&mut self, names: Vec<String>, ty: Option<String>, value: Term) {
        let is_call =
            matches!(value, Term::Call { .. } | Term::Method { .. } | Term::Struct { .. });
        let worth = !names.is_empty() || is_call;
        if worth && self.statements.len() < MOST_STATEMENTS {
            self.statements.push(Statement { names, ty, value });
        }
    }

    /// What assertions and printing look at.
    fn shown(&mut self, mac: &Macro) {
        let Some(name) = mac.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        let name = name.strip_prefix("debug_").unwrap_or(&name);
        let (from, count) = match name {
            "assert" | "matches" | "assert_matches" | "drop" | "dbg" => (0, 1),
            "assert_eq" | "assert_ne" => {
                if let [left, right, ..] = arguments(mac).as_slice() {
                    let value = method(term(left, 0), "eq", term(right, 0));
                    self.push_term(Vec::new(), None, value);
                }
                return;
            }
            "print" | "println" | "eprintln" | "format" | "panic" => (1, usize::MAX),
            "write" | "writeln" => (2, usize::MAX),
            _ => return,
        };
        for expr in arguments(mac).iter().skip(from).take(count) {
            self.expr(expr);
        }
    }
}

/// The names that a pattern binds, in their order, and the type written beside it.
fn bound(pat: &Pat) -> (Vec<String>, Option<String>) {
    match pat {
        Pat::Ident(ident) => (vec![ident.ident.to_string()], None),
        Pat::Type(typed) => (bound(&typed.pat).0, last_word(&typed.ty)),
        Pat::Tuple(tuple) => {
            let names = tuple.elems.iter().map(|pat| match pat {
                Pat::Ident(ident) => ident.ident.to_string(),
                _ => "_".to_owned(),
            });
            (names.collect(), None)
        }
        // `Some(x)` and `Ok(x)` bind what is inside.
        Pat::TupleStruct(pat) if pat.elems.len() == 1 => bound(&pat.elems[0]),
        Pat::Reference(pat) => bound(&pat.pat),
        Pat::Paren(pat) => bound(&pat.pat),
        _ => (Vec::new(), None),
    }
}
