//! Fixtures through the whole stage: request to Api, in a temporary directory.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, fs, path::Path, path::PathBuf};

use gainsay_discover::{DiscoverError, ErrorKind, Request, Unasked, discover, resolve, text};
use gainsay_model::{
    api::{Api, Lending, Operation},
    features::Features,
    skip::{Skip, SkipReason},
};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// A request about a directory, with results elsewhere so that fixtures stay clean.
fn request(dir: &Path, out: &TempDir) -> Request {
    Request {
        manifest_path: None,
        package: None,
        published: None,
        features: Features::default(),
        unasked: Unasked::Nothing,
        current_dir: dir.to_owned(),
        target_dir: Some(out.path().to_owned()),
    }
}

/// Writes files into a fresh directory.
fn package(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::Builder::new().prefix("gain say ü").tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn api_of(dir: &Path) -> Api {
    let out = TempDir::new().unwrap();
    discover(&resolve(&request(dir, &out)).unwrap()).unwrap()
}

fn error_of(dir: &Path, change: impl FnOnce(&mut Request)) -> DiscoverError {
    let out = TempDir::new().unwrap();
    let mut request = request(dir, &out);
    change(&mut request);
    match resolve(&request).and_then(|subject| discover(&subject)) {
        Ok(api) => panic!("expected an error, got {}", text(&api)),
        Err(error) => error,
    }
}

const MANIFEST: &str = "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
                        [features]\nfast = []\n\n[workspace]\n";

#[test]
fn every_form_in_the_zoo_is_seen() {
    insta::assert_snapshot!(text(&api_of(&fixture("api_zoo"))));
}

#[test]
fn every_safe_callable_is_an_operation_or_a_skip() {
    let api = api_of(&fixture("api_zoo"));
    let called = api
        .operations
        .iter()
        .filter(|operation: &&Operation| operation.counted)
        .map(|operation| operation.path.as_str());
    let is_safe = |skip: &&Skip| skip.reason != SkipReason::Unsafe;
    let skipped = api.skips.iter().filter(is_safe).map(|skip| skip.operation.as_str());
    let all: BTreeSet<&str> = called.chain(skipped).collect();
    assert_eq!(all.len(), api.public);
    assert_eq!(api.skips.iter().filter(|skip| !is_safe(skip)).count(), api.unsafe_count);
}

#[test]
fn two_runs_give_the_same_api() {
    let zoo = fixture("api_zoo");
    assert_eq!(text(&api_of(&zoo)), text(&api_of(&zoo)));
}

#[test]
fn features_change_what_there_is() {
    let out = TempDir::new().unwrap();
    let mut request = request(&fixture("api_zoo"), &out);
    request.features.named.push("extra".into());
    let api = discover(&resolve(&request).unwrap()).unwrap();
    assert!(api.operations.iter().any(|operation| operation.path == "extra"));
}

#[test]
fn the_kept_api_is_taken_again_until_a_source_changes() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn one() {}")]);
    let out = TempDir::new().unwrap();
    let subject = resolve(&request(dir.path(), &out)).unwrap();
    let first = discover(&subject).unwrap();
    assert_eq!(discover(&subject).unwrap(), first);
    fs::write(dir.path().join("src/lib.rs"), "pub fn two() {}").unwrap();
    let second = discover(&subject).unwrap();
    assert_eq!(second.operations[0].path, "two");
}

#[test]
fn each_subject_keeps_its_own_api() {
    let out = TempDir::new().unwrap();
    let kept = |version: &str| {
        let manifest = MANIFEST.replace("0.1.0", version);
        let dir = package(&[("Cargo.toml", &manifest), ("src/lib.rs", "pub fn one() {}")]);
        discover(&resolve(&request(dir.path(), &out)).unwrap()).unwrap();
    };
    kept("0.1.0");
    kept("0.2.0");
    for version in ["0.1.0", "0.2.0"] {
        let file = out.path().join(format!("gainsay/api/tiny-{version}.json"));
        assert!(file.is_file(), "{}", file.display());
    }
}

#[test]
fn types_of_dependencies_are_made_by_their_own_constructors_and_not_counted() {
    let manifest = MANIFEST
        .replace("[workspace]", "[dependencies]\nother-one = { path = \"other\" }\n\n[workspace]");
    let dir = package(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", "pub fn weigh(it: other_one::Stone) -> u32 { it.weight() }"),
        ("other/Cargo.toml", "[package]\nname = \"other-one\"\nversion = \"0.3.0\"\n"),
        (
            "other/src/lib.rs",
            "mod hidden { pub struct Stone(u32);\n\
             impl Stone { pub fn new(weight: u32) -> Stone { Stone(weight) }\n\
             pub fn weight(&self) -> u32 { self.0 } } }\n\
             pub use hidden::Stone;",
        ),
    ]);
    let api = api_of(dir.path());
    assert_eq!((api.public, api.skips.len()), (1, 0));
    let paths: Vec<&str> = api.operations.iter().map(|op| op.path.as_str()).collect();
    assert_eq!(paths, ["weigh", "other_one::Stone::new"]);
    let dependency = &api.dependencies[0];
    assert_eq!(
        (dependency.lib_name.as_str(), dependency.package.as_str(), dependency.version.as_str()),
        ("other_one", "other-one", "0.3.0")
    );
}

#[test]
fn what_the_subject_writes_of_a_dependencys_trait_is_an_operation() {
    let manifest = MANIFEST
        .replace("[workspace]", "[dependencies]\nother-one = { path = \"other\" }\n\n[workspace]");
    let dir = package(&[
        ("Cargo.toml", &manifest),
        (
            "src/lib.rs",
            "pub struct Bag(pub u32);\n\
             impl other_one::Weigh for Bag {\n\
             fn heavier(&self, by: u32) -> u32 { self.0 + by }\n\
             fn tell<W: std::fmt::Write>(&self, _: W) {} }",
        ),
        ("other/Cargo.toml", "[package]\nname = \"other-one\"\nversion = \"0.3.0\"\n"),
        (
            "other/src/lib.rs",
            "pub trait Weigh { fn heavier(&self, by: u32) -> u32;\n\
             fn twice(&self) -> u32 { 2 }\n\
             fn tell<W: std::fmt::Write>(&self, to: W); }",
        ),
    ]);
    let api = api_of(dir.path());
    let counted = api.operations.iter().filter(|op| op.counted);
    let paths: Vec<&str> = counted.map(|op| op.path.as_str()).collect();
    assert_eq!(paths, ["Bag as Weigh::heavier"]);
    assert_eq!(api.dependencies[0].lib_name, "other_one");
}

#[test]
fn a_function_that_gives_whatever_is_wanted_is_asked_for_a_type_of_the_subject() {
    let code = "pub trait Read: Sized { fn read(text: &str) -> Option<Self>; }\n\
                impl Read for u8 { fn read(text: &str) -> Option<u8> { text.parse().ok() } }\n\
                impl<T: Read> Read for [T; 2] { fn read(_: &str) -> Option<[T; 2]> { None } }\n\
                pub struct Tree;\n\
                impl Read for Tree { fn read(_: &str) -> Option<Tree> { Some(Tree) } }\n\
                pub fn from_str<T: Read>(text: &str) -> Option<T> { T::read(text) }";
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", code)]);
    let api = api_of(dir.path());
    let found = api.operations.iter().find(|op| op.path == "from_str").unwrap();
    assert_eq!(found.result.to_string(), "Option<tiny::Tree>");
}

/// A search for a type behind the trait object would come to the trait object again.
#[test]
fn a_trait_may_be_implemented_for_its_own_trait_objects() {
    let code = "pub trait Cut { fn cut(&self) -> u32; }\n\
                pub struct Knife;\n\
                impl Cut for Knife { fn cut(&self) -> u32 { 1 } }\n\
                impl Cut for Box<dyn Cut> { fn cut(&self) -> u32 { (**self).cut() } }\n\
                pub fn count<C: Cut>(with: C) -> u32 { with.cut() }\n\
                pub fn count_boxed(with: Box<dyn Cut>) -> u32 { with.cut() }";
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", code)]);
    let api = api_of(dir.path());
    let paths: Vec<&str> = api.operations.iter().map(|op| op.path.as_str()).collect();
    for wanted in ["count", "count_boxed"] {
        assert!(paths.contains(&wanted), "{wanted} is not among {paths:?}");
    }
}

#[test]
fn a_value_that_only_a_variant_holds_is_taken_out_of_it() {
    let source = "pub struct Free<'a>(&'a mut u8);\n\
                  impl Free<'_> { pub fn fill(self) {} }\n\
                  pub enum Slot<'a> { Free(Free<'a>), Taken }\n\
                  #[derive(Default)] pub struct Shelf(u8);\n\
                  impl Shelf { pub fn slot(&mut self) -> Slot<'_> { Slot::Free(Free(&mut self.0)) } }";
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)]);
    let api = api_of(dir.path());
    let lending = |path: &str| api.operations.iter().find(|op| op.path == path).unwrap().lending;
    assert_eq!(lending("Shelf::slot"), Lending::Operands);
    assert_eq!(lending("Slot::Free.0"), Lending::Inherited);
    assert_eq!(lending("Free::fill"), Lending::Inherited);
    assert_eq!((api.public, api.skips.len()), (3, 0));
}

#[test]
fn a_crate_without_public_items_gives_an_empty_api() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "fn private() {}")]);
    let api = api_of(dir.path());
    assert_eq!((api.public, api.operations.len(), api.skips.len()), (0, 0, 0));
}

#[test]
fn a_crate_that_does_not_compile_shows_the_compilers_words() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn f() -> Missing {}")]);
    let error = error_of(dir.path(), |_| {});
    assert_eq!(error.kind(), ErrorKind::DoesNotBuild);
    assert!(error.to_string().contains("cannot find type `Missing`"), "{error}");
}

#[test]
fn an_unknown_feature_lists_the_known_ones() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "")]);
    let error = error_of(dir.path(), |request| request.features.named.push("slow".into()));
    assert!(matches!(&error, DiscoverError::NoSuchFeature { feature, .. } if feature == "slow"));
    assert!(error.hint().unwrap().contains("`fast`"));
}

#[test]
fn a_binary_has_no_library() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}")]);
    let error = error_of(dir.path(), |_| {});
    assert!(matches!(error, DiscoverError::NoLibrary { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn a_procedural_macro_is_refused() {
    let manifest = MANIFEST.replace("[workspace]", "[lib]\nproc-macro = true\n\n[workspace]");
    let dir = package(&[("Cargo.toml", &manifest), ("src/lib.rs", "")]);
    let error = error_of(dir.path(), |_| {});
    assert!(matches!(error, DiscoverError::ProcMacro { .. }), "{error}");
}

#[test]
fn a_directory_without_manifest_is_an_error() {
    let dir = package(&[("notes.txt", "")]);
    let error = error_of(dir.path(), |_| {});
    assert!(matches!(error, DiscoverError::NoManifest { .. }), "{error}");
}

#[test]
fn a_virtual_workspace_asks_for_a_choice() {
    let member = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
    };
    let dir = package(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", &member("a")),
        ("a/src/lib.rs", "pub fn in_a() {}"),
        ("b/Cargo.toml", &member("b")),
        ("b/src/lib.rs", "pub fn in_b() {}"),
    ]);
    let error = error_of(dir.path(), |_| {});
    assert!(matches!(error, DiscoverError::SeveralPackages { .. }), "{error}");
    assert!(error.hint().unwrap().contains("`-p NAME`: `a`, `b`"));
    let error = error_of(dir.path(), |request| request.package = Some("c".into()));
    assert!(error.hint().unwrap().contains("`a`, `b`"), "{error}");

    let out = TempDir::new().unwrap();
    let mut request = request(dir.path(), &out);
    request.package = Some("b".into());
    let api = discover(&resolve(&request).unwrap()).unwrap();
    assert_eq!(api.operations[0].path, "in_b");
    // A directory below a member is enough to choose it.
    assert_eq!(api_of(&dir.path().join("a/src")).operations[0].path, "in_a");
}

#[test]
fn results_that_cannot_be_written_are_an_error_with_a_hint() {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", ""), ("taken", "a file")]);
    let taken = dir.path().join("taken");
    let error = error_of(dir.path(), |request| request.target_dir = Some(taken));
    assert!(matches!(error, DiscoverError::ReadOnlyTarget { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--target-dir"));
}

/// The callees and results of one path's operations.
fn built(source: &str, path: &str) -> Vec<String> {
    let dir = package(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)]);
    let shown = text(&api_of(dir.path()));
    let start = format!("  {path} = ");
    let lines = shown.lines().filter_map(|line| line.strip_prefix(&start));
    lines.map(|line| line.split(" [").next().unwrap().to_owned()).collect()
}

#[test]
fn bounded_types_are_also_made_with_room_for_one() {
    let source = "pub struct Ring<T, const N: usize>([Option<T>; N]);\n\
        impl<T, const N: usize> Ring<T, N> {\n\
        pub fn new() -> Self { Ring([const { None }; N]) }\n\
        pub fn push(&mut self, item: T) { self.0[0] = Some(item); } }\n\
        impl<T, const N: usize> AsRef<[Option<T>]> for Ring<T, N> {\n\
        fn as_ref(&self) -> &[Option<T>] { &self.0 } }\n\
        pub struct Other; impl Other { pub fn new() -> Other { Other }\n\
        pub fn a(&self) {} pub fn b(&self) {} pub fn c(&self) {} }";
    let made = built(source, "Ring::new");
    assert_eq!(
        made,
        [
            "<tiny::Ring<Probe, 4>>::new() -> tiny::Ring<Probe, 4>",
            "<tiny::Ring<Probe, 1>>::new() -> tiny::Ring<Probe, 1>",
        ]
    );
    assert_eq!(built(source, "Ring as AsRef::as_ref").len(), 1);
}

#[test]
fn types_of_numbers_are_also_made_of_floats() {
    let source = "pub struct Weights<X: PartialOrd>(Vec<X>);\n\
        impl<X: PartialOrd + std::ops::Add<Output = X>> Weights<X> {\n\
        pub fn new(first: X) -> Self { Weights(vec![first]) } }\n\
        pub struct Other; impl Other { pub fn new() -> Other { Other }\n\
        pub fn a(&self) {} pub fn b(&self) {} pub fn c(&self) {} }";
    let made = built(source, "Weights::new");
    assert_eq!(
        made,
        [
            "<tiny::Weights<i32>>::new(first: i32) -> tiny::Weights<i32>",
            "<tiny::Weights<f64>>::new(first: f64) -> tiny::Weights<f64>",
        ]
    );
}

#[test]
fn who_gives_what_is_asked_for_is_asked_for_several_types() {
    let source = "pub struct Anything(Box<dyn std::any::Any>);\n\
        impl Anything {\n\
        pub fn new<T: Copy + 'static>(value: T) -> Self { Anything(Box::new(value)) }\n\
        pub fn take<T: std::fmt::Display + 'static>(self) -> Option<T> {\n\
        self.0.downcast().ok().map(|it| *it) } }";
    assert_eq!(
        built(source, "Anything::take"),
        ["String", "Probe", "i32"].map(|asked| {
            format!("<tiny::Anything>::take::<{asked}>(self: tiny::Anything) -> Option<{asked}>")
        })
    );
}

#[test]
fn options_that_an_argument_becomes_are_those_that_somebody_makes() {
    let source = "pub trait Cut { fn cut(&self) -> u8; }\n\
        #[derive(Default)] pub struct Coarse; impl Cut for Coarse { fn cut(&self) -> u8 { 9 } }\n\
        pub struct Fine(u8); impl Cut for Fine { fn cut(&self) -> u8 { self.0 } }\n\
        pub struct Options<C = Box<dyn Cut>>(C);\n\
        impl Options<Fine> { pub fn new(width: u8) -> Self { Options(Fine(width)) } }\n\
        impl From<u8> for Options<Fine> { fn from(width: u8) -> Self { Options::new(width) } }\n\
        pub fn fill<C: Cut, O: Into<Options<C>>>(text: &str, how: O) -> usize {\n\
        text.len() + usize::from(how.into().0.cut()) }";
    assert_eq!(
        built(source, "fill"),
        ["tiny::fill::<tiny::Fine, tiny::Options<tiny::Fine>>\
          (text: &str, how: tiny::Options<tiny::Fine>) -> usize"]
    );
}
