//! Settles the vocabulary: which queries can serve as views.

use std::collections::BTreeMap;

use gainsay_model::skip::{Demotion, DemotionReason};
use gainsay_wire::{EpochReport, Manifest, Outcome, QueryStats, Settings, TypeId};

use crate::epoch::Salvaged;

/// What calibration decided about queries.
pub fn demotions(reports: &[EpochReport]) -> Vec<Demotion> {
    let mut sums: BTreeMap<(TypeId, &str), QueryStats> = BTreeMap::new();
    for stats in reports.iter().flat_map(|report| &report.queries) {
        let sum = sums.entry((stats.ty, &stats.name)).or_insert_with(|| QueryStats {
            evaluated: 0,
            panicked: 0,
            impure: 0,
            slow: 0,
            ..stats.clone()
        });
        sum.evaluated += stats.evaluated;
        sum.panicked += stats.panicked;
        sum.impure += stats.impure;
        sum.slow += stats.slow;
    }
    let demotion = |stats: QueryStats| {
        reason(&stats).map(|reason| Demotion { ty: stats.ty, query: stats.name, reason })
    };
    sums.into_values().filter_map(demotion).collect()
}

/// Queries that did not end or took all memory: such a view would hide the whole type. One that
/// crashes may be the victim of something else and stays.
pub(crate) fn endless_queries(manifest: &Manifest, epochs: &[Salvaged]) -> Vec<Demotion> {
    let demotion = |epoch: &Salvaged| {
        let death = epoch.death.as_ref()?;
        let endless = matches!(death.outcome, Outcome::TimedOut | Outcome::OutOfMemory);
        let (ty, query) = death.view.filter(|_| endless)?;
        let query = manifest.types.get(ty.0 as usize)?.queries.get(query)?;
        let query = query.active.then(|| query.name.clone())?;
        Some(Demotion { ty, query, reason: DemotionReason::Endless })
    };
    let mut found: Vec<Demotion> = epochs.iter().filter_map(demotion).collect();
    found.sort_by(|a, b| (a.ty, &a.query).cmp(&(b.ty, &b.query)));
    found.dedup();
    found
}

/// Impure at all, slow in more than one evaluation of twenty, panicking in more than nine of ten.
fn reason(stats: &QueryStats) -> Option<DemotionReason> {
    if stats.impure > 0 {
        Some(DemotionReason::Impure)
    } else if stats.slow * 20 > stats.evaluated {
        Some(DemotionReason::Slow)
    } else if stats.panicked * 10 > stats.evaluated * 9 {
        Some(DemotionReason::Panics)
    } else {
        None
    }
}

/// The settings with what calibration found out.
pub(crate) fn settled(
    settings: &Settings,
    demotions: &[Demotion],
    reports: &[EpochReport],
) -> Settings {
    let mut settings = settings.clone();
    settings.demoted.extend(demotions.iter().map(|demotion| (demotion.ty, demotion.query.clone())));
    settings.sharing.extend(reports.iter().flat_map(|report| &report.sharing));
    settings.demoted.sort();
    settings.demoted.dedup();
    settings.sharing.sort();
    settings.sharing.dedup();
    settings
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{ManifestQuery, ManifestType, Sequence};
    use gainsay_workers::{Death, Judge};

    use super::*;

    fn check(counts: [u64; 4], expected: Option<DemotionReason>) {
        let [evaluated, panicked, impure, slow] = counts;
        let (ty, name) = (TypeId(0), "q".to_owned());
        let queries = vec![QueryStats { ty, name, evaluated, panicked, impure, slow }];
        let report = EpochReport { queries, ..EpochReport::default() };
        let reasons: Vec<_> = demotions(&[report]).iter().map(|d| d.reason).collect();
        assert_eq!(reasons, expected.into_iter().collect::<Vec<_>>(), "{counts:?}");
    }

    #[test]
    fn a_query_is_demoted_for_a_reason_or_not_at_all() {
        check([100, 0, 0, 0], None);
        check([100, 90, 0, 5], None);
        check([100, 0, 1, 0], Some(DemotionReason::Impure));
        check([100, 0, 0, 6], Some(DemotionReason::Slow));
        check([100, 91, 0, 0], Some(DemotionReason::Panics));
        check([0, 0, 0, 0], None);
    }

    #[test]
    fn measurements_of_several_epochs_are_added_up() {
        let stats = |slow| QueryStats {
            ty: TypeId(0),
            name: "q".to_owned(),
            evaluated: 10,
            panicked: 0,
            impure: 0,
            slow,
        };
        let report = |slow| EpochReport { queries: vec![stats(slow)], ..EpochReport::default() };
        assert_eq!(demotions(&[report(1)]).len(), 1);
        assert_eq!(demotions(&[report(1), report(0), report(0)]).len(), 0);
    }

    #[test]
    fn a_view_that_does_not_end_is_taken_out_and_one_that_crashes_is_not() {
        let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
        let ty = ManifestType {
            name: "Cell".to_owned(),
            queries: vec![query("get"), query("wait")],
            can_clone: false,
            borrows: false,
        };
        let manifest = Manifest { types: vec![ty], ops: Vec::new() };
        let check = |outcome: Outcome, expected: &[&str]| {
            let death = Death {
                outcome,
                steps: Sequence::default(),
                in_view: true,
                view: Some((TypeId(0), 1)),
                judge: Judge::Worker,
                stderr: String::new(),
            };
            let epochs = [Salvaged { report: None, death: Some(death) }];
            let found = endless_queries(&manifest, &epochs);
            let names: Vec<&str> = found.iter().map(|demotion| &*demotion.query).collect();
            assert_eq!(names, expected);
        };
        check(Outcome::TimedOut, &["wait"]);
        check(Outcome::Aborted("SIGSEGV".to_owned()), &[]);
    }
}
