//! Raw findings, one per identity, each with the shortest sequences that showed it.

pub(crate) mod identity;
pub(crate) mod injection_blame;
pub(crate) mod wording;

use std::collections::BTreeMap;

use gainsay_model::fault::FirstSeen;
use gainsay_wire::{
    DeathCause, Finding, LawId, ManifestOp, OpId, Outcome, RunReport, Sequence, Standing, TypeId,
};
use gainsay_workers::{Answer, Death, Judge};

use crate::{
    findings::{
        identity::{Identity, Sighting, changes, sighting_of, sighting_of_death, sightings},
        injection_blame::{blamed, is_memory, laid_on, sightings_of},
    },
    sequences::{
        handles::{Oddity, oddity},
        needed_steps::slice,
    },
    subject_model::SubjectModel,
};

/// The number of sequences kept for each finding, in case the first does not repeat.
// More would rarely help: what does not repeat in three ways hangs on chance. Each is held in memory.
const KEPT: usize = 3;

/// All that was found, before anything is decided about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    raw: BTreeMap<Identity, Raw>,
    deaths: BTreeMap<OpId, BTreeMap<String, u64>>,
    now: FirstSeen,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The finding as it looked the first time; for a panic, the time that changed something if there was
    /// one.
    pub sighting: Sighting,
    /// The moment at which it was first seen.
    pub seen: FirstSeen,
    /// In how many epochs and runs it was seen.
    pub count: u64,
    /// The shortest sequences that showed it.
    pub recipes: Vec<Sequence>,
    /// The rank of each: it takes a walk through the whole recipe, and that of a death has thousands
    /// of steps.
    ranks: Vec<Rank>,
    /// The one who ended the worker, where a worker died.
    pub judge: Judge,
}

/// The order of recipes of one finding. One that a stranger took part in may say nothing, and what was
/// read back from a foreign format may be what nobody can make; short ones come first among equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    oddity: Oddity,
    read_back: usize,
    steps: usize,
}

impl Rank {
    fn of(subject: &SubjectModel, recipe: &Sequence) -> Rank {
        let (oddity, read_back) = (oddity(subject, recipe), read_back(subject, recipe));
        Rank { oddity, read_back, steps: recipe.steps.len() }
    }
}

impl Raw {
    /// Keeps a recipe if it is among the first by rank.
    fn offer_recipe(&mut self, subject: &SubjectModel, recipe: &Sequence) {
        if self.recipes.contains(recipe) {
            return;
        }
        let rank = Rank::of(subject, recipe);
        let mut known = self.ranks.iter().zip(&self.recipes);
        let at = known.position(|known| (&rank, recipe) < known).unwrap_or(self.recipes.len());
        if at < KEPT {
            self.ranks.insert(at, rank);
            self.recipes.insert(at, recipe.clone());
            self.ranks.truncate(KEPT);
            self.recipes.truncate(KEPT);
        }
    }
}

/// Counts of laws: what they rest on, times checked, times broken.
pub type LawTotals = BTreeMap<(TypeId, LawId), (Standing, u64, u64)>;

impl Findings {
    /// Sets the moment for all that is noted from now on.
    pub(crate) fn at(&mut self, now: FirstSeen) {
        self.now = now;
    }

    /// Takes in what an epoch reported.
    pub fn note(&mut self, subject: &SubjectModel, finding: &Finding) {
        let sighting = sighting_of(subject, finding);
        self.add(subject, sighting, &finding.recipe, Judge::Worker);
    }

    /// Takes in what an epoch reported in which the caller's code misbehaved; `false` when it does
    /// not count as such.
    pub(crate) fn note_injected(&mut self, subject: &SubjectModel, finding: &Finding) -> bool {
        let Some(blame) = blamed(&finding.recipe) else { return false };
        let sighting = sighting_of(subject, finding);
        self.add(subject, laid_on(subject, sighting, blame), &finding.recipe, Judge::Worker);
        true
    }

    /// Takes in the death of a worker while the caller's code misbehaved, if that is a finding.
    pub(crate) fn note_injected_death(&mut self, subject: &SubjectModel, death: &Death) {
        let near = blamed(&slice(&death.steps, subject.manifest()));
        let blame = near.or_else(|| blamed(&death.steps));
        if let (Some(sighting), Some(blame)) = (sighting_of_death(subject, death), blame)
            && is_memory(&sighting.oracle)
        {
            self.add(subject, laid_on(subject, sighting, blame), &death.steps, death.judge);
        }
    }

    /// Takes in the death of a worker.
    pub fn note_death(&mut self, subject: &SubjectModel, death: &Death) {
        if let Some(step) = death.steps.steps.last()
            && death.judge == Judge::Worker
        {
            let manners = self.deaths.entry(step.op).or_default();
            *manners.entry(manner(&death.outcome)).or_default() += 1;
        }
        if let Some(sighting) = sighting_of_death(subject, death) {
            self.add(subject, sighting, &death.steps, death.judge);
        }
    }

    /// Takes in what running a given sequence showed.
    pub fn note_run(&mut self, subject: &SubjectModel, run: &Sequence, answer: &Answer<RunReport>) {
        if let Answer::Died(death) = answer {
            return self.note_death(subject, death);
        }
        for sighting in sightings(subject, answer) {
            self.add(subject, sighting, run, Judge::Worker);
        }
    }

    /// Takes in what replaying calls showed, as faults name it; deaths are not counted.
    pub(crate) fn note_replay(
        &mut self,
        subject: &SubjectModel,
        run: &Sequence,
        answer: &Answer<RunReport>,
    ) {
        for sighting in sightings_of(subject, run, answer) {
            self.add(subject, sighting, run, Judge::Worker);
        }
    }

    /// Counts of workers that died of an operation, by the manner of death.
    pub fn deaths_of(&self, op: OpId) -> impl Iterator<Item = (&str, u64)> {
        let manners = self.deaths.get(&op).into_iter().flatten();
        manners.map(|(manner, count)| (manner.as_str(), *count))
    }

    /// The same without those that are not wanted.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Raw) -> bool) -> Findings {
        let raw = self.raw.iter().filter(|(_, raw)| wanted(raw));
        let raw = raw.map(|(identity, raw)| (identity.clone(), raw.clone())).collect();
        Findings { raw, ..self.clone() }
    }

    /// The number of findings.
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// All of them, by identity.
    pub fn iter(&self) -> impl Iterator<Item = &Raw> {
        self.raw.values()
    }

    fn add(&mut self, subject: &SubjectModel, sighting: Sighting, recipe: &Sequence, judge: Judge) {
        let raw = self.raw.entry(sighting.identity.clone()).or_insert_with(|| Raw {
            sighting: sighting.clone(),
            seen: self.now,
            count: 0,
            recipes: Vec::new(),
            ranks: Vec::new(),
            judge,
        });
        raw.count += 1;
        raw.judge = raw.judge.min(judge);
        match (changes(&raw.sighting.oracle), changes(&sighting.oracle)) {
            // A panic that left something changed weighs more: only such recipes count then.
            (false, true) => {
                raw.sighting = sighting;
                raw.recipes.clear();
                raw.ranks.clear();
            }
            (true, false) => return,
            _ => {}
        }
        raw.offer_recipe(subject, recipe);
    }
}

/// Counts the steps that read an object from a format that keeps its inside.
fn read_back(subject: &SubjectModel, recipe: &Sequence) -> usize {
    let name = |op: OpId| subject.manifest().ops.get(op.0 as usize).map(ManifestOp::function_name);
    // The methods of serde's trait all begin so.
    let reads = |op: OpId| name(op).is_some_and(|name| name.starts_with("deserialize"));
    recipe.steps.iter().filter(|step| reads(step.op)).count()
}

/// The manner in which a worker ended, as `summary.json` names it.
fn manner(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut => "timed-out".to_owned(),
        Outcome::OutOfMemory => "out-of-memory".to_owned(),
        Outcome::Aborted(cause @ DeathCause::Exit(_)) => format!("exited: {cause}"),
        // Where it was is the fault's to tell, and the path would be that of this machine.
        Outcome::Aborted(cause) => format!("aborted: {}", cause.clone().at(None)),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Manifest, OpId, Oracle, PanicPlace, Step};

    use super::*;

    fn subject() -> SubjectModel {
        SubjectModel::new(Manifest::default(), Vec::new(), "/s")
    }

    fn finding(line: u32, changed: bool, steps: usize) -> Finding {
        let (file, message) = ("/s/src/lib.rs".to_owned(), "boom".to_owned());
        Finding {
            oracle: Oracle::Panic(PanicPlace { file, line, message, changed }),
            op: OpId(0),
            about: None,
            message: String::new(),
            recipe: Sequence { steps: vec![Step::new(OpId(0), Vec::new()); steps] },
        }
    }

    fn noted(all: &[Finding]) -> Vec<(u64, Vec<usize>)> {
        let mut findings = Findings::default();
        for finding in all {
            findings.note(&subject(), finding);
        }
        let lens = |raw: &Raw| raw.recipes.iter().map(|recipe| recipe.steps.len()).collect();
        findings.iter().map(|raw| (raw.count, lens(raw))).collect()
    }

    #[test]
    fn one_identity_is_one_finding_with_its_shortest_recipes() {
        let all = [5, 2, 9, 2, 7, 3].map(|steps| finding(1, false, steps));
        assert_eq!(noted(&all), [(6, vec![2, 3, 5])]);
    }

    #[test]
    fn what_can_be_made_in_other_ways_is_not_read_back() {
        let op = |name: &str| ManifestOp {
            id: gainsay_wire::CallableId::method("Number", name).into(),
            ..ManifestOp::default()
        };
        let ops = vec![op("sub"), op("deserialize")];
        let manifest = Manifest { types: Vec::new(), ops };
        let subject = SubjectModel::new(manifest, Vec::new(), "/s");
        let mut findings = Findings::default();
        let with = |steps: &[u32]| Finding {
            recipe: Sequence {
                steps: steps.iter().map(|op| Step::new(OpId(*op), Vec::new())).collect(),
            },
            ..finding(1, false, 1)
        };
        for steps in [&[1, 0][..], &[0, 0, 0], &[1, 1, 0]] {
            findings.note(&subject, &with(steps));
        }
        let lens: Vec<usize> =
            findings.iter().next().unwrap().recipes.iter().map(|it| it.steps.len()).collect();
        assert_eq!(lens, [3, 2, 3]);
    }

    #[test]
    fn the_manner_of_a_death_names_no_place_of_this_machine() {
        let died = |how: &str| manner(&Outcome::Aborted(how.parse().unwrap()));
        let check = "unsafe precondition(s) violated: ptr::copy";
        assert_eq!(died(&format!("{check}, at /a/src/lib.rs:3")), format!("aborted: {check}"));
        assert_eq!(died("exit code 3"), "exited: exit code 3");
        assert_eq!(died("SIGSEGV"), "aborted: SIGSEGV");
    }

    #[test]
    fn two_places_are_two_findings() {
        assert_eq!(noted(&[finding(1, false, 1), finding(2, false, 1)]).len(), 2);
    }

    #[test]
    fn a_recipe_that_leaves_a_change_replaces_those_that_do_not() {
        let all = [finding(1, false, 2), finding(1, true, 8), finding(1, false, 1)];
        assert_eq!(noted(&all), [(3, vec![8])]);
    }
}
