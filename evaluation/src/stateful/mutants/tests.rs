//! Each change with what it is made of, and what is left alone.

use super::*;

/// The mutants of a body of a method of `T`: what is changed, and into what.
fn of_body(output: &str, body: &str) -> Vec<(Change, String, String)> {
    let source = format!("impl T {{ fn f(&mut self, a: usize, b: usize) {output} {{ {body} }} }}");
    let all = mutants(&source, "T", &[]).unwrap();
    let plain = all.into_iter().filter(|it| it.patch.guard.is_none());
    plain.map(|it| (it.change, source[it.patch.at].to_owned(), it.patch.text)).collect()
}

fn check(body: &str, change: Change, expected: &[(&str, &str)]) {
    let all = of_body("-> usize", body);
    let own = all.iter().filter(|(kind, ..)| *kind == change);
    let own: Vec<(&str, &str)> = own.map(|(_, from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(own, expected, "{body}");
}

#[test]
fn comparisons_take_their_neighbour() {
    check("a < b", Change::Comparison, &[("a < b", "a <= b")]);
    check("a <= b", Change::Comparison, &[("a <= b", "a < b")]);
    check("a > b", Change::Comparison, &[("a > b", "a >= b")]);
    check("a >= b", Change::Comparison, &[("a >= b", "a > b")]);
    check("a == b", Change::Comparison, &[("a == b", "a != b")]);
    check("a != b", Change::Comparison, &[("a != b", "a == b")]);
}

#[test]
fn sums_become_differences() {
    check("a + b", Change::Arithmetic, &[("a + b", "a - b")]);
    check("a - b", Change::Arithmetic, &[("a - b", "a + b")]);
    check("a += b; a", Change::Arithmetic, &[("a += b", "a -= b")]);
    check("a -= b; a", Change::Arithmetic, &[("a -= b", "a += b")]);
    check("a * b", Change::Arithmetic, &[]);
}

#[test]
fn connectives_are_exchanged() {
    check("c && d", Change::Connective, &[("c && d", "c || d")]);
    check("c || d", Change::Connective, &[("c || d", "c && d")]);
}

#[test]
fn conditions_are_negated_unless_they_are_comparisons_or_bind_names() {
    check("if c() { 1 } else { 2 }", Change::Negation, &[("c()", "! (c ())")]);
    check("if a < b { 1 } else { 2 }", Change::Negation, &[]);
    check("if let Some(c) = a { c } else { 2 }", Change::Negation, &[]);
}

#[test]
fn integers_are_off_by_one_in_expressions_only() {
    check("a * 2", Change::Constant, &[("2", "1"), ("2", "3")]);
    check("a * 0u8", Change::Constant, &[("0u8", "1u8")]);
    check("match a { 3 => a, _ => b }", Change::Constant, &[]);
    check("let c = [a; 4]; c.len()", Change::Constant, &[]);
    check("const C: usize = 5; C", Change::Constant, &[]);
    check("g::<6>(a)", Change::Constant, &[]);
    check("vec![7, 8].len()", Change::Constant, &[]);
}

#[test]
fn ranges_reach_one_further_or_begin_one_later() {
    check("g(a..b)", Change::Bound, &[("b", "(b) + 1")]);
    check("g(a..=b)", Change::Bound, &[("a", "(a) + 1")]);
    check("g(..)", Change::Bound, &[]);
}

#[test]
fn calls_and_assignments_that_are_statements_are_left_out() {
    check("self.g(); h(a); 0", Change::Omission, &[("self.g();", ""), ("h(a);", "")]);
    check(
        "self.n = a; self.n += b; 0",
        Change::Omission,
        &[("self.n = a;", ""), ("self.n += b;", "")],
    );
    check("let c = g(); if a > b { return c; } g()", Change::Omission, &[]);
}

#[test]
fn neighbours_that_are_names_are_exchanged() {
    check("g(a, b)", Change::Exchange, &[("g(a, b)", "g (b , a)")]);
    check("self.g(a, b)", Change::Exchange, &[("self.g(a, b)", "self . g (b , a)")]);
    check("g(a, a)", Change::Exchange, &[]);
    check("g(a, 1)", Change::Exchange, &[]);
}

#[test]
fn functions_return_at_once_what_can_be_made_up() {
    let returns = |output: &str| -> Vec<String> {
        let all = of_body(output, "let c = a; g(c)");
        all.into_iter().filter(|(kind, ..)| *kind == Change::Return).map(|it| it.2).collect()
    };
    assert_eq!(returns(""), ["return ;"]);
    assert_eq!(returns("-> bool"), ["return false;", "return true;"]);
    assert_eq!(returns("-> Option<usize>"), ["return None;"]);
    assert_eq!(returns("-> usize"), [""; 0]);
}

#[test]
fn other_types_constant_functions_tests_and_printing_are_left_alone() {
    for source in [
        "impl U { fn f(a: u8) -> u8 { a + 1 } }",
        "impl T { const fn f(a: u8) -> u8 { a + 1 } }",
        "fn f(a: u8) -> u8 { a + 1 }",
        "impl Debug for T { fn fmt(&self, a: u8) -> u8 { a + 1 } }",
        "#[cfg(test)] mod tests { impl T { fn f(a: u8) -> u8 { a + 1 } } }",
    ] {
        assert_eq!(mutants(source, "T", &[]).unwrap(), [], "{source}");
    }
    assert!(
        !mutants("impl<A> Tr for T<A> { fn f(a: u8) -> u8 { a + 1 } }", "T", &[])
            .unwrap()
            .is_empty()
    );
}
