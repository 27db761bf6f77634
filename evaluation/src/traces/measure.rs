//! One run of the reader on a trace, with what it cost.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::make::Trace;

/// What a run gave and cost.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) report: Value,
    /// User and system time; measured every few milliseconds, so a little less than the truth.
    pub(super) cpu_seconds: f64,
    pub(super) peak_mb: u64,
}

/// Which facts are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Shown,
    All,
}

/// Runs the reader on a trace.
pub(super) fn infer(program: &Path, trace: &Trace, extent: Extent) -> anyhow::Result<Measured> {
    let mut command = Command::new(program);
    command.args(["--format", "json", "--dtrace"]).arg(&trace.dtrace);
    if let Some(decls) = &trace.decls {
        command.arg("--decls").arg(decls);
    }
    if extent == Extent::All {
        command.arg("--all");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    let id = child.id();
    let watch = thread::spawn(move || watch(id));
    let output = read_all(&mut child)?;
    let status = child.wait()?;
    let (cpu_seconds, peak_mb) = watch.join().unwrap_or_default();
    if !status.success() {
        bail!("{}: {}", trace.name, output.1.trim());
    }
    let report = serde_json::from_str(&output.0).context("the reader's JSON")?;
    Ok(Measured { report, cpu_seconds, peak_mb })
}

/// Reads both streams to their ends; errors are short, so one after the other does.
fn read_all(child: &mut std::process::Child) -> anyhow::Result<(String, String)> {
    use std::io::Read as _;
    let (mut out, mut err) = (String::new(), String::new());
    if let Some(stream) = &mut child.stdout {
        stream.read_to_string(&mut out)?;
    }
    if let Some(stream) = &mut child.stderr {
        stream.read_to_string(&mut err)?;
    }
    Ok((out, err))
}

/// Looks at a process until it ends: CPU seconds and peak memory in MB.
fn watch(id: u32) -> (f64, u64) {
    let mut last = (0.0, 0);
    while let Some((cpu, memory)) = look(id) {
        last = (cpu, last.1.max(memory));
        thread::sleep(Duration::from_millis(3));
    }
    last
}

fn look(id: u32) -> Option<(f64, u64)> {
    // A hundredth of a second on every Linux.
    const TICK: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // State is the first field here; user and system time are the 12th and 13th.
    if fields.first() == Some(&"Z") {
        return None;
    }
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Some((ticks / TICK, kilobytes.unwrap_or(0) / 1024))
}

impl Measured {
    /// How many facts are shown.
    pub(super) fn lines(&self) -> usize {
        facts(&self.report).filter(|(_, fact)| fact["fate"] == "shown").count()
    }
}

/// All facts with the name of their point.
pub(super) fn facts(report: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let points = report["points"].as_array().into_iter().flatten();
    points.flat_map(|point| {
        let name = point["name"].as_str().unwrap_or_default();
        point["facts"].as_array().into_iter().flatten().map(move |fact| (name, fact))
    })
}
