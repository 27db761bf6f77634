//! Comparing with text and bytes of std: both ways must agree, and order with equality.

use std::cmp::Ordering;

use gainsay_wire::{LawId, Standing, TypeId};

use super::{
    Law,
    scene::{Scene, methods},
};
use crate::world::World;

/// What objects are compared with. Most objects come before some and after others.
const TEXTS: [&str; 5] = ["", "\0", "a", "ab", "zzz"];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    let compares = |name: &str| methods(world, ty).find(|method| method.name == name);
    for foreign in &world.type_entry(ty).lawful.foreign {
        let text = foreign.text;
        if let Some(eq) = foreign.eq {
            laws.push(of_texts(LawId::EqBothWaysWith { text }, move |scene, text| {
                let (there, back) = scene.with(|x| Some(eq(x, text)))?;
                Some(there == back)
            }));
        }
        if let Some(cmp) = foreign.cmp {
            laws.push(of_texts(LawId::PartialCmpBothWaysWith { text }, move |scene, text| {
                let (there, back) = scene.with(|x| Some(cmp(x, text)))?;
                Some(there == back.map(Ordering::reverse))
            }));
        }
        if let (Some(eq), Some(cmp)) = (foreign.eq, foreign.cmp) {
            laws.push(of_texts(LawId::CmpAgreesWithEqOf { text }, move |scene, text| {
                let (equal, _) = scene.with(|x| Some(eq(x, text)))?;
                let (order, _) = scene.with(|x| Some(cmp(x, text)))?;
                Some(equal == (order == Some(Ordering::Equal)))
            }));
        }
    }
    // Not what made the object is to blame, but how it compares.
    let blamed = compares("partial_cmp").or_else(|| compares("eq")).map(|method| method.op);
    laws.into_iter().map(|law| Law { blamed, ..law }).collect()
}

fn of_texts(
    id: LawId,
    rule: impl Fn(&Scene<'_>, &str) -> Option<bool> + Send + Sync + 'static,
) -> Law {
    Law::one(id, Standing::Trait, move |scene| {
        TEXTS.iter().try_fold(true, |all, text| Some(rule(scene, text)? && all))
    })
}
