//! The catalogue of templates, written from the code that fills them: `docs/templates.md`.

use std::fmt::Write as _;

use gainsay_wire::{Expr, Names, Point, Term, Value, When, expr_text};

use crate::{
    clamped, forms,
    readings::{self, Reading},
    source::{Given, Kind, Sequence, Sources},
};

/// Families whose templates are few, by hand: name, templates, what is asked of them.
const FAMILIES: [(&str, &str, &str); 18] = [
    (
        "Panics",
        "`panics when A`",
        "A held before every call that panicked at one place, and before no passing call; A is a condition of the list below",
    ),
    ("Boolean", "`b`, `!b`, `x.is_none()`, `x.is_err()`", "the same on all calls"),
    ("Constant", "`x == c`", "numbers, texts, characters, elements and orderings"),
    (
        "Bound",
        "`x >= 1`, `x >= 0`, `x < 0`, `x <= 0`",
        "at least three values; never what the type guarantees",
    ),
    (
        "One of few",
        "<code>result == a &#124;&#124; result == b</code>",
        "at most three values, each at least five times",
    ),
    (
        "Equality, order",
        "`a == b`, `a < b`, `a <= b`",
        "two terms of one kind that vary; no accident by the counts of their values",
    ),
    ("Change", "`x == old(x) + c`", "by the same amount on all calls, or under a condition by one"),
    (
        "Linear",
        "`x == a + b - c + 1`",
        "at most three terms with factors up to four, numbers before the call and lengths of what is given, found by an exact integer null-space",
    ),
    ("Frame", "`v == old(v)`", "views that the call could have changed"),
    (
        "Result",
        "`result == v`, `result == old(v)`, `result.is_some() ==> result.unwrap() == v`",
        "what is returned is a view or an argument",
    ),
    (
        "Compared",
        "`result <=> s == t`, `result <=> s < t`, `result <=> subset(s, t)`, `result == cmp(s, t)`, `result == Some(cmp(s, t))`",
        "what comparing two objects gives is what comparing their elements does; the result varies, and not by chance alike",
    ),
    (
        "Taken",
        "`old(s) == s ++ [result.unwrap()]`, `old(s) == [result.unwrap()] ++ s`, `permutation(old(s), s ++ [result.unwrap()])`",
        "under `result.is_some()`, with the frame under `result.is_none()`",
    ),
    (
        "Kinship",
        "`prefix`, `suffix`, `set(s) == set(old(s))`, `set(s) == union(old(s), t)`, `subsequence`, `subset`",
        "the strongest that always holds between a sequence and what it was, where no model fits",
    ),
    ("Floor", "`a >= old(b) + n`", "a number of an object, after calls that had to raise it"),
    (
        "Variant",
        "`result.variant() == \"A\" <=> C`",
        "when a call makes one of two or three variants: a condition on the elements before it",
    ),
    ("Halves", "`result.0 ++ result.1 == s`", "a pair of sequences that together are one"),
    (
        "Membership",
        "`contains(s, result)`, `s[result] == x`",
        "where nothing stronger is known of the result",
    ),
    (
        "Equivalence, implication",
        "`C <=> A`, `A ==> C`",
        "A before the call, C after it; both sides vary, and no accident by how often they hold",
    ),
];

/// The page.
pub fn templates() -> String {
    let mut page = String::from(HEAD);
    for (name, templates, asked) in FAMILIES {
        let _ = writeln!(page, "| {name} | {templates} | {asked} |");
    }
    page += MODELS;
    let (plain, map) = (plain(), map());
    list(&mut page, "Of a sequence", &forms::sequences(&plain.sequences[0], &plain));
    let clamped = clamped::sequences(&plain.sequences[0], &plain);
    list(&mut page, "Of a sequence with room for so many, where no other fits", &clamped);
    let own: Vec<Expr> = forms::sequences(&map.sequences[0], &map);
    let shared = forms::sequences(&plain.sequences[0], &plain);
    let new: Vec<Expr> = own.into_iter().filter(|form| !shared.contains(form)).collect();
    list(&mut page, "Of a map, beside those", &new);
    page += RESULTS;
    let elem = Kind::One(Value::Elem(0).kind());
    let int = Kind::One(Value::Int(0).kind());
    let read = |reading: &Reading, sources: &Sources| {
        readings::of(reading, &sources.sequences[..1], sources)
    };
    list(&mut page, "`Option` of an element", &read(&Reading::Some(elem.clone()), &plain));
    list(&mut page, "An element", &read(&Reading::Plain(elem.clone()), &plain));
    list(&mut page, "A number", &read(&Reading::Plain(int), &plain));
    list(&mut page, "`Option` of a map's value", &read(&Reading::Some(elem), &map));
    page += TAIL;
    page
}

const HEAD: &str = "# Templates\n
<!-- Written by the test `the_catalogue_of_templates_is_what_is_filled_in`; see there. -->\n
What contracts are made of. A template is filled with the terms of an operation; what no observed call
contradicts, and what is no accident, is a candidate; what does not follow from another is a contract.
[contracts.md](contracts.md) tells the language.\n
| family | templates | asked of it |\n|---|---|---|\n";

const MODELS: &str = "
## Models

What a sequence after the call may be made from: what it was (here `old(self.seq())`), other sequences
(`other.seq()`), and what is given (`value`, `key`, `index`). The first that is always right is taken. Where
none is, the smallest condition, or conjunction of two, that tells which of two or three is right makes
*cases*: `old(self.is_full()) ==> self.seq() == old(self.seq())` and `!old(self.is_full()) ==> …`. Where no case
is complete either, the same in any order, as `permutation(self.seq(), …)`.
";

const RESULTS: &str = "
## Readings

What a result may be, by its kind: read from a sequence, before or after the call, and from what is given. Tuples
are taken apart; so are options and results, under the condition that something is inside.
";

const TAIL: &str = "
## Conditions

What may decide between cases, imply, or make a call panic: truth values and tests of views before the call,
numbers that are zero, comparisons of what is given with numbers of an object and of two numbers of one object,
and membership: `s == []`, `contains(s, x)`, `contains(keys(m), k)`, `n < len(s)`, `n <= len(s)`, `r.0 <= r.1`,
`subset(s, t)`, `intersection(s, t) == []`, `s == t`. Between cases also what the result tells.
";

fn names() -> Names {
    let operands = ["self", "other", "value", "index", "key"];
    Names::new(operands.iter().map(|name| ((*name).to_owned(), ["self", "other"].contains(name))))
}

fn list(page: &mut String, title: &str, forms: &[Expr]) {
    let _ = writeln!(page, "\n{title}:\n");
    for form in forms {
        let _ = writeln!(page, "- `{}`", expr_text(form, &names(), Point::Exit));
    }
}

fn given(operand: u32, value: &Value) -> Given {
    Given { expr: Expr::term(Term::operand(operand)), kind: Kind::of(value) }
}

fn sequences(items: &Kind) -> Vec<Sequence> {
    let of = |operand| Sequence {
        term: Term::query(When::Before, operand, "seq"),
        items: Some(items.clone()),
    };
    vec![of(0), of(1)]
}

fn plain() -> Sources {
    let elem = Value::Elem(0);
    Sources {
        sequences: sequences(&Kind::of(&elem)),
        values: vec![given(2, &elem)],
        numbers: vec![Expr::term(Term::operand(3))],
        limits: vec![Expr::term(Term::query(When::Before, 0, "capacity"))],
    }
}

fn map() -> Sources {
    let (key, value) = (Value::Str(String::new()), Value::Elem(0));
    let items = Kind::Tuple(vec![Kind::of(&key), Kind::of(&value)]);
    Sources {
        sequences: sequences(&items),
        values: vec![given(4, &key), given(2, &value)],
        numbers: vec![Expr::term(Term::operand(3))],
        limits: vec![Expr::term(Term::query(When::Before, 0, "capacity"))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `GAINSAY_BLESS=1 cargo test -p gainsay-infer catalogue` writes the page anew.
    #[test]
    fn the_catalogue_of_templates_is_what_is_filled_in() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/templates.md");
        if std::env::var_os("GAINSAY_BLESS").is_some() {
            std::fs::write(path, templates()).unwrap();
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(page == templates(), "docs/templates.md is not what the code says");
    }
}
