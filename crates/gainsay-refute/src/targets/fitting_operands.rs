//! Operands that fit each other: objects whose numbers meet or are one apart, or that hold the same,
//! values that are equal, and values that are inside an object, at its ends, or not in it.

use gainsay_store::{NumberView, SequenceView, StoreError};
use gainsay_wire::{Expr, Function, ManifestParam, OpId, PlainType, Term, TypeId, Value, When};

use crate::{
    Desk,
    targets::{boundaries::list_params, operation_targets::TargetCache},
};

/// Conditions that compare two objects: two numbers in three ways, or one number and two contents.
const MOST_OF_OBJECTS: usize = 6;
/// Conditions that compare two values. Few operations take more than three values of one kind.
const MOST_OF_VALUES: usize = 4;
/// Conditions on a value and an object: four for each of two views.
const MOST_INSIDE: usize = 8;

/// An operand that is an object.
#[derive(Clone, Copy)]
struct ObjectOperand {
    at: u32,
    ty: TypeId,
}

/// An operand that is a plain value.
#[derive(Clone, Copy)]
struct ValueOperand<'a> {
    at: u32,
    ty: &'a PlainType,
}

/// Conditions on several operands of an operation, each worth calling it in.
pub(crate) fn list_fitting(
    desk: &Desk<'_>,
    cache: &mut TargetCache,
    op: OpId,
) -> Result<Vec<Expr>, StoreError> {
    let (mut objects, mut values) = (Vec::new(), Vec::new());
    for (at, param) in (0..).zip(list_params(desk, op)) {
        match param {
            ManifestParam::Object(ty, _) => objects.push(ObjectOperand { at, ty: *ty }),
            ManifestParam::Plain(ty) => values.push(ValueOperand { at, ty }),
        }
    }
    let mut between = Vec::new();
    let mut inside = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        for other in &objects[i + 1..] {
            let numbers =
                [cache.find_numbers(desk, object.ty)?, cache.find_numbers(desk, other.ty)?];
            between.extend(list_near(*object, *other, &numbers.each_ref().map(|it| &***it)));
            if object.ty == other.ty {
                let held = desk.search.store.find_sequences(object.ty)?;
                let same =
                    |it| sequence_before(object.at, it).equals(sequence_before(other.at, it));
                between.extend(held.iter().map(same));
            }
        }
        if !values.is_empty() {
            inside.extend(list_inside(desk, *object, &values)?);
        }
    }
    between.truncate(MOST_OF_OBJECTS);
    inside.truncate(MOST_INSIDE);
    let mut equal = list_equal(&values);
    equal.truncate(MOST_OF_VALUES);
    Ok([between, inside, equal].concat())
}

/// The same number of two objects, met or one apart.
fn list_near(a: ObjectOperand, b: ObjectOperand, [of_a, of_b]: &[&[NumberView]; 2]) -> Vec<Expr> {
    let mut found = Vec::new();
    for number in of_a.iter().filter(|it| of_b.iter().any(|other| other.query == it.query)) {
        let number_of = |operand| Expr::term(Term::query(When::Before, operand, &number.query));
        found.extend([0, 1, -1].map(|by| number_of(a.at).equals(number_of(b.at).plus(by))));
    }
    found
}

/// Values of one kind that are equal.
fn list_equal(values: &[ValueOperand<'_>]) -> Vec<Expr> {
    let mut found = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let alike = values[i + 1..].iter().filter(|other| other.ty == value.ty);
        let given = |operand: u32| Expr::term(Term::operand(operand));
        found.extend(alike.map(|other| given(value.at).equals(given(other.at))));
    }
    found
}

/// Values that are an object's first or last element or key, one of them, or none.
fn list_inside(
    desk: &Desk<'_>,
    object: ObjectOperand,
    values: &[ValueOperand<'_>],
) -> Result<Vec<Expr>, StoreError> {
    let mut found = Vec::new();
    for held in desk.search.store.find_sequences(object.ty)? {
        let all = sequence_before(object.at, &held);
        // Maps show pairs; a value that fits is a key.
        let (all, key) = match &held.element {
            Value::Tuple(parts) => (Expr::call(Function::Keys, [all]), parts.first()),
            element => (all, Some(element)),
        };
        for value in values.iter().filter(|it| key.is_some_and(|key| fits_type(key, it.ty))) {
            let given = || Expr::term(Term::operand(value.at));
            let has = Expr::call(Function::Contains, [all.clone(), given()]);
            let at_end = |end| Expr::call(end, [all.clone()]).equals(given().some());
            found.extend([at_end(Function::First), at_end(Function::Last), has.negated(), has]);
        }
    }
    Ok(found)
}

fn sequence_before(operand: u32, of: &SequenceView) -> Expr {
    Expr::term(Term::query(When::Before, operand, &of.query))
}

/// True if a value of this type can be such an element.
fn fits_type(element: &Value, ty: &PlainType) -> bool {
    matches!(
        (element, ty),
        (Value::Int(_), PlainType::Integer(_))
            | (Value::Elem(_), PlainType::Probe)
            | (Value::Str(_), PlainType::Text)
            | (Value::Char(_), PlainType::Char)
            | (Value::Bool(_), PlainType::Bool)
    )
}
