//! Campaigns with fake workers: budgets, order, restarts and stop reasons.

use std::{cell::RefCell, collections::BTreeSet};

use gainsay_wire::{
    EdgeCount, Finding, Oracle, Outcome, OutcomeClass, QueryStats, Step, Twist, TypeId,
};
use gainsay_workers::Answer;

use super::*;
use crate::fake::{Fake, NOISE, died, epoch, int, subject};

fn campaign(seed: u64) -> Campaign {
    Campaign::new(seed, subject(), Plan::default())
}

fn calls(calls: u64) -> Budget {
    Budget { calls: Some(calls), time: None }
}

/// Runs a campaign and returns what was reported, in order.
fn reports(
    fake: &mut Fake<'_>,
    campaign: &mut Campaign,
    budget: Budget,
) -> (CampaignEnd, Vec<EpochReport>) {
    let mut seen = Vec::new();
    let mut report = |report: EpochReport| seen.push(report);
    let mut listeners = Listeners { report: &mut report, event: &mut |_| {} };
    let end = campaign.run(fake, budget, &Cancel::new(), &mut listeners).unwrap();
    (end, seen)
}

#[test]
fn a_budget_in_calls_is_met_exactly_with_small_epochs_first() {
    let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
    let (end, seen) = reports(&mut fake, &mut campaign(1), calls(2_100));
    assert_eq!((end.stop, end.calls), (StopReason::Calls, 2_100));
    let sizes: Vec<u64> = seen.iter().map(|report| report.calls).collect();
    // The fourth epoch of the second round is one in which the caller's code misbehaves.
    assert_eq!(sizes, [125, 125, 125, 125, 125, 125, 125, 125, 250, 250, 250, 100]);
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let run = |seed| {
        let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
        reports(&mut fake, &mut campaign(seed), calls(20_000)).1
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn begun_again_it_draws_what_another_seed_does_from_short_epochs_on() {
    let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
    let mut campaign = campaign(1);
    let (_, first) = reports(&mut fake, &mut campaign, calls(5_000));
    let mut other = campaign.clone();
    campaign.begin_again(2);
    let (_, again) = reports(&mut fake, &mut campaign, calls(1_000));
    assert!(first.last().unwrap().calls > 125);
    assert_eq!(again[0].calls, 125);
    other.begin_again(1);
    let (_, same_seed) = reports(&mut fake, &mut other, calls(1_000));
    assert_ne!(again[0].states, same_seed[0].states);
    assert_eq!(campaign.totals().calls, 6_000, "what was seen stays");
}

#[test]
fn a_campaign_goes_on_with_new_seeds_where_it_stopped() {
    let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
    let mut campaign = campaign(1);
    let (_, first) = reports(&mut fake, &mut campaign, calls(1_000));
    let (end, second) = reports(&mut fake, &mut campaign, calls(1_000));
    assert_eq!((end.calls, campaign.totals().calls), (1_000, 2_000));
    assert_ne!(first[0].states, second[0].states);
}

#[test]
fn a_death_is_noted_and_what_came_before_it_is_kept() {
    // The 41st call of each epoch kills.
    let mortal = |task: &EpochTask| {
        if task.calls <= 40 {
            return Answer::Done(epoch(task));
        }
        let steps = vec![Step::new(NOISE, vec![int(0)]); 41];
        Answer::Died(died(&Sequence { steps }, Outcome::Aborted("SIGSEGV".parse().unwrap())))
    };
    let mut fake = Fake::exploring(mortal);
    let mut campaign = campaign(1);
    let (end, seen) = reports(&mut fake, &mut campaign, calls(320));
    assert!(seen.iter().all(|report| report.calls <= 40));
    assert_eq!(end.calls, 320);
    assert!(end.deaths > 0);
    let raw = campaign.findings().iter().next().unwrap();
    assert_eq!((raw.sighting.op, raw.recipes[0].steps.len()), (NOISE, 41));
    let epochs = (0..1 << 12).filter(|number| !campaign.barred(*number).contains(&NOISE));
    assert_eq!(epochs.count(), 32, "what kills again and again is called in ever fewer epochs");
}

/// The edges that a campaign tells of when a certain call of each epoch kills, and how many epochs
/// had one.
fn edges_of_deaths(first_fatal: u32, change: fn(&mut Death)) -> (Vec<EdgeCount>, usize) {
    let fatal = RefCell::new(BTreeSet::new());
    let mortal = |task: &EpochTask| {
        if task.calls < first_fatal {
            return Answer::Done(epoch(task));
        }
        fatal.borrow_mut().extend((!task.calibrate).then_some(task.seed));
        let steps = vec![Step::new(NOISE, vec![int(0)]); first_fatal as usize];
        let mut death = died(&Sequence { steps }, Outcome::TimedOut);
        change(&mut death);
        Answer::Died(death)
    };
    let (mut fake, mut campaign) = (Fake::exploring(mortal), campaign(1));
    let plan = Plan { inject_every: 0, max_deaths: 20, ..Plan::default() };
    campaign.plan = plan;
    let (_, seen) = reports(&mut fake, &mut campaign, calls(320));
    let observed: u64 = seen.iter().map(|report| report.observed).sum();
    assert_eq!(campaign.totals().observed, observed);
    let edges: Vec<EdgeCount> = seen.into_iter().flat_map(|report| report.edges).collect();
    assert_eq!(edges.iter().map(|counted| counted.count).sum::<u64>(), observed);
    drop(fake);
    (edges, fatal.into_inner().len())
}

#[test]
fn the_call_that_a_worker_died_of_has_an_edge_once() {
    for first_fatal in [1, 41] {
        let (edges, epochs) = edges_of_deaths(first_fatal, |_| {});
        assert!(epochs > 0);
        assert_eq!(edges.len(), epochs, "an epoch that is made again counts once");
        assert!(edges.iter().all(|counted| {
            counted.edge.op == NOISE && counted.edge.outcome == OutcomeClass::TimedOut
        }));
    }
}

#[test]
fn a_death_that_the_last_call_is_not_to_blame_for_has_no_edge() {
    assert_eq!(edges_of_deaths(41, |death| death.in_view = true).0, []);
    assert_eq!(edges_of_deaths(41, |death| death.judge = gainsay_workers::Judge::Driver).0, []);
}

#[test]
fn a_worker_that_dies_amid_misbehaviour_has_no_edge() {
    let mortal = |task: &EpochTask| {
        if !task.inject || task.calls <= 40 {
            return Answer::Done(epoch(task));
        }
        let steps = vec![Step::new(NOISE, vec![int(0)]); 41];
        Answer::Died(died(&Sequence { steps }, Outcome::Aborted("SIGSEGV".parse().unwrap())))
    };
    let mut campaign = campaign(1);
    let (end, seen) = reports(&mut Fake::exploring(mortal), &mut campaign, calls(10_000));
    assert!(end.deaths > 0);
    assert!(seen.iter().all(|report| report.edges.is_empty()));
}

#[test]
fn too_many_deaths_end_the_campaign() {
    let deadly = |_: &EpochTask| {
        let steps = vec![Step::new(NOISE, vec![int(0)])];
        Answer::Died(died(&Sequence { steps }, Outcome::Aborted("SIGSEGV".parse().unwrap())))
    };
    let mut fake = Fake::exploring(deadly);
    let plan = Plan { max_deaths: 30, ..Plan::default() };
    let mut campaign = Campaign::new(1, subject(), plan);
    let (end, _) = reports(&mut fake, &mut campaign, calls(1_000));
    assert_eq!(end.stop, StopReason::Restarts);
    assert_eq!(campaign.findings().len(), 1);
}

#[test]
fn calibration_demotes_shares_and_is_not_repeated() {
    let measured = |task: &EpochTask| {
        let mut report = epoch(task);
        if task.calibrate {
            let (ty, name) = (TypeId(0), "now".to_owned());
            let stats = QueryStats { ty, name, evaluated: 9, impure: 1, ..QueryStats::default() };
            report.queries = vec![stats];
            report.sharing = vec![TypeId(0)];
        }
        Answer::Done(report)
    };
    let mut fake = Fake::exploring(measured);
    let mut campaign = campaign(1);
    let (end, seen) = reports(&mut fake, &mut campaign, calls(500));
    assert_eq!(end.calls, 500);
    assert!(seen.iter().all(|report| report.queries.is_empty()), "calibration is not reported");
    assert_eq!(fake.settings.demoted, [(TypeId(0), "now".to_owned())]);
    assert_eq!(fake.settings.sharing, [TypeId(0)]);
    assert_eq!(campaign.demotions().len(), 1);
}

#[test]
fn without_a_budget_it_ends_when_nothing_is_new() {
    let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
    let (end, _) = reports(&mut fake, &mut campaign(1), Budget::default());
    assert_eq!(end.stop, StopReason::Saturation);
}

#[test]
fn with_a_limit_in_time_it_ends_early_when_half_of_it_brought_nothing_new() {
    let check = |calls: Option<u64>, seconds: Option<u64>, quiet: (u32, u64), expected: bool| {
        let (rounds, silence) = quiet;
        let run = Run {
            budget: Budget { calls, time: seconds.map(Duration::from_secs) },
            calls_before: 0,
            deaths_before: 0,
            quiet: rounds,
            quiet_since: Instant::now().checked_sub(Duration::from_secs(silence)).unwrap(),
            stuck: false,
        };
        assert_eq!(run.is_saturated(20), expected, "{calls:?} {seconds:?} {quiet:?}");
    };
    check(None, Some(10), (20, 6), true);
    check(None, Some(10), (20, 4), false);
    check(None, Some(10), (19, 6), false);
    check(None, Some(1), (20, 1), false);
    check(None, None, (20, 0), true);
    check(Some(100), Some(10), (20, 6), false);
    check(Some(100), None, (20, 6), false);
}

#[test]
fn time_and_interrupts_stop_it_with_their_own_reasons() {
    let mut fake = Fake::exploring(|task| Answer::Done(epoch(task)));
    let budget = Budget { calls: None, time: Some(Duration::from_millis(20)) };
    assert_eq!(reports(&mut fake, &mut campaign(1), budget).0.stop, StopReason::Time);
    let cancel = Cancel::new();
    cancel.cancel();
    let mut listeners = Listeners { report: &mut |_| {}, event: &mut |_| {} };
    let end = campaign(1).run(&mut fake, budget, &cancel, &mut listeners).unwrap();
    assert_eq!(end.stop, StopReason::Interrupted);
}

#[test]
fn what_is_seen_amid_misbehaviour_is_counted_and_nothing_else() {
    let explore = |task: &EpochTask| {
        let mut report = epoch(task);
        if task.inject {
            let step = Step { twist: Twist::Forget, ..Step::new(NOISE, vec![int(0)]) };
            report.findings = vec![Finding {
                oracle: Oracle::Probe("double drop".parse().unwrap()),
                op: NOISE,
                about: None,
                message: String::new(),
                recipe: Sequence { steps: vec![step] },
            }];
        }
        Answer::Done(report)
    };
    let mut campaign = campaign(1);
    let (end, seen) = reports(&mut Fake::exploring(explore), &mut campaign, calls(10_000));
    let told: u64 = seen.iter().map(|report| report.calls).sum();
    let totals = campaign.totals();
    assert!(totals.injected > 0);
    assert_eq!((end.calls, told), (10_000, 10_000 - totals.injected));
    assert!(campaign.findings().is_empty());
    assert_eq!(campaign.injected().len(), 1);
}

#[test]
fn callers_that_are_to_be_spared_never_misbehave() {
    let explore = |task: &EpochTask| {
        assert!(!task.inject);
        Answer::Done(epoch(task))
    };
    let mut campaign = campaign(1);
    campaign.spare_callers();
    reports(&mut Fake::exploring(explore), &mut campaign, calls(10_000));
    assert_eq!(campaign.totals().injected, 0);
}
