//! Names of operations, as the product writes them and as people do.
//!
//! The product writes `Type::method`, `Type as Trait::method` and `function`, with generic
//! arguments where a type has several impls of a trait. People write `Type::first, second`,
//! `Trait for Type`, `Trait::method for Type`, `Type::iter().rev()` and more.

/// An operation by its names, without generic arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) owner: Option<String>,
    pub(super) of_trait: Option<String>,
    pub(super) method: String,
}

/// What people mean by an entry point: the names that are there must agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meant {
    /// A type, or a trait that brings the method.
    pub(super) owners: Vec<String>,
    pub(super) of_trait: Option<String>,
    /// Any of them; any at all if there are none.
    pub(super) methods: Vec<String>,
    /// The owner was not written, but taken from the entry point before.
    pub(super) inherits: bool,
}

/// How far an operation is what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// The method is called so, but belongs to another type than the entry point before it: to an
    /// iterator or guard which that one gives, perhaps.
    ByMethod,
    Yes,
}

impl Name {
    /// Reads what the product writes, also in scripts: `IntoIter as Iterator::next for a::B<'_>`.
    pub(super) fn parse(text: &str) -> Name {
        let bare = without_generics(text);
        let bare = bare.split(" for ").next().unwrap_or_default().trim();
        let (path, method) = bare.rsplit_once("::").unwrap_or(("", bare));
        let (owner, of_trait) = match path.split_once(" as ") {
            Some((owner, of_trait)) => (owner, Some(last(of_trait).to_owned())),
            None => (path, None),
        };
        let owner = Some(last(owner)).filter(|owner| is_type(owner) || of_trait.is_some());
        Name { owner: owner.map(str::to_owned), of_trait, method: method.to_owned() }
    }
}

impl Meant {
    /// Whether an operation is meant.
    pub(super) fn fits(&self, name: &Name) -> Fit {
        let by_trait = self.of_trait.is_none() || self.of_trait == name.of_trait;
        let by_method = self.methods.is_empty() || self.methods.contains(&name.method);
        let owned = |owner: &String| {
            name.owner.as_deref().is_some_and(|actual| is_alias(owner, actual))
                || (name.of_trait.as_ref() == Some(owner))
        };
        let by_owner = match self.owners[..] {
            [] => name.owner.is_none() || self.of_trait.is_some(),
            _ => self.owners.iter().any(owned),
        };
        match (by_trait && by_method, by_owner) {
            (true, true) => Fit::Yes,
            // A function may be named like a type.
            _ if name.owner.is_none() && self.owners == [name.method.clone()] => Fit::Yes,
            (true, false) if self.inherits && !self.methods.is_empty() => Fit::ByMethod,
            _ => Fit::No,
        }
    }
}

/// A public name may be an alias of a generic type, which is then called `RowInner`, `RowView` or
/// `GenericRow`.
fn is_alias(meant: &str, actual: &str) -> bool {
    let bare = actual.strip_prefix("Generic").unwrap_or(actual);
    [actual, bare]
        .into_iter()
        .filter_map(|actual| actual.strip_prefix(meant))
        .any(|ending| ["", "Inner", "View"].contains(&ending))
}

/// Reads what people write.
pub(super) fn meant(entry_points: &str) -> Vec<Meant> {
    let mut all: Vec<Meant> = Vec::new();
    for piece in split(entry_points, &[',', ';']) {
        let before = all.iter().rev().find(|meant| !meant.owners.is_empty()).or(all.last());
        let owners = before.map(|meant| meant.owners.clone());
        all.extend(one(&piece, owners.as_deref()));
    }
    all
}

/// One entry point; `before` is whose the one before it is.
fn one(piece: &str, before: Option<&[String]>) -> Vec<Meant> {
    let bare = without_generics(piece);
    let bare = bare.trim();
    if let Some((of_trait, types)) = bare.split_once(" between ") {
        let owners = types.split(" and ").map(|ty| last(ty).to_owned()).collect();
        return vec![Meant { owners, of_trait: Some(of_trait.to_owned()), ..Meant::default() }];
    }
    if let Some((head, types)) = bare.split_once(" for ") {
        let types = types.split('/').map(last);
        let mut owners: Vec<String> = types.filter(|ty| is_word(ty)).map(str::to_owned).collect();
        owners.extend(compared_with(piece));
        return head.split('/').map(|head| of_trait(head, &owners)).collect();
    }
    if let Some((inside, method)) = bare.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
        let name = Name::parse(&format!("{inside}::{method}"));
        let owners = name.owner.into_iter().collect();
        let methods = vec![name.method];
        return vec![Meant { owners, of_trait: name.of_trait, methods, inherits: false }];
    }
    // `Type::iter().rev()`: what follows belongs to what is given out.
    let mut links = bare.split('.').map(|link| link.trim_end_matches("()"));
    let first = links.next().unwrap_or_default();
    let mut all: Vec<Meant> = path(first, before).into_iter().collect();
    let owners = all
        .first()
        .map_or_else(|| before.unwrap_or_default().to_vec(), |meant| meant.owners.clone());
    let later = links.filter(|link| !link.is_empty());
    all.extend(later.map(|link| Meant {
        owners: owners.clone(),
        of_trait: None,
        methods: link.split('/').flat_map(with_heart).map(str::to_owned).collect(),
        inherits: true,
    }));
    all
}

/// A method of an iterator, and the one of a trait that all of it rests on.
fn with_heart(method: &str) -> impl Iterator<Item = &str> {
    let heart = (method == "rev").then_some("next_back");
    std::iter::once(method).chain(heart)
}

/// The type that another one is compared with: a comparison is about both.
fn compared_with(piece: &str) -> Option<String> {
    let (head, _) = piece.split_once(" for ")?;
    let (of_trait, arg) = head.trim().split_once('<')?;
    let ty = last(arg.trim_end_matches('>').trim_start_matches('&'));
    let compares = ["PartialEq", "PartialOrd"].contains(&last(of_trait));
    (compares && is_word(ty)).then(|| ty.to_owned())
}

/// `Trait` or `Trait::method` of some types.
fn of_trait(head: &str, owners: &[String]) -> Meant {
    let (of_trait, methods) = match head.rsplit_once("::") {
        Some((of_trait, method)) if !is_type(method) => (of_trait, vec![method.to_owned()]),
        _ => (head, Vec::new()),
    };
    let of_trait = Some(last(of_trait).to_owned());
    Meant { owners: owners.to_vec(), of_trait, methods, inherits: false }
}

/// `Type::method`, `module::function`, `method`, `Type`, `Trait`; nothing for a constant.
fn path(text: &str, inherited: Option<&[String]>) -> Option<Meant> {
    let owners = inherited.unwrap_or_default();
    let (before, end) = text.rsplit_once("::").unwrap_or(("", text));
    if is_constant(end) {
        return None;
    }
    if is_type(end) && STD_TRAITS.contains(&end) {
        return Some(of_trait(end, owners));
    }
    if is_type(end) {
        return Some(Meant { owners: vec![end.to_owned()], ..Meant::default() });
    }
    let owner = Some(last(before)).filter(|owner| is_type(owner));
    let methods = end.split('/').map(str::to_owned).collect();
    let inherits = before.is_empty() && inherited.is_some();
    let owners = match owner {
        Some(owner) => vec![owner.to_owned()],
        None if inherits => owners.to_vec(),
        None => Vec::new(),
    };
    Some(Meant { owners, of_trait: None, methods, inherits })
}

/// Traits that are named like types.
const STD_TRAITS: &[&str] = &[
    "Add",
    "AsRef",
    "Borrow",
    "Clone",
    "Debug",
    "Default",
    "Deref",
    "Display",
    "Div",
    "Drop",
    "Eq",
    "Extend",
    "From",
    "FromIterator",
    "FromStr",
    "Hash",
    "Index",
    "IndexMut",
    "Iterator",
    "Mul",
    "Neg",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "Sub",
];

fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase()) && !is_constant(word)
}

fn is_constant(word: &str) -> bool {
    word.len() > 1 && word.starts_with(|c: char| c.is_uppercase()) && word.to_uppercase() == word
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '[')
}

/// The last segment of a path, without references.
fn last(path: &str) -> &str {
    let path = path.trim().trim_start_matches('&').trim_start();
    let path = path.strip_prefix("mut ").unwrap_or(path).trim_start();
    path.rsplit("::").next().unwrap_or(path)
}

/// Cuts at any of the signs that stand outside of brackets.
fn split(text: &str, signs: &[char]) -> Vec<String> {
    let (mut pieces, mut depth) = (vec![String::new()], 0_i32);
    for c in text.chars() {
        depth += i32::from("<([".contains(c)) - i32::from(">)]".contains(c));
        match pieces.last_mut() {
            Some(piece) if depth > 0 || !signs.contains(&c) => piece.push(c),
            _ => pieces.push(String::new()),
        }
    }
    let pieces = pieces.into_iter().map(|piece| piece.trim().to_owned());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Leaves `<..>` and `::<..>` out, but not `<A as B>` at the beginning.
fn without_generics(text: &str) -> String {
    let (whole, rest) = match text.strip_prefix('<') {
        Some(rest) => ("<", rest),
        None => ("", text),
    };
    let (mut bare, mut depth) = (whole.to_owned(), 0_u32);
    let mut before = ' ';
    for c in rest.chars() {
        match c {
            '<' => {
                depth += 1;
                if depth == 1 && bare.ends_with("::") {
                    bare.truncate(bare.len() - 2);
                }
            }
            // The head of an arrow is no bracket.
            '>' if before == '-' => {}
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
        before = c;
    }
    bare
}

#[cfg(test)]
#[path = "names/tests.rs"]
mod tests;
