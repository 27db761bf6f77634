//! `cargo xtask eval reach`: which share of a crate's public operations returns at least once,
//! crate by crate.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, bail};

use super::{
    crates, product,
    subject::{Product, Row},
    table,
};

/// For the usage line.
pub(super) const OPTIONS: &str =
    "[--crates FILE] [--time 10s] [--limit SECONDS] [--json FILE] [NAME@VERSION..]";

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    crates: Option<PathBuf>,
    named: Vec<String>,
    time: String,
    limit: Duration,
    json: Option<PathBuf>,
}

/// Tests one crate after the other and prints as it goes.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args)?;
    let root = crate::root();
    let specs = options.specs(root)?;
    let program = product::build(root)?;
    let product = Product { program: &program, time: &options.time, limit: options.limit };
    let dir = product::target(root).join("eval/reach");
    let mut out = std::io::stdout();
    out.write_all(table::HEAD.as_bytes())?;
    let mut rows: Vec<Row> = Vec::new();
    for spec in specs {
        let row = product.test(&spec, &dir.join(spec.replace('@', "-")))?;
        out.write_all(table::line(&row).as_bytes())?;
        rows.push(row);
        // What is there already can be read while the rest goes on.
        save(&options, &rows)?;
    }
    out.write_all(table::totals(&rows).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn save(options: &Options, rows: &[Row]) -> anyhow::Result<()> {
    let Some(path) = &options.json else { return Ok(()) };
    let text = serde_json::to_string_pretty(&table::json(rows, &options.time))?;
    fs::write(path, text + "\n").with_context(|| format!("cannot write `{}`", path.display()))
}

impl Options {
    fn parse(args: &[String]) -> anyhow::Result<Options> {
        let mut options = Options {
            crates: None,
            named: Vec::new(),
            time: "10s".to_owned(),
            limit: Duration::from_mins(15),
            json: None,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--crates" => options.crates = Some(value()?.into()),
                "--time" => options.time.clone_from(value()?),
                "--limit" => options.limit = Duration::from_secs(value()?.parse()?),
                "--json" => options.json = Some(value()?.into()),
                name if !name.starts_with('-') && name.contains('@') => {
                    options.named.push(name.to_owned());
                }
                other => bail!("`{other}`? usage: cargo xtask eval reach {OPTIONS}"),
            }
        }
        Ok(options)
    }

    fn specs(&self, root: &Path) -> anyhow::Result<Vec<String>> {
        if !self.named.is_empty() {
            return Ok(self.named.clone());
        }
        let default = || root.join("xtask/data/reach-18.txt");
        crates::read(&self.crates.clone().unwrap_or_else(default))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn options_are_read_and_mistakes_refused() {
        let options = parse("--crates list.txt --time 5s --json out.json").unwrap();
        assert_eq!(options.crates, Some("list.txt".into()));
        assert_eq!((options.time.as_str(), options.json), ("5s", Some("out.json".into())));
        assert_eq!(parse("a@1 b@2").unwrap().named, ["a@1", "b@2"]);
        for wrong in ["--crates", "--dance", "slab", "--limit soon"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_default_are_the_crates_of_the_first_table() {
        assert_eq!(parse("").unwrap().specs(crate::root()).unwrap().len(), 18);
    }
}
