//! Values as database columns: enough for comparisons in SQL.

use gainsay_wire::Value;

/// A value's three columns. Two values are equal exactly when their cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) kind: u8,
    pub(crate) int: Option<i64>,
    pub(crate) text: Option<String>,
}

impl Cell {
    pub(crate) fn of(value: &Value) -> Cell {
        let int = match value {
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Int(value) => i64::try_from(*value).ok(),
            Value::Char(value) => Some(i64::from(u32::from(*value))),
            Value::Elem(key) => Some(*key),
            Value::Order(order) => Some(*order as i64),
            Value::Opt(value) => Some(i64::from(value.is_some())),
            Value::Res(is_ok, _) => Some(i64::from(*is_ok)),
            Value::Seq(items) | Value::Tuple(items) => i64::try_from(items.len()).ok(),
            Value::Str(text) => i64::try_from(text.len()).ok(),
            _ => None,
        };
        // A number that tells all needs no text, which would take most of the table's room.
        let told = int.is_some() && is_scalar(value.kind());
        Cell { kind: value.kind(), int, text: (!told).then(|| value.to_string()) }
    }

    /// True if the order of `int` is the order of the values.
    pub(crate) fn is_ordered(&self) -> bool {
        is_scalar(self.kind) && self.int.is_some()
    }
}

/// The kinds that `int` tells completely, as an SQL list.
pub(crate) const SCALAR_KINDS: &str = "(2, 3, 5, 7, 8)";

fn is_scalar(kind: u8) -> bool {
    matches!(kind, 2 | 3 | 5 | 7 | 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_equal_exactly_when_values_are() {
        let values = [
            Value::Undefined,
            Value::Bool(true),
            Value::Int(1),
            Value::Int(i128::from(i64::MAX) + 1),
            Value::Int(i128::from(i64::MAX) + 2),
            Value::Char('a'),
            Value::Elem(1),
            Value::Str("a".into()),
            Value::Str("b".into()),
            Value::none(),
            Value::some(Value::Int(1)),
            Value::some(Value::Int(2)),
            Value::ok(Value::Int(1)),
            Value::err(Value::Int(1)),
            Value::Seq(vec![Value::Elem(1)]),
            Value::Seq(vec![Value::Elem(2)]),
            Value::Float(0.5),
        ];
        for a in &values {
            for b in &values {
                assert_eq!(Cell::of(a) == Cell::of(b), a == b, "{a} {b}");
            }
        }
    }
}
