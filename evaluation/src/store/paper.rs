//! The first paper's own schema and query form (its Figure 3 and Listing 2), to measure the store
//! against: one row per object and predicate.

use std::{fmt::Write as _, path::Path, time::Instant};

use rusqlite::{Connection, ErrorCode, params};

/// Instructions of the engine between two looks at the clock: a look costs about as much as a few of
/// them, and ten thousand take far less than a millisecond.
const STRIDE: i32 = 10_000;

const TABLES: &str = "
CREATE TABLE TestCases(
    tid INTEGER PRIMARY KEY, class TEXT, routine TEXT, pre_serialized TEXT, post_serialized TEXT);
CREATE TABLE Predicates_1(
    tid INTEGER, name TEXT, var_0 INTEGER, type_0 TEXT, ret_value INTEGER, kind TEXT);
CREATE TABLE Predicates_2(
    tid INTEGER, name TEXT, var_0 INTEGER, type_0 TEXT, var_1 INTEGER, type_1 TEXT,
    ret_value INTEGER, kind TEXT);
";

/// By what is searched for, and by what binds the rows of one test case.
const INDEXES: &str = "
CREATE INDEX p1_by_value ON Predicates_1(name, type_0, kind, ret_value);
CREATE INDEX p1_by_test ON Predicates_1(tid, var_0, name);
CREATE INDEX p2_by_value ON Predicates_2(name, type_0, type_1, kind, ret_value);
CREATE INDEX p2_by_test ON Predicates_2(tid, var_0, var_1, name);
PRAGMA analysis_limit = 10000;
ANALYZE;
";

/// The paper's database.
#[derive(Debug)]
pub(super) struct PaperStore {
    connection: Connection,
}

/// A row of `TestCases` with its rows of `Predicates_1` and `Predicates_2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestCase {
    /// The type whose operation is called.
    pub(super) class: String,
    /// The operation.
    pub(super) routine: String,
    /// The objects before and after.
    pub(super) serialized: [String; 2],
    /// What was evaluated on them.
    pub(super) evaluations: Vec<Evaluation>,
}

/// What a query said of one or two objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evaluation {
    /// Its normalised form, such as `$.has($)`.
    pub(super) name: &'static str,
    /// The type of the objects.
    pub(super) ty: String,
    /// The objects, by their places in the list.
    pub(super) objects: Vec<u32>,
    /// The value.
    pub(super) value: i64,
    /// When it was evaluated.
    pub(super) moment: Moment,
}

/// Before or after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// `pre`
    Pre,
    /// `post`
    Post,
}

/// One condition of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PaperAtom {
    /// The normalised form of the predicate.
    pub(super) name: &'static str,
    /// The type of its objects.
    pub(super) ty: String,
    /// The variables that stand for its objects.
    pub(super) variables: Vec<u32>,
    /// `=`, `<` or `>`.
    pub(super) comparison: &'static str,
    /// With what the value is compared.
    pub(super) value: i64,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaperFound {
    /// So many rows.
    Rows(usize),
    /// It was stopped.
    OutOfTime,
}

impl PaperStore {
    /// Makes an empty one.
    pub(super) fn create(path: &Path) -> anyhow::Result<PaperStore> {
        let connection = Connection::open(path)?;
        let journal = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        connection.query_row("PRAGMA journal_mode = WAL", [], journal)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "cache_size", -64_000)?;
        connection.execute_batch(TABLES)?;
        Ok(PaperStore { connection })
    }

    /// Adds test cases in one transaction, numbered from `first` on.
    pub(super) fn add(&mut self, first: i64, tests: &[TestCase]) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        for (tid, test) in (first..).zip(tests) {
            let [pre, post] = &test.serialized;
            let row = params![tid, test.class, test.routine, pre, post];
            let insert = "INSERT INTO TestCases VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction.prepare_cached(insert)?.execute(row)?;
            for it in &test.evaluations {
                add_evaluation(&transaction, tid, it)?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Makes the obvious indexes, when all is there, and has the engine look at them.
    pub(super) fn index(&self) -> anyhow::Result<()> {
        self.connection.execute_batch(INDEXES)?;
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// Searches objects before calls, and if there are none, after calls.
    pub(super) fn search(
        &self,
        atoms: &[PaperAtom],
        limit: usize,
        deadline: Instant,
    ) -> anyhow::Result<PaperFound> {
        self.connection.progress_handler(STRIDE, Some(move || Instant::now() >= deadline));
        let mut found = self.count(&listing(atoms, Moment::Pre, limit));
        if matches!(found, Ok(0)) {
            found = self.count(&listing(atoms, Moment::Post, limit));
        }
        self.connection.progress_handler(0, None::<fn() -> bool>);
        match found {
            Ok(rows) => Ok(PaperFound::Rows(rows)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                Ok(PaperFound::OutOfTime)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Runs a query to its end; returns the number of rows.
    fn count(&self, sql: &str) -> rusqlite::Result<usize> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut count = 0;
        while rows.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

fn add_evaluation(connection: &Connection, tid: i64, it: &Evaluation) -> rusqlite::Result<()> {
    let Evaluation { name, ty, objects, value, moment } = it;
    let kind = moment.word();
    if let [a, b] = objects[..] {
        let insert = "INSERT INTO Predicates_2 VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, ?7)";
        let row = params![tid, name, a, ty, b, value, kind];
        connection.prepare_cached(insert)?.execute(row)?;
    } else {
        let insert = "INSERT INTO Predicates_1 VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row = params![tid, name, objects.first(), ty, value, kind];
        connection.prepare_cached(insert)?.execute(row)?;
    }
    Ok(())
}

impl Moment {
    fn word(self) -> &'static str {
        match self {
            Moment::Pre => "pre",
            Moment::Post => "post",
        }
    }
}

/// A search in the form of the paper's Listing 2.
fn listing(atoms: &[PaperAtom], moment: Moment, limit: usize) -> String {
    let kind = moment.word();
    let (mut from, mut conditions, mut select) = (Vec::new(), Vec::new(), Vec::new());
    // Where each variable was bound first.
    let mut bound: Vec<(u32, String, String)> = Vec::new();
    for (i, atom) in atoms.iter().enumerate() {
        let table = atom.variables.len();
        from.push(format!("Predicates_{table} p{i} JOIN TestCases t{i} ON p{i}.tid = t{i}.tid"));
        let PaperAtom { name, ty, comparison, value, .. } = atom;
        let mut condition = format!("p{i}.name = '{name}'");
        for (place, variable) in atom.variables.iter().enumerate() {
            write!(condition, " AND p{i}.type_{place} = '{ty}'").expect("writing to a string");
            let (tid, var) = (format!("p{i}.tid"), format!("p{i}.var_{place}"));
            if let Some((_, first_tid, first_var)) = bound.iter().find(|(it, ..)| it == variable) {
                write!(condition, " AND {tid} = {first_tid} AND {var} = {first_var}")
                    .expect("writing to a string");
            } else {
                select.push(format!("t{i}.{kind}_serialized, {var}"));
                bound.push((*variable, tid, var));
            }
        }
        conditions.push(format!(
            "{condition} AND p{i}.ret_value {comparison} {value} AND p{i}.kind = '{kind}'"
        ));
    }
    format!(
        "SELECT {} FROM {} WHERE {} LIMIT {limit}",
        select.join(", "),
        from.join(", "),
        conditions.join(" AND ")
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn evaluation(name: &'static str, objects: &[u32], value: i64, moment: Moment) -> Evaluation {
        Evaluation { name, ty: "LIST".into(), objects: objects.to_vec(), value, moment }
    }

    fn atom(name: &'static str, variables: &[u32], value: i64) -> PaperAtom {
        let variables = variables.to_vec();
        PaperAtom { name, ty: "LIST".into(), variables, comparison: "=", value }
    }

    /// The test case of the paper's section IV: `l1.extend(l1)` on an empty list.
    fn extended() -> TestCase {
        let [pre, post] = [Moment::Pre, Moment::Post];
        TestCase {
            class: "LIST".into(),
            routine: "extend".into(),
            serialized: ["l1;l1".into(), "l2;l2".into()],
            evaluations: vec![
                evaluation("$.is_empty", &[0], 1, pre),
                evaluation("$.has($)", &[0, 1], 0, pre),
                evaluation("$.is_empty", &[0], 0, post),
                evaluation("$.has($)", &[0, 1], 1, post),
            ],
        }
    }

    #[test]
    fn what_was_evaluated_is_found_by_its_value_and_objects_stay_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = PaperStore::create(&directory.path().join("paper.sqlite")).unwrap();
        store.add(1, &[extended()]).unwrap();
        store.index().unwrap();
        let check = |atoms: &[PaperAtom], rows| {
            let deadline = Instant::now() + Duration::from_mins(10);
            assert_eq!(store.search(atoms, 45, deadline).unwrap(), PaperFound::Rows(rows));
        };
        check(&[atom("$.is_empty", &[0], 1)], 1);
        check(&[atom("$.is_empty", &[0], 0)], 1);
        check(&[atom("$.is_empty", &[0], 2)], 0);
        check(&[atom("$.is_empty", &[0], 1), atom("$.has($)", &[0, 1], 0)], 1);
        check(&[atom("$.is_empty", &[0], 1), atom("$.has($)", &[0, 1], 1)], 0);
        // Two lists that have nothing to do with each other.
        check(&[atom("$.is_empty", &[0], 1), atom("$.is_empty", &[1], 1)], 1);
    }

    #[test]
    fn a_search_is_written_as_in_the_papers_second_listing() {
        let atoms = [atom("$.is_empty", &[0], 1), atom("$.is_empty", &[1], 0)];
        let sql = listing(&atoms, Moment::Pre, 45);
        assert_eq!(
            sql,
            "SELECT t0.pre_serialized, p0.var_0, t1.pre_serialized, p1.var_0 \
             FROM Predicates_1 p0 JOIN TestCases t0 ON p0.tid = t0.tid, \
             Predicates_1 p1 JOIN TestCases t1 ON p1.tid = t1.tid \
             WHERE p0.name = '$.is_empty' AND p0.type_0 = 'LIST' AND p0.ret_value = 1 \
             AND p0.kind = 'pre' AND p1.name = '$.is_empty' AND p1.type_0 = 'LIST' \
             AND p1.ret_value = 0 AND p1.kind = 'pre' LIMIT 45"
        );
    }
}
