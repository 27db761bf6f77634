//! Commands that mean the same on every list: what is left, and what they return. Tried on copies
//! at a few positions.

use gainsay_wire::{LawId, ListCommand, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Method, POSITION, Scene, Takes, items, methods},
};
use crate::table::PlainEntry;
use crate::world::World;

/// What is left of the items, and what is returned of them.
type Expected = (Vec<Value>, Option<Vec<Value>>);

/// What a command does to items at a position; `None` when it is not meant for it.
type Model = fn(&[Value], usize) -> Option<Expected>;

/// Commands with a position.
const AT: [(ListCommand, Model); 5] = [
    (ListCommand::Truncate, |items, at| Some((items[..at].to_vec(), None))),
    (ListCommand::SplitOff, |items, at| Some((items[..at].to_vec(), Some(items[at..].to_vec())))),
    (ListCommand::Remove, |items, at| {
        let mut left = items.to_vec();
        (at < items.len()).then(|| left.remove(at)).map(|item| (left, Some(vec![item])))
    }),
    (ListCommand::SwapRemove, |items, at| {
        let mut left = items.to_vec();
        (at < items.len()).then(|| left.swap_remove(at)).map(|item| (left, Some(vec![item])))
    }),
    (ListCommand::SwapRemoveBack, |items, at| {
        let mut left = items.to_vec();
        (at < items.len()).then(|| left.swap_remove(at)).map(|item| (left, Some(vec![item])))
    }),
];

/// Commands without arguments.
const PLAIN: [(ListCommand, Model); 3] = [
    (ListCommand::Clear, |_, _| Some((Vec::new(), None))),
    (ListCommand::Reverse, |items, _| Some((items.iter().rev().cloned().collect(), None))),
    (ListCommand::Reset, |_, _| Some((Vec::new(), None))),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    for method in methods(world, ty).filter(|method| method.mode == Mode::Mut) {
        let op = method.op;
        let law = match method.takes {
            Takes::Nothing => model(&PLAIN, &method).map(|(command, model)| {
                law(&method, LawId::IsAsOnAList { command }, move |scene| {
                    tried(scene, op, &[], model, 0)
                })
            }),
            Takes::Plain(POSITION) => model(&AT, &method).map(|(command, model)| {
                if method.name.contains("remove") && method.entry.makes.is_empty() {
                    let rule = move |scene: &Scene<'_>| gives_nothing(scene, op, model);
                    laws.push(law(&method, LawId::TakesNothingBeyondTheEnd { command }, rule));
                }
                law(&method, LawId::IsAsOnAList { command }, move |scene| {
                    at_positions(scene, op, model)
                })
            }),
            Takes::Plain(key) if method.name == "drain" && is_range(key) => {
                laws.push(law(&method, LawId::DrainCutsTheText, move |scene| {
                    scene
                        .text()
                        .and_then(|text| in_ranges(text.len(), |at| cut(scene, op, text, at)))
                }));
                let takes = law(&method, LawId::DrainTakesTheRange, move |scene| {
                    in_ranges(scene.seq()?.len(), |at| drained(scene, op, at))
                });
                // Of what is a slice behind a pointer everybody knows what stands where.
                let is_slice = world.type_entry(ty).lawful.shown.is_some();
                Some(if is_slice { Law { standing: Standing::Trait, ..takes } } else { takes })
            }
            _ => None,
        };
        if let Some(law) = law
            && laws.iter().all(|known| known.id != law.id)
        {
            laws.push(law);
        }
    }
    laws
}

fn law(
    method: &Method<'_>,
    id: LawId,
    rule: impl Fn(&Scene<'_>) -> Option<bool> + Send + Sync + 'static,
) -> Law {
    let standing = match id {
        LawId::DrainTakesTheRange => Standing::Convention,
        LawId::TakesNothingBeyondTheEnd { .. } => Standing::Trait,
        _ => Standing::Guess,
    };
    Law::one(id, standing, rule).costly().blaming(method.op)
}

fn model(table: &[(ListCommand, Model)], method: &Method<'_>) -> Option<(ListCommand, Model)> {
    table.iter().copied().find(|(command, _)| command.word() == method.name)
}

/// The ends, the middle, and next to the ends.
fn positions(len: usize) -> Vec<usize> {
    let mut all = vec![0, 1, len / 2, len.saturating_sub(1), len];
    all.retain(|at| *at <= len);
    all.sort_unstable();
    all.dedup();
    all
}

fn at_positions(scene: &Scene<'_>, op: OpId, model: Model) -> Option<bool> {
    let mut verdict = None;
    for at in positions(scene.seq()?.len()) {
        let arg = [Value::Int(i128::try_from(at).ok()?)];
        match tried(scene, op, &arg, model, at) {
            Some(false) => return Some(false),
            Some(true) => verdict = Some(true),
            None => {}
        }
    }
    verdict
}

/// Whether no item is made up for a position at the end or after it. Says nothing where a removal
/// is not that of a list, or tells by its result that there was nothing; and a position may count
/// from the beginning again.
fn gives_nothing(scene: &Scene<'_>, op: OpId, model: Model) -> Option<bool> {
    let items = scene.seq()?;
    let kind = items.first()?.kind();
    tried(scene, op, &[Value::Int(0)], model, 0)?.then_some(())?;
    for at in [items.len(), items.len() + 1] {
        let copy = scene.copy()?;
        let Some(outcome) = scene.call(op, &copy, &[Value::Int(i128::try_from(at).ok()?)]) else {
            continue;
        };
        (outcome.value.kind() == kind).then_some(())?;
        let (mut all, mut items) = (scene.seq_of(&copy)?, items.to_vec());
        all.push(outcome.value);
        all.sort();
        items.sort();
        if all != items {
            return Some(false);
        }
    }
    Some(true)
}

fn tried(scene: &Scene<'_>, op: OpId, args: &[Value], model: Model, at: usize) -> Option<bool> {
    let (left, given) = model(scene.seq()?, at)?;
    let copy = scene.copy()?;
    let outcome = scene.call(op, &copy, args)?;
    if scene.seq_of(&copy)? != left {
        return Some(false);
    }
    let Some(given) = given else { return Some(true) };
    let returned = match (&outcome.value, &outcome.made[..]) {
        (Value::Object, [(_, made)]) if scene.world.op(op).makes[..] == [scene.ty] => {
            let values = crate::view::state_values(scene.world, scene.ty, &**made);
            let at = scene.world.type_plan(scene.ty).state.iter();
            let at = at.clone().position(|query| query.name == "seq")?;
            items(&values[at])?.to_vec()
        }
        (Value::Seq(items), _) => items.clone(),
        (Value::Opt(Some(item)), _) => vec![(**item).clone()],
        (item, []) => vec![item.clone()],
        _ => return Some(true),
    };
    let comparable = returned.len() == given.len()
        && returned.iter().zip(&given).all(|(a, b)| a.kind() == b.kind());
    comparable.then(|| returned == given)
}

/// Whether a type is that of ranges of positions.
fn is_range(key: PlainEntry) -> bool {
    key == PlainEntry::Range(&POSITION)
}

/// Tries a few ranges up to a length.
fn in_ranges(len: usize, tried: impl Fn((usize, usize)) -> Option<bool>) -> Option<bool> {
    let mut verdict = None;
    for range in [(0, len), (0, len / 2), (len / 2, len), (1, len.saturating_sub(1))] {
        match tried(range) {
            Some(false) => return Some(false),
            Some(true) => verdict = Some(true),
            None => {}
        }
    }
    verdict
}

fn range_arg((start, end): (usize, usize)) -> Option<Value> {
    let number = |at: usize| i128::try_from(at).ok().map(Value::Int);
    Some(Value::Tuple(vec![number(start)?, number(end)?]))
}

fn drained(scene: &Scene<'_>, op: OpId, (start, end): (usize, usize)) -> Option<bool> {
    let items = scene.seq().filter(|_| start <= end)?;
    let copy = scene.copy()?;
    let mut outcome = scene.call(op, &copy, &[range_arg((start, end))?])?;
    let given = scene.listed(op, &mut outcome);
    drop(outcome);
    let mut left = items.to_vec();
    let taken: Vec<Value> = left.drain(start..end).collect();
    let is_left = scene.seq_of(&copy)? == left;
    Some(is_left && given.is_none_or(|given| given == taken))
}

fn cut(scene: &Scene<'_>, op: OpId, text: &str, (start, end): (usize, usize)) -> Option<bool> {
    let taken = text.get(start..end)?;
    let copy = scene.copy()?;
    let mut outcome = scene.call(op, &copy, &[range_arg((start, end))?])?;
    let given = scene.listed(op, &mut outcome);
    drop(outcome);
    let left = format!("{}{}", &text[..start], &text[end..]);
    let chars: Vec<Value> = taken.chars().map(Value::Char).collect();
    let is_left = scene.text_of(&copy)? == left;
    Some(is_left && given.is_none_or(|given| given == chars))
}
