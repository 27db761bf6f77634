//! Tuples that were found, and the sequences that build them.

use std::collections::BTreeMap;

use gainsay_wire::{Arg, ObjRef, OpId, Sequence, StateId, Step, TypeId, Value};

use super::Candidate;
use crate::{
    Store, StoreError, sqlite::encoding::blob::unpack, sqlite::record::call_rows::ObjectAt,
};

/// One operand per parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tuple {
    /// The operands in order.
    pub operands: Vec<Operand>,
}

/// A proposal for one parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// A stored object.
    Object(StoredObject),
    /// A value.
    Plain(Value),
}

/// An object with all that is needed to make it again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredObject {
    /// Its type.
    pub ty: TypeId,
    /// Its state.
    pub state: StateId,
    /// The calls that make it.
    pub recipe: Sequence,
    /// Its place among the objects that the recipe makes.
    pub at: ObjRef,
}

impl StoredObject {
    /// The same, borrowed.
    pub fn as_at(&self) -> ObjectAt<'_> {
        ObjectAt { ty: self.ty, state: self.state, recipe: &self.recipe, at: self.at }
    }
}

impl Tuple {
    /// The steps that make the objects, and the arguments that then stand for the operands.
    /// Different objects of one recipe are made by running it once; one object that stands for
    /// two operands is made twice.
    pub fn build(&self) -> (Sequence, Vec<Arg>) {
        let mut sequence = Sequence::default();
        // Where each copy of a recipe begins, and which of its objects are taken.
        let mut copies: BTreeMap<&Sequence, Vec<(u32, Vec<ObjRef>)>> = BTreeMap::new();
        let mut args = Vec::new();
        for operand in &self.operands {
            let object = match operand {
                Operand::Plain(value) => {
                    args.push(Arg::Plain(value.clone()));
                    continue;
                }
                Operand::Object(object) => object,
            };
            let copies = copies.entry(&object.recipe).or_default();
            // One value cannot be given away twice, nor lent for writing while it is lent.
            let free = copies.iter().position(|(_, taken)| !taken.contains(&object.at));
            let at = free.unwrap_or_else(|| {
                copies.push((sequence.append(&object.recipe), Vec::new()));
                copies.len() - 1
            });
            copies[at].1.push(object.at);
            let step = object.at.step + copies[at].0;
            args.push(Arg::Object(ObjRef { step, out: object.at.out }));
        }
        (sequence, args)
    }

    /// The steps that make the objects and then call `op` on the tuple.
    pub fn call(&self, op: OpId) -> Sequence {
        let (mut sequence, args) = self.build();
        sequence.steps.push(Step::new(op, args));
        sequence
    }

    /// The object at an operand.
    pub fn object(&self, operand: u32) -> Option<&StoredObject> {
        match self.operands.get(operand as usize)? {
            Operand::Object(object) => Some(object),
            Operand::Plain(_) => None,
        }
    }
}

impl Store {
    /// An object with its recipe; `None` when the harness lacks one of its operations.
    pub(crate) fn load(&self, candidate: Candidate) -> Result<Option<StoredObject>, StoreError> {
        let campaign = self.campaign()?;
        let find = "SELECT state.type, state.digest, recipe.bytes, step, out
             FROM object JOIN state ON state.id = object.state
             JOIN recipe ON recipe.id = object.recipe WHERE object.id = ?1";
        let (ty, state, bytes, step, out): (i64, i64, Vec<u8>, u32, u32) =
            self.connection.prepare_cached(find)?.query_row([candidate.object], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })?;
        let recipe = campaign.load_recipe(unpack(&bytes)?);
        Ok(recipe.zip(campaign.type_of_row(ty)).map(|(recipe, ty)| StoredObject {
            ty,
            state: StateId(state.cast_unsigned()),
            recipe,
            at: ObjRef { step, out },
        }))
    }

    /// The values of a state by query.
    pub(crate) fn state_values(&self, state: i64) -> Result<Vec<(String, Value)>, StoreError> {
        let find = "SELECT bytes FROM state WHERE id = ?1";
        let bytes: Option<Vec<u8>> =
            self.connection.prepare_cached(find)?.query_row([state], |row| row.get(0))?;
        bytes.map_or(Ok(Vec::new()), |bytes| Ok(unpack(&bytes)?))
    }

    pub(crate) fn state_id(&self, state: i64) -> Result<StateId, StoreError> {
        let find = "SELECT digest FROM state WHERE id = ?1";
        let digest: i64 =
            self.connection.prepare_cached(find)?.query_row([state], |row| row.get(0))?;
        Ok(StateId(digest.cast_unsigned()))
    }
}
