//! What the source says of features: which of them ask for another compiler, and which leave out
//! code that is there without them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

use crate::cache;

/// Where so many conditions ask for a feature, one may ask for its absence: a hook that does nothing
/// without it, say. Features that change what is there have about as many of the one as of the other.
const WITH_FOR_EACH_WITHOUT: usize = 8;

/// Features by what the source does with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// `#![cfg_attr(feature = "x", feature(..))]`
    pub(crate) unstable: BTreeSet<String>,
    /// `#[cfg(all(feature = "x", feature = "y"))] compile_error!(..);`
    forbidden: BTreeSet<String>,
    conditions: BTreeMap<String, Conditions>,
}

/// How often code depends on a feature.
#[derive(Debug, Default, PartialEq, Eq)]
struct Conditions {
    /// `#[cfg(feature = "x")]`
    with: usize,
    /// `#[cfg(not(feature = "x"))]` and the like.
    without: usize,
}

/// Reads all sources of a package. What cannot be read is passed over.
pub(crate) fn written(root: &Path) -> Written {
    let mut files = Vec::new();
    cache::sources(&root.join("src"), &mut files);
    let texts = files.iter().filter_map(|path| fs::read_to_string(path).ok());
    let mut found = Written::default();
    for tokens in texts.filter_map(|text| text.parse().ok()) {
        found.read(tokens);
    }
    found
}

impl Written {
    /// Whether a feature changes what is there without it.
    pub(crate) fn is_alternative(&self, name: &str) -> bool {
        let counted = self.conditions.get(name);
        let changes = counted.is_some_and(|it| it.without * WITH_FOR_EACH_WITHOUT > it.with);
        changes || self.forbidden.contains(name)
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        while let Some((first, after)) = rest.split_first() {
            rest = match rest {
                [TokenTree::Ident(word), TokenTree::Group(group), left @ ..]
                    if word == "cfg_attr" =>
                {
                    self.attribute(group);
                    left
                }
                [TokenTree::Ident(word), TokenTree::Group(group), left @ ..] if word == "not" => {
                    self.without(group);
                    left
                }
                // `cfg!(feature = "x")`, and `if #[cfg(feature = "x")] { .. } else { .. }`
                [
                    TokenTree::Ident(word),
                    TokenTree::Punct(_),
                    TokenTree::Group(group),
                    left @ ..,
                ] if word == "cfg" || word == "if" && is_condition(group) => {
                    self.without(group);
                    left
                }
                [TokenTree::Group(group), TokenTree::Ident(word), ..]
                    if word == "compile_error" && is_condition(group) =>
                {
                    self.forbidden.extend(names(group.stream()));
                    after
                }
                [
                    TokenTree::Ident(word),
                    TokenTree::Punct(_),
                    TokenTree::Literal(text),
                    left @ ..,
                ] if word == "feature" => {
                    self.conditions.entry(name(text)).or_default().with += 1;
                    left
                }
                _ => {
                    if let TokenTree::Group(group) = first {
                        self.read(group.stream());
                    }
                    after
                }
            }
        }
    }

    fn without(&mut self, group: &Group) {
        for name in names(group.stream()) {
            self.conditions.entry(name).or_default().without += 1;
        }
    }

    /// The inside of `cfg_attr(condition, attribute)`. An attribute leaves no code out.
    fn attribute(&mut self, group: &Group) {
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut parts = tokens.split(is_comma);
        let condition = parts.next().unwrap_or_default();
        let asks = |part: &[TokenTree]| matches!(part, [TokenTree::Ident(word), TokenTree::Group(_), ..] if word == "feature");
        if parts.any(asks) {
            self.unstable.extend(names(condition.iter().cloned().collect()));
        }
    }
}

/// `[cfg(..)]` of an attribute.
fn is_condition(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(word)) if word == "cfg")
}

/// The names of every `feature = "x"`, however deep.
fn names(tokens: TokenStream) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = BTreeSet::new();
    for at in 0..tokens.len() {
        match &tokens[at..] {
            [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Literal(text), ..]
                if word == "feature" =>
            {
                found.insert(name(text));
            }
            [TokenTree::Group(group), ..] => found.extend(names(group.stream())),
            _ => {}
        }
    }
    found
}

fn name(text: &Literal) -> String {
    text.to_string().trim_matches('"').to_owned()
}

#[cfg(test)]
impl Written {
    /// Features of these kinds.
    pub(crate) fn of(unstable: &[&str], alternative: &[&str]) -> Written {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Written { unstable: set(unstable), forbidden: set(alternative), ..Written::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, unstable: &[&str], alternative: &[&str]) {
        let mut found = Written::default();
        found.read(text.parse().unwrap());
        let is = |name: &&str| found.is_alternative(name);
        let told: Vec<&str> = ["a", "b"].into_iter().filter(is).collect();
        assert_eq!(told, alternative, "{text}");
        let expected = unstable.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found.unstable, expected, "{text}");
    }

    #[test]
    fn code_that_is_only_there_with_a_feature_says_nothing() {
        check("#[cfg(feature = \"a\")] pub mod a;", &[], &[]);
        check("#[cfg(all(feature = \"a\", any(test, unix)))] fn f() {}", &[], &[]);
        check("// not(feature = \"a\")\n/// not(feature = \"a\")\nfn f() {}", &[], &[]);
        check("#![cfg_attr(not(feature = \"a\"), no_std)]", &[], &[]);
    }

    #[test]
    fn code_that_is_only_there_without_it_is_told() {
        check("#[cfg(not(feature = \"a\"))] fn f() {}", &[], &["a"]);
        let deep = "mod m { fn f() { #[cfg(not(any(feature = \"a\", feature = \"b\")))] g(); } }";
        check(deep, &[], &["a", "b"]);
        check("fn f() { if cfg!(feature = \"a\") { 1 } else { 2 } }", &[], &["a"]);
        check("cfg_if! { if #[cfg(feature = \"a\")] { x } else { y } }", &[], &["a"]);
        let forbidden = "#[cfg(all(feature = \"a\", feature = \"b\"))] compile_error!(\"x\");";
        check(forbidden, &[], &["a", "b"]);
    }

    #[test]
    fn a_lot_of_code_that_is_only_there_with_it_outweighs_a_little_without_it() {
        let without = "#[cfg(not(feature = \"a\"))] fn f() {}";
        let with = "#[cfg(feature = \"a\")] fn f() {}";
        check(&[without, &with.repeat(7)].concat(), &[], &["a"]);
        check(&[without, &with.repeat(8)].concat(), &[], &[]);
    }

    #[test]
    fn features_that_ask_for_features_of_the_compiler_are_told() {
        check("#![cfg_attr(feature = \"a\", feature(test, never_type))]", &["a"], &[]);
        check("#![cfg_attr(any(feature = \"a\", docsrs), allow(x), feature(y))]", &["a"], &[]);
        check("#![cfg_attr(feature = \"a\", doc = \"x\")]", &[], &[]);
    }
}
