//! Values for plain operands: literals that the operation was called with, and values at the
//! borders of the clauses that speak of them.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{
    Expr, IntegerType, ManifestParam, OpId, PlainType, Root, Scope, Term, Truth, Value, evaluate,
    from_bytes, truth,
};
use rusqlite::params;

use super::TupleScope;
use crate::{Store, StoreError};

/// Combinations that are looked at for one choice of objects.
// Four values for each of four operands. An operation with more plain operands is rare.
const COMBINATIONS: usize = 256;
/// Combinations that are taken when clauses speak of values.
// Where a clause speaks of values, several satisfy it in different ways; more would crowd out other
// objects.
const TAKEN: usize = 3;
/// Values of another operand that this one may have to equal.
// The first are the shortest, which most calls were made with.
const OTHERS: usize = 4;
/// Elements from the beginning of a sequence.
// The ends of a sequence are where operations go wrong; the middle is like the rest.
const FIRST: usize = 4;

/// Proposes values for the plain operands of one operation.
#[derive(Debug)]
pub(crate) struct Proposals {
    operands: Vec<PlainOperand>,
    clauses: Vec<Expr>,
    /// All of them.
    all: Expr,
    has_objects: bool,
    /// Counts tuples, so that successive ones get different values where anything goes.
    turn: usize,
}

#[derive(Debug)]
struct PlainOperand {
    position: u32,
    ty: PlainType,
    literals: Vec<Value>,
}

/// Values for plain operands beside what is known of objects.
struct Proposed<'a> {
    values: &'a BTreeMap<u32, Value>,
    scope: &'a TupleScope,
}

impl Scope for Proposed<'_> {
    fn value(&self, term: &Term) -> &Value {
        let proposed = match (term.root, &term.query) {
            (Root::Operand(position), None) => self.values.get(&position),
            _ => None,
        };
        proposed.unwrap_or_else(|| self.scope.value(term))
    }
}

impl Proposals {
    pub(crate) fn new(store: &Store, op: OpId, clauses: &[Expr]) -> Result<Proposals, StoreError> {
        let params = &store.campaign()?.manifest.ops[op.0 as usize].params;
        let mut operands = Vec::new();
        for (position, param) in (0..).zip(params) {
            if let ManifestParam::Plain(ty) = param {
                let literals = store.literals(op, position)?;
                operands.push(PlainOperand { position, ty: ty.clone(), literals });
            }
        }
        let has_objects = operands.len() < params.len();
        let (clauses, all) = (clauses.to_vec(), Expr::And(clauses.to_vec()));
        Ok(Proposals { operands, clauses, all, has_objects, turn: 0 })
    }

    /// Values by operand for objects whose views are in `scope`: those that satisfy the clauses
    /// first, then those of which it cannot be told, never those that do not.
    pub(crate) fn propose(&mut self, scope: &TupleScope) -> Vec<BTreeMap<u32, Value>> {
        let columns: Vec<Vec<Value>> =
            self.operands.iter().map(|operand| self.candidates(operand, scope)).collect();
        let lengths: Vec<usize> = columns.iter().map(Vec::len).collect();
        let (mut sure, mut open) = (Vec::new(), Vec::new());
        for mut pick in super::diverse(&lengths, COMBINATIONS) {
            for (at, (length, operand)) in pick.iter_mut().zip(lengths.iter().zip(&self.operands)) {
                if !self.is_bound(operand.position) {
                    *at = (*at + self.turn) % length;
                }
            }
            let values: BTreeMap<u32, Value> = (self.operands.iter().map(|o| o.position))
                .zip(pick.iter().zip(&columns).map(|(&at, values)| values[at].clone()))
                .collect();
            match self.judge(&values, scope) {
                Truth::True => sure.push(values),
                Truth::Undefined => open.push(values),
                Truth::False => {}
            }
        }
        self.turn += 1;
        sure.extend(open);
        if self.has_objects {
            sure.truncate(if self.clauses.is_empty() { 1 } else { TAKEN });
        }
        sure
    }

    fn judge(&self, values: &BTreeMap<u32, Value>, scope: &TupleScope) -> Truth {
        truth(&self.all, &Proposed { values, scope })
    }

    fn is_bound(&self, position: u32) -> bool {
        self.clauses.iter().any(|clause| mentions(clause, position))
    }

    fn candidates(&self, operand: &PlainOperand, scope: &TupleScope) -> Vec<Value> {
        let mut candidates = Vec::new();
        for clause in self.clauses.iter().filter(|clause| mentions(clause, operand.position)) {
            if let Some(range) = operand.ty.as_integer().map(IntegerType::range) {
                let borders = borders(clause, scope).into_iter();
                let fits = borders.filter(|value| range.contains(value)).map(Value::Int);
                let others = self.others(clause, operand);
                let others = others.filter(|it| it.as_int().is_some_and(|it| range.contains(&it)));
                candidates.extend(fits.chain(others));
            } else {
                let known = operand.literals.first();
                let example = known.cloned().unwrap_or_else(|| default_value(&operand.ty));
                let found = elements(clause, operand.position, scope).into_iter();
                let others = self.others(clause, operand);
                candidates.extend(found.chain(others).filter(|value| is_like(value, &example)));
            }
        }
        if self.is_bound(operand.position) {
            candidates.extend(operand.literals.iter().cloned());
        } else {
            // Tuples get one after the other, and there may be few of them: not at the end.
            let (first, rest) = operand.literals.split_at(operand.literals.len().min(2));
            candidates.extend(first.iter().cloned().chain(extremes(&operand.ty)));
            candidates.extend(rest.iter().cloned());
        }
        if candidates.is_empty() {
            candidates.push(default_value(&operand.ty));
        }
        let mut seen = BTreeSet::new();
        candidates.retain(|value| seen.insert(value.clone()));
        candidates
    }

    /// Values of the other operands that a clause speaks of.
    fn others<'a>(
        &'a self,
        clause: &'a Expr,
        operand: &'a PlainOperand,
    ) -> impl Iterator<Item = Value> + 'a {
        let others = self.operands.iter().filter(|it| it.position != operand.position);
        let others = others.filter(|it| mentions(clause, it.position));
        others.flat_map(|it| it.literals.iter().take(OTHERS).cloned())
    }
}

fn mentions(clause: &Expr, position: u32) -> bool {
    let mut found = false;
    clause.each_term(&mut |term| {
        found |= term.with == Some(position) || term.root == Root::Operand(position);
    });
    found
}

/// Integers at which a clause may change its mind: what it compares with, its constants and the
/// values of its terms, each with its neighbours.
fn borders(clause: &Expr, scope: &TupleScope) -> Vec<i128> {
    let mut middles = Vec::new();
    if let Expr::Compare(_, a, b) = clause {
        middles.extend([a, b].into_iter().filter_map(|side| evaluate(side, scope).as_int()));
    }
    middles.extend(constants(clause));
    clause.each_term(&mut |term| match scope.value(term) {
        Value::Seq(items) => middles.extend(some_elements(items).filter_map(Value::as_int)),
        other => middles.extend(other.as_int()),
    });
    let around = |middle: &i128| [*middle, middle.saturating_sub(1), middle.saturating_add(1)];
    let mut borders: Vec<i128> = middles.iter().flat_map(around).collect();
    // Zero is a border of most operations, whether a clause names it or not.
    borders.push(0);
    borders
}

fn constants(expr: &Expr) -> Vec<i128> {
    match expr {
        Expr::Const(Value::Int(value)) => vec![*value],
        Expr::Compare(_, a, b)
        | Expr::Arithmetic(_, a, b)
        | Expr::Implies(a, b)
        | Expr::Iff(a, b) => [constants(a), constants(b)].concat(),
        Expr::Not(of) | Expr::Len(of) => constants(of),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().flat_map(constants).collect(),
        _ => Vec::new(),
    }
}

/// Constants of a clause that are compared with the operand, and elements of the objects that it
/// is asked about, with one that is not among them.
fn elements(clause: &Expr, position: u32, scope: &TupleScope) -> Vec<Value> {
    let mut asked = BTreeSet::new();
    clause.each_term(&mut |term| {
        if term.with == Some(position) || matches!(scope.value(term), Value::Seq(_)) {
            asked.insert(term.root);
        }
    });
    let mut elements = Vec::new();
    for (term, value) in &scope.values {
        if let (true, Value::Seq(items)) = (asked.contains(&term.root), value) {
            elements.extend(some_elements(items).cloned());
            let keys = items.iter().flat_map(with_parts).filter_map(|item| match item {
                Value::Elem(key) => Some(*key),
                _ => None,
            });
            elements.extend(keys.max().map(|key| Value::Elem(key.saturating_add(1))));
        }
    }
    if let Expr::Compare(_, a, b) = clause {
        let constant = |side: &Expr| match side {
            Expr::Const(value) => Some(value.clone()),
            _ => None,
        };
        elements.extend([constant(a), constant(b)].into_iter().flatten());
    }
    elements
}

/// The first elements and the last, with their parts.
fn some_elements(items: &[Value]) -> impl Iterator<Item = &Value> {
    let last = items.get(FIRST..).and_then(<[Value]>::last);
    items.iter().take(FIRST).chain(last).flat_map(with_parts)
}

/// An element, and its parts if it is a pair: those of a map are asked about by their keys.
fn with_parts(item: &Value) -> impl Iterator<Item = &Value> {
    let parts = match item {
        Value::Tuple(parts) => &parts[..],
        _ => &[],
    };
    std::iter::once(item).chain(parts)
}

/// Tells if a value can stand where another one stood: a call with anything else would be recorded
/// with an argument that it was not made with.
fn is_like(value: &Value, example: &Value) -> bool {
    match (value, example) {
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_like(a, b))
        }
        _ => std::mem::discriminant(value) == std::mem::discriminant(example),
    }
}

/// Integers that no operation can be asked for in earnest: the greatest, and the first beyond what
/// the signed type of the same size holds. They cost nothing, unlike sizes that are merely large.
fn extremes(ty: &PlainType) -> Vec<Value> {
    let Some(range) = ty.as_integer().map(IntegerType::range) else { return Vec::new() };
    let (least, greatest) = (*range.start(), *range.end());
    let other = if least < 0 { least } else { greatest / 2 + 1 };
    [greatest, other].map(Value::Int).to_vec()
}

fn default_value(ty: &PlainType) -> Value {
    match ty {
        PlainType::Bool => Value::Bool(false),
        PlainType::Char => Value::Char('a'),
        PlainType::Text => Value::Str(String::new()),
        PlainType::F32 | PlainType::F64 => Value::Float(0.0),
        PlainType::Probe => Value::Elem(0),
        PlainType::Integer(_) => Value::Int(0),
        _ => Value::Unit,
    }
}

impl Store {
    /// Values that an operation was called with at a position.
    fn literals(&self, op: OpId, position: u32) -> Result<Vec<Value>, StoreError> {
        let op = self.campaign()?.op_row(op)?;
        let find = "SELECT bytes FROM literal WHERE operation = ?1 AND position = ?2
             ORDER BY length(bytes), digest";
        let mut statement = self.connection.prepare_cached(find)?;
        let rows = statement.query_map(params![op, position], |row| row.get::<_, Vec<u8>>(0))?;
        rows.map(|bytes| Ok(from_bytes(&bytes?)?)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_the_ends_of_a_type_and_where_sizes_overflow() {
        let check = |key: &str, expected: &[i128]| {
            let expected: Vec<Value> = expected.iter().copied().map(Value::Int).collect();
            assert_eq!(extremes(&key.into()), expected, "{key}");
        };
        check("u8", &[255, 128]);
        check("i8", &[127, -128]);
        check("usize", &[i128::from(u64::MAX), 1 << 63]);
        check("String", &[]);
    }

    #[test]
    fn elements_of_a_map_are_its_keys_and_values_where_the_operand_is_such_a_one() {
        let pair = Value::Tuple(vec![Value::Elem(1), Value::Elem(7)]);
        let seq = Term::query(gainsay_wire::When::Before, 0, "seq");
        let asked = Term::relation(gainsay_wire::When::Before, 0, "contains_key", 1);
        let values = [(seq, Value::Seq(vec![pair.clone()]))].into_iter().collect();
        let found = elements(&Expr::Term(asked), 1, &TupleScope { values });
        let fitting = |example: Value| -> Vec<Value> {
            found.iter().filter(|value| is_like(value, &example)).cloned().collect()
        };
        assert_eq!(fitting(Value::Elem(0)), [1, 7, 8].map(Value::Elem));
        assert_eq!(fitting(pair.clone()), [pair]);
        assert_eq!(fitting(Value::Unit), []);
    }

    fn plain(position: u32, key: &str, literals: &[Value]) -> PlainOperand {
        PlainOperand { position, ty: key.into(), literals: literals.to_vec() }
    }

    #[test]
    fn an_argument_may_equal_another_that_was_never_given_in_its_place() {
        let check = |key: &str, mine: Value, other: Value| {
            let operands = vec![plain(0, key, &[mine]), plain(1, key, &[other])];
            let equal = Expr::term(Term::operand(0)).equals(Expr::term(Term::operand(1)));
            let clauses = vec![equal];
            let all = Expr::And(clauses.clone());
            let mut proposals = Proposals { operands, clauses, all, has_objects: true, turn: 0 };
            let found = proposals.propose(&TupleScope::default());
            assert!(!found.is_empty(), "{key}");
            assert!(found.iter().all(|values| values[&0] == values[&1]), "{found:?}");
        };
        check("Probe", Value::Elem(3), Value::Elem(8));
        check("String", Value::Str("a".into()), Value::Str("b".into()));
        check("usize", Value::Int(300), Value::Int(800));
    }
}
