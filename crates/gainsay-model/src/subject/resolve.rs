//! From the text of a contract to an expression that a run can evaluate: the only place that decides
//! whether the words of a run suffice.

use std::fmt;

use gainsay_wire::{Expr, Manifest, Names, OpId, ParseError, Point, Term, Vocabulary, parse_expr};

/// The words in which contracts speak of one operation.
#[derive(Clone, Debug)]
pub struct Words {
    names: Names,
    /// `None` where it is not known which views there are.
    vocabulary: Option<Vocabulary>,
}

/// The reason why a text means nothing in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The run has no such operation.
    NoOperation(OpId),
    /// It is not in the language of contracts, or names an operand that is not there.
    Malformed(ParseError),
    /// It speaks of a view that is not taken: of another version, or switched off by calibration.
    UnknownTerm(Term),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unresolved::NoOperation(op) => write!(f, "there is no operation {}", op.0),
            Unresolved::Malformed(error) => error.fmt(f),
            Unresolved::UnknownTerm(Term { query, .. }) => {
                write!(f, "no view `{}` is taken", query.as_deref().unwrap_or("value"))
            }
        }
    }
}

impl std::error::Error for Unresolved {}

impl Words {
    /// The words that a run has for an operation.
    pub fn of_operation(manifest: &Manifest, op: OpId) -> Result<Words, Unresolved> {
        let entry = manifest.ops.get(op.0 as usize).ok_or(Unresolved::NoOperation(op))?;
        Ok(Words { names: entry.operand_names(), vocabulary: Some(manifest.vocabulary(op)) })
    }

    /// The words of a record. Its run is over, so all views that it names count as taken.
    pub fn of_record(names: Names) -> Words {
        Words { names, vocabulary: None }
    }

    /// Reads a text as a predicate at this point of a call.
    // A term that no observation has a value for makes a contract undefined wherever it is evaluated:
    // such a contract would be watched, attacked and upheld without having said anything.
    pub fn resolve(&self, text: &str, point: Point) -> Result<Expr, Unresolved> {
        let expr = parse_expr(text, &self.names, point).map_err(Unresolved::Malformed)?;
        let mut unknown = None;
        if let Some(vocabulary) = &self.vocabulary {
            expr.each_term(&mut |term| {
                if unknown.is_none() && vocabulary.position(term).is_none() {
                    unknown = Some(term.clone());
                }
            });
        }
        unknown.map_or(Ok(expr), |term| Err(Unresolved::UnknownTerm(term)))
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{
        ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, TypeId, When,
    };

    use super::*;

    fn manifest() -> Manifest {
        let query = |name: &str, active| ManifestQuery { name: name.into(), param: None, active };
        let list = ManifestType {
            name: "List".into(),
            queries: vec![query("len", true), query("weight", false)],
            can_clone: false,
            borrows: false,
            locks: false,
        };
        let look = ManifestOp {
            names: vec!["self".into()],
            params: vec![ManifestParam::Object(TypeId(0), Mode::Ref)],
            ..ManifestOp::default()
        };
        Manifest { types: vec![list], ops: vec![look] }
    }

    #[test]
    fn a_text_is_resolved_where_all_its_views_are_taken() {
        let words = Words::of_operation(&manifest(), OpId(0)).unwrap();
        assert!(words.resolve("self.len() > 0", Point::Entry).is_ok());
        let weight = Term::query(When::Before, 0, "weight");
        let unknown = words.resolve("self.len() > self.weight()", Point::Entry);
        assert_eq!(unknown, Err(Unresolved::UnknownTerm(weight)));
        let malformed = words.resolve("self.len() >", Point::Entry);
        assert!(matches!(malformed, Err(Unresolved::Malformed(_))), "{malformed:?}");
        let missing = Words::of_operation(&manifest(), OpId(1)).map(|_| ());
        assert_eq!(missing, Err(Unresolved::NoOperation(OpId(1))));
    }

    #[test]
    fn a_record_of_a_run_that_is_over_keeps_its_views() {
        let words = Words::of_record(Names::new([("self".to_owned(), true)]));
        assert!(words.resolve("self.weight() > 0", Point::Entry).is_ok());
    }
}
