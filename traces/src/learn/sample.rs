//! Samples as text: three lines for each variable.
//!
//! Almost all of a trace is this, so the usual form is read byte by byte without looking for ends
//! of lines: names are compared with what is expected, numbers end where they end.

use crate::format::{
    declare::Point,
    error::Problem,
    kind::{Kind, Scalar, float_key},
    row::Row,
    texts::Texts,
};

/// What a point's samples look like.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    point: String,
    heading: Vec<u8>,
    variables: Vec<(Vec<u8>, Kind)>,
}

/// Why a sample could not be read.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It goes on beyond what is at hand.
    More,
    /// It is wrong at this distance.
    Wrong(usize, Problem),
}

/// A sample that was read, apart from its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Where it ends.
    pub(crate) end: usize,
    /// The number of the call.
    pub(crate) nonce: Option<u64>,
}

/// Bytes and a place in them.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next line without spaces around it; passes over it.
    fn line(&mut self) -> Result<&'a str, Stop> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(Stop::More)?;
        let text = std::str::from_utf8(&rest[..end]);
        let text = text.map_err(|_| Stop::Wrong(self.at, Problem::Encoding))?;
        self.at += end + 1;
        Ok(text.trim())
    }

    /// The next line; where only empty ones are left, more is to be read or the file ends amid
    /// a sample.
    fn filled_line(&mut self) -> Result<&'a str, Stop> {
        let line = self.line()?;
        let is_end = || self.bytes[self.at..].iter().all(|byte| *byte == b'\n');
        if line.is_empty() && is_end() { Err(Stop::More) } else { Ok(line) }
    }

    fn expect(&mut self, bytes: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(bytes);
        if found {
            self.at += bytes.len();
        }
        found
    }

    /// A short number that ends with its line.
    fn number(&mut self) -> Option<i64> {
        let rest = &self.bytes[self.at..];
        let is_negative = rest.first() == Some(&b'-');
        let digits = &rest[usize::from(is_negative)..];
        let mut value = 0_i64;
        for (i, byte) in digits.iter().enumerate().take(18) {
            match byte {
                b'0'..=b'9' => value = value * 10 + i64::from(byte - b'0'),
                b'\n' if i > 0 => {
                    self.at += usize::from(is_negative) + i + 1;
                    return Some(if is_negative { -value } else { value });
                }
                _ => return None,
            }
        }
        None
    }
}

impl Form {
    pub(crate) fn new(point: &Point) -> Form {
        let variables = point.variables.iter().map(|variable| {
            let line = format!("{}\n", variable.name.replace(' ', "\\_"));
            (line.into_bytes(), variable.kind)
        });
        let heading = format!("{}\n", point.name.replace(' ', "\\_")).into_bytes();
        Form { point: point.name.clone(), heading, variables: variables.collect() }
    }

    /// The line that samples begin with.
    pub(crate) fn heading(&self) -> &[u8] {
        &self.heading
    }

    /// How its variables are represented.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        self.variables.iter().map(|(_, kind)| *kind)
    }

    /// Reads a sample from the line after its point's name.
    pub(crate) fn read(
        &self,
        bytes: &[u8],
        texts: &mut Texts,
        row: &mut Row,
    ) -> Result<Read, Stop> {
        let mut cursor = Cursor { bytes, at: 0 };
        let nonce = nonce(&mut cursor)?;
        for (name, kind) in &self.variables {
            if !cursor.expect(name) {
                other_form_of(&mut cursor, name)?;
            }
            let start = cursor.at;
            let quick = if kind.is_array { None } else { quick(&mut cursor, kind.of) };
            match quick {
                Some(value) => row.push(value),
                None => slow(&mut cursor, *kind, texts, row).map_err(|stop| match stop {
                    None => Stop::More,
                    Some(value) => Stop::Wrong(start, bad_value(name, value, *kind)),
                })?,
            }
            modified(&mut cursor, name, row)?;
        }
        end(&mut cursor)?;
        Ok(Read { end: cursor.at, nonce })
    }

    /// The message about a file that ends too early.
    pub(crate) fn cut_short(&self) -> Problem {
        Problem::CutShort(self.point.clone())
    }
}

/// A name that is not written exactly as expected: with spaces around it, or another one.
fn other_form_of(cursor: &mut Cursor<'_>, name: &[u8]) -> Result<(), Stop> {
    let start = cursor.at;
    let found = cursor.filled_line()?;
    let expected = text_of(name);
    if found == expected {
        return Ok(());
    }
    let found = found.to_owned();
    Err(Stop::Wrong(start, Problem::OtherVariable { expected, found }))
}

fn end(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if cursor.expect(b"\n") {
        return Ok(());
    }
    let start = cursor.at;
    let line = cursor.line()?;
    if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
        return Ok(());
    }
    Err(Stop::Wrong(start, Problem::NoEnd(line.to_owned())))
}

fn nonce(cursor: &mut Cursor<'_>) -> Result<Option<u64>, Stop> {
    const WORD: &[u8] = b"this_invocation_nonce";
    let rest = &cursor.bytes[cursor.at..];
    if !rest.starts_with(WORD) {
        return if WORD.starts_with(rest) { Err(Stop::More) } else { Ok(None) };
    }
    cursor.at += WORD.len();
    if cursor.expect(b"\n")
        && let Some(number) = cursor.number()
    {
        return Ok(Some(number.cast_unsigned()));
    }
    cursor.at -= usize::from(cursor.bytes[cursor.at - 1] == b'\n');
    cursor.line()?;
    let start = cursor.at;
    let line = cursor.line()?;
    let number = line.parse::<i64>().ok().map(i64::cast_unsigned);
    number.map(Some).ok_or_else(|| Stop::Wrong(start, Problem::Nonce(line.to_owned())))
}

/// The usual form of a value.
fn quick(cursor: &mut Cursor<'_>, of: Scalar) -> Option<i64> {
    let start = cursor.at;
    let value = match of {
        Scalar::Int | Scalar::Hash => cursor.number(),
        Scalar::Bool => cursor.number().filter(|value| matches!(value, 0 | 1)),
        Scalar::Float | Scalar::Text => None,
    };
    if value.is_none() {
        cursor.at = start;
    }
    value
}

/// Any form of a value. The error is the text that is no value, or none when more is to be read.
fn slow<'a>(
    cursor: &mut Cursor<'a>,
    kind: Kind,
    texts: &mut Texts,
    row: &mut Row,
) -> Result<(), Option<&'a str>> {
    let line = cursor.filled_line().map_err(|stop| match stop {
        Stop::More => None,
        Stop::Wrong(..) => Some("bytes that are not UTF-8"),
    })?;
    if line == "nonsensical" || (kind.is_array && line == "null") {
        row.push_missing();
        return Ok(());
    }
    if !kind.is_array {
        let value = scalar(line, kind.of, texts).ok_or(Some(line))?;
        row.push(value);
        return Ok(());
    }
    let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or(Some(line))?;
    let start = row.items.len();
    let mut is_whole = true;
    for element in elements(inner) {
        match element {
            "nonsensical" => is_whole = false,
            _ => row.items.push(scalar(element, kind.of, texts).ok_or(Some(line))?),
        }
    }
    if is_whole {
        row.push_array(start);
    } else {
        // An array with holes has no value as a whole.
        row.items.truncate(start);
        row.push_missing();
    }
    Ok(())
}

fn scalar(text: &str, of: Scalar, texts: &mut Texts) -> Option<i64> {
    match (of, text) {
        (Scalar::Bool | Scalar::Int, "true") | (Scalar::Bool, "1") => Some(1),
        (Scalar::Bool | Scalar::Int, "false")
        | (Scalar::Bool, "0")
        | (Scalar::Hash | Scalar::Text, "null") => Some(0),
        (Scalar::Bool, _) => None,
        (Scalar::Int | Scalar::Hash, _) => {
            text.parse().ok().or_else(|| text.parse::<u64>().ok().map(u64::cast_signed))
        }
        (Scalar::Float, "Infinity") => Some(float_key(f64::INFINITY)),
        (Scalar::Float, "-Infinity") => Some(float_key(f64::NEG_INFINITY)),
        (Scalar::Float, _) => text.parse().ok().map(float_key),
        (Scalar::Text, _) => {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            Some(texts.id(&unescaped(inner)))
        }
    }
}

/// The elements of an array: separated by spaces, which may also stand in quotes.
fn elements(inner: &str) -> Vec<&str> {
    let (mut found, mut start, mut quoted, mut escaped) = (Vec::new(), None, false, false);
    for (i, c) in inner.char_indices() {
        let separates = c == ' ' && !quoted;
        match (separates, start) {
            (true, Some(from)) => {
                found.push(&inner[from..i]);
                start = None;
            }
            (false, None) => start = Some(i),
            _ => {}
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    found.extend(start.map(|from| &inner[from..]));
    found
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    plain
}

/// The line after a value: 2 says that there is none.
fn modified(cursor: &mut Cursor<'_>, name: &[u8], row: &mut Row) -> Result<(), Stop> {
    let start = cursor.at;
    let digit = match cursor.bytes.get(start..start + 2) {
        Some([digit @ b'0'..=b'2', b'\n']) => {
            cursor.at += 2;
            *digit
        }
        _ => match cursor.filled_line()? {
            "0" => b'0',
            "1" => b'1',
            "2" => b'2',
            found => {
                let (variable, found) = (text_of(name), found.to_owned());
                return Err(Stop::Wrong(start, Problem::Modified { variable, found }));
            }
        },
    };
    if digit == b'2' && !row.is_missing(row.cells.len() - 1) {
        row.pop();
        row.push_missing();
    }
    Ok(())
}

fn text_of(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().to_owned()
}

fn bad_value(name: &[u8], value: &str, kind: Kind) -> Problem {
    const SHOWN: usize = 60;
    let mut value: String = value.chars().take(SHOWN + 1).collect();
    if value.chars().count() > SHOWN {
        value.pop();
        value.push_str("..");
    }
    Problem::Value { variable: text_of(name), value, kind: kind.name() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::declare::Declarations;

    fn form(variables: &str) -> Form {
        let mut declarations = Declarations::default();
        declarations.read(&format!("ppt a:::POINT\n{variables}")).unwrap();
        Form::new(&declarations.points[0])
    }

    fn read(kind: &str, value: &str) -> Result<Row, Stop> {
        let form = form(&format!("variable x\nrep-type {kind}\n"));
        let (mut row, mut texts) = (Row::default(), Texts::default());
        form.read(format!("x\n{value}\n1\n\n").as_bytes(), &mut texts, &mut row)?;
        Ok(row)
    }

    #[test]
    fn values_of_all_kinds_are_read() {
        let check = |kind: &str, value: &str, cell: i64| {
            assert_eq!(read(kind, value).unwrap().cells, [cell], "{kind} {value}");
        };
        check("int", "-42", -42);
        check("int", "9223372036854775807", i64::MAX);
        check("boolean", "1", 1);
        check("boolean", "false", 0);
        check("hashcode", "null", 0);
        check("double", "1.5", float_key(1.5));
        check("java.lang.String", "\"a b\"", 1);
        check("java.lang.String", "null", 0);
    }

    #[test]
    fn arrays_are_read_and_holes_make_them_missing() {
        assert_eq!(read("int[]", "[1 -2 3]").unwrap().items, [1, -2, 3]);
        assert_eq!(read("int[]", "[]").unwrap().items, [0_i64; 0]);
        assert_eq!(read("java.lang.String[]", r#"["a b" null "\"c"]"#).unwrap().items, [1, 0, 2]);
        assert!(read("int[]", "[1 nonsensical]").unwrap().is_missing(0));
        assert!(read("int[]", "nonsensical").unwrap().is_missing(0));
    }

    #[test]
    fn what_is_no_value_is_told() {
        let check = |kind: &str, value: &str| {
            let stop = read(kind, value).unwrap_err();
            assert!(matches!(stop, Stop::Wrong(2, Problem::Value { .. })), "{stop:?}");
        };
        check("int", "1.5");
        check("int", "99999999999999999999");
        check("boolean", "2");
        check("int[]", "1 2");
        check("java.lang.String", "a");
    }

    #[test]
    fn other_names_other_marks_and_extra_lines_are_told_with_their_place() {
        let form = form("variable x\nrep-type int\n");
        let check = |text: &str, place: usize| {
            let stop = form.read(text.as_bytes(), &mut Texts::default(), &mut Row::default());
            assert!(matches!(stop, Err(Stop::Wrong(at, _)) if at == place), "{stop:?}");
        };
        check("y__________________________\n1\n1\n\n", 0);
        check("x\n1\n3\n\nbench.N:::POINT\nand so on\n", 4);
        check("x\n1\n1\nz\n\nbench.N:::POINT\nand so on\n", 6);
        check("this_invocation_nonce\nmany\n\n", 22);
    }

    #[test]
    fn carriage_returns_and_nonces_are_understood() {
        let form = form("variable x\nrep-type int\n");
        let mut row = Row::default();
        let text = "this_invocation_nonce\r\n17\r\nx\r\n5\r\n1\r\n\r\nrest";
        let read = form.read(text.as_bytes(), &mut Texts::default(), &mut row).unwrap();
        assert_eq!((read.nonce, read.end, &row.cells[..]), (Some(17), text.len() - 4, &[5][..]));
    }

    #[test]
    fn a_sample_that_goes_on_asks_for_more() {
        let form = form("variable x\nrep-type int\n");
        for text in ["", "x\n", "x\n12", "x\n12\n", "x\n12\n1", "x\n12\n1\n"] {
            let stop = form.read(text.as_bytes(), &mut Texts::default(), &mut Row::default());
            assert!(matches!(stop, Err(Stop::More)), "{text:?} {stop:?}");
        }
    }
}
