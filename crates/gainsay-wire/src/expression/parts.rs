//! The parts of an expression, for what goes through all of them alike.

use crate::{Expr, Value};

impl Expr {
    /// Calls `see` for each direct part.
    pub fn each_part<'a>(&'a self, see: &mut impl FnMut(&'a Expr)) {
        match self {
            Expr::Const(_) | Expr::Term(_) | Expr::Bound(_) => {}
            Expr::Compare(_, a, b)
            | Expr::Arithmetic(_, a, b)
            | Expr::Concat(a, b)
            | Expr::Implies(a, b)
            | Expr::Iff(a, b)
            | Expr::Index(a, b)
            | Expr::Range(a, b)
            | Expr::Each(_, a, b) => {
                see(a);
                see(b);
            }
            Expr::Test(_, of)
            | Expr::Len(of)
            | Expr::Single(of)
            | Expr::Not(of)
            | Expr::Some(of)
            | Expr::Ok(of)
            | Expr::Err(of)
            | Expr::Part(of, _)
            | Expr::Unwrap(of) => see(of),
            Expr::Slice(of, from, to) => {
                see(of);
                from.iter().chain(to).for_each(|bound| see(bound));
            }
            Expr::And(parts) | Expr::Or(parts) | Expr::Tuple(parts) | Expr::Call(_, parts) => {
                parts.iter().for_each(see);
            }
        }
    }

    /// The expression with each direct part replaced.
    pub fn map_parts(&self, map: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        let mut boxed = |of: &Expr| Box::new(map(of));
        match self {
            Expr::Const(_) | Expr::Term(_) | Expr::Bound(_) => self.clone(),
            Expr::Compare(op, a, b) => Expr::Compare(*op, boxed(a), boxed(b)),
            Expr::Arithmetic(op, a, b) => Expr::Arithmetic(*op, boxed(a), boxed(b)),
            Expr::Test(test, of) => Expr::Test(*test, boxed(of)),
            Expr::Len(of) => Expr::Len(boxed(of)),
            Expr::Concat(a, b) => Expr::Concat(boxed(a), boxed(b)),
            Expr::Single(of) => Expr::Single(boxed(of)),
            Expr::Not(of) => Expr::Not(boxed(of)),
            Expr::And(parts) => Expr::And(parts.iter().map(map).collect()),
            Expr::Or(parts) => Expr::Or(parts.iter().map(map).collect()),
            Expr::Implies(a, b) => Expr::Implies(boxed(a), boxed(b)),
            Expr::Iff(a, b) => Expr::Iff(boxed(a), boxed(b)),
            Expr::Some(of) => Expr::Some(boxed(of)),
            Expr::Unwrap(of) => Expr::Unwrap(boxed(of)),
            Expr::Ok(of) => Expr::Ok(boxed(of)),
            Expr::Err(of) => Expr::Err(boxed(of)),
            Expr::Tuple(parts) => Expr::Tuple(parts.iter().map(map).collect()),
            Expr::Part(of, at) => Expr::Part(boxed(of), *at),
            Expr::Index(of, at) => Expr::Index(boxed(of), boxed(at)),
            Expr::Slice(of, from, to) => {
                let of = boxed(of);
                let from = from.as_deref().map(&mut boxed);
                Expr::Slice(of, from, to.as_deref().map(&mut boxed))
            }
            Expr::Range(a, b) => Expr::Range(boxed(a), boxed(b)),
            Expr::Call(function, parts) => Expr::Call(*function, parts.iter().map(map).collect()),
            Expr::Each(binder, of, body) => Expr::Each(*binder, boxed(of), boxed(body)),
        }
    }

    /// The expression with what is made of constants alone as a constant, and conjunctions of one
    /// part as that part: the one form among those that are printed alike.
    // Contracts are compared and stored as trees, and the parser has to give back the tree that was
    // printed.
    pub fn fold_constants(&self) -> Expr {
        self.map_parts(&mut Expr::fold_constants).fold_here()
    }

    /// The same, when the parts are folded already.
    pub(crate) fn fold_here(self) -> Expr {
        match self {
            Expr::Single(of) => {
                fold_into_constant(*of, |value| Value::Seq(vec![value]), Expr::single)
            }
            Expr::Some(of) => fold_into_constant(*of, Value::some, Expr::some),
            Expr::Ok(of) => fold_into_constant(*of, Value::ok, |of| Expr::Ok(Box::new(of))),
            Expr::Err(of) => fold_into_constant(*of, Value::err, |of| Expr::Err(Box::new(of))),
            Expr::Tuple(parts) => fold_tuple(parts),
            Expr::And(parts) if parts.is_empty() => Expr::Const(Value::Bool(true)),
            Expr::Or(parts) if parts.is_empty() => Expr::Const(Value::Bool(false)),
            Expr::And(mut parts) | Expr::Or(mut parts) if parts.len() == 1 => parts.remove(0),
            other => other,
        }
    }
}

fn fold_into_constant(of: Expr, make: fn(Value) -> Value, keep: fn(Expr) -> Expr) -> Expr {
    match of {
        Expr::Const(value) => Expr::Const(make(value)),
        other => keep(other),
    }
}

pub(crate) fn fold_tuple(parts: Vec<Expr>) -> Expr {
    let values: Option<Vec<Value>> = parts
        .iter()
        .map(|part| match part {
            Expr::Const(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    match values {
        Some(values) if values.is_empty() => Expr::Const(Value::Unit),
        Some(values) => Expr::Const(Value::Tuple(values)),
        None => Expr::Tuple(parts),
    }
}
