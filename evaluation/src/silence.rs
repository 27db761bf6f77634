//! `cargo evaluation silence`: the fixtures in which nothing is wrong, over many seeds. Whatever is
//! reported is a false alarm, so there is nothing to weigh: one is too many.

use std::{fs, io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::{options::Options, product};

/// For the usage line.
pub(super) const USAGE: &str =
    "silence [--seeds 50] [--profile debug] [--only FIXTURE] [--program BINARY] [--json FILE]";

/// Calls of one run: a number, so that the result is the same on every machine.
const CALLS: &str = "2000";

/// Runs every fixture with every seed and prints what was reported, as it goes. Fails if anything was.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 50, USAGE)?;
    let root = crate::root();
    let program = options.find_program()?;
    let mut out = std::io::stdout();
    writeln!(out, "| fixture                    | seeds | reported |\n|---|--:|--:|")?;
    let (mut rows, mut total) = (Vec::new(), 0);
    for fixture in fixtures(root, &options.only)? {
        let mut reported = Vec::new();
        for seed in 0..options.seeds {
            let found = faults(&program, root, &fixture, (seed, &options))?;
            for fault in &found {
                writeln!(out, "  {fixture}, seed {seed}: {fault}")?;
            }
            reported.extend(found.into_iter().map(|fault| json!({"seed": seed, "fault": fault})));
        }
        total += reported.len();
        writeln!(out, "| {fixture:<26} | {:>5} | {:>8} |", options.seeds, reported.len())?;
        rows.push(json!({"fixture": fixture, "seeds": options.seeds, "reported": reported}));
        options.save(&json!({"calls": CALLS, "fixtures": rows}))?;
    }
    writeln!(out, "{total} reports; there should be none")?;
    Ok(if total == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The wanted fixtures, or all in which nothing is wrong.
fn fixtures(root: &Path, wanted: &[String]) -> anyhow::Result<Vec<String>> {
    let dir = root.join("fixtures");
    let entries = fs::read_dir(&dir).with_context(|| format!("cannot read `{}`", dir.display()))?;
    let found = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_right = |name: &String| name.ends_with("_fixed") || name == "correct_containers";
    let mut found: Vec<String> = found.collect();
    found.sort();
    if let Some(unknown) = wanted.iter().find(|name| !found.contains(name)) {
        bail!("there is no fixture `{unknown}` in `{}`", dir.display());
    }
    found.retain(|name| if wanted.is_empty() { is_right(name) } else { wanted.contains(name) });
    Ok(found)
}

/// What one run reports, a line each.
fn faults(
    program: &Path,
    root: &Path,
    fixture: &str,
    (seed, options): (u64, &Options),
) -> anyhow::Result<Vec<String>> {
    let dir = product::target(root).join("evaluation/silence");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let (seed, profile) = (seed.to_string(), options.profile.as_deref().unwrap_or("debug"));
    let args = ["--no-regressions", "--calls", CALLS, "--seed", &seed, "--profile", profile];
    let output = product::run(program, (&root.join("fixtures").join(fixture), &dir), &args)?;
    let done = matches!(output.status.code(), Some(0 | 2));
    let summary = fs::read(dir.join("gainsay/summary.json")).ok().filter(|_| done);
    let summary: Option<Value> = summary.and_then(|text| serde_json::from_slice(&text).ok());
    match summary.as_ref().and_then(|summary| summary.get("faults")?.as_array()) {
        Some(faults) => Ok(faults.iter().map(line).collect()),
        None => bail!("{fixture}: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

/// `Stack::push: panicked at ..`
fn line(fault: &Value) -> String {
    let text = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or("?");
    format!("{}: {}", text("operation"), text("message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixtures_in_which_nothing_is_wrong_are_found() {
        let found = fixtures(crate::root(), &[]).unwrap();
        assert!(found.contains(&"correct_containers".to_owned()), "{found:?}");
        assert!(found.contains(&"unseen_fixed".to_owned()), "{found:?}");
        assert!(!found.contains(&"unseen".to_owned()), "{found:?}");
        assert!(fixtures(crate::root(), &["nothing".to_owned()]).is_err());
    }

    #[test]
    fn a_fault_is_told_in_a_line() {
        let fault = json!({"operation": "Stack::push", "message": "breaks `eq`"});
        assert_eq!(line(&fault), "Stack::push: breaks `eq`");
    }
}
