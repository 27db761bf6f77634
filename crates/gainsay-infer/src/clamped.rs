//! Sequences that keep at most so many elements: what bounded containers and partial reads and
//! writes leave.

use gainsay_wire::{Arithmetic, Expr, Function};

use crate::{
    forms,
    source::{Sequence, Sources},
};

/// What a sequence may have become where there is not room for all.
pub(crate) fn sequences(base: &Sequence, sources: &Sources) -> Vec<Expr> {
    let s = base.expr();
    let others = forms::others(base, sources);
    let mut forms = Vec::new();
    for n in sources.bounds() {
        forms.extend([last(&s, forms::len(&s), n), first(&s, forms::len(&s), n)]);
        forms.push(s.clone().slice(Some(lesser(n.clone(), forms::len(&s))), None));
        for t in &others {
            let (whole, len) = (s.clone().concat(t.clone()), total(&s, t));
            forms.extend([last(&whole, len.clone(), n), first(&whole, len, n)]);
            forms.push(s.clone().concat(first(t, forms::len(t), n)));
        }
        for x in forms::elements(base, sources).iter().filter(|x| *x != n) {
            let more = n.clone().arithmetic(Arithmetic::Sub, forms::len(&s));
            forms.push(s.clone().concat(Expr::call(Function::Repeat, [x.clone(), more])));
            forms.push(Expr::call(Function::Repeat, [x.clone(), n.clone()]));
        }
    }
    for t in &others {
        let taken = lesser(forms::len(t), forms::len(&s));
        forms.push(s.clone().slice(Some(taken), None));
    }
    forms
}

/// The lesser of two numbers.
pub(crate) fn lesser(a: Expr, b: Expr) -> Expr {
    Expr::call(Function::Min, [a, b])
}

fn total(s: &Expr, t: &Expr) -> Expr {
    forms::len(s).arithmetic(Arithmetic::Add, forms::len(t))
}

/// The last `most` elements, or all.
fn last(s: &Expr, len: Expr, most: &Expr) -> Expr {
    let surplus = len.arithmetic(Arithmetic::Sub, most.clone());
    s.clone().slice(Some(Expr::call(Function::Max, [Expr::int(0), surplus])), None)
}

/// The first `most` elements, or all.
fn first(s: &Expr, len: Expr, most: &Expr) -> Expr {
    s.clone().slice(None, Some(lesser(len, most.clone())))
}
