//! Values that can be read from sequences and from what is given, by what they look like.

use std::collections::BTreeMap;

use gainsay_wire::{Arithmetic, Binder, Comparison, Expr, Function, Value};

use crate::{
    clamped::lesser,
    forms::{elements, len},
    source::{Kind, Sequence, Sources},
};

/// The most constants that are tried.
const MOST_CONSTANTS: usize = 2;

/// What a value looks like from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// `None`, which tells nothing of what else there may be.
    Nothing,
    /// `Some` of such a value.
    Some(Kind),
    /// `Ok` of what looks like that.
    Ok(Box<Reading>),
    /// `Err` of what looks like that.
    Err(Box<Reading>),
    /// Such a value.
    Plain(Kind),
}

impl Reading {
    pub(crate) fn of(value: &Value) -> Reading {
        match value {
            Value::Opt(None) => Reading::Nothing,
            Value::Opt(Some(inside)) => Reading::Some(Kind::of(inside)),
            Value::Res(true, inside) => Reading::Ok(Box::new(Reading::of(inside))),
            Value::Res(false, inside) => Reading::Err(Box::new(Reading::of(inside))),
            other => Reading::Plain(Kind::of(other)),
        }
    }
}

/// What a value of that look may be.
pub(crate) fn of(reading: &Reading, sequences: &[Sequence], sources: &Sources) -> Vec<Expr> {
    let options = |kind: &Kind| -> Vec<Expr> {
        sequences.iter().flat_map(|sequence| options(kind, sequence, sources)).collect()
    };
    let inside = |kind: &Kind| -> Vec<Expr> {
        let read = options(kind).into_iter().map(plainly);
        let mut all: Vec<Expr> = sources.elements(kind).chain(read).collect();
        let pairs = sources.entries(kind).into_iter();
        all.extend(pairs.map(|(key, value)| Expr::Tuple(vec![key, value])));
        if *kind == Kind::One(Value::Int(0).kind()) {
            all.extend(sequences.iter().flat_map(|sequence| numbers(sequence, sources)));
        }
        all
    };
    match reading {
        Reading::Nothing => Vec::new(),
        Reading::Some(kind) => {
            options(kind).into_iter().chain(inside(kind).into_iter().map(Expr::some)).collect()
        }
        Reading::Ok(reading) => {
            let inside = of(reading, sequences, sources).into_iter();
            inside.map(|of| Expr::Ok(Box::new(of))).collect()
        }
        Reading::Err(reading) => {
            let inside = of(reading, sequences, sources).into_iter();
            inside.map(|of| Expr::Err(Box::new(of))).collect()
        }
        Reading::Plain(kind) => inside(kind),
    }
}

/// The values that come most often, where they come again and again.
pub(crate) fn constants(values: &[Value]) -> Vec<Expr> {
    let mut counts: BTreeMap<&Value, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut common: Vec<(&Value, usize)> =
        counts.into_iter().filter(|(value, count)| *count > 2 && is_tellable(value)).collect();
    common.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    common.truncate(MOST_CONSTANTS);
    common.into_iter().map(|(value, _)| Expr::Const(value.clone())).collect()
}

/// Whether a reader learns anything from the constant.
fn is_tellable(value: &Value) -> bool {
    match value {
        Value::Opt(inside) => inside.is_none(),
        Value::Res(_, inside) => !matches!(**inside, Value::Object),
        _ => false,
    }
}

/// `s[n]` for `get(s, n).unwrap()`.
fn plainly(option: Expr) -> Expr {
    match option {
        Expr::Call(Function::Get, mut args) if args.len() == 2 => {
            let at = args.remove(1);
            args.remove(0).index(at)
        }
        other => other.unwrapped(),
    }
}

/// Options of such values that a sequence gives.
fn options(kind: &Kind, sequence: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = sequence.expr();
    let Some(items) = &sequence.items else { return Vec::new() };
    let mut found = Vec::new();
    if items == kind {
        found.extend(at_places(&s, sources));
        for x in elements(sequence, sources) {
            let with = s.clone().concat(x.single());
            found.extend(
                [Function::Least, Function::Greatest].map(|end| Expr::call(end, [with.clone()])),
            );
        }
    }
    if *kind == Kind::One(Value::Int(0).kind()) {
        let sought = elements(sequence, sources).into_iter();
        found.extend(sought.map(|x| Expr::call(Function::IndexOf, [s.clone(), x])));
    }
    if let Some(pair) = items.pair() {
        found.extend(of_map(kind, (&s, items), pair, sources));
    }
    found
}

/// What a map gives: keys, values and pairs at places and by key.
fn of_map(
    kind: &Kind,
    (s, items): (&Expr, &Kind),
    (key, value): (&Kind, &Kind),
    sources: &Sources,
) -> Vec<Expr> {
    let of = |function| Expr::call(function, [s.clone()]);
    let mut found = Vec::new();
    for sought in sources.elements(key) {
        if value == kind {
            found.push(Expr::call(Function::Lookup, [s.clone(), sought.clone()]));
        }
        if *kind == Kind::One(Value::Int(0).kind()) {
            found.push(Expr::call(Function::IndexOf, [of(Function::Keys), sought.clone()]));
        }
        let is_key = Expr::Bound(0).part(0).compare(Comparison::Eq, sought);
        let pairs = s.clone().each(Binder::Filter, is_key);
        if items == kind {
            found.push(Expr::call(Function::First, [pairs]));
        } else if key == kind && key != value {
            found.push(Expr::call(Function::First, [Expr::call(Function::Keys, [pairs])]));
        }
    }
    if key == kind {
        found.extend(at_places(&of(Function::Keys), sources));
    }
    if value == kind {
        found.extend(at_places(&of(Function::Values), sources));
    }
    found
}

/// Elements at positions that are given, and at the ends.
fn at_places(s: &Expr, sources: &Sources) -> Vec<Expr> {
    let mut found = Vec::new();
    for n in &sources.numbers {
        found.push(Expr::call(Function::Get, [s.clone(), n.clone()]));
        let back = len(s).plus(-1).arithmetic(Arithmetic::Sub, n.clone());
        found.push(Expr::call(Function::Get, [s.clone(), back]));
    }
    let ends = [Function::First, Function::Last, Function::Least, Function::Greatest];
    found.extend(ends.map(|end| Expr::call(end, [s.clone()])));
    found
}

/// Numbers that a sequence gives.
fn numbers(sequence: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = sequence.expr();
    let mut found = vec![len(&s)];
    for n in &sources.numbers {
        found.push(len(&s).arithmetic(Arithmetic::Sub, n.clone()));
    }
    for n in sources.bounds() {
        found.push(lesser(len(&s), n.clone()));
    }
    for other in sources.sequences.iter().filter(|other| other.term > sequence.term) {
        found.push(lesser(len(&s), len(&other.expr())));
    }
    for x in elements(sequence, sources) {
        found.push(Expr::call(Function::Count, [s.clone(), x]));
    }
    found
}
