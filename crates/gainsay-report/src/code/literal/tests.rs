//! One example of each form.

use gainsay_model::ty::GenericArg;

use super::*;

fn check(value: &Value, ty: &Ty, expected: &str) {
    let mut imports = Imports::default();
    let (probe, suffix) = (ProbeForm::Tuple, Suffix::Left);
    let (imports, lets) = (&mut imports, &mut Lets::default());
    let written = Literals { imports, probe, suffix, lets }.write(value, ty);
    let expected: TokenStream = expected.parse().unwrap();
    assert_eq!(written.to_string(), expected.to_string(), "{value} as {ty}");
}

fn of(path: &str, args: &[Ty]) -> Ty {
    Ty::Path { path: path.into(), args: args.iter().cloned().map(GenericArg::Type).collect() }
}

#[test]
fn numbers_are_written_without_suffix_and_edges_by_name() {
    let usize = Ty::prim("usize");
    check(&Value::Int(3), &usize, "3");
    check(&Value::Int(i128::from(u64::MAX)), &usize, "usize::MAX");
    check(&Value::Int(i128::from(u64::MAX) - 1), &usize, "usize::MAX - 1");
    check(&Value::Int(-128), &Ty::prim("i8"), "i8::MIN");
    check(&Value::Int(-7), &Ty::prim("i8"), "-7");
    check(&Value::Float(1.0), &Ty::prim("f32"), "1.0");
    check(&Value::Float(f64::NAN), &Ty::prim("f32"), "f32::NAN");
}

#[test]
fn references_follow_the_type() {
    let probes = Value::Seq(vec![Value::Elem(1), Value::Elem(2)]);
    check(&Value::Str("a\"b".into()), &Ty::Str.shared(), r#""a\"b""#);
    check(&Value::Str("a".into()), &of("std::string::String", &[]), r#"String::from("a")"#);
    check(&Value::Elem(3), &Ty::Probe.shared(), "&Probe(3)");
    check(&probes, &Ty::Slice(Box::new(Ty::Probe)).exclusive(), "&mut [Probe(1), Probe(2)]");
    check(&probes, &of("std::vec::Vec", &[Ty::Probe]), "vec![Probe(1), Probe(2)]");
    check(&probes, &Ty::Iter { item: Box::new(Ty::Probe) }, "[Probe(1), Probe(2)].into_iter()");
}

#[test]
fn ranges_options_and_tuples_have_their_own_syntax() {
    let usize = Ty::prim("usize");
    let pair = Value::Tuple(vec![Value::Int(1), Value::Int(4)]);
    check(&pair, &of("std::ops::Range", std::slice::from_ref(&usize)), "1..4");
    check(&pair, &of("std::ops::RangeInclusive", std::slice::from_ref(&usize)), "1..=4");
    check(&Value::Int(4), &of("std::ops::RangeTo", std::slice::from_ref(&usize)), "..4");
    check(&Value::Unit, &of("std::ops::RangeFull", &[]), "..");
    check(&pair, &Ty::Tuple(vec![usize.clone(), usize.clone()]), "(1, 4)");
    check(&Value::some(Value::Int(1)), &of("std::option::Option", &[usize]), "Some(1)");
}

#[test]
fn there_is_a_recipe_for_every_type_that_the_runtime_makes() {
    // Its value has a form of its own.
    let by_value = ["std::cmp::Ordering"];
    for path in gainsay_model::std_types::plain_std_paths() {
        let known = recipes::is_known(&path) || by_value.contains(&path.as_str());
        assert!(known, "{path}");
    }
}

/// A value of each of std's types, with the type and the value in the runtime's terms.
fn examples() -> Vec<(Ty, Value)> {
    let int = Value::Int;
    let [u8, probe] = [Ty::prim("u8"), Ty::Probe];
    let u8s = || Value::Seq(vec![int(1), int(2)]);
    let text = || Value::Str("a".into());
    let pairs = || Value::Seq(vec![Value::Tuple(vec![int(1), Value::Elem(2)])]);
    let one = |path: &str| of(path, std::slice::from_ref(&u8));
    let two = |path: &str| of(path, &[u8.clone(), probe.clone()]);
    let cow = |to: Ty| Ty::Path {
        path: "std::borrow::Cow".into(),
        args: vec![GenericArg::Lifetime, GenericArg::Type(to)],
    };
    let bytes = of("std::vec::Vec", std::slice::from_ref(&u8));
    let path = Ty::named("std::path::Path");
    let mut all = Vec::new();
    let odd = [
        (cow(Ty::Str), text()),
        (cow(path.clone()), text()),
        (cow(Ty::Slice(Box::new(u8.clone()))), u8s()),
        (of("std::boxed::Box", std::slice::from_ref(&path)), text()),
        (of("std::rc::Rc", &[Ty::Str]), text()),
        (of("std::sync::Arc", &[Ty::Slice(Box::new(probe.clone()))]), Value::Seq(vec![])),
        (of("std::pin::Pin", &[one("std::boxed::Box")]), int(1)),
        (of("std::io::BufReader", &[of("std::io::Cursor", &[bytes])]), u8s()),
        (of("std::io::BufWriter", &[Ty::named("std::io::Sink")]), Value::Unit),
        (one("std::iter::Empty"), Value::Unit),
        (one("std::marker::PhantomData"), Value::Unit),
        (
            of("std::hash::BuildHasherDefault", &[Ty::named("std::hash::DefaultHasher")]),
            Value::Unit,
        ),
        (Ty::named("std::cmp::Ordering"), Value::Order(Ordering::Less)),
        (of("std::io::LineWriter", &[Ty::named("std::io::Sink")]), Value::Unit),
        (two("std::collections::BTreeMap"), pairs()),
        (two("std::collections::HashMap"), pairs()),
        (two("std::ops::ControlFlow"), Value::err(int(1))),
        (two("std::result::Result"), Value::err(Value::Elem(3))),
        (Ty::named("std::num::NonZeroU8"), int(3)),
        (Ty::named("std::sync::atomic::AtomicBool"), Value::Bool(true)),
        (Ty::named("std::sync::atomic::AtomicI64"), int(-3)),
        (Ty::named("std::ffi::CString"), text()),
        (Ty::named("std::ffi::OsString"), text()),
        (Ty::named("std::path::PathBuf"), text()),
        (Ty::named("std::time::SystemTime"), int(-1_500_000)),
        (Ty::named("std::net::IpAddr"), Value::err(int(1))),
        (Ty::named("std::net::SocketAddr"), Value::ok(Value::Tuple(vec![int(1), int(80)]))),
        (Ty::named("std::net::SocketAddrV6"), Value::Tuple((0..4).map(Value::Int).collect())),
        (Ty::prim("f32"), Value::Float(f64::MAX)),
    ];
    all.extend(odd);
    for name in ["Range", "RangeInclusive", "RangeFrom", "RangeTo", "RangeToInclusive"] {
        all.push((one(&format!("std::ops::{name}")), Value::Tuple(vec![int(1), int(4)])));
    }
    for name in ["BTreeSet", "BinaryHeap", "HashSet", "LinkedList", "VecDeque"] {
        all.push((one(&format!("std::collections::{name}")), u8s()));
    }
    all
}

/// What the examples leave over is written for the number one, of the type itself or of `u8`.
fn remaining(examples: &[(Ty, Value)]) -> Vec<(Ty, Value)> {
    let has_example = |path: &String| {
        examples.iter().any(|(ty, _)| matches!(ty, Ty::Path { path: known, .. } if known == path))
    };
    let paths = gainsay_model::std_types::plain_std_paths().filter(|path| !has_example(path));
    let made = paths.map(|path| {
        let named = Ty::named(&path);
        let ty = if gainsay_model::std_types::takes_arguments(&path) {
            of(&path, &[Ty::prim("u8")])
        } else {
            named
        };
        (ty, Value::Int(1))
    });
    made.collect()
}

/// A type that needs no imports, so that only those of values are there.
fn full(ty: &Ty) -> String {
    match ty {
        Ty::Path { path, args } if args.is_empty() => path.clone(),
        Ty::Path { path, args } => {
            let args = args.iter().map(|arg| match arg {
                GenericArg::Type(ty) => full(ty),
                GenericArg::Lifetime => "'static".into(),
                GenericArg::Const(text) => text.clone(),
            });
            format!("{path}<{}>", args.collect::<Vec<_>>().join(", "))
        }
        Ty::Slice(item) => format!("[{}]", full(item)),
        other => other.to_string(),
    }
}

#[test]
fn all_recipes_compile_without_a_warning() {
    let mut imports = Imports::default();
    let mut all = examples();
    all.extend(remaining(&all));
    let mut statements = TokenStream::new();
    for (ty, value) in &all {
        let (imports, lets) = (&mut imports, &mut Lets::default());
        let (probe, suffix) = (ProbeForm::Tuple, Suffix::Left);
        let written = Literals { imports, probe, suffix, lets }.write(value, ty);
        let full = tokens(&full(ty));
        statements.extend(quote!(let _: #full = #written;));
    }
    let uses = imports.uses().map(tokens);
    let file = quote! {
        #(use #uses;)*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Probe(pub i64);
        pub fn all() { #statements }
    };
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("all.rs");
    let text = super::super::layout(&syn::parse2(file).unwrap());
    std::fs::write(&source, &text).unwrap();
    let output = std::process::Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings"])
        .arg(&source)
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn arrays_have_all_their_items_however_many_are_known() {
    let array = |item, len| Ty::Array(Box::new(item), len);
    let one = Value::Seq(vec![Value::Int(5)]);
    check(&one, &array(Ty::prim("i32"), 3), "[5, 0, 0]");
    check(&Value::Seq(vec![]), &array(Ty::Probe, 2), "[Probe(0), Probe(0)]");
    check(&Value::Seq(vec![Value::Int(1); 4]), &array(Ty::prim("u8"), 2), "[1, 1]");
    check(&Value::Seq(vec![]), &array(Ty::prim("u8"), 16), "[0; 16]");
}
