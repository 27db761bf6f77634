//! `cargo evaluation noise`: relations that are reported where nothing is true, and beside them
//! the share of truths found where there are some, at the same numbers of samples.

use std::{io::Write as _, path::Path, process::ExitCode};

use super::{
    make::{Maker, Options},
    measure::{self, Extent, facts},
    truth,
};
use crate::product;

/// For the usage line.
pub(crate) const USAGE: &str = "noise --traces DIR [--seeds 50]";

const SAMPLES: [u32; 6] = [7, 30, 100, 300, 1000, 5000];

const HEAD: &str = "\
| samples | runs without a relation on noise | truths found, points | truths found, calls |\n\
|--------:|---------------------------------:|---------------------:|--------------------:|\n";

/// Runs all sizes with all seeds.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, USAGE)?;
    let root = crate::root();
    let program = product::build_reader(root)?;
    let maker = Maker::new(&options.traces, &product::target(root).join("evaluation/noise"))?;
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut said = Vec::new();
    for samples in SAMPLES {
        let mut clean = 0;
        let mut truths = [(0, 0); 2];
        for seed in 1..=options.seeds {
            let relations = on_noise(&program, &maker, samples, seed)?;
            clean += u64::from(relations.is_empty());
            said.extend(relations.into_iter().map(|text| format!("{samples} samples: {text}")));
            for (mode, total) in ["point", "call"].into_iter().zip(&mut truths) {
                let found = on_truth(&program, &maker, (mode, samples), seed)?;
                *total = (total.0 + found.found, total.1 + found.planted);
            }
        }
        let share = |(found, planted): (usize, usize)| 100.0 * found as f64 / planted.max(1) as f64;
        let clean = 100.0 * clean as f64 / options.seeds as f64;
        let [points, calls] = truths.map(share);
        writeln!(out, "| {samples:>7} | {clean:>30.1} % | {points:>18.2} % | {calls:>17.2} % |")?;
    }
    for text in said {
        writeln!(out, "false: {text}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Relations on noise. Ranges are true there, and so is that something is not zero if it is not.
fn on_noise(program: &Path, maker: &Maker, samples: u32, seed: u64) -> anyhow::Result<Vec<String>> {
    maker.run(&["noise.py", "20", "5", &samples.to_string(), "noise", &seed.to_string()])?;
    let measured = measure::infer(program, &maker.made("noise"), Extent::Shown)?;
    let relations = facts(&measured.report)
        .filter(|(_, fact)| fact["family"] != "bound" && fact["family"] != "not zero");
    Ok(relations.map(|(_, fact)| fact["text"].as_str().unwrap_or_default().to_owned()).collect())
}

fn on_truth(
    program: &Path,
    maker: &Maker,
    (mode, samples): (&str, u32),
    seed: u64,
) -> anyhow::Result<truth::Found> {
    let words = ["gen.py", mode, "4", "1", &samples.to_string(), "truth", &seed.to_string()];
    maker.run(&words)?;
    let measured = measure::infer(program, &maker.made("truth"), Extent::Shown)?;
    Ok(truth::found(&measured.report))
}
