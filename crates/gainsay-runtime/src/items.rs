//! The iterators that operations are given: honest unless the step says otherwise.

use std::iter::FusedIterator;

use gainsay_wire::Callback;

use crate::inject::{self, Claim};

/// An iterator argument. What it says of its length is settled when it is made.
#[derive(Clone, Debug, Default)]
pub struct Items<I> {
    items: I,
    claim: Claim,
}

impl<I> Items<I> {
    /// Passes on what `items` gives.
    pub fn new(items: I) -> Items<I> {
        Items { items, claim: inject::claim() }
    }
}

impl<I: Iterator> Iterator for Items<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        inject::callback(Callback::Next);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let honest = self.items.size_hint();
        match self.claim {
            Claim::Truth => honest,
            Claim::Nothing => {
                inject::misled();
                (0, None)
            }
            Claim::More(by) => {
                inject::misled();
                // Who claims too much contradicts himself as well, and so does every other who claims
                // too little: he admits what he has and denies that there may be so much.
                let lower = if by < 0 && by % 2 != 0 { honest.0 } else { moved(honest.0, by) };
                (lower, honest.1.map(|upper| moved(upper, by.min(0))))
            }
        }
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Items<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        inject::callback(Callback::Next);
        self.items.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Items<I> {
    fn len(&self) -> usize {
        match self.claim {
            // An exact size cannot be unknown.
            Claim::Truth | Claim::Nothing => self.items.len(),
            Claim::More(by) => {
                inject::misled();
                moved(self.items.len(), by)
            }
        }
    }
}

impl<I: FusedIterator> FusedIterator for Items<I> {}

fn moved(len: usize, by: i32) -> usize {
    len.saturating_add_signed(by as isize)
}

#[cfg(test)]
mod tests {
    use gainsay_wire::Twist;

    use super::*;

    fn hints(twist: Twist) -> ((usize, Option<usize>), usize, Twist) {
        let _alone = crate::worker::alone();
        let (seen, aftermath) = inject::under(twist, || {
            let items = Items::new(vec![1, 2, 3].into_iter());
            let said = (items.size_hint(), items.len());
            assert_eq!(items.collect::<Vec<_>>(), [1, 2, 3]);
            said
        });
        (seen.0, seen.1, aftermath.twist)
    }

    #[test]
    fn what_they_say_of_their_length_is_up_to_the_twist() {
        assert_eq!(hints(Twist::None), ((3, Some(3)), 3, Twist::None));
        assert_eq!(hints(Twist::Shy), ((0, None), 3, Twist::Shy));
        assert_eq!(hints(Twist::Lie(2)), ((5, Some(3)), 5, Twist::Lie(2)));
        assert_eq!(hints(Twist::Lie(-2)), ((1, Some(1)), 1, Twist::Lie(-2)));
        assert_eq!(hints(Twist::Lie(-1)), ((3, Some(2)), 2, Twist::Lie(-1)));
        assert_eq!(hints(Twist::Lie(-8)), ((0, Some(0)), 0, Twist::Lie(-8)));
    }

    #[test]
    fn a_lie_that_nobody_hears_is_none() {
        let _alone = crate::worker::alone();
        let (_, aftermath) = inject::under(Twist::Lie(1), || {
            let mut items = Items::new(vec![1].into_iter());
            items.next()
        });
        assert_eq!(aftermath.twist, Twist::None);
        assert!(aftermath.iterator);
    }
}
