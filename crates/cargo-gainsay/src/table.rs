//! Tables for people: columns aligned, headings above.

use gainsay_report::{Paint, Tone};

/// A field is cut at so many characters: one long text must not push all columns apart.
const WIDEST: usize = 80;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The text above it.
    pub(crate) heading: String,
    /// The side on which its fields stand.
    pub(crate) side: Side,
}

/// The side on which the fields of a column are flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// As texts are.
    Left,
    /// As numbers are.
    Right,
}

/// Returns the lines of a table; each row has a field for each column.
// Aligned by hand: a crate for it would bring more lines than these.
pub(crate) fn table_lines(columns: &[Column], rows: &[Vec<String>], paint: Paint) -> String {
    let headings: Vec<String> = columns.iter().map(|column| shown_field(&column.heading)).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|field| shown_field(field)).collect()).collect();
    let width = |at: usize| {
        let fields = rows.iter().filter_map(|row| row.get(at)).chain(headings.get(at));
        fields.map(|field| field.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let line = |row: &[String]| {
        let fields = row.iter().zip(columns).zip(&widths).map(|((field, column), width)| {
            match column.side {
                Side::Left => format!("{field:<width$}"),
                Side::Right => format!("{field:>width$}"),
            }
        });
        fields.collect::<Vec<String>>().join("  ").trim_end().to_owned()
    };
    let head = [line(&headings), line(&rule)].map(|text| paint.tone(Tone::Strong, &text));
    let body = rows.iter().map(|row| line(row));
    head.into_iter().chain(body).map(|text| text + "\n").collect()
}

/// Shows a field in one line, not too long.
// A line end in a field would look like the next row; an escape sequence would reach the terminal.
fn shown_field(field: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    let flat: String = field.chars().map(escaped).collect();
    if flat.chars().count() <= WIDEST {
        return flat;
    }
    flat.chars().take(WIDEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(columns: &[(&str, Side)], rows: &[&[&str]], expected: &str) {
        let columns: Vec<Column> = columns
            .iter()
            .map(|(heading, side)| Column { heading: (*heading).to_owned(), side: *side })
            .collect();
        let owned = |row: &&[&str]| row.iter().map(|field| (*field).to_owned()).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(owned).collect();
        assert_eq!(table_lines(&columns, &rows, Paint::Plain), expected);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_field() {
        let columns = [("name", Side::Left), ("rows", Side::Right)];
        check(&columns, &[], "name  rows\n----  ----\n");
        check(
            &columns,
            &[&["call", "1,204"], &["Stück", "7"]],
            "name    rows\n-----  -----\ncall   1,204\nStück      7\n",
        );
    }

    #[test]
    fn a_field_stays_in_its_line() {
        check(&[("a", Side::Left)], &[&["x\ny\u{1b}"]], "a\n----------\nx\\ny\\u{1b}\n");
        let (long, cut) = ("x".repeat(81), format!("{}…", "x".repeat(79)));
        check(&[("a", Side::Left)], &[&[&long]], &format!("a\n{}\n{cut}\n", "-".repeat(80)));
    }
}
