//! Predicates as SQL conditions. What has no SQL form gives `None`; nothing is ever weakened or
//! strengthened in translation, except that undefined counts as false.

use gainsay_wire::{Arithmetic, Comparison, Expr, Term, Test, Value};

use crate::sqlite::encoding::value_columns::{Cell, SCALAR_KINDS};

/// The SQL names of the three columns that hold a term's value.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    kind: String,
    int: String,
    text: String,
}

impl Columns {
    /// `<prefix>kind`, `<prefix>int_value`, `<prefix>text_value`.
    pub(crate) fn prefixed(prefix: &str) -> Columns {
        let column = |name: &str| format!("{prefix}{name}");
        Columns { kind: column("kind"), int: column("int_value"), text: column("text_value") }
    }
}

/// Translates predicates; `resolve` says where a term's value stands.
pub(crate) struct Compiler<F> {
    resolve: F,
    texts: Vec<String>,
}

impl<F: FnMut(&Term) -> Option<Columns>> Compiler<F> {
    pub(crate) fn new(resolve: F) -> Self {
        Compiler { resolve, texts: Vec::new() }
    }

    /// The values of the parameters `?1`, `?2`, ..
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }

    /// The condition under which a predicate is true.
    pub(crate) fn predicate(&mut self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Const(Value::Bool(value)) => Some(i64::from(*value).to_string()),
            Expr::Term(term) => self.truth_value(term, 1),
            Expr::Not(of) => match &**of {
                Expr::Term(term) => self.truth_value(term, 0),
                other => match other.negated() {
                    // What has no opposite of its own, such as a function's value.
                    Expr::Not(_) => None,
                    opposite => self.predicate(&opposite),
                },
            },
            Expr::Compare(op, a, b) => self.compare(*op, a, b),
            Expr::Test(test, of) => self.test(*test, of),
            Expr::And(parts) => self.joined(parts, " AND ", "1"),
            Expr::Or(parts) => self.joined(parts, " OR ", "0"),
            // Both are said by what SQL has: it knows no third truth value as we do.
            Expr::Implies(a, c) => self.predicate(&Expr::Or(vec![a.negated(), (**c).clone()])),
            Expr::Iff(a, b) => self.predicate(&Expr::Or(vec![
                Expr::And(vec![(**a).clone(), (**b).clone()]),
                Expr::And(vec![a.negated(), b.negated()]),
            ])),
            _ => None,
        }
    }

    fn joined(&mut self, parts: &[Expr], with: &str, empty: &str) -> Option<String> {
        let parts: Option<Vec<String>> = parts.iter().map(|part| self.predicate(part)).collect();
        let parts = parts?;
        if parts.is_empty() {
            return Some(empty.to_owned());
        }
        Some(format!("({})", parts.join(with)))
    }

    fn truth_value(&mut self, term: &Term, value: u8) -> Option<String> {
        let at = (self.resolve)(term)?;
        Some(format!("({} = {value} AND {} = 2)", at.int, at.kind))
    }

    fn test(&mut self, test: Test, of: &Expr) -> Option<String> {
        let Expr::Term(term) = of else { return None };
        let at = (self.resolve)(term)?;
        let (kind, value) = match test {
            Test::IsSome => (9, 1),
            Test::IsNone => (9, 0),
            Test::IsOk => (10, 1),
            Test::IsErr => (10, 0),
        };
        Some(format!("({} = {value} AND {} = {kind})", at.int, at.kind))
    }

    fn compare(&mut self, op: Comparison, a: &Expr, b: &Expr) -> Option<String> {
        match (a, b) {
            (Expr::Term(term), Expr::Const(value)) => self.with_constant(op, term, value),
            (Expr::Const(value), Expr::Term(term)) => self.with_constant(mirrored(op), term, value),
            (Expr::Term(a), Expr::Term(b)) => self.with_term(op, a, b),
            _ => self.integers(op, a, b),
        }
    }

    fn with_constant(&mut self, op: Comparison, term: &Term, value: &Value) -> Option<String> {
        let (at, cell) = ((self.resolve)(term)?, Cell::of(value));
        let Columns { kind, int, text } = at;
        if let (Some(constant), true) = (cell.int, cell.is_ordered()) {
            let op = sql_operator(op);
            return Some(format!("({int} {op} {constant} AND {kind} = {})", cell.kind));
        }
        // Texts are parameters: they come from the subject, and may hold anything.
        self.texts.push(cell.text?);
        let same = format!("{text} = ?{}", self.texts.len());
        match op {
            Comparison::Eq => {
                // What is equal is as long: the index knows lengths.
                let as_long = cell.int.map_or(String::new(), |n| format!(" AND {int} = {n}"));
                Some(format!("({same}{as_long} AND {kind} = {})", cell.kind))
            }
            // An integer that needs no text differs from one that does.
            Comparison::Ne => Some(format!("({kind} = {} AND NOT ifnull({same}, 0))", cell.kind)),
            _ => None,
        }
    }

    fn with_term(&mut self, op: Comparison, a: &Term, b: &Term) -> Option<String> {
        let (a, b) = ((self.resolve)(a)?, (self.resolve)(b)?);
        let same_kind = format!("{} = {} AND {} > 0", a.kind, b.kind, a.kind);
        let same = format!("{} IS {} AND {} IS {}", a.int, b.int, a.text, b.text);
        Some(match op {
            Comparison::Eq => format!("({same_kind} AND {same})"),
            Comparison::Ne => format!("({same_kind} AND NOT ({same}))"),
            _ => {
                let op = sql_operator(op);
                // Sequences and texts have lengths there, which say nothing about their order.
                let ordered = format!("{} IN {SCALAR_KINDS}", a.kind);
                format!("({same_kind} AND {ordered} AND {} {op} {})", a.int, b.int)
            }
        })
    }

    fn integers(&mut self, op: Comparison, a: &Expr, b: &Expr) -> Option<String> {
        let mut guards = Vec::new();
        let a = self.integer(a, &mut guards)?;
        let b = self.integer(b, &mut guards)?;
        guards.push(format!("{a} {} {b}", sql_operator(op)));
        Some(format!("({})", guards.join(" AND ")))
    }

    /// An integer expression; `guards` must hold for it to mean anything.
    fn integer(&mut self, expr: &Expr, guards: &mut Vec<String>) -> Option<String> {
        match expr {
            Expr::Const(Value::Int(value)) => i64::try_from(*value).ok().map(|v| v.to_string()),
            Expr::Term(term) => {
                let at = (self.resolve)(term)?;
                guards.push(format!("{} = 3", at.kind));
                Some(at.int)
            }
            Expr::Len(of) => {
                let Expr::Term(term) = &**of else { return None };
                let at = (self.resolve)(term)?;
                guards.push(format!("{} IN (6, 12)", at.kind));
                Some(at.int)
            }
            Expr::Arithmetic(op, a, b) => {
                // What SQL computes otherwise (bits, division by zero) is decided on the values.
                let exact = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul];
                let symbol = exact.contains(op).then(|| op.symbol())?;
                let (a, b) = (self.integer(a, guards)?, self.integer(b, guards)?);
                Some(format!("({a} {symbol} {b})"))
            }
            _ => None,
        }
    }
}

fn sql_operator(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "=",
        Comparison::Ne => "<>",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    }
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_wire::Function;

    #[test]
    fn what_has_no_opposite_in_sql_is_not_searched_for() {
        let sequence = Expr::Term(Term::result());
        let sorted = Expr::Call(Function::Sorted, vec![sequence]);
        let mut compiler = Compiler::new(|_: &Term| None);
        for expr in [sorted.clone(), sorted.negated(), Expr::Not(Box::new(sorted.negated()))] {
            assert_eq!(compiler.predicate(&expr), None);
        }
    }
}
