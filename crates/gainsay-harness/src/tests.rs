//! Planning, code generation and a real build of the fixture `tiny_stack`.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use gainsay_model::{
    api::{ApiType, Callee, Lending, Operation, Param},
    skip::SkipReason,
    spelling::{Passing, Unpack},
    ty::{GenericArg, Ty},
};
use gainsay_wire::{ManifestParam, Mode, Response, TypeId};

use crate::{
    BuildOptions, Harness, HarnessError, build,
    code::Sources,
    live::{Live, Pruned, Unit},
    plan::Plan,
    sample, text,
};

#[test]
fn the_plan_of_a_small_crate() {
    insta::assert_snapshot!(text(&sample::api(Path::new("out"))));
}

#[test]
fn the_code_of_a_small_crate() {
    let plan = Plan::new(&sample::api(Path::new("out")));
    let sources = Sources::new(&Live::new(&plan, &Pruned::new()));
    let files: Vec<String> =
        sources.files.iter().map(|(name, text)| format!("// {name}\n{text}")).collect();
    insta::assert_snapshot!(files.join("\n"));
}

#[test]
fn a_literal_is_written_with_its_fields_and_a_constant_alone() {
    let mut api = sample::api(Path::new("out"));
    let mut add = |path: &str, params: Vec<Param>| {
        let callee = Callee::Literal { path: ["tiny_stack::", path].concat() };
        let origin = api.operations[0].clone();
        api.operations.push(Operation { path: path.to_owned(), callee, params, ..origin });
    };
    add("EMPTY", Vec::new());
    add("Stack", vec![Param { name: "type".into(), ty: Ty::prim("u8") }]);
    let plan = Plan::new(&api);
    let sources = Sources::new(&Live::new(&plan, &Pruned::new()));
    let code = &sources.files["ops_0.rs"];
    assert!(code.contains("let mut r: T0 = ::tiny_stack::EMPTY;"), "{code}");
    assert!(code.contains("let mut r: T0 = ::tiny_stack::Stack { r#type: a0 };"), "{code}");
}

/// The code of one more operation, on top of the sample, with `kept` as one more pool type.
fn code_of(kept: Option<&Ty>, params: &[(&str, Ty)], result: Ty, lending: Lending) -> String {
    let mut api = sample::api(Path::new("out"));
    api.types.extend(kept.map(|ty| ApiType { ty: ty.clone(), ..api.types[0].clone() }));
    let name = |(name, ty): &(&str, Ty)| Param { name: (*name).into(), ty: ty.clone() };
    let callee = Callee::Function { path: "tiny_stack::extra".into(), generics: Vec::new() };
    let (path, params) = ("extra".to_owned(), params.iter().map(name).collect());
    let origin = api.operations[0].clone();
    api.operations.push(Operation { path, callee, params, result, lending, ..origin });
    let plan = Plan::new(&api);
    let sources = Sources::new(&Live::new(&plan, &Pruned::new()));
    let code = &sources.files["ops_0.rs"];
    let at = code.find("::tiny_stack::extra").expect("it is planned");
    let start = code[..at].rfind("fn call").expect("it stands in a function");
    let end = at + code[at..].find("pub fn op_").unwrap_or(code.len() - at);
    [&sources.files["types.rs"], &code[start..end]].concat()
}

#[test]
fn what_borrows_is_kept_and_its_operands_are_lent() {
    let args = vec![GenericArg::Lifetime, GenericArg::Type(Ty::Probe)];
    let iter = Ty::Path { path: "tiny_stack::Iter".into(), args };
    let params = [("stack", sample::stack().shared()), ("text", Ty::Str.shared())];
    let code = code_of(Some(&iter), &params, iter.clone(), Lending::Operands);
    for needle in [
        "pub type T3 = ::tiny_stack::Iter<'static, rt::Probe>;",
        "f.lend::<T0>(0)",
        "f.lend_plain::<::std::string::String>(1)",
        "f.keep(0, r)",
        "lending: rt::Lending::Operands",
    ] {
        assert!(code.contains(needle), "{needle} in {code}");
    }
    let ordinary = code_of(Some(&iter), &params, Ty::Unit, Lending::Operands);
    assert!(ordinary.contains("f.by_ref::<T0>(0)"), "{ordinary}");
}

#[test]
fn a_list_of_objects_is_put_together_from_optional_operands() {
    let stacks = Ty::Slice(Box::new(Ty::Tuple(vec![sample::stack(), Ty::prim("u8")]))).shared();
    let code = code_of(None, &[("stacks", stacks)], Ty::Unit, Lending::Inherited);
    for needle in [
        "f.opt_own::<T0>(4)",
        "f.plain::<u8>(5)",
        "names: &[\"stacks\", \"stacks_1\", \"stacks_2\"",
        "::std::option::Option::Some(((a0)?, a1))",
    ] {
        assert!(code.contains(needle), "{needle} in {code}");
    }
}

#[test]
fn every_unit_is_found_at_its_lines() {
    let plan = Plan::new(&sample::api(Path::new("out")));
    let sources = Sources::new(&Live::new(&plan, &Pruned::new()));
    let check = |file: &str, needle: &str, expected: Unit| {
        let line = sources.files[file].lines().position(|line| line.contains(needle)).unwrap() + 1;
        assert_eq!(sources.unit_at(&format!("src/{file}"), line), Some(expected), "{needle}");
    };
    check("types.rs", "T1", Unit::Type(1));
    check("ops_0.rs", "<T0>::push", Unit::Op(1));
    check("ops_0.rs", "Stack::push\"", Unit::Op(1));
    check("able_0.rs", "clone_of!(T2)", Unit::Abilities(2));
    check("queries_0.rs", "<T1>::size", Unit::Query(1, 0));
    assert_eq!(sources.unit_at("src/ops_0.rs", 1), None);
}

#[test]
fn without_its_type_nothing_of_it_is_left() {
    let plan = Plan::new(&sample::api(Path::new("out")));
    let live = Live::new(&plan, &Pruned::from([(Unit::Type(0), "no such type".into())]));
    assert_eq!(live.types, [1, 2]);
    assert!(live.ops.iter().all(|&op| !plan.ops[op].name.contains("Stack")));
    let push = live.skips.iter().find(|skip| skip.operation == "Stack::push").unwrap();
    assert_eq!((push.reason, push.detail.as_str()), (SkipReason::DoesNotCompile, "no such type"));
}

#[test]
fn without_its_origin_a_type_is_out_of_reach() {
    let plan = Plan::new(&sample::api(Path::new("out")));
    let origin = plan.ops.iter().position(|op| op.path == "Stack::new").unwrap();
    let live = Live::new(&plan, &Pruned::from([(Unit::Op(origin), "rejected".into())]));
    let push = live.skips.iter().find(|skip| skip.operation == "Stack::push").unwrap();
    assert_eq!(push.reason, SkipReason::NoOrigin);
    assert_eq!(live.types, [1, 2]);
}

#[test]
fn a_spelling_tells_what_is_passed_and_where_objects_are() {
    let plan = Plan::new(&sample::api(Path::new("out")));
    let split = plan.ops.iter().find(|op| op.path == "Stack::split").unwrap().spelling();
    assert!(split.is_method());
    let passing: Vec<Passing> = split.params.iter().map(|param| param.passing.clone()).collect();
    assert_eq!(passing, [Passing::Owned, Passing::Plain]);
    let paths: Vec<_> = split.makes.into_iter().map(|made| made.path).collect();
    assert_eq!(paths, [vec![Unpack::Field(0)], vec![Unpack::Field(1), Unpack::Some]]);
}

#[test]
fn a_harness_is_built_pruned_started_and_reused() {
    let dir = tempfile::tempdir().unwrap();
    let api = sample::api(&dir.path().join("out with ä space"));
    let harness = build(&api, &BuildOptions::default()).unwrap();
    assert!(!harness.fresh);
    let skipped = |path: &str| {
        let skip = harness.skips.iter().find(|skip| skip.operation == path);
        skip.map(|skip| (skip.reason, skip.detail.clone()))
    };
    let (reason, detail) = skipped("Stack::missing").unwrap();
    assert_eq!(reason, SkipReason::DoesNotCompile);
    assert!(detail.starts_with("E0599"), "{detail}");
    let (reason, detail) = skipped("Ring::new").unwrap();
    assert_eq!(reason, SkipReason::DoesNotCompile);
    assert!(detail.starts_with("E0080"), "{detail}");
    assert_eq!(skipped("Ring::size").unwrap().0, SkipReason::NoOrigin);
    assert_eq!(skipped("Stack::link").unwrap().0, SkipReason::NoValueForArgument);
    assert_eq!(harness.types, [sample::stack(), sample::ring(2)]);
    check_hello(&harness);
    let again = build(&api, &BuildOptions::default()).unwrap();
    assert_eq!(again, Harness { fresh: true, ..harness });
}

#[test]
fn a_subject_that_does_not_compile_is_told_from_generated_code_that_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("subject");
    std::fs::create_dir_all(root.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"tiny_stack\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(root.join("src/lib.rs"), "pub fn broken() -> u8 { \"text\" }").unwrap();
    let mut api = sample::api(&dir.path().join("out"));
    api.subject.root = root;
    let error = build(&api, &BuildOptions::default()).unwrap_err();
    let HarnessError::SubjectDoesNotBuild { message } = error else { panic!("{error}") };
    assert!(message.contains("mismatched types"), "{message}");
}

fn check_hello(harness: &Harness) {
    let mut worker =
        Command::new(&harness.program).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let hello = gainsay_wire::read_message(&mut worker.stdout.take().unwrap()).unwrap();
    worker.wait().unwrap();
    let Response::Hello(manifest) = hello else { panic!("a worker says hello first") };
    let names: Vec<&String> = harness.operations.iter().map(|op| &op.name).collect();
    assert_eq!(manifest.ops.iter().map(|op| &op.name).collect::<Vec<_>>(), names);
    let same = manifest.ops.iter().find(|op| op.name == "Stack::same").unwrap();
    assert_eq!(same.params[1], ManifestParam::Object(TypeId(0), Mode::OptRef));
    let views: Vec<&str> =
        manifest.types[0].queries.iter().map(|query| query.name.as_str()).collect();
    for view in ["len", "is_empty", "peek", "contains", "seq"] {
        assert!(views.contains(&view), "{view} in {views:?}");
    }
}
