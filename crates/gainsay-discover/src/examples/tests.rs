//! Examples in neutral form, written back in short.

use gainsay_model::example::{Example, Statement, Term};

use super::parse;

fn short(term: &Term) -> String {
    let list = |items: &[Term]| items.iter().map(short).collect::<Vec<_>>().join(", ");
    match term {
        Term::Name(path) => path.join("::"),
        Term::Call { path, args } => format!("{}({})", path.join("::"), list(args)),
        Term::Method { receiver, name, of, args } => {
            let of = of.as_ref().map(|of| format!("::<{of}>")).unwrap_or_default();
            format!("{}.{name}{of}({})", short(receiver), list(args))
        }
        Term::Seq(items) => format!("[{}]", list(items)),
        Term::Tuple(items) => format!("({})", list(items)),
        Term::Int(value) => value.to_string(),
        Term::Str(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}

fn line(Statement { names, ty, value }: &Statement) -> String {
    let ty = ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
    match names.as_slice() {
        [] => short(value),
        names => format!("{}{ty} = {}", names.join(", "), short(value)),
    }
}

fn lines(examples: &[Example]) -> Vec<Vec<String>> {
    examples.iter().map(|example| example.statements.iter().map(line).collect()).collect()
}

fn check_docs(docs: &str, expected: &[&[&str]]) {
    assert_eq!(lines(&parse(&[docs.to_owned()], &[])), expected, "{docs}");
}

fn check_file(text: &str, expected: &[&[&str]]) {
    assert_eq!(lines(&parse(&[], &[text.to_owned()])), expected, "{text}");
}

#[test]
fn straight_lines_are_taken_with_hidden_ones() {
    check_docs(
        "Text.\n\n```\n# use x::Stack;\n# let mut s = Stack::new();\ns.push(-3);\n\
         let (a, b): (u8, u8) = s.split(&[1, 2], vec!['c'; 2])?;\n```\n",
        &[&["s = Stack::new()", "s.push(-3)", "a, b = s.split([1, 2], [Char('c'), Char('c')])"]],
    );
}

#[test]
fn what_assertions_and_conditions_look_at_is_called() {
    check_docs(
        "```rust\nassert_eq!(s.len(), 1, \"why\");\nassert!(s.is_empty() && t.full());\n\
         if let Some(x) = s.pop() { s.push(x); }\nfor i in s.iter() {}\nprintln!(\"{}\", s.sum());\n```",
        &[&["s.len().eq(1)", "s.is_empty()", "t.full()", "s.pop()", "s.iter()", "s.sum()"]],
    );
}

#[test]
fn the_wanted_type_is_kept() {
    check_docs(
        "```\nlet v: Result<x::Version, E> = \"1.2\".parse();\nlet w = \"3\".parse::<u8>().unwrap();\n```",
        &[&["v: Version = \"1.2\".parse()", "w = \"3\".parse::<u8>().unwrap()"]],
    );
}

#[test]
fn functions_inside_of_an_example_are_examples_of_their_own() {
    check_docs(
        "```\n# fn main() -> Result<(), E> {\nf(1)?;\n# Ok(())\n# }\n```",
        &[&["f(1)", "Ok(())"]],
    );
}

#[test]
fn other_languages_and_failures_are_passed_over() {
    check_docs(
        "```text\nf(1);\n```\n```should_panic\nf(2);\n```\n```compile_fail\nf(3);\n```",
        &[],
    );
    check_docs("```console\nf(1);\n```\n```no_run\nf(2);\n```", &[&["f(2)"]]);
}

#[test]
fn tests_are_taken_with_their_abbreviations_spelled_out() {
    check_file(
        "fn v(text: &str) -> V { V::parse(text).unwrap() }\n\
         mod tests { #[test] fn a() { assert!(v(\"1\") < v(\"2\")); }\n\
         #[test] #[should_panic] fn b() { v(\"x\"); } fn c() { v(\"y\"); } }",
        &[&["V::parse(\"1\").unwrap().partial_cmp(V::parse(\"2\").unwrap())"]],
    );
}

#[test]
fn odd_input_gives_nothing() {
    check_docs("```\nlet x = ;\n```\n```\nnever closed(", &[]);
    check_docs("```\n\"\n```", &[]);
    check_file("fn", &[]);
    let deep = format!("```\nf({}1{});\n```", "(".repeat(2_000), ")".repeat(2_000));
    let parsed = std::thread::Builder::new().stack_size(super::STACK).spawn(move || {
        assert_eq!(lines(&parse(&[deep], &[])), [["f(Unknown)"]]);
    });
    parsed.unwrap().join().unwrap();
}

#[test]
fn there_is_an_end_to_examples_and_to_each() {
    let docs: Vec<String> =
        (0..600).map(|n| format!("```\n{}f({n});\n```", "g();\n".repeat(n % 30))).collect();
    let examples = parse(&docs, &[]);
    assert_eq!(examples.len(), super::MOST_EXAMPLES);
    let longest = examples.iter().map(|example| example.statements.len()).max();
    assert_eq!(longest, Some(super::MOST_STATEMENTS));
}
