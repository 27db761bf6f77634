//! Type invariants: what is true of every object of a type, before and after every call. They are
//! shown once per type and not again at its operations.

use std::collections::BTreeSet;

use gainsay_wire::{
    Comparison, Expr, Function, Manifest, ManifestOp, ManifestParam, Mode, Observation, OpId,
    Outcome, Root, Term, Test, TypeId, Value, When,
};

use crate::{
    Samples,
    bits::Bits,
    chance::{Strictly, ln_ordered},
    column::Column,
    linear,
    numeric::null_space::NullSpace,
    relation::is_sequence,
    states::objects,
    table::Table,
};

/// The most states of a type that are looked at; those of the shortest recipes come first.
const MOST_STATES: usize = 4_000;
/// The fewest distinct states.
const LEAST_STATES: usize = 10;
/// The fewest states in which a fact could have failed.
const LEAST_AT_RISK: usize = 5;
/// An order that would come about by chance as often is no fact (as a logarithm).
const LN_CHANCE: f64 = -9.0;
/// So many rows more than what a sum is fitted to.
const SPARE_ROWS: usize = 6;

/// A fact about every object of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The type.
    pub ty: TypeId,
    /// The fact, over the views of one object, written as a state at entry of `self`.
    pub expr: Expr,
    /// Distinct states in which it could have failed.
    pub states: u64,
}

impl Invariant {
    /// What it says after calls of an operation, of each object that the call can have changed or
    /// made.
    pub fn after(&self, op: &ManifestOp) -> Vec<Expr> {
        let operands = (0..).zip(&op.params).filter_map(|(i, param)| match param {
            ManifestParam::Object(ty, Mode::Mut) if *ty == self.ty => Some(Root::Operand(i)),
            _ => None,
        });
        let made = (0..).zip(&op.makes).filter(|(_, ty)| **ty == self.ty);
        let roots = operands.chain(made.map(|(i, _)| Root::Made(i)));
        let said = |root: Root| {
            self.expr.map_terms(&|term| Term { root, when: When::After, ..term.clone() })
        };
        roots.map(said).collect()
    }
}

/// The invariants of all types.
pub fn invariants(manifest: &Manifest, samples: &Samples) -> Vec<Invariant> {
    let types = (0..).map(TypeId).zip(&manifest.types);
    types.flat_map(|(ty, _)| of_type(manifest, samples, ty)).collect()
}

fn of_type(manifest: &Manifest, samples: &Samples, ty: TypeId) -> Vec<Invariant> {
    let names: Vec<&str> = manifest.state_queries(ty).map(|query| query.name.as_str()).collect();
    let terms: Vec<Term> = names.iter().map(|name| Term::query(When::Before, 0, name)).collect();
    let states = states(manifest, samples, ty, &terms);
    if states.len() < LEAST_STATES {
        return Vec::new();
    }
    let places: Vec<(usize, Term)> = terms.into_iter().enumerate().collect();
    let table = Table::new(&places, states.iter().enumerate(), |_| ());
    let facts = Facts { table: &table };
    let mut found = facts.of_elements();
    let (truths, numbers) = (facts.of_truths(&found), facts.of_numbers(&found));
    found.extend(truths.into_iter().chain(numbers));
    let with = |(expr, states): (Expr, usize)| Invariant { ty, expr, states: states as u64 };
    found.into_iter().map(with).collect()
}

/// The distinct states of a type as rows.
fn states(manifest: &Manifest, samples: &Samples, ty: TypeId, terms: &[Term]) -> Vec<Observation> {
    let (mut seen, mut rows) = (BTreeSet::new(), Vec::new());
    for (op, calls) in samples {
        let places = objects(manifest, *op).into_iter();
        for (_, _, views) in places.filter(|(of, with, _)| *of == ty && with.is_none()) {
            let places: Vec<Option<usize>> = terms
                .iter()
                .map(|term| views.iter().find(|(view, _)| view == term).map(|(_, at)| *at))
                .collect();
            for call in calls.iter().filter(|call| call.outcome.returned()) {
                let value = |at: &Option<usize>| at.and_then(|at| call.values.get(at)).cloned();
                let values: Vec<Value> =
                    places.iter().map(|at| value(at).unwrap_or(Value::Undefined)).collect();
                let is_gone = values.iter().all(Value::is_undefined);
                if !is_gone && rows.len() < MOST_STATES && seen.insert(values.clone()) {
                    rows.push(row(*op, values));
                }
            }
        }
    }
    rows
}

fn row(op: OpId, values: Vec<Value>) -> Observation {
    let (objects, made) = (Vec::new(), Vec::new());
    Observation { op, outcome: Outcome::Returned, values, objects, made, freed: Vec::new() }
}

/// Whether the elements tell a view.
fn is_told(column: &Column<'_>, told: &[Fact]) -> bool {
    let view = Expr::term(column.term.clone());
    told.iter().any(|(fact, _)| matches!(fact, Expr::Compare(_, of, _) if **of == view))
}

struct Facts<'t, 'a> {
    table: &'t Table<'a>,
}

/// A fact with the number of states in which it could have failed.
type Fact = (Expr, usize);

impl Facts<'_, '_> {
    fn expr(column: &Column<'_>) -> Expr {
        Expr::term(column.term.clone())
    }

    /// The fact if it always holds, and on enough states where `risk` holds.
    fn always(&self, fact: Expr, risk: &Expr) -> Option<Fact> {
        let (yes, known) = self.table.judge(&fact);
        let (at_risk, _) = self.table.judge(risk);
        let count = at_risk.and(&known).count();
        (yes == known && count >= LEAST_AT_RISK).then_some((fact, count))
    }

    /// Order and uniqueness of elements and keys, and what views tell of the elements.
    fn of_elements(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        for sequence in self.table.columns.iter().filter(|column| is_sequence(column)) {
            let s = Self::expr(sequence);
            let several = Expr::Len(Box::new(s.clone())).compare(Comparison::Gt, Expr::int(1));
            for fact in [Function::Distinct, Function::Sorted] {
                // What holds of the keys holds of the pairs.
                let of = [Expr::call(Function::Keys, [s.clone()]), s.clone()];
                let told = |of| self.always(Expr::call(fact, [of]), &several);
                found.extend(of.into_iter().find_map(told));
            }
            found.extend(self.views_of(&s, &several));
        }
        found
    }

    fn views_of(&self, s: &Expr, several: &Expr) -> Vec<Fact> {
        let mut found = Vec::new();
        for column in self.table.columns.iter().filter(|column| !is_sequence(column)) {
            let view = Self::expr(column);
            let ends = [Function::First, Function::Last, Function::Least, Function::Greatest];
            let claims: Vec<Expr> = match column.sample() {
                Some(Value::Int(_)) => vec![view.equals(Expr::Len(Box::new(s.clone())))],
                Some(Value::Opt(_)) => {
                    let of = |end| view.clone().equals(Expr::call(end, [s.clone()]));
                    ends.map(of).into()
                }
                _ => Vec::new(),
            };
            found.extend(claims.into_iter().find_map(|claim| self.always(claim, several)));
        }
        found
    }

    /// Truth values and tests that say the same as a number or another truth value.
    fn of_truths(&self, told: &[Fact]) -> Vec<Fact> {
        let mut found = Vec::new();
        let mut known: Vec<Expr> = Vec::new();
        for column in self.table.columns.iter().filter(|column| !is_told(column, told)) {
            let truth = match column.sample() {
                Some(Value::Bool(_)) => Self::expr(column),
                Some(Value::Opt(_)) => Expr::Test(Test::IsNone, Box::new(Self::expr(column))),
                _ => continue,
            };
            let meanings = known.iter().cloned().chain(self.comparisons());
            let mut same = meanings.filter_map(|meaning| self.equivalent(&truth, &meaning));
            match same.next() {
                Some(fact) => found.push(fact),
                None => known.push(truth),
            }
        }
        found
    }

    /// Both, and both ways often enough.
    fn equivalent(&self, truth: &Expr, meaning: &Expr) -> Option<Fact> {
        let fact = truth.clone().iff(meaning.clone());
        let (yes, known) = self.table.judge(&fact);
        let (true_, _) = self.table.judge(truth);
        let [a, b] = [true_.and(&known).count(), known.minus(&true_).count()];
        let told = a.min(b) > 0 && a.max(b) >= LEAST_AT_RISK;
        (yes == known && told).then(|| (fact, known.count()))
    }

    /// `n == 0` and `n == m`, for numbers.
    fn comparisons(&self) -> Vec<Expr> {
        let numbers: Vec<Expr> = self.numbers().iter().map(|column| Self::expr(column)).collect();
        let zero = numbers.iter().map(|number| number.clone().equals(Expr::int(0)));
        let mut found: Vec<Expr> = zero.collect();
        for (at, a) in numbers.iter().enumerate() {
            found.extend(numbers[at + 1..].iter().map(|b| a.clone().equals(b.clone())));
        }
        found
    }

    fn numbers(&self) -> Vec<&Column<'_>> {
        let columns = self.table.columns.iter();
        columns.filter(|column| column.ints().is_some() && !column.is_constant()).collect()
    }

    /// Sums that hold between numbers, then orders between those that are left.
    fn of_numbers(&self, told: &[Fact]) -> Vec<Fact> {
        let mut numbers = self.numbers();
        // One of those that count the elements stands for all.
        let mut counts = numbers.iter().filter(|column| is_told(column, told));
        let first = counts.next().map(|column| column.term.clone());
        numbers.retain(|column| !is_told(column, told) || Some(&column.term) == first.as_ref());
        let mut found = self.constants();
        let (sums, free) = self.sums(&numbers);
        found.extend(sums);
        let mut below: Vec<(usize, usize)> = Vec::new();
        for &a in &free {
            for &b in &free {
                if a != b && is_below(numbers[a], numbers[b]) {
                    below.push((a, b));
                }
            }
        }
        for (a, b) in &below {
            let between = |c: &usize| below.contains(&(*a, *c)) && below.contains(&(*c, *b));
            if !free.iter().any(between) {
                let [x, y] = [*a, *b].map(|at| Self::expr(numbers[at]));
                let states = numbers[*a].known.and(&numbers[*b].known).count();
                found.push((x.compare(Comparison::Le, y), states));
            }
        }
        found
    }

    /// Numbers that are the same in all states.
    fn constants(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        for column in &self.table.columns {
            if let (Some(value @ Value::Int(_)), 1) = (column.sample(), column.distinct) {
                let fact = Self::expr(column).equals(Expr::Const(value));
                found.push((fact, column.known.count()));
            }
        }
        found
    }

    /// Each number that others determine, and the places of those that are free.
    fn sums(&self, numbers: &[&Column<'_>]) -> (Vec<Fact>, Vec<usize>) {
        let all = Bits::none(self.table.rows).not();
        let rows = numbers.iter().fold(all, |rows, column| rows.and(&column.known));
        let values = |column: &&Column<'_>| -> Vec<i64> {
            let ints = column.ints().unwrap_or_default();
            rows.rows().map(|row| i64::try_from(ints[row]).unwrap_or(i64::MAX)).collect()
        };
        let columns: Vec<Vec<i64>> = numbers.iter().map(values).collect();
        let mut space = NullSpace::new(columns.len());
        space.add(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let (mut found, mut free) = (Vec::new(), (0..numbers.len()).collect::<Vec<usize>>());
        let exprs: Vec<Expr> = numbers.iter().map(|column| Self::expr(column)).collect();
        for relation in space.relations() {
            let enough = rows.count() >= space.rank() + SPARE_ROWS;
            let Some(((at, 1), rest)) = relation.terms.split_last() else { continue };
            let Some(sum) = linear::sum_of(rest, relation.constant, &exprs).filter(|_| enough)
            else {
                continue;
            };
            free.retain(|number| number != at);
            found.push((exprs[*at].clone().equals(sum), rows.count()));
        }
        (found, free)
    }
}

fn is_below(a: &Column<'_>, b: &Column<'_>) -> bool {
    let (Some(x), Some(y)) = (a.ints(), b.ints()) else { return false };
    let both = a.known.and(&b.known);
    let of = |values: &[i128]| both.rows().map(|row| values[row]).collect::<Vec<_>>();
    both.count() >= LEAST_STATES
        && both.rows().all(|row| x[row] <= y[row])
        && ln_ordered(of(x), of(y), Strictly::OrEqual) < LN_CHANCE
}
