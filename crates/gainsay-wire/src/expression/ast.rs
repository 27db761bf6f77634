//! The one language of predicates and contracts, over the terms of a call.

use crate::{Function, Term, Value};

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
    /// The value inside `Some` or `Ok`, `a.unwrap()`; undefined for `None` and `Err`.
    Unwrap(Box<Expr>),
    /// `Ok(a)`
    Ok(Box<Expr>),
    /// `Err(a)`
    Err(Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// A part of a tuple, `a.0`.
    Part(Box<Expr>, u32),
    /// An element, `a[i]`; undefined outside.
    Index(Box<Expr>, Box<Expr>),
    /// A part of a sequence or text, `a[i..j]`; undefined outside.
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// The integers `a..b` as a sequence.
    Range(Box<Expr>, Box<Expr>),
    /// `contains(a, b)` and its kin.
    Call(Function, Vec<Expr>),
    /// `forall x in s: p` and its kin: the sequence, then what is said of each element.
    Each(Binder, Box<Expr>, Box<Expr>),
    /// The element that a binder stands for: 0 is that of the innermost binder around, 1 of the next.
    Bound(u32),
}
// Tags are written out: a store keeps expressions over versions, so an order that follows the
// declaration would change their meaning when a variant is added.
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
    15 = Ok(of),
    16 = Err(of),
    17 = Tuple(parts),
    18 = Part(of, at),
    19 = Index(of, at),
    20 = Slice(of, from, to),
    21 = Range(from, to),
    22 = Call(function, args),
    23 = Each(binder, of, body),
    24 = Bound(depth),
});

/// The use that is made of each element of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binder {
    /// `forall x in s: p`: whether `p` holds of all.
    Forall,
    /// `exists x in s: p`: whether `p` holds of one.
    Exists,
    /// `filter x in s: p`: those of which `p` holds.
    Filter,
    /// `map x in s: e`: what `e` makes of each.
    Map,
}
wire_enum!(Binder { 0 = Forall, 1 = Exists, 2 = Filter, 3 = Map });

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

/// Arithmetic on integers; the first five also on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, towards zero on integers; undefined for a divisor of zero.
    Div,
    /// `%`, with the sign of the dividend; undefined for a divisor of zero.
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}
wire_enum!(Arithmetic {
    0 = Add,
    1 = Sub,
    2 = Mul,
    3 = Div,
    4 = Rem,
    5 = BitAnd,
    6 = BitOr,
    7 = BitXor,
});

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

impl Arithmetic {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Sub => "-",
            Arithmetic::Mul => "*",
            Arithmetic::Div => "/",
            Arithmetic::Rem => "%",
            Arithmetic::BitAnd => "&",
            Arithmetic::BitOr => "|",
            Arithmetic::BitXor => "^",
        }
    }
}

impl Binder {
    /// All of them.
    pub const ALL: [Binder; 4] = [Binder::Forall, Binder::Exists, Binder::Filter, Binder::Map];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Binder::Forall => "forall",
            Binder::Exists => "exists",
            Binder::Filter => "filter",
            Binder::Map => "map",
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
            // `a - 1` is how a person writes it, and how the parser reads it back; `a + -1` is neither.
            1.. => self.arithmetic(Arithmetic::Add, Expr::int(offset)),
            _ => self.arithmetic(Arithmetic::Sub, Expr::int(-offset)),
        }
    }

    /// `function(args)`
    pub fn call(function: Function, args: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::Call(function, args.into_iter().collect())
    }

    /// `self ++ other`
    pub fn concat(self, other: Expr) -> Expr {
        Expr::Concat(Box::new(self), Box::new(other))
    }

    /// `[self]`
    pub fn single(self) -> Expr {
        Expr::Single(Box::new(self))
    }

    /// `self[index]`
    pub fn index(self, index: Expr) -> Expr {
        Expr::Index(Box::new(self), Box::new(index))
    }

    /// `self[from..to]`, with either left out.
    pub fn slice(self, from: Option<Expr>, to: Option<Expr>) -> Expr {
        Expr::Slice(Box::new(self), from.map(Box::new), to.map(Box::new))
    }

    /// `self.at`, a part of a tuple.
    pub fn part(self, at: u32) -> Expr {
        Expr::Part(Box::new(self), at)
    }

    /// `forall x in self: body` and its kin.
    pub fn each(self, binder: Binder, body: Expr) -> Expr {
        Expr::Each(binder, Box::new(self), Box::new(body))
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
            // Negations go inwards because goals are conjunctions over views, which SQL can search for.
            Expr::Implies(a, c) => Expr::And(vec![(**a).clone(), c.negated()]),
            // One side is enough, and keeps the form that people read.
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
        if let Expr::Term(term) = self {
            see(term);
        }
        self.each_part(&mut |part| part.each_term(see));
    }

    /// The expression with each term replaced.
    pub fn map_terms(&self, map: &impl Fn(&Term) -> Term) -> Expr {
        match self {
            Expr::Term(term) => Expr::Term(map(term)),
            other => other.map_parts(&mut |part| part.map_terms(map)),
        }
    }
}
