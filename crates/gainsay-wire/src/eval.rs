//! Evaluation of expressions, with *undefined* as a value of its own: logic is Kleene's, and
//! anything else that meets an undefined operand is undefined.

use std::{borrow::Cow, cmp::Ordering};

use crate::{Arithmetic, Comparison, Expr, Observation, Term, Test, Value, Vocabulary};

/// Where the values of terms come from.
pub trait Scope {
    /// The value of a term; [`Value::Undefined`] when it has none.
    fn value(&self, term: &Term) -> &Value;
}

/// What a predicate says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// It cannot be told.
    Undefined,
}

static UNDEFINED: Value = Value::Undefined;

impl Scope for (&Vocabulary, &[Value]) {
    fn value(&self, term: &Term) -> &Value {
        self.0.position(term).and_then(|at| self.1.get(at)).unwrap_or(&UNDEFINED)
    }
}

impl Scope for (&Vocabulary, &Observation) {
    fn value(&self, term: &Term) -> &Value {
        self.0.position(term).and_then(|at| self.1.values.get(at)).unwrap_or(&UNDEFINED)
    }
}

/// The truth of a predicate.
pub fn truth(expr: &Expr, scope: &impl Scope) -> Truth {
    match expr {
        Expr::Compare(op, a, b) => compare(*op, &seen(a, scope), &seen(b, scope)),
        Expr::Not(of) => not(truth(of, scope)),
        Expr::And(parts) => all(parts.iter().map(|part| truth(part, scope))),
        Expr::Or(parts) => not(all(parts.iter().map(|part| not(truth(part, scope))))),
        Expr::Implies(a, c) => match truth(a, scope) {
            Truth::False => Truth::True,
            Truth::True => truth(c, scope),
            Truth::Undefined if truth(c, scope) == Truth::True => Truth::True,
            Truth::Undefined => Truth::Undefined,
        },
        Expr::Iff(a, b) => match (truth(a, scope), truth(b, scope)) {
            (Truth::Undefined, _) | (_, Truth::Undefined) => Truth::Undefined,
            (a, b) => from_bool(a == b),
        },
        _ => match *seen(expr, scope) {
            Value::Bool(value) => from_bool(value),
            _ => Truth::Undefined,
        },
    }
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, scope: &impl Scope) -> Value {
    seen(expr, scope).into_owned()
}

/// The value of an expression; terms are not copied.
fn seen<'a>(expr: &'a Expr, scope: &'a impl Scope) -> Cow<'a, Value> {
    Cow::Owned(match expr {
        Expr::Const(value) => return Cow::Borrowed(value),
        Expr::Term(term) => return Cow::Borrowed(scope.value(term)),
        Expr::Unwrap(of) => return unwrap(seen(of, scope)),
        Expr::Arithmetic(op, a, b) => arithmetic(*op, &seen(a, scope), &seen(b, scope)),
        Expr::Test(test, of) => run_test(*test, &seen(of, scope)),
        Expr::Len(of) => len(&seen(of, scope)),
        Expr::Concat(a, b) => concat(evaluate(a, scope), evaluate(b, scope)),
        Expr::Single(of) => defined(evaluate(of, scope), |value| Value::Seq(vec![value])),
        Expr::Some(of) => defined(evaluate(of, scope), Value::some),
        Expr::Compare(..)
        | Expr::Not(_)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Implies(..)
        | Expr::Iff(..) => from_truth(truth(expr, scope)),
    })
}

fn from_bool(value: bool) -> Truth {
    if value { Truth::True } else { Truth::False }
}

fn from_truth(truth: Truth) -> Value {
    match truth {
        Truth::True => Value::Bool(true),
        Truth::False => Value::Bool(false),
        Truth::Undefined => Value::Undefined,
    }
}

fn not(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        Truth::Undefined => Truth::Undefined,
    }
}

fn all(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut result = Truth::True;
    for part in parts {
        match part {
            Truth::False => return Truth::False,
            Truth::Undefined => result = Truth::Undefined,
            Truth::True => {}
        }
    }
    result
}

fn defined(value: Value, map: impl FnOnce(Value) -> Value) -> Value {
    if value.is_undefined() { Value::Undefined } else { map(value) }
}

fn compare(op: Comparison, a: &Value, b: &Value) -> Truth {
    if a.kind() != b.kind() || a.is_undefined() {
        return Truth::Undefined;
    }
    let order = a.cmp(b);
    from_bool(match op {
        Comparison::Eq => order == Ordering::Equal,
        Comparison::Ne => order != Ordering::Equal,
        Comparison::Lt => order == Ordering::Less,
        Comparison::Le => order != Ordering::Greater,
        Comparison::Gt => order == Ordering::Greater,
        Comparison::Ge => order != Ordering::Less,
    })
}

fn arithmetic(op: Arithmetic, a: &Value, b: &Value) -> Value {
    let (Value::Int(a), Value::Int(b)) = (a, b) else { return Value::Undefined };
    let result = match op {
        Arithmetic::Add => a.checked_add(*b),
        Arithmetic::Sub => a.checked_sub(*b),
        Arithmetic::Mul => a.checked_mul(*b),
    };
    result.map_or(Value::Undefined, Value::Int)
}

fn run_test(test: Test, of: &Value) -> Value {
    match (test, of) {
        (Test::IsSome, Value::Opt(value)) => Value::Bool(value.is_some()),
        (Test::IsNone, Value::Opt(value)) => Value::Bool(value.is_none()),
        (Test::IsOk, Value::Res(ok, _)) => Value::Bool(*ok),
        (Test::IsErr, Value::Res(ok, _)) => Value::Bool(!ok),
        _ => Value::Undefined,
    }
}

fn unwrap(of: Cow<'_, Value>) -> Cow<'_, Value> {
    match of {
        Cow::Borrowed(Value::Opt(Some(inside)) | Value::Res(true, inside)) => Cow::Borrowed(inside),
        Cow::Owned(Value::Opt(Some(inside)) | Value::Res(true, inside)) => Cow::Owned(*inside),
        _ => Cow::Borrowed(&UNDEFINED),
    }
}

fn len(of: &Value) -> Value {
    let len = match of {
        Value::Seq(items) => items.len(),
        Value::Str(text) => text.len(),
        _ => return Value::Undefined,
    };
    i128::try_from(len).map_or(Value::Undefined, Value::Int)
}

fn concat(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Seq(mut a), Value::Seq(b)) => {
            a.extend(b);
            Value::Seq(a)
        }
        (Value::Str(a), Value::Str(b)) => Value::Str(a + &b),
        _ => Value::Undefined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, Point, parse_expr};

    fn check(text: &str, expected: Truth) {
        let names = Names::new([("self".to_owned(), true), ("value".to_owned(), false)]);
        let terms = vec![
            Term::query(crate::When::Before, 0, "len"),
            Term::query(crate::When::After, 0, "len"),
            Term::operand(1),
            Term::query(crate::When::Before, 0, "broken"),
            Term::result(),
            Term::query(crate::When::Before, 0, "seq"),
            Term::query(crate::When::After, 0, "seq"),
            Term::query(crate::When::After, 0, "last"),
        ];
        let vocabulary = Vocabulary::new(terms);
        let values = [
            Value::Int(1),
            Value::Int(2),
            Value::Elem(9),
            Value::Undefined,
            Value::none(),
            Value::Seq(vec![Value::Elem(4)]),
            Value::Seq(vec![Value::Elem(4), Value::Elem(9)]),
            Value::some(Value::Elem(9)),
        ];
        let expr = parse_expr(text, &names, Point::Exit).unwrap();
        assert_eq!(truth(&expr, &(&vocabulary, &values[..])), expected, "{text}");
    }

    #[test]
    fn predicates_over_a_call_have_the_truth_that_rust_gives_them() {
        check("self.len() == old(self.len()) + 1", Truth::True);
        check("self.len() < old(self.len())", Truth::False);
        check("old(self.len()) == 1 && result.is_none()", Truth::True);
        check("self.seq() == old(self.seq()) ++ [value]", Truth::True);
        check("len(self.seq()) == self.len()", Truth::True);
        check("result.is_some() <=> old(self.len()) == 0", Truth::True);
        check("self.last() == Some(value)", Truth::True);
        check("result == Some(value)", Truth::False);
        check("self.seq() == old(self.seq()) ++ [self.last().unwrap()]", Truth::True);
        check("Some(value).unwrap() == value", Truth::True);
    }

    #[test]
    fn undefined_spreads_except_where_the_other_side_decides() {
        check("old(self.broken()) == 1", Truth::Undefined);
        check("old(self.len()) == 1 || old(self.broken())", Truth::True);
        check("old(self.len()) == 0 && old(self.broken())", Truth::False);
        check("old(self.len()) == 0 ==> old(self.broken())", Truth::True);
        check("old(self.len()) == 1 ==> old(self.broken())", Truth::Undefined);
        check("Some(old(self.broken())) == result", Truth::Undefined);
        check("result.unwrap() == value", Truth::Undefined);
        check("result.is_some() ==> result.unwrap() == value", Truth::True);
    }

    #[test]
    fn values_of_different_kinds_are_not_compared() {
        check("value == old(self.len())", Truth::Undefined);
    }
}
