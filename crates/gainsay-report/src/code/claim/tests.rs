//! Contracts as Rust are compiled, run, and say what the evaluation of the contract says.

use gainsay_wire::{
    Function, Names, Point, Term, Truth, Value, Vocabulary, When, parse_expr, parse_value, truth,
};
use quote::format_ident;

use super::*;

/// Views with their values, as Rust has them.
const WORLD: [(&str, &str, &str); 8] = [
    ("self.seq()", "[3, 1, 2, 1]", "vec![3_i64, 1, 2, 1]"),
    ("old(self.seq())", "[3, 1, 2]", "vec![3_i64, 1, 2]"),
    ("self.map()", "[(1, 'a'), (2, 'b')]", "vec![(1_i64, 'a'), (2, 'b')]"),
    ("self.name()", "\"abc\"", "String::from(\"abc\")"),
    ("self.len()", "4", "4_usize"),
    ("result", "Some(1)", "Some(1_i64)"),
    ("value", "1", "1_i64"),
    ("index", "2", "2_usize"),
];

const CLAIMS: [&str; 41] = [
    "self.seq() == old(self.seq()) ++ [value]",
    "self.len() == len(self.seq()) && !(self.len() < 2)",
    "result.is_some() ==> result.unwrap() == value",
    "result == Some(value) <=> self.seq()[index] == 2",
    "result == get(self.seq(), index)",
    "first(self.seq()) == Some(3) && last(self.seq()) == Some(value)",
    "contains(self.seq(), value) && count(self.seq(), value) == 2",
    "index_of(self.seq(), value) == Some(1) && index_of(self.seq(), 9) == None",
    "reverse(old(self.seq())) == [2, 1, 3]",
    "sort(self.seq()) == [1, 1, 2, 3] && !sorted(self.seq())",
    "distinct(old(self.seq())) && !distinct(self.seq())",
    "permutation(self.seq(), [value] ++ old(self.seq()))",
    "subset(old(self.seq()), self.seq()) && subsequence([1, 1], self.seq())",
    "prefix(old(self.seq()), self.seq()) && !suffix(old(self.seq()), self.seq())",
    "rotate(old(self.seq()), 1) == [1, 2, 3]",
    "swap(old(self.seq()), 0, index) == [2, 1, 3]",
    "insert(old(self.seq()), 0, value) == [1, 3, 1, 2]",
    "remove(old(self.seq()), index) == [3, 1]",
    "swap_remove(old(self.seq()), 0) == [2, 1]",
    "put(old(self.seq()), index, value) == [3, 1, 1]",
    "dedup([1, 1, 2]) == [1, 2] && repeat(value, index) == [1, 1]",
    "least(self.seq()) == Some(1) && greatest(self.seq()) == Some(3)",
    "min(self.len(), index) == 2 && max(value, 5) == 5 && cmp(value, 5) == Less",
    "keys(self.map()) == [1, 2] && values(self.map()) == ['a', 'b']",
    "lookup(self.map(), value) == Some('a') && lookup(self.map(), 7) == None",
    "with(self.map(), value, 'z') == [(1, 'z'), (2, 'b')]",
    "merge(self.map(), [(3, 'c')]) == with(self.map(), 3, 'c')",
    "without(self.map(), value) == [(2, 'b')] && without(self.seq(), value) == [3, 2]",
    "set(self.seq()) == [1, 2, 3] && union(self.seq(), [0]) == [0, 1, 2, 3]",
    "intersection(self.seq(), [1, 9]) == [1] && difference(self.seq(), [1]) == [2, 3]",
    "symmetric(old(self.seq()), [1, 9]) == [2, 3, 9]",
    "chars(self.name()) == ['a', 'b', 'c'] && self.name() == \"abc\"",
    "self.seq()[..index] == [3, 1] && self.seq()[index..] == [2, 1]",
    "forall x in self.seq(): x == value || contains(old(self.seq()), x)",
    "exists x in old(self.seq()): x > 2",
    "forall i in 0..len(old(self.seq())): self.seq()[i] == old(self.seq())[i]",
    "(filter x in self.seq(): x != value) == [3, 2]",
    "(map x in self.map(): x.1) == values(self.map())",
    "forall k in keys(self.map()): k != value ==> lookup(self.map(), k) == Some('b')",
    "first(filter x in self.map(): x.0 == value) == Some((value, 'a'))",
    "index == 0 || index == 7 && 7 / 2 == 3 && 7 % 2 == 1 && 6 & 3 == 2",
];

fn names() -> Names {
    let operands = [("self", true), ("value", false), ("index", false)];
    Names::new(operands.map(|(name, object)| (name.to_owned(), object)))
}

fn term(text: &str) -> Term {
    match parse_expr(text, &names(), Point::Exit).unwrap() {
        Expr::Term(term) => term,
        other => panic!("{other:?} is no term"),
    }
}

/// The name of a term in the test program.
fn variable(wanted: &Term) -> Option<TokenStream> {
    let at = WORLD.iter().position(|(text, _, _)| term(text) == *wanted)?;
    let name = format_ident!("view{at}");
    Some(quote!(#name))
}

#[test]
fn a_claim_is_true_in_rust_exactly_when_the_contract_is() {
    let terms = WORLD.iter().map(|(text, _, _)| term(text)).collect();
    let vocabulary = Vocabulary::new(terms);
    let values: Vec<Value> =
        WORLD.iter().map(|(_, value, _)| parse_value(value).unwrap()).collect();
    let mut names_used = BTreeSet::new();
    let mut lines = TokenStream::new();
    for text in CLAIMS {
        let expr = parse_expr(text, &names(), Point::Exit).unwrap();
        let mut writer = Writer { term: &variable, helpers: BTreeSet::new(), bound: Vec::new() };
        let written = writer.value(&expr).unwrap_or_else(|| panic!("{text} has no Rust"));
        names_used.extend(writer.helpers);
        let expected = match truth(&expr, &(&vocabulary, &values[..])) {
            Truth::Undefined => panic!("{text} is undefined"),
            truth => truth == Truth::True,
        };
        lines.extend(quote!(assert_eq!(#written, #expected, #text);));
    }
    let lets = WORLD.iter().enumerate().map(|(at, (_, _, rust))| {
        let (name, value) = (format_ident!("view{at}"), super::super::tokens(rust));
        quote!(let #name = #value;)
    });
    let helpers = helpers(&names_used).unwrap();
    run(&quote!(#helpers fn main() { #(#lets)* #lines }).to_string());
    // Every function of the language is among the claims, but those on numbers alone.
    let said = CLAIMS.join(" ");
    let unsaid = Function::ALL.iter().filter(|function| !said.contains(function.name()));
    assert_eq!(unsaid.collect::<Vec<_>>(), [&Function::Sum, &Function::Abs]);
}

fn run(program: &str) {
    let dir = tempfile::tempdir().unwrap();
    let (source, binary) = (dir.path().join("claims.rs"), dir.path().join("claims"));
    std::fs::write(&source, program).unwrap();
    let compiler = std::process::Command::new("rustc")
        .args(["--edition", "2021", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiler.stderr);
    assert!(compiler.status.success(), "{errors}\n{program}");
    let run = std::process::Command::new(&binary).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn what_can_only_be_told_apart_has_no_rust() {
    let token = Expr::Term(Term::query(When::After, 0, "seq"));
    let known = |_: &Term| Some(quote!(view));
    assert!(claim(&token, &known).is_some());
    assert!(claim(&token.clone().equals(Expr::Const(Value::Token(1))), &known).is_none());
    assert!(claim(&token, &|_| None).is_none());
}

#[test]
fn only_the_functions_that_are_called_come_along() {
    let expr = parse_expr("keys(self.map()) == [1]", &names(), Point::Exit).unwrap();
    let claim = claim(&expr, &variable).unwrap();
    let helpers = claim.helpers.to_string();
    assert!(helpers.contains("fn keys") && !helpers.contains("fn values"), "{helpers}");
}
