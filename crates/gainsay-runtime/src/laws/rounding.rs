//! Parts of a number, and what is round already. Only numbers can tell whether a type means it so.

use std::any::Any;

use gainsay_wire::{FloatForm, IntegerType, LawId, OpId, Standing, TypeId, Value};

use super::{
    Law,
    numbers::{Numbers, is_apart},
    scene::{Method, Scene, Takes, methods, op_of_one},
};
use crate::table::PlainEntry;
use crate::world::World;

/// Turns of which a second one changes nothing.
const ONCE: [&str; 9] =
    ["trunc", "floor", "ceil", "round", "normalize", "normalized", "abs", "reduced", "canonical"];
/// Turns to so many digits.
const TO_DIGITS: [&str; 3] = ["round_dp", "round_to", "trunc_with_scale"];
/// So many digits are asked for.
const DIGITS: [u32; 5] = [0, 1, 3, 20, 40];
/// Operations that tell a number as one of the language.
const FLOATS: [(&str, FloatForm); 4] = [
    ("to_f64", FloatForm::To),
    ("as_f64", FloatForm::As),
    ("from", FloatForm::From),
    ("try_from", FloatForm::TryFrom),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let of = Numbers { world, ty };
    if of.entry().eq.is_none() || of.entry().clone.is_none() {
        return Vec::new();
    }
    let mut laws: Vec<Law> = ONCE.iter().filter_map(|name| once(of, name)).collect();
    for method in methods(world, ty) {
        if TO_DIGITS.contains(&method.name) && method.entry.makes == [ty] {
            laws.extend(to_digits(&method));
        }
    }
    laws.extend(parts(of));
    laws.extend(floats(of));
    laws
}

fn law(
    id: LawId,
    op: OpId,
    rule: impl Fn(Numbers<'_>, &dyn Any) -> Option<bool> + Send + Sync + 'static,
) -> Law {
    let rule = move |scene: &Scene<'_>| {
        scene.with(|x| rule(Numbers { world: scene.world, ty: scene.ty }, x))
    };
    Law::one(id, Standing::Guess, rule).blaming(op)
}

/// Whether two numbers are equal and look alike.
fn is_alike(of: Numbers<'_>, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    Some(of.same(x, y, of.size(x, y))? && of.text(x) == of.text(y))
}

/// `f(f(x)) == f(x)`
fn once(of: Numbers<'_>, name: &str) -> Option<Law> {
    let op = of.turn(name)?;
    Some(
        law(LawId::TwiceIsOnce { method: name.to_owned() }, op, move |of, x| {
            let first = of.made(op, &[x], &[])?;
            is_alike(of, &*of.made(op, &[&*first], &[])?, &*first)
        })
        .costly(),
    )
}

/// Types in which numbers of digits are given.
const DIGIT_COUNTS: [IntegerType; 6] = [
    IntegerType::U32,
    IntegerType::Usize,
    IntegerType::U8,
    IntegerType::U64,
    IntegerType::I64,
    IntegerType::I32,
];

/// Rounding to so many digits, twice, and where there are no more digits already.
fn to_digits(method: &Method<'_>) -> Vec<Law> {
    let Takes::Plain(PlainEntry::Integer(ty)) = method.takes else { return Vec::new() };
    if !DIGIT_COUNTS.contains(&ty) {
        return Vec::new();
    }
    let (name, op) = (method.name, method.op);
    let twice = law(LawId::TwiceIsOnce { method: name.to_owned() }, op, move |of, x| {
        for_digits(|digits| {
            let digits = [Value::Int(digits.into())];
            let first = of.made(op, &[x], &digits)?;
            is_alike(of, &*of.made(op, &[&*first], &digits)?, &*first)
        })
    });
    let leaves = law(LawId::LeavesWhatIsRound { method: name.to_owned() }, op, move |of, x| {
        let has = digits_of(&of.text(x)?)?;
        for_digits(|digits| {
            (has <= digits).then_some(())?;
            is_alike(of, &*of.made(op, &[x], &[Value::Int(digits.into())])?, x)
        })
    });
    let mut laws = vec![twice.costly()];
    // Others may fill up with zeros.
    if name.starts_with("round") {
        laws.push(Law { standing: Standing::Convention, ..leaves.costly() });
    }
    laws
}

/// Asks for some numbers of digits.
fn for_digits(asked: impl Fn(u32) -> Option<bool>) -> Option<bool> {
    let mut verdicts = DIGITS.into_iter().filter_map(asked).peekable();
    verdicts.peek()?;
    Some(verdicts.all(|holds| holds))
}

/// How many digits follow the point of a plain number.
fn digits_of(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !whole.is_empty() && is_plain(whole) && is_plain(rest);
    is_number.then(|| u32::try_from(rest.len()).ok()).flatten()
}

/// `trunc`, `fract`, `is_integer` and `abs`.
fn parts(of: Numbers<'_>) -> Vec<Law> {
    let (trunc, fract, abs) = (of.turn("trunc"), of.turn("fract"), of.turn("abs"));
    let mut laws = Vec::new();
    if let (Some(trunc), Some(fract), Some(add)) = (trunc, fract, of.operators().add) {
        laws.push(law(LawId::TruncAndFractAreTheWhole, trunc, move |of, x| {
            let (whole, part) = (of.made(trunc, &[x], &[])?, of.made(fract, &[x], &[])?);
            of.same(&*add(&*whole, &*part), x, of.size(x, x))
        }));
    }
    if let (Some(fract), Some(is_integer)) = (fract, of.operation("is_integer")) {
        laws.push(law(LawId::IsIntegerAgreesWithFract, is_integer, move |of, x| {
            let (told, _) = of.called(is_integer, &[x], &[])?;
            Some(told.as_bool()? == (of.number(&*of.made(fract, &[x], &[])?)? == 0.0))
        }));
    }
    laws.extend(abs.map(|abs| {
        law(LawId::AbsIsNotNegative, abs, move |of, x| {
            of.is_negative(&*of.made(abs, &[x], &[])?).map(|is_negative| !is_negative)
        })
    }));
    laws
}

/// As a number of the language it is about what its text says.
fn floats(of: Numbers<'_>) -> Vec<Law> {
    let users = of.world.type_plan(of.ty).users.iter().copied();
    let mut laws: Vec<Law> = Vec::new();
    for op in users.clone() {
        let name = of.world.op(op).function();
        let form = FLOATS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form);
        let Some(form) = form.filter(|_| of.world.op(op).makes.is_empty()) else { continue };
        let is_float = matches!(form, FloatForm::To | FloatForm::As)
            || of.world.op(op).name.starts_with("f64 ");
        if !is_float || op_of_one(of.world, op, of.ty).is_none() {
            continue;
        }
        laws.push(law(LawId::FloatAgreesWithText { form }, op, move |of, x| {
            let (said, (told, _)) = (of.number(x)?, of.called(op, &[x], &[])?);
            let (told, unit) = (float(&told)?, unit_of(&of.text(x)?)?);
            Some(!is_apart(told, said, 0.0) || (told - said).abs() <= unit)
        }));
    }
    laws
}

/// What the last digit of a plain number counts: the rest may not have been printed.
fn unit_of(text: &str) -> Option<f64> {
    Some(0.1_f64.powi(i32::try_from(digits_of(text)?).ok()?))
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Opt(Some(value)) | Value::Res(true, value) => float(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::digits_of;

    #[test]
    fn digits_after_the_point_are_counted_in_plain_numbers_only() {
        assert_eq!(digits_of("-1.50"), Some(2));
        assert_eq!(digits_of("0"), Some(0));
        assert_eq!(digits_of("1e5"), None);
        assert_eq!(digits_of(".5"), None);
        assert_eq!(digits_of("inf"), None);
    }
}
