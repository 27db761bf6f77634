//! A sequence as Rust statements, as a careful person would write them.

mod assertion;
mod call;
mod claim;
mod closure;
mod composite;
mod lets;
mod literal;
mod part;
mod traits;
mod twist;
mod types;
mod unpack;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::Elements,
    spelling::{SpelledParam, Spelling},
};
use gainsay_wire::{ObjRef, OpId, Sequence, Twist};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

pub(crate) use assertion::Asserted;
pub use assertion::Items;
pub use claim::{Claim, claim};
pub(crate) use lets::Lets;
pub use literal::ProbeForm;
pub(crate) use literal::{Literals, Suffix};
pub(crate) use types::Imports;
pub(crate) use variables::{Variable, snake_case};

use self::call::Writer;
use crate::needs::twist_of;

/// The spellings of a harness; the index is the [`OpId`].
#[derive(Clone, Copy, Debug)]
pub struct Book<'a>(pub &'a [Spelling]);

impl<'a> Book<'a> {
    pub(crate) fn spelling(self, op: OpId) -> Option<&'a Spelling> {
        self.0.get(op.0 as usize)
    }

    /// What the argument of a step at `index` is passed as.
    pub(crate) fn operand(self, op: OpId, index: usize) -> Option<&'a SpelledParam> {
        self.spelling(op)?.operand_params().get(index).copied()
    }
}

/// What a printed sequence is for.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// How probe elements are made.
    pub(crate) probe: ProbeForm,
    /// What happens to objects that no later step uses.
    pub(crate) unused: Unused,
    /// Objects that get a name although no later step uses them.
    pub(crate) kept: Vec<ObjRef>,
    /// Whether the last result is needed afterwards.
    pub(crate) last: LastResult,
    /// Steps that are passed over: nothing depends on them.
    pub(crate) silent: BTreeSet<usize>,
    /// What calls are asserted to return, by step.
    pub(crate) asserted: BTreeMap<usize, Asserted>,
    /// What objects are asserted to hold, by the step after which it is.
    pub(crate) elements: BTreeMap<usize, Vec<(ObjRef, Elements, Asserted)>>,
}

/// What happens to objects that no later step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unused {
    /// They are dropped on the spot.
    Dropped,
    /// They live to the end, as in the worker; it matters when memory is at stake.
    Kept,
}

/// Whether the last result is needed afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastResult {
    /// No.
    Ignored,
    /// It is bound to `result`.
    Bound,
    /// It is printed, unless it is an object.
    Shown,
    /// It is an iterator and asked for its items, unless it is an object.
    Stepped,
    /// No; and if it is a text that could not be written, that is no panic.
    Tried,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            probe: ProbeForm::Tuple,
            unused: Unused::Dropped,
            kept: Vec::new(),
            last: LastResult::Ignored,
            silent: BTreeSet::new(),
            asserted: BTreeMap::new(),
            elements: BTreeMap::new(),
        }
    }
}

/// A sequence as statements.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// The statements.
    pub(crate) statements: TokenStream,
    /// Those before the last step, and that of the last step.
    pub(crate) halves: [TokenStream; 2],
    /// What they need imported.
    pub(crate) imports: Imports,
    /// The variables of the objects.
    pub(crate) variables: BTreeMap<ObjRef, Variable>,
    /// What is asserted, in the order of the statements: the result of a step, or the elements of
    /// an object after it.
    pub(crate) assertions: Vec<(usize, Option<ObjRef>)>,
}

/// Writes a sequence.
pub(crate) fn write(sequence: &Sequence, book: Book<'_>, style: &Style) -> Code {
    write_with(sequence, book, style, Imports::with(style.probe))
}

/// Writes a sequence into a file that has these imports already.
pub(crate) fn write_with(
    sequence: &Sequence,
    book: Book<'_>,
    style: &Style,
    imports: Imports,
) -> Code {
    let variables = variables::variables(sequence, book, &style.kept);
    let taken = variables.values().map(|variable| variable.name.to_string()).collect();
    let fused = match twist_of(sequence) {
        Some(Twist::Fuse(callback, _)) => Some(callback),
        _ => None,
    };
    let mut lets = Lets::avoiding(taken);
    lets.fused = fused;
    let assertions = Vec::new();
    let mut writer = Writer { book, style, variables, imports, lets, assertions };
    let (mut earlier, mut last) = (TokenStream::new(), TokenStream::new());
    for at in 0..sequence.steps.len() {
        if style.silent.contains(&at) {
            continue;
        }
        earlier.extend(std::mem::replace(&mut last, writer.step(sequence, at)));
        for (object, how, asserted) in style.elements.get(&at).into_iter().flatten() {
            let name = writer.object(*object);
            let asserted = writer.elements(&name, *how, asserted);
            writer.assertions.extend(asserted.as_ref().map(|_| (at, Some(*object))));
            last.extend(asserted);
        }
    }
    let statements = quote!(#earlier #last);
    let Writer { imports, variables, assertions, .. } = writer;
    Code { statements, halves: [earlier, last], imports, variables, assertions }
}

/// The lines of a sequence, without imports.
pub fn lines(sequence: &Sequence, book: Book<'_>) -> Vec<String> {
    let code = write(sequence, book, &Style::default());
    statement_lines(&code.statements)
}

/// Statements with layout, one line each where they fit.
pub(crate) fn statement_lines(statements: &TokenStream) -> Vec<String> {
    let function = quote!(fn body() { #statements });
    let Ok(file) = syn::parse2::<syn::File>(function) else {
        // Only a name that is no Rust could bring us here; raw tokens still tell the story.
        return vec![statements.to_string()];
    };
    let text = layout(&file);
    let inside = text.lines().filter_map(|line| line.strip_prefix("    "));
    inside.map(str::to_owned).collect()
}

/// Rust with layout.
pub(crate) fn layout(file: &syn::File) -> String {
    tighten(&prettyplease::unparse(file))
}

/// Puts signs and references next to what they belong to: inside of macros the printer keeps
/// tokens apart.
fn tighten(text: &str) -> String {
    let mut tight = String::with_capacity(text.len());
    let (mut before, mut quoted, mut escaped) = (' ', false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        tight.push(c);
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        quoted = c == '"' && before != '\'';
        if matches!(c, '-' | '&') && "([,=|!<>".contains(before) && chars.peek() == Some(&' ') {
            chars.next();
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    tight
}

/// Tokens of a text that was made by this crate or comes from rustdoc; what is no Rust becomes
/// a string, which the check of the witness will find.
pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|_| quote!(#text))
}

/// A name; one that is a word of the language is written `r#type`.
pub(crate) fn ident(name: &str) -> Ident {
    let is_word = syn::parse_str::<Ident>(name).is_err();
    if is_word && !matches!(name, "self" | "Self" | "super" | "crate" | "_") {
        return Ident::new_raw(name, Span::call_site());
    }
    Ident::new(name, Span::call_site())
}

#[cfg(test)]
mod tests;
