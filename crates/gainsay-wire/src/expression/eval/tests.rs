//! Predicates over one call, with the truth they have.

use super::*;
use crate::{Names, Point, parse_expr};

fn check(text: &str, expected: Truth) {
    let names = Names::new([("self".to_owned(), true), ("value".to_owned(), false)]);
    let terms = vec![
        Term::query(crate::When::Before, 0, "len"),
        Term::query(crate::When::After, 0, "len"),
        Term::operand(1),
        Term::query(crate::When::Before, 0, "broken"),
        Term::result(),
        Term::query(crate::When::Before, 0, "seq"),
        Term::query(crate::When::After, 0, "seq"),
        Term::query(crate::When::After, 0, "last"),
    ];
    let vocabulary = Vocabulary::new(terms);
    let values = [
        Value::Int(1),
        Value::Int(2),
        Value::Elem(9),
        Value::Undefined,
        Value::none(),
        Value::Seq(vec![Value::Elem(4)]),
        Value::Seq(vec![Value::Elem(4), Value::Elem(9)]),
        Value::some(Value::Elem(9)),
    ];
    let expr = parse_expr(text, &names, Point::Exit).unwrap();
    assert_eq!(truth(&expr, &(&vocabulary, &values[..])), expected, "{text}");
}

#[test]
fn digests_can_only_be_told_apart() {
    check("#0000000000000001 != #0000000000000002", Truth::True);
    check("#0000000000000001 < #0000000000000002", Truth::Undefined);
    check("cmp(#0000000000000001, #0000000000000002) == Less", Truth::Undefined);
}

#[test]
fn predicates_over_a_call_have_the_truth_that_rust_gives_them() {
    check("self.len() == old(self.len()) + 1", Truth::True);
    check("self.len() < old(self.len())", Truth::False);
    check("old(self.len()) == 1 && result.is_none()", Truth::True);
    check("self.seq() == old(self.seq()) ++ [value]", Truth::True);
    check("len(self.seq()) == self.len()", Truth::True);
    check("result.is_some() <=> old(self.len()) == 0", Truth::True);
    check("self.last() == Some(value)", Truth::True);
    check("result == Some(value)", Truth::False);
    check("self.seq() == old(self.seq()) ++ [self.last().unwrap()]", Truth::True);
    check("Some(value).unwrap() == value", Truth::True);
}

#[test]
fn undefined_spreads_except_where_the_other_side_decides() {
    check("old(self.broken()) == 1", Truth::Undefined);
    check("old(self.len()) == 1 || old(self.broken())", Truth::True);
    check("old(self.len()) == 0 && old(self.broken())", Truth::False);
    check("old(self.len()) == 0 ==> old(self.broken())", Truth::True);
    check("old(self.len()) == 1 ==> old(self.broken())", Truth::Undefined);
    check("Some(old(self.broken())) == result", Truth::Undefined);
    check("result.unwrap() == value", Truth::Undefined);
    check("result.is_some() ==> result.unwrap() == value", Truth::True);
}

#[test]
fn values_of_different_kinds_are_not_compared() {
    check("value == old(self.len())", Truth::Undefined);
}

#[test]
fn numbers_texts_and_orderings_are_computed_and_compared() {
    check("7 / 2 == 3 && -7 % 3 == -1 && 6 & 3 == 2 && 6 | 3 == 7 && 6 ^ 3 == 5", Truth::True);
    check("1.5 + 1.0 == 2.5 && 1.0 < 2.0 && 'a' < 'b' && \"a\" < \"ab\"", Truth::True);
    check("cmp(old(self.len()), self.len()) == Less && Less < Greater", Truth::True);
    check("1 / (old(self.len()) - 1) == 0", Truth::Undefined);
    check("min(3, 2) == 2 && max(\"a\", \"b\") == \"b\" && abs(-4) == 4", Truth::True);
    check("min(3, value) == value", Truth::Undefined);
    check(
        "contains(\"abc\", 'b') && prefix(\"a\", \"abc\") && suffix(\"c\", \"abc\")",
        Truth::True,
    );
    check("chars(\"ab\") == ['a', 'b'] && \"abc\"[1..] == \"bc\" && len(\"ü\") == 2", Truth::True);
    check("\"ü\"[1..] == \"\"", Truth::Undefined);
}

#[test]
fn values_are_made_and_taken_apart() {
    check("Ok(value) == Ok(Probe(9)) && Err(1) != Ok(1) && Ok(1).unwrap() == 1", Truth::True);
    check("(value, 1) == (Probe(9), 1) && (value, 2).1 == 2", Truth::True);
    check("(value, old(self.broken())) == (value, 1)", Truth::Undefined);
    check("(value, 2).2 == 2", Truth::Undefined);
}

#[test]
fn sequences_are_cut_joined_and_changed() {
    check("self.seq()[1] == value && self.seq()[..1] == old(self.seq())", Truth::True);
    check("self.seq()[2] == value", Truth::Undefined);
    check("self.seq()[2..] == [] && [1, 2, 3][1..2] == [2]", Truth::True);
    check("self.seq()[3..] == []", Truth::Undefined);
    check("get(self.seq(), 1) == Some(value) && get(self.seq(), 2) == None", Truth::True);
    check("first([]) == None && last([1, 2]) == Some(2)", Truth::True);
    check("contains(self.seq(), value) && !contains(old(self.seq()), value)", Truth::True);
    check("count([1, 2, 1], 1) == 2 && index_of([1, 2], 2) == Some(1)", Truth::True);
    check("dedup([1, 1, 2, 1]) == [1, 2, 1]", Truth::True);
    check("reverse([1, 2]) == [2, 1] && sort([2, 1]) == [1, 2]", Truth::True);
    check(
        "sorted([1, 1, 2]) && !sorted([2, 1]) && distinct([1, 2]) && !distinct([1, 1])",
        Truth::True,
    );
    check("permutation([1, 1, 2], [2, 1, 1]) && !permutation([1, 2, 2], [2, 1, 1])", Truth::True);
    check("subset([1, 1], [2, 1]) && subsequence([1, 3], [1, 2, 3])", Truth::True);
    check("subsequence([3, 1], [1, 2, 3])", Truth::False);
    check("prefix([], [1]) && prefix([1], [1, 2]) && suffix([2], [1, 2])", Truth::True);
    check("rotate([1, 2, 3], 1) == [2, 3, 1] && rotate([1, 2, 3], -1) == [3, 1, 2]", Truth::True);
    check("rotate([1, 2, 3], 4) == []", Truth::Undefined);
    check("swap([1, 2], 0, 1) == [2, 1] && insert([1], 1, 2) == [1, 2]", Truth::True);
    check("swap([1, 2], 0, 2) == [] || insert([1], 2, 2) == []", Truth::Undefined);
    check("remove([1, 2], 0) == [2] && put([1, 2], 0, 3) == [3, 2]", Truth::True);
    check("remove([1], 1) == [1] || swap_remove([1], 1) == [1]", Truth::Undefined);
    check("swap_remove([1, 2, 3], 0) == [3, 2]", Truth::True);
    check("repeat(value, 2) == [value, value] && sum([1, 2]) == 3", Truth::True);
    check(
        "least([2, 1]) == Some(1) && greatest([2, 1]) == Some(2) && least([]) == None",
        Truth::True,
    );
}

#[test]
fn maps_are_sequences_of_pairs_and_sets_have_one_form() {
    check("keys([(1, 2), (3, 4)]) == [1, 3] && values([(1, 2)]) == [2]", Truth::True);
    check("keys([1]) == [1]", Truth::Undefined);
    check("lookup([(1, 2), (3, 4)], 3) == Some(4) && lookup([(1, 2)], 2) == None", Truth::True);
    check("with([(1, 2), (3, 4)], 1, 5) == [(1, 5), (3, 4)]", Truth::True);
    check("with([(1, 2)], 3, 5) == [(1, 2), (3, 5)]", Truth::True);
    check("merge([(1, 2)], [(3, 4), (1, 5)]) == [(1, 5), (3, 4)]", Truth::True);
    check("merge([(1, 2)], [3]) == []", Truth::Undefined);
    check("without([(1, 2), (3, 4)], 1) == [(3, 4)] && without([1, 2, 1], 1) == [2]", Truth::True);
    check("set([2, 1, 2]) == [1, 2] && union([2], [1, 2]) == [1, 2]", Truth::True);
    check(
        "intersection([3, 2], [2, 3, 1]) == [2, 3] && difference([3, 2], [2]) == [3]",
        Truth::True,
    );
    check("symmetric([3, 2], [2, 1]) == [1, 3]", Truth::True);
}

#[test]
fn binders_go_through_elements_keys_and_ranges() {
    check("forall x in self.seq(): x == value || contains(old(self.seq()), x)", Truth::True);
    check("exists x in self.seq(): x == value", Truth::True);
    check("exists x in []: x == 1", Truth::False);
    check("forall x in []: x == 1", Truth::True);
    check("forall i in 0..self.len() - 1: self.seq()[i] == old(self.seq())[i]", Truth::True);
    check("forall i in 0..self.len(): self.seq()[i] == old(self.seq())[i]", Truth::Undefined);
    check("forall x in [1, 2]: exists y in [2, 4]: y == 2 * x", Truth::True);
    check("forall x in old(self.broken()): true", Truth::Undefined);
    check("(filter x in self.seq(): x != value) == old(self.seq())", Truth::True);
    check("(map x in [(1, 2)]: (x.1, x.0)) == [(2, 1)]", Truth::True);
    check(
        "forall k in keys([(1, 2), (3, 4)]): \
         k != 1 ==> lookup([(1, 5), (3, 4)], k) == lookup([(1, 2), (3, 4)], k)",
        Truth::True,
    );
}
