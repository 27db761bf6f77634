//! Terms: what can be said of one call. A [`Vocabulary`] lists the terms of an operation in a
//! fixed order, and an observation has one value for each.

use std::collections::BTreeMap;

use crate::Wire;

/// Before or after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum When {
    /// In the state before.
    Before,
    /// In the state after.
    After,
}
wire_enum!(When { 0 = Before, 1 = After });

/// Whose view it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// An operand: the receiver is operand 0 of a method.
    Operand(u32),
    /// The value that was returned.
    Result,
    /// The n-th object that was returned.
    Made(u32),
}
wire_enum!(Root { 0 = Operand(index), 1 = Result, 2 = Made(index) });

/// One thing that has a value in a call: `self.len()`, `old(other.is_empty())`, `index`,
/// `self.contains(value)`, `result`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The moment of the look. Plain arguments and the result exist once: arguments `Before`, the
    /// result `After`.
    pub when: When,
    /// Whose view.
    pub root: Root,
    /// The query, or `None` for the plain value itself. `==` and `seq` are queries too.
    pub query: Option<String>,
    /// The operand that is the query's argument, if it takes one.
    pub with: Option<u32>,
}
wire_struct!(Term { when, root, query, with });

impl Term {
    /// A plain argument.
    pub fn operand(index: u32) -> Term {
        Term { when: When::Before, root: Root::Operand(index), query: None, with: None }
    }

    /// The returned value.
    pub fn result() -> Term {
        Term { when: When::After, root: Root::Result, query: None, with: None }
    }

    /// An argument-less query of an operand.
    pub fn query(when: When, operand: u32, query: &str) -> Term {
        Term { when, root: Root::Operand(operand), query: Some(query.to_owned()), with: None }
    }

    /// A query of one operand on another.
    pub fn relation(when: When, operand: u32, query: &str, with: u32) -> Term {
        Term { when, root: Root::Operand(operand), query: Some(query.to_owned()), with: Some(with) }
    }

    /// True for a view that is more than one call: `.major`, `.front()?.len()`. It is written as it
    /// stands, with the point that it begins with.
    pub fn is_path(&self) -> bool {
        self.query.as_deref().is_some_and(|query| query.starts_with('.'))
    }

    /// The same term at the other time.
    pub fn at(&self, when: When) -> Term {
        Term { when, ..self.clone() }
    }

    /// True if the term is known before the call.
    pub fn is_before(&self) -> bool {
        self.when == When::Before
    }
}

/// The terms of one operation in their fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
// The index doubles the list: positions of terms are asked for on every evaluation of a contract,
// which is on every call.
pub struct Vocabulary {
    terms: Vec<Term>,
    index: BTreeMap<Term, usize>,
}

impl Vocabulary {
    /// A vocabulary of these terms, without repeats.
    pub fn new(terms: Vec<Term>) -> Vocabulary {
        let index = terms.iter().cloned().enumerate().map(|(i, term)| (term, i)).collect();
        Vocabulary { terms, index }
    }

    /// All terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The index of a term's value in an observation.
    pub fn position(&self, term: &Term) -> Option<usize> {
        self.index.get(term).copied()
    }
}

impl Wire for Vocabulary {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.terms.write_to(out);
    }
    fn read_from(from: &mut crate::Reader<'_>) -> Result<Self, crate::Corrupt> {
        Vec::read_from(from).map(Vocabulary::new)
    }
}

/// The position of a predicate, which decides the meaning of a bare view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// Before the call: `self.len()` is the state before.
    Entry,
    /// After the call: `self.len()` is the state after, `old(self.len())` the one before.
    Exit,
}
wire_enum!(Point { 0 = Entry, 1 = Exit });

/// The names of an operation's operands, for printing and parsing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
    objects: Vec<bool>,
}

impl Names {
    /// Operands by name, each with whether it is an object of the pool.
    pub fn new(operands: impl IntoIterator<Item = (String, bool)>) -> Names {
        let (names, objects) = operands.into_iter().unzip();
        Names { names, objects }
    }

    /// The name of an operand.
    pub fn name(&self, operand: u32) -> String {
        self.names.get(operand as usize).cloned().unwrap_or_else(|| format!("arg{operand}"))
    }

    /// True for an object of the pool, false for a plain value.
    pub fn is_object(&self, operand: u32) -> bool {
        self.objects.get(operand as usize).copied().unwrap_or(false)
    }

    /// The operand of that name.
    pub fn operand(&self, name: &str) -> Option<u32> {
        let found = self.names.iter().position(|known| known == name);
        found.and_then(|i| u32::try_from(i).ok()).or_else(|| name.strip_prefix("arg")?.parse().ok())
    }
}
