//! Calls that the subject's documentation and tests show, as they are written: nothing in them is
//! resolved yet. What a name means is found out where the operations are known.

use serde::{Deserialize, Serialize};

/// Straight-line code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// In order.
    pub statements: Vec<Statement>,
}

/// `let name: ty = value;` or `value;`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Names that the value is bound to: several take a tuple apart.
    pub names: Vec<String>,
    /// Last word of the type that was written for it.
    pub ty: Option<String>,
    /// The expression that is evaluated.
    pub value: Term,
}

/// An expression, references and parentheses left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// `true`
    Bool(bool),
    /// Any integer that fits.
    Int(i128),
    /// A float as it is written, without its suffix.
    Float(String),
    /// `'c'`
    Char(char),
    /// `"text"`
    Str(String),
    /// `b"bytes"`
    Bytes(Vec<u8>),
    /// `[a, b]` or `vec![a, b]`
    Seq(Vec<Term>),
    /// `(a, b)`
    Tuple(Vec<Term>),
    /// `a..b`
    Range {
        /// `a`
        from: Option<Box<Term>>,
        /// `b`
        to: Option<Box<Term>>,
    },
    /// `|x| ..`
    Closure,
    /// A variable, a constant or a variant, by the words of its path.
    Name(Vec<String>),
    /// `path(args)`
    Call {
        /// The words of the path.
        path: Vec<String>,
        /// The arguments.
        args: Vec<Term>,
    },
    /// `receiver.name::<of>(args)`
    Method {
        /// The receiver.
        receiver: Box<Term>,
        /// The method.
        name: String,
        /// Last word of the explicit type argument.
        of: Option<String>,
        /// The other arguments.
        args: Vec<Term>,
    },
    /// `path { field: value }`
    Struct {
        /// The words of the path.
        path: Vec<String>,
        /// Fields in the order of the text.
        fields: Vec<(String, Term)>,
    },
    // Kept and not dropped: the statement around it may bind a name that later ones need.
    /// Anything else.
    Unknown,
}
