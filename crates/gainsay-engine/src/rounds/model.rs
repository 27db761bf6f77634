//! The modes of the fourth paper: the inputs that may contradict what was inferred.

use gainsay_model::contract::{Contract, ContractKind};
use gainsay_wire::{Manifest, Observation, Truth, truth};

use crate::settings::Mode;

/// An inferred model, in a part that is attacked and a part that is taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    /// Contracts to be contradicted.
    pub(crate) attacked: Vec<Contract>,
    /// Preconditions that all inputs keep.
    pub(crate) granted: Vec<Contract>,
}

impl Model {
    /// Divides contracts as a mode asks.
    pub(crate) fn new(mode: Mode, contracts: Vec<Contract>) -> Model {
        if mode == Mode::Reduce {
            return Model { attacked: contracts, granted: Vec::new() };
        }
        let (preconditions, attacked) =
            contracts.into_iter().partition(|it| it.kind == ContractKind::Precondition);
        let granted = if mode == Mode::Basic { preconditions } else { Vec::new() };
        Model { attacked, granted }
    }

    /// Tells if a call keeps what is granted.
    // An input that breaks it is outside of the model: what it contradicts was never claimed.
    pub(crate) fn is_kept_by(&self, manifest: &Manifest, call: &Observation) -> bool {
        let vocabulary = manifest.vocabulary(call.op);
        let mut own = self.granted.iter().filter(|granted| granted.op == call.op);
        own.all(|granted| truth(&granted.expr, &(&vocabulary, call)) != Truth::False)
    }
}

#[cfg(test)]
mod tests {
    use gainsay_model::contract::Evidence;
    use gainsay_wire::{ContractId, Expr, OpId};

    use super::*;

    #[test]
    fn preconditions_are_granted_left_out_or_attacked() {
        let contract = |id, kind| Contract {
            id: ContractId(id),
            op: OpId(0),
            kind,
            expr: Expr::And(Vec::new()),
            evidence: Evidence::default(),
        };
        let (pre, post) =
            (contract(1, ContractKind::Precondition), contract(2, ContractKind::Postcondition));
        let check = |mode, attacked: &[&Contract], granted: &[&Contract]| {
            let model = Model::new(mode, vec![pre.clone(), post.clone()]);
            assert_eq!(model.attacked.iter().collect::<Vec<_>>(), attacked, "{mode:?}");
            assert_eq!(model.granted.iter().collect::<Vec<_>>(), granted, "{mode:?}");
        };
        check(Mode::Basic, &[&post], &[&pre]);
        check(Mode::NoPreconditions, &[&post], &[]);
        check(Mode::Reduce, &[&pre, &post], &[]);
    }
}
