//! The one language of predicates and contracts, over the terms of a call.

use crate::{Term, Value};

/// An expression; most are predicates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A term's value.
    Term(Term),
    /// `a < b` and its kin.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a + b` and its kin, on integers.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `a.is_some()` and its kin.
    Test(Test, Box<Expr>),
    /// The number of elements of a sequence or bytes of a text.
    Len(Box<Expr>),
    /// Sequence concatenation, `a ++ b`.
    Concat(Box<Expr>, Box<Expr>),
    /// A one-element sequence, `[a]`.
    Single(Box<Expr>),
    /// `!a`
    Not(Box<Expr>),
    /// `a && b && ..`
    And(Vec<Expr>),
    /// `a || b || ..`
    Or(Vec<Expr>),
    /// `a ==> b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a <=> b`
    Iff(Box<Expr>, Box<Expr>),
    /// `Some(a)`
    Some(Box<Expr>),
    /// What is inside `Some` or `Ok`, `a.unwrap()`; undefined for `None` and `Err`.
    Unwrap(Box<Expr>),
}
wire_enum!(Expr {
    0 = Const(value),
    1 = Term(term),
    2 = Compare(op, left, right),
    3 = Arithmetic(op, left, right),
    4 = Test(test, of),
    5 = Len(of),
    6 = Concat(left, right),
    7 = Single(of),
    8 = Not(of),
    9 = And(parts),
    10 = Or(parts),
    11 = Implies(left, right),
    12 = Iff(left, right),
    13 = Some(of),
    14 = Unwrap(of),
});

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}
wire_enum!(Comparison { 0 = Eq, 1 = Ne, 2 = Lt, 3 = Le, 4 = Gt, 5 = Ge });

/// Integer arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}
wire_enum!(Arithmetic { 0 = Add, 1 = Sub, 2 = Mul });

/// Tests of options and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// `is_some()`
    IsSome,
    /// `is_none()`
    IsNone,
    /// `is_ok()`
    IsOk,
    /// `is_err()`
    IsErr,
}
wire_enum!(Test { 0 = IsSome, 1 = IsNone, 2 = IsOk, 3 = IsErr });

impl Comparison {
    /// The comparison that holds exactly when this one does not.
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Lt => Comparison::Ge,
            Comparison::Le => Comparison::Gt,
            Comparison::Gt => Comparison::Le,
            Comparison::Ge => Comparison::Lt,
        }
    }

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }
}

impl Test {
    /// The test that holds exactly when this one does not.
    pub fn negated(self) -> Test {
        match self {
            Test::IsSome => Test::IsNone,
            Test::IsNone => Test::IsSome,
            Test::IsOk => Test::IsErr,
            Test::IsErr => Test::IsOk,
        }
    }

    /// The method's name.
    pub fn method(self) -> &'static str {
        match self {
            Test::IsSome => "is_some",
            Test::IsNone => "is_none",
            Test::IsOk => "is_ok",
            Test::IsErr => "is_err",
        }
    }
}

impl Expr {
    /// A term as an expression.
    pub fn term(term: Term) -> Expr {
        Expr::Term(term)
    }

    /// An integer constant.
    pub fn int(value: i128) -> Expr {
        Expr::Const(Value::Int(value))
    }

    /// `self op other`
    pub fn compare(self, op: Comparison, other: Expr) -> Expr {
        Expr::Compare(op, Box::new(self), Box::new(other))
    }

    /// `self == other`
    pub fn equals(self, other: Expr) -> Expr {
        self.compare(Comparison::Eq, other)
    }

    /// `self ==> other`
    pub fn implies(self, other: Expr) -> Expr {
        Expr::Implies(Box::new(self), Box::new(other))
    }

    /// `self <=> other`
    pub fn iff(self, other: Expr) -> Expr {
        Expr::Iff(Box::new(self), Box::new(other))
    }

    /// `Some(self)`
    pub fn some(self) -> Expr {
        Expr::Some(Box::new(self))
    }

    /// `self.unwrap()`
    pub fn unwrapped(self) -> Expr {
        Expr::Unwrap(Box::new(self))
    }

    /// `self + offset`, or just `self` for zero.
    pub fn plus(self, offset: i128) -> Expr {
        match offset {
            0 => self,
            1.. => self.arithmetic(Arithmetic::Add, Expr::int(offset)),
            _ => self.arithmetic(Arithmetic::Sub, Expr::int(-offset)),
        }
    }

    /// `self op other`
    pub fn arithmetic(self, op: Arithmetic, other: Expr) -> Expr {
        Expr::Arithmetic(op, Box::new(self), Box::new(other))
    }

    /// The conjunction; a single part stands for itself.
    pub fn all(mut parts: Vec<Expr>) -> Expr {
        if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) }
    }

    /// The opposite predicate, with the negation pushed inwards as far as it goes.
    pub fn negated(&self) -> Expr {
        match self {
            Expr::Const(Value::Bool(value)) => Expr::Const(Value::Bool(!value)),
            Expr::Compare(op, a, b) => Expr::Compare(op.negated(), a.clone(), b.clone()),
            Expr::Test(test, of) => Expr::Test(test.negated(), of.clone()),
            Expr::Not(of) => (**of).clone(),
            Expr::And(parts) => Expr::Or(parts.iter().map(Expr::negated).collect()),
            Expr::Or(parts) => Expr::all(parts.iter().map(Expr::negated).collect()),
            Expr::Implies(a, c) => Expr::And(vec![(**a).clone(), c.negated()]),
            Expr::Iff(a, b) => Expr::Iff(a.clone(), Box::new(b.negated())),
            other => Expr::Not(Box::new(other.clone())),
        }
    }

    /// The clauses of a conjunction; any other expression is its own single clause.
    pub fn clauses(&self) -> Vec<Expr> {
        match self {
            Expr::And(parts) => parts.iter().flat_map(Expr::clauses).collect(),
            other => vec![other.clone()],
        }
    }

    /// Calls `see` for each term.
    pub fn each_term(&self, see: &mut impl FnMut(&Term)) {
        match self {
            Expr::Const(_) => {}
            Expr::Term(term) => see(term),
            Expr::Compare(_, a, b)
            | Expr::Arithmetic(_, a, b)
            | Expr::Concat(a, b)
            | Expr::Implies(a, b)
            | Expr::Iff(a, b) => {
                a.each_term(see);
                b.each_term(see);
            }
            Expr::Test(_, of)
            | Expr::Len(of)
            | Expr::Single(of)
            | Expr::Not(of)
            | Expr::Some(of)
            | Expr::Unwrap(of) => of.each_term(see),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| part.each_term(see)),
        }
    }

    /// The expression with each term replaced.
    pub fn map_terms(&self, map: &impl Fn(&Term) -> Term) -> Expr {
        let inner = |of: &Expr| Box::new(of.map_terms(map));
        match self {
            Expr::Const(value) => Expr::Const(value.clone()),
            Expr::Term(term) => Expr::Term(map(term)),
            Expr::Compare(op, a, b) => Expr::Compare(*op, inner(a), inner(b)),
            Expr::Arithmetic(op, a, b) => Expr::Arithmetic(*op, inner(a), inner(b)),
            Expr::Test(test, of) => Expr::Test(*test, inner(of)),
            Expr::Len(of) => Expr::Len(inner(of)),
            Expr::Concat(a, b) => Expr::Concat(inner(a), inner(b)),
            Expr::Single(of) => Expr::Single(inner(of)),
            Expr::Not(of) => Expr::Not(inner(of)),
            Expr::And(parts) => Expr::And(parts.iter().map(|part| part.map_terms(map)).collect()),
            Expr::Or(parts) => Expr::Or(parts.iter().map(|part| part.map_terms(map)).collect()),
            Expr::Implies(a, b) => Expr::Implies(inner(a), inner(b)),
            Expr::Iff(a, b) => Expr::Iff(inner(a), inner(b)),
            Expr::Some(of) => Expr::Some(inner(of)),
            Expr::Unwrap(of) => Expr::Unwrap(inner(of)),
        }
    }
}
