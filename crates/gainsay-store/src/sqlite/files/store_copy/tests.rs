//! Copying stores under all circumstances.

use tempfile::TempDir;

use super::*;
use crate::testkit::*;

/// A directory with a store.
struct Place {
    directory: TempDir,
    store: PathBuf,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = directory.path().join("store.sqlite");
        drop(filled(&store));
        Place { directory, store }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn export(&self, name: &str) -> Result<u64, StoreError> {
        Inspection::open(&self.store).unwrap().export(&self.file(name))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn dump(path: &Path) -> String {
    Store::open(path).unwrap().dump().unwrap()
}

fn why(path: &Path) -> Unfit {
    match Export::open(path) {
        Err(StoreError::Unfit { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_export_while_a_run_writes_is_of_one_moment() {
    let place = Place::new();
    let before = dump(&place.store);
    let run = Store::open(&place.store).unwrap();
    run.connection.execute_batch("BEGIN IMMEDIATE; DELETE FROM operand").unwrap();
    let seen = Inspection::open(&place.store).unwrap();
    assert!(!seen.query("SELECT * FROM operand", 1).unwrap().rows.is_empty());
    let bytes = seen.export(&place.file("copy.sqlite")).unwrap();
    run.connection.execute_batch("DELETE FROM call; COMMIT").unwrap();
    assert_eq!(bytes, size(&place.file("copy.sqlite")));
    assert_eq!(dump(&place.file("copy.sqlite")), before);
    assert_ne!(dump(&place.store), before);
}

#[test]
fn an_export_writes_over_nothing() {
    let place = Place::new();
    for text in ["mine", ""] {
        fs::write(place.file("copy.sqlite"), text).unwrap();
        let refused = place.export("copy.sqlite");
        assert!(matches!(refused, Err(StoreError::Exists { .. })), "{refused:?}");
        assert_eq!(fs::read_to_string(place.file("copy.sqlite")).unwrap(), text);
    }
    let refused = place.export("missing/copy.sqlite");
    assert!(matches!(refused, Err(StoreError::File { .. })), "{refused:?}");
}

#[test]
fn an_export_that_fails_leaves_no_file() {
    let place = Place::new();
    let store = Inspection::open(&place.store).unwrap();
    // Within a transaction nothing can be copied.
    store.connection.execute_batch("BEGIN").unwrap();
    assert!(store.export(&place.file("copy.sqlite")).is_err());
    assert!(!place.file("copy.sqlite").exists());
}

#[test]
fn what_was_exported_can_be_the_store_again() {
    let place = Place::new();
    let first = dump(&place.store);
    place.export("copy.sqlite").unwrap();
    let mut run = Store::open(&place.store).unwrap();
    run.begin_campaign(&subject(), &sets(), 8).unwrap();
    record(&mut run, &set_of(0, &[5, 6]));
    // The log of a killed run stays behind.
    std::mem::forget(run);
    assert!(size(&beside(&place.store, "-wal")) > 0);
    let export = Export::open(&place.file("copy.sqlite")).unwrap();
    assert_eq!(export.subjects().unwrap()[0].name, "sets");
    assert_eq!(export.replace(&place.store).unwrap(), size(&place.store));
    assert_eq!(place.names(), ["copy.sqlite", "store.sqlite"]);
    assert_eq!(dump(&place.store), first);
}

#[test]
fn a_copy_comes_also_where_there_is_no_store_or_none_that_can_be_read() {
    let place = Place::new();
    let first = dump(&place.store);
    place.export("copy.sqlite").unwrap();
    for ruin in [None, Some("ruins ".repeat(200))] {
        fs::remove_file(&place.store).unwrap();
        if let Some(ruin) = ruin {
            fs::write(&place.store, ruin).unwrap();
        }
        Export::open(&place.file("copy.sqlite")).unwrap().replace(&place.store).unwrap();
        assert_eq!(dump(&place.store), first);
    }
}

#[test]
fn rubbish_is_refused() {
    let place = Place::new();
    let file = place.file("copy.sqlite");
    let missing = Export::open(&file);
    assert!(matches!(missing, Err(StoreError::File { .. })), "{missing:?}");
    fs::write(&file, "rubbish ".repeat(500)).unwrap();
    assert_eq!(why(&file), Unfit::NotADatabase);
    fs::write(&file, "").unwrap();
    assert_eq!(why(&file), Unfit::OtherTables { lacks: "call.before_key".into() });
}

#[test]
fn databases_of_others_and_of_the_future_are_refused() {
    let place = Place::new();
    let file = place.file("copy.sqlite");
    place.export("copy.sqlite").unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("ALTER TABLE skip RENAME COLUMN reason TO cause").unwrap();
    assert_eq!(why(&file), Unfit::OtherTables { lacks: "skip.reason".into() });
    other.pragma_update(None, "user_version", 1_000).unwrap();
    let newer = Unfit::Newer { found: 1_000, supported: schema::supported() };
    assert_eq!(why(&file), newer);
}

#[test]
fn damage_inside_is_noticed() {
    let place = Place::new();
    let file = place.file("copy.sqlite");
    place.export("copy.sqlite").unwrap();
    let copy = Connection::open(&file).unwrap();
    // An index that is not about what its table holds.
    copy.execute_batch(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = 'CREATE INDEX call_by_edge ON call(operation, before_key)'
             WHERE name = 'call_by_edge';",
    )
    .unwrap();
    drop(copy);
    assert!(matches!(why(&file), Unfit::Damaged { .. }), "{:?}", why(&file));
    let mut bytes = fs::read(&file).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(&file, bytes).unwrap();
    assert!(matches!(why(&file), Unfit::Damaged { .. } | Unfit::NotADatabase), "{:?}", why(&file));
}

#[test]
fn a_store_of_the_future_is_copied_but_neither_replaced_nor_vacuumed() {
    let place = Place::new();
    place.export("old.sqlite").unwrap();
    let newer = Connection::open(&place.store).unwrap();
    newer.pragma_update(None, "user_version", 1_000).unwrap();
    drop(newer);
    place.export("new.sqlite").unwrap();
    assert_eq!(Inspection::open(&place.file("new.sqlite")).unwrap().schema, 1_000);
    let before = fs::read(&place.store).unwrap();
    let replaced = Export::open(&place.file("old.sqlite")).unwrap().replace(&place.store);
    assert!(matches!(replaced, Err(StoreError::NewerSchema { .. })), "{replaced:?}");
    let vacuumed = vacuum(&place.store, None);
    assert!(matches!(vacuumed, Err(StoreError::NewerSchema { .. })), "{vacuumed:?}");
    assert_eq!(fs::read(&place.store).unwrap(), before);
}

#[test]
fn a_vacuum_takes_away_what_holds_nothing() {
    let place = Place::new();
    let store = Store::open(&place.store).unwrap();
    let grow = "CREATE TABLE bulk AS SELECT zeroblob(1000000) AS bytes; DROP TABLE bulk";
    store.connection.execute_batch(grow).unwrap();
    let before = store.dump().unwrap();
    drop(store);
    let free = Inspection::open(&place.store).unwrap().stats().unwrap().free;
    let resized = vacuum(&place.store, None).unwrap();
    assert!(free > 900_000 && resized.before - resized.after >= 900_000, "{free} {resized:?}");
    assert_eq!(size(&place.store), resized.after);
    assert_eq!(dump(&place.store), before);
    assert_eq!(Inspection::open(&place.store).unwrap().stats().unwrap().free, 0);
    let missing = vacuum(&place.file("missing.sqlite"), None);
    assert!(matches!(missing, Err(StoreError::NoStore { .. })), "{missing:?}");
    assert!(!place.file("missing.sqlite").exists());
}
