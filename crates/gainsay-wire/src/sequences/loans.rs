//! Who borrows from whom: the rules of references, kept while a program runs.
//!
//! Objects that borrow live in the pool like any others, with lifetimes that the compiler was told
//! to take for granted. What Rust would have checked is checked here: an object that is lent is
//! neither changed nor moved nor dropped, and not even looked at where it is lent exclusively,
//! before all that borrows from it has ended.

use crate::{Lending, Mode};

/// One object refers to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loan {
    /// The lent object.
    pub of: u32,
    /// True for a loan by `&mut`.
    pub exclusive: bool,
}

/// All loans of a pool.
#[derive(Default)]
pub struct Loans {
    /// By borrower: what it refers to.
    // Indexed by object number, which is dense: a map would cost a look-up on every call.
    taken: Vec<Vec<Loan>>,
    /// By object: who refers to it.
    given: Vec<Vec<u32>>,
}

/// An operand of a call, as far as loans are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Party {
    /// Its number.
    pub object: u32,
    /// The mode of passing.
    pub mode: Mode,
    /// True if its type borrows.
    pub borrows: bool,
    /// True if its type waits until its loans end.
    pub locks: bool,
}

impl Loans {
    /// True if nothing was ever lent, as with most subjects.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// Returns the objects that an object refers to.
    pub fn taken_by(&self, borrower: u32) -> &[Loan] {
        self.taken.get(borrower as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects that refer to an object.
    pub fn given_of(&self, object: u32) -> &[u32] {
        self.given.get(object as usize).map_or(&[], Vec::as_slice)
    }

    /// True if an object is lent by `&mut`: nobody else may look at it.
    pub fn is_locked(&self, object: u32) -> bool {
        self.given_of(object).iter().any(|borrower| self.holds_exclusively(*borrower, object))
    }

    /// The borrowers that must end before an object is passed like this.
    pub fn in_the_way(&self, object: u32, mode: Mode) -> impl Iterator<Item = u32> + '_ {
        let given = self.given_of(object).iter().copied();
        given.filter(move |borrower| {
            mode.is_exclusive() || self.holds_exclusively(*borrower, object)
        })
    }

    /// All objects that must end before a call with these operands, what depends on others first;
    /// `None` when an operand is among them.
    pub fn borrowers_to_end(&self, parties: &[Party]) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for party in parties {
            // Dependents first: a borrower of a borrower must not outlive it.
            for borrower in self.in_the_way(party.object, party.mode) {
                self.add_with_dependents(borrower, &mut found, &mut Vec::new());
            }
        }
        // Ending an operand would take from the call what it is about.
        let is_operand = |object: &u32| parties.iter().any(|party| party.object == *object);
        (!found.iter().any(is_operand)).then_some(found)
    }

    fn add_with_dependents(&self, borrower: u32, found: &mut Vec<u32>, above: &mut Vec<u32>) {
        // Two objects can hold each other, behind cells: `above` breaks the circle.
        if found.contains(&borrower) || above.contains(&borrower) {
            return;
        }
        above.push(borrower);
        for &dependent in self.given_of(borrower) {
            self.add_with_dependents(dependent, found, above);
        }
        above.pop();
        found.push(borrower);
    }

    /// The objects that change with a borrower: those that it holds by `&mut`, and theirs.
    pub fn reached_by(&self, borrower: u32) -> Vec<u32> {
        let mut found = Vec::new();
        // A list of work and not recursion: chains of iterators can be long.
        let mut work = vec![borrower];
        while let Some(at) = work.pop() {
            for loan in self.taken_by(at).iter().filter(|loan| loan.exclusive) {
                if !found.contains(&loan.of) {
                    found.push(loan.of);
                    work.push(loan.of);
                }
            }
        }
        found
    }

    /// All that refers to an object, directly or through others.
    pub fn dependents_of(&self, object: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut work = vec![object];
        while let Some(at) = work.pop() {
            for &borrower in self.given_of(at) {
                if !found.contains(&borrower) {
                    found.push(borrower);
                    work.push(borrower);
                }
            }
        }
        found
    }

    /// Returns the objects that a borrowing object may refer to after a call with these operands.
    fn of_call(&self, parties: &[Party], lending: Lending) -> Vec<Loan> {
        let mut loans = Vec::new();
        for party in parties {
            let by_reference = !party.mode.consumes();
            if lending == Lending::Operands && by_reference {
                // A guard of a lock excludes others although it was given a shared reference.
                let exclusive = party.mode == Mode::Mut || party.locks;
                loans.push(Loan { of: party.object, exclusive });
            }
            // A part of a borrower outlives the borrower and refers to the same.
            if party.borrows {
                loans.extend_from_slice(self.taken_by(party.object));
            }
        }
        loans
    }

    /// Notes what a call with these operands did: `made` are the borrowing objects that it made.
    /// Those among its operands that it may have changed can refer to the others, too.
    pub fn note_call(&mut self, parties: &[Party], made: &[u32], lending: Lending) {
        // Through `&self` too: what is moved in may be put behind a cell.
        let several = parties.iter().filter(|party| party.borrows).count() > 1;
        let may_store = |party: &&Party| {
            let changed = party.mode == Mode::Mut || lending == Lending::Operands || several;
            party.borrows && changed && !party.mode.consumes()
        };
        let changed = parties.iter().filter(may_store).map(|party| party.object);
        let borrowers: Vec<u32> = made.iter().copied().chain(changed).collect();
        if borrowers.is_empty() {
            return;
        }
        let loans = self.of_call(parties, lending);
        for borrower in borrowers {
            self.take_loans(borrower, &loans);
        }
    }

    /// Notes that an object refers to others from now on.
    fn take_loans(&mut self, borrower: u32, loans: &[Loan]) {
        for &loan in loans.iter().filter(|loan| loan.of != borrower) {
            let taken = entry_of(&mut self.taken, borrower);
            if let Some(known) = taken.iter_mut().find(|known| known.of == loan.of) {
                // A loan only gets stricter: what was once lent exclusively may be changed until it ends.
                known.exclusive |= loan.exclusive;
            } else {
                taken.push(loan);
                entry_of(&mut self.given, loan.of).push(borrower);
            }
        }
    }

    /// Ends all loans that an object took; returns the objects that are no longer locked.
    pub fn end_loans(&mut self, borrower: u32) -> Vec<u32> {
        let Some(taken) = self.taken.get_mut(borrower as usize).map(std::mem::take) else {
            return Vec::new();
        };
        for loan in &taken {
            entry_of(&mut self.given, loan.of).retain(|other| *other != borrower);
        }
        // Another borrower may still hold the object exclusively, as after a split.
        let freed = taken.iter().filter(|loan| loan.exclusive && !self.is_locked(loan.of));
        freed.map(|loan| loan.of).collect()
    }

    fn holds_exclusively(&self, borrower: u32, object: u32) -> bool {
        self.taken_by(borrower).iter().any(|loan| loan.of == object && loan.exclusive)
    }
}

fn entry_of<T: Default + Clone>(items: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if items.len() <= index {
        items.resize(index + 1, T::default());
    }
    &mut items[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: u32 = 0;
    const ITER: u32 = 1;
    const PART: u32 = 2;

    fn party(object: u32, mode: Mode, borrows: bool) -> Party {
        Party { object, mode, borrows, locks: false }
    }

    fn lent(mode: Mode) -> Loans {
        let mut loans = Loans::default();
        loans.note_call(&[party(LIST, mode, false)], &[ITER], Lending::Operands);
        loans
    }

    fn in_the_way(loans: &Loans, mode: Mode) -> Vec<u32> {
        loans.in_the_way(LIST, mode).collect()
    }

    #[test]
    fn what_is_lent_by_shared_reference_can_be_read_but_not_changed() {
        let loans = lent(Mode::Ref);
        assert!(!loans.is_locked(LIST));
        assert_eq!(in_the_way(&loans, Mode::Ref), []);
        assert_eq!(in_the_way(&loans, Mode::Mut), [ITER]);
        assert_eq!(in_the_way(&loans, Mode::Own), [ITER]);
        assert_eq!(loans.reached_by(ITER), []);
    }

    #[test]
    fn what_is_lent_by_exclusive_reference_is_locked_until_the_borrower_ends() {
        let mut loans = lent(Mode::Mut);
        assert!(loans.is_locked(LIST));
        assert_eq!(in_the_way(&loans, Mode::Ref), [ITER]);
        assert_eq!(loans.reached_by(ITER), [LIST]);
        assert_eq!(loans.end_loans(ITER), [LIST]);
        assert!(!loans.is_locked(LIST));
        assert_eq!(in_the_way(&loans, Mode::Own), []);
    }

    #[test]
    fn what_a_borrower_made_refers_to_the_same() {
        let mut loans = lent(Mode::Mut);
        loans.note_call(&[party(ITER, Mode::Mut, true)], &[PART], Lending::Inherited);
        assert_eq!(loans.end_loans(ITER), []);
        assert!(loans.is_locked(LIST));
        assert_eq!(loans.end_loans(PART), [LIST]);
    }

    #[test]
    fn a_borrower_that_was_given_another_refers_to_what_that_referred_to() {
        let mut loans = lent(Mode::Ref);
        let arena = party(PART, Mode::Ref, true);
        loans.note_call(&[arena, party(ITER, Mode::Own, true)], &[], Lending::Inherited);
        loans.end_loans(ITER);
        assert_eq!(in_the_way(&loans, Mode::Mut), [PART]);
    }

    #[test]
    fn what_borrows_from_a_borrower_depends_on_both() {
        let mut loans = lent(Mode::Ref);
        loans.note_call(&[party(ITER, Mode::Mut, true)], &[PART], Lending::Operands);
        assert!(loans.is_locked(ITER) && !loans.is_locked(LIST));
        let mut dependents = loans.dependents_of(LIST);
        dependents.sort_unstable();
        assert_eq!(dependents, [ITER, PART]);
        let blocking = |parties: &[Party]| loans.borrowers_to_end(parties);
        assert_eq!(blocking(&[party(LIST, Mode::Mut, false)]), Some(vec![PART, ITER]));
        assert_eq!(blocking(&[party(LIST, Mode::Mut, false), party(PART, Mode::Ref, true)]), None);
        assert_eq!(blocking(&[party(LIST, Mode::Ref, false)]), Some(vec![]));
    }
}
