//! All mutants are in one source, and errors find their mutant.

use super::{super::mutants::mutants, *};

const SOURCE: &str = "impl T {\n    fn f(&mut self, a: usize) -> bool {\n        \
    self.g(a);\n        a + 1 < 3 // why\n    }\n}\n";

fn plain(source: &str) -> Vec<Mutant> {
    let all = mutants(source, "T", &[]).unwrap();
    all.into_iter().filter(|it| it.guard.is_none()).collect()
}

fn schema() -> (Schema, Vec<Mutant>) {
    let found = plain(SOURCE);
    let numbered: Vec<(u32, &Mutant)> = (1..).zip(&found).collect();
    (Schema::new(SOURCE, &numbered), found)
}

#[test]
fn all_mutants_are_in_it_and_it_can_be_read() {
    let (schema, found) = schema();
    syn::parse_file(&schema.text).unwrap();
    for number in 1..=found.len() {
        let switch = format!("crate::__mutants::m{number}()");
        assert_eq!(schema.text.matches(&switch).count(), 1, "{switch} in {}", schema.text);
    }
}

#[test]
fn guards_are_looked_up_where_the_function_begins() {
    let all = mutants(SOURCE, "T", &["len".to_owned()]).unwrap();
    let guarded = all.iter().position(|it| it.guard.is_some() && it.text == "a - 1").unwrap();
    let schema = Schema::new(SOURCE, &[(5, &all[guarded])]);
    let guard = &all[guarded].guard.as_ref().unwrap().text;
    let body = schema.text.lines().nth(1).unwrap();
    let lookup = format!("bool {{ let __m5 = crate::__mutants::m5() && {guard};");
    assert!(body.contains(&lookup), "{body}");
    let site = schema.text.lines().nth(3).unwrap();
    assert!(site.contains("(if __m5 { a - 1 } else { a + 1 }) < 3"), "{site}");
    assert_eq!(schema.text.lines().count(), SOURCE.lines().count());
    syn::parse_file(&schema.text).unwrap();
}

#[test]
fn lines_stay_where_they_are() {
    let (schema, _) = schema();
    assert_eq!(schema.text.lines().count(), SOURCE.lines().count());
    assert!(schema.text.lines().nth(3).unwrap().ends_with("// why"));
}

#[test]
fn inner_mutants_are_in_the_original_of_outer_ones() {
    let source = "impl T { fn f(a: u8) -> bool { a + a < a } }";
    let found = plain(source);
    let numbered: Vec<(u32, &Mutant)> = [7, 9].into_iter().zip(found.iter().rev()).collect();
    let text = Schema::new(source, &numbered).text;
    let inner = "(if crate::__mutants::m9() { a - a } else { a + a })";
    let outer = format!("(if crate::__mutants::m7() {{ a + a <= a }} else {{ {inner} < a }})");
    assert!(text.contains(&outer), "{text}");
}

#[test]
fn an_error_is_blamed_on_the_mutant_in_whose_piece_it_is_or_on_those_of_the_site() {
    let (schema, found) = schema();
    let at = |text: &str| {
        let start = schema.text.find(text).unwrap();
        start..start + text.len()
    };
    let number = |change: &str| {
        let position = found.iter().position(|it| it.text == change).unwrap();
        u32::try_from(position + 1).unwrap()
    };
    assert_eq!(schema.blamed(&at("a - 1")), [number("a - 1")]);
    assert_eq!(schema.blamed(&at("self.g(a);")), [number("")]);
    let nowhere = at("fn f");
    assert_eq!(schema.blamed(&nowhere), [0; 0]);
    let first = found.iter().zip(1..).min_by_key(|(it, _)| it.at.start).map(|(_, number)| number);
    assert!(schema.nearest(&nowhere).contains(&first.unwrap()));
}

#[test]
fn switches_are_one_function_each() {
    let text = switches([3, 5].into_iter());
    let file = syn::parse_file(&text).unwrap();
    assert!(file.items.len() >= 6);
    assert!(text.contains("fn m3() -> bool { on(3) }"));
    assert!(text.contains(VARIABLE));
    syn::parse_file(ROOT).unwrap();
}
