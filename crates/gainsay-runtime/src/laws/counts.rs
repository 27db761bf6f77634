//! What is counted: `len`, `is_empty` and the sequence of items; `keys_len` and `keys`.

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId};

use super::{
    Law,
    scene::{Method, Scene, Takes, methods, yields},
};
use crate::world::World;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let convention =
        |id: LawId, rule: fn(&Scene<'_>) -> Option<bool>| Law::one(id, Standing::Convention, rule);
    let mut laws = vec![
        convention(LawId::IsEmptyAgreesWithLen, is_empty_agrees_with_len),
        convention(LawId::LenAgreesWithSeq, len_agrees_with_seq),
    ];
    let queries: Vec<Method<'_>> = methods(world, ty)
        .filter(|method| method.mode == Mode::Ref && method.takes == Takes::Nothing)
        .collect();
    for list in queries.iter().filter(|query| query.name != "iter" && lists(world, query)) {
        let count = queries.iter().find(|query| counts(query.name, list.name));
        laws.extend(count.map(|count| {
            let (count_name, listing) = (count.name.to_owned(), list.name.to_owned());
            let id = LawId::CountAgreesWith { count: count_name, listing };
            let (count, list) = (count.op, list.op);
            let rule = move |scene: &Scene<'_>| counted(scene, count, list);
            Law::one(id, Standing::Convention, rule)
        }));
    }
    laws
}

/// Whether a query gives many items.
fn lists(world: &World, query: &Method<'_>) -> bool {
    yields(world, query.op).is_some() || query.entry.makes.is_empty()
}

/// Whether a query's name says that it counts what another lists.
fn counts(name: &str, list: &str) -> bool {
    let one = list.strip_suffix('s').unwrap_or(list);
    let affixed = |affix: &str| {
        name.strip_prefix(affix)
            .and_then(|rest| rest.strip_prefix('_'))
            .map_or_else(|| name.strip_suffix(affix).and_then(|rest| rest.strip_suffix('_')), Some)
    };
    ["len", "num", "count", "n"]
        .iter()
        .any(|affix| affixed(affix).is_some_and(|rest| rest == list || rest == one))
}

fn counted(scene: &Scene<'_>, count: OpId, list: OpId) -> Option<bool> {
    let count = scene.call(count, scene.cell, &[])?.value.as_int()?;
    let mut listed = scene.call(list, scene.cell, &[])?;
    let items = scene.listed(list, &mut listed)?;
    Some(i128::try_from(items.len()) == Ok(count))
}

fn is_empty_agrees_with_len(scene: &Scene<'_>) -> Option<bool> {
    let len = scene.named("len")?.as_int()?;
    let is_empty = scene.named("is_empty")?.as_bool()?;
    Some(is_empty == (len == 0))
}

fn len_agrees_with_seq(scene: &Scene<'_>) -> Option<bool> {
    let len = scene.named("len")?.as_int()?;
    let items = scene.bag()?;
    Some(i128::try_from(items.len()) == Ok(len))
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn a_name_says_what_it_counts() {
        assert!(counts("keys_len", "keys"));
        assert!(counts("len_lines", "lines"));
        assert!(counts("num_keys", "keys"));
        assert!(counts("key_count", "keys"));
        assert!(!counts("len", "keys"));
        assert!(!counts("values_len", "keys"));
    }
}
