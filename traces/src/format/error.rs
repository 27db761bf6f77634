//! What can be wrong with a trace, where, and what to do about it.

use std::{io, path::PathBuf};

/// Why a trace cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file can be read, but not understood.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: Problem,
    },
    /// There is nothing to learn from.
    #[error("`{}` has no samples", path.display())]
    NoSamples {
        /// The trace.
        path: PathBuf,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Another version of the format.
    #[error("declarations of version `{0}` are not understood")]
    Version(String),
    /// A line of a declaration makes no sense.
    #[error("`{0}` is no line of a declaration")]
    NoDeclaration(String),
    /// A line of a declaration lacks what should follow its first word.
    #[error("`{0}` needs a value")]
    NoValue(String),
    /// A kind of program point that does not exist.
    #[error("`{0}` is no kind of program point")]
    PointKind(String),
    /// A representation that does not exist.
    #[error("`{0}` is no representation of a variable")]
    Representation(String),
    /// A variable without the line that says how it is represented.
    #[error("variable `{0}` has no `rep-type`")]
    NoRepresentation(String),
    /// The same program point is declared differently.
    #[error("`{0}` was declared before with other variables")]
    DeclaredTwice(String),
    /// A sample of a point that was never declared.
    #[error("`{0}` is not declared")]
    NotDeclared(String),
    /// A sample has another variable here.
    #[error("variable `{expected}` should come here, but it is `{found}`")]
    OtherVariable {
        /// By the declaration.
        expected: String,
        /// In the sample.
        found: String,
    },
    /// A value that does not fit the representation.
    #[error("`{value}` is no value of variable `{variable}`, which is declared as `{kind}`")]
    Value {
        /// The variable.
        variable: String,
        /// What stands there.
        value: String,
        /// Its representation.
        kind: &'static str,
    },
    /// The line after a value is not 0, 1 or 2.
    #[error("0, 1 or 2 should come after the value of `{variable}`, but it is `{found}`")]
    Modified {
        /// The variable.
        variable: String,
        /// What stands there.
        found: String,
    },
    /// A line after the last variable of a sample.
    #[error("the sample should end here, but `{0}` follows")]
    NoEnd(String),
    /// A call's number is no number.
    #[error("`{0}` is no number of a call")]
    Nonce(String),
    /// The file ends amid a sample.
    #[error("the file ends amid a sample of `{0}`")]
    CutShort(String),
    /// One sample is larger than memory allows.
    #[error("a sample is larger than {0} MB")]
    TooLarge(usize),
    /// The text is not UTF-8.
    #[error("the line is not UTF-8")]
    Encoding,
}

impl Problem {
    /// What the user can do about it.
    fn hint(&self) -> &'static str {
        match self {
            Problem::Version(_) => "only `decl-version 2.0` can be read",
            Problem::NoDeclaration(_) | Problem::NoValue(_) => {
                "a declaration ends with an empty line; docs/traces.md tells what can stand in it"
            }
            Problem::PointKind(_) => {
                "`ppt-type` is one of point, class, object, enter, exit, subexit"
            }
            Problem::Representation(_) | Problem::NoRepresentation(_) => {
                "`rep-type` is boolean, int, double, hashcode or java.lang.String, with `[]` for \
                 arrays"
            }
            Problem::DeclaredTwice(_) => "the declarations may belong to another trace",
            Problem::NotDeclared(_) => "give the file with the declarations with `--decls FILE`",
            Problem::OtherVariable { .. } | Problem::NoEnd(_) => {
                "a sample gives name, value and 0, 1 or 2 for each variable in the declared order, then \
                 an empty line"
            }
            Problem::Value { .. } => "a value that does not exist is written `nonsensical`",
            Problem::Modified { .. } => "each variable takes three lines: name, value, 0, 1 or 2",
            Problem::Nonce(_) => "`this_invocation_nonce` is followed by a line with a number",
            Problem::CutShort(_) => "the program may have died while it wrote the trace",
            Problem::TooLarge(_) => "limit the length of arrays where the trace is recorded",
            Problem::Encoding => "the trace may be damaged, or compressed in another way than gzip",
        }
    }
}

impl TraceError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            TraceError::File { .. } => "check the path; plain text and gzip can be read".into(),
            TraceError::Malformed { problem, .. } => problem.hint().into(),
            TraceError::NoSamples { .. } => {
                "a trace has samples after its declarations: record one, or check the path".into()
            }
        }
    }
}
