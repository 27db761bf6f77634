//! Which broken laws are faults: a law must be one for the type, and one cause is one fault.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::fault::Fault;
use gainsay_wire::{Oracle, Standing, TypeId};

use crate::{
    findings::{LawTotals, identity::Sighting},
    judge::dedupe::rank,
    subject_model::SubjectModel,
};

/// So many operations that break one law of a type are told.
const MOST_BREAKERS: usize = 3;

/// How laws end that say of methods that they answer after a reset as those of a new object.
const AS_OF_NEW: &str = "-is-as-of-new";
/// A reset after which so many methods answer otherwise is not meant to bring back a new object.
const MUCH_KEPT: usize = 3;
/// One after which these do is not meant to, either: nobody would have missed that.
const COUNTING: [&str; 4] = ["len", "is_empty", "count", "size"];

/// What is known of laws while findings are judged.
pub(crate) struct LawCourt<'a> {
    totals: &'a LawTotals,
    /// Of faults by their ids: of which type, and what the law rests on.
    known: BTreeMap<String, (TypeId, Standing)>,
}

impl<'a> LawCourt<'a> {
    pub(crate) fn new(totals: &'a LawTotals) -> LawCourt<'a> {
        LawCourt { totals, known: BTreeMap::new() }
    }

    /// Whether a finding may be a fault: it is none about a law, or the law is one for the type.
    pub(crate) fn admits(&self, seen: &Sighting) -> bool {
        let (Oracle::Law(law), Some((ty, standing))) = (&seen.oracle, seen.about) else {
            return true;
        };
        let key = (ty, law.clone());
        let (checked, broken) = self.totals.get(&key).map_or((0, 0), |(_, c, b)| (*c, *b));
        standing.is_law(checked, broken) && !self.keeps_much(ty, law)
    }

    /// Whether a reset leaves so much of the past, by as many methods or by the number of items, that
    /// it is meant to.
    fn keeps_much(&self, ty: TypeId, law: &str) -> bool {
        let about = statement(law);
        let of_type = self.totals.iter().filter(|((of, _), _)| *of == ty);
        let broken = of_type
            .filter(|((_, other), (_, _, broken))| *broken > 0 && statement(other) == about)
            .map(|((_, other), _)| other.split('-').next().unwrap_or_default());
        let broken: Vec<&str> = broken.collect();
        let counts = broken.iter().any(|method| COUNTING.contains(method));
        about.ends_with(AS_OF_NEW) && (counts || broken.len() >= MUCH_KEPT)
    }

    /// Whether a broken law was not traced to this operation before.
    pub(crate) fn is_news(&mut self, seen: &Sighting) -> bool {
        let about = seen.about.unwrap_or((TypeId(u32::MAX), Standing::Trait));
        self.known.insert(seen.identity.id(), about).is_none()
    }

    /// One operation that breaks several laws of a type has one fault, and of the operations that
    /// break one law of a type the best few are told: each may be wrong in its own way, but many
    /// have one cause. Instances of one generic type are one type here.
    pub(crate) fn leave_out_consequences(&self, faults: &mut Vec<Fault>, subject: &SubjectModel) {
        let is_law = |fault: &Fault| matches!(fault.oracle, Oracle::Law(_));
        let (mut laws, others): (Vec<Fault>, Vec<Fault>) = faults.drain(..).partition(is_law);
        laws.sort_by(|a, b| (self.standing(a), rank(a)).cmp(&(self.standing(b), rank(b))));
        let mut operations = BTreeSet::new();
        let mut names: BTreeMap<(String, String), usize> = BTreeMap::new();
        laws.retain(|fault| {
            let (ty, op) = (self.type_name(fault, subject), fault.operation.clone());
            let Oracle::Law(law) = &fault.oracle else { return false };
            let told = names.entry((ty.clone(), statement(law).to_owned())).or_default();
            let is_new = *told < MOST_BREAKERS && operations.insert((ty, op));
            *told += usize::from(is_new);
            is_new
        });
        *faults = others.into_iter().chain(laws).collect();
    }

    fn standing(&self, fault: &Fault) -> Standing {
        self.known.get(&fault.id).map_or(Standing::Trait, |(_, standing)| *standing)
    }

    /// The type of the object that breaks a law, without its arguments.
    fn type_name(&self, fault: &Fault, subject: &SubjectModel) -> String {
        let ty = self.known.get(&fault.id).map_or(u32::MAX, |(ty, _)| ty.0);
        let name = subject.manifest().types.get(ty as usize).map_or("", |ty| ty.name.as_str());
        name.split('<').next().unwrap_or(name).to_owned()
    }
}

/// What a law says, whichever query it asks: `get-finds-every-key` and `contains_key-finds-every-key`
/// are broken together.
fn statement(law: &str) -> &str {
    law.split_once('-').map_or(law, |(_, statement)| statement)
}

#[cfg(test)]
mod tests {
    use gainsay_model::{build::Build, fault::Confirmation};
    use gainsay_wire::Sequence;

    use super::*;
    use crate::{
        fake::{POP, PUSH, subject},
        findings::identity::Identity,
    };

    const TYPE: TypeId = TypeId(0);

    fn totals(checked: u64, broken: u64) -> LawTotals {
        [((TYPE, "len".to_owned()), (Standing::Convention, checked, broken))].into()
    }

    fn seen(operation: &str, law: &str, standing: Standing) -> Sighting {
        let (operation, clause) = (operation.to_owned(), law.to_owned());
        Sighting {
            identity: Identity { operation, clause },
            oracle: Oracle::Law(law.to_owned()),
            op: POP,
            about: Some((TYPE, standing)),
            message: String::new(),
        }
    }

    #[test]
    fn a_convention_that_most_objects_break_is_no_fault() {
        let (few, many) = (totals(100, 3), totals(100, 90));
        let seen = seen("pop", "len", Standing::Convention);
        assert!(LawCourt::new(&few).admits(&seen));
        assert!(!LawCourt::new(&many).admits(&seen));
    }

    #[test]
    fn a_reset_after_which_many_methods_answer_otherwise_is_meant_so() {
        let name = |method: &str| format!("{method}-after-clear-is-as-of-new");
        let broken = |methods: &[&str]| -> LawTotals {
            methods.iter().map(|it| ((TYPE, name(it)), (Standing::Name, 100, 2))).collect()
        };
        let seen = seen("clear", &name("sum"), Standing::Name);
        assert!(LawCourt::new(&broken(&["sum", "mean"])).admits(&seen));
        assert!(!LawCourt::new(&broken(&["sum", "mean", "is_full"])).admits(&seen));
        assert!(!LawCourt::new(&broken(&["sum", "len"])).admits(&seen));
    }

    #[test]
    fn one_operation_has_one_fault_and_one_law_of_a_type_is_told_of_a_few() {
        let totals = LawTotals::new();
        let mut court = LawCourt::new(&totals);
        let mut faults = Vec::new();
        for (operation, law, standing) in [
            ("pop", "sorted", Standing::Guess),
            ("pop", "get-finds-all", Standing::Convention),
            ("push", "get-finds-all", Standing::Convention),
            ("swap", "has-finds-all", Standing::Convention),
            ("take", "get-finds-all", Standing::Convention),
            ("clone", "eq", Standing::Trait),
        ] {
            let seen = seen(operation, law, standing);
            assert!(court.is_news(&seen) && !court.is_news(&seen));
            faults.push(Fault {
                id: seen.identity.id(),
                oracle: seen.oracle,
                op: PUSH,
                operation: operation.to_owned(),
                message: String::new(),
                sequence: Sequence::default(),
                confirmation: Confirmation::Confirmed,
                seen: None,
                build: Build::Debug,
            });
        }
        court.leave_out_consequences(&mut faults, &subject());
        let mut left: Vec<&str> = faults.iter().map(|fault| fault.operation.as_str()).collect();
        left.sort_unstable();
        assert_eq!(left, ["clone", "pop", "push", "swap"]);
    }
}
