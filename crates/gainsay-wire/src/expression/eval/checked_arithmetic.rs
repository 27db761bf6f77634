//! Arithmetic of contracts: what overflows or divides by zero has no value.

use crate::{Arithmetic, Value};

pub(super) fn apply_arithmetic(op: Arithmetic, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            apply_to_integers(op, *a, *b).map_or(Value::Undefined, Value::Int)
        }
        (Value::Float(a), Value::Float(b)) => {
            apply_to_floats(op, *a, *b).map_or(Value::Undefined, Value::Float)
        }
        (Value::Bool(a), Value::Bool(b)) => {
            apply_to_truths(op, *a, *b).map_or(Value::Undefined, Value::Bool)
        }
        _ => Value::Undefined,
    }
}

fn apply_to_integers(op: Arithmetic, a: i128, b: i128) -> Option<i128> {
    match op {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Sub => a.checked_sub(b),
        Arithmetic::Mul => a.checked_mul(b),
        Arithmetic::Div => a.checked_div(b),
        Arithmetic::Rem => a.checked_rem(b),
        Arithmetic::BitAnd => Some(a & b),
        Arithmetic::BitOr => Some(a | b),
        Arithmetic::BitXor => Some(a ^ b),
    }
}

fn apply_to_floats(op: Arithmetic, a: f64, b: f64) -> Option<f64> {
    match op {
        Arithmetic::Add => Some(a + b),
        Arithmetic::Sub => Some(a - b),
        Arithmetic::Mul => Some(a * b),
        Arithmetic::Div => Some(a / b),
        Arithmetic::Rem => Some(a % b),
        Arithmetic::BitAnd | Arithmetic::BitOr | Arithmetic::BitXor => None,
    }
}

fn apply_to_truths(op: Arithmetic, a: bool, b: bool) -> Option<bool> {
    match op {
        Arithmetic::BitAnd => Some(a & b),
        Arithmetic::BitOr => Some(a | b),
        Arithmetic::BitXor => Some(a ^ b),
        _ => None,
    }
}
