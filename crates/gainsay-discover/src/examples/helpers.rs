//! Tests abbreviate what they often do: `fn version(text: &str) -> Version`. Calls of such
//! functions are replaced by what they abbreviate.

use std::collections::BTreeMap;

use gainsay_model::example::{Statement, Term};
use syn::Item;

use super::statements::abbreviation;

/// Functions by their names.
#[derive(Default)]
pub(super) struct Helpers {
    known: BTreeMap<String, (Vec<String>, Term)>,
}

impl Helpers {
    /// Those of all files; where two have the same name, the first.
    pub(super) fn of(files: &[syn::File]) -> Helpers {
        let mut helpers = Helpers::default();
        for file in files {
            helpers.learn(&file.items);
        }
        helpers
    }

    fn learn(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(function) => {
                    if let Some(short) = abbreviation(function) {
                        self.known.entry(function.sig.ident.to_string()).or_insert(short);
                    }
                }
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.learn(items);
                    }
                }
                _ => {}
            }
        }
    }

    /// The same statements, spelled out.
    pub(super) fn inlined(&self, mut statements: Vec<Statement>) -> Vec<Statement> {
        for statement in &mut statements {
            each(&mut statement.value, &|term| self.expand(term));
        }
        statements
    }

    /// One level: a function that calls itself must come to an end.
    fn expand(&self, term: &mut Term) {
        let Term::Call { path, args } = term else { return };
        let [name] = path.as_slice() else { return };
        let Some((params, body)) = self.known.get(name) else { return };
        if params.len() != args.len() {
            return;
        }
        let given: BTreeMap<&str, &Term> = params.iter().map(String::as_str).zip(&*args).collect();
        let mut body = body.clone();
        each(&mut body, &|term| {
            if let Term::Name(path) = term
                && let [name] = path.as_slice()
                && let Some(arg) = given.get(name.as_str())
            {
                *term = (*arg).clone();
            }
        });
        *term = body;
    }
}

/// Changes all parts of a term, the inner ones first.
fn each(term: &mut Term, change: &dyn Fn(&mut Term)) {
    match term {
        Term::Seq(items) | Term::Tuple(items) | Term::Call { args: items, .. } => {
            for item in items {
                each(item, change);
            }
        }
        Term::Method { receiver, args, .. } => {
            each(receiver, change);
            for arg in args {
                each(arg, change);
            }
        }
        Term::Range { from, to } => {
            for end in [from, to].into_iter().flatten() {
                each(end, change);
            }
        }
        Term::Struct { fields, .. } => {
            for (_, value) in fields {
                each(value, change);
            }
        }
        _ => {}
    }
    change(term);
}
