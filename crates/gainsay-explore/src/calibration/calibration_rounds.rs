//! Calibration in rounds: what spoils the looks at everything else goes first, and what waits for a
//! lock is no longer looked at while somebody holds it.

use gainsay_model::skip::{Demotion, DemotionReason};
use gainsay_wire::{
    EpochReport, EpochTask, KeptCall, Lending, Manifest, ManifestParam, ManifestType, Outcome,
    TypeId,
};
use gainsay_workers::{Cancel, Death, Runner, WorkerError};

use crate::{
    calibration::{demotions, settled},
    campaign::epoch_retry::{Salvaged, explore},
    sequences::loan_ends::released,
};

/// Rounds of measuring queries anew after some were taken out.
// Each round takes something out, so it ends by itself; the limit bounds a subject with dozens of
// queries that do not end, each of which costs a time-out.
const MOST_ROUNDS: u32 = 16;

/// Calibrates until no more queries are found that spoil what is seen of the others: those that do
/// not end, and those that change something. Returns the calls that were kept, too: workers tell
/// of each state once.
pub(crate) fn settle(
    runner: &mut dyn Runner,
    tasks: &[EpochTask],
    cancel: &Cancel,
) -> Result<(Vec<KeptCall>, Vec<Demotion>), WorkerError> {
    let mut demoted: Vec<Demotion> = Vec::new();
    let mut kept: Vec<KeptCall> = Vec::new();
    for round in 1..=MOST_ROUNDS {
        let epochs = explore(runner, tasks, cancel)?;
        let locking = locking_types(runner.manifest(), &epochs);
        let mut spoiling = endless_queries(runner.manifest(), &epochs, &locking, &demoted);
        let reports: Vec<EpochReport> =
            epochs.into_iter().filter_map(|epoch| epoch.report).collect();
        kept.extend(reports.iter().flat_map(|report| report.kept.iter().cloned()));
        let last = round == MOST_ROUNDS || cancel.is_cancelled();
        // Other measurements mean something only once nothing spoils them.
        if spoiling.is_empty() && locking.is_empty() {
            spoiling = demotions(&reports);
            spoiling.retain(|found| !demoted.contains(found));
            if last || spoiling.iter().all(|found| found.reason != DemotionReason::Impure) {
                runner.configure(settled(runner.settings(), &spoiling, &reports))?;
                demoted.extend(spoiling);
                break;
            }
            // An impure query falsifies what is measured of the others: they are measured again without it.
            spoiling.retain(|found| found.reason == DemotionReason::Impure);
        }
        let mut settings = settled(runner.settings(), &spoiling, &[]);
        settings.locking.extend(locking);
        runner.configure(settings)?;
        demoted.extend(spoiling);
        if last {
            break;
        }
    }
    Ok((kept, demoted))
}

/// Types that are waited for while something borrows from them: a look or a call did not end. All
/// of a family, whatever their arguments.
fn locking_types(manifest: &Manifest, epochs: &[Salvaged]) -> Vec<TypeId> {
    let deaths = epochs.iter().filter_map(|epoch| epoch.death.as_ref());
    let waiting = deaths.filter(|death| death.outcome == Outcome::TimedOut);
    let mut found: Vec<TypeId> = Vec::new();
    for ty in waiting.flat_map(|death| waited_for(manifest, death)) {
        let family = type_without_arguments(manifest, ty);
        let is_kin = |of: &ManifestType| family == name_without_arguments(of) && !of.locks;
        let types = (0..).map(TypeId).zip(&manifest.types);
        let kin = types.filter(|(_, of)| is_kin(of)).map(|(of, _)| of);
        found.extend(kin.filter(|of| keeps_lending(manifest, *of)));
    }
    found.sort();
    found.dedup();
    found
}

/// The types of the operands that the last call, or the look after it, may have waited for.
fn waited_for(manifest: &Manifest, death: &Death) -> Vec<TypeId> {
    if let Some((ty, _)) = death.view {
        return vec![ty];
    }
    let last = death.steps.steps.last();
    let op = last.and_then(|step| manifest.ops.get(step.op.0 as usize));
    // A call that does not end while nothing is lent waits for something else.
    let holds = released(&death.steps, manifest).is_some();
    let params = op.filter(|_| holds).map_or(&[][..], |op| &op.params);
    let object = |param: &ManifestParam| match param {
        ManifestParam::Object(ty, mode) if !mode.consumes() => Some(*ty),
        _ => None,
    };
    params.iter().filter_map(object).collect()
}

/// True if a call with a shared reference to it can make something that goes on borrowing.
fn keeps_lending(manifest: &Manifest, ty: TypeId) -> bool {
    let is_of = |param: &ManifestParam| match param {
        ManifestParam::Object(of, mode) => *of == ty && !mode.consumes() && !mode.is_exclusive(),
        ManifestParam::Plain(_) => false,
    };
    let borrows = |made: &TypeId| manifest.types.get(made.0 as usize).is_some_and(|ty| ty.borrows);
    let mut ops = manifest.ops.iter().filter(|op| op.lending == Lending::Operands);
    ops.any(|op| op.params.iter().any(is_of) && op.makes.iter().any(borrows))
}

/// Queries that did not end or took all memory: such a view would hide the whole type. One that
/// crashes may be the victim of something else and stays; one that waited for a guard gets another
/// chance without it. Where a second one of a type does not end, whatever its arguments, all of
/// them wait for something and go together.
fn endless_queries(
    manifest: &Manifest,
    epochs: &[Salvaged],
    locking: &[TypeId],
    known: &[Demotion],
) -> Vec<Demotion> {
    let demoted = |epoch: &Salvaged| {
        let death = epoch.death.as_ref()?;
        let is_endless = matches!(death.outcome, Outcome::TimedOut | Outcome::OutOfMemory);
        let (ty, at) = death.view.filter(|(ty, _)| is_endless && !locking.contains(ty))?;
        let family = type_without_arguments(manifest, ty);
        let is_endless = |d: &&Demotion| d.reason == DemotionReason::Endless;
        let mut endless = known.iter().filter(is_endless).map(|d| d.ty);
        // One at a time would cost a time-out and a round for each query of each instantiation.
        let waits = endless.any(|ty| self::type_without_arguments(manifest, ty) == family);
        let types = (0..).map(TypeId).zip(&manifest.types);
        let meant = types.flat_map(|(of, entry)| {
            let all = waits && family == name_without_arguments(entry);
            let queries = entry.queries.iter().enumerate().filter(|(_, query)| query.active);
            let queries = queries.filter(move |(i, _)| all || (of == ty && *i == at));
            queries.map(move |(_, query)| (of, query.name.clone()))
        });
        let reason = DemotionReason::Endless;
        Some(meant.map(|(ty, query)| Demotion { ty, query, reason }).collect::<Vec<_>>())
    };
    let mut found: Vec<Demotion> = epochs.iter().filter_map(demoted).flatten().collect();
    found.sort_by(|a, b| (a.ty, &a.query).cmp(&(b.ty, &b.query)));
    found.dedup();
    found
}

fn type_without_arguments(manifest: &Manifest, ty: TypeId) -> &str {
    manifest.types.get(ty.0 as usize).map_or("", name_without_arguments)
}

/// The name of a type without its arguments.
fn name_without_arguments(ty: &ManifestType) -> &str {
    ty.name.split('<').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Arg, ManifestOp, ManifestQuery, Mode, ObjRef, OpId, Role, Sequence, Step};
    use gainsay_workers::Judge;

    use super::*;

    fn ty(name: &str, queries: &[&str]) -> ManifestType {
        let query =
            |name: &&str| ManifestQuery { name: (*name).to_owned(), param: None, active: true };
        ManifestType {
            name: name.to_owned(),
            queries: queries.iter().map(query).collect(),
            can_clone: false,
            borrows: name == "Guard",
            locks: false,
        }
    }

    fn death(outcome: Outcome, view: Option<(TypeId, usize)>, steps: Vec<Step>) -> [Salvaged; 1] {
        let death = Death {
            outcome,
            steps: Sequence { steps },
            in_view: view.is_some(),
            view,
            judge: Judge::Worker,
            stderr: String::new(),
        };
        [Salvaged { report: None, death: Some(death) }]
    }

    #[test]
    fn views_that_do_not_end_are_taken_out_and_one_that_crashes_is_not() {
        let types = vec![
            ty("Cell<u8>", &["get", "wait"]),
            ty("Cell<u16>", &["len"]),
            ty("Other", &["other"]),
        ];
        let manifest = Manifest { types, ops: Vec::new() };
        let check = |outcome: Outcome, known: &[Demotion], expected: &[&str]| {
            let epochs = death(outcome, Some((TypeId(0), 1)), Vec::new());
            assert_eq!(locking_types(&manifest, &epochs), [], "nothing is lent");
            let found = endless_queries(&manifest, &epochs, &[], known);
            let names: Vec<&str> = found.iter().map(|demotion| &*demotion.query).collect();
            assert_eq!(names, expected);
        };
        let first = |ty| {
            let (query, reason) = ("lock".to_owned(), DemotionReason::Endless);
            [Demotion { ty, query, reason }]
        };
        check(Outcome::TimedOut, &[], &["wait"]);
        check(Outcome::TimedOut, &first(TypeId(2)), &["wait"]);
        check(Outcome::TimedOut, &first(TypeId(1)), &["get", "wait", "len"]);
        check(Outcome::Aborted("SIGSEGV".parse().unwrap()), &[], &[]);
    }

    /// `Map::new`, `Map::get`, which makes a guard, and `Map::put`.
    fn locking() -> Manifest {
        let map = || ManifestParam::Object(TypeId(0), Mode::Ref);
        let op = |name: &str, params: Vec<ManifestParam>, makes: Vec<TypeId>| ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: name.to_owned(),
            params,
            makes,
            lending: Lending::Operands,
            role: Role::default(),
            names: Vec::new(),
        };
        let ops = vec![
            op("Map::new", vec![], vec![TypeId(0)]),
            op("Map::get", vec![map()], vec![TypeId(1)]),
            op("Map::put", vec![map()], vec![]),
            ManifestOp {
                role: Role::Drop,
                ..op("drop", vec![ManifestParam::Object(TypeId(1), Mode::Own)], vec![])
            },
        ];
        Manifest { types: vec![ty("Map", &["len"]), ty("Guard", &[])], ops }
    }

    #[test]
    fn what_waits_while_a_guard_lives_locks_and_keeps_its_views() {
        let manifest = locking();
        let on = |op, object: &[u32]| {
            let arg = |step: &u32| Arg::Object(ObjRef { step: *step, out: 0 });
            Step::new(OpId(op), object.iter().map(arg).collect())
        };
        let held = vec![on(0, &[]), on(1, &[0]), on(2, &[0])];
        let free = vec![on(0, &[]), on(2, &[0])];
        let look = death(Outcome::TimedOut, Some((TypeId(0), 0)), held[..2].to_vec());
        assert_eq!(locking_types(&manifest, &look), [TypeId(0)]);
        assert_eq!(endless_queries(&manifest, &look, &[TypeId(0)], &[]), []);
        let call = death(Outcome::TimedOut, None, held);
        assert_eq!(locking_types(&manifest, &call), [TypeId(0)]);
        assert_eq!(locking_types(&manifest, &death(Outcome::TimedOut, None, free)), []);
        let mut known = manifest;
        known.types[0].locks = true;
        assert_eq!(locking_types(&known, &look), []);
        assert_eq!(endless_queries(&known, &look, &[], &[]).len(), 1);
    }
}
