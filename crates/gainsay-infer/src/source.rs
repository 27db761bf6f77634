//! What of a call new values can be put together from: sequences, elements, keys, positions.

use gainsay_wire::{Expr, Function, Root, Term, Value, When};

use crate::{column::Column, relation::is_sequence, scene::Scene, table::Table};

/// What is there before a call.
pub(crate) struct Sources {
    /// Sequences of operands, and those that are given.
    pub(crate) sequences: Vec<Sequence>,
    /// What is given, apart from sequences.
    pub(crate) values: Vec<Given>,
    /// Integers that are given, alone or as a part of a range.
    pub(crate) numbers: Vec<Expr>,
    /// Integers that operands tell of themselves.
    pub(crate) limits: Vec<Expr>,
}

/// A sequence with what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) term: Term,
    /// Of its elements; `None` when it was always empty.
    pub(crate) items: Option<Kind>,
}

/// A value that is given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
}

/// What values look like: their kind, and for tuples that of their parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A value by its kind.
    One(u8),
    /// A tuple.
    Tuple(Vec<Kind>),
}

impl Kind {
    pub(crate) fn of(value: &Value) -> Kind {
        match value {
            Value::Tuple(parts) => Kind::Tuple(parts.iter().map(Kind::of).collect()),
            other => Kind::One(other.kind()),
        }
    }

    /// Key and value, if it is a pair.
    pub(crate) fn pair(&self) -> Option<(&Kind, &Kind)> {
        match self {
            Kind::Tuple(parts) => match &parts[..] {
                [key, value] => Some((key, value)),
                _ => None,
            },
            Kind::One(_) => None,
        }
    }

    fn is_integer(&self) -> bool {
        *self == Kind::One(Value::Int(0).kind())
    }
}

impl Sequence {
    pub(crate) fn expr(&self) -> Expr {
        Expr::term(self.term.clone())
    }

    fn of(column: &Column<'_>) -> Option<Sequence> {
        let (_, values) = column.values().filter(|_| is_sequence(column))?;
        let mut items = column.known.rows().filter_map(|row| match values[row] {
            Value::Seq(items) => items.first(),
            _ => None,
        });
        Some(Sequence { term: column.term.clone(), items: items.next().map(Kind::of) })
    }
}

impl Sources {
    /// The sources of a table.
    pub(crate) fn of(table: &Table<'_>) -> Sources {
        let before = table.columns.iter().filter(|column| column.term.is_before());
        let mut sources =
            Sources { sequences: vec![], values: vec![], numbers: vec![], limits: vec![] };
        for column in before {
            let is_given = column.term.query.is_none();
            if let Some(sequence) = Sequence::of(column) {
                sources.sequences.push(sequence);
            } else if let Some(value) = column.sample().filter(|_| is_given) {
                sources.add(Expr::term(column.term.clone()), Kind::of(&value));
            } else if column.ints().is_some() && column.term.with.is_none() {
                sources.limits.push(Expr::term(column.term.clone()));
            }
        }
        sources
    }

    /// Takes the result for something given: a key that the call chose.
    pub(crate) fn add_result(&mut self, scene: &Scene<'_>) {
        let column = scene.table.position(&Term::result()).map(|at| scene.column(at));
        let Some((column, value)) = column.and_then(|column| Some((column, column.sample()?)))
        else {
            return;
        };
        if !matches!(value, Value::Bool(_) | Value::Opt(_) | Value::Res(..) | Value::Seq(_)) {
            self.values
                .push(Given { expr: Expr::term(column.term.clone()), kind: Kind::of(&value) });
        }
    }

    fn add(&mut self, expr: Expr, kind: Kind) {
        if kind.is_integer() {
            self.numbers.push(expr.clone());
        }
        if let Kind::Tuple(parts) = &kind {
            for (at, part) in (0..).zip(parts) {
                if part.is_integer() {
                    self.numbers.push(expr.clone().part(at));
                }
            }
        }
        self.values.push(Given { expr, kind });
    }

    /// Numbers that may bound how many elements there are.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &Expr> {
        self.limits.iter().chain(&self.numbers)
    }

    /// The integers in a tuple that is given.
    pub(crate) fn parts(column: &Column<'_>) -> Vec<Expr> {
        let Some(Kind::Tuple(parts)) = column.sample().as_ref().map(Kind::of) else {
            return Vec::new();
        };
        let integers = (0..).zip(parts).filter(|(_, part)| part.is_integer());
        integers.map(|(at, _)| Expr::term(column.term.clone()).part(at)).collect()
    }

    /// Parts of one tuple that are integers, each two once: the ends of a range.
    pub(crate) fn ranges(&self) -> Vec<(Expr, Expr)> {
        let ends = |given: &Given| match &given.kind {
            Kind::Tuple(parts) if parts.len() == 2 && parts.iter().all(Kind::is_integer) => {
                Some((given.expr.clone().part(0), given.expr.clone().part(1)))
            }
            _ => None,
        };
        self.values.iter().filter_map(ends).collect()
    }

    /// What is given and can be an element.
    pub(crate) fn elements<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = Expr> + 'a {
        self.values.iter().filter(move |given| given.kind == *kind).map(|given| given.expr.clone())
    }

    /// Keys and values that are given for a map.
    pub(crate) fn entries(&self, items: &Kind) -> Vec<(Expr, Expr)> {
        let Some((key, value)) = items.pair() else { return Vec::new() };
        let keys: Vec<Expr> = self.elements(key).collect();
        let values: Vec<Expr> = self.elements(value).collect();
        let with = |key: &Expr| {
            let others = values.iter().filter(move |value| *value != key).cloned();
            others.map(|value| (key.clone(), value)).collect::<Vec<_>>()
        };
        keys.iter().flat_map(with).collect()
    }

    /// As many times something as a number says.
    pub(crate) fn repeated(&self) -> Vec<Expr> {
        let of = |x: &Given| {
            let times = self.numbers.iter().filter(|n| **n != x.expr);
            let repeat = |n: &Expr| Expr::call(Function::Repeat, [x.expr.clone(), n.clone()]);
            times.map(repeat).chain([x.expr.clone().single()]).collect::<Vec<_>>()
        };
        self.values.iter().flat_map(of).collect()
    }

    /// The sequence of a view before the call.
    pub(crate) fn own(&self, after: &Term) -> Option<&Sequence> {
        let before = after.at(When::Before);
        let is_view = matches!(after.root, Root::Operand(_));
        self.sequences.iter().find(|sequence| is_view && sequence.term == before)
    }
}
