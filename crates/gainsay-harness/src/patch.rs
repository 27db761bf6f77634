//! Patches on copies of sources: a copy of a subject's package, pieces of source text put into it
//! by place, and taken out again where rustc rejects them.
//!
//! A patch is text, not tokens, and stands on one line: what is printed anew from tokens loses
//! comments and lines, and messages of the subject's own tests would name other lines than those of
//! the original. A patch is put in for good, or stands beside the original and is switched at run
//! time ([`Schema`]), so that one build serves all of them.

mod copy;
mod package;
mod schemata;

use std::ops::Range;

pub use copy::{copy_directory, isolate_library, list_sources};
pub use package::{PatchedPackage, Rejection};
pub use schemata::{SWITCHED_ON, Schema};

/// The number of a patch in a package.
pub type PatchNumber = u32;

/// A piece of text for a place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The form of the place.
    pub place: Place,
    /// The piece of source, in bytes; empty for [`Place::Gap`] and [`Place::Insertion`].
    pub at: Range<usize>,
    /// What is put there, on one line.
    pub text: String,
    /// When it is on, besides being switched on.
    pub guard: Option<Guard>,
}

/// The form of a place, which decides how a patch is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// An expression: switched with another one.
    Expression,
    /// A statement: switched with another one or with nothing.
    Statement,
    /// Between two pieces: a statement that is switched on.
    Gap,
    /// Between two pieces: the text is there for good, whatever it is.
    Insertion,
}

/// A condition that is looked up once, where the function of a patch begins: later the operands may
/// have changed or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Where the body of the function begins.
    pub at: usize,
    /// The condition, on one line.
    pub text: String,
}
