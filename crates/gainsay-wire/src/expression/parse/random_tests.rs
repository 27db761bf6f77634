//! Random expressions are printed, read back and compared.

use super::*;
use crate::{Random, Scope, evaluate, expr_text};

struct Made {
    random: Random,
    /// The number of binders around.
    depth: u32,
}

fn names() -> Names {
    let operands = [("self", true), ("other", true), ("x", false), ("key", false), ("k", false)];
    Names::new(operands.map(|(name, object)| (name.to_owned(), object)))
}

impl Made {
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())].clone()
    }

    fn boxed(&mut self, size: u32) -> Box<Expr> {
        Box::new(self.expr(size))
    }

    fn several(&mut self, size: u32) -> Vec<Expr> {
        let count = self.random.below(4);
        (0..count).map(|_| self.expr(size)).collect()
    }

    fn value(&mut self, size: u32) -> Value {
        let below = if size == 0 { 9 } else { 14 };
        match self.random.below(below) {
            0 => Value::Unit,
            1 => Value::Bool(self.random.below(2) == 0),
            2 => Value::Int(self.pick(&[0, 1, -1, 7, i128::MAX, i128::MIN])),
            3 => Value::Float(self.pick(&[0.0, -0.5, 1e300, -2.5e-7, f64::INFINITY])),
            4 => Value::Char(self.pick(&['a', '\'', '"', '\n', 'ü', '[', '\u{200b}'])),
            5 => Value::Str(self.pick(&["", "a \"b\"", "\\n\n", "x: y", "ü\u{7f}"]).to_owned()),
            6 => Value::Elem(self.pick(&[0, 5, -3])),
            7 => Value::Order(self.pick(&[std::cmp::Ordering::Less, std::cmp::Ordering::Equal])),
            8 => Value::Token(self.pick(&[0, 0xdead_beef, u64::MAX])),
            9 => Value::none(),
            10 => Value::some(self.value(size - 1)),
            11 => Value::ok(self.value(size - 1)),
            12 => Value::Seq(vec![self.value(size - 1), self.value(0)]),
            _ => Value::Tuple(vec![self.value(size - 1)]),
        }
    }

    fn term(&mut self) -> Term {
        let when = self.pick(&[When::Before, When::After]);
        let queries = ["len", "seq", "is_empty", ".major", ".0", ".pre.len()", ".front()?.len()"];
        let query = Some(self.pick(&queries).to_owned());
        match self.random.below(7) {
            0 => Term::result(),
            1 => Term::operand(self.pick(&[2, 3, 4])),
            2 => Term::relation(when, 0, "contains", 3),
            3 => Term::relation(when, 0, "==", 1),
            4 => Term { when: When::After, root: Root::Made(0), query, with: None },
            _ => Term { when, root: Root::Operand(self.pick(&[0, 1])), query, with: None },
        }
    }

    fn leaf(&mut self) -> Expr {
        match self.random.below(3) {
            0 => Expr::Const(self.value(2)),
            1 if self.depth > 0 => Expr::Bound(self.pick(&(0..self.depth).collect::<Vec<_>>())),
            _ => Expr::Term(self.term()),
        }
    }

    fn expr(&mut self, size: u32) -> Expr {
        if size == 0 {
            return self.leaf();
        }
        let size = size - 1;
        match self.random.below(11) {
            0 => self.leaf(),
            1 | 2 => self.operator(size),
            3 | 4 => self.logic(size),
            5 | 6 => self.made(size),
            7 | 8 => self.sequence(size),
            9 => {
                let function = self.pick(Function::ALL);
                Expr::call(function, (0..function.arity()).map(|_| self.expr(size)))
            }
            _ => {
                let (binder, of) = (self.pick(&Binder::ALL), self.boxed(size));
                self.depth += 1;
                let body = self.boxed(size);
                self.depth -= 1;
                Expr::Each(binder, of, body)
            }
        }
    }

    fn operator(&mut self, size: u32) -> Expr {
        let comparisons = [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Ge];
        let arithmetic = [
            Arithmetic::Add,
            Arithmetic::Sub,
            Arithmetic::Mul,
            Arithmetic::Div,
            Arithmetic::Rem,
            Arithmetic::BitAnd,
            Arithmetic::BitOr,
            Arithmetic::BitXor,
        ];
        let (a, b) = (self.expr(size), self.expr(size));
        match self.random.below(3) {
            0 => a.compare(self.pick(&comparisons), b),
            1 => a.arithmetic(self.pick(&arithmetic), b),
            _ => a.concat(b),
        }
    }

    fn logic(&mut self, size: u32) -> Expr {
        match self.random.below(5) {
            0 => Expr::Not(self.boxed(size)),
            1 => Expr::And(self.several(size)),
            2 => Expr::Or(self.several(size)),
            3 => Expr::Implies(self.boxed(size), self.boxed(size)),
            _ => Expr::Iff(self.boxed(size), self.boxed(size)),
        }
    }

    fn made(&mut self, size: u32) -> Expr {
        let tests = [Test::IsSome, Test::IsNone, Test::IsOk, Test::IsErr];
        match self.random.below(7) {
            0 => Expr::Some(self.boxed(size)),
            1 => Expr::Ok(self.boxed(size)),
            2 => Expr::Err(self.boxed(size)),
            3 => Expr::Tuple(self.several(size)),
            4 => Expr::Test(self.pick(&tests), self.boxed(size)),
            5 => Expr::Unwrap(self.boxed(size)),
            _ => Expr::Part(self.boxed(size), self.pick(&[0, 1, 12])),
        }
    }

    fn sequence(&mut self, size: u32) -> Expr {
        match self.random.below(5) {
            0 => Expr::Len(self.boxed(size)),
            1 => Expr::Single(self.boxed(size)),
            2 => Expr::Index(self.boxed(size), self.boxed(size)),
            3 => Expr::Range(self.boxed(size), self.boxed(size)),
            _ => {
                let of = self.expr(size);
                let mut bound = || (self.random.below(2) == 0).then(|| self.expr(size));
                let (from, to) = (bound(), bound());
                of.slice(from, to)
            }
        }
    }
}

/// Values that follow from the term, so that terms that were mixed up show.
struct Told;

impl Scope for Told {
    fn value(&self, term: &Term) -> &Value {
        static VALUES: [Value; 3] = [Value::Int(3), Value::Bool(true), Value::Elem(4)];
        &VALUES[(term.query.as_ref().map_or(1, String::len) + term.when as usize) % 3]
    }
}

#[test]
fn any_expression_is_read_back_as_it_was_printed() {
    for seed in 0..5_000 {
        let mut made = Made { random: Random::new(seed), depth: 0 };
        let expr = made.expr(4);
        for point in [Point::Entry, Point::Exit] {
            let expr = expr.map_terms(&|term| match (point, term.root) {
                // At entry a view is one of the state before.
                (Point::Entry, Root::Operand(_)) => term.at(When::Before),
                _ => term.clone(),
            });
            let text = expr_text(&expr, &names(), point);
            let read = parse_expr(&text, &names(), point);
            let read = read.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
            assert_eq!(read, expr.fold_constants(), "seed {seed}: {text}");
            let again = expr_text(&read, &names(), point);
            assert_eq!(again, expr_text(&expr.fold_constants(), &names(), point), "seed {seed}");
            // Evaluating whatever it is never panics.
            let _ = evaluate(&read, &Told);
        }
    }
}
