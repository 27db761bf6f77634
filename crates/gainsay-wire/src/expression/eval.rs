//! Evaluation of expressions, with *undefined* as a value of its own: logic is Kleene's, and
//! anything else that meets an undefined operand is undefined.

mod checked_arithmetic;
mod function_calls;

use std::{borrow::Cow, cmp::Ordering};

use crate::{Binder, Comparison, Expr, Observation, Term, Test, Value, Vocabulary};
use checked_arithmetic::apply_arithmetic;

/// The source of the values of terms.
pub trait Scope {
    /// The value of a term; [`Value::Undefined`] when it has none.
    fn value(&self, term: &Term) -> &Value;
}

/// The answer of a predicate about a call.
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
    eval_truth(expr, scope, None)
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, scope: &impl Scope) -> Value {
    eval_value(expr, scope, None).into_owned()
}

/// The elements that the binders around stand at, the innermost first.
#[derive(Clone, Copy)]
struct Around<'a> {
    value: &'a Value,
    outer: Option<&'a Around<'a>>,
}

type Bound<'a> = Option<&'a Around<'a>>;

fn eval_truth(expr: &Expr, scope: &impl Scope, bound: Bound<'_>) -> Truth {
    let truth = |of| eval_truth(of, scope, bound);
    match expr {
        Expr::Compare(op, a, b) => {
            compare_values(*op, &eval_value(a, scope, bound), &eval_value(b, scope, bound))
        }
        Expr::Not(of) => negate_truth(truth(of)),
        Expr::And(parts) => all_hold(parts.iter().map(truth)),
        Expr::Or(parts) => any_holds(parts.iter().map(truth)),
        Expr::Implies(a, c) => match truth(a) {
            Truth::False => Truth::True,
            Truth::True => truth(c),
            Truth::Undefined if truth(c) == Truth::True => Truth::True,
            Truth::Undefined => Truth::Undefined,
        },
        Expr::Iff(a, b) => match (truth(a), truth(b)) {
            (Truth::Undefined, _) | (_, Truth::Undefined) => Truth::Undefined,
            (a, b) => from_bool(a == b),
        },
        Expr::Each(Binder::Forall, of, body) => {
            fold_elements(of, body, scope, bound, |truths| all_hold(truths))
                .unwrap_or(Truth::Undefined)
        }
        Expr::Each(Binder::Exists, of, body) => {
            fold_elements(of, body, scope, bound, |truths| any_holds(truths))
                .unwrap_or(Truth::Undefined)
        }
        _ => match *eval_value(expr, scope, bound) {
            Value::Bool(value) => from_bool(value),
            _ => Truth::Undefined,
        },
    }
}

/// The value of an expression; terms and their parts are not copied.
fn eval_value<'a>(expr: &'a Expr, scope: &'a impl Scope, bound: Bound<'a>) -> Cow<'a, Value> {
    let inner = |of: &'a Expr| eval_value(of, scope, bound);
    let made = |of: &'a Expr, make: fn(Value) -> Value| match inner(of).into_owned() {
        Value::Undefined => Value::Undefined,
        value => make(value),
    };
    Cow::Owned(match expr {
        Expr::Const(value) => return Cow::Borrowed(value),
        Expr::Term(term) => return Cow::Borrowed(scope.value(term)),
        Expr::Bound(depth) => return Cow::Borrowed(at_depth(bound, *depth)),
        Expr::Unwrap(of) => return borrow_within(inner(of), unwrapped_part),
        Expr::Part(of, at) => return borrow_within(inner(of), |of| tuple_part(of, *at)),
        Expr::Index(of, at) => {
            let at = as_position(&inner(at));
            return borrow_within(inner(of), |of| element_at(of, at?));
        }
        Expr::Slice(of, from, to) => {
            let (from, to) = (from.as_deref().map(inner), to.as_deref().map(inner));
            slice_of(&inner(of), from.as_deref(), to.as_deref())
        }
        Expr::Arithmetic(op, a, b) => apply_arithmetic(*op, &inner(a), &inner(b)),
        Expr::Test(test, of) => run_test(*test, &inner(of)),
        Expr::Len(of) => length_of(&inner(of)),
        Expr::Concat(a, b) => concat_values(inner(a).into_owned(), &inner(b)),
        Expr::Range(a, b) => range_of(&inner(a), &inner(b)),
        Expr::Single(of) => made(of, |value| Value::Seq(vec![value])),
        Expr::Some(of) => made(of, Value::some),
        Expr::Ok(of) => made(of, Value::ok),
        Expr::Err(of) => made(of, Value::err),
        Expr::Tuple(parts) => tuple_of(parts.iter().map(inner)),
        Expr::Call(function, args) => match &args[..] {
            [a] => function_calls::of_one(*function, &inner(a)),
            [a, b] => function_calls::of_two(*function, &inner(a), &inner(b)),
            [a, b, c] => function_calls::of_three(*function, [&inner(a), &inner(b), &inner(c)]),
            _ => Value::Undefined,
        },
        Expr::Each(Binder::Filter, of, body) => filter_items(of, body, scope, bound),
        Expr::Each(Binder::Map, of, body) => map_items(of, body, scope, bound),
        Expr::Each(Binder::Forall | Binder::Exists, ..)
        | Expr::Compare(..)
        | Expr::Not(_)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Implies(..)
        | Expr::Iff(..) => from_truth(eval_truth(expr, scope, bound)),
    })
}

fn at_depth(bound: Bound<'_>, depth: u32) -> &Value {
    // Numbers in place of names: two contracts that differ in the name of a variable are one.
    let mut around = bound;
    for _ in 0..depth {
        around = around.and_then(|here| here.outer);
    }
    around.map_or(&UNDEFINED, |here| here.value)
}

/// Folds what `body` says of each element of `of`; `None` when that is no sequence.
fn fold_elements<R>(
    of: &Expr,
    body: &Expr,
    scope: &impl Scope,
    outer: Bound<'_>,
    fold: impl FnOnce(&mut dyn Iterator<Item = Truth>) -> R,
) -> Option<R> {
    let of = eval_value(of, scope, outer);
    let Value::Seq(items) = &*of else { return None };
    let mut truths =
        items.iter().map(|value| eval_truth(body, scope, Some(&Around { value, outer })));
    Some(fold(&mut truths))
}

fn filter_items(of: &Expr, body: &Expr, scope: &impl Scope, outer: Bound<'_>) -> Value {
    let of = eval_value(of, scope, outer);
    let Value::Seq(items) = &*of else { return Value::Undefined };
    let mut kept = Vec::new();
    for value in items {
        match eval_truth(body, scope, Some(&Around { value, outer })) {
            Truth::True => kept.push(value.clone()),
            Truth::False => {}
            // Neither in nor out: a shorter list would be a wrong answer.
            Truth::Undefined => return Value::Undefined,
        }
    }
    Value::Seq(kept)
}

fn map_items(of: &Expr, body: &Expr, scope: &impl Scope, outer: Bound<'_>) -> Value {
    let of = eval_value(of, scope, outer);
    let Value::Seq(items) = &*of else { return Value::Undefined };
    let images = items.iter().map(|value| {
        let image = eval_value(body, scope, Some(&Around { value, outer })).into_owned();
        (!image.is_undefined()).then_some(image)
    });
    images.collect::<Option<_>>().map_or(Value::Undefined, Value::Seq)
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

fn negate_truth(truth: Truth) -> Truth {
    match truth {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
        Truth::Undefined => Truth::Undefined,
    }
}

fn any_holds(parts: impl Iterator<Item = Truth>) -> Truth {
    negate_truth(all_hold(parts.map(negate_truth)))
}

fn all_hold(parts: impl Iterator<Item = Truth>) -> Truth {
    // False decides even beside an undefined part: `i < len && a[i] == x` must not depend on whether
    // `a[i]` has a value.
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

fn compare_values(op: Comparison, a: &Value, b: &Value) -> Truth {
    if a.kind() != b.kind() || a.is_undefined() {
        return Truth::Undefined;
    }
    // Digests can only be told apart.
    if matches!(a, Value::Token(_)) && !matches!(op, Comparison::Eq | Comparison::Ne) {
        return Truth::Undefined;
    }
    // The total order of records, not that of floats: a NaN that was seen twice was the same.
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

fn run_test(test: Test, of: &Value) -> Value {
    match (test, of) {
        (Test::IsSome, Value::Opt(value)) => Value::Bool(value.is_some()),
        (Test::IsNone, Value::Opt(value)) => Value::Bool(value.is_none()),
        (Test::IsOk, Value::Res(ok, _)) => Value::Bool(*ok),
        (Test::IsErr, Value::Res(ok, _)) => Value::Bool(!ok),
        _ => Value::Undefined,
    }
}

/// Follows `find` inside a value, without a copy where the value is not ours.
fn borrow_within(of: Cow<'_, Value>, find: impl Fn(&Value) -> Option<&Value>) -> Cow<'_, Value> {
    match of {
        Cow::Borrowed(of) => Cow::Borrowed(find(of).unwrap_or(&UNDEFINED)),
        Cow::Owned(of) => Cow::Owned(find(&of).cloned().unwrap_or(Value::Undefined)),
    }
}

fn unwrapped_part(of: &Value) -> Option<&Value> {
    match of {
        Value::Opt(Some(unwrapped_part)) | Value::Res(true, unwrapped_part) => Some(unwrapped_part),
        _ => None,
    }
}

fn tuple_part(of: &Value, at: u32) -> Option<&Value> {
    match of {
        Value::Tuple(parts) => parts.get(at as usize),
        _ => None,
    }
}

fn element_at(of: &Value, at: usize) -> Option<&Value> {
    match of {
        Value::Seq(items) => items.get(at),
        _ => None,
    }
}

/// A value as a place in a sequence.
fn as_position(value: &Value) -> Option<usize> {
    usize::try_from(value.as_int()?).ok()
}

fn slice_of(of: &Value, from: Option<&Value>, to: Option<&Value>) -> Value {
    let len = match of {
        Value::Seq(items) => items.len(),
        Value::Str(text) => text.len(),
        _ => return Value::Undefined,
    };
    let (Some(from), Some(to)) =
        (from.map_or(Some(0), as_position), to.map_or(Some(len), as_position))
    else {
        return Value::Undefined;
    };
    let part = match of {
        Value::Seq(items) => items.get(from..to).map(|part| Value::Seq(part.to_vec())),
        Value::Str(text) => text.get(from..to).map(|part| Value::Str(part.to_owned())),
        _ => None,
    };
    part.unwrap_or(Value::Undefined)
}

/// The most integers that a range stands for; a longer one is undefined.
// Contracts are evaluated on every call: one evaluation must stay cheap whatever numbers the
// subject gives.
const MAX_RANGE: i128 = 1 << 16;

fn range_of(from: &Value, to: &Value) -> Value {
    match (from.as_int(), to.as_int()) {
        (Some(from), Some(to)) if to.saturating_sub(from) <= MAX_RANGE => {
            Value::Seq((from..to).map(Value::Int).collect())
        }
        _ => Value::Undefined,
    }
}

fn tuple_of<'a>(parts: impl Iterator<Item = Cow<'a, Value>>) -> Value {
    let parts = parts.map(|part| (!part.is_undefined()).then(|| part.into_owned()));
    match parts.collect::<Option<Vec<_>>>() {
        // `()` has one form only, else equal values would compare as different.
        Some(parts) if parts.is_empty() => Value::Unit,
        Some(parts) => Value::Tuple(parts),
        None => Value::Undefined,
    }
}

fn length_of(of: &Value) -> Value {
    let len = match of {
        Value::Seq(items) => items.len(),
        Value::Str(text) => text.len(),
        _ => return Value::Undefined,
    };
    i128::try_from(len).map_or(Value::Undefined, Value::Int)
}

// The left side is owned, so that a chain of concatenations copies each part once.
fn concat_values(a: Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Seq(mut a), Value::Seq(b)) => {
            a.extend_from_slice(b);
            Value::Seq(a)
        }
        (Value::Str(a), Value::Str(b)) => Value::Str(a + b),
        _ => Value::Undefined,
    }
}

#[cfg(test)]
mod tests;
