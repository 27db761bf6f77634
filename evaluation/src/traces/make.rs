//! Traces made by the scripts of a directory that the user names; recorded ones lie there.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// A trace with its declarations, if they have a file of their own.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) name: String,
    pub(super) dtrace: PathBuf,
    pub(super) decls: Option<PathBuf>,
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) traces: PathBuf,
    pub(super) seeds: u64,
    json: Option<PathBuf>,
    named: Vec<String>,
}

impl Options {
    pub(super) fn parse(args: &[String], usage: &str) -> anyhow::Result<Options> {
        let (mut traces, mut json, mut named, mut seeds) = (None, None, Vec::new(), 50);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--traces" => traces = Some(PathBuf::from(value()?)),
                "--json" => json = Some(PathBuf::from(value()?)),
                "--seeds" if usage.contains("--seeds") => seeds = value()?.parse()?,
                name if !name.starts_with('-') && usage.contains("TRACE") => {
                    named.push(name.to_owned());
                }
                other => bail!("`{other}`? usage: cargo evaluation {usage}"),
            }
        }
        let Some(traces) = traces else {
            bail!("the directory of the scripts is missing; usage: cargo evaluation {usage}")
        };
        Ok(Options { traces, seeds, json, named })
    }

    /// Whether a trace is asked for.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.named.is_empty() || self.named.iter().any(|named| named == name)
    }

    /// Writes the figures where they are wanted.
    pub(super) fn save(&self, value: &Value) -> anyhow::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(value)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// Makes traces.
pub(super) struct Maker {
    scripts: PathBuf,
    out: PathBuf,
}

impl Maker {
    pub(super) fn new(scripts: &Path, out: &Path) -> anyhow::Result<Maker> {
        let scripts = fs::canonicalize(scripts)
            .with_context(|| format!("cannot find `{}`", scripts.display()))?;
        fs::create_dir_all(out).with_context(|| format!("cannot make `{}`", out.display()))?;
        Ok(Maker { scripts, out: out.to_owned() })
    }

    /// One of the traces of the table; made once.
    pub(super) fn standard(&self, name: &str) -> anyhow::Result<Trace> {
        let words: &[&str] = match name {
            "a_point" => &["gen.py", "point", "20", "1", "100000", name],
            "a_call" => &["gen.py", "call", "20", "1", "100000", name],
            "b_wide" => &["gen.py", "point", "4", "6", "20000", name],
            "d_dense20" => &["dense.py", "4", "20", "20000", name],
            "d_dense60" => &["dense.py", "4", "60", "5000", name],
            _ => {
                let dtrace = self.scripts.join(format!("{name}.dtrace.gz"));
                return Ok(Trace { name: name.to_owned(), dtrace, decls: None });
            }
        };
        let trace = self.made(name);
        if !trace.dtrace.exists() {
            self.run(words)?;
        }
        Ok(trace)
    }

    /// Runs a script; its last word but the seed is the name of what it makes.
    pub(super) fn run(&self, words: &[&str]) -> anyhow::Result<()> {
        let output = Command::new("python3")
            .arg(self.scripts.join(words[0]))
            .args(&words[1..])
            .current_dir(&self.out)
            .output()
            .context("cannot run python3")?;
        if !output.status.success() {
            bail!("{}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(())
    }

    /// The trace of a name.
    pub(super) fn made(&self, name: &str) -> Trace {
        let file = |extension: &str| self.out.join(format!("{name}.{extension}"));
        Trace { name: name.to_owned(), dtrace: file("dtrace"), decls: Some(file("decls")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_the_scripts_must_be_named() {
        let parse = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            Options::parse(&words, "traces --traces DIR [--json FILE] [TRACE..]")
        };
        assert!(parse("").is_err());
        assert!(parse("--traces d --seeds 3").is_err());
        let options = parse("--traces d a_point").unwrap();
        assert!(options.wants("a_point") && !options.wants("a_call"));
    }
}
