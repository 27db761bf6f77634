//! Expressions as a programmer would write them. `parse` reads back what is printed here.

use crate::{Arithmetic, Expr, Names, Point, Root, Term, Test, When};

/// The text of an expression that stands at `point`.
pub fn expr_text(expr: &Expr, names: &Names, point: Point) -> String {
    Printer { names, point }.at(expr, Level::Lowest)
}

/// The text of one term.
pub fn term_text(term: &Term, names: &Names, point: Point) -> String {
    Printer { names, point }.term(term)
}

/// How tightly the surroundings bind; what binds less gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Lowest,
    Iff,
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
}

struct Printer<'a> {
    names: &'a Names,
    point: Point,
}

impl Printer<'_> {
    fn at(&self, expr: &Expr, around: Level) -> String {
        let (level, text) = self.expr(expr);
        if level < around { format!("({text})") } else { text }
    }

    fn expr(&self, expr: &Expr) -> (Level, String) {
        match expr {
            Expr::Const(value) => (Level::Unary, value.to_string()),
            Expr::Term(term) if is_equality(term) && self.is_bare(term) => {
                (Level::Compare, self.term(term))
            }
            Expr::Term(term) => (Level::Unary, self.term(term)),
            Expr::Compare(op, a, b) => (
                Level::Compare,
                format!("{} {} {}", self.at(a, Level::Sum), op.symbol(), self.at(b, Level::Sum)),
            ),
            Expr::Arithmetic(op, a, b) => self.arithmetic(*op, a, b),
            Expr::Test(test, of) => {
                (Level::Unary, format!("{}.{}()", self.at(of, Level::Unary), test.method()))
            }
            Expr::Len(of) => (Level::Unary, format!("len({})", self.at(of, Level::Lowest))),
            Expr::Concat(a, b) => (
                Level::Sum,
                format!("{} ++ {}", self.at(a, Level::Sum), self.at(b, Level::Product)),
            ),
            Expr::Single(of) => (Level::Unary, format!("[{}]", self.at(of, Level::Lowest))),
            Expr::Not(of) => (Level::Unary, format!("!{}", self.at(of, Level::Unary))),
            Expr::Some(of) => (Level::Unary, format!("Some({})", self.at(of, Level::Lowest))),
            Expr::Unwrap(of) => (Level::Unary, format!("{}.unwrap()", self.at(of, Level::Unary))),
            Expr::And(parts) => self.joined(parts, " && ", Level::And),
            Expr::Or(parts) => self.joined(parts, " || ", Level::Or),
            Expr::Implies(a, c) => {
                (Level::Implies, format!("{} ==> {}", self.at(a, Level::Or), self.at(c, Level::Or)))
            }
            Expr::Iff(a, b) => (
                Level::Iff,
                format!("{} <=> {}", self.at(a, Level::Implies), self.at(b, Level::Implies)),
            ),
        }
    }

    fn arithmetic(&self, op: Arithmetic, a: &Expr, b: &Expr) -> (Level, String) {
        let (level, symbol, next) = match op {
            Arithmetic::Add => (Level::Sum, "+", Level::Product),
            Arithmetic::Sub => (Level::Sum, "-", Level::Product),
            Arithmetic::Mul => (Level::Product, "*", Level::Unary),
        };
        (level, format!("{} {symbol} {}", self.at(a, level), self.at(b, next)))
    }

    fn joined(&self, parts: &[Expr], with: &str, level: Level) -> (Level, String) {
        if parts.is_empty() {
            // An empty conjunction holds, an empty disjunction does not.
            return (Level::Unary, (level == Level::And).to_string());
        }
        // Parts of the same level get parentheses: nesting is kept as it is.
        let inside = if level == Level::And { Level::Compare } else { Level::And };
        let texts: Vec<String> = parts.iter().map(|part| self.at(part, inside)).collect();
        (level, texts.join(with))
    }

    /// Whether the term is printed without `old`.
    fn is_bare(&self, term: &Term) -> bool {
        term.query.is_none() || self.point == Point::Entry || term.when == When::After
    }

    fn term(&self, term: &Term) -> String {
        let text = self.bare_term(term);
        if self.is_bare(term) { text } else { format!("old({text})") }
    }

    fn bare_term(&self, term: &Term) -> String {
        let root = self.root(term);
        match (&term.query, term.with) {
            (None, _) => root,
            (Some(_), Some(with)) if is_equality(term) => {
                format!("{root} == {}", self.names.name(with))
            }
            (Some(query), Some(with)) => format!("{root}.{query}({})", self.names.name(with)),
            // Fields and views of inner objects are written as they stand: `.front()?.len()`.
            (Some(query), None) if query.starts_with('.') => format!("{root}{query}"),
            (Some(query), None) => format!("{root}.{query}()"),
        }
    }

    fn root(&self, term: &Term) -> String {
        match term.root {
            Root::Operand(index) => self.names.name(index),
            Root::Result => "result".to_owned(),
            Root::Made(0) if !term.query.as_deref().is_some_and(is_test_name) => {
                "result".to_owned()
            }
            Root::Made(index) => format!("made{index}"),
        }
    }
}

/// The method that takes out what is inside.
pub(crate) const UNWRAP: &str = "unwrap";

fn is_equality(term: &Term) -> bool {
    term.query.as_deref() == Some("==")
}

/// `result.is_some()` is a test of the returned value and `result.unwrap()` what is inside; an
/// object's own query of that name is written on `made0`.
pub(crate) fn is_test_name(name: &str) -> bool {
    let tests = [Test::IsSome, Test::IsNone, Test::IsOk, Test::IsErr];
    name == UNWRAP || tests.iter().any(|test| test.method() == name)
}
