//! Whole sequences as a person would read them.

use gainsay_model::{
    api::{Callee, Lending},
    spelling::{Made, Passing, Unpack},
    ty::{GenericArg, Ty},
};
use gainsay_wire::{Arg, Value};

use super::*;
use crate::samples::*;

fn check(steps: Vec<(u32, Vec<Arg>)>, expected: &str) {
    let spellings = spellings();
    let written = lines(&sequence(steps), Book(&spellings));
    assert_eq!(written.join("\n"), expected);
}

fn int(value: i128) -> Arg {
    Arg::Plain(Value::Int(value))
}

#[test]
fn calls_on_one_object_read_like_a_script() {
    check(
        vec![
            (NEW, vec![]),
            (PUSH, vec![object(0), elem(3)]),
            (POP, vec![object(0)]),
            (LEN, vec![object(0)]),
        ],
        "let mut stack = BoundedStack::<Probe, 4>::new();\nstack.push(Probe(3));\nstack.pop();\n\
         let _ = stack.len();",
    );
}

#[test]
fn only_what_is_changed_is_mut_and_only_what_is_used_has_a_name() {
    check(
        vec![
            (NEW, vec![]),
            (CLONE, vec![object(0)]),
            (NEW, vec![]),
            (EQ, vec![object(0), object(1)]),
        ],
        "let stack = BoundedStack::<Probe, 4>::new();\nlet stack2 = stack.clone();\n\
         let _ = BoundedStack::<Probe, 4>::new();\nlet _ = stack == stack2;",
    );
}

#[test]
fn objects_are_taken_out_of_results() {
    let second = Arg::Object(ObjRef { step: 1, out: 1 });
    check(
        vec![(NEW, vec![]), (SPLIT, vec![object(0), int(2)]), (PUSH, vec![second, elem(1)])],
        "let stack = BoundedStack::<Probe, 4>::new();\n\
         let (_, mut stack2) = stack.split(2).unwrap();\nstack2.push(Probe(1));",
    );
    check(
        vec![(PARSE, vec![Arg::Plain(Value::Str("1 2".into()))]), (DROP, vec![object(0)])],
        "let stack = stacks::text::parse(\"1 2\").ok().unwrap();\ndrop(stack);",
    );
}

#[test]
fn iterators_closures_and_slices_are_written_on_the_spot() {
    let items = || Arg::Plain(Value::Seq(vec![Value::Elem(1), Value::Elem(2)]));
    let closure = Arg::Plain(Value::Tuple(vec![Value::Int(2), Value::Int(4)]));
    check(
        vec![
            (FROM_SLICE, vec![items()]),
            (EXTEND, vec![object(0), items()]),
            (RETAIN, vec![object(0), closure]),
            (POSITION, vec![object(0), elem(9)]),
        ],
        "let mut stack = BoundedStack::<Probe, 4>::from([Probe(1), Probe(2)].as_slice());\n\
         stack.extend([Probe(1), Probe(2)].into_iter());\nstack.retain(|x| x.0 < 4);\n\
         let _ = stack.position(&Probe(9));",
    );
}

#[test]
fn operands_of_operators_hold_together() {
    let usize = gainsay_model::ty::Ty::prim("usize");
    let path = "std::ops::Mul".to_owned();
    let mut spellings = spellings();
    let mul = &mut spellings[EQ as usize];
    let (ty, args, name) = (stack(), vec![usize.clone()], "mul".to_owned());
    mul.callee = gainsay_model::api::Callee::Trait { ty, path, args, name, generics: Vec::new() };
    mul.params[1].ty = usize;
    let check = |value: i128, expected: &str| {
        let steps = vec![(NEW, vec![]), (EQ, vec![object(0), int(value)])];
        assert_eq!(lines(&sequence(steps), Book(&spellings))[1], expected);
    };
    check(3, "let _ = stack * 3usize;");
    check(i128::from(u64::MAX) - 1, "let _ = stack * (usize::MAX - 1);");
}

#[test]
fn a_literal_names_its_fields_and_a_constant_stands_alone() {
    let mut spellings = spellings();
    for op in [NEW, FROM_SLICE] {
        let callee = gainsay_model::api::Callee::Literal { path: "stacks::BoundedStack".into() };
        spellings[op as usize].callee = callee;
    }
    let items = Arg::Plain(Value::Seq(vec![Value::Elem(1)]));
    let steps = vec![(NEW, vec![]), (FROM_SLICE, vec![items])];
    assert_eq!(
        lines(&sequence(steps), Book(&spellings)),
        [
            "let _ = BoundedStack::<Probe, 4>;",
            "let _ = BoundedStack::<Probe, 4> {",
            "    items: &[Probe(1)],",
            "};",
        ]
    );
}

#[test]
fn a_value_put_together_from_objects_shows_those_that_are_there() {
    use gainsay_model::spelling::{Form, Passing};
    let mut spellings = spellings();
    let item = SpelledParam { name: "part".into(), passing: Passing::OptionalOwned, ty: stack() };
    let item = |form| SpelledParam {
        passing: Passing::Composite(form, vec![item.clone()]),
        ..item.clone()
    };
    let vector = Passing::Composite(Form::Vector, vec![item(Form::Present), item(Form::Present)]);
    spellings[DROP as usize].params[0] = SpelledParam {
        passing: vector,
        ty: Ty::Path { path: "std::vec::Vec".into(), args: vec![GenericArg::Type(stack())] },
        ..spellings[DROP as usize].params[0].clone()
    };
    let none = Arg::Plain(Value::none());
    let check = |args: Vec<Arg>, expected: &str| {
        let steps = vec![(NEW, vec![]), (DROP, args)];
        assert_eq!(lines(&sequence(steps), Book(&spellings))[1], expected);
    };
    check(vec![object(0), none.clone()], "drop(vec![stack]);");
    check(vec![none.clone(), none], "drop(Vec::<BoundedStack<Probe, 4>>::new());");
}

#[test]
fn a_formatting_trait_is_called_by_its_directive() {
    let mut spellings = spellings();
    let callee = gainsay_model::api::Callee::Trait {
        ty: stack(),
        path: "std::fmt::LowerHex".into(),
        args: vec![],
        name: "fmt".into(),
        generics: vec![],
    };
    spellings[LEN as usize].callee = callee;
    let steps = vec![(NEW, vec![]), (LEN, vec![object(0)])];
    assert_eq!(lines(&sequence(steps), Book(&spellings))[1], "let _ = format!(\"{:x}\", stack);");
}

/// A stack whose second operation makes a view that borrows from its operands.
fn with_view(result: Ty, made: Vec<Unpack>) -> Vec<Spelling> {
    let view = Ty::Path { path: "stacks::View".into(), args: vec![GenericArg::Lifetime] };
    let mut spellings = spellings();
    let position = &mut spellings[POSITION as usize];
    position.makes = vec![Made { ty: view, path: made }];
    position.result = result;
    position.lending = Lending::Operands;
    spellings
}

#[test]
fn what_is_lent_longer_than_a_statement_gets_a_name() {
    let view = Ty::Path { path: "stacks::View".into(), args: vec![GenericArg::Lifetime] };
    let spellings = with_view(view, vec![]);
    let steps = || vec![(NEW, vec![]), (POSITION, vec![object(0), elem(9)])];
    let check = |steps, probe, expected: &[&str]| {
        let style = Style { probe, ..Style::default() };
        let code = write(&sequence(steps), Book(&spellings), &style);
        assert_eq!(statement_lines(&code.statements)[1..], *expected);
    };
    let used = || [steps(), vec![(DROP, vec![object(1)])]].concat();
    check(steps(), ProbeForm::New, &["let _ = stack.position(&Probe::new(9));"]);
    check(
        used(),
        ProbeForm::New,
        &["let of = Probe::new(9);", "let view = stack.position(&of);", "drop(view);"],
    );
    // The compiler keeps constants for ever.
    check(used(), ProbeForm::Tuple, &["let view = stack.position(&Probe(9));", "drop(view);"]);
}

#[test]
fn a_reference_is_passed_as_it_is_and_its_end_needs_no_words() {
    let mut spellings = with_view(stack().shared(), vec![]);
    spellings[POSITION as usize].makes[0].ty = stack().shared();
    spellings[EQ as usize].params[1].passing = Passing::Owned;
    let steps = vec![
        (NEW, vec![]),
        (POSITION, vec![object(0), elem(9)]),
        (LEN, vec![object(1)]),
        (EQ, vec![object(0), object(1)]),
        (DROP, vec![object(1)]),
    ];
    assert_eq!(
        lines(&sequence(steps), Book(&spellings))[1..],
        [
            "let stack2 = stack.position(&Probe(9));",
            "let _ = stack2.len();",
            "let _ = stack == *stack2;",
        ]
    );
}

#[test]
fn a_part_is_taken_out_by_its_pattern() {
    let check = |path: &str, field: &str, expected: &str| {
        let mut spellings = spellings();
        let split = &mut spellings[SPLIT as usize];
        split.callee = Callee::Part { path: path.into(), field: field.into() };
        split.params.truncate(1);
        split.makes = vec![Made { ty: stack(), path: vec![Unpack::Some] }];
        let steps = vec![(NEW, vec![]), (SPLIT, vec![object(0)]), (PUSH, vec![object(1), elem(1)])];
        assert_eq!(lines(&sequence(steps), Book(&spellings))[1], expected);
    };
    check("stacks::Pair", "first", "let Pair { first: mut stack2, .. } = stack;");
    check(
        "stacks::Entry::Full",
        "1",
        "let Entry::Full(_, mut stack2, ..) = stack else { unreachable!() };",
    );
}

#[test]
fn words_of_the_language_are_written_raw() {
    assert_eq!(ident("type").to_string(), "r#type");
    assert_eq!(ident("self").to_string(), "self");
}

#[test]
fn imports_are_what_the_statements_name() {
    let spellings = spellings();
    let code = write(&sequence(vec![(NEW, vec![])]), Book(&spellings), &Style::default());
    assert_eq!(code.imports.uses().collect::<Vec<_>>(), ["stacks::BoundedStack"]);
    assert!(code.imports.names_probe());
}

#[test]
fn signs_inside_of_macros_stand_next_to_their_operands() {
    let check = |text: &str, expected: &str| assert_eq!(tighten(text), expected);
    check("vec![- 1, & x]", "vec![-1, &x]");
    check("assert!(a != - 1 && b - 1 == & c)", "assert!(a != -1 && b - 1 == &c)");
    check(r#"f("(- 1 \" (- 2", - 3)"#, r#"f("(- 1 \" (- 2", -3)"#);
}

#[test]
fn a_receiver_is_written_without_its_reference() {
    let bare = |operand: proc_macro2::TokenStream| super::call::unref(&operand).to_string();
    assert_eq!(bare(quote::quote!(&mut vec![1])), "vec ! [1]");
    assert_eq!(bare(quote::quote!(&7)), "7");
    assert_eq!(bare(quote::quote!(row)), "row");
}
