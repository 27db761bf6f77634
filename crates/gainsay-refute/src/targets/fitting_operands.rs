//! Operands that fit each other: objects whose numbers meet or are one apart, or that hold the same,
//! values that are equal, and values that are inside an object, at its ends, or not in it.

use gainsay_store::{NumberView, SequenceView};
use gainsay_wire::{Expr, Function, ManifestParam, OpId, Term, TypeId, Value, When};

use crate::{
    Desk,
    error::Halt,
    round_state::Range,
    targets::boundaries::{is_integer, numbers},
};

/// Conditions that compare two objects.
const MOST_OF_OBJECTS: usize = 6;
/// Conditions that compare two values.
const MOST_OF_VALUES: usize = 4;
/// Conditions on a value and an object.
const MOST_INSIDE: usize = 8;

/// Conditions on several operands of an operation, each worth calling it in.
pub(crate) fn fitting(desk: &Desk<'_>, range: &mut Range, op: OpId) -> Result<Vec<Expr>, Halt> {
    let params = desk.manifest.ops.get(op.0 as usize).map_or(&[][..], |op| &op.params);
    let (mut objects, mut values) = (Vec::new(), Vec::new());
    for (at, param) in (0..).zip(params) {
        match param {
            ManifestParam::Object(ty, _) => objects.push((at, *ty)),
            ManifestParam::Plain(key) => values.push((at, key.as_str())),
        }
    }
    let mut between = Vec::new();
    let mut inside = Vec::new();
    for (i, (at, ty)) in objects.iter().enumerate() {
        for (other, other_ty) in &objects[i + 1..] {
            let numbers = [numbers(desk, range, *ty)?, numbers(desk, range, *other_ty)?];
            between.extend(met(*at, *other, &numbers.each_ref().map(|it| &***it)));
            if ty == other_ty {
                let held = desk.store.sequences(*ty)?;
                between.extend(held.iter().map(|it| view(*at, it).equals(view(*other, it))));
            }
        }
        if !values.is_empty() {
            inside.extend(within(desk, (*at, *ty), &values)?);
        }
    }
    between.truncate(MOST_OF_OBJECTS);
    inside.truncate(MOST_INSIDE);
    let mut equal = equals(&values);
    equal.truncate(MOST_OF_VALUES);
    Ok([between, inside, equal].concat())
}

/// The same number of two objects, met or one apart.
fn met(a: u32, b: u32, [of_a, of_b]: &[&[NumberView]; 2]) -> Vec<Expr> {
    let mut found = Vec::new();
    for number in of_a.iter().filter(|it| of_b.iter().any(|other| other.query == it.query)) {
        let of = |operand| Expr::term(Term::query(When::Before, operand, &number.query));
        found.extend([0, 1, -1].map(|by| of(a).equals(of(b).plus(by))));
    }
    found
}

/// Values of one kind that are equal.
fn equals(values: &[(u32, &str)]) -> Vec<Expr> {
    let mut found = Vec::new();
    for (i, (a, key)) in values.iter().enumerate() {
        let alike = values[i + 1..].iter().filter(|(_, other)| other == key);
        let given = |operand: u32| Expr::term(Term::operand(operand));
        found.extend(alike.map(|(b, _)| given(*a).equals(given(*b))));
    }
    found
}

/// Values that are an object's first or last element or key, one of them, or none.
fn within(
    desk: &Desk<'_>,
    (object, ty): (u32, TypeId),
    values: &[(u32, &str)],
) -> Result<Vec<Expr>, Halt> {
    let mut found = Vec::new();
    for held in desk.store.sequences(ty)? {
        let all = view(object, &held);
        let all = match &held.element {
            Value::Tuple(_) => Expr::call(Function::Keys, [all]),
            _ => all,
        };
        let key = match &held.element {
            Value::Tuple(parts) => parts.first(),
            element => Some(element),
        };
        for (value, _) in values.iter().filter(|(_, kind)| key.is_some_and(|it| fits(it, kind))) {
            let given = || Expr::term(Term::operand(*value));
            let has = Expr::call(Function::Contains, [all.clone(), given()]);
            let at_end = |end| Expr::call(end, [all.clone()]).equals(given().some());
            found.extend([at_end(Function::First), at_end(Function::Last), has.negated(), has]);
        }
    }
    Ok(found)
}

fn view(operand: u32, of: &SequenceView) -> Expr {
    Expr::term(Term::query(When::Before, operand, &of.query))
}

/// Whether a value of this kind can be such an element.
fn fits(element: &Value, key: &str) -> bool {
    match element {
        Value::Int(_) => is_integer(key),
        Value::Elem(_) => key == "Probe",
        Value::Str(_) => key == "String",
        Value::Char(_) => key == "char",
        Value::Bool(_) => key == "bool",
        _ => false,
    }
}
