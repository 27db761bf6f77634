//! One sample, and batches of samples by column.

use crate::format::kind::Kind;

/// The values of one sample. An array's cell tells where its elements are in `items`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) cells: Vec<i64>,
    /// Which cells have no value; empty when all have one.
    missing: Vec<bool>,
    pub(crate) items: Vec<i64>,
}

impl Row {
    /// Whether a cell has no value; a place beyond the row has none.
    pub(crate) fn is_missing(&self, place: usize) -> bool {
        place >= self.cells.len() || (!self.missing.is_empty() && self.missing[place])
    }

    /// Forgets the values and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.missing.clear();
        self.items.clear();
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, cell: i64) {
        self.cells.push(cell);
        if !self.missing.is_empty() {
            self.missing.push(false);
        }
    }

    /// Adds a variable without value.
    pub(crate) fn push_missing(&mut self) {
        self.missing.resize(self.cells.len(), false);
        self.cells.push(0);
        self.missing.push(true);
    }

    /// Takes the last value back.
    pub(crate) fn pop(&mut self) {
        self.cells.pop();
        self.missing.truncate(self.cells.len());
    }

    /// Adds the array of all items from `start` on.
    pub(crate) fn push_array(&mut self, start: usize) {
        let cell = pack(start, self.items.len());
        self.push(cell);
    }

    /// Adds all variables of another row.
    pub(crate) fn append(&mut self, other: &Row, kinds: impl Iterator<Item = Kind>) {
        let shift = self.items.len();
        if !(self.missing.is_empty() && other.missing.is_empty()) {
            self.missing.resize(self.cells.len(), false);
            self.missing.extend_from_slice(&other.missing);
            self.missing.resize(self.cells.len() + other.cells.len(), false);
        }
        if other.items.is_empty() {
            self.cells.extend_from_slice(&other.cells);
            return;
        }
        for (kind, cell) in kinds.zip(&other.cells) {
            let shifted = if kind.is_array {
                let (start, end) = unpack(*cell);
                pack(start + shift, end + shift)
            } else {
                *cell
            };
            self.cells.push(shifted);
        }
        self.items.extend_from_slice(&other.items);
    }

    /// The memory that it holds, roughly.
    pub(crate) fn bytes(&self) -> usize {
        9 * self.cells.len() + 8 * self.items.len()
    }
}

fn pack(start: usize, end: usize) -> i64 {
    // Records are at most 32 MB, so both fit into 32 bits.
    ((start as u64) << 32 | end as u64).cast_signed()
}

#[allow(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
fn unpack(cell: i64) -> (usize, usize) {
    let cell = cell.cast_unsigned();
    ((cell >> 32) as usize, (cell & 0xffff_ffff) as usize)
}

/// Many samples of one variable.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) kind: Kind,
    /// Values; for arrays, where the elements end in `items`.
    pub(crate) cells: Vec<i64>,
    /// Empty when all rows have a value.
    pub(crate) missing: Vec<bool>,
    pub(crate) items: Vec<i64>,
}

impl Column {
    /// No samples yet.
    pub(crate) fn new(kind: Kind) -> Column {
        Column { kind, cells: Vec::new(), missing: Vec::new(), items: Vec::new() }
    }

    /// Whether a row has no value.
    pub(crate) fn is_missing(&self, row: usize) -> bool {
        self.missing.get(row).copied().unwrap_or(false)
    }

    /// The elements of an array.
    pub(crate) fn array(&self, row: usize) -> &[i64] {
        let start = if row == 0 { 0 } else { self.cells[row - 1] };
        &self.items[place(start)..place(self.cells[row])]
    }

    pub(crate) fn push(&mut self, cell: i64) {
        self.cells.push(cell);
        if !self.missing.is_empty() {
            self.missing.push(false);
        }
    }

    pub(crate) fn push_array(&mut self, items: &[i64]) {
        self.items.extend_from_slice(items);
        self.push(i64::try_from(self.items.len()).unwrap_or(i64::MAX));
    }

    pub(crate) fn push_missing(&mut self) {
        if self.missing.is_empty() {
            self.missing.resize(self.cells.len(), false);
        }
        let cell = if self.kind.is_array { self.cells.last().copied().unwrap_or(0) } else { 0 };
        self.cells.push(cell);
        self.missing.push(true);
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.missing.clear();
        self.items.clear();
    }

    fn append(&mut self, other: &Column) {
        let rows = self.cells.len();
        if !(self.missing.is_empty() && other.missing.is_empty()) {
            self.missing.resize(rows, false);
            self.missing.extend_from_slice(&other.missing);
            self.missing.resize(rows + other.cells.len(), false);
        }
        let shift = if self.kind.is_array { self.items.len() } else { 0 };
        let shift = i64::try_from(shift).unwrap_or(i64::MAX);
        self.cells.extend(other.cells.iter().map(|cell| cell + shift));
        self.items.extend_from_slice(&other.items);
    }
}

fn place(offset: i64) -> usize {
    usize::try_from(offset).unwrap_or(0)
}

/// Samples of one point by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
    /// How many elements of arrays there are in all.
    pub(crate) items: usize,
    /// Plain rows one after the other: they are put into columns all at once.
    staged: Vec<i64>,
    has_arrays: bool,
}

impl Batch {
    /// No samples of variables of these kinds.
    pub(crate) fn new(kinds: impl Iterator<Item = Kind>) -> Batch {
        let columns: Vec<Column> = kinds.map(Column::new).collect();
        let has_arrays = columns.iter().any(|column| column.kind.is_array);
        Batch { rows: 0, columns, items: 0, staged: Vec::new(), has_arrays }
    }

    /// Adds a sample; `picks` says which of its values belong to the columns.
    pub(crate) fn push(&mut self, row: &Row, picks: Option<&[usize]>) {
        self.rows += 1;
        if picks.is_none() && row.missing.is_empty() && !self.has_arrays {
            self.staged.extend_from_slice(&row.cells);
            return;
        }
        self.settle();
        match picks {
            None => {
                for (i, column) in self.columns.iter_mut().enumerate() {
                    self.items += push_cell(column, row, i);
                }
            }
            Some(picks) => {
                for (column, i) in self.columns.iter_mut().zip(picks) {
                    self.items += push_cell(column, row, *i);
                }
            }
        }
    }

    /// Puts all rows into columns.
    pub(crate) fn settle(&mut self) {
        let width = self.columns.len();
        if self.staged.is_empty() {
            return;
        }
        // In blocks that stay near the processor.
        for block in self.staged.chunks(width * 128) {
            for (i, column) in self.columns.iter_mut().enumerate() {
                column.cells.extend(block[i..].iter().step_by(width));
                if !column.missing.is_empty() {
                    column.missing.resize(column.cells.len(), false);
                }
            }
        }
        self.staged.clear();
    }

    /// Forgets the samples and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.staged.clear();
        self.items = 0;
        self.columns.iter_mut().for_each(Column::clear);
    }

    /// Adds the samples of another batch.
    pub(crate) fn append(&mut self, other: &Batch) {
        self.rows += other.rows;
        self.items += other.items;
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.append(more);
        }
    }
}

/// Adds one value; tells how many elements of arrays came with it.
fn push_cell(column: &mut Column, row: &Row, i: usize) -> usize {
    if row.is_missing(i) {
        column.push_missing();
        0
    } else if column.kind.is_array {
        let (start, end) = unpack(row.cells[i]);
        column.push_array(&row.items[start..end]);
        end - start
    } else {
        column.push(row.cells[i]);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::kind::Scalar;

    fn row(values: &[i64], array: &[i64]) -> Row {
        let mut row = Row::default();
        for value in values {
            row.push(*value);
        }
        row.items.extend_from_slice(array);
        row.push_array(0);
        row
    }

    fn kinds() -> impl Iterator<Item = Kind> + Clone {
        [Kind::one(Scalar::Int), Kind { of: Scalar::Int, is_array: true }].into_iter()
    }

    #[test]
    fn rows_become_columns_and_arrays_keep_their_elements() {
        let mut both = row(&[1], &[7, 8]);
        both.append(&row(&[2], &[9]), kinds());
        let mut batch = Batch::new(kinds().chain(kinds()));
        batch.push(&both, None);
        batch.push(&both, Some(&[2, 3, 0, 1]));
        batch.settle();
        assert_eq!(batch.columns[0].cells, [1, 2]);
        assert_eq!((batch.columns[1].array(0), batch.columns[1].array(1)), (&[7, 8][..], &[9][..]));
        assert_eq!((batch.columns[3].array(0), batch.columns[3].array(1)), (&[9][..], &[7, 8][..]));
    }

    #[test]
    fn plain_rows_and_rows_with_holes_keep_their_order() {
        let mut batch = Batch::new([Kind::one(Scalar::Int); 2].into_iter());
        let plain = |a: i64, b: i64| {
            let mut row = Row::default();
            row.push(a);
            row.push(b);
            row
        };
        batch.push(&plain(1, 2), None);
        let mut hollow = plain(3, 4);
        hollow.pop();
        hollow.push_missing();
        batch.push(&hollow, None);
        batch.push(&plain(5, 6), None);
        batch.settle();
        assert_eq!(batch.columns[0].cells, [1, 3, 5]);
        assert_eq!(batch.columns[1].missing, [false, true, false]);
        assert_eq!(batch.columns[1].cells, [2, 0, 6]);
    }

    #[test]
    fn missing_values_are_remembered_from_the_first_on() {
        let mut batch = Batch::new(kinds());
        batch.push(&row(&[1], &[]), None);
        let mut hollow = Row::default();
        hollow.push_missing();
        hollow.push_missing();
        batch.push(&hollow, None);
        let column = &batch.columns[0];
        assert_eq!((column.is_missing(0), column.is_missing(1)), (false, true));
        let other = batch.clone();
        batch.append(&other);
        assert_eq!(batch.columns[1].missing, [false, true, false, true]);
    }
}
