//! Predicates on calls that were made.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use gainsay_wire::{Expr, Manifest, Observation, OpId, Truth, Vocabulary, truth};

use crate::distance;

/// Evaluates predicates on calls, with the vocabularies of their operations.
#[derive(Debug, Default)]
pub(crate) struct CallPredicates {
    /// Computed at first use: most operations of a large crate are under no attack.
    vocabularies: RefCell<BTreeMap<OpId, Rc<Vocabulary>>>,
}

impl CallPredicates {
    /// The truth of a predicate on a call.
    pub(crate) fn evaluate(&self, manifest: &Manifest, expr: &Expr, call: &Observation) -> Truth {
        truth(expr, &(&*self.find_vocabulary(manifest, call.op), call))
    }

    /// The distance of a clause from being true on a call.
    pub(crate) fn measure_lack(
        &self,
        manifest: &Manifest,
        clause: &Expr,
        call: &Observation,
    ) -> u64 {
        distance::measure_lack(clause, &(&*self.find_vocabulary(manifest, call.op), call))
    }

    /// The distance of a claim that holds on a call from being false.
    pub(crate) fn measure_margin(
        &self,
        manifest: &Manifest,
        claim: &Expr,
        call: &Observation,
    ) -> Option<u64> {
        distance::measure_margin(claim, &(&*self.find_vocabulary(manifest, call.op), call))
    }

    fn find_vocabulary(&self, manifest: &Manifest, op: OpId) -> Rc<Vocabulary> {
        let mut vocabularies = self.vocabularies.borrow_mut();
        Rc::clone(vocabularies.entry(op).or_insert_with(|| Rc::new(manifest.vocabulary(op))))
    }
}
