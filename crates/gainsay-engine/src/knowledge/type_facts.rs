//! Invariants of types under watch: like contracts they must hold on every passing call of the
//! second campaign, in every worker.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_infer::Invariant;
use gainsay_model::contract::{Contract, ContractKind, Evidence};
use gainsay_wire::{ContractId, Manifest, OpId, Violation};

/// Invariants as claims about operations.
#[derive(Default)]
pub struct TypeFacts {
    invariants: Vec<Invariant>,
    /// The invariant that a claim is about. Numbers from the end, so that they never meet those of
    /// contracts.
    claims: BTreeMap<ContractId, usize>,
    fallen: BTreeSet<usize>,
}

impl TypeFacts {
    /// Facts of which none has fallen.
    pub fn new(invariants: Vec<Invariant>) -> TypeFacts {
        TypeFacts { invariants, ..TypeFacts::default() }
    }

    /// Returns the invariants as contracts: one claim for each object that a call can have changed or
    /// made.
    pub fn claims_about(&mut self, manifest: &Manifest) -> Vec<Contract> {
        let mut contracts = Vec::new();
        // Contracts are numbered from 1; both stand in one list of checks.
        let ids = (0..u32::MAX).rev().map(ContractId);
        let claims = self.invariants.iter().enumerate().flat_map(|(at, invariant)| {
            let ops = (0..).map(OpId).zip(&manifest.ops);
            ops.flat_map(move |(id, op)| {
                invariant.after(op).into_iter().map(move |expr| (at, id, expr))
            })
        });
        for (id, (at, op, expr)) in ids.zip(claims) {
            self.claims.insert(id, at);
            let (kind, evidence) = (ContractKind::Postcondition, Evidence::default());
            contracts.push(Contract { id, op, kind, expr, evidence });
        }
        contracts
    }

    /// Tells if a contract is one of these claims.
    pub fn is_claim(&self, id: ContractId) -> bool {
        self.claims.contains_key(&id)
    }

    /// Notes the claims that stand: an invariant of which one does not has fallen.
    pub fn note_standing(&mut self, standing: &[Contract]) {
        let standing: BTreeSet<ContractId> = standing.iter().map(|claim| claim.id).collect();
        let fallen = self.claims.iter().filter(|(id, _)| !standing.contains(id));
        self.fallen.extend(fallen.map(|(_, at)| *at));
    }

    /// Notes the calls that broke claims.
    pub fn note_broken(&mut self, broken: &[Violation]) {
        let fallen = broken.iter().filter_map(|violation| self.claims.get(&violation.contract));
        self.fallen.extend(fallen.copied());
    }

    /// Leaves out the invariants that fell.
    // What fell once is not so, even if the calls that were recorded since do not show it.
    pub fn without_fallen(&self, mut known: Vec<Invariant>) -> Vec<Invariant> {
        let fell = |of: &Invariant| {
            let mut fallen = self.fallen.iter().map(|at| &self.invariants[*at]);
            fallen.any(|fact| (fact.ty, &fact.expr) == (of.ty, &of.expr))
        };
        known.retain(|of| !fell(of));
        known
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{
        Expr, KeptCall, Lending, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode,
        Observation, Outcome, Role, Sequence, Term, TypeId, When,
    };

    use super::*;

    fn manifest() -> Manifest {
        let query = ManifestQuery { name: "len".into(), param: None, active: true };
        let list = ManifestType {
            name: "List".into(),
            queries: vec![query],
            can_clone: false,
            borrows: false,
            locks: false,
        };
        let op = |params: Vec<ManifestParam>, makes: Vec<TypeId>| ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: "List::op".into(),
            names: params.iter().map(|_| "list".to_owned()).collect(),
            params,
            makes,
            lending: Lending::default(),
            role: Role::default(),
        };
        let given = |mode| vec![ManifestParam::Object(TypeId(0), mode)];
        let ops = vec![
            op(given(Mode::Mut), vec![]),
            op(given(Mode::Ref), vec![TypeId(0)]),
            op(given(Mode::Ref), vec![]),
        ];
        Manifest { types: vec![list], ops }
    }

    /// An invariant: at least so many.
    fn fact(least: i128) -> Invariant {
        let expr = Expr::term(Term::query(When::Before, 0, "len"))
            .compare(gainsay_wire::Comparison::Ge, Expr::int(least));
        Invariant { ty: TypeId(0), expr, states: 9 }
    }

    #[test]
    fn an_invariant_that_a_focused_epoch_broke_falls_although_a_campaign_did_not_break_it() {
        let all = vec![fact(0), fact(1), fact(2)];
        let mut facts = TypeFacts::new(all.clone());
        let mut claims = facts.claims_about(&manifest());
        let raided = claims[1].id;
        claims.pop();
        facts.note_standing(&claims);
        let call = |contract: ContractId| {
            let observation = Observation {
                op: OpId(1),
                outcome: Outcome::Returned,
                values: Vec::new(),
                objects: Vec::new(),
                made: Vec::new(),
                freed: Vec::new(),
            };
            Violation { contract, call: KeptCall { observation, recipe: Sequence::default() } }
        };
        facts.note_broken(&[call(ContractId(1)), call(raided)]);
        assert_eq!(facts.without_fallen(all.clone()), [all[1].clone()]);
    }

    #[test]
    fn an_invariant_falls_with_any_of_its_claims() {
        let all = vec![fact(0), fact(1)];
        let mut facts = TypeFacts::new(all.clone());
        let mut claims = facts.claims_about(&manifest());
        let ops: Vec<u32> = claims.iter().map(|claim| claim.op.0).collect();
        assert_eq!(ops, [0, 1, 0, 1], "a call that only looks cannot break one");
        let struck = claims.remove(2);
        assert!(facts.is_claim(struck.id) && !facts.is_claim(ContractId(1)));
        facts.note_standing(&claims);
        assert_eq!(facts.without_fallen(all.clone()), [all[0].clone()]);
    }
}
