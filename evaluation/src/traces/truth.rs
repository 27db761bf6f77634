//! The truths that `gen.py` plants, and which of them are found.
//!
//! A truth counts as found when it is shown in these words. A bound is found when the bound shown
//! is not beyond the planted one and the planted one is within what is said to be unknown of the
//! end: from few samples nobody can know the last value exactly. The same goes for thresholds.

use serde_json::Value;

use super::measure::facts;

/// How many truths there are and how many were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) planted: usize,
    pub(super) found: usize,
}

/// Counts over all points of all blocks.
pub(super) fn found(report: &Value) -> Found {
    let mut total = Found::default();
    let points = report["points"].as_array().into_iter().flatten();
    for point in points {
        let name = point["name"].as_str().unwrap_or_default();
        let Some(number) = number(name) else { continue };
        let told: Vec<&Value> =
            facts(report).filter(|(at, _)| *at == name).map(|(_, fact)| fact).collect();
        for block in 0..blocks(&told) {
            for truth in planted(name, number, block) {
                total.planted += 1;
                total.found += usize::from(told.iter().any(|fact| truth.is(fact)));
            }
        }
    }
    total
}

/// The number in `bench.P07:::POINT` or `bench.m07():::ENTER`.
fn number(name: &str) -> Option<i64> {
    let rest = name.strip_prefix("bench.")?.strip_prefix(['P', 'm'])?;
    rest.get(..2)?.parse().ok()
}

/// Variables end with the number of their block.
fn blocks(told: &[&Value]) -> usize {
    let texts = told.iter().filter_map(|fact| fact["text"].as_str());
    let suffix = |text: &str| {
        let word = text.split([' ', ')']).next()?;
        word.rsplit_once('_')?.1.parse::<usize>().ok()
    };
    texts.filter_map(suffix).max().map_or(1, |last| last + 1)
}

/// A truth: words, or words before a constant that need not be hit exactly.
#[derive(Debug)]
enum Truth {
    Words(String),
    /// `x >= c` and all that is bounded from below.
    AtLeast(String, i64),
    /// `x <= c` and all that is bounded from above.
    AtMost(String, i64),
}

impl Truth {
    fn is(&self, fact: &Value) -> bool {
        let text = fact["text"].as_str().unwrap_or_default();
        let within = fact["within"].as_i64().unwrap_or(0);
        let constant = |words: &str| text.strip_prefix(words)?.parse::<i64>().ok();
        match self {
            Truth::Words(words) => text == words,
            Truth::AtLeast(words, c) => {
                constant(words).is_some_and(|seen| seen >= *c && seen - within <= *c)
            }
            Truth::AtMost(words, c) => {
                constant(words).is_some_and(|seen| seen <= *c && seen + within >= *c)
            }
        }
    }
}

fn planted(point: &str, p: i64, block: usize) -> Vec<Truth> {
    let name = |variable: &str| format!("{variable}_{block}");
    let [x0, x1, x2, x3, x4, x5, x6, x7] =
        ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"].map(name);
    let [b0, b1] = ["b0", "b1"].map(name);
    if point.ends_with(":::EXIT") {
        return vec![
            Truth::Words(format!("{x0} == old({x0}) + 1")),
            Truth::Words(format!("{b0} == !old({b0})")),
        ];
    }
    vec![
        Truth::Words(format!("{x1} == {x0}")),
        Truth::Words(format!("{x2} == {x0} + {}", 5 + p)),
        Truth::Words(format!("{x4} == 2 * {x0} + 3 * {x3} - 7")),
        Truth::Words(format!("{x5} in {{1, 4, 9}}")),
        Truth::Words(format!("{x6} == {}", 42 + p)),
        Truth::Words(format!("{x0} <= {x7}")),
        Truth::AtLeast(format!("{x0} >= "), 0),
        Truth::AtMost(format!("{x0} <= "), 999),
        Truth::AtLeast(format!("{x3} >= "), 0),
        Truth::AtMost(format!("{x3} <= "), 99),
        Truth::AtMost(format!("{x7} <= {x0} + "), 1000),
        Truth::AtLeast(format!("{b1} <=> {x3} >= "), 50),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_count_when_the_planted_end_is_within_what_is_unknown() {
        let truth = Truth::AtMost("x <= ".into(), 999);
        let check = |c: i64, within: i64, expected: bool| {
            let fact = json!({ "text": format!("x <= {c}"), "within": within });
            assert_eq!(truth.is(&fact), expected, "{c} {within}");
        };
        check(999, 0, true);
        check(990, 9, true);
        check(990, 8, false);
        check(1000, 50, false);
    }

    #[test]
    fn each_point_has_twelve_truths_and_each_end_of_a_call_two() {
        assert_eq!(planted("bench.P00:::POINT", 0, 0).len(), 12);
        assert_eq!(planted("bench.m00():::EXIT", 0, 0).len(), 2);
        assert_eq!(number("bench.m07():::ENTER"), Some(7));
        assert_eq!(number("DataStructures.StackAr:::OBJECT"), None);
    }
}
