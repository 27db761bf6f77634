//! `cargo evaluation traces`: what is found in the traces that Daikon was measured on, at which
//! cost, beside Daikon's figures.

mod daikon;
mod make;
mod measure;
pub(super) mod noise;
mod truth;

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::Context as _;
use serde_json::{Value, json};

use self::{
    make::{Maker, Trace},
    measure::Measured,
    truth::Found,
};
use super::product;

/// For the usage line.
pub(super) const USAGE: &str = "traces --traces DIR [--json FILE] [TRACE..]";

/// What Daikon 5.8.25 took for the same text file: least and most CPU seconds, peak memory in MB
/// and lines printed.
const DAIKON: [(&str, f64, f64, u32, u32); 7] = [
    ("a_point", 24.3, 35.4, 2433, 260),
    ("a_call", 26.5, 31.9, 1292, 444),
    ("b_wide", 11.8, 16.5, 725, 641),
    ("c_stackar", 4.2, 4.5, 155, 261),
    ("c_queuear", 7.2, 7.8, 273, 464),
    ("d_dense20", 20.7, 23.1, 1271, 5028),
    ("d_dense60", 221.0, 221.0, 2800, 137_884),
];

const HEAD: &str = "\
| trace      | CPU s | Daikon      | ratio | peak MB | Daikon | lines |  Daikon | truths found |\n\
|------------|------:|------------:|------:|--------:|-------:|------:|--------:|-------------:|\n";

/// Makes the traces, measures and prints.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = make::Options::parse(args, USAGE)?;
    let root = crate::root();
    let program = product::build_reader(root)?;
    let maker = Maker::new(&options.traces, &product::target(root).join("evaluation/traces"))?;
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut rows = Vec::new();
    for figures in DAIKON.iter().filter(|(name, ..)| options.wants(name)) {
        let trace = maker.standard(figures.0)?;
        let measured = measure::infer(&program, &trace, measure::Extent::Shown)?;
        let found = truth::found(&measured.report);
        out.write_all(line(figures, &measured, &found).as_bytes())?;
        rows.push(json_of(figures, &measured, &found));
        options.save(&Value::Array(rows.clone()))?;
    }
    for name in ["c_stackar", "c_queuear"] {
        if options.wants(name) {
            compare(&program, &maker.standard(name)?, &mut out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What Daikon says by default, and what becomes of it here.
fn compare(program: &Path, trace: &Trace, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let measured = measure::infer(program, trace, measure::Extent::All)?;
    let samples = daikon::samples(&trace.dtrace)
        .with_context(|| format!("cannot read `{}`", trace.dtrace.display()))?;
    let comparison = daikon::compare(&samples, &measured.report);
    out.write_all(comparison.text(&trace.name).as_bytes())?;
    Ok(())
}

type Figures = (&'static str, f64, f64, u32, u32);

fn line(figures: &Figures, measured: &Measured, found: &Found) -> String {
    let (name, least, most, memory, lines) = figures;
    let daikon = format!("{least}-{most}");
    let truths = match found.planted {
        0 => "-".to_owned(),
        planted => format!("{} of {planted}", found.found),
    };
    format!(
        "| {name:<10} | {:>5.2} | {daikon:>11} | {:>5.0} | {:>7} | {memory:>6} | {:>5} | {lines:>7} | {truths:>12} |\n",
        measured.cpu_seconds,
        least / measured.cpu_seconds.max(0.001),
        measured.peak_mb,
        measured.lines(),
    )
}

fn json_of(figures: &Figures, measured: &Measured, found: &Found) -> Value {
    json!({
        "trace": figures.0,
        "cpu_seconds": measured.cpu_seconds,
        "peak_mb": measured.peak_mb,
        "lines": measured.lines(),
        "truths_planted": found.planted,
        "truths_found": found.found,
        "daikon_cpu_seconds": [figures.1, figures.2],
    })
}
