//! On what the subject's functions decide, in the words of a run: what its sources say, as far as
//! operations, arguments and views of the run have the names for it.

use std::collections::BTreeMap;

use gainsay_model::api::Operation;
use gainsay_refute::Branches;
use gainsay_wire::{Expr, Manifest, OpId, Point, parse_expr};
use gainsay_workers::Runner as _;

use crate::session::Session;

/// Branches by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBranches {
    by_op: BTreeMap<OpId, Branches>,
}

impl KnownBranches {
    /// Those that the vocabulary of the run has words for.
    pub(crate) fn of(session: &Session<'_>) -> KnownBranches {
        let mut by_op = BTreeMap::new();
        let manifest = session.fleet.manifest();
        for (op, harnessed) in (0..).map(OpId).zip(&session.harness.operations) {
            let operation = harnessed.api.and_then(|at| session.api.operations.get(at));
            if let Some(Operation { conditions, ways, .. }) = operation {
                let [conditions, ways] = [conditions, ways].map(|it| read(manifest, op, it));
                by_op.insert(op, Branches { conditions, ways });
            }
        }
        KnownBranches { by_op }
    }

    /// On what an operation decides.
    pub(crate) fn of_operation(&self, op: OpId) -> Branches {
        self.by_op.get(&op).cloned().unwrap_or_default()
    }
}

/// The conditions that mean something before a call of the operation.
fn read(manifest: &Manifest, op: OpId, texts: &[String]) -> Vec<Expr> {
    let Some(known) = manifest.ops.get(op.0 as usize) else { return Vec::new() };
    let (names, vocabulary) = (known.operand_names(), manifest.vocabulary(op));
    let says_something = |expr: &Expr| {
        let (mut is_known, mut terms) = (true, 0);
        expr.each_term(&mut |term| {
            is_known &= vocabulary.position(term).is_some();
            terms += 1;
        });
        is_known && terms > 0
    };
    let exprs = texts.iter().filter_map(|text| parse_expr(text, &names, Point::Entry).ok());
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
        let found = read(&manifest, OpId(0), &texts.map(str::to_owned));
        let names = manifest.ops[0].operand_names();
        let told: Vec<String> =
            found.iter().map(|expr| expr_text(expr, &names, Point::Entry)).collect();
        assert_eq!(told, ["at < self.len()", "at > 1 && !(self.len() == 2)"]);
    }
}
