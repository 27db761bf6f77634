//! The search by itself: goals as jobs that ask for calls and wait for them.

use gainsay_search::{Choice, Depth, Effort, Goal, Means, Progress, Search};
use gainsay_wire::Point;
use gainsay_workers::Answer;

use super::{Lab, sets};

const ALL_MEANS: Effort = Effort { tuples: 45, depth: Depth::AllMeans };

fn goal(lab: &Lab, op: &str, text: &str) -> Goal {
    let op = lab.op(op);
    Goal::new(op, &[lab.expr(op, text, Point::Entry)])
}

/// Lists of one element.
fn lists() -> Lab {
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "wipe_out"]);
    lab.seen(&["new", "push 0 1"]);
    lab
}

#[test]
fn a_job_stays_in_its_stage_until_its_calls_are_answered() {
    let mut lab = lists();
    let goal = goal(&lab, "wipe_out", "self.len() == 3");
    let mut batches = Vec::new();
    let reached = lab.in_context(|context| {
        let (runner, mut desk) = context.split_for_planning();
        let mut search = Search::default();
        let job = search.add_goal(goal, ALL_MEANS);
        loop {
            if let Progress::Finished(reached) = search.advance_job(&mut desk.search, job).unwrap()
            {
                break (reached, search);
            }
            let again = search.advance_job(&mut desk.search, job).unwrap();
            assert!(matches!(again, Progress::Pending), "nothing was answered");
            let asks = search.take_asks();
            assert!(search.take_asks().is_empty(), "calls are asked for once");
            batches.push(asks.to_tasks().len());
            let answers = runner.run(&asks.to_tasks(), desk.search.cancel).unwrap();
            search.take_answers(&mut desk.search, asks, answers).unwrap();
        }
    });
    let (reached, search) = reached;
    assert_eq!(batches.len(), 2, "one for each transition of the chain: {batches:?}");
    let hit = reached.hits[0];
    assert_eq!(hit.means, Means::Chain);
    let by = lab.sequence(&["new", "push 0 1", "push 0 1", "push 0 1", "wipe_out 0"]);
    assert_eq!(search.log().find_call(hit.call).recipe, by);
}

#[test]
fn goals_have_jobs_and_calls_in_common() {
    let mut lab = lists();
    let (one, other) =
        (goal(&lab, "push", "self.len() > 0"), goal(&lab, "push", "self.len() == 1"));
    lab.in_context(|context| {
        let (_, mut desk) = context.split_for_planning();
        let mut search = Search::default();
        let job = search.add_goal(one.clone(), ALL_MEANS);
        assert_eq!(search.add_goal(one, ALL_MEANS), job);
        search.advance_job(&mut desk.search, job).unwrap();
        let asked = search.take_asks().to_tasks().len();
        assert!(asked > 0);
        let job = search.add_goal(other, ALL_MEANS);
        let progress = search.advance_job(&mut desk.search, job).unwrap();
        assert!(matches!(progress, Progress::Pending), "the calls are under way");
        assert!(search.take_asks().is_empty(), "the same calls reach both");
    });
}

#[test]
fn a_call_that_was_cancelled_is_asked_for_again() {
    let mut lab = lists();
    let goal = goal(&lab, "push", "self.len() == 1");
    lab.in_context(|context| {
        let (_, mut desk) = context.split_for_planning();
        let mut search = Search::default();
        let job = search.add_goal(goal, ALL_MEANS);
        search.advance_job(&mut desk.search, job).unwrap();
        let asks = search.take_asks();
        let tasks = asks.to_tasks();
        let answers = tasks.iter().map(|_| Answer::Cancelled).collect();
        search.take_answers(&mut desk.search, asks, answers).unwrap();
        assert_eq!(search.log().count_runs(), 0);
        search.advance_job(&mut desk.search, job).unwrap();
        assert_eq!(search.take_asks().to_tasks(), tasks);
    });
}

#[test]
fn objects_that_never_met_reach_a_goal_once_they_were_asked_about() {
    let mut lab = Lab::new(
        &["is_empty", "len", "seq", "is_disjoint"],
        &["new", "insert", "merge", "compare"],
    );
    lab.seen(&["new", "insert 0 1", "new", "insert 2 5", "compare 0 2"]);
    lab.seen(&["new", "insert 0 1", "insert 0 2"]);
    let goal = goal(&lab, "merge", "!self.is_disjoint(other)");
    lab.in_context(|context| {
        let (runner, mut desk) = context.split_for_planning();
        let mut search = Search::default();
        let reached = search.reach_goal(&mut desk.search, runner, goal.clone(), ALL_MEANS).unwrap();
        assert!(reached.hits.iter().all(|hit| hit.means == Means::NewTuple));
        assert!(!reached.hits.is_empty() && search.count_relations() > 0);
        let near = Effort { depth: Depth::StoredObjects, ..ALL_MEANS };
        let mut search = Search::default();
        let reached = search.reach_goal(&mut desk.search, runner, goal, near).unwrap();
        assert!(reached.hits.iter().all(|hit| hit.means == Means::StoredObjects));
    });
}

#[test]
fn a_choice_near_a_border_leaves_out_what_is_far() {
    let mut lab = sets();
    for length in 1..6 {
        let pushes = (0..length).map(|number| format!("push 0 {number}"));
        let steps: Vec<String> = std::iter::once("new".to_owned()).chain(pushes).collect();
        lab.seen(&steps.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let any = goal(&lab, "push", "self.len() > 0");
    let op = lab.op("push");
    let claim = lab.expr(op, "self.len() < 6", Point::Entry);
    let goal = any.nearest_to_false(claim.clone());
    assert_eq!(goal.choice, Choice::NearestToFalse(claim));
    let two = Effort { tuples: 2, depth: Depth::StoredObjects };
    let lengths: Vec<usize> = lab.in_context(|context| {
        let (runner, mut desk) = context.split_for_planning();
        let mut search = Search::default();
        let reached = search.reach_goal(&mut desk.search, runner, goal, two).unwrap();
        let recipe = |hit: &gainsay_search::Hit| search.log().find_call(hit.call).recipe.clone();
        reached.hits.iter().map(|hit| recipe(hit).steps.len() - 2).collect()
    });
    // Lists of one to five elements: five is one short of the border, four comes next.
    assert_eq!(lengths.len(), 2);
    assert!(lengths.iter().all(|length| *length >= 4), "the longest lists: {lengths:?}");
}
