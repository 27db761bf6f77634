//! Sequences that can be made of other sequences and of what is given, the simplest first.
//!
//! Each is an expression; whether a sequence after the call equals it is for others to find out.

use gainsay_wire::{Arithmetic, Binder, Comparison, Expr, Function, Value};

use crate::source::{Sequence, Sources};

/// What a sequence may have become, with `base` as what it was.
pub(crate) fn sequences(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let mut forms = vec![base.expr()];
    forms.extend(ends(base, sources));
    forms.extend(joined(base, sources));
    forms.extend(at_positions(base, sources));
    forms.extend(arranged(base, sources));
    forms.extend(by_key(base, sources));
    forms.extend(as_sets(base, sources));
    forms
}

/// What a new sequence may be a copy or a part of.
pub(crate) fn parts(base: &Sequence) -> Vec<Expr> {
    let is_map = base.items.as_ref().is_some_and(|items| items.pair().is_some());
    let of_map = [Function::Keys, Function::Values].map(|part| Expr::call(part, [base.expr()]));
    of_map.into_iter().filter(|_| is_map).collect()
}

pub(crate) fn empty() -> Expr {
    Expr::Const(Value::Seq(Vec::new()))
}

fn call<const N: usize>(function: Function, args: [&Expr; N]) -> Expr {
    Expr::call(function, args.into_iter().cloned())
}

pub(crate) fn len(of: &Expr) -> Expr {
    Expr::Len(Box::new(of.clone()))
}

/// One element more or less at an end.
fn ends(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let mut forms = vec![empty()];
    let tail = s.clone().slice(Some(Expr::int(1)), None);
    let head = s.clone().slice(None, Some(len(&s).plus(-1)));
    for x in elements(base, sources) {
        forms.push(s.clone().concat(x.clone().single()));
        forms.push(x.clone().single().concat(s.clone()));
        // Where there is no more room, one has to go.
        forms.push(tail.clone().concat(x.clone().single()));
        forms.push(x.single().concat(head.clone()));
    }
    forms.extend([tail, head]);
    forms
}

/// Two sequences as one.
fn joined(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let mut forms = Vec::new();
    for t in others(base, sources) {
        forms.push(t.clone());
        forms.push(s.clone().concat(t.clone()));
        forms.push(t.clone().concat(s.clone()));
        for n in &sources.numbers {
            let (head, tail) = (upto(&s, n), from(&s, n));
            forms.push(head.concat(t.clone()).concat(tail));
        }
        // What is new of the other, in its order.
        let new = call(Function::Contains, [&s, &Expr::Bound(0)]).negated();
        forms.push(s.clone().concat(t.each(Binder::Filter, new)));
    }
    forms
}

fn upto(s: &Expr, n: &Expr) -> Expr {
    s.clone().slice(None, Some(n.clone()))
}

fn from(s: &Expr, n: &Expr) -> Expr {
    s.clone().slice(Some(n.clone()), None)
}

/// What is done at positions that are given.
fn at_positions(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let mut forms = Vec::new();
    for n in &sources.numbers {
        forms.extend([upto(&s, n), from(&s, n), call(Function::Remove, [&s, n])]);
        for x in elements(base, sources).iter().filter(|x| *x != n) {
            forms.push(call(Function::Insert, [&s, n, x]));
            forms.push(call(Function::Put, [&s, n, x]));
            let more = n.clone().arithmetic(Arithmetic::Sub, len(&s));
            forms.push(s.clone().concat(call(Function::Repeat, [x, &more])));
            forms.push(s.clone().concat(call(Function::Repeat, [x, n])));
        }
        forms.push(call(Function::SwapRemove, [&s, n]));
        // The first one takes the place of the one that goes.
        forms.push(from(&call(Function::Swap, [&s, &Expr::int(0), n]), &Expr::int(1)));
        forms.push(call(Function::Rotate, [&s, n]));
        forms.push(call(Function::Rotate, [&s, &len(&s).arithmetic(Arithmetic::Sub, n.clone())]));
        for m in sources.numbers.iter().filter(|m| *m != n) {
            forms.push(call(Function::Swap, [&s, n, m]));
            let between = s.clone().slice(Some(n.clone()), Some(m.clone()));
            forms.extend([between, upto(&s, n).concat(from(&s, m))]);
            // The element at `n` moves to `m`.
            let rest = call(Function::Remove, [&s, n]);
            forms.push(call(Function::Insert, [&rest, m, &s.clone().index(n.clone())]));
        }
    }
    forms
}

/// The same elements in another order, and those of sorted sequences.
fn arranged(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let sort = |of: Expr| Expr::call(Function::Sort, [of]);
    let mut forms: Vec<Expr> =
        [Function::Reverse, Function::Sort, Function::Dedup].map(|f| call(f, [&s])).into();
    for x in elements(base, sources) {
        forms.push(sort(s.clone().concat(x.clone().single())));
        let rest = call(Function::Without, [&s, &x]);
        forms.push(rest.clone().concat(x.clone().single()));
        forms.push(x.clone().single().concat(rest.clone()));
        forms.push(rest);
        let at = Expr::call(Function::IndexOf, [s.clone(), x]).unwrapped();
        forms.push(call(Function::Remove, [&s, &at]));
        forms.push(call(Function::SwapRemove, [&s, &at]));
    }
    for x in elements(base, sources) {
        forms.extend(split(&s, &Expr::Bound(0), &x));
    }
    for t in others(base, sources) {
        forms.push(sort(s.clone().concat(t)));
    }
    forms
}

/// What lies below, up to, above and from a limit.
fn split(s: &Expr, of: &Expr, limit: &Expr) -> [Expr; 4] {
    let sides = [Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge];
    sides.map(|op| s.clone().each(Binder::Filter, of.clone().compare(op, limit.clone())))
}

/// Entries of maps.
fn by_key(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let Some(items) = &base.items else { return Vec::new() };
    let Some((key, _)) = items.pair() else { return Vec::new() };
    let s = base.expr();
    let mut forms = Vec::new();
    for (key, value) in sources.entries(items) {
        let pair = Expr::Tuple(vec![key.clone(), value.clone()]);
        let with = call(Function::With, [&s, &key, &value]);
        forms.push(with.clone());
        for choice in [Function::Max, Function::Min] {
            let known = Expr::call(Function::Lookup, [s.clone(), key.clone()]).unwrapped();
            let best = Expr::call(choice, [known, value.clone()]);
            forms.push(call(Function::With, [&s, &key, &best]));
        }
        forms.push(Expr::call(Function::Sort, [with]));
        forms.push(s.clone().concat(pair.clone().single()));
        // In a new place.
        let rest = call(Function::Without, [&s, &key]);
        for n in &sources.numbers {
            forms.push(call(Function::Insert, [&s, n, &pair]));
            forms.push(call(Function::Insert, [&rest, n, &pair]));
        }
        forms.push(rest.clone().concat(pair.clone().single()));
        forms.push(pair.single().concat(rest));
    }
    for t in others(base, sources) {
        let merged = call(Function::Merge, [&s, &t]);
        forms.extend([merged.clone(), Expr::call(Function::Sort, [merged])]);
    }
    for key in sources.elements(key) {
        let rest = call(Function::Without, [&s, &key]);
        let value = Expr::call(Function::Lookup, [s.clone(), key.clone()]).unwrapped();
        let moved = Expr::Tuple(vec![key.clone(), value]).single();
        forms.extend([rest.clone(), rest.clone().concat(moved.clone()), moved.concat(rest)]);
        forms.extend(split(&s, &Expr::Bound(0).part(0), &key));
        let at = Expr::call(Function::IndexOf, [call(Function::Keys, [&s]), key]).unwrapped();
        forms.push(call(Function::SwapRemove, [&s, &at]));
    }
    forms
}

/// What two sequences have as sets, in one form and in the order of the first.
fn as_sets(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let mut forms = vec![call(Function::Set, [&s])];
    for x in elements(base, sources) {
        forms.push(Expr::call(Function::Union, [s.clone(), x.clone().single()]));
        forms.push(Expr::call(Function::Difference, [s.clone(), x.single()]));
    }
    for t in others(base, sources) {
        let operations =
            [Function::Union, Function::Intersection, Function::Difference, Function::Symmetric];
        forms.extend(operations.map(|operation| call(operation, [&s, &t])));
        let common = call(Function::Contains, [&t, &Expr::Bound(0)]);
        forms.push(s.clone().each(Binder::Filter, common.clone()));
        let ours = s.clone().each(Binder::Filter, common.negated());
        let known = call(Function::Contains, [&s, &Expr::Bound(0)]);
        forms.extend([ours.clone(), ours.concat(t.each(Binder::Filter, known.negated()))]);
    }
    forms
}

pub(crate) fn elements(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    base.items.iter().flat_map(|items| sources.elements(items)).collect()
}

/// Other sequences of the same elements; one that is always empty fits all.
pub(crate) fn others(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let fits = |other: &&Sequence| {
        (other.term.root, other.term.query.is_some()) != (base.term.root, base.term.query.is_some())
            && (other.items == base.items || other.items.is_none() || base.items.is_none())
    };
    sources.sequences.iter().filter(fits).map(Sequence::expr).collect()
}
