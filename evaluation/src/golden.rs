//! `cargo evaluation golden`: a golden record of faults, operations and verdicts, crate by crate. A
//! change that only moves code leaves it byte for byte; one that changes what is drawn is compared
//! over several seeds. Without `--check` or `--against` the record is written.

mod arguments;
mod differences;
mod fresh_run;
mod identities;
mod origin;
mod record;
mod run_file;
mod seeds;

use std::{fs, io::Write as _, process::ExitCode};

use anyhow::Context as _;

use self::{
    arguments::{Arguments, Task},
    differences::{difference_table, differences},
    identities::Identities,
    origin::Origin,
    seeds::{SeedTally, compare_seeds},
};
use crate::product;

/// For the usage line.
pub(crate) const USAGE: &str = "golden [--check | --against BINARY|DIR] [--seeds 7] \
    [--calls 200000] [--program BINARY] [--from DIR] [--records DIR] [--crates FILE] \
    [NAME@VERSION..]";

/// Writes, checks or compares, as the arguments say.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse(args)?;
    let identities = Identities::read(&arguments.directory.join("identities.txt"))?;
    let origin = match (&arguments.run_files, &arguments.program) {
        (Some(dir), _) => Origin::RunFiles(dir.clone()),
        (None, Some(program)) => Origin::Program(program.clone()),
        (None, None) => Origin::Program(product::build(crate::root())?),
    };
    match &arguments.task {
        Task::Write => write_records(&arguments, &origin),
        Task::Check => check_records(&arguments, &origin, &identities),
        Task::Against(path) => {
            compare_origins(&arguments, &[Origin::at(path), origin], &identities)
        }
    }
}

fn write_records(arguments: &Arguments, origin: &Origin) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let dir = &arguments.records;
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    for sample in arguments.samples() {
        let record = origin.load(&sample)?;
        let path = sample.record_path(dir);
        fs::write(&path, record.to_text())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        writeln!(out, "{sample}: {}", record.summary())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if a run differs from its record in any line.
fn check_records(
    arguments: &Arguments,
    origin: &Origin,
    identities: &Identities,
) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let mut differing = 0;
    let recorded = Origin::Records(arguments.records.clone());
    for sample in arguments.samples() {
        let before = identities.renew(recorded.load(&sample)?, &sample.spec);
        let after = origin.load(&sample)?;
        let found = differences(&before, &after);
        if found.is_empty() {
            writeln!(out, "{sample}: as recorded ({})", after.summary())?;
        } else {
            differing += 1;
            writeln!(
                out,
                "{sample}: {} lines differ\n\n{}",
                found.len(),
                difference_table(&found)
            )?;
        }
    }
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Fails if something that was seen with most seeds before is seen with too few after.
fn compare_origins(
    arguments: &Arguments,
    [before, after]: &[Origin; 2],
    identities: &Identities,
) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let mut total = SeedTally::default();
    writeln!(out, "{}", seeds::HEAD)?;
    for spec in &arguments.specs {
        let samples = arguments.samples().filter(|sample| sample.spec == *spec);
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for sample in samples {
            old.push(identities.renew(before.load(&sample)?, spec));
            new.push(after.load(&sample)?);
        }
        let compared = compare_seeds(&old, &new);
        out.write_all(compared.table_lines(spec).as_bytes())?;
        total.add(compared);
    }
    writeln!(out, "\n{}", total.sentence())?;
    Ok(if total.exceptions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kept_record_is_of_a_listed_crate_and_in_canonical_form() {
        let arguments = Arguments::parse(&["--check".to_owned()]).unwrap();
        let recorded = Origin::Records(arguments.records.clone());
        let listed: Vec<_> = arguments
            .samples()
            .map(|sample| (sample.record_path(&arguments.records), sample))
            .collect();
        for entry in fs::read_dir(&arguments.records).unwrap() {
            let path = entry.unwrap().path();
            let found = listed.iter().find(|(listed, _)| *listed == path);
            let (_, sample) = found.unwrap_or_else(|| panic!("{} is not listed", path.display()));
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(recorded.load(sample).unwrap().to_text(), text, "{sample}");
        }
    }
}
