//! Facts as text, in the words of the trace.

use std::fmt::Write as _;

use crate::{
    facts::fact::{Fact, Strictly, TermId, threshold_constant},
    format::{
        kind::{Scalar, float_of},
        texts::Texts,
    },
    learn::terms::Term,
};
use gainsay_infer::numeric::relation::Relation;

/// What is needed to name things.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) terms: &'a [Term],
    pub(crate) texts: &'a Texts,
}

impl Words<'_> {
    /// A fact as a line.
    pub(crate) fn fact(&self, fact: &Fact) -> String {
        let name = |term: &TermId| self.terms[*term].name.as_str();
        match fact {
            Fact::Same(x, y) => self.same(*x, *y),
            Fact::OneOf(x, values) => self.one_of(*x, values),
            Fact::OneOfArrays(x, values) => {
                let shown: Vec<String> = values.iter().map(|items| self.array(*x, items)).collect();
                one_of(name(x), &shown)
            }
            Fact::Linear(relation) => self.linear(relation),
            Fact::Threshold(b, x, y, at) => {
                let (order, c) = threshold_constant(at);
                let right = match y {
                    Some(y) => sum(name(y), c),
                    None => c.to_string(),
                };
                format!("{} <=> {} {} {right}", name(b), name(x), order.symbol())
            }
            Fact::Opposite(x, y) => format!("{} == !{}", name(y), name(x)),
            Fact::Implies(x, y) => format!("{} ==> {}", name(x), name(y)),
            Fact::Order(x, Strictly::Less, y) => format!("{} < {}", name(x), name(y)),
            Fact::Order(x, Strictly::OrEqual, y) => format!("{} <= {}", name(x), name(y)),
            Fact::Gap(x, y, c) => format!("{} <= {}", name(x), sum(name(y), *c)),
            Fact::Differs(x, y) => format!("{} != {}", name(x), name(y)),
            Fact::Divides(x, y) => format!("{} % {} == 0", name(x), name(y)),
            Fact::Square(x, y) => format!("{} == {} * {}", name(x), name(y), name(y)),
            Fact::AtLeast(x, c) => format!("{} >= {}", name(x), self.value(*x, *c)),
            Fact::AtMost(x, c) => format!("{} <= {}", name(x), self.value(*x, *c)),
            Fact::NonZero(x) => format!("{} != {}", name(x), self.zero(*x)),
            Fact::PowerOfTwo(x) => format!("{} is a power of two", name(x)),
            _ => self.array_fact(fact),
        }
    }

    fn array_fact(&self, fact: &Fact) -> String {
        let name = |term: &TermId| self.terms[*term].name.as_str();
        let elements = |term: &TermId| format!("elements of {}", name(term));
        match fact {
            Fact::ElementsOneOf(x, values) => {
                let shown: Vec<String> =
                    values.iter().map(|value| self.value(*x, *value)).collect();
                one_of(&elements(x), &shown)
            }
            Fact::ElementsAtLeast(x, c) => format!("{} >= {}", elements(x), self.value(*x, *c)),
            Fact::ElementsAtMost(x, c) => format!("{} <= {}", elements(x), self.value(*x, *c)),
            Fact::ElementsNonZero(x) => format!("{} != {}", elements(x), self.zero(*x)),
            Fact::Sorted(x, order) => format!("{} is sorted by {}", name(x), order.symbol()),
            Fact::Member(x, of) => format!("{} in {}", name(x), name(of)),
            Fact::ElementsAre(a, order, x) => {
                format!("{} {} {}", elements(a), order.symbol(), name(x))
            }
            Fact::ArrayOrder(x, Strictly::Less, y) => {
                format!("{} < {} (lexically)", name(x), name(y))
            }
            Fact::ArrayOrder(x, Strictly::OrEqual, y) => {
                format!("{} <= {} (lexically)", name(x), name(y))
            }
            Fact::Pairwise(x, order, y) => {
                format!("{} {} {} (element by element)", name(x), order.symbol(), name(y))
            }
            Fact::PairwiseLinear(x, y, k, c) => {
                let right = sum(&times(*k, name(x)), *c);
                format!("{} == {right} (element by element)", name(y))
            }
            Fact::Reversed(x, y) => format!("{} is {} reversed", name(x), name(y)),
            _ => unreachable!("all other facts are about single values"),
        }
    }

    /// The later of two terms is told by the earlier one.
    fn same(&self, x: TermId, y: TermId) -> String {
        format!("{} == {}", self.terms[y].name, self.terms[x].name)
    }

    fn one_of(&self, x: TermId, values: &[i64]) -> String {
        let term = &self.terms[x];
        if term.kind.of == Scalar::Bool {
            let not = if values == [0] { "!" } else { "" };
            return format!("{not}{}", term.name);
        }
        if term.kind.of == Scalar::Hash && values != [0] {
            return format!("{} is always the same object", term.name);
        }
        let shown: Vec<String> = values.iter().map(|value| self.value(x, *value)).collect();
        one_of(&term.name, &shown)
    }

    fn array(&self, x: TermId, items: &[i64]) -> String {
        const SHOWN: usize = 8;
        let mut shown: Vec<String> =
            items.iter().take(SHOWN).map(|item| self.value(x, *item)).collect();
        if items.len() > SHOWN {
            shown.push(format!("..{} more", items.len() - SHOWN));
        }
        format!("[{}]", shown.join(", "))
    }

    fn zero(&self, x: TermId) -> &'static str {
        match self.terms[x].kind.of {
            Scalar::Hash | Scalar::Text => "null",
            Scalar::Bool | Scalar::Int | Scalar::Float => "0",
        }
    }

    fn value(&self, x: TermId, value: i64) -> String {
        match self.terms[x].kind.of {
            Scalar::Int => value.to_string(),
            Scalar::Bool => (value != 0).to_string(),
            Scalar::Float => format!("{:?}", float_of(value)),
            Scalar::Hash | Scalar::Text if value == 0 => "null".into(),
            Scalar::Hash => format!("object {value}"),
            Scalar::Text => {
                self.texts.text(value).map_or("a long text".into(), |t| format!("{t:?}"))
            }
        }
    }

    /// The last term is told by the others, if its coefficient allows it.
    fn linear(&self, relation: &Relation) -> String {
        let (last, rest) = relation.terms.split_last().expect("a relation has terms");
        let name = |term: TermId| self.terms[term].name.as_str();
        let mut right = String::new();
        for (term, coefficient) in rest {
            add(&mut right, -coefficient, name(*term));
        }
        let constant = -relation.constant;
        if right.is_empty() {
            right = constant.to_string();
        } else if constant != 0 {
            right = sum(&right, constant);
        }
        format!("{} == {right}", times(last.1, name(last.0)))
    }
}

fn one_of(name: &str, values: &[String]) -> String {
    match values {
        [single] => format!("{name} == {single}"),
        _ => format!("{name} in {{{}}}", values.join(", ")),
    }
}

fn times(coefficient: i64, name: &str) -> String {
    match coefficient {
        1 => name.to_owned(),
        -1 => format!("-{name}"),
        _ => format!("{coefficient} * {name}"),
    }
}

fn add(text: &mut String, coefficient: i64, name: &str) {
    if text.is_empty() {
        text.push_str(&times(coefficient, name));
        return;
    }
    let sign = if coefficient < 0 { '-' } else { '+' };
    write!(text, " {sign} {}", times(coefficient.abs(), name)).expect("writing to a string");
}

fn sum(name: &str, c: i64) -> String {
    match c {
        0 => name.to_owned(),
        1.. => format!("{name} + {c}"),
        _ => format!("{name} - {}", c.unsigned_abs()),
    }
}
