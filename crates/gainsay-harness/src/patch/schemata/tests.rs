//! All patches are in one source, and errors find their patch.

use super::{super::Guard, *};

const SOURCE: &str = "impl T {\n    fn f(&mut self, a: usize) -> bool {\n        \
    self.g(a);\n        a + 1 < 3 // why\n    }\n}\n";

fn patch(source: &str, place: Place, piece: &str, text: &str) -> Patch {
    let start = source.find(piece).unwrap();
    let end = if matches!(place, Place::Gap | Place::Insertion) { 0 } else { piece.len() };
    Patch { place, at: start..start + end, text: text.to_owned(), guard: None }
}

/// One of each form; the statement and the sum are inside of nothing, the sum inside the comparison.
fn patches() -> Vec<Patch> {
    let of = |place, piece, text| patch(SOURCE, place, piece, text);
    vec![
        of(Place::Statement, "self.g(a);", ""),
        of(Place::Expression, "a + 1", "a - 1"),
        of(Place::Expression, "a + 1 < 3", "a + 1 <= 3"),
        of(Place::Gap, "self.g(a);", "return true;"),
        of(Place::Insertion, "a + 1 < 3", "let b = a; "),
    ]
}

fn schema_of(source: &str, patches: &[Patch]) -> Schema {
    let numbered: Vec<(PatchNumber, &Patch)> = (1..).zip(patches).collect();
    Schema::new(source, &numbered)
}

#[test]
fn all_patches_are_in_it_and_it_can_be_read() {
    let schema = schema_of(SOURCE, &patches());
    syn::parse_file(&schema.text).unwrap();
    for number in 1..=4 {
        let switch = format!("crate::__gainsay_patches::p{number}()");
        assert_eq!(schema.text.matches(&switch).count(), 1, "{switch} in {}", schema.text);
    }
    assert_eq!(schema.text.matches("let b = a; ").count(), 1, "{}", schema.text);
}

#[test]
fn guards_are_looked_up_where_the_function_begins() {
    let at = SOURCE.find("bool {").unwrap() + "bool {".len();
    let guard = Some(Guard { at, text: "self.len() > a".to_owned() });
    let guarded = Patch { guard, ..patch(SOURCE, Place::Expression, "a + 1", "a - 1") };
    let schema = Schema::new(SOURCE, &[(5, &guarded)]);
    let body = schema.text.lines().nth(1).unwrap();
    let lookup = "bool { let __p5 = crate::__gainsay_patches::p5() && self.len() > a;";
    assert!(body.contains(lookup), "{body}");
    let site = schema.text.lines().nth(3).unwrap();
    assert!(site.contains("(if __p5 { a - 1 } else { a + 1 }) < 3"), "{site}");
    assert_eq!(schema.text.lines().count(), SOURCE.lines().count());
    syn::parse_file(&schema.text).unwrap();
    let lookup = schema.text.find("__p5 = ").unwrap();
    assert_eq!(schema.blame_enclosing(&(lookup..lookup + 4)), [5]);
}

#[test]
fn lines_stay_where_they_are() {
    let schema = schema_of(SOURCE, &patches());
    assert_eq!(schema.text.lines().count(), SOURCE.lines().count());
    assert!(schema.text.lines().nth(3).unwrap().ends_with("// why"));
}

#[test]
fn inner_patches_are_in_the_original_of_outer_ones() {
    let source = "impl T { fn f(a: u8) -> bool { a + a < a } }";
    let outer = patch(source, Place::Expression, "a + a < a", "a + a <= a");
    let inner = patch(source, Place::Expression, "a + a", "a - a");
    let text = Schema::new(source, &[(9, &inner), (7, &outer)]).text;
    let inner = "(if crate::__gainsay_patches::p9() { a - a } else { a + a })";
    let outer =
        format!("(if crate::__gainsay_patches::p7() {{ a + a <= a }} else {{ {inner} < a }})");
    assert!(text.contains(&outer), "{text}");
}

#[test]
fn two_patches_of_one_piece_stand_side_by_side() {
    let source = "fn f(a: u8) -> u8 { a }";
    let of = |text| patch(source, Place::Expression, "a }", text);
    let [mut one, mut other] = [of("0"), of("1")];
    (one.at.end, other.at.end) = (one.at.start + 1, other.at.start + 1);
    let text = schema_of(source, &[one, other]).text;
    let expected = "(if crate::__gainsay_patches::p1() { 0 } else \
        if crate::__gainsay_patches::p2() { 1 } else { a })";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn an_error_is_blamed_on_the_patch_in_whose_piece_it_is_or_on_those_of_the_site() {
    let schema = schema_of(SOURCE, &patches());
    let at = |text: &str| {
        let start = schema.text.find(text).unwrap();
        start..start + text.len()
    };
    assert_eq!(schema.blame_enclosing(&at("a - 1")), [2]);
    assert_eq!(schema.blame_enclosing(&at("self.g(a);")), [1]);
    assert_eq!(schema.blame_enclosing(&at("b = a")), [5]);
    let nowhere = at("fn f");
    assert_eq!(schema.blame_enclosing(&nowhere), [0; 0]);
    assert_eq!(schema.blame_nearest(&nowhere), [4]);
}

#[test]
fn switches_are_one_function_each() {
    let text = write_switches([3, 500].into_iter(), "fn is_large() {}\n");
    let file = syn::parse_file(&text).unwrap();
    assert!(file.items.len() >= 6);
    assert!(text.contains("fn p3() -> bool {\n    is_on(3)\n}"), "{text}");
    assert!(text.contains("[AtomicU64; 8]") && text.contains(SWITCHED_ON), "{text}");
    assert!(text.ends_with("fn is_large() {}\n"));
    assert!(ROOT.contains(SWITCHES_FILE));
    syn::parse_file(ROOT).unwrap();
}
