//! From files to batches: reads declarations and samples, finds out which points a sample counts
//! for, and hands full batches to their engines.

use std::{collections::HashMap, path::Path};

use crate::{
    format::{
        calls::Calls,
        declare::{Declarations, PointKind, is_declaration},
        error::{Problem, TraceError},
        input::Input,
        route::{self, Heading, Known},
        row::{Batch, Row},
        texts::Texts,
    },
    learn::{
        engine::Engine,
        sample::{Form, Stop},
    },
};

/// Rows of a batch, where there is room.
const ROWS: usize = 2048;
/// Values in all batches together, and elements of arrays in one.
const CELLS: usize = 1 << 20;
const ITEMS: usize = 1 << 16;

/// The fewest rows of a batch.
const FEWEST: usize = 256;

/// A point whose facts are looked for.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) sources: Vec<Known>,
    /// The term that has one truth on all its samples.
    pub(crate) only_if: Option<(usize, i64)>,
    pub(crate) engine: Engine,
    batch: Batch,
}

/// Where samples of a point go.
struct Route {
    enter: Option<usize>,
    targets: Vec<Target>,
}

/// A table that samples are for.
struct Target {
    table: usize,
    picks: Option<Vec<usize>>,
    only_if: Option<(usize, i64)>,
}

/// Everything that is known while reading.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) declarations: Declarations,
    forms: Vec<Form>,
    by_name: HashMap<Vec<u8>, usize>,
    /// Which point came after each point the last time.
    next: Vec<usize>,
    routes: Vec<Option<Route>>,
    pub(crate) tables: Vec<Table>,
    pub(crate) calls: Calls,
    pub(crate) texts: Texts,
    pub(crate) samples: u64,
    /// Rows of a batch.
    rows: usize,
    cells: usize,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        Reader { rows: ROWS, ..Reader::default() }
    }

    /// Reads a file from beginning to end.
    pub(crate) fn read(&mut self, path: &Path) -> Result<(), TraceError> {
        let mut input = Input::open(path)?;
        let mut last = usize::MAX;
        let mut row = Row::default();
        loop {
            if !skip_empty(&mut input)? {
                break;
            }
            let guess = self.guess(last, input.rest());
            let point = match guess {
                Some(point) => point,
                None => match self.heading(&mut input)? {
                    Some(point) => point,
                    None => continue,
                },
            };
            if guess.is_none() && last < self.next.len() {
                self.next[last] = point;
            }
            last = point;
            self.sample(&mut input, point, &mut row)?;
        }
        self.calls.end_all();
        self.flush_all();
        Ok(())
    }

    /// Begins anew, with what is declared and sampled so far.
    pub(crate) fn begin_again(&mut self) {
        self.samples = 0;
        self.calls = Calls::default();
        for table in &mut self.tables {
            table.engine.begin_again(&self.texts);
        }
    }

    /// Traces repeat: the point that followed the last one before often does so again.
    fn guess(&self, last: usize, rest: &[u8]) -> Option<usize> {
        let guess = *self.next.get(last)?;
        let form = self.forms.get(guess)?;
        (rest.starts_with(form.heading())).then_some(guess)
    }

    /// Reads a line that begins a record: a declaration is read whole; of a sample the point is
    /// told, and the input stays at its name.
    fn heading(&mut self, input: &mut Input) -> Result<Option<usize>, TraceError> {
        let line = whole_line(input)?;
        let Ok(text) = std::str::from_utf8(&line) else {
            return Err(input.wrong(0, Problem::Encoding));
        };
        let text = text.trim();
        if text.starts_with('#') || text.starts_with("//") {
            input.pass(line.len());
            return Ok(None);
        }
        if is_declaration(text) {
            self.declare(input)?;
            return Ok(None);
        }
        match self.by_name.get(text.as_bytes()) {
            Some(point) => Ok(Some(*point)),
            None => Err(input.wrong(0, Problem::NotDeclared(text.to_owned()))),
        }
    }

    fn declare(&mut self, input: &mut Input) -> Result<(), TraceError> {
        let end = loop {
            let rest = input.rest();
            match end_of_record(rest) {
                Some(end) => break end,
                None => {
                    if !input.more()? {
                        break input.rest().len();
                    }
                }
            }
        };
        let Ok(record) = std::str::from_utf8(&input.rest()[..end]) else {
            return Err(input.wrong(0, Problem::Encoding));
        };
        let record = record.to_owned();
        let declared = self.declarations.read(&record).map_err(|(line, problem)| {
            let distance = record.split_inclusive('\n').take(line).map(str::len).sum();
            input.wrong(distance, problem)
        })?;
        if let Some(point) = declared.filter(|point| *point == self.forms.len()) {
            let form = Form::new(&self.declarations.points[point]);
            let name = form.heading();
            self.by_name.insert(name[..name.len() - 1].to_vec(), point);
            self.forms.push(form);
            self.next.push(point);
            self.routes.push(None);
        }
        input.pass(end);
        Ok(())
    }

    /// Reads one sample whole and passes it on.
    fn sample(&mut self, input: &mut Input, point: usize, row: &mut Row) -> Result<(), TraceError> {
        let read = loop {
            let rest = input.rest();
            let form = &self.forms[point];
            let body =
                rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
            row.clear();
            match form.read(&rest[body..], &mut self.texts, row) {
                Ok(read) => {
                    input.pass(body + read.end);
                    break read;
                }
                Err(Stop::More) if input.more()? => {}
                Err(Stop::More) => return Err(input.wrong(input.rest().len(), form.cut_short())),
                Err(Stop::Wrong(at, problem)) => return Err(input.wrong(body + at, problem)),
            }
        };
        self.samples += 1;
        self.deliver(point, read.nonce, row);
        Ok(())
    }

    fn deliver(&mut self, point: usize, nonce: Option<u64>, row: &mut Row) {
        if self.routes[point].is_none() {
            self.open_route(point);
        }
        let kind = self.declarations.points[point].kind;
        let enter = self.routes[point].as_ref().and_then(|route| route.enter);
        if kind == PointKind::Enter {
            self.calls.begin(point, nonce, row);
        } else if let Some(enter) = enter {
            let Some(mut whole) = self.calls.end(enter, nonce) else { return };
            whole.append(row, self.forms[point].kinds());
            self.feed(point, &whole);
            self.calls.recycle(whole);
            return;
        }
        self.feed(point, row);
    }

    fn feed(&mut self, point: usize, row: &Row) {
        let route = self.routes[point].as_ref().expect("made before its first sample");
        for target in &route.targets {
            let fits = target.only_if.is_none_or(|(place, value)| row.cells[place] == value);
            if fits {
                let table = &mut self.tables[target.table];
                table.batch.push(row, target.picks.as_deref());
                if table.batch.rows >= self.rows || table.batch.items >= ITEMS {
                    flush(table, &self.texts);
                }
            }
        }
    }

    fn open_route(&mut self, point: usize) {
        let plan = route::plan(&self.declarations, point);
        let targets = plan.targets.into_iter().map(|target| {
            let table = self.open(target.table);
            Target { table, picks: target.picks, only_if: target.only_if }
        });
        let targets = targets.collect();
        self.routes[point] = Some(Route { enter: plan.enter, targets });
    }

    /// The table with this heading; the first points share the room among all.
    fn open(&mut self, heading: Heading) -> usize {
        if let Some(known) = self.tables.iter().position(|table| table.title == heading.title) {
            return known;
        }
        self.cells += heading.terms.len();
        self.rows = (CELLS / self.cells.max(1)).clamp(FEWEST, ROWS);
        let batch = Batch::new(heading.terms[..heading.given].iter().map(|term| term.kind));
        let Heading { title, terms, sources, only_if, .. } = heading;
        let engine = Engine::new(terms);
        self.tables.push(Table { title, sources, only_if, engine, batch });
        self.tables.len() - 1
    }

    fn flush_all(&mut self) {
        for table in &mut self.tables {
            if table.batch.rows > 0 {
                flush(table, &self.texts);
            }
        }
    }
}

/// Hands a batch to the engine and takes its memory back.
fn flush(table: &mut Table, texts: &Texts) {
    let batch = std::mem::take(&mut table.batch);
    table.batch = table.engine.take(batch, texts);
}

/// Passes over empty lines; false at the end of the file.
fn skip_empty(input: &mut Input) -> Result<bool, TraceError> {
    loop {
        let rest = input.rest();
        let empty = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r' | b' ')).count();
        let is_there = empty < rest.len();
        input.pass(empty);
        if is_there {
            return Ok(true);
        }
        if !input.more()? {
            return Ok(false);
        }
    }
}

/// The line at hand with its end.
fn whole_line(input: &mut Input) -> Result<Vec<u8>, TraceError> {
    loop {
        let rest = input.rest();
        if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            return Ok(rest[..=end].to_vec());
        }
        if !input.more()? {
            return Ok(input.rest().to_vec());
        }
    }
}

/// Where the first empty line ends.
fn end_of_record(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    for (i, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' {
            if bytes[start..i].trim_ascii().is_empty() && i > 0 {
                return Some(i + 1);
            }
            start = i + 1;
        }
    }
    None
}
