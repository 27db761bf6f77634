//! What driver and worker say to each other. The worker opens with [`Response::Hello`]; after
//! that each request has exactly one response.

use crate::{
    Breadth, ContractId, DeathCause, EdgeCount, Expr, LawBreach, LawCount, LawId, Manifest, Misuse,
    ObjRef, Observation, Observing, OpId, Outcome, PanicPlace, Sequence, StateId, Strategy, TypeId,
    Value,
};

/// From driver to worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Sets what holds for all that follows.
    Configure(Settings),
    /// Explores at random for one epoch.
    Epoch(EpochTask),
    /// Runs one given sequence in a fresh pool.
    Run(RunTask),
    /// Ends the process in good order.
    Stop,
}
wire_enum!(Request { 0 = Configure(settings), 1 = Epoch(task), 2 = Run(task), 3 = Stop });

/// From worker to driver.
#[derive(Clone, Debug, PartialEq, Eq)]
// One at a time is held, and nearly all are epochs: a box would be one more allocation for nothing.
#[allow(clippy::large_enum_variant)]
pub enum Response {
    /// First message: what the harness offers.
    Hello(Manifest),
    /// The settings hold.
    Configured,
    /// The epoch is over.
    Epoch(EpochReport),
    /// The sequence was run.
    Run(RunReport),
}
wire_enum!(Response { 0 = Hello(manifest), 1 = Configured, 2 = Epoch(report), 3 = Run(report) });

/// The settings of a whole campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Queries that do not take part in views, by type and name.
    pub demoted: Vec<(TypeId, String)>,
    /// Types whose values share state with others: recipes keep everything they touched.
    pub sharing: Vec<TypeId>,
    /// Types that wait for what they lent: nobody else uses a value while that lives.
    pub locking: Vec<TypeId>,
    /// Contracts to check on every passing call.
    pub checks: Vec<Check>,
    /// Requirements that are known of calls: most calls are made to keep them.
    pub requires: Vec<Check>,
    /// A single step may take this long.
    pub step_millis: u32,
    /// A worker may hold this much memory.
    pub memory_bytes: u64,
    /// Integer literals worth trying.
    pub integers: Vec<i64>,
    /// Texts worth trying.
    pub strings: Vec<String>,
    /// Characters worth trying.
    pub chars: Vec<char>,
    /// Floats worth trying.
    pub floats: Vec<Value>,
    /// The way in which calls are chosen.
    pub strategy: Strategy,
    /// The amount of views around them.
    pub observing: Observing,
    /// Coverage counters that are worth something; all when there is none.
    pub counters: Vec<u32>,
    /// Operations that take something at their caller's word. Nobody keeps it here, so what they leave
    /// behind is no example of how the subject behaves.
    pub trusting: Vec<OpId>,
    /// The share of large sizes.
    pub breadth: Breadth,
}
wire_struct!(Settings {
    demoted,
    sharing,
    locking,
    checks,
    requires,
    step_millis,
    memory_bytes,
    integers,
    strings,
    chars,
    floats,
    strategy,
    observing,
    counters,
    trusting,
    breadth,
});

/// A contract for workers: one under watch, or one to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its id.
    pub contract: ContractId,
    /// The operation it speaks of.
    pub op: OpId,
    /// The predicate that must hold.
    pub expr: Expr,
}
wire_struct!(Check { contract, op, expr });

/// One epoch of exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpochTask {
    /// Decides everything that is random in it.
    pub seed: u64,
    /// The number of calls to make.
    pub calls: u32,
    /// Tries of each operation so far: eight for each call that returned, one for each that
    /// panicked. The least tried come first.
    pub tried: Vec<u64>,
    /// Operations that are left out: they killed workers, and a death costs an epoch.
    // The driver decides it anew for each epoch: an operation that kills on rare arguments alone
    // must not be lost for the rest of the run.
    pub barred: Vec<OpId>,
    /// Sequences that furnish the pool at the start.
    pub furniture: Vec<Sequence>,
    /// True to measure queries (purity, cost, sharing) on the way.
    pub calibrate: bool,
    /// True if the caller's code misbehaves on the way: elements, closures and iterators that panic
    /// or lie, guards that are forgotten. Such an epoch reports findings only.
    pub inject: bool,
    /// True if time is what counts: then slow operations are called rarely. A number of calls
    /// promises the same result on every machine.
    pub hurried: bool,
    /// The operation that most calls are to, on the furniture and what becomes of it.
    pub aim: Option<OpId>,
    /// At most so many calls are told of, if there is a limit. What is not told of for that reason may
    /// be told of in a later epoch.
    pub keep: Option<u32>,
}
wire_struct!(EpochTask {
    seed,
    calls,
    tried,
    barred,
    furniture,
    calibrate,
    inject,
    hurried,
    aim,
    keep
});

/// The results of an epoch. A worker need not tell again what it has told before; nothing else in
/// it depends on the past of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpochReport {
    /// Calls made.
    pub calls: u64,
    /// Per operation.
    pub ops: Vec<OpCount>,
    /// States that `kept` speaks of.
    pub states: Vec<StateRecord>,
    /// Calls that are unlike those that the worker sent before.
    pub kept: Vec<KeptCall>,
    /// States that the worker had not seen before, kept or not.
    pub new_states: Vec<StateId>,
    // Digests: whole states of every call would keep the driver busier than its workers.
    /// Digests of transitions that the worker had not seen before: see [`Observation::transition_digest`].
    pub new_transitions: Vec<u64>,
    /// What oracles objected to, and every distinct panic.
    pub findings: Vec<Finding>,
    /// First violation of each watched contract.
    pub violations: Vec<Violation>,
    /// Calls on which each watched contract was true with its antecedent (if any) true.
    pub attacks: Vec<(ContractId, u64)>,
    /// Measurements of queries, when calibrating.
    pub queries: Vec<QueryStats>,
    /// Types seen to share state, when calibrating.
    pub sharing: Vec<TypeId>,
    /// Coverage counters that the worker had not hit before.
    pub covered: Vec<u32>,
    /// The fates of laws, per type.
    pub laws: Vec<LawCount>,
    /// Calls that were observed: those looked at that nothing was injected into and no oracle
    /// objected to, failing ones included.
    pub observed: u64,
    /// The edges of these calls, one for each of them.
    pub edges: Vec<EdgeCount>,
}
wire_struct!(EpochReport {
    calls,
    ops,
    states,
    kept,
    new_states,
    new_transitions,
    findings,
    violations,
    attacks,
    queries,
    sharing,
    covered,
    laws,
    observed,
    edges
});

/// The calls of an operation by their endings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpCount {
    /// Times called.
    pub called: u64,
    /// Times it returned a value or `Err`.
    pub returned: u64,
    /// Of these, `Err`.
    pub failed: u64,
    /// Times it panicked.
    pub panicked: u64,
}
wire_struct!(OpCount { called, returned, failed, panicked });

impl OpCount {
    /// Adds up counts, operation by operation.
    pub fn add_all(sums: &mut Vec<OpCount>, more: &[OpCount]) {
        sums.resize(sums.len().max(more.len()), OpCount::default());
        for (sum, more) in sums.iter_mut().zip(more) {
            sum.called += more.called;
            sum.returned += more.returned;
            sum.failed += more.failed;
            sum.panicked += more.panicked;
        }
    }
}

/// An abstract state and its values, one per active argument-less query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRecord {
    /// The digest.
    pub state: StateId,
    /// Of which type.
    pub ty: TypeId,
    /// Values in the order of the manifest's active argument-less queries.
    pub values: Vec<Value>,
}
wire_struct!(StateRecord { state, ty, values });

/// A call with the recipe that leads to it; the call is the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCall {
    /// The observation.
    pub observation: Observation,
    /// The steps that lead to it.
    pub recipe: Sequence,
}
wire_struct!(KeptCall { observation, recipe });

/// Something an oracle objected to, or a panic; the driver decides what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Who says so.
    pub oracle: Oracle,
    /// In which operation.
    pub op: OpId,
    /// For a law: of which type it is one, what it rests on, and which objects broke it.
    pub about: Option<LawBreach>,
    /// In words.
    pub message: String,
    /// The steps that lead there; the operation is the last, unless a law about copies of an object
    /// blames another.
    pub recipe: Sequence,
}
wire_struct!(Finding { oracle, op, about, message, recipe });

/// What says that an outcome is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oracle {
    /// A probe element was dropped twice, used after its drop, or never made.
    Probe(Misuse),
    /// The process died: signal or abort.
    Death(DeathCause),
    /// A law of a std trait or a convention between queries.
    Law(LawId),
    /// A panic, at this place.
    Panic(PanicPlace),
    /// No end in sight.
    Hang,
    /// Memory without bound.
    Memory,
    /// A value that stands for failure also occurs as an ordinary value: the contract's text.
    Sentinel(String),
}
wire_enum!(Oracle {
    0 = Probe(misuse),
    1 = Death(cause),
    2 = Law(law),
    3 = Panic(place),
    4 = Hang,
    5 = Memory,
    6 = Sentinel(contract),
});

/// A passing call on which a watched contract did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub contract: ContractId,
    /// The call.
    pub call: KeptCall,
}
wire_struct!(Violation { contract, call });

/// The behaviour of a query while calibrating.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryStats {
    /// Of which type.
    pub ty: TypeId,
    /// Its name.
    pub name: String,
    /// Evaluations.
    pub evaluated: u64,
    /// Evaluations that panicked.
    pub panicked: u64,
    /// Evaluated twice in a row with different results, or with a changed view after it.
    // Twice in one process: what differs from process to process only shows when objects are made
    // again, which is another measurement.
    pub impure: u64,
    /// Evaluations that took longer than a millisecond, every time of several.
    // Several, because the machine may have been busy with something else.
    pub slow: u64,
    /// Evaluations that went well and told nothing: what they gave cannot be seen.
    pub blank: u64,
    /// Different values, counted up to a few.
    pub distinct: u64,
    /// Earlier queries of the type that always had the same value, when it was none of the simple
    /// ones.
    pub repeats: Vec<String>,
}
wire_struct!(QueryStats { ty, name, evaluated, panicked, impure, slow, blank, distinct, repeats });

/// One sequence to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTask {
    /// The calls.
    pub sequence: Sequence,
    /// True if views are taken: a fault must not depend on being looked at.
    pub views: bool,
    /// True if all laws are checked after each step, and guesses told too; otherwise as while
    /// exploring.
    pub laws: bool,
    /// Relations between objects to evaluate when all steps are done.
    pub asks: Vec<Ask>,
}
wire_struct!(RunTask { sequence, views, laws, asks });

/// A question about two objects: `on.query(with)`. Both may be the same object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ask {
    /// The receiver.
    pub on: ObjRef,
    /// The query's name; `==` included.
    pub query: String,
    /// The argument.
    pub with: ObjRef,
}
wire_struct!(Ask { on, query, with });

/// The results of a run, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// One per step that was made; ends early when the process cannot go on.
    pub steps: Vec<StepReport>,
    /// States that the steps speak of.
    pub states: Vec<StateRecord>,
    /// What oracles objected to, drops at the end included, and every panic. Their recipes are
    /// empty; `op` and the order tell.
    pub findings: Vec<Finding>,
    /// Coverage counters that were hit.
    pub covered: Vec<u32>,
    /// One answer per question; undefined when an object is not there.
    pub answers: Vec<Value>,
}
wire_struct!(RunReport { steps, states, findings, covered, answers });

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// The ending of the call.
    pub outcome: Outcome,
    /// The observation, with views on.
    pub observation: Option<Observation>,
}
wire_struct!(StepReport { outcome, observation });
