//! Daikon's default templates, tried one by one with its rules of confidence.

use std::{collections::BTreeSet, fmt};

use super::read::{Table, V};

/// A fact in the words of the product. Terms are names; none stands for zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    Same(String, String),
    OneOf(String, Vec<String>),
    OneOfArrays(String),
    /// `x - y <= c`
    Diff(Option<String>, Option<String>, i64),
    Ne(String, String),
    NonZero(String),
    Divides(String, String),
    /// The sum of these and the constant is zero.
    Linear(Vec<(String, i64)>, i64),
    /// `b` is true exactly where `x - y` is at least, or at most, the constant.
    Threshold(String, Vec<(String, i64)>, bool, i64),
    TextLe(String, bool, String),
    ElementsOneOf(String, Vec<String>),
    ElementsNonZero(String),
    ElementsAre(String, String),
    Member(String, String),
    ArrayLe(String, bool, String),
    Reversed(String, String),
}

impl Claim {
    /// The name of the template.
    pub(super) fn template(&self) -> &'static str {
        match self {
            Claim::Same(..) => "equality",
            Claim::OneOf(..) | Claim::OneOfArrays(_) => "one of",
            Claim::Diff(Some(_), Some(_), _) => "order",
            Claim::Diff(..) => "bound from -1 to 2",
            Claim::Ne(..) => "inequality",
            Claim::NonZero(_) => "not zero",
            Claim::Divides(..) => "divides, square",
            Claim::Linear(terms, _) if terms.len() == 2 => "linear binary",
            Claim::Linear(..) => "linear ternary",
            Claim::Threshold(..) => "threshold",
            Claim::TextLe(..) => "order of texts",
            Claim::ElementsOneOf(..) => "elements one of",
            Claim::ElementsNonZero(_) => "elements not zero",
            Claim::ElementsAre(..) => "elements and scalar",
            Claim::Member(..) => "member",
            Claim::ArrayLe(..) => "lexical order",
            Claim::Reversed(..) => "reverse",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// How a value is shown.
pub(super) fn shown(value: &V) -> String {
    match value {
        V::Int(value) => value.to_string(),
        V::Hash(_) => "object".into(),
        V::Text(text) => text.clone(),
        V::Bool(value) => value.to_string(),
        V::Null | V::Missing | V::List(_) => "null".into(),
    }
}

/// Everything that Daikon may say of a table, with the number of samples.
pub(super) fn claims(table: &Table) -> Vec<(Claim, usize)> {
    let mut found = Vec::new();
    let live: Vec<usize> =
        (0..table.terms.len()).filter(|term| !table.columns([*term]).is_empty()).collect();
    for x in &live {
        single(table, *x, &mut found);
    }
    for (i, x) in live.iter().enumerate() {
        for y in &live[i + 1..] {
            match (table.kinds[*x].strip_suffix("[]"), table.kinds[*y].strip_suffix("[]")) {
                (None, None) if table.kinds[*x] == table.kinds[*y] => {
                    pair(table, *x, *y, &mut found);
                }
                (Some(of), None) if of == table.kinds[*y] => member(table, *y, *x, &mut found),
                (None, Some(of)) if of == table.kinds[*x] => member(table, *x, *y, &mut found),
                (Some(a), Some(b)) if a == b => arrays(table, *x, *y, &mut found),
                _ => {}
            }
        }
    }
    planes(table, &live, &mut found);
    found
}

type Found = Vec<(Claim, usize)>;

fn single(table: &Table, x: usize, found: &mut Found) {
    let name = || table.terms[x].clone();
    let column: Vec<&V> = table.columns([x]).into_iter().map(|[value]| value).collect();
    let rows = column.len();
    let values: BTreeSet<&V> = column.iter().copied().collect();
    let kind = table.kinds[x].as_str();
    if kind.ends_with("[]") {
        return elements(table, x, &column, found);
    }
    let most = if matches!(kind, "hashcode" | "boolean") { 1 } else { 3 };
    if values.len() <= most {
        found.push((Claim::OneOf(name(), values.iter().map(|value| shown(value)).collect()), rows));
    }
    let is_pointer = matches!(kind, "hashcode" | "String");
    if is_pointer && !values.contains(&V::Null) && rows >= 12 {
        found.push((Claim::NonZero(name()), rows));
    }
    if kind == "int" && values.len() > 1 {
        let ints: Vec<i64> = column.iter().map(|value| int(value)).collect();
        let (low, high) = (ints.iter().min().copied(), ints.iter().max().copied());
        let (low, high) = (low.unwrap_or(0), high.unwrap_or(0));
        let hits = |extreme: i64| ints.iter().filter(|value| **value == extreme).count();
        if (-1..=2).contains(&low) && hits(low) >= 3 {
            found.push((Claim::Diff(None, Some(name()), -low), rows));
        }
        if (-1..=2).contains(&high) && hits(high) >= 3 {
            found.push((Claim::Diff(Some(name()), None, high), rows));
        }
        let range = (high - low + 1).min(50) as f64;
        let sure = 1.0 - (1.0 - 1.0 / range).powf(rows as f64) >= 0.99;
        if low < 0 && high > 0 && !ints.contains(&0) && sure {
            found.push((Claim::NonZero(name()), rows));
        }
    }
}

fn int(value: &V) -> i64 {
    if let V::Int(value) = value { *value } else { 0 }
}

fn list(value: &V) -> &[V] {
    if let V::List(items) = value { items } else { &[] }
}

fn elements(table: &Table, x: usize, column: &[&V], found: &mut Found) {
    let name = || table.terms[x].clone();
    let items: Vec<&V> = column.iter().flat_map(|value| list(value)).collect();
    let kind = table.kinds[x].as_str();
    let arrays: BTreeSet<&[V]> = column.iter().map(|value| list(value)).collect();
    let is_empty_of_objects = kind != "hashcode[]" || items.iter().all(|item| **item == V::Null);
    if arrays.len() <= if kind == "String[]" { 2 } else { 3 } && is_empty_of_objects {
        found.push((Claim::OneOfArrays(name()), column.len()));
    }
    if items.is_empty() {
        return;
    }
    let values: BTreeSet<&V> = items.iter().copied().collect();
    let most = if kind == "hashcode[]" { 1 } else { 3 };
    if values.len() <= most && is_empty_of_objects {
        let values = values.iter().map(|value| shown(value)).collect();
        found.push((Claim::ElementsOneOf(name(), values), column.len()));
    }
    if !values.contains(&V::Null) && items.len() >= 12 {
        found.push((Claim::ElementsNonZero(name()), column.len()));
    }
}

fn pair(table: &Table, x: usize, y: usize, found: &mut Found) {
    let (a, b) = (|| table.terms[x].clone(), || table.terms[y].clone());
    let rows = table.columns([x, y]);
    let all = |fits: &dyn Fn(&V, &V) -> bool| rows.iter().all(|[x, y]| fits(x, y));
    if rows.is_empty() {
        return;
    }
    if all(&|x, y| x == y) {
        found.push((Claim::Same(a(), b()), rows.len()));
        return;
    }
    let kind = table.kinds[x].as_str();
    if rows.len() >= 7 && matches!(kind, "int" | "String") {
        let claim = |x: String, y: String, strict: bool| match kind {
            "int" => Claim::Diff(Some(x), Some(y), -i64::from(strict)),
            _ => Claim::TextLe(x, strict, y),
        };
        if all(&|x, y| x < y) {
            found.push((claim(a(), b(), true), rows.len()));
        } else if all(&|x, y| x > y) {
            found.push((claim(b(), a(), true), rows.len()));
        } else if all(&|x, y| x <= y) {
            found.push((claim(a(), b(), false), rows.len()));
        } else if all(&|x, y| x >= y) {
            found.push((claim(b(), a(), false), rows.len()));
        } else if all(&|x, y| x != y) {
            found.push((Claim::Ne(a(), b()), rows.len()));
        }
    }
    if kind == "int" {
        numeric(table, (x, y), &rows, found);
    }
}

fn numeric(table: &Table, (x, y): (usize, usize), rows: &[[&V; 2]], found: &mut Found) {
    let (a, b) = (|| table.terms[x].clone(), || table.terms[y].clone());
    let ints: Vec<(i64, i64)> = rows.iter().map(|[x, y]| (int(x), int(y))).collect();
    let distinct: BTreeSet<(i64, i64)> = ints.iter().copied().collect();
    let divides = |(x, y): &(i64, i64)| *y != 0 && x % y == 0;
    if distinct.len() >= 5 && ints.iter().all(divides) {
        found.push((Claim::Divides(a(), b()), rows.len()));
    }
    if distinct.len() >= 5 && ints.iter().all(|(x, y)| divides(&(*y, *x))) {
        found.push((Claim::Divides(b(), a()), rows.len()));
    }
    if distinct.len() < 4 {
        return;
    }
    let mut points = distinct.iter();
    let (Some((x0, y0)), Some((x1, y1))) = (points.next(), points.next_back()) else { return };
    let (run, rise) = (x1 - x0, y1 - y0);
    let on_line = |(x, y): &(i64, i64)| (y - y0) * run == rise * (x - x0);
    if run != 0 && rise != 0 && distinct.iter().all(on_line) {
        // rise * x - run * y + (run * y0 - rise * x0) == 0
        let terms = vec![(a(), rise), (b(), -run)];
        found.push((Claim::Linear(terms, run * y0 - rise * x0), rows.len()));
    }
}

fn member(table: &Table, x: usize, array: usize, found: &mut Found) {
    let (value, of) = (|| table.terms[x].clone(), || table.terms[array].clone());
    let rows = table.columns([x, array]);
    if rows.is_empty() {
        return;
    }
    if rows.iter().all(|[x, array]| list(array).contains(x)) {
        found.push((Claim::Member(value(), of()), rows.len()));
    }
    let some = rows.iter().any(|[_, array]| !list(array).is_empty());
    if some && rows.iter().all(|[x, array]| list(array).iter().all(|item| item == *x)) {
        found.push((Claim::ElementsAre(of(), value()), rows.len()));
    }
}

fn arrays(table: &Table, x: usize, y: usize, found: &mut Found) {
    let (a, b) = (|| table.terms[x].clone(), || table.terms[y].clone());
    let rows = table.columns([x, y]);
    let all = |fits: &dyn Fn(&[V], &[V]) -> bool| rows.iter().all(|[x, y]| fits(list(x), list(y)));
    if rows.is_empty() {
        return;
    }
    if all(&|x, y| x.len() == y.len() && x.iter().eq(y.iter().rev())) {
        found.push((Claim::Reversed(a(), b()), rows.len()));
    }
    if all(&|x, y| x == y) {
        found.push((Claim::Same(a(), b()), rows.len()));
        return;
    }
    let distinct: BTreeSet<&[&V; 2]> = rows.iter().collect();
    if table.kinds[x] == "String[]" && distinct.len() >= 7 {
        if all(&|x, y| x < y) {
            found.push((Claim::ArrayLe(a(), true, b()), rows.len()));
        } else if all(&|x, y| x > y) {
            found.push((Claim::ArrayLe(b(), true, a()), rows.len()));
        } else if all(&|x, y| x <= y) {
            found.push((Claim::ArrayLe(a(), false, b()), rows.len()));
        } else if all(&|x, y| x >= y) {
            found.push((Claim::ArrayLe(b(), false, a()), rows.len()));
        }
    }
}

/// Planes through three points that all others lie on, with no coefficient zero.
fn planes(table: &Table, live: &[usize], found: &mut Found) {
    let ints: Vec<usize> =
        live.iter().copied().filter(|term| table.kinds[*term] == "int").collect();
    for (i, x) in ints.iter().enumerate() {
        for (j, y) in ints.iter().enumerate().skip(i + 1) {
            for z in &ints[j + 1..] {
                let rows = table.columns([*x, *y, *z]);
                let points: BTreeSet<[i128; 3]> =
                    rows.iter().map(|row| row.map(|value| i128::from(int(value)))).collect();
                let names = [x, y, z].map(|term| table.terms[*term].clone());
                found.extend(plane(&points, names).map(|claim| (claim, rows.len())));
            }
        }
    }
}

fn plane(points: &BTreeSet<[i128; 3]>, names: [String; 3]) -> Option<Claim> {
    if points.len() < 5 {
        return None;
    }
    let points: Vec<[i128; 3]> = points.iter().copied().collect();
    let minus = |a: [i128; 3], b: [i128; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let u = minus(points[points.len() - 1], points[0]);
    let cross = |v: [i128; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let normal =
        points.iter().map(|point| cross(minus(*point, points[0]))).find(|n| *n != [0; 3])?;
    let dot = |p: &[i128; 3]| normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2];
    let constant = dot(&points[0]);
    if normal.contains(&0) || points.iter().any(|point| dot(point) != constant) {
        return None;
    }
    let by = normal.map(|by| i64::try_from(by).unwrap_or(0));
    let terms = names.into_iter().zip(by).collect();
    Some(Claim::Linear(terms, -i64::try_from(constant).ok()?))
}
