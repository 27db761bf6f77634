//! A form in which two ways of writing one contract are the same: comparisons in one direction,
//! operands of symmetric operators in order, implications as disjunctions.

use gainsay_wire::{Comparison, Expr};

/// The normal form.
pub(super) fn normal(expr: &Expr) -> Expr {
    match expr {
        Expr::Implies(a, c) => flat_or(vec![a.negated(), (**c).clone()]),
        Expr::Or(parts) => flat_or(parts.clone()),
        Expr::And(parts) => flat_and(parts.clone()),
        Expr::Iff(a, b) | Expr::Compare(Comparison::Eq, a, b) => equality(a, b),
        Expr::Compare(Comparison::Ne, a, b) => equality(a, b).negated(),
        Expr::Compare(op @ (Comparison::Gt | Comparison::Ge), a, b) => {
            let flipped = if *op == Comparison::Gt { Comparison::Lt } else { Comparison::Le };
            normal(b).compare(flipped, normal(a))
        }
        Expr::Not(of) => match normal(of) {
            Expr::Not(inner) => *inner,
            inner @ (Expr::Compare(..) | Expr::Test(..) | Expr::And(_) | Expr::Or(_)) => {
                normal(&inner.negated())
            }
            inner => Expr::Not(Box::new(inner)),
        },
        other => other.map_parts(&mut normal),
    }
}

/// `a == b` with the sides in order; `a == !b` is `a != b`.
fn equality(a: &Expr, b: &Expr) -> Expr {
    let (mut a, mut b) = (normal(a), normal(b));
    let mut op = Comparison::Eq;
    for side in [&mut a, &mut b] {
        if let Expr::Not(inner) = side {
            *side = (**inner).clone();
            op = op.negated();
        }
    }
    if a > b {
        std::mem::swap(&mut a, &mut b);
    }
    a.compare(op, b)
}

fn flat_or(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match normal(&part) {
            Expr::Or(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    flat.sort();
    flat.dedup();
    if flat.len() == 1 { flat.remove(0) } else { Expr::Or(flat) }
}

fn flat_and(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match normal(&part) {
            Expr::And(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    flat.sort();
    flat.dedup();
    Expr::all(flat)
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Names, Point, parse_expr};

    use super::*;

    fn check(a: &str, b: &str, same: bool) {
        let names = Names::new([("self".to_owned(), true), ("x".to_owned(), false)]);
        let read = |text: &str| normal(&parse_expr(text, &names, Point::Exit).unwrap());
        assert_eq!(read(a) == read(b), same, "{a} / {b}");
    }

    #[test]
    fn two_ways_of_writing_one_contract_are_the_same() {
        check("self.len() == x", "x == self.len()", true);
        check("result <=> self.is_empty()", "self.is_empty() == result", true);
        check("result <=> !self.is_empty()", "!result <=> self.is_empty()", true);
        check("x > 1", "1 < x", true);
        check("self.is_empty() ==> x == 1", "!self.is_empty() || 1 == x", true);
        check("!(x == 1)", "x != 1", true);
        check("x == 1 && self.is_empty()", "self.is_empty() && x == 1", true);
    }

    #[test]
    fn different_contracts_stay_different() {
        check("x > 1", "x >= 1", false);
        check("self.len() == x", "old(self.len()) == x", false);
        check("self.is_empty() ==> x == 1", "x == 1 ==> self.is_empty()", false);
    }
}
