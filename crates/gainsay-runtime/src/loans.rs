//! Who borrows from whom: the rules of references, kept while a program runs.
//!
//! Objects that borrow live in the pool like any others, with lifetimes that the compiler was told
//! to take for granted. What Rust would have checked is checked here: an object that is lent is
//! neither changed nor moved nor dropped, and not even looked at where it is lent exclusively,
//! before all that borrows from it has ended.

use gainsay_wire::Mode;

use crate::table::Lending;

/// One object refers to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loan {
    /// What is lent.
    pub(crate) of: u32,
    /// Whether by `&mut`.
    pub(crate) exclusive: bool,
}

/// All loans of a pool.
#[derive(Default)]
pub(crate) struct Loans {
    /// By borrower: what it refers to.
    taken: Vec<Vec<Loan>>,
    /// By object: who refers to it.
    given: Vec<Vec<u32>>,
}

/// An operand of a call, as far as loans are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party {
    pub(crate) object: u32,
    pub(crate) mode: Mode,
    /// Whether its type borrows.
    pub(crate) borrows: bool,
}

impl Loans {
    /// Whether nothing was ever lent, as with most subjects.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// What an object refers to.
    pub(crate) fn taken_by(&self, borrower: u32) -> &[Loan] {
        self.taken.get(borrower as usize).map_or(&[], Vec::as_slice)
    }

    /// Who refers to an object.
    pub(crate) fn given_of(&self, object: u32) -> &[u32] {
        self.given.get(object as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether an object is lent by `&mut`: nobody else may look at it.
    pub(crate) fn is_locked(&self, object: u32) -> bool {
        self.given_of(object).iter().any(|borrower| self.holds_exclusively(*borrower, object))
    }

    /// The borrowers that must end before an object is passed like this.
    pub(crate) fn in_the_way(&self, object: u32, mode: Mode) -> impl Iterator<Item = u32> + '_ {
        let given = self.given_of(object).iter().copied();
        given.filter(move |borrower| {
            mode.is_exclusive() || self.holds_exclusively(*borrower, object)
        })
    }

    /// The objects that change with a borrower: those that it holds by `&mut`, and theirs.
    pub(crate) fn reached_by(&self, borrower: u32) -> Vec<u32> {
        let mut found = Vec::new();
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
    pub(crate) fn dependents(&self, object: u32) -> Vec<u32> {
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

    /// What a borrowing object may refer to after a call with these operands.
    pub(crate) fn of_call(&self, parties: &[Party], lending: Lending) -> Vec<Loan> {
        let mut loans = Vec::new();
        for party in parties {
            let by_reference = !party.mode.consumes();
            if lending == Lending::Operands && by_reference {
                loans.push(Loan { of: party.object, exclusive: party.mode == Mode::Mut });
            }
            if party.borrows {
                loans.extend_from_slice(self.taken_by(party.object));
            }
        }
        loans
    }

    /// Notes that an object refers to others from now on.
    pub(crate) fn take(&mut self, borrower: u32, loans: &[Loan]) {
        for &loan in loans.iter().filter(|loan| loan.of != borrower) {
            let taken = at(&mut self.taken, borrower);
            match taken.iter_mut().find(|known| known.of == loan.of) {
                Some(known) => known.exclusive |= loan.exclusive,
                None => {
                    taken.push(loan);
                    at(&mut self.given, loan.of).push(borrower);
                }
            }
        }
    }

    /// Ends all loans that an object took; returns the objects that are no longer locked.
    pub(crate) fn end(&mut self, borrower: u32) -> Vec<u32> {
        let Some(taken) = self.taken.get_mut(borrower as usize).map(std::mem::take) else {
            return Vec::new();
        };
        for loan in &taken {
            at(&mut self.given, loan.of).retain(|other| *other != borrower);
        }
        let freed = taken.iter().filter(|loan| loan.exclusive && !self.is_locked(loan.of));
        freed.map(|loan| loan.of).collect()
    }

    fn holds_exclusively(&self, borrower: u32, object: u32) -> bool {
        self.taken_by(borrower).iter().any(|loan| loan.of == object && loan.exclusive)
    }
}

fn at<T: Default + Clone>(items: &mut Vec<T>, index: u32) -> &mut T {
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
        Party { object, mode, borrows }
    }

    fn lent(mode: Mode) -> Loans {
        let mut loans = Loans::default();
        let taken = loans.of_call(&[party(LIST, mode, false)], Lending::Operands);
        loans.take(ITER, &taken);
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
        assert_eq!(loans.end(ITER), [LIST]);
        assert!(!loans.is_locked(LIST));
        assert_eq!(in_the_way(&loans, Mode::Own), []);
    }

    #[test]
    fn what_a_borrower_made_refers_to_the_same() {
        let mut loans = lent(Mode::Mut);
        let inherited = loans.of_call(&[party(ITER, Mode::Mut, true)], Lending::Inherited);
        loans.take(PART, &inherited);
        assert_eq!(loans.end(ITER), []);
        assert!(loans.is_locked(LIST));
        assert_eq!(loans.end(PART), [LIST]);
    }

    #[test]
    fn what_borrows_from_a_borrower_depends_on_both() {
        let mut loans = lent(Mode::Ref);
        let both = loans.of_call(&[party(ITER, Mode::Mut, true)], Lending::Operands);
        loans.take(PART, &both);
        assert!(loans.is_locked(ITER) && !loans.is_locked(LIST));
        let mut dependents = loans.dependents(LIST);
        dependents.sort_unstable();
        assert_eq!(dependents, [ITER, PART]);
    }
}
