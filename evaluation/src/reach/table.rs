//! The figures of reach as lines for people and as JSON.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use crate::product::timed_run::{Reach, Row};

/// The first two lines, as Markdown has them: the table goes into a page as it is.
pub(super) const HEAD: &str = "\
| crate                        | public | unsafe | harnessed | called | returned |     % | first call, s | exit |\n\
|------------------------------|-------:|-------:|----------:|-------:|---------:|------:|--------------:|-----:|\n";

/// One crate.
pub(super) fn line(row: &Row) -> String {
    let exit = row.exit.map_or_else(|| "-".to_owned(), |code| code.to_string());
    match &row.reach {
        Ok(reach) => format!(
            "| {:<28} | {:>6} | {:>6} | {:>9} | {:>6} | {:>8} | {:>5.1} | {:>13.1} | {exit:>4} |\n",
            row.spec,
            reach.public,
            reach.r#unsafe,
            reach.harnessed,
            reach.called,
            reach.returned,
            row.percent(),
            reach.first_call,
        ),
        Err(why) => format!("| {:<28} | failed: {why} | {exit:>4} |\n", row.spec),
    }
}

/// All crates together: sums, shares, losses.
pub(super) fn totals(rows: &[Row]) -> String {
    let sum = sum(rows);
    let mut text = format!(
        "\n{} of {} public operations returned: {:.1} % in total, median {:.1} %, minimum {:.1} % \
         ({} crates, {} failed and not in the total)\n",
        sum.returned,
        sum.public,
        share(&sum),
        median(rows),
        minimum(rows),
        rows.len(),
        rows.iter().filter(|row| row.reach.is_err()).count(),
    );
    text.push_str("\nLosses by reason:\n");
    let mut losses: Vec<(String, u64)> = losses(rows).into_iter().collect();
    losses.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    for (reason, count) in losses {
        writeln!(text, "{count:>7}  {reason}").expect("writing to a string");
    }
    text
}

/// The same for programs.
pub(super) fn json(rows: &[Row], time: &str) -> Value {
    let sum = sum(rows);
    json!({
        "time": time,
        "crates": rows.iter().map(json_row).collect::<Vec<_>>(),
        "total": {
            "public": sum.public, "unsafe": sum.r#unsafe, "harnessed": sum.harnessed,
            "called": sum.called, "returned": sum.returned, "percent": share(&sum),
            "median_percent": median(rows), "minimum_percent": minimum(rows),
            "losses": losses(rows),
        },
    })
}

fn json_row(row: &Row) -> Value {
    let mut value = json!({
        "crate": row.spec, "exit": row.exit, "seconds": row.seconds, "percent": row.percent(),
    });
    match &row.reach {
        Err(why) => value["error"] = json!(why),
        Ok(reach) => {
            value["public"] = json!(reach.public);
            value["unsafe"] = json!(reach.r#unsafe);
            value["harnessed"] = json!(reach.harnessed);
            value["called"] = json!(reach.called);
            value["returned"] = json!(reach.returned);
            value["first_call_seconds"] = json!(reach.first_call);
            let losses = reach.losses.iter().map(
                |loss| json!({"path": loss.path, "reason": loss.reason, "detail": loss.detail}),
            );
            value["losses"] = losses.collect();
        }
    }
    value
}

/// A crate that failed has no numbers to add; the median and the minimum tell of it.
fn sum(rows: &[Row]) -> Reach {
    let mut sum = Reach::default();
    for reach in rows.iter().filter_map(|row| row.reach.as_ref().ok()) {
        sum.public += reach.public;
        sum.r#unsafe += reach.r#unsafe;
        sum.harnessed += reach.harnessed;
        sum.called += reach.called;
        sum.returned += reach.returned;
    }
    sum
}

fn share(sum: &Reach) -> f64 {
    if sum.public == 0 { 0.0 } else { 100.0 * sum.returned as f64 / sum.public as f64 }
}

fn median(rows: &[Row]) -> f64 {
    let mut shares: Vec<f64> = rows.iter().map(Row::percent).collect();
    shares.sort_by(f64::total_cmp);
    let middle = shares.len() / 2;
    match shares.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => shares[middle],
        _ => f64::midpoint(shares[middle - 1], shares[middle]),
    }
}

fn minimum(rows: &[Row]) -> f64 {
    rows.iter().map(Row::percent).min_by(f64::total_cmp).unwrap_or(0.0)
}

fn losses(rows: &[Row]) -> BTreeMap<String, u64> {
    let mut losses = BTreeMap::new();
    for reach in rows.iter().filter_map(|row| row.reach.as_ref().ok()) {
        for (reason, count) in reach.reasons() {
            *losses.entry(reason.to_owned()).or_insert(0) += count;
        }
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::timed_run::Loss;

    fn row(spec: &str, public: u64, returned: u64) -> Row {
        let loss = Loss { path: "f".into(), reason: "no-origin".into(), detail: String::new() };
        let losses = vec![loss; usize::try_from(public - returned).unwrap()];
        let reach = Reach { public, returned, losses, ..Reach::default() };
        Row { spec: spec.into(), exit: Some(0), seconds: 1.0, reach: Ok(reach) }
    }

    fn failed() -> Row {
        Row { spec: "c@1".into(), exit: Some(3), seconds: 1.0, reach: Err("no".into()) }
    }

    #[test]
    fn a_crate_that_failed_is_a_line_and_counts_as_nothing_in_the_median() {
        let rows = [row("a@1", 10, 9), row("b@1", 10, 5), failed()];
        assert!(line(&rows[2]).contains("failed: no"));
        let text = totals(&rows);
        let words =
            "14 of 20 public operations returned: 70.0 % in total, median 50.0 %, minimum 0.0 %";
        assert!(text.contains(words), "{text}");
        assert!(text.contains("3 crates, 1 failed and not in the total"), "{text}");
        assert!(text.contains("      6  no-origin"), "{text}");
        let json = json(&rows, "10s");
        assert_eq!(json["crates"][2]["error"], "no");
        assert_eq!(json["total"]["losses"]["no-origin"], 6);
    }

    #[test]
    fn the_median_of_two_lies_between_them() {
        assert!((median(&[row("a@1", 10, 9), row("b@1", 10, 5)]) - 70.0).abs() < 1e-9);
        assert!(median(&[]).abs() < 1e-9);
    }

    #[test]
    fn lines_are_as_wide_as_the_head() {
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line(&row("a@1", 1, 1)).trim_end().len(); 2]);
    }
}
