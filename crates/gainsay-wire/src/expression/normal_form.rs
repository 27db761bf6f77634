//! A form in which two ways of writing one claim are the same: comparisons in one direction,
//! operands of symmetric operators in order, implications as disjunctions.

use crate::{Comparison, Expr};

impl Expr {
    /// The normal form. Claims with the same one say the same; the reverse does not hold.
    pub fn normal_form(&self) -> Expr {
        match self {
            Expr::Implies(a, c) => flat_or(&[a.negated(), (**c).clone()]),
            Expr::Or(parts) => flat_or(parts),
            Expr::And(parts) => flat_and(parts),
            Expr::Iff(a, b) | Expr::Compare(Comparison::Eq, a, b) => normal_equality(a, b),
            Expr::Compare(Comparison::Ne, a, b) => normal_equality(a, b).negated(),
            Expr::Compare(op @ (Comparison::Gt | Comparison::Ge), a, b) => {
                let flipped = if *op == Comparison::Gt { Comparison::Lt } else { Comparison::Le };
                b.normal_form().compare(flipped, a.normal_form())
            }
            Expr::Not(of) => match of.normal_form() {
                Expr::Not(inner) => *inner,
                inner @ (Expr::Compare(..) | Expr::Test(..) | Expr::And(_) | Expr::Or(_)) => {
                    inner.negated().normal_form()
                }
                inner => Expr::Not(Box::new(inner)),
            },
            other => other.map_parts(&mut Expr::normal_form),
        }
    }
}

/// `a == b` with the sides in order; `a == !b` is `a != b`.
fn normal_equality(a: &Expr, b: &Expr) -> Expr {
    let (mut a, mut b) = (a.normal_form(), b.normal_form());
    let mut op = Comparison::Eq;
    for side in [&mut a, &mut b] {
        if let Expr::Not(inner) = side {
            *side = (**inner).clone();
            op = op.negated();
        }
    }
    // Any total order will do; the derived one is stable across builds.
    if a > b {
        std::mem::swap(&mut a, &mut b);
    }
    a.compare(op, b)
}

fn flat_or(parts: &[Expr]) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part.normal_form() {
            Expr::Or(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    flat.sort();
    // Sorted first, so that equal parts are neighbours.
    flat.dedup();
    if flat.len() == 1 { flat.remove(0) } else { Expr::Or(flat) }
}

fn flat_and(parts: &[Expr]) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part.normal_form() {
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
    use crate::{Names, Point, parse_expr};

    fn check(a: &str, b: &str, same: bool) {
        let names = Names::new([("self".to_owned(), true), ("x".to_owned(), false)]);
        let read = |text: &str| parse_expr(text, &names, Point::Exit).unwrap().normal_form();
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
