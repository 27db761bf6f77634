//! Stores of older schemas.

use gainsay_wire::{OpId, Sequence, Step, to_bytes};

use super::*;
use crate::{
    Begun, Former, Store, StoredObject, sqlite::encoding::blob::pack,
    sqlite::encoding::blob::unpack, testkit,
};

/// A database of an older schema, made by the SQL of its time.
fn old_schema(path: &std::path::Path, version: i64) -> Connection {
    let old = Connection::open(path).unwrap();
    for (next, migration) in (1i64..).zip(MIGRATIONS).filter(|(next, _)| *next <= version) {
        old.execute_batch(migration.sql).unwrap();
        old.pragma_update(None, "user_version", next).unwrap();
    }
    old
}

#[test]
fn a_store_of_the_first_schema_is_brought_up_to_date_with_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let mut old = old_schema(&directory.path().join("store.sqlite"), 1);
    let recipe = Sequence { steps: vec![Step::new(OpId(3), Vec::new())] };
    old.execute_batch(
        "INSERT INTO subject VALUES (1, 's', '1'); INSERT INTO campaign VALUES (1, 1, 7, x'00');",
    )
    .unwrap();
    old.execute("INSERT INTO recipe VALUES (1, 7, 1, ?1)", [to_bytes(&recipe)]).unwrap();
    old.execute_batch(
        "INSERT INTO type VALUES (1, 1, 'T');
         INSERT INTO query VALUES (1, 1, 'q'); INSERT INTO state VALUES (1, 1, 1, 2, NULL);
         INSERT INTO object VALUES (1, 1, 1, 0, 0, 2, 1), (2, 1, 1, 0, 1, 3, 1);
         INSERT INTO relation VALUES (1, 1, 2, 1, 1, 2, 1, NULL);",
    )
    .unwrap();
    migrate(&mut old).unwrap();
    assert_eq!(version(&old).unwrap(), supported());
    let bytes: Vec<u8> = old.query_row("SELECT bytes FROM recipe", [], |row| row.get(0)).unwrap();
    assert_eq!(unpack::<Sequence>(&bytes).unwrap(), recipe);
    let steps: i64 = old.query_row("SELECT steps FROM relation", [], |row| row.get(0)).unwrap();
    assert_eq!(steps, 5);
    assert_eq!(lacks(&old, supported()).unwrap(), None);
}

/// Fills a store of schema 2 as the version did that wrote it: the empty set and one with an element,
/// in recipes that number operations by their rows.
fn fill_second(old: &Connection, program: i64) {
    let manifest = to_bytes(&testkit::sets());
    old.execute_batch("INSERT INTO subject VALUES (1, 'sets', '1.0.0')").unwrap();
    let campaign =
        "INSERT INTO campaign(id, subject, seed, manifest, build) VALUES (1, 1, 7, ?1, ?2)";
    old.execute(campaign, params![manifest, program]).unwrap();
    old.execute_batch(
        "INSERT INTO type VALUES (1, 1, 'Set');
         INSERT INTO operation VALUES (1, 1, 'Set::new'), (2, 1, 'Set::insert'),
            (3, 1, 'Set::merge'), (4, 1, 'Set::at');
         INSERT INTO query VALUES (1, 1, 'is_empty'), (2, 1, 'len'), (3, 1, 'seq');",
    )
    .unwrap();
    for (row, items) in [(1i64, &[][..]), (2, &[5])] {
        let (states, call) = testkit::run(&testkit::set_of(0, items));
        let mut recipe = call.recipe.clone();
        for step in &mut recipe.steps {
            step.op = OpId(step.op.0 + 1);
        }
        let mut observation = call.observation.clone();
        observation.op = OpId(observation.op.0 + 1);
        observation.types_mut().for_each(|ty| ty.0 += 1);
        let digest = gainsay_wire::Digest::of_bytes(&to_bytes(&recipe)).cast_signed();
        let (bytes, steps) = (pack(&recipe), row);
        let insert = "INSERT INTO recipe VALUES (?1, ?2, ?3, ?4)";
        old.execute(insert, params![row, digest, steps, bytes]).unwrap();
        let state = states.last().unwrap();
        let values: Vec<(String, gainsay_wire::Value)> = ["is_empty", "len", "seq"]
            .map(str::to_owned)
            .into_iter()
            .zip(state.values.iter().cloned())
            .collect();
        let insert = "INSERT INTO state VALUES (?1, 1, ?2, ?3, ?4)";
        let key = state.state.0.cast_signed();
        old.execute(insert, params![row, key, steps, pack(&values)]).unwrap();
        let insert = "INSERT INTO object VALUES (?1, ?1, ?1, 0, 0, ?2, 0)";
        old.execute(insert, params![row, steps]).unwrap();
        let vocabulary = testkit::sets().vocabulary(call.observation.op);
        let insert = "INSERT INTO call VALUES (?1, 1, ?1, 'returned', ?1, ?2, 3, 4, ?3)";
        let vocabulary = gainsay_wire::Digest::of_bytes(&to_bytes(&vocabulary)).cast_signed();
        // Observations ended before the lenders then: an empty list is eight zeros.
        let seen = to_bytes(&observation);
        let seen = pack_bytes(&seen[..seen.len() - 8]);
        old.execute(insert, params![row, vocabulary, seen]).unwrap();
        old.execute("INSERT INTO operand VALUES (?1, 0, NULL, ?1, NULL)", [row]).unwrap();
    }
    old.execute_batch(
        "INSERT INTO transition VALUES (1, 2, 9, 4, 2, 2);
         INSERT INTO fault VALUES (1, 'f', 'hang', 'Set::at', 'no end', 2, 'confirmed');",
    )
    .unwrap();
}

#[test]
fn a_store_of_the_second_schema_becomes_evidence_of_the_build_of_its_campaign() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    fill_second(&old_schema(&path, 2), 42);
    let mut store = Store::open(&path).unwrap();
    let broken = "SELECT count(*) FROM pragma_foreign_key_check";
    let broken: i64 = store.connection.query_row(broken, [], |row| row.get(0)).unwrap();
    assert_eq!(broken, 0);
    let builds = store.list_builds().unwrap();
    assert_eq!(builds.iter().map(|build| build.program).collect::<Vec<_>>(), [42]);
    let dump = store.dump_build(builds[0].id).unwrap();
    let lines = |title: &str| dump.lines().filter(|line| line.starts_with(title)).count();
    let titles = ["state", "object", "call", "recipe", "transition", "fault"];
    assert_eq!(titles.map(lines), [2, 2, 2, 2, 1, 1]);
    // The same program goes on with all of it.
    let (subject, manifest) = (testkit::subject(), testkit::sets());
    let begun = Begun { subject: &subject, manifest: &manifest, seed: 1, build: 42 };
    assert_eq!(store.find_former(&begun).unwrap(), Former::Same);
    store.go_on(&begun).unwrap();
    let samples = store.read_samples().unwrap();
    let id = samples.of(testkit::INSERT).next().unwrap().id;
    let (_, call) = testkit::run(&testkit::set_of(0, &[5]));
    assert_eq!(store.recipe_of(id).unwrap(), Some(call.recipe.clone()));
    let objects = store.some_objects(9).unwrap();
    let recipes: Vec<&Sequence> = objects.iter().map(|it: &StoredObject| &it.recipe).collect();
    assert!(recipes.contains(&&call.recipe), "{recipes:?}");
    // Another one begins with its objects.
    let begun = Begun { build: 43, ..begun };
    assert_eq!(store.find_former(&begun).unwrap(), Former::Changed);
    assert_eq!(store.former_objects(&begun, 9).unwrap().0.len(), 2);
}

#[test]
fn a_migration_that_fails_leaves_the_store_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let old = old_schema(&path, 2);
    fill_second(&old, 42);
    // The name that the migration is going to use is taken.
    old.execute_batch("CREATE TABLE new_recipe(x)").unwrap();
    drop(old);
    let before = std::fs::read(&path).unwrap();
    assert!(Store::open(&path).is_err());
    let left = Connection::open(&path).unwrap();
    assert_eq!(version(&left).unwrap(), 2);
    let recipes: i64 = left.query_row("SELECT count(*) FROM recipe", [], |r| r.get(0)).unwrap();
    assert_eq!((recipes, lacks(&left, 2).unwrap()), (2, None));
    drop(left);
    assert!(std::fs::read(&path).unwrap().len() >= before.len());
}
