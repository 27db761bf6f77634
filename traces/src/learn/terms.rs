//! What facts of a point speak about: its variables, their values at the beginning of the call,
//! lengths of arrays, and elements at indices that are variables.

use crate::format::{
    declare::Variable,
    kind::{Kind, Scalar},
    row::{Batch, Column},
};

/// The most elements at indices that a point may have.
const MOST_ELEMENTS: usize = 128;

/// Something with a value in each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// As it is shown.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Terms with different keys are not compared; none goes with all.
    pub(crate) key: Option<String>,
    index_key: Option<String>,
    pub(crate) source: Source,
    /// When it is seen.
    pub time: Time,
}

/// Before or after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Time {
    /// At the beginning of the call.
    Before,
    /// At the point itself.
    Now,
}

/// Where its values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A variable.
    Given,
    /// The length of an array.
    Length(usize),
    /// The element of an array at an index.
    Element(usize, usize),
}

impl Term {
    fn given(variable: &Variable, time: Time, has_keys: bool) -> Term {
        let name = match time {
            Time::Before => old(&variable.name),
            Time::Now => variable.name.clone(),
        };
        let key = variable.key.clone().filter(|_| has_keys);
        let index_key = variable.index_key.clone().filter(|_| has_keys);
        Term { name, kind: variable.kind, key, index_key, source: Source::Given, time }
    }

    /// Whether the two may stand in one fact.
    pub(crate) fn goes_with(&self, other: &Term) -> bool {
        match (&self.key, &other.key) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }
}

/// The value at the beginning of a call.
pub(crate) fn old(name: &str) -> String {
    format!("old({name})")
}

/// All terms of a point with these variables, those of the beginning of the call first.
pub(crate) fn terms(before: &[Variable], now: &[Variable], has_keys: bool) -> Vec<Term> {
    let before = before.iter().map(|variable| Term::given(variable, Time::Before, has_keys));
    let now = now.iter().map(|variable| Term::given(variable, Time::Now, has_keys));
    let mut terms: Vec<Term> = before.chain(now).collect();
    let given = terms.len();
    for array in 0..given {
        if terms[array].kind.is_array {
            let length = length(&terms[array], array);
            terms.push(length);
        }
    }
    let mut elements = Vec::new();
    for array in (0..given).filter(|array| terms[*array].kind.is_array) {
        for index in 0..given {
            elements.extend(element(&terms, array, index));
        }
    }
    if elements.len() <= MOST_ELEMENTS {
        terms.extend(elements);
    }
    terms
}

fn length(array: &Term, place: usize) -> Term {
    let inner = inner(array);
    let name = format!("len({inner})");
    let name = if array.time == Time::Before { old(&name) } else { name };
    Term {
        name,
        kind: Kind::one(Scalar::Int),
        key: array.index_key.clone(),
        index_key: None,
        source: Source::Length(place),
        time: array.time,
    }
}

/// A name without `old(..)` around it.
fn inner(term: &Term) -> &str {
    match term.time {
        Time::Before => &term.name["old(".len()..term.name.len() - 1],
        Time::Now => &term.name,
    }
}

fn element(terms: &[Term], array: usize, index: usize) -> Option<Term> {
    let (a, i) = (&terms[array], &terms[index]);
    let fits = match (&a.index_key, &i.key) {
        (Some(a), Some(i)) => a == i,
        _ => true,
    };
    if i.kind != Kind::one(Scalar::Int) || !fits {
        return None;
    }
    let (name, time) = match (a.time, i.time) {
        (Time::Before, Time::Before) => (old(&at(inner(a), inner(i))), Time::Before),
        (Time::Before, Time::Now) | (Time::Now, _) => (at(&a.name, &i.name), Time::Now),
    };
    let (kind, key) = (Kind::one(a.kind.of), a.key.clone());
    Some(Term { name, kind, key, index_key: None, source: Source::Element(array, index), time })
}

fn at(array: &str, index: &str) -> String {
    match array.find("[..]") {
        Some(place) if !array.starts_with("old(") => {
            format!("{}[{index}]{}", &array[..place], &array[place + 4..])
        }
        _ => format!("{array}[{index}]"),
    }
}

/// Fills the columns of terms that are no variables.
pub(crate) fn derive(terms: &[Term], batch: &mut Batch) {
    let given = batch.columns.len();
    for term in &terms[given..] {
        let column = match term.source {
            Source::Given => unreachable!("variables come first"),
            Source::Length(array) => lengths(&batch.columns[array], batch.rows),
            Source::Element(array, index) => {
                elements(&batch.columns[array], &batch.columns[index], batch.rows)
            }
        };
        batch.columns.push(column);
    }
}

fn lengths(array: &Column, rows: usize) -> Column {
    let mut column = Column::new(Kind::one(Scalar::Int));
    for row in 0..rows {
        if array.is_missing(row) {
            column.push_missing();
        } else {
            column.push(i64::try_from(array.array(row).len()).unwrap_or(i64::MAX));
        }
    }
    column
}

fn elements(array: &Column, index: &Column, rows: usize) -> Column {
    let mut column = Column::new(Kind::one(array.kind.of));
    for row in 0..rows {
        let known = !array.is_missing(row) && !index.is_missing(row);
        let place = usize::try_from(index.cells[row]).ok().filter(|_| known);
        match place.and_then(|place| array.array(row).get(place)) {
            Some(value) => column.push(*value),
            None => column.push_missing(),
        }
    }
    column
}

/// Whether an element was asked for at an index that its array does not have.
pub(crate) fn is_out_of_bounds(term: &Term, place: usize, batch: &Batch) -> bool {
    let Source::Element(array, index) = term.source else { return false };
    let (array, index) = (&batch.columns[array], &batch.columns[index]);
    let missing = &batch.columns[place].missing;
    let holes = missing.iter().enumerate().filter(|(_, missing)| **missing);
    holes.into_iter().any(|(row, _)| !array.is_missing(row) && !index.is_missing(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, kind: &str) -> Variable {
        Variable {
            name: name.into(),
            kind: Kind::parse(kind).unwrap(),
            declared: String::new(),
            key: None,
            index_key: None,
            at_parent: Vec::new(),
        }
    }

    #[test]
    fn lengths_and_elements_are_named_as_they_would_be_written() {
        let variables = [variable("s.a[..].f", "int[]"), variable("i", "int")];
        let terms = terms(&variables, &variables, false);
        let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "old(s.a[..].f)",
                "old(i)",
                "s.a[..].f",
                "i",
                "old(len(s.a[..].f))",
                "len(s.a[..].f)",
                "old(s.a[i].f)",
                "old(s.a[..].f)[i]",
                "s.a[old(i)].f",
                "s.a[i].f",
            ]
        );
    }

    #[test]
    fn elements_are_taken_from_their_rows() {
        let variables = [variable("a[..]", "int[]"), variable("i", "int")];
        let terms = terms(&[], &variables, false);
        let mut batch = Batch::new(terms[..2].iter().map(|term| term.kind));
        for (array, index) in [(&[7, 8][..], 1), (&[9], 1)] {
            batch.columns[0].push_array(array);
            batch.columns[1].push(index);
            batch.rows += 1;
        }
        derive(&terms, &mut batch);
        assert_eq!(batch.columns[2].cells, [2, 1]);
        assert_eq!((batch.columns[3].cells[0], batch.columns[3].is_missing(1)), (8, true));
        assert!(is_out_of_bounds(&terms[3], 3, &batch));
        assert!(!is_out_of_bounds(&terms[2], 2, &batch));
    }
}
