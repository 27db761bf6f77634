//! Distance of a claim from being false on a call, measured in the numbers that decide it.

use gainsay_wire::{Comparison, Expr, Scope, Truth, evaluate, truth};

/// The least change of a number that makes a true claim false; `None` where no number decides it.
pub(crate) fn measure_margin(expr: &Expr, scope: &impl Scope) -> Option<u64> {
    match expr {
        Expr::Compare(op, a, b) => {
            let (a, b) = (evaluate(a, scope).as_int()?, evaluate(b, scope).as_int()?);
            measure_distance(*op, a, b)
        }
        Expr::Implies(_, claim) => measure_margin(claim, scope),
        // A conjunction is false as soon as one part is.
        Expr::And(parts) => parts.iter().filter_map(|part| measure_margin(part, scope)).min(),
        // A disjunction is false only when all parts that hold are false.
        Expr::Or(parts) => {
            let holding = parts.iter().filter(|part| truth(part, scope) == Truth::True);
            holding
                .map(|part| measure_margin(part, scope))
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .max()
        }
        _ => None,
    }
}

/// The distance of a clause from being true: zero when it is, and at least one when it is not.
pub(crate) fn measure_lack(clause: &Expr, scope: &impl Scope) -> u64 {
    match truth(clause, scope) {
        Truth::True => 0,
        Truth::False => measure_margin(&clause.negated(), scope).unwrap_or(1).max(1),
        Truth::Undefined => 1,
    }
}

/// The least change that makes a true comparison false.
fn measure_distance(op: Comparison, a: i128, b: i128) -> Option<u64> {
    let distance = match op {
        // Any other number breaks an equality, so a distance would say nothing.
        Comparison::Eq => return None,
        Comparison::Ne => a.saturating_sub(b).saturating_abs(),
        Comparison::Lt => b.saturating_sub(a),
        Comparison::Le => b.saturating_sub(a).saturating_add(1),
        Comparison::Gt => a.saturating_sub(b),
        Comparison::Ge => a.saturating_sub(b).saturating_add(1),
    };
    u64::try_from(distance).ok()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Names, Point, Term, Value, parse_expr};

    use super::*;

    /// Every operand is this number.
    struct All(Value);

    impl Scope for All {
        fn value(&self, _: &Term) -> &Value {
            &self.0
        }
    }

    fn parsed(text: &str) -> Expr {
        let names = Names::new([("n".to_owned(), false)]);
        parse_expr(text, &names, Point::Entry).unwrap()
    }

    #[test]
    fn a_margin_is_how_much_is_missing_to_a_violation() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(measure_margin(&parsed(text), &All(Value::Int(5))), expected, "{text}");
        };
        check("n < 6", Some(1));
        check("n <= 9", Some(5));
        check("n >= 5", Some(1));
        check("n > 0", Some(5));
        check("n != 7", Some(2));
        check("n == 5", None);
        check("n < 9 && n > 3", Some(2));
        check("n < 9 || n > 3", Some(4));
        check("n > 2 ==> n < 7", Some(2));
    }

    #[test]
    fn a_clause_lacks_what_its_opposite_has_in_hand() {
        let check = |text: &str, expected: u64| {
            assert_eq!(measure_lack(&parsed(text), &All(Value::Int(5))), expected, "{text}");
        };
        check("n >= 5", 0);
        check("n >= 8", 3);
        check("n == 8", 3);
        check("n != 5", 1);
        check("n.is_some()", 1);
    }
}
