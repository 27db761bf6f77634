//! A second, plain reader of traces: everything in memory, one value after the other.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;

use super::claims::Claim;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum V {
    Missing,
    Null,
    Int(i64),
    Hash(i64),
    Text(String),
    Bool(bool),
    List(Vec<V>),
}

/// All samples of a point with its terms, derived ones as well.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) terms: Vec<String>,
    /// `int`, `hashcode`, `String`, `boolean`, with `[]` for arrays.
    pub(super) kinds: Vec<String>,
    pub(super) rows: Vec<Vec<V>>,
    /// What derived terms are made of, by place.
    pub(super) parts: BTreeMap<usize, Part>,
    /// What is known of a half of the calls.
    pub(super) condition: Option<Claim>,
}

/// What a derived term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Length(usize),
    Element(usize, usize),
}

/// All points of a trace.
#[derive(Debug, Default)]
pub(in super::super) struct Tables {
    pub(super) tables: BTreeMap<String, Table>,
    points: BTreeMap<String, Point>,
}

#[derive(Clone, Debug, Default)]
struct Point {
    parents: Vec<String>,
    variables: Vec<(String, String)>,
}

/// Reads a trace with its declarations inside.
pub(super) fn tables(text: &str) -> anyhow::Result<Tables> {
    let mut tables = Tables::default();
    let mut open: BTreeMap<String, Vec<V>> = BTreeMap::new();
    for record in text.split("\n\n") {
        let lines: Vec<&str> =
            record.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
        let lines: Vec<&str> = lines.into_iter().skip_while(|line| line.is_empty()).collect();
        match lines.first() {
            Some(first) if first.starts_with("ppt ") => tables.declare(&lines),
            Some(first) if tables.points.contains_key(*first) => {
                tables.sample(&lines, &mut open).with_context(|| format!("a sample of {first}"))?;
            }
            _ => {}
        }
    }
    for table in tables.tables.values_mut() {
        table.derive();
    }
    Ok(tables)
}

fn base(name: &str) -> &str {
    name.rsplit_once(":::").map_or(name, |(base, _)| base)
}

impl Tables {
    fn declare(&mut self, lines: &[&str]) {
        let mut point = Point::default();
        for line in &lines[1..] {
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            match (word, value.strip_prefix("parent ")) {
                ("variable", _) => point.variables.push((value.to_owned(), String::new())),
                ("rep-type", _) => {
                    if let Some((_, kind)) = point.variables.last_mut() {
                        *kind = value.replace("java.lang.", "");
                    }
                }
                ("parent", Some(parent)) if point.variables.is_empty() => {
                    point.parents.extend(parent.split(' ').next().map(str::to_owned));
                }
                _ => {}
            }
        }
        self.points.insert(lines[0]["ppt ".len()..].to_owned(), point);
    }

    fn sample(
        &mut self,
        lines: &[&str],
        open: &mut BTreeMap<String, Vec<V>>,
    ) -> anyhow::Result<()> {
        let name = lines[0];
        let point = self.points[name].clone();
        let nonce = if lines.get(1) == Some(&"this_invocation_nonce") { lines[2] } else { "" };
        let skip = if nonce.is_empty() { 1 } else { 3 };
        let mut row = Vec::new();
        for (triple, (_, kind)) in lines[skip..].chunks(3).zip(&point.variables) {
            let value = if triple[2] == "2" { V::Missing } else { value(triple[1], kind)? };
            row.push(value);
        }
        let key = format!("{} {nonce}", base(name));
        for parent in &point.parents {
            self.above(parent, &point, &row);
        }
        if name.ends_with(":::ENTER") {
            open.insert(key, row.clone());
            self.push(name, &point.variables, row, None);
        } else if let Some(before) = open.remove(&key) {
            self.exit(name, &point, before, row);
        }
        Ok(())
    }

    fn exit(&mut self, name: &str, point: &Point, before: Vec<V>, row: Vec<V>) {
        let enter = &self.points[&format!("{}:::ENTER", base(name))];
        let old = enter.variables.iter().map(|(name, kind)| (format!("old({name})"), kind.clone()));
        let variables: Vec<(String, String)> = old.chain(point.variables.clone()).collect();
        let exits = self
            .points
            .keys()
            .filter(|other| base(other) == base(name) && other.contains(":::EXIT"))
            .count();
        let returned =
            point.variables.iter().position(|(name, kind)| name == "return" && kind == "boolean");
        let returned = returned.map(|place| row[place].clone());
        let row: Vec<V> = before.into_iter().chain(row).collect();
        let whole = format!("{}:::EXIT", base(name));
        self.push(&whole, &variables, row.clone(), None);
        if exits > 1 {
            self.push(name, &variables, row.clone(), None);
        }
        if let Some(V::Bool(value)) = returned {
            let word = if value { "return" } else { "!return" };
            let condition = Claim::OneOf("return".into(), vec![value.to_string()]);
            self.push(&format!("{whole} if {word}"), &variables, row, Some(condition));
        }
    }

    /// The object or class above a point, by the names of variables.
    fn above(&mut self, name: &str, point: &Point, row: &[V]) {
        let Some(parent) = self.points.get(name).cloned() else { return };
        let pick = |(name, _): &(String, String)| {
            let place = point.variables.iter().position(|(other, _)| other == name);
            place.map_or(V::Missing, |place| row[place].clone())
        };
        let picked: Vec<V> = parent.variables.iter().map(pick).collect();
        for above in &parent.parents {
            self.above(above, &parent, &picked);
        }
        self.push(name, &parent.variables, picked, None);
    }

    fn push(
        &mut self,
        name: &str,
        variables: &[(String, String)],
        row: Vec<V>,
        condition: Option<Claim>,
    ) {
        let table = self.tables.entry(name.to_owned()).or_insert_with(|| Table {
            name: name.to_owned(),
            terms: variables.iter().map(|(name, _)| name.clone()).collect(),
            kinds: variables.iter().map(|(_, kind)| kind.clone()).collect(),
            rows: Vec::new(),
            parts: BTreeMap::new(),
            condition,
        });
        table.rows.push(row);
    }

    /// The single ends of a call.
    pub(super) fn parts(&self, table: &Table) -> impl Iterator<Item = &Table> {
        let prefix = table.name.clone();
        let is_whole = prefix.ends_with(":::EXIT");
        self.tables.values().filter(move |part| {
            let number = part.name.strip_prefix(&prefix).unwrap_or_default();
            is_whole && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// Points whose facts hold at this one; true: about values at the beginning of the call.
    pub(super) fn sources(&self, table: &Table) -> Vec<(String, bool)> {
        let name = table.name.split(" if ").next().unwrap_or_default();
        let mut sources = BTreeSet::new();
        let mut parents = |name: &str, before: bool| {
            let mut open: Vec<String> = vec![name.to_owned()];
            while let Some(next) = open.pop() {
                for parent in self.points.get(&next).iter().flat_map(|point| &point.parents) {
                    sources.insert((parent.clone(), before));
                    open.push(parent.clone());
                }
            }
        };
        parents(name, false);
        let enter = format!("{}:::ENTER", base(name));
        let is_exit = name.contains(":::EXIT");
        if is_exit {
            for exit in self.points.keys().filter(|other| base(other) == base(name)) {
                parents(exit, exit.ends_with(":::ENTER"));
            }
            sources.insert((enter, true));
        }
        let whole = format!("{}:::EXIT", base(name));
        if is_exit && whole != table.name {
            sources.insert((whole, false));
        }
        sources.into_iter().collect()
    }
}

impl Table {
    /// Adds lengths and elements; elements out of bounds are no terms.
    fn derive(&mut self) {
        let given = self.terms.len();
        for array in 0..given {
            if self.kinds[array].ends_with("[]") {
                let name = wrap(&self.terms[array], |inner| format!("len({inner})"));
                let length = |row: &Vec<V>| match &row[array] {
                    V::List(items) => V::Int(i64::try_from(items.len()).unwrap_or(i64::MAX)),
                    _ => V::Missing,
                };
                let column: Vec<V> = self.rows.iter().map(length).collect();
                self.parts.insert(self.terms.len(), Part::Length(array));
                self.add(name, "int".into(), column);
            }
        }
        for array in 0..given {
            for index in 0..given {
                if self.kinds[array].ends_with("[]") && self.kinds[index] == "int" {
                    self.element(array, index);
                }
            }
        }
    }

    fn element(&mut self, array: usize, index: usize) {
        let mut column = Vec::new();
        for row in &self.rows {
            column.push(match (&row[array], &row[index]) {
                (V::List(items), V::Int(index)) => {
                    let place = usize::try_from(*index).ok();
                    let Some(item) = place.and_then(|place| items.get(place)) else { return };
                    item.clone()
                }
                _ => V::Missing,
            });
        }
        let (a, i) = (&self.terms[array], &self.terms[index]);
        let name = match (inner(a), inner(i)) {
            (Some(a), Some(i)) => format!("old({})", a.replacen("[..]", &format!("[{i}]"), 1)),
            (Some(_), None) => format!("{a}[{i}]"),
            (None, _) => a.replacen("[..]", &format!("[{i}]"), 1),
        };
        let kind = self.kinds[array].replace("[]", "");
        self.parts.insert(self.terms.len(), Part::Element(array, index));
        self.add(name, kind, column);
    }

    fn add(&mut self, name: String, kind: String, column: Vec<V>) {
        self.terms.push(name);
        self.kinds.push(kind);
        for (row, value) in self.rows.iter_mut().zip(column) {
            row.push(value);
        }
    }

    /// Whether a term of the claim never has a value here.
    pub(super) fn lacks(&self, claim: &Claim) -> bool {
        let names = match claim {
            Claim::Same(x, y) => vec![x, y],
            _ => return false,
        };
        names.iter().any(|name| {
            let place = self.terms.iter().position(|term| term == *name);
            place.is_none_or(|place| self.rows.iter().all(|row| row[place] == V::Missing))
        })
    }

    /// The values of some terms on the rows where all have one.
    pub(super) fn columns<const N: usize>(&self, terms: [usize; N]) -> Vec<[&V; N]> {
        let rows = self.rows.iter().map(|row| terms.map(|term| &row[term]));
        rows.filter(|values| !values.contains(&&V::Missing)).collect()
    }
}

/// What is inside `old(..)`.
pub(super) fn inner(name: &str) -> Option<&str> {
    name.strip_prefix("old(")?.strip_suffix(')')
}

fn wrap(name: &str, by: impl Fn(&str) -> String) -> String {
    match inner(name) {
        Some(inner) => format!("old({})", by(inner)),
        None => by(name),
    }
}

fn value(text: &str, kind: &str) -> anyhow::Result<V> {
    if text == "nonsensical" {
        return Ok(V::Missing);
    }
    if let Some(of) = kind.strip_suffix("[]") {
        let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            return Ok(V::Missing);
        };
        let items: Result<Vec<V>, _> =
            inner.split(' ').filter(|item| !item.is_empty()).map(|item| value(item, of)).collect();
        let items = items?;
        return Ok(if items.contains(&V::Missing) { V::Missing } else { V::List(items) });
    }
    Ok(match kind {
        _ if text == "null" => V::Null,
        "int" => V::Int(text.parse()?),
        "hashcode" => V::Hash(text.parse()?),
        "boolean" => V::Bool(matches!(text, "1" | "true")),
        _ => V::Text(text.to_owned()),
    })
}
