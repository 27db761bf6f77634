//! Expressions and values as they are written.

use super::*;
use crate::expr_text;

fn names() -> Names {
    let operands = [("self", true), ("other", true), ("index", false), ("key", false)];
    Names::new(operands.map(|(name, object)| (name.to_owned(), object)))
}

#[test]
fn what_is_printed_is_read_back_and_printed_alike() {
    let texts = [
        "self.len() == old(self.len()) + 1",
        "old(self.is_empty()) ==> result.is_none()",
        "self.seq() == old(self.seq()) ++ [key]",
        "old(self == other) ==> self.is_empty()",
        "!self.is_disjoint(other)",
        "old(self.contains(key)) <=> result.is_some()",
        "index < old(self.len()) && (result.is_some() || key == Probe(3))",
        "result == Some(-1)",
        "result == Some(key)",
        "result == Some(old(self.len()) + 1)",
        "old(self.seq()) == self.seq() ++ [result.unwrap()]",
        "self.first().unwrap() == key",
        "made0.unwrap() == Some(Some(key))",
        "result.len() == 0",
        "made0.is_some()",
        "len(self.seq()) == 2 * self.len() - 3",
        "self.name() == \"a \\\"b\\\" \\n ü\"",
        "self.first() == Some([Probe(1), Probe(2)])",
        "self.get(index) == Ok((1, 'x'))",
        "self.ratio() >= -0.5",
        "self.token() == #00000000deadbeef",
        "index == 3 || index == 4",
        "self.is_off()",
        "self.first().is_some()",
        "self.len() == 0 ==> self.is_empty() <=> true",
        "self.major == old(self.major) + 1",
        "self.pre.is_empty()",
        "self.next.is_some()",
        "self.front()?.len() == Some(3)",
        "self.root().len() >= 1",
        "self.front()?.len().is_none()",
        "result.major == self.major",
        "old(self.contains(key)) ==> self.pre.len() == 0",
    ];
    for text in texts {
        let expr =
            parse_expr(text, &names(), Point::Exit).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(expr_text(&expr, &names(), Point::Exit), text);
    }
}

#[test]
fn at_entry_a_bare_view_is_the_state_before() {
    let expr = parse_expr("self.len() > 0", &names(), Point::Entry).unwrap();
    expr.each_term(&mut |term| assert!(term.is_before()));
    assert_eq!(expr_text(&expr, &names(), Point::Entry), "self.len() > 0");
    assert_eq!(expr_text(&expr, &names(), Point::Exit), "old(self.len()) > 0");
}

#[test]
fn what_is_no_expression_says_where_it_stops() {
    for (text, at) in [("self.len(", 9), ("nobody.len()", 6), ("self.len() ==", 13), ("1 2", 2)] {
        assert_eq!(parse_expr(text, &names(), Point::Exit).unwrap_err().at, at, "{text}");
    }
}

#[test]
fn values_of_every_kind_round_trip() {
    let texts =
        ["()", "undefined", "NaN", "inf", "-inf", "1e300", "[]", "(1,)", "Err(Less)", "'\\''"];
    for text in texts {
        assert_eq!(parse_value(text).unwrap().to_string(), text);
    }
}
