//! What a store holds, as text: for tests of determinism and for people.

use std::fmt::Write as _;

use gainsay_wire::Value;
use rusqlite::types::ValueRef;

use crate::{
    BuildId, BuildRecord, Store, StoreError, SubjectVersion, sqlite::encoding::blob::unpack,
};

/// Each part of the dump: its title, and lines in an order that depends on content alone. `?1` is the
/// build.
const PARTS: &[(&str, &str)] = &[
    (
        "state",
        "SELECT t.name, s.digest, s.steps, s.bytes FROM state s JOIN type t ON t.id = s.type
         WHERE t.build = ?1",
    ),
    (
        "object",
        "SELECT s.digest, r.digest, o.step, o.out FROM object o
         JOIN state s ON s.id = o.state JOIN recipe r ON r.id = o.recipe WHERE r.build = ?1",
    ),
    (
        "relation",
        "SELECT q.name, ra.digest, a.step, a.out, rb.digest, b.step, b.out, x.kind, x.int_value,
                x.text_value
         FROM relation x JOIN query q ON q.id = x.query
         JOIN object a ON a.id = x.a JOIN recipe ra ON ra.id = a.recipe
         JOIN object b ON b.id = x.b JOIN recipe rb ON rb.id = b.recipe WHERE ra.build = ?1",
    ),
    (
        "call",
        "SELECT o.name, c.outcome, r.digest, c.observation, c.provenance, c.test, c.edge
         FROM call c JOIN operation o ON o.id = c.operation LEFT JOIN recipe r ON r.id = c.recipe
         WHERE o.build = ?1",
    ),
    (
        "transition",
        "SELECT o.name, t.key, t.count, r.digest FROM transition t
         JOIN operation o ON o.id = t.operation JOIN recipe r ON r.id = t.example
         WHERE o.build = ?1",
    ),
    (
        "edge",
        "SELECT o.name, t.name, e.position, e.end_before, e.state_before, e.outcome, e.end_after,
                e.state_after, e.count
         FROM edge e JOIN operation o ON o.id = e.operation LEFT JOIN type t ON t.id = e.type
         WHERE o.build = ?1",
    ),
    (
        "contract",
        "SELECT c.number, o.name, c.kind, c.expr, c.distinct_calls, c.at_risk, c.attacks
         FROM contract c JOIN operation o ON o.id = c.operation WHERE o.build = ?1",
    ),
    (
        "verdict",
        "SELECT v.contract, v.verdict, v.attacks, v.reason, v.via, r.digest
         FROM verdict v JOIN campaign c ON c.id = v.campaign LEFT JOIN recipe r ON r.id = v.recipe
         WHERE c.build = ?1",
    ),
    (
        "fault",
        "SELECT f.id, f.oracle, f.operation, f.message, r.digest, f.confirmation
         FROM fault f JOIN campaign c ON c.id = f.campaign JOIN recipe r ON r.id = f.recipe
         WHERE c.build = ?1",
    ),
    (
        "skip",
        "SELECT operation, reason, detail FROM skip s JOIN campaign c ON c.id = s.campaign
         WHERE c.build = ?1",
    ),
    ("recipe", "SELECT digest, bytes FROM recipe WHERE build = ?1"),
];

impl Store {
    /// The evidence of all builds, as stable text: equal for equal campaigns.
    pub fn dump(&self) -> Result<String, StoreError> {
        let mut text = String::new();
        for BuildRecord { id, subject, .. } in self.list_builds()? {
            let SubjectVersion { name, version } = subject;
            writeln!(text, "build {name} {version}").expect("writing to a string");
            text.push_str(&self.dump_build(id)?);
        }
        Ok(text)
    }

    /// The evidence of one build, as stable text. It does not depend on what else is in the store.
    pub fn dump_build(&self, build: BuildId) -> Result<String, StoreError> {
        let mut text = String::new();
        for (title, sql) in PARTS {
            for line in self.lines(sql, build)? {
                writeln!(text, "{title} {line}").expect("writing to a string");
            }
        }
        Ok(text)
    }

    fn lines(&self, sql: &str, build: BuildId) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([build.0])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let column = |i| Ok(column_text(row.get_ref(i)?));
            let cells: Result<Vec<String>, rusqlite::Error> = (0..columns).map(column).collect();
            lines.push(cells?.join(" | "));
        }
        // The engine promises no order, and row numbers depend on what else is in the store.
        lines.sort();
        Ok(lines)
    }

    /// Distinct facts about states and the transitions that changed something, one a line, such
    /// as `List{is_empty=true}.has(List{is_empty=false}) = false` and
    /// `List::extend: self.is_empty() true -> false`.
    pub fn export_facts(&self) -> Result<Vec<String>, StoreError> {
        let mut facts = self.state_facts()?;
        facts.extend(self.relation_facts()?);
        facts.extend(self.transition_facts()?);
        facts.sort();
        facts.dedup();
        Ok(facts)
    }

    fn state_facts(&self) -> Result<Vec<String>, StoreError> {
        let find = "SELECT state.id FROM state JOIN type ON type.id = state.type WHERE build = ?1";
        let mut statement = self.connection.prepare(find)?;
        let states = statement.query_map([self.campaign()?.build], |row| row.get::<_, i64>(0))?;
        let mut facts = Vec::new();
        for state in states {
            let state = state?;
            let name = self.state_name(state)?;
            for (query, value) in self.state_values(state)? {
                facts.push(format!("{name}.{query}() = {value}"));
            }
        }
        Ok(facts)
    }

    fn relation_facts(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT DISTINCT q.name, state_a, state_b, kind, int_value, text_value
             FROM relation JOIN query q ON q.id = relation.query
             JOIN type t ON t.id = q.type WHERE t.build = ?1",
        )?;
        let mut rows = statement.query([self.campaign()?.build])?;
        let mut facts = Vec::new();
        while let Some(row) = rows.next()? {
            let (a, b) = (self.state_name(row.get(1)?)?, self.state_name(row.get(2)?)?);
            let (query, value): (String, _) = (row.get(0)?, cell_text(row, 3)?);
            facts.push(format!("{a}.{query}({b}) = {value}"));
        }
        Ok(facts)
    }

    fn transition_facts(&self) -> Result<Vec<String>, StoreError> {
        let campaign = self.campaign()?;
        let mut statement = self.connection.prepare(
            "SELECT t.operation, o.name, q.name, f.position, f.with_position,
                    f.before_kind, f.before_int_value, f.before_text_value,
                    f.after_kind, f.after_int_value, f.after_text_value
             FROM transition_flip f JOIN transition t ON t.id = f.transition
             JOIN operation o ON o.id = t.operation JOIN query q ON q.id = f.query
             WHERE o.build = ?1",
        )?;
        let mut rows = statement.query([campaign.build])?;
        let mut facts = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(op) = campaign.op_of_row(row.get(0)?) else { continue };
            let names = campaign.manifest.ops[op.0 as usize].operand_names();
            let (op, query): (String, String) = (row.get(1)?, row.get(2)?);
            let on = names.name(row.get(3)?);
            let with: i64 = row.get(4)?;
            let with = u32::try_from(with).map(|with| names.name(with)).unwrap_or_default();
            let (before, after) = (cell_text(row, 5)?, cell_text(row, 8)?);
            facts.push(format!("{op}: {on}.{query}({with}) {before} -> {after}"));
        }
        Ok(facts)
    }

    fn state_name(&self, state: i64) -> Result<String, StoreError> {
        let find = "SELECT type.name FROM state JOIN type ON type.id = state.type
             WHERE state.id = ?1";
        let ty: String =
            self.connection.prepare_cached(find)?.query_row([state], |row| row.get(0))?;
        let values = self.state_values(state)?;
        let values: Vec<String> = values.iter().map(|(query, v)| format!("{query}={v}")).collect();
        Ok(format!("{ty}{{{}}}", values.join(", ")))
    }
}

/// The value in the three columns from `first` on.
fn cell_text(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<String> {
    let (kind, int, text): (u8, Option<i64>, Option<String>) =
        (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    Ok(match (text, int) {
        (Some(text), _) => text,
        (None, Some(int)) => match kind {
            2 => (int != 0).to_string(),
            5 => u32::try_from(int)
                .ok()
                .and_then(char::from_u32)
                .map_or(String::new(), |c| Value::Char(c).to_string()),
            7 => Value::Elem(int).to_string(),
            8 => Value::Order(int.cmp(&0)).to_string(),
            _ => int.to_string(),
        },
        (None, None) => String::new(),
    })
}

fn column_text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "-".to_owned(),
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::Real(value) => value.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => match unpack::<Vec<(String, Value)>>(bytes) {
            Ok(values) => values.iter().fold(String::new(), |mut text, (query, value)| {
                write!(text, "{query}={value};").expect("writing to a string");
                text
            }),
            Err(_) => format!("{:016x}", gainsay_wire::Digest::of_bytes(bytes)),
        },
    }
}
