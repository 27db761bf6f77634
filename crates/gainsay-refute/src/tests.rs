//! Attacks on small containers: the examples of the first paper, and each kind of verdict.

use std::{collections::BTreeMap, path::PathBuf};

use gainsay_model::{
    api::{Source, Subject},
    contract::{Attacks, Closest, Contract, ContractKind, Evidence, Unsettled, Verdict, Via},
    features::Features,
};
use gainsay_search::{Search, evaluate_relations};
use gainsay_store::Store;
use gainsay_wire::{
    Arg, Check, ContractId, Expr, Manifest, ObjRef, OpId, PanicPlace, Point, Sequence, Settings,
    Step, Value, parse_expr,
};
use gainsay_workers::Cancel;

use crate::{
    Branches, Context, FocusSettings, IdleWorkers, Knowledge, Limits, Refutation,
    contradiction::check_all_calls, refute, round::Round,
};

mod goal_tests;
mod target_tests;
mod toy_runner;

use toy_runner::Machine;

/// A machine with a store, and what is known beyond the store.
struct Lab {
    machine: Machine,
    store: Store,
    requires: Vec<(&'static str, &'static str)>,
    pre_where: Vec<&'static str>,
    branches: Vec<(&'static str, &'static str)>,
    panics_begin: PanicsBegin,
}

/// The place where panics of the operations begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PanicsBegin {
    InTheOperation,
    Deeper,
}

/// Conditions by the names of operations, as text.
struct LabKnowledge<'m> {
    manifest: &'m Manifest,
    requires: Vec<(&'static str, &'static str)>,
    pre_where: Vec<&'static str>,
    branches: Vec<(&'static str, &'static str)>,
    panics_begin: PanicsBegin,
}

impl LabKnowledge<'_> {
    fn parse(&self, op: OpId, text: &str) -> Expr {
        let names = self.manifest.ops[op.0 as usize].operand_names();
        parse_expr(text, &names, Point::Entry).unwrap()
    }

    fn of_op(&self, op: OpId, conditions: &[(&str, &str)]) -> Vec<Expr> {
        let name = &self.manifest.ops[op.0 as usize].name;
        let of_op = conditions.iter().filter(|(of, _)| name == of);
        of_op.map(|(_, text)| self.parse(op, text)).collect()
    }
}

impl Knowledge for LabKnowledge<'_> {
    fn requirements(&self, op: OpId) -> Vec<Expr> {
        self.of_op(op, &self.requires)
    }

    fn preconditions_where(&self, op: OpId, _: &Expr) -> Vec<Expr> {
        self.pre_where.iter().map(|text| self.parse(op, text)).collect()
    }

    fn branches(&self, op: OpId) -> Branches {
        Branches { conditions: self.of_op(op, &self.branches), ways: Vec::new() }
    }

    fn owns_panic(&self, _: OpId, _: &PanicPlace) -> bool {
        self.panics_begin == PanicsBegin::InTheOperation
    }
}

impl Lab {
    fn new(queries: &[&str], ops: &[&str]) -> Lab {
        let machine = Machine::new(queries, ops);
        let mut store = Store::in_memory().unwrap();
        let subject = Subject {
            name: "things".into(),
            version: "1.0.0".into(),
            lib_name: "things".into(),
            root: PathBuf::new(),
            out_dir: PathBuf::new(),
            source: Source::Path,
            features: Features::default(),
        };
        store.begin_campaign(&subject, &machine.manifest, 1).unwrap();
        Lab {
            machine,
            store,
            requires: Vec::new(),
            pre_where: Vec::new(),
            branches: Vec::new(),
            panics_begin: PanicsBegin::InTheOperation,
        }
    }

    fn op(&self, name: &str) -> OpId {
        let at = self.machine.manifest.ops.iter().position(|op| op.name == name).unwrap();
        OpId(u32::try_from(at).unwrap())
    }

    /// Runs steps such as `insert 0 7` (objects by step, values by themselves) and records them.
    fn seen(&mut self, steps: &[&str]) {
        let sequence = self.sequence(steps);
        let (states, calls) = self.machine.calls(&sequence);
        self.store.record_calls(&states, &calls).unwrap();
    }

    fn sequence(&self, steps: &[&str]) -> Sequence {
        let step = |text: &&str| {
            let mut words = text.split(' ');
            let op = self.op(words.next().unwrap());
            let params = &self.machine.manifest.ops[op.0 as usize].params;
            let arg = |(word, param): (&str, &gainsay_wire::ManifestParam)| match param {
                gainsay_wire::ManifestParam::Object(..) => {
                    Arg::Object(ObjRef { step: word.parse().unwrap(), out: 0 })
                }
                gainsay_wire::ManifestParam::Plain(_) => {
                    Arg::Plain(Value::Int(word.parse().unwrap()))
                }
            };
            Step::new(op, words.zip(params).map(arg).collect())
        };
        Sequence { steps: steps.iter().map(step).collect() }
    }

    fn expr(&self, op: OpId, text: &str, point: Point) -> Expr {
        let names = self.machine.manifest.ops[op.0 as usize].operand_names();
        parse_expr(text, &names, point).unwrap()
    }

    fn in_context<T>(&mut self, act: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let manifest = self.machine.manifest.clone();
        let knowledge = LabKnowledge {
            manifest: &manifest,
            requires: self.requires.clone(),
            pre_where: self.pre_where.clone(),
            branches: self.branches.clone(),
            panics_begin: self.panics_begin,
        };
        act(&mut Context {
            store: &mut self.store,
            runner: &mut self.machine,
            manifest: &manifest,
            knowledge: &knowledge,
            limits: Limits::default(),
            focus: None,
            cancel: &Cancel::new(),
            on_event: &mut |_| {},
        })
    }

    fn attack(&mut self, kind: ContractKind, op: &str, text: &str) -> Refutation {
        let op = self.op(op);
        let expr = self.expr(op, text, kind.point());
        let evidence = Evidence::default();
        let contract = Contract { id: ContractId(1), op, kind, expr, evidence };
        self.in_context(|context| refute(context, &[contract])).unwrap()
    }

    fn verdict(&mut self, kind: ContractKind, op: &str, text: &str) -> Verdict {
        self.attack(kind, op, text).verdicts.remove(0).1
    }

    fn pre(&mut self, op: &str, text: &str) -> Verdict {
        self.verdict(ContractKind::Precondition, op, text)
    }

    fn post(&mut self, op: &str, text: &str) -> Verdict {
        self.verdict(ContractKind::Postcondition, op, text)
    }
}

/// A refutation by these steps, each as in [`Lab::seen`].
fn refuted(lab: &Lab, verdict: &Verdict, via: Via, by: &[&str]) {
    let expected = Verdict::Refuted { by: lab.sequence(by), via };
    assert_eq!(*verdict, expected);
}

/// No answer, for this reason.
fn unsettled(verdict: &Verdict, why: Unsettled) {
    assert!(matches!(verdict, Verdict::Unsettled { reason, .. } if *reason == why), "{verdict:?}");
}

fn sets() -> Lab {
    let mut lab = Lab::new(
        &["is_empty", "len", "seq", "is_disjoint"],
        &["new", "insert", "merge", "compare", "at", "push"],
    );
    lab.seen(&["new", "insert 0 1", "new", "insert 2 5", "merge 0 2"]);
    lab
}

#[test]
fn a_stored_overlapping_pair_refutes_that_merge_wants_disjoint_sets() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 1", "new", "insert 2 1", "compare 0 2"]);
    let verdict = lab.pre("merge", "self.is_disjoint(other)");
    let by = ["new", "insert 0 1", "new", "insert 2 1", "merge 2 0"];
    refuted(&lab, &verdict, Via::Objects, &by);
}

#[test]
fn sets_that_never_met_are_combined_when_no_stored_pair_overlaps() {
    let mut lab = Lab::new(
        &["is_empty", "len", "seq", "is_disjoint"],
        &["new", "insert", "merge", "compare"],
    );
    lab.seen(&["new", "insert 0 1", "new", "insert 2 5", "compare 0 2"]);
    lab.seen(&["new", "insert 0 1", "insert 0 2"]);
    let verdict = lab.pre("merge", "self.is_disjoint(other)");
    assert!(matches!(verdict, Verdict::Refuted { via: Via::NewTuple, .. }), "{verdict:?}");
}

#[test]
fn equal_lists_that_are_not_empty_refute_a_postcondition() {
    let mut lab = Lab::new(&["is_empty", "seq", "=="], &["new", "push", "merge", "compare"]);
    lab.seen(&["new", "new", "merge 0 1"]);
    lab.seen(&["new", "push 0 4", "new", "push 2 4", "compare 0 2"]);
    lab.pre_where = vec!["self.is_empty()"];
    let verdict = lab.post("merge", "old(self == other) ==> self.is_empty()");
    let by = ["new", "push 0 4", "new", "push 2 4", "merge 2 0"];
    refuted(&lab, &verdict, Via::Objects, &by);
}

fn trees(graft: &'static str) -> Lab {
    let mut lab = Lab::new(&["off", "is_sibling"], &["node", "start", graft, "compare"]);
    lab.seen(&["node 1", "node 1", "compare 0 1"]);
    lab.seen(&["node 2", "start 0", "node 3", &format!("{graft} 0 2")]);
    lab.requires = vec![(graft, "!self.off()")];
    lab
}

#[test]
fn a_transition_brings_siblings_where_no_stored_pair_was() {
    let mut lab = trees("graft");
    let verdict = lab.pre("graft", "!self.is_sibling(other)");
    refuted(&lab, &verdict, Via::Transition, &["node 1", "node 1", "start 1", "graft 1 0"]);
}

#[test]
fn a_panic_that_changes_something_is_no_precondition_but_a_finding() {
    let mut lab = trees("bad_graft");
    let round = lab.attack(ContractKind::Precondition, "bad_graft", "!self.is_sibling(other)");
    unsettled(&round.verdicts[0].1, Unsettled::OnlyPanics);
    let changed = |finding: &&gainsay_wire::Finding| match &finding.oracle {
        gainsay_wire::Oracle::Panic(place) => place.changed,
        _ => false,
    };
    let found = round.findings.iter().find(changed).unwrap();
    let by = ["node 1", "node 1", "start 1", "bad_graft 1 0"];
    assert_eq!(found.recipe, lab.sequence(&by));
}

#[test]
fn a_call_that_an_oracle_objects_to_does_not_refute() {
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "unlawful"]);
    lab.seen(&["new", "push 0 1", "new", "unlawful 2 0"]);
    let round = lab.attack(ContractKind::Precondition, "unlawful", "self.is_empty()");
    unsettled(&round.verdicts[0].1, Unsettled::NothingToTry);
    assert!(round.calls.is_empty() && !round.findings.is_empty());
}

#[test]
fn the_same_store_gives_the_same_round() {
    let round = || {
        let mut lab = sets();
        lab.seen(&["new", "insert 0 1", "insert 0 2", "at 0 1"]);
        let round = lab.attack(ContractKind::Precondition, "merge", "self.len() < 2");
        (round.verdicts, round.calls, round.states, round.effort.runs, lab.store.dump().unwrap())
    };
    assert_eq!(round(), round());
}

#[test]
fn panics_alike_with_nothing_changed_make_a_real_precondition() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 1", "at 0 0"]);
    let verdict = lab.pre("at", "index < self.len()");
    assert!(
        matches!(verdict, Verdict::RealPrecondition { attacks: Attacks { at_risk: 3.., .. } }),
        "{verdict:?}"
    );
    // The same clause with the last element left out is not what the operation wants.
    let verdict = lab.pre("at", "index + 1 < self.len()");
    assert!(matches!(verdict, Verdict::Refuted { via: Via::Objects, .. }), "{verdict:?}");
}

#[test]
fn a_panic_deeper_than_the_operation_makes_no_precondition() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 1", "at 0 0"]);
    lab.panics_begin = PanicsBegin::Deeper;
    let verdict = lab.pre("at", "index < self.len()");
    unsettled(&verdict, Unsettled::OnlyPanics);
}

#[test]
fn nothing_to_try_is_said_when_nothing_comes_near() {
    let mut lab = sets();
    let verdict = lab.pre("merge", "self.len() < 100");
    unsettled(&verdict, Unsettled::NothingToTry);
}

#[test]
fn a_budget_that_ends_is_said() {
    let mut lab = sets();
    let op = lab.op("merge");
    let expr = lab.expr(op, "self.is_empty()", Point::Entry);
    let (kind, evidence) = (ContractKind::Precondition, Evidence::default());
    let contract = Contract { id: ContractId(1), op, kind, expr, evidence };
    let cancel = Cancel::new();
    cancel.cancel();
    let round = lab.in_context(|context| {
        let mut late = Context { cancel: &cancel, ..reborrow(context) };
        refute(&mut late, &[contract]).unwrap()
    });
    unsettled(&round.verdicts[0].1, Unsettled::Budget);
}

fn reborrow<'a>(context: &'a mut Context<'_>) -> Context<'a> {
    Context {
        store: context.store,
        runner: context.runner,
        manifest: context.manifest,
        knowledge: context.knowledge,
        limits: context.limits,
        focus: context.focus.clone(),
        cancel: context.cancel,
        on_event: context.on_event,
    }
}

#[test]
fn a_true_postcondition_is_upheld_with_its_attacks_and_a_false_one_refuted() {
    let mut lab = sets();
    lab.seen(&["new", "push 0 1"]);
    let verdict = lab.post("push", "self.len() == old(self.len()) + 1");
    assert!(
        matches!(verdict, Verdict::Upheld { attacks: Attacks { at_risk: 2.., .. } }),
        "{verdict:?}"
    );
    let verdict = lab.post("push", "self.len() == 1");
    assert!(matches!(verdict, Verdict::Refuted { via: Via::Objects, .. }), "{verdict:?}");
}

#[test]
fn calls_on_which_an_implication_says_nothing_are_no_attacks() {
    let mut lab = sets();
    lab.seen(&["new", "push 0 1"]);
    // The antecedent speaks of the state after and is never true.
    let verdict = lab.post("push", "self.is_empty() ==> self.len() == 9");
    unsettled(&verdict, Unsettled::NothingToTry);
}

#[test]
fn an_equivalence_is_attacked_from_both_sides() {
    let mut lab = sets();
    lab.seen(&["new", "push 0 1", "at 0 0"]);
    let verdict = lab.post("push", "old(self.is_empty()) <=> self.len() == 1");
    assert!(
        matches!(verdict, Verdict::Upheld { attacks: Attacks { at_risk: 2.., .. } }),
        "{verdict:?}"
    );
    let verdict = lab.post("push", "old(self.is_empty()) <=> self.len() >= 1");
    assert!(matches!(verdict, Verdict::Refuted { .. }), "{verdict:?}");
}

#[test]
fn panics_say_nothing_about_a_postcondition() {
    let mut lab = sets();
    lab.seen(&["new", "at 0 0"]);
    let verdict = lab.post("at", "old(self.is_empty()) ==> self.len() == 7");
    unsettled(&verdict, Unsettled::OnlyPanics);
}

#[test]
fn a_claim_about_panics_is_attacked_where_it_holds_and_where_not() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 1", "at 0 0"]);
    lab.seen(&["new", "at 0 0"]);
    let mut panics = |text| lab.verdict(ContractKind::Panics, "at", text);
    let exact = panics("index >= self.len()");
    assert!(
        matches!(exact, Verdict::Upheld { attacks: Attacks { at_risk: 4.., .. } }),
        "{exact:?}"
    );
    let narrow = panics("self.is_empty() && index == 0");
    assert!(matches!(narrow, Verdict::Refuted { .. }), "{narrow:?}");
    let wide = panics("index + 1 >= self.len()");
    assert!(matches!(wide, Verdict::Refuted { .. }), "{wide:?}");
}

#[test]
fn a_panic_for_another_known_reason_refutes_no_claim_about_panics() {
    let mut lab = sets();
    lab.seen(&["new", "insert 0 1", "at 0 0"]);
    lab.seen(&["new", "at 0 0"]);
    lab.requires = vec![("at", "index < self.len()")];
    let narrow = lab.verdict(ContractKind::Panics, "at", "self.is_empty() && index == 0");
    assert!(matches!(narrow, Verdict::Upheld { .. }), "{narrow:?}");
    let wide = lab.verdict(ContractKind::Panics, "at", "index + 1 >= self.len()");
    assert!(matches!(wide, Verdict::Refuted { .. }), "{wide:?}");
}

#[test]
fn new_calls_are_recorded_and_no_sequence_runs_twice() {
    let mut lab = sets();
    lab.seen(&["new", "push 0 1"]);
    let op = lab.op("push");
    let contracts: Vec<Contract> = (0..5)
        .map(|id| Contract {
            id: ContractId(id),
            op,
            kind: ContractKind::Postcondition,
            expr: lab.expr(op, "!self.is_empty()", Point::Exit),
            evidence: Evidence::default(),
        })
        .collect();
    let before = lab.store.read_samples().unwrap().of(op).len();
    let round = lab.in_context(|context| refute(context, &contracts)).unwrap();
    assert_eq!(round.verdicts.len(), 5);
    assert!(!round.calls.is_empty());
    assert_eq!(round.effort.runs, lab.machine.runs as u64);
    assert!(lab.store.read_samples().unwrap().of(op).len() > before);
}

/// The running example of the first paper.
fn lists() -> Lab {
    let mut lab = Lab::new(&["is_empty", "has"], &["new", "wipe_out", "append", "extend"]);
    for steps in [
        &["new"][..],
        &["new", "wipe_out 0"],
        &["new", "append 0 0"],
        &["new", "extend 0 0"],
        &["new", "new"],
    ] {
        lab.seen(steps);
    }
    lab
}

#[test]
fn a_list_that_is_not_empty_refutes_that_wipe_out_wants_an_empty_one() {
    let mut lab = lists();
    let verdict = lab.pre("wipe_out", "self.is_empty()");
    refuted(&lab, &verdict, Via::Objects, &["new", "extend 0 0", "wipe_out 0"]);
}

#[test]
fn appending_a_list_that_is_not_empty_refutes_that_append_keeps_lists_empty() {
    let mut lab = lists();
    lab.pre_where = vec!["other.is_empty()"];
    let verdict = lab.post("append", "old(self.is_empty()) ==> self.is_empty()");
    refuted(&lab, &verdict, Via::Objects, &["new", "new", "extend 1 1", "append 0 1"]);
}

#[test]
fn relations_between_versions_are_those_of_the_paper() {
    let mut lab = lists();
    let sequence = lab.sequence(&["new", "extend 0 0"]);
    let (_, calls) = lab.machine.calls(&sequence);
    let evaluated = lab.in_context(|context| {
        let (runner, mut desk) = context.split_for_planning();
        evaluate_relations(&mut desk.search, runner, &calls).unwrap()
    });
    assert_eq!(evaluated, 5, "one pair for the new list, four around the call");
    let facts = [
        "Thing{is_empty=false}.has(Thing{is_empty=false}) = true",
        "Thing{is_empty=false}.has(Thing{is_empty=true}) = false",
        "Thing{is_empty=false}.is_empty() = false",
        "Thing{is_empty=true}.has(Thing{is_empty=false}) = false",
        "Thing{is_empty=true}.has(Thing{is_empty=true}) = false",
        "Thing{is_empty=true}.is_empty() = true",
        "extend: self.has(other) false -> true",
        "extend: self.is_empty() true -> false",
    ];
    assert_eq!(lab.store.export_facts().unwrap(), facts);
}

#[test]
fn transitions_follow_each_other_where_one_is_not_enough() {
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "wipe_out"]);
    lab.seen(&["new", "push 0 1"]);
    let verdict = lab.pre("wipe_out", "self.len() < 4");
    let push = "push 0 1";
    refuted(&lab, &verdict, Via::Chain, &["new", push, push, push, push, "wipe_out 0"]);
    // One more would be a fourth transition; what the first attack made is in that store.
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "wipe_out"]);
    lab.seen(&["new", "push 0 1"]);
    let verdict = lab.pre("wipe_out", "self.len() < 5");
    unsettled(&verdict, Unsettled::NothingToTry);
    let Verdict::Unsettled { attacks, .. } = verdict else { return };
    assert!(attacks.made > 0 && attacks.at_risk == 0, "{attacks:?}");
    assert_eq!(attacks.closest, Some(Closest::Unmet(1)));
}

#[test]
fn a_chain_goes_on_only_while_the_other_clauses_hold() {
    let mut lab = Lab::new(&["is_empty", "len", "off"], &["node", "push", "start", "wipe_out"]);
    lab.seen(&["node 1", "push 0 1", "start 0"]);
    // Whoever starts is no longer off: only pushes may lead there.
    lab.requires = vec![("wipe_out", "self.off()")];
    let verdict = lab.pre("wipe_out", "self.len() < 3");
    let by = ["node 1", "push 0 1", "push 0 1", "push 0 1", "wipe_out 0"];
    refuted(&lab, &verdict, Via::Chain, &by);
}

#[test]
fn a_call_that_was_made_for_one_contract_refutes_another() {
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "wipe_out"]);
    lab.seen(&["new", "push 0 1"]);
    let op = lab.op("wipe_out");
    let (kind, evidence) = (ContractKind::Precondition, Evidence::default());
    let contract = |id, expr| Contract { id: ContractId(id), op, kind, expr, evidence };
    let broken = contract(1, lab.expr(op, "self.is_empty()", Point::Entry));
    let kept = contract(2, lab.expr(op, "self.len() < 9", Point::Entry));
    let sequence = lab.sequence(&["new", "push 0 7", "wipe_out 0"]);
    let verdicts = lab.in_context(|context| {
        let (mut round, mut verdicts) = (Round::default(), BTreeMap::new());
        let (runner, mut desk) = context.split_for_planning();
        round.search.run_calls(&mut desk.search, runner, vec![sequence.clone()]).unwrap();
        check_all_calls(&desk, &mut round, &[broken, kept], &mut verdicts);
        verdicts
    });
    let by_other = Verdict::Refuted { by: sequence, via: Via::OtherAttack };
    assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), [(ContractId(1), by_other)]);
}

#[test]
fn a_way_that_several_calls_have_in_common_is_kept_once() {
    let mut lab = Lab::new(&["is_empty", "len"], &["new", "push", "wipe_out"]);
    let way = ["new", "push 0 1"];
    let calls = ["push 0 2", "push 0 3", "wipe_out 0"];
    let ends: Vec<_> = calls.iter().map(|end| lab.sequence(&[way[0], way[1], end])).collect();
    let way = lab.sequence(&way);
    let kept = lab.in_context(|context| {
        let mut search = Search::default();
        let (runner, mut desk) = context.split_for_planning();
        search.run_calls(&mut desk.search, runner, ends.clone()).unwrap();
        search.log().list_calls().iter().map(|call| call.recipe.clone()).collect::<Vec<_>>()
    });
    assert_eq!(kept.iter().filter(|recipe| **recipe == way).count(), 1);
    assert!(ends.iter().all(|end| kept.contains(end)) && kept.len() == 4, "{kept:?}");
}

/// Attacks by single calls and in focused epochs.
fn attack_with_epochs(lab: &mut Lab, op: &str, text: &str, idle: IdleWorkers) -> Refutation {
    let op = lab.op(op);
    let (kind, evidence) = (ContractKind::Postcondition, Evidence::default());
    let expr = lab.expr(op, text, Point::Exit);
    let contract = Contract { id: ContractId(1), op, kind, expr: expr.clone(), evidence };
    let checks = vec![Check { contract: contract.id, op, expr }];
    let focus = FocusSettings {
        settings: Settings { checks, ..Settings::default() },
        seed: 1,
        calls: 9,
        barred: vec![],
        idle,
    };
    lab.in_context(|context| {
        context.focus = Some(focus);
        let refutation = refute(context, &[contract]).unwrap();
        assert_eq!(*context.runner.settings(), Settings::default());
        refutation
    })
}

#[test]
fn an_argument_that_single_attacks_have_not_comes_of_a_focused_epoch() {
    let of_three = || {
        let mut lab = sets();
        lab.seen(&["new", "push 0 3"]);
        lab
    };
    // No element, and next to none.
    let text = "old(self.len()) != 1 || value != 7";
    let alone = of_three().post("insert", text);
    assert!(matches!(alone, Verdict::Upheld { .. }), "{alone:?}");
    let mut lab = of_three();
    let refutation = attack_with_epochs(&mut lab, "insert", text, IdleWorkers::Wait);
    refuted(&lab, &refutation.verdicts[0].1, Via::Raid, &["new", "insert 0 1", "insert 0 7"]);
    assert!(!refutation.epochs.is_empty());
}

#[test]
fn calls_of_focused_epochs_that_could_have_failed_speak_for_what_stands() {
    let mut lab = sets();
    let refutation = attack_with_epochs(
        &mut lab,
        "push",
        "self.len() == old(self.len()) + 1",
        IdleWorkers::Wait,
    );
    let Verdict::Upheld { attacks } = &refutation.verdicts[0].1 else {
        panic!("{:?}", refutation.verdicts)
    };
    assert!(attacks.ways[&Via::Raid] > 0 && attacks.ways[&Via::Objects] > 0, "{attacks:?}");
    assert_eq!(attacks.ways.values().sum::<u64>(), attacks.at_risk);
}

#[test]
fn workers_that_would_wait_explore_where_time_is_the_limit() {
    let survived = |idle| {
        let mut lab = sets();
        lab.machine.spare = 2;
        let refutation =
            attack_with_epochs(&mut lab, "push", "self.len() == old(self.len()) + 1", idle);
        let Verdict::Upheld { attacks } = &refutation.verdicts[0].1 else {
            panic!("{:?}", refutation.verdicts)
        };
        let calls: u64 = refutation.epochs.iter().map(|report| report.calls).sum();
        (calls, attacks.ways[&Via::Raid])
    };
    let (few, many) = (survived(IdleWorkers::Wait), survived(IdleWorkers::Explore));
    assert!(few.0 < many.0 && few.1 < many.1, "{few:?}, {many:?}");
}
