//! Which broken laws are faults: a law must be one for the type, and one cause is one fault.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::fault::Fault;
use gainsay_wire::{LawBreach, LawId, LawStatement, Oracle, Standing, TypeId};

use crate::{
    findings::{LawTotals, identity::Sighting},
    judge::dedupe::rank,
    subject_model::SubjectModel,
};

/// The number of operations told that break one law of a type.
// Each operation that is told costs its shrinking, and most of them have one cause.
const MOST_BREAKERS: usize = 3;

/// A reset after which so many methods answer otherwise is not meant to bring back a new object.
// One or two that answer otherwise were forgotten by the reset; three are a design.
const MUCH_KEPT: usize = 3;
/// One after which these do is not meant to, either: nobody would have missed that.
const COUNTING: [&str; 4] = ["len", "is_empty", "count", "size"];

/// Knowledge of laws while findings are judged.
pub(crate) struct LawCourt<'a> {
    totals: &'a LawTotals,
    /// Of faults by their ids: of which type, and what the law rests on.
    known: BTreeMap<String, (TypeId, Standing)>,
}

impl<'a> LawCourt<'a> {
    pub(crate) fn new(totals: &'a LawTotals) -> LawCourt<'a> {
        LawCourt { totals, known: BTreeMap::new() }
    }

    /// True if a finding may be a fault: it is none about a law, or the law is one for the type.
    pub(crate) fn admits(&self, seen: &Sighting) -> bool {
        let (Oracle::Law(law), Some(about)) = (&seen.oracle, &seen.about) else { return true };
        let LawBreach { ty, standing, .. } = *about;
        let key = (ty, law.clone());
        let (checked, broken) = self.totals.get(&key).map_or((0, 0), |(_, c, b)| (*c, *b));
        standing.is_law(checked, broken) && !self.keeps_much(ty, law)
    }

    /// True if a reset leaves so much of the past, by as many methods or by the number of items, that
    /// it is meant to.
    fn keeps_much(&self, ty: TypeId, law: &LawId) -> bool {
        let LawId::IsAsOfNew { reset, .. } = law else { return false };
        let broken = self.totals.iter().filter_map(|((of, other), (_, _, broken))| match other {
            LawId::IsAsOfNew { query, reset: of_reset } => {
                (*of == ty && of_reset == reset && *broken > 0).then_some(query.as_str())
            }
            _ => None,
        });
        let broken: Vec<&str> = broken.collect();
        let counts = broken.iter().any(|method| COUNTING.contains(method));
        counts || broken.len() >= MUCH_KEPT
    }

    /// True if a broken law was not traced to this operation before.
    pub(crate) fn is_news(&mut self, seen: &Sighting) -> bool {
        let about = seen.about.as_ref().map(|about| (about.ty, about.standing));
        let about = about.unwrap_or((TypeId(u32::MAX), Standing::Trait));
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
        let mut names: BTreeMap<(String, LawStatement), usize> = BTreeMap::new();
        laws.retain(|fault| {
            let (ty, op) = (self.type_name(fault, subject), fault.operation.clone());
            let Oracle::Law(law) = &fault.oracle else { return false };
            let told = names.entry((ty.clone(), law.statement())).or_default();
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

#[cfg(test)]
mod tests {
    use gainsay_model::{
        build::Build,
        fault::{Confirmation, Moment},
    };
    use gainsay_wire::{LookUp, Sequence, Sought};

    use super::*;
    use crate::{
        fake::{POP, PUSH, subject},
        findings::identity::Identity,
    };

    const TYPE: TypeId = TypeId(0);

    fn totals(checked: u64, broken: u64) -> LawTotals {
        [((TYPE, LawId::LenAgreesWithSeq), (Standing::Convention, checked, broken))].into()
    }

    fn seen(operation: &str, law: LawId, standing: Standing) -> Sighting {
        let (operation, clause) = (operation.to_owned(), law.to_string());
        Sighting {
            identity: Identity { operation, clause },
            oracle: Oracle::Law(law),
            op: POP,
            about: Some(LawBreach { ty: TYPE, standing, parties: Vec::new() }),
            message: String::new(),
            moment: Moment::Call,
        }
    }

    #[test]
    fn a_convention_that_most_objects_break_is_no_fault() {
        let (few, many) = (totals(100, 3), totals(100, 90));
        let seen = seen("pop", LawId::LenAgreesWithSeq, Standing::Convention);
        assert!(LawCourt::new(&few).admits(&seen));
        assert!(!LawCourt::new(&many).admits(&seen));
    }

    #[test]
    fn a_reset_after_which_many_methods_answer_otherwise_is_meant_so() {
        let law = |query: &str| {
            let (query, reset) = (query.to_owned(), "clear".to_owned());
            LawId::IsAsOfNew { query, reset }
        };
        let broken = |methods: &[&str]| -> LawTotals {
            methods.iter().map(|it| ((TYPE, law(it)), (Standing::Name, 100, 2))).collect()
        };
        let seen = seen("clear", law("sum"), Standing::Name);
        assert!(LawCourt::new(&broken(&["sum", "mean"])).admits(&seen));
        assert!(!LawCourt::new(&broken(&["sum", "mean", "is_full"])).admits(&seen));
        assert!(!LawCourt::new(&broken(&["sum", "len"])).admits(&seen));
    }

    #[test]
    fn one_operation_has_one_fault_and_one_law_of_a_type_is_told_of_a_few() {
        let totals = LawTotals::new();
        let mut court = LawCourt::new(&totals);
        let mut faults = Vec::new();
        let finds = |query| LawId::FindsEvery { query, what: Sought::Key };
        for (operation, law, standing) in [
            ("pop", LawId::SeqIsSorted, Standing::Guess),
            ("pop", finds(LookUp::Get), Standing::Convention),
            ("push", finds(LookUp::Get), Standing::Convention),
            ("swap", finds(LookUp::Contains), Standing::Convention),
            ("take", finds(LookUp::Get), Standing::Convention),
            ("clone", LawId::EqReflexive, Standing::Trait),
        ] {
            let seen = seen(operation, law, standing);
            assert!(court.is_news(&seen) && !court.is_news(&seen));
            faults.push(Fault {
                id: seen.identity.id(),
                oracle: seen.oracle,
                op: PUSH,
                operation: operation.to_owned(),
                message: String::new(),
                moment: Moment::Call,
                parties: Vec::new(),
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
