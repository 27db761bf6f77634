//! Expressions as a programmer would write them. `parse` reads back what is printed here.

use crate::{Arithmetic, Binder, Expr, Function, Names, Point, Root, Term, Test, Value, When};

/// The text of an expression that stands at `point`.
pub fn expr_text(expr: &Expr, names: &Names, point: Point) -> String {
    Printer { names, point, bound: &[], old: false }.print_within(expr, Level::Range)
}

/// The text of one term.
pub fn term_text(term: &Term, names: &Names, point: Point) -> String {
    Printer { names, point, bound: &[], old: false }.print_term(term)
}

/// The binding strength of the surroundings; a weaker expression gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
// In the order of the derive, loosest first. `==>` and `<=>` bind looser than `||`, as in logic
// textbooks; bits bind tighter than comparisons, as in Rust and unlike C.
enum Level {
    Range,
    Each,
    Iff,
    Implies,
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Sum,
    Product,
    Unary,
    Postfix,
}

struct Printer<'a> {
    names: &'a Names,
    point: Point,
    /// The names of what the binders around go through, the outermost first.
    bound: &'a [String],
    /// True inside `old(..)`.
    old: bool,
}

impl Printer<'_> {
    /// True for an expression that speaks of the state before more than once, and of no other: it is
    /// put into one `old(..)`.
    fn is_old(&self, expr: &Expr) -> bool {
        // `old(a) + old(b)` reads well; `old(f(a, b))` is shorter than `f(old(a), old(b))`.
        let has_old = matches!(expr, Expr::Call(..) | Expr::Index(..) | Expr::Slice(..));
        let (mut before, mut others) = (0, 0);
        if has_old && !self.old {
            expr.each_term(&mut |term| {
                let is_view = term.query.is_some();
                before += usize::from(is_view && !self.is_bare(term));
                others += usize::from(is_view && self.is_bare(term) || term.when == When::After);
            });
        }
        before > 1 && others == 0
    }

    fn print_within(&self, expr: &Expr, around: Level) -> String {
        if self.is_old(expr) {
            return format!(
                "old({})",
                Printer { old: true, ..*self }.print_within(expr, Level::Each)
            );
        }
        let (level, text) = self.print_expr(expr);
        if level < around { format!("({text})") } else { text }
    }

    fn print_expr(&self, expr: &Expr) -> (Level, String) {
        match expr {
            // A number may be negative, and `-1.len()` would be read as `-(1.len())`.
            Expr::Const(Value::Int(_) | Value::Float(_)) => (Level::Unary, self.print_leaf(expr)),
            Expr::Term(term) if is_equality(term) && self.is_bare(term) => {
                (Level::Compare, self.print_term(term))
            }
            Expr::Const(_) | Expr::Term(_) | Expr::Bound(_) => {
                (Level::Postfix, self.print_leaf(expr))
            }
            Expr::Compare(op, a, b) => (
                Level::Compare,
                format!(
                    "{} {} {}",
                    self.print_within(a, Level::BitOr),
                    op.symbol(),
                    self.print_within(b, Level::BitOr)
                ),
            ),
            Expr::Arithmetic(op, a, b) => self.print_arithmetic(*op, a, b),
            Expr::Concat(a, b) => (
                Level::Sum,
                format!(
                    "{} ++ {}",
                    self.print_within(a, Level::Sum),
                    self.print_within(b, Level::Product)
                ),
            ),
            Expr::Not(of) => (Level::Unary, format!("!{}", self.print_within(of, Level::Unary))),
            Expr::And(parts) => self.print_joined(parts, " && ", Level::And),
            Expr::Or(parts) => self.print_joined(parts, " || ", Level::Or),
            // Not associative: both sides need parentheses for another implication, which spares the reader
            // the question.
            Expr::Implies(a, c) => (
                Level::Implies,
                format!(
                    "{} ==> {}",
                    self.print_within(a, Level::Or),
                    self.print_within(c, Level::Or)
                ),
            ),
            Expr::Iff(a, b) => (
                Level::Iff,
                format!(
                    "{} <=> {}",
                    self.print_within(a, Level::Implies),
                    self.print_within(b, Level::Implies)
                ),
            ),
            Expr::Range(..) => (Level::Range, self.print_sequence(expr)),
            Expr::Each(binder, of, body) => (Level::Each, self.print_binder(*binder, of, body)),
            _ => (Level::Postfix, self.print_closed(expr)),
        }
    }

    /// Prints an expression without parts.
    fn print_leaf(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Term(term) => self.print_term(term),
            Expr::Bound(depth) => {
                let at = self.bound.len().checked_sub(1 + *depth as usize);
                // An expression that was cut out of its binder can still be shown in an error.
                at.map_or_else(|| "unbound".to_owned(), |at| self.bound[at].clone())
            }
            _ => String::new(),
        }
    }

    /// Prints an expression that ends with a bracket or a name, so that nothing around can tear it apart.
    fn print_closed(&self, expr: &Expr) -> String {
        let free = |of: &Expr| self.print_within(of, Level::Each);
        let tight = |of: &Expr| self.print_within(of, Level::Postfix);
        match expr {
            Expr::Test(test, of) => format!("{}.{}()", tight(of), test.method()),
            Expr::Unwrap(of) => format!("{}.{UNWRAP}()", tight(of)),
            Expr::Part(of, at) if self.is_field(of) => format!("({}).{at}", free(of)),
            Expr::Part(of, at) => format!("{}.{at}", tight(of)),
            Expr::Index(of, at) => format!("{}[{}]", tight(of), self.print_within(at, Level::Each)),
            Expr::Slice(of, from, to) => {
                let bound = |bound: &Option<Box<Expr>>| {
                    bound
                        .as_ref()
                        .map_or_else(String::new, |bound| self.print_within(bound, Level::BitOr))
                };
                format!("{}[{}..{}]", tight(of), bound(from), bound(to))
            }
            Expr::Len(of) => format!("len({})", free(of)),
            Expr::Single(of) => format!("[{}]", free(of)),
            Expr::Some(of) => format!("Some({})", free(of)),
            Expr::Ok(of) => format!("Ok({})", free(of)),
            Expr::Err(of) => format!("Err({})", free(of)),
            // Without the comma it would be read back as parentheses.
            Expr::Tuple(parts) if parts.len() == 1 => format!("({},)", free(&parts[0])),
            Expr::Tuple(parts) => format!("({})", self.print_list(parts)),
            Expr::Call(function, args) => format!("{}({})", function.name(), self.print_list(args)),
            other => self.print_leaf(other),
        }
    }

    fn print_list(&self, parts: &[Expr]) -> String {
        let texts: Vec<String> =
            parts.iter().map(|part| self.print_within(part, Level::Each)).collect();
        texts.join(", ")
    }

    /// Prints the domain of a binder, where a range needs no parentheses.
    fn print_sequence(&self, expr: &Expr) -> String {
        match expr {
            Expr::Range(a, b) => {
                format!(
                    "{}..{}",
                    self.print_within(a, Level::BitOr),
                    self.print_within(b, Level::BitOr)
                )
            }
            other => self.print_within(other, Level::BitOr),
        }
    }

    fn print_binder(&self, binder: Binder, of: &Expr, body: &Expr) -> String {
        let name = self.fresh_name(of);
        let mut bound = self.bound.to_vec();
        bound.push(name.clone());
        let body = Printer { bound: &bound, ..*self }.print_within(body, Level::Each);
        format!("{} {name} in {}: {body}", binder.word(), self.print_sequence(of))
    }

    /// A name that means nothing else here: `k` for keys, `i` for integers, else `x`.
    fn fresh_name(&self, of: &Expr) -> String {
        let stem = match of {
            Expr::Range(..) => "i",
            Expr::Call(Function::Keys, _) => "k",
            _ => "x",
        };
        // A name that stands for an operand or an outer binder would be captured when it is read back.
        let is_free =
            |name: &String| self.names.operand(name).is_none() && !self.bound.contains(name);
        let numbered = (2..).map(|number| format!("{stem}{number}"));
        let mut names = std::iter::once(stem.to_owned()).chain(numbered);
        names.find(is_free).unwrap_or_default()
    }

    /// True if `.0` after the text would belong to the view.
    fn is_field(&self, of: &Expr) -> bool {
        let Expr::Term(term) = of else { return false };
        let is_field = term.query.as_deref().is_some_and(|query| !query.ends_with(')'));
        let is_object = matches!(term.root, Root::Operand(at) if self.names.is_object(at));
        self.is_bare(term) && (is_field && term.is_path() || is_object && term.query.is_none())
    }

    fn print_arithmetic(&self, op: Arithmetic, a: &Expr, b: &Expr) -> (Level, String) {
        let (level, next) = match op {
            Arithmetic::Add | Arithmetic::Sub => (Level::Sum, Level::Product),
            Arithmetic::Mul | Arithmetic::Div | Arithmetic::Rem => (Level::Product, Level::Unary),
            Arithmetic::BitAnd => (Level::BitAnd, Level::Sum),
            Arithmetic::BitXor => (Level::BitXor, Level::BitAnd),
            Arithmetic::BitOr => (Level::BitOr, Level::BitXor),
        };
        (
            level,
            format!(
                "{} {} {}",
                self.print_within(a, level),
                op.symbol(),
                self.print_within(b, next)
            ),
        )
    }

    fn print_joined(&self, parts: &[Expr], with: &str, level: Level) -> (Level, String) {
        if parts.is_empty() {
            // An empty conjunction holds, an empty disjunction does not.
            return (Level::Postfix, (level == Level::And).to_string());
        }
        // Parts of the same level get parentheses: nesting is kept as it is.
        let inside = if level == Level::And { Level::Compare } else { Level::And };
        let texts: Vec<String> = parts.iter().map(|part| self.print_within(part, inside)).collect();
        (level, texts.join(with))
    }

    /// True if the term is printed without `old`.
    fn is_bare(&self, term: &Term) -> bool {
        self.old || term.query.is_none() || self.point == Point::Entry || term.when == When::After
    }

    fn print_term(&self, term: &Term) -> String {
        let text = self.bare_term(term);
        if self.is_bare(term) { text } else { format!("old({text})") }
    }

    fn bare_term(&self, term: &Term) -> String {
        let root = self.print_root(term);
        match (&term.query, term.with) {
            (None, _) => root,
            (Some(_), Some(with)) if is_equality(term) => {
                format!("{root} == {}", self.names.name(with))
            }
            (Some(query), Some(with)) => format!("{root}.{query}({})", self.names.name(with)),
            // Fields and views of inner objects are written as they stand: `.front()?.len()`.
            (Some(query), None) if term.is_path() => format!("{root}{query}"),
            (Some(query), None) => format!("{root}.{query}()"),
        }
    }

    fn print_root(&self, term: &Term) -> String {
        match term.root {
            Root::Operand(index) => self.names.name(index),
            Root::Result => "result".to_owned(),
            Root::Made(0) if !term.query.as_deref().is_some_and(is_of_value) => "result".to_owned(),
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

/// True if `result.name` would be said of the returned value itself.
fn is_of_value(query: &str) -> bool {
    let begins_with_part = query.strip_prefix('.').is_some_and(starts_with_digit);
    is_test_name(query) || begins_with_part
}

pub(crate) fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}
