//! Settles the vocabulary: which queries can serve as views.

pub(crate) mod calibration_rounds;
pub(crate) mod random_queries;

use std::collections::BTreeMap;

use gainsay_model::skip::{Demotion, DemotionReason};
use gainsay_wire::{EpochReport, Manifest, QueryStats, Settings, TypeId};

/// Evaluations, and different values, that are needed before two queries count as one.
const ENOUGH: (u64, u64) = (50, 8);

/// The sequence of elements, and the same without an order: one of them is enough.
const SEQUENCE: &str = "seq";
const BAG: &str = "bag";

/// Decides which queries to leave out, by the measurements of calibrating epochs.
pub fn demotions(reports: &[EpochReport]) -> Vec<Demotion> {
    let mut sums: BTreeMap<(TypeId, &str), QueryStats> = BTreeMap::new();
    for stats in reports.iter().flat_map(|report| &report.queries) {
        match sums.get_mut(&(stats.ty, &*stats.name)) {
            Some(sum) => add_measurements(sum, stats),
            None => _ = sums.insert((stats.ty, &stats.name), stats.clone()),
        }
    }
    let mut found: Vec<Demotion> = Vec::new();
    // In the order of the type's queries a repeated one comes first.
    for stats in sums.values() {
        let reason = reason_to_demote(stats);
        found.extend(reason.map(|reason| demote(stats, reason)));
    }
    let fit = |ty: TypeId, name: &str| !found.iter().any(|d| d.ty == ty && d.query == name);
    let repeated = sums.values().filter(|stats| {
        let (evaluated, distinct) = ENOUGH;
        let is_known = stats.evaluated >= evaluated && stats.distinct >= distinct;
        let same = stats.repeats.iter().any(|name| name != BAG && fit(stats.ty, name));
        is_known && same && stats.name != BAG && fit(stats.ty, &stats.name)
    });
    let repeated: Vec<Demotion> =
        repeated.map(|stats| demote(stats, DemotionReason::Repeats)).collect();
    found.extend(repeated);
    found
}

/// The bags that are not needed: where the order of elements is the same each time, the sequence
/// says more.
pub(crate) fn idle_bags(manifest: &Manifest, demoted: &[Demotion]) -> Vec<Demotion> {
    let mut found = Vec::new();
    for (ty, entry) in (0..).map(TypeId).zip(&manifest.types) {
        let query = |name: &str| entry.queries.iter().find(|query| query.name == name);
        let is_random =
            |d: &Demotion| d.ty == ty && d.query == SEQUENCE && d.reason == DemotionReason::Random;
        let is_active = query(BAG).is_some_and(|bag| bag.active);
        if query(SEQUENCE).is_some() && is_active && !demoted.iter().any(is_random) {
            let (query, reason) = (BAG.to_owned(), DemotionReason::Repeats);
            found.push(Demotion { ty, query, reason });
        }
    }
    found
}

fn demote(stats: &QueryStats, reason: DemotionReason) -> Demotion {
    Demotion { ty: stats.ty, query: stats.name.clone(), reason }
}

/// The measurements of another epoch on top.
fn add_measurements(sum: &mut QueryStats, more: &QueryStats) {
    sum.evaluated += more.evaluated;
    sum.panicked += more.panicked;
    sum.impure += more.impure;
    sum.slow += more.slow;
    sum.blank += more.blank;
    sum.distinct += more.distinct;
    sum.repeats.retain(|name| more.repeats.contains(name));
}

/// Impure at all, slow in more than one evaluation of twenty, panicking in more than nine of ten,
/// never telling anything.
fn reason_to_demote(stats: &QueryStats) -> Option<DemotionReason> {
    if stats.impure > 0 {
        Some(DemotionReason::Impure)
    } else if stats.slow * 20 > stats.evaluated {
        Some(DemotionReason::Slow)
    } else if stats.panicked * 10 > stats.evaluated * 9 {
        Some(DemotionReason::Panics)
    } else if stats.evaluated > 0 && stats.blank + stats.panicked >= stats.evaluated {
        Some(DemotionReason::Blank)
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
    use gainsay_wire::{ManifestQuery, ManifestType};

    use super::*;

    fn check(counts: [u64; 4], expected: Option<DemotionReason>) {
        let [evaluated, panicked, impure, slow] = counts;
        let (ty, name) = (TypeId(0), "q".to_owned());
        let stats = QueryStats::default();
        let queries = vec![QueryStats { ty, name, evaluated, panicked, impure, slow, ..stats }];
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
            slow,
            ..QueryStats::default()
        };
        let report = |slow| EpochReport { queries: vec![stats(slow)], ..EpochReport::default() };
        assert_eq!(demotions(&[report(1)]).len(), 1);
        assert_eq!(demotions(&[report(1), report(0), report(0)]).len(), 0);
    }

    #[test]
    fn what_tells_nothing_or_always_the_same_as_another_is_taken_out() {
        let stats = |name: &str, blank, distinct, repeats: &[&str]| QueryStats {
            name: name.to_owned(),
            evaluated: 60,
            blank,
            distinct,
            repeats: repeats.iter().map(|&name| name.to_owned()).collect(),
            ..QueryStats::default()
        };
        let check = |queries: Vec<QueryStats>, expected: &[(&str, DemotionReason)]| {
            let report = EpochReport { queries, ..EpochReport::default() };
            let found = demotions(&[report]);
            let found: Vec<_> = found.iter().map(|d| (&*d.query, d.reason)).collect();
            assert_eq!(found, expected);
        };
        check(vec![stats("a", 60, 1, &[])], &[("a", DemotionReason::Blank)]);
        check(vec![stats("a", 59, 2, &[])], &[]);
        check(
            vec![stats("a", 0, 9, &[]), stats("b", 0, 9, &["a"])],
            &[("b", DemotionReason::Repeats)],
        );
        check(vec![stats("a", 0, 3, &[]), stats("b", 0, 3, &["a"])], &[]);
        check(
            vec![stats("a", 60, 9, &[]), stats("b", 0, 9, &["a"])],
            &[("a", DemotionReason::Blank)],
        );
    }

    #[test]
    fn the_bag_is_for_types_whose_sequence_is_random() {
        let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
        let ty = ManifestType {
            name: "Map".to_owned(),
            queries: vec![query("seq"), query("bag")],
            can_clone: false,
            borrows: false,
            locks: false,
        };
        let manifest = Manifest { types: vec![ty], ops: Vec::new() };
        let random = |reason| Demotion { ty: TypeId(0), query: "seq".to_owned(), reason };
        assert_eq!(idle_bags(&manifest, &[]).len(), 1);
        assert_eq!(idle_bags(&manifest, &[random(DemotionReason::Slow)]).len(), 1);
        assert_eq!(idle_bags(&manifest, &[random(DemotionReason::Random)]), []);
    }
}
