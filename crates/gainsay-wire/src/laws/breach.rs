//! A broken law as a finding tells it: of which type, by what right, and which objects broke it.

use crate::{Standing, TypeId};

/// A law that the last call of a sequence breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawBreach {
    /// The type whose law it is.
    pub ty: TypeId,
    /// What the law rests on.
    pub standing: Standing,
    /// The object that broke it, and for a law about several objects the others.
    pub parties: Vec<LawParty>,
}
wire_struct!(LawBreach { ty, standing, parties });

/// What an object is to the call after which a law does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawParty {
    /// The operand at this place.
    Operand(u32),
    /// The object that the call made at this place.
    Made(u32),
    /// What an operand borrowed from until the call ended the loan.
    Lender,
}
wire_enum!(LawParty { 0 = Operand(at), 1 = Made(out), 2 = Lender });
