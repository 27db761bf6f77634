//! How the database engine goes about searches and lookups: never by looking through a table that
//! grows with a campaign.

use rusqlite::params_from_iter;

use crate::sqlite::search::{
    components::Plan,
    statement::{Related, Side, Starts},
};
use crate::{Store, testkit::*};

/// Tables that grow with a campaign.
const BIG: [&str; 10] = [
    "state",
    "state_value",
    "recipe",
    "object",
    "relation",
    "call",
    "operand",
    "literal",
    "transition",
    "transition_flip",
];

/// A walk along an index that ends with its limit.
const ENDS_EARLY: &str = "ORDER BY recipe.digest, step, out LIMIT ?2";

/// The plan of the engine, a line a step.
fn plan(store: &Store, sql: &str, texts: &[String]) -> Vec<String> {
    let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let unbound = vec![String::new(); statement.parameter_count().saturating_sub(texts.len())];
    let texts = params_from_iter(texts.iter().chain(&unbound));
    let rows = statement.query_map(texts, |row| row.get::<_, String>(3)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn check_search(store: &Store, op: gainsay_wire::OpId, text: &str, starts: &Starts) {
    let clauses = predicate(op, text).clauses();
    let planned = Plan::new(store.campaign().unwrap(), op, &clauses).unwrap();
    assert!(!planned.components.is_empty(), "{text}");
    for component in &planned.components {
        let sql = component.sql(starts, 45);
        for line in plan(store, &sql, &component.texts) {
            let subquery = line.starts_with("SCAN w")
                || line.starts_with("SCAN c")
                || line.contains("(subquery");
            assert!(!line.starts_with("SCAN") || subquery, "{text}: {line}\n{sql}");
            // All rows of one query would be a scan in disguise.
            assert!(!line.contains("(query=?)"), "{text}: {line}\n{sql}");
        }
        let sorts = plan(store, &sql, &component.texts);
        let walks = starts.related.is_none() && component.relations.len() == 1;
        assert!(!walks || sorts.iter().all(|line| !line.contains("TEMP B-TREE")), "{sorts:?}");
    }
}

#[test]
fn no_search_scans_a_table_wherever_it_starts() {
    let mut store = begun();
    record(&mut store, &set_of(0, &[1, 2]));
    let starts = |operand: Option<u32>, side: Option<Side>| Starts {
        views: operand.map(|operand| (operand, (1, "v0".to_owned()))).into_iter().collect(),
        related: side.map(|side| Related {
            alias: "r0".to_owned(),
            side,
            states: vec![1, 2],
            rows: 0,
        }),
    };
    for (op, text, start) in [
        (INSERT, "self.is_empty()", Some(0)),
        (INSERT, "self.len() > 1 && !self.is_empty()", Some(0)),
        (INSERT, "self.seq() == [5] && self.len() > 1", Some(0)),
        (MERGE, "self.len() < other.len()", None),
        (MERGE, "!self.is_empty()", Some(0)),
    ] {
        check_search(&store, op, text, &Starts::default());
        check_search(&store, op, text, &starts(start, None));
    }
    for text in [
        "!self.is_disjoint(other) && self.len() == 1",
        "!self.is_disjoint(other) && other.len() == 1",
        "self.is_disjoint(other) && !other.is_disjoint(self)",
        "self.is_disjoint(other) && self.len() < other.len()",
    ] {
        for side in [None, Some(Side::A), Some(Side::B)] {
            check_search(&store, MERGE, text, &starts(None, side));
        }
    }
}

#[test]
fn a_search_starts_where_few_states_are_left_and_finds_the_same() {
    let mut store = begun();
    for item in 0..450 {
        let (states, call) = run(&set_of(0, &[item]));
        store.record_calls(&states, &[call]).unwrap();
    }
    let find = |text: &str| {
        let clauses = predicate(INSERT, text).clauses();
        let planned = Plan::new(store.campaign().unwrap(), INSERT, &clauses).unwrap();
        let component = &planned.components[0];
        let starts = component.starts(&store.connection).unwrap();
        let rows = |starts: &Starts| {
            let mut statement = store.connection.prepare(&component.sql(starts, 45)).unwrap();
            let texts = params_from_iter(component.texts.iter());
            let rows = statement.query_map(texts, |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.map(Result::unwrap).collect::<Vec<(i64, i64)>>()
        };
        assert_eq!(rows(&starts), rows(&Starts::default()), "{text}");
        (starts.views.get(&0).map(|(count, _)| *count), rows(&starts).len())
    };
    assert_eq!(find("self.is_empty()"), (Some(1), 1));
    assert_eq!(find("self.len() > 0"), (None, 45));
    assert_eq!(find("self.len() > 0 && self.seq() == [7]"), (Some(1), 1));
    assert_eq!(find("self.len() > 0 && self.is_empty()"), (Some(1), 0));
}

/// All SQL of the files that record and search, as it is written there.
fn lookups() -> Vec<&'static str> {
    let files = [
        include_str!("../../campaign_rows.rs"),
        include_str!("../../conclusions.rs"),
        include_str!("../../record/object_rows.rs"),
        include_str!("../../record/call_rows.rs"),
        include_str!("../../samples.rs"),
        include_str!("../../record/transition_rows.rs"),
        include_str!("../cache.rs"),
        include_str!("../numbers.rs"),
        include_str!("../sequences.rs"),
        include_str!("../plain.rs"),
        include_str!("../tuple.rs"),
    ];
    let texts = files.iter().flat_map(|file| file.split('"').skip(1).step_by(2));
    let is_sql = |text: &&str| {
        let begins = ["SELECT ", "UPDATE ", "DELETE "].iter().any(|word| text.starts_with(word));
        begins && !text.contains('{')
    };
    texts.filter(is_sql).collect()
}

#[test]
fn no_lookup_scans_a_big_table() {
    let store = begun();
    let lookups = lookups();
    assert!(lookups.len() > 20, "{lookups:?}");
    for sql in lookups.into_iter().filter(|sql| !sql.contains(ENDS_EARLY)) {
        for line in plan(&store, sql, &[]) {
            let scanned = line.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            assert!(scanned.is_none_or(|table| !BIG.contains(&table)), "{line}\n{sql}");
        }
    }
}

#[test]
fn transitions_are_found_by_the_query_that_they_flip() {
    let store = begun();
    let sql = crate::sqlite::record::transition_rows::flips_sql(1, "= -1", "1", 9);
    for line in plan(&store, &sql, &[]) {
        assert!(!line.starts_with("SCAN"), "{line}\n{sql}");
    }
}
