//! `cargo gainsay db`: the store of the last run, looked at, copied and put back. What is asked of
//! it is asked in `gainsay-store`.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use gainsay_engine::store::{
    Export, Field, Inspection, Resized, Rows, Stats, StoreError, SubjectVersion, vacuum,
};
use gainsay_model::api::Subject;
use gainsay_report::{Tone, counted, thousands};
use serde_json::{Number, Value};

use crate::{
    args::LowDb,
    commands::{RUN_HINT, print_result, take_turn},
    exit::Exit,
    failure::Failure,
    settings::Settings,
    table::{self, Column, Side},
};

/// Commands about the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DbSettings {
    /// Tell where it is.
    Path,
    /// Tell how much is in it.
    Stats,
    /// Ask it.
    Sql { statement: String, form: RowForm, most: usize },
    /// Copy it.
    Export { file: PathBuf },
    /// Put a copy in its place.
    Import { file: PathBuf },
    /// Make it smaller, if told so by dropping all builds but the last so many.
    Vacuum { keep_builds: Option<NonZeroUsize> },
}

/// Forms of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// For people.
    Table,
    /// For programs, a row a line.
    Json,
}

impl From<LowDb> for DbSettings {
    fn from(typed: LowDb) -> DbSettings {
        match typed {
            LowDb::Path => DbSettings::Path,
            LowDb::Stats => DbSettings::Stats,
            LowDb::Sql { statement, json, limit } => {
                let form = if json { RowForm::Json } else { RowForm::Table };
                DbSettings::Sql { statement, form, most: limit.get() }
            }
            LowDb::Export { file } => DbSettings::Export { file },
            LowDb::Import { file } => DbSettings::Import { file },
            LowDb::Vacuum { keep_builds } => DbSettings::Vacuum { keep_builds },
        }
    }
}

/// Runs a command about the store.
pub(crate) fn run_db(settings: &Settings, how: &DbSettings) -> anyhow::Result<Exit> {
    let subject = gainsay_engine::find_subject(&settings.request)?;
    let path = subject.out_dir.join("store.sqlite");
    match how {
        DbSettings::Path => print_result(&format!("{}\n", check_present(&path)?.display()))?,
        DbSettings::Stats => {
            let stats = inspect_store(&path, &subject)?.stats()?;
            print_result(&stats_text(&path, &stats, settings))?;
        }
        DbSettings::Sql { statement, form, most } => {
            let rows = inspect_store(&path, &subject)?.query(statement, *most)?;
            print_result(&rows_text(&rows, *form, settings))?;
            note_rest(&rows);
        }
        DbSettings::Export { file } => {
            let bytes = inspect_store(&path, &subject)?.export(file)?;
            let about = format!("{} to `{}`", counted(bytes, "byte"), file.display());
            print_result(&settings.stdout.line(Tone::Good, "Exported", &about))?;
        }
        DbSettings::Import { file } => {
            let export = Export::open(file)?;
            // Recipes of another crate name operations that this one does not have.
            check_subject(file, &export.subjects()?, &subject)?;
            // A run that is under way would go on writing to the file that was replaced.
            let _turn = take_turn(&subject)?;
            let bytes = export.replace(&path)?;
            let about = format!("{} to `{}`", counted(bytes, "byte"), path.display());
            print_result(&settings.stdout.line(Tone::Good, "Imported", &about))?;
        }
        DbSettings::Vacuum { keep_builds } => {
            check_present(&path)?;
            let _turn = take_turn(&subject)?;
            let Resized { dropped, before, after } = vacuum(&path, *keep_builds)?;
            let mut about =
                format!("from {} to {}", counted(before, "byte"), counted(after, "byte"));
            if dropped > 0 {
                let builds = counted(dropped as u64, "older build");
                write!(about, ", without the evidence of {builds}")?;
            }
            print_result(&settings.stdout.line(Tone::Good, "Vacuumed", &about))?;
        }
    }
    Ok(Exit::NothingFound)
}

/// Returns a path that is there.
// Most tools make a file that is not there, SQLite among them.
fn check_present(path: &Path) -> Result<&Path, StoreError> {
    if path.exists() { Ok(path) } else { Err(StoreError::NoStore { path: path.to_owned() }) }
}

fn inspect_store(path: &Path, subject: &Subject) -> anyhow::Result<Inspection> {
    let store = Inspection::open(path)?;
    check_subject(path, &store.subjects()?, subject)?;
    Ok(store)
}

/// One results directory can hold the store of another crate or version.
fn check_subject(path: &Path, tested: &[SubjectVersion], asked: &Subject) -> Result<(), Failure> {
    let is_asked = |of: &SubjectVersion| of.name == asked.name && of.version == asked.version;
    match tested.first() {
        Some(SubjectVersion { name, version }) if !tested.iter().any(is_asked) => {
            let path = path.display();
            let message = format!(
                "`{path}` is of a run of `{name}` {version}, not `{}` {}",
                asked.name, asked.version
            );
            Err(Failure::new(Exit::Usage, message).with_hint(RUN_HINT))
        }
        _ => Ok(()),
    }
}

fn stats_text(path: &Path, stats: &Stats, settings: &Settings) -> String {
    let columns = [
        ("table", Side::Left),
        ("rows", Side::Right),
        ("bytes", Side::Right),
        ("bytes of indexes", Side::Right),
    ];
    let columns = columns.map(|(heading, side)| Column { heading: heading.into(), side });
    let rows = stats.tables.iter().map(|table| {
        let numbers = [table.rows, table.bytes, table.index_bytes].map(thousands);
        std::iter::once(table.name.clone()).chain(numbers).collect()
    });
    let tables = table::table_lines(&columns, &rows.collect::<Vec<_>>(), settings.stdout);
    format!("{}\n{tables}", stats_head(path, stats))
}

fn stats_head(path: &Path, stats: &Stats) -> String {
    let subjects: Vec<String> =
        stats.subjects.iter().map(|of| format!("{} {}", of.name, of.version)).collect();
    let subjects = if subjects.is_empty() { "-".to_owned() } else { subjects.join(", ") };
    let newer = if stats.is_newer() { ", newer than this version can write" } else { "" };
    let (file, free) = (counted(stats.file, "byte"), thousands(stats.free));
    let lines = [
        format!("store     {}\n", path.display()),
        format!("schema    {}{newer}\n", stats.schema),
        format!("subjects  {subjects}\n"),
        format!("file      {file}, of which {free} free\n"),
        format!("log       {}\n", counted(stats.log, "byte")),
    ];
    lines.concat()
}

fn rows_text(rows: &Rows, form: RowForm, settings: &Settings) -> String {
    if form == RowForm::Json {
        return rows.rows.iter().map(|row| json_line(&rows.columns, row)).collect();
    }
    let columns = rows.columns.iter().enumerate().map(|(at, heading)| {
        let mut fields = rows.rows.iter().filter_map(|row| row.get(at));
        let is_number = |field: &Field| !matches!(field, Field::Text(_) | Field::Blob { .. });
        let side = if fields.all(is_number) { Side::Right } else { Side::Left };
        Column { heading: heading.clone(), side }
    });
    let fields = rows.rows.iter().map(|row| row.iter().map(ToString::to_string).collect());
    let (columns, fields): (Vec<Column>, Vec<Vec<String>>) = (columns.collect(), fields.collect());
    table::table_lines(&columns, &fields, settings.stdout)
}

/// In the order of the columns. Of columns with the same name the later ones have a number.
fn json_line(columns: &[String], row: &[Field]) -> String {
    let fields = columns.iter().zip(row).enumerate().map(|(at, (name, field))| {
        let name = match columns[..at].iter().filter(|earlier| *earlier == name).count() {
            0 => name.clone(),
            earlier => format!("{name}:{earlier}"),
        };
        format!("{}:{}", Value::String(name), json_of(field))
    });
    format!("{{{}}}\n", fields.collect::<Vec<String>>().join(","))
}

fn json_of(field: &Field) -> Value {
    let text = || Value::String(field.to_string());
    match field {
        Field::Null => Value::Null,
        Field::Integer(number) => Value::from(*number),
        // JSON has no infinity.
        Field::Real(number) => Number::from_f64(*number).map_or_else(text, Value::Number),
        Field::Text(_) | Field::Blob { .. } => text(),
    }
}

/// Says on standard error how many rows are left out.
// On standard output it would be taken for a row.
fn note_rest(rows: &Rows) {
    if rows.more > 0 {
        let all = rows.rows.len() as u64 + rows.more;
        let more = counted(rows.more, "more row");
        // A closed stream leaves nobody to tell.
        let _ = writeln!(io::stderr(), "note: there are {more}; `--limit {all}` shows all");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_an_object_with_the_columns_in_order() {
        let columns = ["b", "a", "b", "b"].map(str::to_owned);
        let row = [
            Field::Text("\"x\"\n".into()),
            Field::Null,
            Field::Real(f64::INFINITY),
            Field::Blob { begin: vec![1, 255], length: 9 },
        ];
        let expected = "{\"b\":\"\\\"x\\\"\\n\",\"a\":null,\"b:1\":\"inf\",\"b:2\":\"x'01ff…'\"}\n";
        assert_eq!(json_line(&columns, &row), expected);
        let numbers = [Field::Integer(-3), Field::Real(0.5)];
        assert_eq!(json_line(&columns, &numbers), "{\"b\":-3,\"a\":0.5}\n");
    }

    #[test]
    fn a_store_of_another_crate_is_not_taken_for_this_one() {
        use gainsay_model::{api::Source, features::Features};
        let asked = Subject {
            name: "a".into(),
            version: "1.0.0".into(),
            lib_name: "a".into(),
            root: PathBuf::new(),
            out_dir: PathBuf::new(),
            source: Source::Path,
            features: Features::default(),
        };
        let of = |name: &str, version: &str| SubjectVersion {
            name: name.into(),
            version: version.into(),
        };
        let check = |tested: &[SubjectVersion]| check_subject(Path::new("x"), tested, &asked);
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[of("b", "1.0.0"), of("a", "1.0.0")]), Ok(()));
        let refused = check(&[of("a", "0.9.0")]).unwrap_err();
        assert_eq!(refused.to_string(), "`x` is of a run of `a` 0.9.0, not `a` 1.0.0");
    }
}
