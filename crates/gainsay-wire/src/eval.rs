//! Evaluation of expressions, with *undefined* as a value of its own: logic is Kleene's, and
//! anything else that meets an undefined operand is undefined.

use std::cmp::Ordering;

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
    match evaluate(expr, scope) {
        Value::Bool(true) => Truth::True,
        Value::Bool(false) => Truth::False,
        _ => Truth::Undefined,
    }
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, scope: &impl Scope) -> Value {
    match expr {
        Expr::Const(value) => value.clone(),
        Expr::Term(term) => scope.value(term).clone(),
        Expr::Compare(op, a, b) => compare(*op, &evaluate(a, scope), &evaluate(b, scope)),
        Expr::Arithmetic(op, a, b) => arithmetic(*op, &evaluate(a, scope), &evaluate(b, scope)),
        Expr::Test(test, of) => run_test(*test, &evaluate(of, scope)),
        Expr::Len(of) => len(&evaluate(of, scope)),
        Expr::Concat(a, b) => concat(evaluate(a, scope), evaluate(b, scope)),
        Expr::Single(of) => defined(evaluate(of, scope), |value| Value::Seq(vec![value])),
        Expr::Not(of) => from_truth(not(truth(of, scope))),
        Expr::And(parts) => from_truth(all(parts.iter().map(|part| truth(part, scope)))),
        Expr::Or(parts) => from_truth(not(all(parts.iter().map(|part| not(truth(part, scope)))))),
        Expr::Implies(a, c) => {
            let parts = [a, c].map(|part| truth(part, scope));
            from_truth(not(all([parts[0], not(parts[1])].into_iter())))
        }
        Expr::Iff(a, b) => match (truth(a, scope), truth(b, scope)) {
            (Truth::Undefined, _) | (_, Truth::Undefined) => Value::Undefined,
            (a, b) => Value::Bool(a == b),
        },
        Expr::Some(of) => defined(evaluate(of, scope), Value::some),
        Expr::Unwrap(of) => unwrap(evaluate(of, scope)),
    }
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

fn compare(op: Comparison, a: &Value, b: &Value) -> Value {
    if a.kind() != b.kind() || a.is_undefined() {
        return Value::Undefined;
    }
    let order = a.cmp(b);
    Value::Bool(match op {
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

fn unwrap(of: Value) -> Value {
    match of {
        Value::Opt(Some(inside)) | Value::Res(true, inside) => *inside,
        _ => Value::Undefined,
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
