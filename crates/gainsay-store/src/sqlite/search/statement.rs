//! The SQL that finds the operands of a component. No table is ever scanned: a search walks an index
//! in the order in which results are wanted and ends with the last one, or, when a condition leaves
//! few states, looks only at these.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use rusqlite::{Connection, params_from_iter};

use super::components::Component;

/// States of one operand that are considered when two operands are compared with each other.
// Pairs grow with its square: 90,000 of them are compared at most.
const COMPARED_STATES: usize = 300;
/// Objects that are tried in one state.
// As many as the store keeps of those that nothing refers to.
const OBJECTS_OF_A_STATE: usize = 4;
/// A condition that fewer states satisfy than this is where a search starts.
const FEW: usize = 400;
/// A search starts with the rows of a relation in certain states when there are fewer than this.
const FEW_ROWS: usize = 2_000;
/// Rows of related objects are looked at for so many times as many distinct states as are wanted.
// Many pairs are in the same two states; too small a number ends a search with one pair of states.
const REPEATS: usize = 8;

/// The start of a search. Decides how long it takes, never what it finds.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    /// By operand: how many states a condition leaves, and the alias of the view that it speaks of.
    pub(super) views: BTreeMap<u32, (usize, String)>,
    /// A relation with few rows in the states that the conditions on one operand leave.
    pub(super) related: Option<Related>,
}

/// Rows of a relation by the states of one side.
#[derive(Clone, Debug)]
pub(super) struct Related {
    /// The relation's alias.
    pub(super) alias: String,
    pub(super) side: Side,
    /// All states that the conditions leave.
    pub(super) states: Vec<i64>,
    pub(super) rows: usize,
}

/// One of the two objects of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

impl Side {
    fn column(self) -> &'static str {
        match self {
            Side::A => "a",
            Side::B => "b",
        }
    }

    /// The index that finds rows by the state of this side.
    fn index(self) -> &'static str {
        match self {
            Side::A => "relation_by_states",
            Side::B => "relation_by_state_b",
        }
    }
}

impl Component {
    /// The start of the search of this component.
    pub(super) fn starts(&self, connection: &Connection) -> rusqlite::Result<Starts> {
        let mut starts = Starts { views: self.few(connection)?, related: None };
        if self.relations.is_empty() {
            return Ok(starts);
        }
        for (index, operand) in self.operands.iter().enumerate() {
            let Some(states) = self.few_states(connection, &starts, index)? else { continue };
            for ((query, a, b), alias) in &self.relations {
                for side in [(a, Side::A), (b, Side::B)].iter().filter(|it| it.0 == operand) {
                    let rows = rows_in(connection, *query, side.1, &states)?;
                    if rows < starts.related.as_ref().map_or(FEW_ROWS, |it| it.rows) {
                        let (alias, states) = (alias.clone(), states.clone());
                        starts.related = Some(Related { alias, side: side.1, states, rows });
                    }
                }
            }
        }
        Ok(starts)
    }

    /// The states that the conditions on an operand leave, unless they are many.
    fn few_states(
        &self,
        connection: &Connection,
        starts: &Starts,
        index: usize,
    ) -> rusqlite::Result<Option<Vec<i64>>> {
        let (from, conditions) = self.conditioned(starts, index);
        // All states of a type are never few.
        if conditions.is_empty() {
            return Ok(None);
        }
        let find = format!("SELECT s.id FROM {from} LIMIT {FEW}");
        let mut statement = connection.prepare(&find)?;
        let texts = params_from_iter(self.texts.iter().take(statement.parameter_count()));
        let states = statement.query_map(texts, |row| row.get(0))?;
        let states = states.collect::<rusqlite::Result<Vec<i64>>>()?;
        Ok(Some(states).filter(|states| states.len() < FEW))
    }

    /// The conditions that leave few states, the one with the fewest for each operand.
    fn few(&self, connection: &Connection) -> rusqlite::Result<BTreeMap<u32, (usize, String)>> {
        let mut starts: BTreeMap<u32, (usize, String)> = BTreeMap::new();
        for ((operand, query), view) in &self.views {
            let conditions = self.conditions_on_view(*operand, view);
            if conditions.is_empty() {
                continue;
            }
            let count = format!(
                "SELECT count(*) FROM (SELECT 1 FROM state_value {view}
                 WHERE {view}.query = {query}{conditions} LIMIT {FEW})"
            );
            let mut statement = connection.prepare(&count)?;
            let texts = params_from_iter(self.texts.iter().take(statement.parameter_count()));
            let count: usize = statement.query_row(texts, |row| row.get(0))?;
            if count < starts.get(operand).map_or(FEW, |(least, _)| *least) {
                starts.insert(*operand, (count, view.clone()));
            }
        }
        Ok(starts)
    }

    /// The query: per operand a state and an object in it, those of at most so many states.
    pub(super) fn sql(&self, starts: &Starts, limit: usize) -> String {
        match (self.operands.len(), self.relations.is_empty()) {
            (_, false) => self.by_relation(starts, limit.saturating_mul(REPEATS).max(64)),
            (1, true) => self.alone(starts, 0, limit),
            (_, true) => self.compared(starts, limit.saturating_mul(REPEATS).max(64)),
        }
    }

    fn conditions_on(&self, wanted: impl Fn(&BTreeSet<u32>) -> bool) -> String {
        let wanted = self.conditions.iter().filter(|(operands, _)| wanted(operands));
        joined(wanted.map(|(_, condition)| condition))
    }

    /// The conditions that speak of one view and nothing else.
    fn conditions_on_view(&self, operand: u32, view: &str) -> String {
        let own = BTreeSet::from([operand]);
        let aliases = || self.views.values().chain(self.relations.values());
        let alone = |sql: &str| aliases().all(|alias| (alias == view) == uses(sql, alias));
        let conditions = self.conditions.iter().filter(|(on, sql)| *on == own && alone(sql));
        joined(conditions.map(|(_, condition)| condition))
    }

    /// One operand by its own conditions: all states with their shortest object first, then the
    /// other objects of these states.
    fn alone(&self, starts: &Starts, index: usize, limit: usize) -> String {
        let (from, _) = self.conditioned(starts, index);
        format!(
            "SELECT o.state AS state, o.id AS object FROM (
                SELECT s.id AS id, s.steps AS steps, s.digest AS digest FROM {from}
                ORDER BY s.steps, s.digest LIMIT {limit}) w
             CROSS JOIN object o ON o.id IN (
                SELECT id FROM object p WHERE p.state = w.id
                ORDER BY p.steps, p.recipe, p.id LIMIT {OBJECTS_OF_A_STATE})
             ORDER BY row_number() OVER (PARTITION BY w.id ORDER BY o.steps, o.recipe, o.id),
                      w.steps, w.digest LIMIT {limit}"
        )
    }

    /// The states that the conditions on one operand leave, as `FROM` and `WHERE`, and the
    /// conditions.
    fn conditioned(&self, starts: &Starts, index: usize) -> (String, String) {
        let operand = self.operands[index];
        let own = BTreeSet::from([operand]);
        let conditions = self.conditions_on(|operands| *operands == own);
        let start = starts.views.get(&operand).map(|(_, view)| view);
        let from = self.states_of(operand, &conditions, start);
        // The query implies the type.
        let plus = if start.is_some() { "+" } else { "" };
        let ty = self.types[index];
        let from = format!("{from} WHERE {plus}s.type = {ty} AND s.steps IS NOT NULL{conditions}");
        (from, conditions)
    }

    /// States with the views that conditions speak of: those of the condition to start with, or
    /// all of a type in the order of their shortest recipes.
    fn states_of(&self, operand: u32, conditions: &str, start: Option<&String>) -> String {
        let own = self.views.iter().filter(|((of, _), _)| *of == operand);
        let used: Vec<_> = own.filter(|(_, alias)| uses(conditions, alias)).collect();
        let mut from = String::from("state s INDEXED BY state_by_steps");
        if let Some(((_, query), view)) = used.iter().find(|(_, alias)| Some(*alias) == start) {
            from = format!(
                "state_value {view} INDEXED BY state_value_by_int
                 CROSS JOIN state s ON s.id = {view}.state AND {view}.query = {query}"
            );
        }
        for ((_, query), view) in used.into_iter().filter(|(_, alias)| Some(*alias) != start) {
            write!(
                from,
                " CROSS JOIN state_value {view} ON {view}.state = s.id AND {view}.query = {query}"
            )
            .expect("writing to a string");
        }
        from
    }

    /// Operands that are compared with each other but have no relation.
    fn compared(&self, starts: &Starts, limit: usize) -> String {
        let conditions = self.conditions_on(|operands| operands.len() > 1);
        let (mut with, mut select, mut from) = (Vec::new(), Vec::new(), Vec::new());
        let mut on = String::from("1");
        for (index, operand) in self.operands.iter().enumerate() {
            let candidates = self.alone(starts, index, COMPARED_STATES);
            with.push(format!("c{index} AS MATERIALIZED ({candidates})"));
            select.push(format!("c{index}.state, c{index}.object"));
            from.push(format!("c{index}"));
            let views = self.views.iter().filter(|((of, _), _)| of == operand);
            for ((_, query), view) in views.filter(|(_, view)| uses(&conditions, view)) {
                from.push(format!("state_value {view}"));
                write!(on, " AND {view}.state = c{index}.state AND {view}.query = {query}")
                    .expect("writing to a string");
            }
        }
        // Joined in this order: a view is looked up once per candidate, not once per pair.
        let (with, select, from) = (with.join(", "), select.join(", "), from.join(" CROSS JOIN "));
        format!("WITH {with} SELECT {select} FROM {from} WHERE {on}{conditions} LIMIT {limit}")
    }

    /// Operands that relations bind: pairs of objects that were looked at together.
    fn by_relation(&self, starts: &Starts, limit: usize) -> String {
        let mut join = Join::default();
        let start = starts.related.as_ref();
        let mut left: Vec<_> = self.relations.iter().collect();
        while !left.is_empty() {
            // First the one to start with, then what is bound to something already.
            let is_next = |((_, a, b), alias): &(&(i64, u32, u32), &String)| match start {
                Some(start) if join.known.is_empty() => start.alias == **alias,
                _ => join.knows(*a) || join.knows(*b),
            };
            let at = left.iter().position(is_next).unwrap_or(0);
            let ((query, a, b), relation) = left.remove(at);
            join.relation(*query, [*a, *b], relation, start);
            join.views(self);
        }
        let select: Vec<String> =
            self.operands.iter().map(|operand| join.place(*operand)).collect();
        let steps: Vec<String> = self.relations.values().map(|r| format!("{r}.steps")).collect();
        let places: Vec<String> =
            self.relations.values().map(|r| format!("{r}.a, {r}.b")).collect();
        format!(
            "SELECT {} FROM {} WHERE {}{} ORDER BY {}, {} LIMIT {limit}",
            select.join(", "),
            join.from.join(" CROSS JOIN "),
            join.on,
            self.conditions_on(|_| true),
            steps.join(" + "),
            places.join(", ")
        )
    }
}

/// Relations and views, joined in order.
struct Join {
    from: Vec<String>,
    on: String,
    /// The columns of the state and the object of an operand.
    known: BTreeMap<u32, [String; 2]>,
    views: BTreeSet<String>,
}

impl Default for Join {
    fn default() -> Join {
        let (from, on) = (Vec::new(), String::from("1"));
        Join { from, on, known: BTreeMap::new(), views: BTreeSet::new() }
    }
}

impl Join {
    fn knows(&self, operand: u32) -> bool {
        self.known.contains_key(&operand)
    }

    /// The columns of an operand.
    fn place(&self, operand: u32) -> String {
        self.known.get(&operand).map_or_else(|| "NULL, NULL".to_owned(), |at| at.join(", "))
    }

    /// Adds the views of operands that are known.
    fn views(&mut self, component: &Component) {
        for ((operand, query), view) in &component.views {
            let Some([state, _]) = self.known.get(operand) else { continue };
            if self.views.insert(view.clone()) {
                self.from.push(format!("state_value {view}"));
                write!(self.on, " AND {view}.state = {state} AND {view}.query = {query}")
                    .expect("writing to a string");
            }
        }
    }

    /// Adds a relation. The one to start with goes by the states of one side.
    fn relation(
        &mut self,
        query: i64,
        operands: [u32; 2],
        relation: &str,
        start: Option<&Related>,
    ) {
        // Of known objects there are few relations, of a query there are many.
        let plus = if operands.iter().any(|operand| self.knows(*operand)) { "+" } else { "" };
        write!(self.on, " AND {plus}{relation}.query = {query}").expect("writing to a string");
        let mut how = String::new();
        if let Some(Related { side, states, .. }) = start.filter(|start| start.alias == relation) {
            write!(self.on, " AND {relation}.state_{} IN {}", side.column(), list(states))
                .expect("writing to a string");
            how = format!(" INDEXED BY {}", side.index());
        }
        for (operand, side) in operands.into_iter().zip([Side::A, Side::B]) {
            let column = side.column();
            let object = format!("{relation}.{column}");
            if let Some([_, known]) = self.known.get(&operand) {
                write!(self.on, " AND {object} = {known}").expect("writing to a string");
            } else {
                self.known.insert(operand, [format!("{relation}.state_{column}"), object]);
            }
        }
        self.from.push(format!("relation {relation}{how}"));
    }
}

/// The number of rows of a relation that have one side in these states, as far as they are few.
fn rows_in(
    connection: &Connection,
    query: i64,
    side: Side,
    states: &[i64],
) -> rusqlite::Result<usize> {
    let (index, column, states) = (side.index(), side.column(), list(states));
    let count = format!(
        "SELECT count(*) FROM (SELECT 1 FROM relation INDEXED BY {index}
         WHERE query = {query} AND state_{column} IN {states} LIMIT {FEW_ROWS})"
    );
    connection.query_row(&count, [], |row| row.get(0))
}

fn list(states: &[i64]) -> String {
    let states: Vec<String> = states.iter().map(ToString::to_string).collect();
    format!("({})", states.join(", "))
}

fn joined<'a>(conditions: impl Iterator<Item = &'a String>) -> String {
    conditions.fold(String::new(), |mut sql, condition| {
        write!(sql, " AND {condition}").expect("writing to a string");
        sql
    })
}

/// Tells if conditions mention an alias.
fn uses(conditions: &str, alias: &str) -> bool {
    conditions.contains(&format!("{alias}."))
}
