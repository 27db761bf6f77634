//! States in which a claim is nearest to being false. A claim about the state after a call is read as
//! if it were about the state before it: where it is false or barely true there, the call has the
//! least to do to make it false.

use gainsay_wire::{Expr, Root, Term, When};

/// The claim about the state before the call; `None` if it speaks of a value that only the call
/// brings, or of nothing that the call may change.
pub(crate) fn shift_before_call(claim: &Expr) -> Option<Expr> {
    let (mut is_known, mut changes) = (true, false);
    claim.each_term(&mut |term| {
        // A relation is evaluated between objects of one state, so it cannot be read in another.
        is_known &= matches!(term.root, Root::Operand(_)) && term.with.is_none();
        changes |= term.when == When::After && term.query.is_some();
    });
    let at_entry = |term: &Term| Term { when: When::Before, ..term.clone() };
    (is_known && changes).then(|| claim.map_terms(&at_entry))
}
