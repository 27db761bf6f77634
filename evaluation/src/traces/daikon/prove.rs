//! The product's report read back, and what follows from it by simple rules.

#![allow(clippy::many_single_char_names, reason = "facts are about x and y, a and b")]

use std::collections::{BTreeMap, BTreeSet};

use super::{
    claims::Claim,
    read::{Part, Table},
};

mod parse;

/// Facts that are told about a table, and their consequences.
pub(super) struct Prover<'a> {
    table: &'a Table,
    told: Vec<Claim>,
    said: BTreeSet<Claim>,
    /// The first term of each class of terms that are the same.
    class: Vec<usize>,
    /// The least known difference of two classes; the last place is zero.
    bounds: Vec<Vec<Option<i64>>>,
    equations: Vec<Vec<i128>>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(table: &'a Table, told: Vec<Claim>) -> Prover<'a> {
        let said = told.iter().flat_map(turned).collect();
        let class = (0..table.terms.len()).collect();
        let bounds = Vec::new();
        let mut prover = Prover { table, told, said, class, bounds, equations: Vec::new() };
        prover.split_thresholds();
        prover.unite();
        prover.measure();
        prover.equations();
        prover
    }

    /// Whether it is told in as many words.
    pub(super) fn says(&self, claim: &Claim) -> bool {
        turned(claim).iter().any(|claim| self.said.contains(claim))
    }

    /// Whether it follows.
    pub(super) fn implies(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Same(x, y) => self.same(x, y),
            Claim::OneOf(x, values) => self.one_of(x, values),
            Claim::OneOfArrays(x) => self.one_of_arrays(x),
            Claim::Diff(x, y, c) => self.at_most(x.as_deref(), y.as_deref(), *c),
            Claim::Ne(x, y) => {
                let below = |x: &str, y: &str| self.at_most(Some(x), Some(y), -1);
                below(x, y) || below(y, x) || self.disjoint(x, y) || self.alike(claim)
            }
            Claim::NonZero(x) => self.non_zero(x),
            Claim::Divides(x, y) => self.divides(x, y) || self.alike(claim),
            Claim::Linear(terms, constant) => {
                self.in_span(terms, *constant) || self.is_shift(terms, *constant)
            }
            Claim::TextLe(x, strict, y) => self.text_order(x, *strict, y) || self.alike(claim),
            Claim::ElementsOneOf(a, values) => {
                self.elements_of(a).is_some_and(|known| known.iter().all(|v| values.contains(v)))
            }
            Claim::ElementsNonZero(a) => {
                self.elements_of(a).is_some_and(|known| !known.contains(&"null".to_owned()))
                    || self.alike(claim)
            }
            Claim::ElementsAre(a, x) => match (self.elements_of(a), self.value(x)) {
                (Some(items), Some(value)) => items == [value],
                _ => self.alike(claim),
            },
            Claim::Member(x, a) => self.member(x, a) || self.alike(claim),
            Claim::ArrayLe(x, false, y) => {
                let strict = Claim::ArrayLe(x.clone(), true, y.clone());
                self.same(x, y)
                    || self.alike(&strict)
                    || self.alike(claim)
                    || self.all_null_first(x, y)
            }
            Claim::Reversed(x, y) => self.uniform(x, y) || self.alike(claim),
            Claim::Threshold(..) | Claim::ArrayLe(..) => self.alike(claim),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.table.terms.iter().position(|term| term == name)
    }

    fn class_of(&self, name: &str) -> Option<usize> {
        self.place(name).map(|place| self.class[place])
    }

    /// Names of terms that are the same.
    fn names(&self, name: &str) -> Vec<&'a str> {
        let class = self.class_of(name);
        let fits = |place: &usize| Some(self.class[*place]) == class;
        (0..self.table.terms.len()).filter(fits).map(|i| self.table.terms[i].as_str()).collect()
    }

    /// The same claim is told about terms that are the same.
    fn alike(&self, claim: &Claim) -> bool {
        let canonical = |claim: &Claim| self.renamed(claim);
        let goals: Vec<Claim> = turned(claim).iter().map(canonical).collect();
        self.told.iter().any(|told| goals.contains(&canonical(told)))
    }

    fn renamed(&self, claim: &Claim) -> Claim {
        let name = |name: &String| {
            self.class_of(name).map_or_else(|| name.clone(), |i| self.table.terms[i].clone())
        };
        match claim {
            Claim::NonZero(x) => Claim::NonZero(name(x)),
            Claim::Ne(x, y) => Claim::Ne(name(x), name(y)),
            Claim::Divides(x, y) => Claim::Divides(name(x), name(y)),
            Claim::TextLe(x, strict, y) => Claim::TextLe(name(x), *strict, name(y)),
            Claim::ElementsNonZero(x) => Claim::ElementsNonZero(name(x)),
            Claim::ElementsAre(x, y) => Claim::ElementsAre(name(x), name(y)),
            Claim::Member(x, y) => Claim::Member(name(x), name(y)),
            Claim::ArrayLe(x, strict, y) => Claim::ArrayLe(name(x), *strict, name(y)),
            Claim::Reversed(x, y) => Claim::Reversed(name(x), name(y)),
            other => other.clone(),
        }
    }

    /// In a half of the calls a threshold is a bound.
    fn split_thresholds(&mut self) {
        let Some(Claim::OneOf(truth, values)) = self.table.condition.clone() else { return };
        let is_true = values == ["true"];
        let mut more = Vec::new();
        for told in &self.told {
            let Claim::Threshold(b, terms, is_at_least, c) = told else { continue };
            if *b != truth {
                continue;
            }
            let x = terms.iter().find(|(_, by)| *by > 0).map(|(name, _)| name.clone());
            let y = terms.iter().find(|(_, by)| *by < 0).map(|(name, _)| name.clone());
            more.push(match (is_at_least, is_true) {
                (true, true) => Claim::Diff(y, x, -c),
                (true, false) => Claim::Diff(x, y, c - 1),
                (false, true) => Claim::Diff(x, y, *c),
                (false, false) => Claim::Diff(y, x, -c - 1),
            });
        }
        self.told.extend(more);
    }

    fn unite(&mut self) {
        for claim in self.told.clone() {
            if let Claim::Same(x, y) = claim
                && let (Some(x), Some(y)) = (self.place(&x), self.place(&y))
            {
                self.join(x, y);
            }
        }
        self.unite_constants();
    }

    /// Terms with the same only value are the same.
    fn unite_constants(&mut self) {
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        for claim in self.told.clone() {
            let Claim::OneOf(x, values) = claim else { continue };
            let ([value], Some(place)) = (&values[..], self.place(&x)) else { continue };
            if value != "object" {
                let key = (self.table.kinds[place].clone(), value.clone());
                let first = *known.entry(key).or_insert(place);
                self.join(first, place);
            }
        }
    }

    fn join(&mut self, x: usize, y: usize) {
        let (x, y) = (self.class[x], self.class[y]);
        if x == y {
            return;
        }
        for class in &mut self.class {
            if *class == x.max(y) {
                *class = x.min(y);
            }
        }
        let parts = &self.table.parts;
        let same = |a: usize, b: usize| self.class[a] == self.class[b];
        let pairs = parts.iter().flat_map(|p| parts.iter().map(move |q| (p, q)));
        let alike: Vec<(usize, usize)> = pairs
            .filter(|((i, p), (j, q))| {
                i < j
                    && !same(**i, **j)
                    && match (p, q) {
                        (Part::Length(a), Part::Length(b)) => same(*a, *b),
                        (Part::Element(a, i), Part::Element(b, j)) => same(*a, *b) && same(*i, *j),
                        _ => false,
                    }
            })
            .map(|((i, _), (j, _))| (*i, *j))
            .collect();
        for (i, j) in alike {
            self.join(i, j);
        }
    }

    /// All differences that follow.
    fn measure(&mut self) {
        let size = self.table.terms.len() + 1;
        self.bounds = vec![vec![None; size]; size];
        for i in 0..size {
            self.bounds[i][i] = Some(0);
        }
        for (place, part) in &self.table.parts {
            if matches!(part, Part::Length(_)) {
                self.tighten(size - 1, self.class[*place], 0);
            }
        }
        for claim in self.told.clone() {
            match claim {
                Claim::Diff(x, y, c) => {
                    let at = |name: &Option<String>| match name {
                        Some(name) => self.class_of(name),
                        None => Some(size - 1),
                    };
                    if let (Some(x), Some(y)) = (at(&x), at(&y)) {
                        self.tighten(x, y, c);
                    }
                }
                Claim::Linear(terms, constant) => self.shift(&terms, constant),
                Claim::OneOf(x, values) => {
                    let ints: Vec<i64> = values.iter().filter_map(|v| v.parse().ok()).collect();
                    if let (Some(x), Some(low), Some(high)) =
                        (self.class_of(&x), ints.iter().min(), ints.iter().max())
                    {
                        self.tighten(x, size - 1, *high);
                        self.tighten(size - 1, x, -low);
                    }
                }
                _ => {}
            }
        }
        for k in 0..size {
            for i in 0..size {
                for j in 0..size {
                    if let (Some(a), Some(b)) = (self.bounds[i][k], self.bounds[k][j]) {
                        self.tighten(i, j, a + b);
                    }
                }
            }
        }
    }

    fn tighten(&mut self, x: usize, y: usize, c: i64) {
        if self.bounds[x][y].is_none_or(|known| c < known) {
            self.bounds[x][y] = Some(c);
        }
    }

    /// `x == y + c`
    fn shift(&mut self, terms: &[(String, i64)], constant: i64) {
        let [(x, a), (y, b)] = terms else { return };
        if *a == -b
            && a.abs() == 1
            && let (Some(x), Some(y)) = (self.class_of(x), self.class_of(y))
        {
            self.tighten(x, y, -constant * a);
            self.tighten(y, x, constant * a);
        }
    }

    /// `x == y + c` by differences from both sides.
    fn is_shift(&self, terms: &[(String, i64)], constant: i64) -> bool {
        let [(x, a), (y, b)] = terms else { return false };
        let c = -constant / a;
        *a == -b
            && constant % a == 0
            && self.at_most(Some(x), Some(y), c)
            && self.at_most(Some(y), Some(x), -c)
    }

    fn at_most(&self, x: Option<&str>, y: Option<&str>, c: i64) -> bool {
        let zero = self.table.terms.len();
        let at = |name: Option<&str>| name.map_or(Some(zero), |name| self.class_of(name));
        let (Some(x), Some(y)) = (at(x), at(y)) else { return false };
        self.bounds[x][y].is_some_and(|known| known <= c)
    }

    fn same(&self, x: &str, y: &str) -> bool {
        let both = self.at_most(Some(x), Some(y), 0) && self.at_most(Some(y), Some(x), 0);
        let value = self.value(x).filter(|value| value != "object");
        self.class_of(x) == self.class_of(y)
            || both
            || (value.is_some() && value == self.value(y))
            || self.uniform(x, y)
    }

    /// Arrays of the same length whose elements are all the same.
    fn uniform(&self, x: &str, y: &str) -> bool {
        let items = self.elements_of(x).filter(|items| items.len() == 1);
        let lengths = self.length(x).zip(self.length(y));
        let same_length = lengths.is_some_and(|(a, b)| a == b || self.same(&a, &b));
        let is_empty = |array: &str| {
            self.length(array).and_then(|length| self.value(&length)) == Some("0".into())
        };
        (items.is_some() && items == self.elements_of(y) && same_length)
            || (is_empty(x) && is_empty(y))
    }

    fn length(&self, array: &str) -> Option<String> {
        let place = self.place(array)?;
        let length = self.table.parts.iter().find(|(_, part)| **part == Part::Length(place));
        length.map(|(i, _)| self.table.terms[*i].clone())
    }

    /// What a term can be, if it is told.
    fn values(&self, x: &str) -> Option<Vec<String>> {
        let names = self.names(x);
        let known = self.told.iter().find_map(|told| match told {
            Claim::OneOf(y, values) if names.contains(&y.as_str()) => Some(values.clone()),
            _ => None,
        });
        let of_elements = || self.in_arrays(x).iter().find_map(|array| self.elements_of(array));
        known.or_else(of_elements).or_else(|| {
            let zero = self.table.terms.len();
            let x = self.class_of(x)?;
            let (high, low) = (self.bounds[x][zero]?, self.bounds[zero][x]?);
            (high == -low).then(|| vec![high.to_string()])
        })
    }

    /// The only value of a term.
    fn value(&self, x: &str) -> Option<String> {
        self.values(x).filter(|values| values.len() == 1).and_then(|mut values| values.pop())
    }

    fn one_of(&self, x: &str, values: &[String]) -> bool {
        self.values(x).is_some_and(|known| known.iter().all(|value| values.contains(value)))
    }

    fn one_of_arrays(&self, x: &str) -> bool {
        let names = self.names(x);
        let told =
            |told: &Claim| matches!(told, Claim::OneOfArrays(y) if names.contains(&y.as_str()));
        let length = self.length(x).and_then(|length| self.values(&length));
        let few = length.is_some_and(|lengths| lengths.len() <= 3);
        self.told.iter().any(told)
            || (few && self.elements_of(x).is_some_and(|items| items.len() == 1))
            || self.length(x).and_then(|length| self.value(&length)) == Some("0".into())
    }

    /// Arrays that a term is an element of.
    fn in_arrays(&self, x: &str) -> Vec<String> {
        let class = self.class_of(x);
        let parts = self.table.parts.iter().filter(|(i, _)| Some(self.class[**i]) == class);
        let arrays = parts.filter_map(|(_, part)| match part {
            Part::Element(array, _) => Some(self.table.terms[*array].clone()),
            Part::Length(_) => None,
        });
        arrays.collect()
    }

    fn elements_of(&self, array: &str) -> Option<Vec<String>> {
        let names = self.names(array);
        self.told.iter().find_map(|told| match told {
            Claim::ElementsOneOf(a, values) if names.contains(&a.as_str()) => Some(values.clone()),
            _ => None,
        })
    }

    fn disjoint(&self, x: &str, y: &str) -> bool {
        match (self.values(x), self.values(y)) {
            (Some(a), Some(b)) => !a.contains(&"object".into()) && a.iter().all(|v| !b.contains(v)),
            _ => false,
        }
    }

    fn non_zero(&self, x: &str) -> bool {
        let is_null = |value: &String| value == "null" || value == "0";
        self.at_most(Some(x), None, -1)
            || self.at_most(None, Some(x), -1)
            || self.values(x).is_some_and(|values| !values.iter().any(is_null))
            || self.alike(&Claim::NonZero(x.to_owned()))
            || self
                .in_arrays(x)
                .iter()
                .any(|array| self.implies(&Claim::ElementsNonZero(array.clone())))
    }

    fn divides(&self, x: &str, y: &str) -> bool {
        let one = self.value(y).is_some_and(|value| value == "1" || value == "-1");
        one || (self.non_zero(y) && (self.same(x, y) || self.value(x) == Some("0".into())))
    }

    fn text_order(&self, x: &str, strict: bool, y: &str) -> bool {
        if !strict && (self.same(x, y) || self.value(x) == Some("null".into())) {
            return true;
        }
        let (Some(a), Some(b)) = (self.values(x), self.values(y)) else { return false };
        // `null` comes before all texts.
        let key = |text: &String| if text == "null" { String::new() } else { text.clone() };
        let before =
            |a: &String, b: &String| if strict { key(a) < key(b) } else { key(a) <= key(b) };
        a.iter().all(|a| b.iter().all(|b| before(a, b)))
    }

    /// An array of nulls comes before any that is as long.
    fn all_null_first(&self, x: &str, y: &str) -> bool {
        let lengths = self.length(x).zip(self.length(y));
        self.elements_of(x) == Some(vec!["null".into()])
            && lengths.is_some_and(|(a, b)| self.at_most(Some(&a), Some(&b), 0))
    }

    fn member(&self, x: &str, a: &str) -> bool {
        let class = self.class_of(a);
        let is_element = self.in_arrays(x).iter().any(|array| self.class_of(array) == class);
        let filled = self.length(a).is_some_and(|length| self.at_most(None, Some(&length), -1));
        let only = self.elements_of(a).filter(|items| items.len() == 1);
        is_element
            || (filled && only.is_some() && only.map(|mut items| items.remove(0)) == self.value(x))
    }

    fn equations(&mut self) {
        let row = |terms: &[(String, i64)], constant: i64| self.row(terms, constant);
        let mut equations: Vec<Vec<i128>> = Vec::new();
        for told in &self.told {
            match told {
                Claim::Linear(terms, constant) => equations.extend(row(terms, *constant)),
                Claim::OneOf(x, values) => {
                    if let [value] = &values[..]
                        && let Ok(value) = value.parse::<i64>()
                    {
                        equations.extend(row(&[(x.clone(), 1)], -value));
                    }
                }
                _ => {}
            }
        }
        for term in 0..self.table.terms.len() {
            let name = &self.table.terms[term];
            if let Some(value) = self.value(name).and_then(|value| value.parse::<i64>().ok()) {
                equations.extend(row(&[(name.clone(), 1)], -value));
            }
        }
        self.equations = equations;
    }

    /// An equation by classes, the constant last.
    fn row(&self, terms: &[(String, i64)], constant: i64) -> Option<Vec<i128>> {
        let mut row = vec![0; self.table.terms.len() + 1];
        for (name, by) in terms {
            row[self.class_of(name)?] += i128::from(*by);
        }
        *row.last_mut()? = i128::from(constant);
        Some(row)
    }

    /// Whether an equation is a sum of those told.
    fn in_span(&self, terms: &[(String, i64)], constant: i64) -> bool {
        let Some(goal) = self.row(terms, constant) else { return false };
        let mut rows: BTreeMap<usize, Vec<i128>> = BTreeMap::new();
        for equation in &self.equations {
            let rest = reduced(equation.clone(), &rows);
            if let Some(pivot) = rest.iter().position(|by| *by != 0) {
                rows.insert(pivot, rest);
            }
        }
        reduced(goal, &rows).iter().all(|by| *by == 0)
    }
}

/// What is left of an equation after taking away multiples of others.
fn reduced(mut row: Vec<i128>, rows: &BTreeMap<usize, Vec<i128>>) -> Vec<i128> {
    for (pivot, known) in rows {
        if row[*pivot] != 0 {
            let (a, b) = (row[*pivot], known[*pivot]);
            for (value, known) in row.iter_mut().zip(known) {
                *value = *value * b - known * a;
            }
            let common = row.iter().fold(0, |common, value| gcd(common, *value));
            if common > 1 {
                for value in &mut row {
                    *value /= common;
                }
            }
        }
    }
    row
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The ways to write the same.
fn turned(claim: &Claim) -> Vec<Claim> {
    match claim {
        Claim::Same(x, y) => vec![claim.clone(), Claim::Same(y.clone(), x.clone())],
        Claim::Ne(x, y) => vec![claim.clone(), Claim::Ne(y.clone(), x.clone())],
        Claim::Reversed(x, y) => vec![claim.clone(), Claim::Reversed(y.clone(), x.clone())],
        _ => vec![claim.clone()],
    }
}
