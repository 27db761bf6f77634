//! Conditions in words, as documentation has them.

use gainsay_wire::{Comparison, Expr, Function, Names, Point, Test, expr_text};

/// A condition that stands at the entry of a call, as the end of a sentence: "`index` is greater
/// than `self.len()`".
pub(super) fn phrase(condition: &Expr, names: &Names) -> String {
    Phrases { names }.of(condition, Truth::Holds)
}

/// Whether a condition is said to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Holds,
    Fails,
}

struct Phrases<'a> {
    names: &'a Names,
}

impl Phrases<'_> {
    fn code(&self, expr: &Expr) -> String {
        format!("`{}`", expr_text(expr, self.names, Point::Entry))
    }

    fn of(&self, condition: &Expr, truth: Truth) -> String {
        match (condition, truth) {
            (Expr::Not(of), Truth::Holds) => self.of(of, Truth::Fails),
            (Expr::Not(of), Truth::Fails) => self.of(of, Truth::Holds),
            (Expr::Or(parts), Truth::Holds) => self.joined(parts, " or ", truth),
            (Expr::And(parts), Truth::Holds) => self.joined(parts, " and ", truth),
            (Expr::Compare(op, a, b), _) => {
                let op = if truth == Truth::Holds { *op } else { op.negated() };
                format!("{} {} {}", self.code(a), comparison(op), self.code(b))
            }
            (Expr::Test(test, of), _) => {
                let test = if truth == Truth::Holds { *test } else { test.negated() };
                format!("{} is {}", self.code(of), kind(test))
            }
            (Expr::Call(Function::Contains, args), _) => self.containing(&args[0], &args[1], truth),
            (other, Truth::Holds) => self.code(other),
            (other, Truth::Fails) => self.code(&other.negated()),
        }
    }

    fn joined(&self, parts: &[Expr], with: &str, truth: Truth) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.of(part, truth)).collect();
        parts.join(with)
    }

    fn containing(&self, of: &Expr, item: &Expr, truth: Truth) -> String {
        let is = if truth == Truth::Holds { "is" } else { "is not" };
        let what = match of {
            Expr::Call(Function::Keys, _) => "a key".to_owned(),
            Expr::Term(term) if matches!(term.query.as_deref(), Some("seq" | "bag")) => {
                "an element".to_owned()
            }
            other => format!("in {}", self.code(other)),
        };
        format!("{} {is} {what}", self.code(item))
    }
}

fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "equals",
        Comparison::Ne => "differs from",
        Comparison::Lt => "is less than",
        Comparison::Le => "is at most",
        Comparison::Gt => "is greater than",
        Comparison::Ge => "is at least",
    }
}

fn kind(test: Test) -> &'static str {
    match test {
        Test::IsSome => "`Some`",
        Test::IsNone => "`None`",
        Test::IsOk => "`Ok`",
        Test::IsErr => "`Err`",
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::parse_expr;

    use super::*;

    fn check(condition: &str, expected: &str) {
        let names = Names::new([("self".to_owned(), true), ("key".to_owned(), false)]);
        let expr = parse_expr(condition, &names, Point::Entry).unwrap();
        assert_eq!(phrase(&expr, &names), expected);
    }

    #[test]
    fn conditions_are_said_in_words() {
        check("key > self.len()", "`key` is greater than `self.len()`");
        check("!(key < self.len())", "`key` is at least `self.len()`");
        check("self.is_full()", "`self.is_full()`");
        check("!self.is_full()", "`!self.is_full()`");
        check("key.is_none()", "`key` is `None`");
        check("self.is_full() || key == 0", "`self.is_full()` or `key` equals `0`");
        check("!contains(keys(self.seq()), key)", "`key` is not a key");
        check("contains(self.seq(), key)", "`key` is an element");
        check("contains([1, 2], key)", "`key` is in `[1, 2]`");
    }
}
