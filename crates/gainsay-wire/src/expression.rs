//! The one language of predicates and contracts: its tree, its text, its evaluation.

pub(crate) mod ast;
pub(crate) mod eval;
pub(crate) mod function;
pub(crate) mod normal_form;
pub(crate) mod parse;
pub(crate) mod parts;
pub(crate) mod print;
pub(crate) mod term;
