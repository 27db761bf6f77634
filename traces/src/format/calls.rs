//! Calls that have begun and not ended: what the beginning looked like is needed at the end.

use crate::format::row::Row;

/// How many calls may be open, and how much memory they may take.
const MOST: usize = 100_000;
const MOST_BYTES: usize = 16 << 20;

/// The calls that are open, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
    bytes: usize,
    free: Vec<Row>,
    /// Ends without a beginning.
    pub(crate) unbegun: u64,
    /// Beginnings without an end.
    pub(crate) unended: u64,
}

#[derive(Debug)]
struct Call {
    enter: usize,
    nonce: Option<u64>,
    row: Row,
}

impl Calls {
    /// A call begins at a point.
    pub(crate) fn begin(&mut self, enter: usize, nonce: Option<u64>, row: &Row) {
        if self.open.len() >= MOST || self.bytes > MOST_BYTES {
            self.forget_oldest();
        }
        let mut kept = self.free.pop().unwrap_or_default();
        kept.clone_from(row);
        self.bytes += kept.bytes();
        self.open.push(Call { enter, nonce, row: kept });
    }

    /// A call ends: what it began with. Calls without a number end in the reverse order of their
    /// beginnings; those in between were left by an exception.
    pub(crate) fn end(&mut self, enter: usize, nonce: Option<u64>) -> Option<Row> {
        let fits = |call: &Call| call.enter == enter && call.nonce == nonce;
        let Some(place) = self.open.iter().rposition(fits) else {
            self.unbegun += 1;
            return None;
        };
        if nonce.is_none() {
            let left = self.open.len() - place - 1;
            self.unended += left as u64;
            self.bytes -= self.open.drain(place + 1..).map(|call| call.row.bytes()).sum::<usize>();
        }
        let call = self.open.remove(place);
        self.bytes -= call.row.bytes();
        Some(call.row)
    }

    /// Gives a row back, so that its memory is used again.
    pub(crate) fn recycle(&mut self, row: Row) {
        self.free.push(row);
    }

    /// The trace has ended, and with it all calls.
    pub(crate) fn end_all(&mut self) {
        self.unended += self.open.len() as u64;
        self.open.clear();
        self.bytes = 0;
    }

    fn forget_oldest(&mut self) {
        let half = self.open.len().div_ceil(2);
        self.unended += half as u64;
        self.bytes -= self.open.drain(..half).map(|call| call.row.bytes()).sum::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: i64) -> Row {
        let mut row = Row::default();
        row.push(value);
        row
    }

    #[test]
    fn calls_with_numbers_may_end_in_any_order() {
        let mut calls = Calls::default();
        calls.begin(0, Some(1), &row(10));
        calls.begin(0, Some(2), &row(20));
        assert_eq!(calls.end(0, Some(1)).unwrap().cells, [10]);
        assert_eq!(calls.end(0, Some(2)).unwrap().cells, [20]);
        assert!(calls.end(0, Some(2)).is_none());
        assert_eq!((calls.unbegun, calls.bytes), (1, 0));
    }

    #[test]
    fn without_numbers_inner_calls_end_with_outer_ones() {
        let mut calls = Calls::default();
        calls.begin(0, None, &row(10));
        calls.begin(1, None, &row(20));
        assert_eq!(calls.end(0, None).unwrap().cells, [10]);
        assert!(calls.end(1, None).is_none());
        assert_eq!((calls.unbegun, calls.unended, calls.bytes), (1, 1, 0));
    }

    #[test]
    fn calls_that_never_end_do_not_fill_memory() {
        let mut calls = Calls::default();
        for i in 0..250_000 {
            calls.begin(0, Some(i), &row(1));
        }
        assert!(calls.open.len() <= MOST);
        calls.end_all();
        assert_eq!(calls.unended, 250_000);
    }
}
