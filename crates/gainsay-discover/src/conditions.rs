//! On what the subject's functions decide, said in public words: conditions of branches, loops
//! and assertions that speak of parameters and queries only. Private fields are read through the
//! queries that return just them. What cannot be said so is passed over.

mod bodies;
mod decisions;
mod words;
mod written;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use gainsay_model::{
    api::{Operation, Param, Span},
    contract::Written,
};

use bodies::Bodies;
use decisions::Decided;

/// So many conditions of one function, and so many ways through it.
const MOST: usize = 8;

/// The subject's source files, each read once.
pub(crate) struct Sources {
    root: PathBuf,
    files: RefCell<BTreeMap<PathBuf, Option<Rc<Bodies>>>>,
}

impl Sources {
    /// The files of the package in this directory.
    pub(crate) fn new(root: &Path) -> Sources {
        Sources { root: root.to_owned(), files: RefCell::default() }
    }

    /// On what the function that is written there decides, as text of contracts.
    pub(crate) fn decided(&self, span: Option<&Span>, params: &[Param]) -> Decided {
        let Some(span) = span else { return Decided::default() };
        let Some(bodies) = self.bodies(Path::new(&span.file)) else { return Decided::default() };
        let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
        let mut found = bodies.decided(span.first, &names);
        for texts in [&mut found.conditions, &mut found.ways] {
            let mut known = BTreeSet::new();
            texts.retain(|text| known.insert(text.clone()));
            texts.truncate(MOST);
        }
        found
    }

    /// What the programmer wrote of what an operation asks for and promises.
    pub(crate) fn written(&self, operation: &Operation) -> Vec<Written> {
        let Some(span) = &operation.span else { return Vec::new() };
        let Some(bodies) = self.bodies(Path::new(&span.file)) else { return Vec::new() };
        let names: Vec<&str> = operation.params.iter().map(|param| param.name.as_str()).collect();
        let mut known = BTreeSet::new();
        let mut found = bodies.written(span.first, &names, operation.documented_panics.as_deref());
        found.retain(|written| known.insert((written.kind, written.text.clone())));
        found
    }

    fn bodies(&self, file: &Path) -> Option<Rc<Bodies>> {
        let path = self.root.join(file);
        if let Some(known) = self.files.borrow().get(&path) {
            return known.clone();
        }
        let text = fs::read_to_string(&path).ok();
        let parsed = text.and_then(|text| syn::parse_file(&text).ok());
        let bodies = parsed.map(|file| Rc::new(Bodies::of(&file)));
        self.files.borrow_mut().insert(path, bodies.clone());
        bodies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, line: u32, params: &[&str], expected: &[&str]) {
        let bodies = Bodies::of(&syn::parse_file(code).unwrap());
        assert_eq!(bodies.decided(line, params).conditions, expected, "{code}");
    }

    fn ways(code: &str, params: &[&str], expected: &[&str]) {
        let bodies = Bodies::of(&syn::parse_file(code).unwrap());
        assert_eq!(bodies.decided(1, params).ways, expected, "{code}");
    }

    const LIST: &str = "impl<T> List<T> {
        pub fn len(&self) -> usize { self.count }
        pub fn is_full(&self) -> bool { self.count == self.buffer.len() }
        fn hidden(&self) -> bool { self.secret }
        pub fn put(&mut self, at: usize, other: &List<T>) {
            assert!(at <= self.count, \"index\");
            if self.secret { return; }
            if self.is_full() || at == 0 { grow(); }
            let room = self.len();
            while at < room && self.secret { }
            if other.len() > 3 {}
            if let Some(x) = self.first() {}
            debug_assert_eq!(self.len(), room);
            if !self.contains(at) {}
            let at = hash(at);
            if at > 5 {}
        }
    }";

    #[test]
    fn conditions_are_said_in_public_words_or_not_at_all() {
        check(
            LIST,
            5,
            &["self", "at", "other"],
            &[
                "at <= self.len()",
                "self.is_full() || (at == 0)",
                "at < self.len()",
                "other.len() > 3",
                "self.first().is_some()",
                "self.len() == self.len()",
                "!self.contains(at)",
            ],
        );
    }

    #[test]
    fn a_function_without_conditions_or_a_line_without_function_has_none() {
        check(LIST, 2, &["self"], &[]);
        check(LIST, 99, &["self"], &[]);
    }

    fn written(code: &str, line: u32, params: &[&str], documented: Option<&str>) -> Vec<String> {
        let bodies = Bodies::of(&syn::parse_file(code).unwrap());
        let found = bodies.written(line, params, documented);
        let text = |w: &Written| format!("{:?} {} {}", w.place, w.kind.keyword(), w.text);
        found.iter().map(text).collect()
    }

    #[test]
    fn attributes_of_crates_for_contracts_are_read() {
        let code = "impl<T> List<T> {
            #[requires(at < self.len(), \"in range\")]
            #[debug_ensures(self.len() == old(self.len()) - 1)]
            #[ensures(old(self.is_empty()) -> ret.is_none())]
            #[ensures(self.items[0] == at)]
            pub fn take(&mut self, at: usize) -> Option<T> { self.items.take(at) }
            #[anodized::spec(
                requires: [at > 0],
                captures: [before = self.len()],
                ensures: |out| [out.is_some(), self.len() == before],
            )]
            pub fn peek(&mut self, at: usize) -> Option<T> { self.items.peek(at) }
        }";
        let expected = [
            "Attribute requires at < self.len()",
            "Attribute ensures self.len() == (old(self.len()) - 1)",
            "Attribute ensures (old(self.is_empty())) ==> (result.is_none())",
        ];
        assert_eq!(written(code, 6, &["self", "at"], None), expected);
        let expected = [
            "Attribute requires at > 0",
            "Attribute ensures result.is_some()",
            "Attribute ensures self.len() == old(self.len())",
        ];
        assert_eq!(written(code, 12, &["self", "at"], None), expected);
    }

    #[test]
    fn leading_assertions_and_documented_panics_are_demands() {
        let code = "fn f(n: u32, m: u32) {
            assert!(n > 2, \"small\");
            assert_ne!(n, m);
            if m == 0 { panic!() }
            let x = 1;
            assert!(n < 9);
        }";
        let expected = [
            "Documentation requires !(n == 7)",
            "Assertion requires n > 2",
            "Assertion requires n != m",
            "Assertion requires !(m == 0)",
        ];
        let documented = "Panics if `n == 7`. Panics if `n` is odd, or if `n > q`.";
        assert_eq!(written(code, 1, &["n", "m"], Some(documented)), expected);
    }

    #[test]
    fn guards_and_free_functions_are_read_too() {
        let code = "fn f(n: u32) { match n { x if n > 2_u32 => {}, _ => {} } if n % 2 == 1 {} }";
        check(code, 1, &["n"], &["n > 2"]);
    }

    #[test]
    fn ways_tell_what_holds_in_a_branch_of_a_branch() {
        let code = "fn f(n: u32, m: u32) { if n > 2 { if m == n { g() } else { h() } } }";
        ways(code, &["n", "m"], &["(n > 2) && (m == n)", "(n > 2) && (!(m == n))"]);
    }

    #[test]
    fn who_comes_past_a_return_or_an_assertion_met_its_condition() {
        let code = "fn f(n: u32, m: u32) { assert!(m < 9); if n == 0 { return; } while m > n {} }";
        let expected =
            ["(m < 9) && (n == 0)", "(m < 9) && (!(n == 0))", "(m < 9) && (!(n == 0)) && (m > n)"];
        ways(code, &["n", "m"], &expected);
        let code = "fn f(n: u32, m: u32) { if n == 0 && secret() { if m == 1 {} } if m == 2 {} }";
        ways(code, &["n", "m"], &["(n == 0) && (m == 1)", "(n == 0) && (!(m == 1))"]);
    }

    const RING: &str = "impl<T, const CAP: usize> Ring<T> {
        const ROOM: usize = CAP;
        pub fn len(&self) -> usize { self.length as usize }
        pub fn capacity(&self) -> usize { CAP }
        fn has_room(&self) -> bool { self.length < Self::ROOM }
        fn is_straight(&self) -> bool { self.front <= self.back }
        pub fn put(&mut self, at: usize) { if !self.has_room() { return; } self.put_at(at, 7) }
        fn put_at(&mut self, index: usize, times: usize) {
            if index > self.len() && times > 3 {}
            if self.is_straight() {}
            match index { 0 => {} n if index == 5 => {} _ => {} }
            self.put_at(index, times)
        }
        pub fn front(&self) -> usize { self.front() }
        pub fn count(&self) { let mut n = 0; if n > 0 {} if self.len == 1 {} }
        pub fn inner(&self, n: usize) { { let n = f(n); if n > 1 {} } if n > self.len() {} }
    }
    impl<T> Counted for Ring<T> { fn len(&self) -> usize { self.secret } }";

    #[test]
    fn private_words_and_constants_are_said_by_what_they_stand_for() {
        let expected = [
            "!(self.len() < self.capacity())",
            "(at > self.len()) && (7 > 3)",
            "at == 0",
            "at == 5",
        ];
        check(RING, 7, &["self", "at"], &expected);
    }

    #[test]
    fn what_may_be_assigned_to_stands_for_nothing_and_names_are_those_of_queries() {
        check(RING, 15, &["self"], &["self.len() == 1"]);
        check(RING, 16, &["self", "n"], &["n > self.len()"]);
    }
}
