//! Conditions on which the subject's functions decide, read from its sources as far as operations,
//! arguments and views of the run have the names for them.

use std::collections::BTreeMap;

use gainsay_model::{api::Operation, resolve::Words};
use gainsay_refute::Branches;
use gainsay_wire::{Expr, Manifest, OpId, Point};
use gainsay_workers::Runner as _;

use crate::session::Session;

/// Branches by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBranches {
    by_op: BTreeMap<OpId, Branches>,
}

impl KnownBranches {
    /// Reads the branches that the vocabulary of the run has words for.
    pub(crate) fn of(session: &Session) -> KnownBranches {
        let mut by_op = BTreeMap::new();
        let manifest = session.fleet.manifest();
        for op in (0..).map(OpId).take(session.harness.operations.len()) {
            if let Some(Operation { conditions, ways, .. }) = session.operation_of(op) {
                let [conditions, ways] =
                    [conditions, ways].map(|it| read_conditions(manifest, op, it));
                by_op.insert(op, Branches { conditions, ways });
            }
        }
        KnownBranches { by_op }
    }

    /// Returns the conditions on which an operation decides.
    pub(crate) fn branches_of(&self, op: OpId) -> Branches {
        self.by_op.get(&op).cloned().unwrap_or_default()
    }
}

/// Reads the conditions that mean something before a call of the operation.
// One without terms, such as `0 > 0`, is the same on every call: nothing can be aimed at it.
fn read_conditions(manifest: &Manifest, op: OpId, texts: &[String]) -> Vec<Expr> {
    let Ok(words) = Words::of_operation(manifest, op) else { return Vec::new() };
    let says_something = |expr: &Expr| {
        let mut terms = 0;
        expr.each_term(&mut |_| terms += 1);
        terms > 0
    };
    let exprs = texts.iter().filter_map(|text| words.resolve(text, Point::Entry).ok());
    exprs.filter(says_something).collect()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{
        Lending, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Role, TypeId,
        expr_text,
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
        let put = ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: "List::put".into(),
            names: vec!["self".into(), "at".into()],
            params: vec![
                ManifestParam::Object(TypeId(0), Mode::Mut),
                ManifestParam::Plain("usize".into()),
            ],
            makes: Vec::new(),
            lending: Lending::default(),
            role: Role::default(),
        };
        Manifest { types: vec![list], ops: vec![put] }
    }

    #[test]
    fn only_what_the_run_has_words_for_and_what_says_something_is_aimed_at() {
        let texts = [
            "at < self.len()",
            "at < self.weight()",
            "self.is_secret()",
            "other.len() == 1",
            "0 > 0",
            "(at > 1) && (!(self.len() == 2))",
            "at <",
        ];
        let manifest = manifest();
        let found = read_conditions(&manifest, OpId(0), &texts.map(str::to_owned));
        let names = manifest.ops[0].operand_names();
        let told: Vec<String> =
            found.iter().map(|expr| expr_text(expr, &names, Point::Entry)).collect();
        assert_eq!(told, ["at < self.len()", "at > 1 && !(self.len() == 2)"]);
    }
}
