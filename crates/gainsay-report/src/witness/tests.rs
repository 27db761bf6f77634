//! One witness per oracle, as text and by its verdict on a faulty crate and its fixed twin.

use std::{fs, path::Path, process::Command};

use gainsay_wire::{Arg, Callback, LawId, LawParty, ListCommand, Misuse, Oracle, Sequence, Value};

use super::*;
use crate::samples::*;

fn written(oracle: Oracle, message: &str, sequence: Sequence) -> Witness {
    of(&fault("3f9c21d07a51b6e4", oracle, message, sequence)).unwrap()
}

/// The first form that a test can have.
fn of(fault: &gainsay_model::fault::Fault) -> Result<Witness, NoWitness> {
    with(fault, Aid::None)
}

fn with(fault: &gainsay_model::fault::Fault, aid: Aid) -> Result<Witness, NoWitness> {
    let record = FaultRecord::new(fault, &manifest());
    let setting = Setting {
        lib_name: "stacks".to_owned(),
        old: Old::No,
        element: Element::kinds(&record).remove(0),
        polish: Polish::Bold,
        ending: Ending::Natural,
        aid,
        command: "cargo test".to_owned(),
        miri: "cargo +nightly miri test".to_owned(),
    };
    witness(&record, Book(&spellings()), &setting)
}

#[test]
fn a_death_under_the_sanitizer_can_be_shown_with_elements_that_own_memory() {
    let how = Oracle::Death("AddressSanitizer: double-free".parse().unwrap());
    let plain = fault("3f9c21d07a51b6e4", how, "the process died", pushed(vec![]));
    let kinds = |build| {
        let fault = gainsay_model::fault::Fault { build, ..plain.clone() };
        Element::kinds(&FaultRecord::new(&fault, &manifest()))
    };
    assert!(kinds(Build::Asan).contains(&Element::Boxed));
    assert!(!kinds(Build::Debug).contains(&Element::Boxed));
    let text: String = probe::items(&Element::Boxed, Manner::default(), &quote!())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(text.contains("Box :: new"), "{text}");
}

#[test]
fn what_a_test_does_beyond_its_calls_is_written() {
    let how = Oracle::Death("SIGSEGV".parse().unwrap());
    let looked = pushed(vec![(LEN, vec![object(0)])]);
    let dies = fault("3f9c21d07a51b6e4", how, "the process died", looked);
    let check = |aid: Aid, words: &[&str]| {
        let text = with(&dies, aid).unwrap().text;
        for word in words {
            assert!(text.contains(word), "{word} in {text}");
        }
    };
    check(Aid::None, &["let _ = stack.len();"]);
    check(Aid::Look, &["println!(\"{:?}\", stack.len());"]);
    check(Aid::Guard, &["catch_unwind(", "let _ = stack.len();", "panics are caught"]);
    check(Aid::GuardAndLook, &["catch_unwind(", "println!(\"{:?}\", stack.len());"]);
    check(Aid::Step, &["stack.len().take(32).collect::<Vec<_>>()"]);
    check(Aid::Fill, &["#[global_allocator]", "write_bytes(0xa5", "let _ = stack.len();"]);
}

#[test]
fn calls_that_take_numbers_are_guarded_also_where_elements_notice() {
    let tracked = Element::Tracked(BTreeSet::new());
    let check = |oracle: &Oracle, steps: Sequence, expected: bool| {
        let found = fault("3f9c21d07a51b6e4", oracle.clone(), "misused", steps);
        let record = FaultRecord::new(&found, &manifest());
        let kinds = Aid::kinds(&record, &tracked, Book(&spellings()));
        assert_eq!(kinds.first() == Some(&Aid::Guard), expected, "{oracle:?}");
        let is_leak = matches!(oracle, Oracle::Probe(Misuse::Leak(_)));
        assert_eq!(kinds.contains(&Aid::Guard), !is_leak, "{oracle:?}");
    };
    let at = Arg::Plain(Value::Int(7));
    let with_number = || pushed(vec![(SPLIT, vec![object(0), at.clone()])]);
    let death = Oracle::Death("SIGSEGV".parse().unwrap());
    for oracle in [Oracle::Probe("double drop".parse().unwrap()), death] {
        check(&oracle, with_number(), true);
        check(&oracle, pushed(vec![]), false);
    }
    check(&Oracle::Probe("leak of 1 element".parse().unwrap()), with_number(), false);
}

#[test]
fn a_guarded_element_counts_its_misuses_and_the_test_asserts_that_there_were_none() {
    let misused = fault(
        "3f9c21d07a51b6e4",
        Oracle::Probe("double drop".parse().unwrap()),
        "an element was dropped twice",
        pushed(vec![]),
    );
    let made = with(&misused, Aid::Guard).unwrap();
    assert_eq!(made.statements, 3);
    for word in ["catch_unwind(", "MISUSES.fetch_add", "MISUSES.load(Relaxed), 0"] {
        assert!(made.text.contains(word), "{word} in {}", made.text);
    }
}

#[test]
fn a_guard_counts_nothing_where_there_are_no_elements() {
    let death = Oracle::Death("SIGABRT".parse().unwrap());
    let dies =
        fault("3f9c21d07a51b6e4", death, "the process died", sequence(vec![(PARSE, vec![])]));
    let record = FaultRecord::new(&dies, &manifest());
    let setting = Setting {
        lib_name: "stacks".to_owned(),
        old: Old::No,
        element: Element::Tracked(BTreeSet::new()),
        polish: Polish::Bold,
        ending: Ending::Natural,
        aid: Aid::Guard,
        command: String::new(),
        miri: String::new(),
    };
    let text = witness(&record, Book(&spellings()), &setting).unwrap().text;
    assert!(text.contains("catch_unwind(") && !text.contains("MISUSES"), "{text}");
}

#[test]
fn an_element_that_was_put_at_a_wrong_place_notices() {
    let (what, said) = (Oracle::Probe("misaligned".parse().unwrap()), "an element is misaligned");
    let found = fault("3f9c21d07a51b6e4", what, said, pushed(vec![]));
    let text = of(&gainsay_model::fault::Fault { build: Build::Release, ..found }).unwrap().text;
    for word in ["#[repr(align(64))]", "address % 64", "an element is not aligned"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

fn pushed(then: Vec<(u32, Vec<Arg>)>) -> Sequence {
    let mut steps = vec![(NEW, vec![]), (PUSH, vec![object(0), elem(3)])];
    steps.extend(then);
    sequence(steps)
}

fn panic() -> Witness {
    of(&overflow()).unwrap()
}

#[test]
fn a_panic_is_shown_by_the_calls_alone() {
    assert_eq!(panic().file_stem, "gainsay_bounded_stack_pop_3f9c21d0");
    assert_eq!(panic().statements, 3);
    insta::assert_snapshot!(panic().text);
}

#[test]
fn every_kind_names_the_command_that_shows_it_and_broken_memory_one_for_miri_too() {
    let miri = "`cargo +nightly miri test --test gainsay_";
    let memory = [
        Oracle::Probe("double drop".parse().unwrap()),
        Oracle::Probe("leak of 1 element".parse().unwrap()),
        Oracle::Death("signal 11".parse().unwrap()),
    ];
    let others = [
        Oracle::Death("exit code 3".parse().unwrap()),
        Oracle::Law("is_empty-agrees-with-len".parse().unwrap()),
        Oracle::Hang,
        Oracle::Memory,
        Oracle::Sentinel("!old(self.contains(of)) ==> result == -1".into()),
    ];
    for oracle in memory {
        let text = written(oracle, "it is wrong", pushed(vec![])).text;
        assert!(text.contains("//! Fails with `cargo test --test gainsay_"), "{text}");
        assert!(text.contains(miri) && text.contains("nightly toolchain"), "{text}");
    }
    for oracle in others {
        let text = written(oracle, "it is wrong", pushed(vec![])).text;
        assert!(text.contains("//! Fails with `cargo test --test gainsay_"), "{text}");
        assert!(!text.contains("miri"), "{text}");
    }
    assert!(panic().text.contains("//! Fails with `cargo test --test gainsay_"));
}

fn law_of_emptiness() -> Witness {
    written(
        Oracle::Law("is_empty-agrees-with-len".parse().unwrap()),
        "leaves `is_empty` and `len` in disagreement",
        pushed(vec![]),
    )
}

fn law_of_hashing() -> Witness {
    written(
        Oracle::Law("hash-agrees-with-eq".parse().unwrap()),
        "makes a value that hashes unlike its equal",
        pushed(vec![(CLONE, vec![object(0)])]),
    )
}

fn double_drop() -> Witness {
    written(
        Oracle::Probe("double drop".parse().unwrap()),
        "drops an element twice",
        pushed(vec![(POP, vec![object(0)])]),
    )
}

fn hang() -> Witness {
    written(Oracle::Hang, "does not come back", pushed(vec![(LEN, vec![object(0)])]))
}

fn failure_value() -> Witness {
    written(
        Oracle::Sentinel("!old(self.contains(of)) ==> result == -1".into()),
        "returns -1 for an element that is there",
        pushed(vec![(POSITION, vec![object(0), elem(3)])]),
    )
}

#[test]
fn a_broken_law_is_asserted_on_the_object_of_the_last_call() {
    insta::assert_snapshot!(law_of_emptiness().text);
    insta::assert_snapshot!(law_of_hashing().text);
}

#[test]
fn what_the_last_call_makes_has_a_name_only_where_the_law_is_about_it() {
    let law = LawId::IsEmptyAgreesWithLen;
    let check = |about: LawParty, expected: bool| {
        let copied = pushed(vec![(CLONE, vec![object(0)])]);
        let plain = fault("3f9c21d07a51b6e4", Oracle::Law(law.clone()), "does not hold", copied);
        let parties = vec![about];
        let text = of(&gainsay_model::fault::Fault { parties, ..plain }).unwrap().text;
        assert_eq!(!text.contains("let _ = stack.clone();"), expected, "{text}");
    };
    check(LawParty::Operand(0), false);
    check(LawParty::Made(0), true);
    let mut record = FaultRecord::new(&overflow(), &manifest());
    record.oracle = OracleRecord::Law { name: law.clone() };
    record.parties = vec![LawParty::Operand(0)];
    let book = spellings();
    let split = pushed(vec![(SPLIT, vec![object(0), Arg::Plain(Value::Int(0))])]);
    let style = body::style(&record, &split, Book(&book), ProbeForm::Tuple);
    assert_eq!(style.kept.len(), 2, "what is left of an object that the call takes has names");
}

#[test]
fn a_misused_element_is_shown_with_a_tracked_one() {
    insta::assert_snapshot!(double_drop().text);
}

#[test]
fn a_hang_is_shown_by_a_thread_that_does_not_answer() {
    insta::assert_snapshot!(hang().text);
}

#[test]
fn a_failure_value_for_a_success_is_asserted_against() {
    insta::assert_snapshot!(failure_value().text);
}

#[test]
fn a_test_is_named_after_its_type_and_method() {
    let check = |operation: &str, expected: &str| {
        let mut record = FaultRecord::new(&overflow(), &manifest());
        record.operation = operation.to_owned();
        assert_eq!(operation_name(&record), expected);
    };
    check("Slab::insert", "slab_insert");
    check("IndexMap<K, V, S, N> as Extend<(&K, &V)>::extend", "index_map_extend");
    check("Row as Drop::drop", "row_drop");
    check("parse", "parse");
}

#[test]
fn a_law_that_cannot_be_written_has_no_witness() {
    let law = LawId::IsAsOnAList { command: ListCommand::SwapRemoveBack };
    let fault = fault("id", Oracle::Law(law.clone()), "falls", pushed(vec![]));
    assert_eq!(of(&fault), Err(NoWitness::NoAssertion(law.to_string())));
}

#[test]
fn the_failure_value_is_read_from_the_contract() {
    let check = |contract: &str, expected: Option<Value>| {
        assert_eq!(body::sentinel(contract), expected, "{contract}");
    };
    check("old(self.is_empty()) ==> result == -1", Some(Value::Int(-1)));
    check("(old(self.is_empty()) ==> result == None)", Some(Value::none()));
    check("result == \"x y\" <=> self.is_empty()", Some(Value::Str("x y".into())));
    check("result.is_none()", None);
}

/// Whether the test of a witness passes on the stack with this fault, and what it said.
fn passes(root: &Path, witness: &Witness, fault: &str) -> (bool, String) {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet", "--test", "witness"])
        .args(["--", "--exact", &witness.test_name])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("FAULT", fault)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    (output.status.success(), text)
}

#[test]
fn witnesses_fail_on_the_fault_for_its_reason_and_pass_without_it() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = "[package]\nname = \"stacks\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [workspace]\n[lints.rust]\nwarnings = \"deny\"\n";
    fs::create_dir_all(dir.path().join("src")).unwrap();
    fs::create_dir_all(dir.path().join("tests")).unwrap();
    fs::write(dir.path().join("Cargo.toml"), manifest).unwrap();
    fs::write(dir.path().join("src/lib.rs"), include_str!("stacks.rs.txt")).unwrap();
    let check = |witness: &Witness, fault: &str, words: &str| {
        fs::write(dir.path().join("tests/witness.rs"), &witness.text).unwrap();
        let (passed, text) = passes(dir.path(), witness, "none");
        assert!(passed && text.contains("1 passed"), "{fault} without the fault: {text}");
        let (passed, text) = passes(dir.path(), witness, fault);
        assert!(!passed && text.contains(words), "{fault}: {text}");
    };
    check(&panic(), "panic", "attempt to subtract with overflow");
    check(&law_of_emptiness(), "is_empty", "assertion `left == right` failed");
    check(&law_of_hashing(), "hash", "equal values must have equal hashes");
    check(&double_drop(), "probe", "an element was dropped that is not alive");
    check(&failure_value(), "sentinel", "an ordinary result looks like a failure");
    check(&hang(), "hang", "no end after ten seconds");
}

#[test]
fn a_bad_text_after_misbehaviour_is_asserted_of_the_object() {
    let mut steps = pushed(vec![]);
    let last = steps.steps.last_mut().unwrap();
    last.twist = Twist::Fuse(Callback::Clone, 0);
    let what = Oracle::Probe(Misuse::BadText);
    let broken = fault("3f9c21d07a51b6e4", what, "there is a text that is not UTF-8", steps);
    let text = with(&broken, Aid::None).unwrap().text;
    assert!(text.contains("with_fuse(") && text.contains("a text must be UTF-8"), "{text}");
    assert!(!text.contains("MISUSES.load") && !text.contains("(result"), "{text}");
}
