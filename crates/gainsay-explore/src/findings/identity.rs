//! When two findings are the same: (oracle clause or panic place, operation).
//!
//! Stable across seeds, workers and machines, so nothing that varies from run to run goes in.

use std::hash::Hasher;

use gainsay_model::fault::Moment;
use gainsay_wire::{
    DeathCause, Digest, Finding, LawBreach, OpId, Oracle, Outcome, PanicPlace, RunReport,
    SourcePlace,
};
use gainsay_workers::{Answer, Death};

use crate::{
    findings::wording::{message_class, sentence},
    subject_model::{SubjectModel, Territory},
};

/// The identity of a finding, apart from the calls that led to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The operation's path.
    pub operation: String,
    /// The oracle's clause, or the panic's place.
    pub clause: String,
}

/// Something objectionable that was seen in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The identity of the finding.
    pub identity: Identity,
    /// The oracle that objects.
    pub oracle: Oracle,
    /// In which operation.
    pub op: OpId,
    /// For a law: of which type it is one, what it rests on, and which objects broke it.
    pub about: Option<LawBreach>,
    /// In a sentence.
    pub message: String,
    /// The moment at which it was seen.
    pub moment: Moment,
}

impl Identity {
    /// Of an oracle's objection to an operation.
    pub fn of(subject: &SubjectModel, oracle: &Oracle, op: OpId) -> Identity {
        Identity { operation: subject.path(op), clause: clause(subject, oracle) }
    }

    /// Short digest for people and stores.
    pub fn id(&self) -> String {
        let mut digest = Digest::new();
        digest.write(self.clause.as_bytes());
        digest.write(&[0]);
        digest.write(self.operation.as_bytes());
        format!("{:012x}", digest.finish() >> 16)
    }
}

/// All that was objectionable in a run.
pub fn sightings(subject: &SubjectModel, answer: &Answer<RunReport>) -> Vec<Sighting> {
    match answer {
        Answer::Cancelled => Vec::new(),
        Answer::Died(death) => sighting_of_death(subject, death).into_iter().collect(),
        Answer::Done(report) => {
            let findings = report.findings.iter();
            findings.map(|finding| sighting_of(subject, finding)).collect()
        }
    }
}

/// A death as an objection to the step that was running; `None` when no step had begun.
pub(crate) fn sighting_of_death(subject: &SubjectModel, death: &Death) -> Option<Sighting> {
    let op = death.steps.steps.last()?.op;
    let oracle = oracle_of_death(subject, &death.outcome);
    let moment = if death.in_view { Moment::Look } else { Moment::Call };
    Some(sighting(subject, &oracle, op, "").seen_at(moment, subject))
}

impl Sighting {
    /// The same at a moment, with the sentence that says so.
    pub(crate) fn seen_at(self, moment: Moment, subject: &SubjectModel) -> Sighting {
        if self.moment == moment {
            return self;
        }
        let plain = sentence(subject, &self.oracle, &self.message);
        let message = match moment {
            Moment::Call => plain,
            Moment::Look => format!("{plain} (while its objects were looked at)"),
        };
        Sighting { message, moment, ..self }
    }
}

/// The sighting that a worker's finding is.
pub(crate) fn sighting_of(subject: &SubjectModel, finding: &Finding) -> Sighting {
    let Finding { oracle, op, message, about, .. } = finding;
    Sighting { about: about.clone(), ..sighting(subject, oracle, *op, message) }
}

fn sighting(subject: &SubjectModel, oracle: &Oracle, op: OpId, message: &str) -> Sighting {
    Sighting {
        identity: Identity::of(subject, oracle, op),
        oracle: oracle.clone(),
        op,
        about: None,
        moment: Moment::Call,
        message: sentence(subject, oracle, message),
    }
}

fn oracle_of_death(subject: &SubjectModel, outcome: &Outcome) -> Oracle {
    match outcome {
        Outcome::TimedOut => Oracle::Hang,
        Outcome::OutOfMemory => Oracle::Memory,
        Outcome::Aborted(cause) => Oracle::Death(without_machine(subject, cause)),
        other => Oracle::Death(DeathCause::Other(format!("{other:?}"))),
    }
}

/// The cause of a death, with a place in the source as it is written on every machine.
fn without_machine(subject: &SubjectModel, cause: &DeathCause) -> DeathCause {
    let place = cause.place().and_then(|place| match subject.territory(&place.file) {
        Territory::Subject | Territory::Elsewhere => {
            let file = subject.short_file(&place.file);
            Some(SourcePlace { file, line: place.line })
        }
        // Neither is the same on another machine, or in another run.
        Territory::Std | Territory::Harness => None,
    });
    cause.clone().at(place)
}

fn clause(subject: &SubjectModel, oracle: &Oracle) -> String {
    match oracle {
        Oracle::Probe(misuse) => format!("probe: {}", message_class(&misuse.to_string())),
        // Which crash it is depends on what lies beside the memory that was corrupted.
        Oracle::Death(cause) if cause.is_plain_crash() => "death: crash".to_owned(),
        Oracle::Death(cause) => format!("death: {cause}"),
        Oracle::Law(law) => format!("law: {law}"),
        Oracle::Panic(place) => panic_clause(subject, place),
        Oracle::Hang => "hang".to_owned(),
        Oracle::Memory => "memory".to_owned(),
        Oracle::Sentinel(contract) => format!("sentinel: {contract}"),
    }
}

fn panic_clause(subject: &SubjectModel, place: &PanicPlace) -> String {
    let file = subject.short_file(&place.file);
    let class = message_class(&place.message);
    match subject.territory(&place.file) {
        Territory::Subject | Territory::Elsewhere => format!("panic: {file}:{}", place.line),
        // Lines of std move with each toolchain.
        Territory::Std => format!("panic: {file}: {class}"),
        // The harness is generated anew for each run.
        Territory::Harness => format!("panic: {class}"),
    }
}

/// True if a panic left something changed. Only views can tell.
pub(crate) fn changes(oracle: &Oracle) -> bool {
    matches!(oracle, Oracle::Panic(place) if place.changed)
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Manifest, Sequence, Step};
    use gainsay_workers::Judge;

    use super::*;

    fn subject() -> SubjectModel {
        SubjectModel::new(Manifest::default(), Vec::new(), "/s")
    }

    fn panic(file: &str, line: u32, message: &str) -> Oracle {
        let changed = false;
        Oracle::Panic(PanicPlace { file: file.into(), line, message: message.into(), changed })
    }

    fn same(a: &Oracle, b: &Oracle) -> bool {
        let id = |oracle| Identity::of(&subject(), oracle, OpId(0)).id();
        id(a) == id(b)
    }

    #[test]
    fn a_panic_is_known_by_its_place_in_the_subject() {
        let a = panic("/s/src/lib.rs", 4, "index out of bounds: the len is 1 but the index is 2");
        assert!(same(&a, &panic("/s/src/lib.rs", 4, "something else")));
        assert!(!same(&a, &panic("/s/src/lib.rs", 5, "index out of bounds")));
    }

    #[test]
    fn a_panic_in_the_harness_is_known_by_its_words_without_numbers() {
        let a = panic("src/main.rs", 4, "index is 7");
        assert!(same(&a, &panic("src/main.rs", 90, "index is 12")));
        assert!(!same(&a, &panic("src/main.rs", 4, "key is missing")));
    }

    #[test]
    fn crashes_are_one_whatever_the_signal_and_other_deaths_are_told_apart() {
        let death = |how: &str| Oracle::Death(how.parse().unwrap());
        assert!(same(&death("SIGSEGV"), &death("double free")));
        assert!(!same(&death("SIGSEGV"), &death("stack overflow")));
    }

    #[test]
    fn the_operation_is_part_of_the_identity() {
        let id = |op| Identity::of(&subject(), &Oracle::Hang, OpId(op)).id();
        assert_ne!(id(0), id(1));
        assert_eq!(id(0).len(), 12);
    }

    #[test]
    fn a_death_is_charged_to_the_step_that_was_running() {
        let step = |op| Step::new(OpId(op), Vec::new());
        let death = Death {
            outcome: Outcome::TimedOut,
            steps: Sequence { steps: vec![step(3), step(5)] },
            in_view: false,
            view: None,
            judge: Judge::Worker,
            stderr: String::new(),
        };
        let seen = sightings(&subject(), &Answer::Died(death));
        assert_eq!((seen[0].op, &seen[0].oracle), (OpId(5), &Oracle::Hang));
    }
}
