//! Whether what is given is in a sequence, a key of a map or a position in it, and how two
//! sequences lie to each other: conditions for types that have no query for it.

use gainsay_wire::{Comparison, Expr, Function};

use crate::{
    atom::{Atom, Shape},
    forms,
    source::{Sequence, Sources},
    table::Table,
};

/// Such conditions before a call.
pub(crate) fn atoms(table: &Table<'_>, sources: &Sources) -> Vec<Atom> {
    let mut found = Vec::new();
    for sequence in &sources.sequences {
        for expr in conditions(sequence, sources) {
            let (yes, known) = table.judge(&expr);
            found.push(Atom::new(expr, yes, known, Shape::Member, &sequence.term));
        }
    }
    found
}

/// What may be true of a sequence and what is given.
pub(crate) fn conditions(sequence: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = sequence.expr();
    let contains = |of: Expr, x: Expr| Expr::call(Function::Contains, [of, x]);
    let mut found = vec![s.clone().equals(forms::empty())];
    found.extend(forms::elements(sequence, sources).into_iter().map(|x| contains(s.clone(), x)));
    if let Some((key, _)) = sequence.items.as_ref().and_then(|items| items.pair()) {
        let keys = Expr::call(Function::Keys, [s.clone()]);
        found.extend(sources.elements(key).map(|key| contains(keys.clone(), key)));
    }
    for (from, to) in sources.ranges() {
        found.push(from.compare(Comparison::Le, to));
    }
    for number in &sources.numbers {
        found.push(number.clone().compare(Comparison::Lt, forms::len(&s)));
        found.push(number.clone().compare(Comparison::Le, forms::len(&s)));
    }
    for other in &sources.sequences {
        if other.term < sequence.term && other.items == sequence.items {
            found.extend(of_two(&s, &other.expr()));
            found.push(s.clone().equals(other.expr()));
        }
    }
    found
}

/// What may be true of two sequences as sets.
pub(crate) fn of_two(s: &Expr, t: &Expr) -> [Expr; 3] {
    let call = |function, a: &Expr, b: &Expr| Expr::call(function, [a.clone(), b.clone()]);
    [
        call(Function::Subset, s, t),
        call(Function::Subset, t, s),
        call(Function::Intersection, s, t).equals(forms::empty()),
    ]
}
