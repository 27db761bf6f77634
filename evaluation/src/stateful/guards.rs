//! Faults that show only where something comes together: a mutant with a guard is on only in calls
//! that begin where all of up to three conditions hold. Conditions are drawn, without regard to what
//! the mutant is, from the numbers of the operands: the argument-less queries of the type that give
//! one, and parameters. One is large, or two meet or are one apart: where containers change their ways,
//! and so also what attacks aim at.

use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

use gainsay_harness::patch::Guard;
use quote::ToTokens as _;
use syn::{
    FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Signature, Type, Visibility,
    visit::{self, Visit},
};

use super::mutants::last_name;

/// A condition has no number in its text, since texts of a crate are searched for values to test
/// with: `large2(n)` stands for `n >= LARGE[2]`. Inline arrays are left behind and tables grown at
/// such sizes.
const LARGE: [u32; 5] = [5, 9, 17, 33, 65];

/// At most so many conditions for one guard.
const MOST: usize = 3;

/// What guards of a function can speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Where the body begins.
    at: usize,
    /// Numbers of objects.
    queries: Vec<String>,
    /// Numbers that are given.
    params: Vec<String>,
}

impl Numbers {
    /// Those of a function of a type, whose queries are known.
    pub(super) fn of(function: &ImplItemFn, ty: &str, queries: &[String]) -> Numbers {
        let Range { end: at, .. } = function.block.brace_token.span.open().byte_range();
        let mut numbers = Numbers { at, ..Numbers::default() };
        // What a query tells is not asked in it.
        let own = queries.iter().filter(|query| function.sig.ident != query);
        let own: Vec<&String> = own.collect();
        let mut ask = |object: &str| {
            numbers.queries.extend(own.iter().map(|query| format!("{object}.{query}()")));
        };
        for input in &function.sig.inputs {
            match input {
                FnArg::Receiver(_) => ask("self"),
                FnArg::Typed(typed) => {
                    let Pat::Ident(name) = &*typed.pat else { continue };
                    let name = name.ident.to_string();
                    match last_name(&typed.ty) {
                        Some(of) if of == ty || of == "Self" => ask(&name),
                        _ if is_integer(&typed.ty) => numbers.params.push(name),
                        _ => {}
                    }
                }
            }
        }
        numbers
    }

    /// A guard, drawn by lot.
    pub(super) fn guard(&self, lot: u64) -> Option<Guard> {
        let all: Vec<&String> = self.queries.iter().chain(&self.params).collect();
        if all.is_empty() {
            return None;
        }
        let mut lot = u128::from(lot);
        let mut draw = |of: usize| {
            let (left, drawn) = (lot / of as u128, lot % of as u128);
            lot = left;
            usize::try_from(drawn).expect("less than `of`")
        };
        let (count, mut conditions) = (draw(MOST) + 1, BTreeMap::new());
        for _ in 0..count {
            let (one, other) = (draw(all.len()), draw(all.len()));
            let (a, b) = (all[one], all[other]);
            let (sort, size) = (draw(3), draw(LARGE.len()));
            let text = match (one == other, sort) {
                (true, _) => format!("crate::__gainsay_patches::large{size}({a} as i128)"),
                (false, 0) => format!("crate::__gainsay_patches::next({a} as i128, {b} as i128)"),
                (false, _) => format!("crate::__gainsay_patches::meet({a} as i128, {b} as i128)"),
            };
            // Two conditions on the same numbers could not both hold, or say the same.
            conditions.entry((one.min(other), one.max(other))).or_insert(text);
        }
        let text = conditions.into_values().collect::<Vec<_>>().join(" && ");
        Some(Guard { at: self.at, text })
    }
}

/// What conditions mean, for the file of the switches.
pub(super) fn conditions() -> String {
    let mut text = "pub(crate) fn meet(a: i128, b: i128) -> bool { a == b }
pub(crate) fn next(a: i128, b: i128) -> bool { a + 1 == b }
"
    .to_owned();
    for (i, size) in LARGE.iter().enumerate() {
        writeln!(text, "pub(crate) fn large{i}(a: i128) -> bool {{ a >= {size} }}")
            .expect("writing to a string");
    }
    text
}

/// The public queries of a type in a file that give a number and take nothing.
pub(super) fn queries(source: &str, ty: &str) -> syn::Result<Vec<String>> {
    let mut finder = Finder { ty, found: Vec::new() };
    finder.visit_file(&syn::parse_file(source)?);
    Ok(finder.found)
}

struct Finder<'a> {
    ty: &'a str,
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if item.trait_.is_none() && last_name(&item.self_ty).is_some_and(|name| name == self.ty) {
            for item in &item.items {
                let ImplItem::Fn(function) = item else { continue };
                let is_public = matches!(function.vis, Visibility::Public(_));
                let name = function.sig.ident.to_string();
                if is_public && is_query(&function.sig) && !self.found.contains(&name) {
                    self.found.push(name);
                }
            }
        }
        visit::visit_item_impl(self, item);
    }
}

/// Takes `&self` and nothing else, and gives an integer.
fn is_query(sig: &Signature) -> bool {
    let ReturnType::Type(_, output) = &sig.output else { return false };
    let by_reference = |arg: &FnArg| matches!(arg, FnArg::Receiver(it) if it.reference.is_some() && it.mutability.is_none());
    sig.unsafety.is_none()
        && sig.inputs.len() == 1
        && sig.inputs.first().is_some_and(by_reference)
        && is_integer(output)
}

fn is_integer(ty: &Type) -> bool {
    const INTEGERS: [&str; 10] =
        ["usize", "u8", "u16", "u32", "u64", "isize", "i8", "i16", "i32", "i64"];
    INTEGERS.contains(&ty.to_token_stream().to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "impl T {
        pub fn len(&self) -> usize { 0 }
        pub fn is_full(&self) -> bool { true }
        pub fn room(&self) -> usize { 0 }
        fn hidden(&self) -> usize { 0 }
        pub fn f(&mut self, at: usize, other: &Self, name: &str) { self.g(at); }
    }";

    fn numbers(name: &str) -> Numbers {
        let file = syn::parse_file(SOURCE).unwrap();
        let syn::Item::Impl(item) = &file.items[0] else { panic!("no implementation") };
        let functions = item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function),
            _ => None,
        });
        let function = functions.clone().find(|it| it.sig.ident == name).unwrap();
        Numbers::of(function, "T", &queries(SOURCE, "T").unwrap())
    }

    #[test]
    fn public_numbers_of_all_objects_and_integers_given_can_be_spoken_of() {
        assert_eq!(queries(SOURCE, "T").unwrap(), ["len", "room"]);
        let of_f = numbers("f");
        assert_eq!(of_f.queries, ["self.len()", "self.room()", "other.len()", "other.room()"]);
        assert_eq!(of_f.params, ["at"]);
        assert!(SOURCE[of_f.at..].starts_with(" self.g"));
        assert_eq!(numbers("len").queries, ["self.room()"]);
    }

    #[test]
    fn guards_are_expressions_without_numbers() {
        let numbers = numbers("f");
        let texts: Vec<String> = (0..200)
            .map(|lot: u64| numbers.guard(lot.wrapping_mul(0x9e37_79b9_7f4a_7c15)).unwrap().text)
            .collect();
        for text in &texts {
            syn::parse_str::<syn::Expr>(text).unwrap();
            assert!(text.matches("crate::").count() <= 3, "{text}");
        }
        for word in ["large0(", "large4(", "meet(", "next(", " && "] {
            assert!(texts.iter().any(|text| text.contains(word)), "{word}");
        }
        assert_eq!(Numbers::default().guard(7), None);
        syn::parse_file(&conditions()).unwrap();
    }
}
