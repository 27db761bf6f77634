//! One crate under the product: started, timed, ended when it takes too long, and read.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::Value;

/// Stages that begin with the first call.
const AFTER_FIRST_CALL: &[&str] = &["explore", "infer", "refute", "confirm", "report"];
/// How often a running product is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// How to run the product.
pub(crate) struct Product<'a> {
    /// The binary.
    pub(crate) program: &'a Path,
    /// `--time` of the run, as it is typed.
    pub(crate) time: &'a str,
    /// A crate that takes longer, builds included, has failed.
    pub(crate) limit: Duration,
    /// What else is typed.
    pub(crate) more: &'a [String],
}

/// What came of one crate.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// `name@version`
    pub(crate) spec: String,
    /// Exit code of the product, if it ended by itself.
    pub(crate) exit: Option<i32>,
    /// Wall time of it all.
    pub(crate) seconds: f64,
    /// The numbers, or why there are none.
    pub(crate) reach: Result<Reach, String>,
}

/// The numbers of one crate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reach {
    pub(crate) public: u64,
    pub(crate) r#unsafe: u64,
    pub(crate) harnessed: u64,
    pub(crate) called: u64,
    pub(crate) returned: u64,
    /// Wall time before the first call: fetching, documentation, builds.
    pub(crate) first_call: f64,
    /// Safe callables that never returned.
    pub(crate) losses: Vec<Loss>,
}

/// A safe callable that never returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) path: String,
    /// The skip's reason, or `never-returned`.
    pub(crate) reason: String,
    pub(crate) detail: String,
}

impl Row {
    /// `returned` of `public` in per cent; a crate that failed has reached nothing.
    pub(crate) fn percent(&self) -> f64 {
        self.reach.as_ref().map_or(0.0, Reach::percent)
    }
}

impl Reach {
    fn percent(&self) -> f64 {
        if self.public == 0 { 0.0 } else { 100.0 * self.returned as f64 / self.public as f64 }
    }

    /// Losses by reason.
    pub(crate) fn reasons(&self) -> BTreeMap<&str, u64> {
        let mut reasons = BTreeMap::new();
        for loss in &self.losses {
            *reasons.entry(loss.reason.as_str()).or_insert(0) += 1;
        }
        reasons
    }
}

impl Product<'_> {
    /// Tests one crate in a directory that is emptied first. Only a product that cannot be
    /// started is an error.
    pub(crate) fn test(&self, spec: &str, dir: &Path) -> anyhow::Result<Row> {
        let about = || format!("cannot write `{}`", dir.display());
        if dir.exists() {
            fs::remove_dir_all(dir).with_context(about)?;
        }
        fs::create_dir_all(dir).with_context(about)?;
        let log = dir.join("log.txt");
        let began = Instant::now();
        let exit = self.execute(spec, dir, &log)?;
        let seconds = began.elapsed().as_secs_f64();
        let reach = match exit {
            None => Err(format!("not done after {} s", self.limit.as_secs())),
            Some(code) => read(&dir.join("gainsay/summary.json"), seconds)
                .map_err(|_| format!("exit code {code}: {}", complaint(&log))),
        };
        Ok(Row { spec: spec.to_owned(), exit, seconds, reach })
    }

    /// The exit code; `None` when it took too long and was ended.
    pub(crate) fn execute(
        &self,
        spec: &str,
        dir: &Path,
        log: &Path,
    ) -> anyhow::Result<Option<i32>> {
        let out = File::create(log).with_context(|| format!("cannot write `{}`", log.display()))?;
        let mut command = Command::new(self.program);
        command
            .args(["gainsay", "run", "--fresh", "--quiet", "--color", "never", "--crate", spec])
            .args(self.more)
            .arg("--no-regressions")
            .args(["--time", self.time, "--target-dir"])
            .arg(dir)
            .current_dir(dir)
            .env_remove("CARGO_TARGET_DIR")
            .stdout(out.try_clone()?)
            .stderr(out);
        let status = within(&mut command, self.limit)?;
        Ok(status.map(|status| status.code().unwrap_or(-1)))
    }
}

/// Runs a command with all that it starts; `None` when it took too long and was ended.
pub(crate) fn within(command: &mut Command, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let about = format!("cannot run `{}`", command.get_program().display());
    let mut child = command.stdin(Stdio::null()).process_group(0).spawn().context(about)?;
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(GLANCE);
    }
    // Its compilers and workers are of its group.
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
    child.wait()?;
    Ok(None)
}

/// The first error of the log, or its last line.
pub(crate) fn complaint(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let error = text.lines().find(|line| line.starts_with("error"));
    error.or(text.lines().last()).unwrap_or("no word of why").to_owned()
}

fn read(summary: &Path, seconds: f64) -> anyhow::Result<Reach> {
    let summary: Value = serde_json::from_slice(&fs::read(summary)?)?;
    numbers(&summary, seconds).context("a field is missing")
}

fn numbers(summary: &Value, seconds: f64) -> Option<Reach> {
    let operations = summary.get("operations")?;
    let number = |name: &str| operations.get(name)?.as_u64();
    let stages = summary.get("stages")?.as_array()?.iter();
    let later = stages.filter(|stage| {
        stage["name"].as_str().is_some_and(|name| AFTER_FIRST_CALL.contains(&name))
    });
    let later: f64 = later.filter_map(|stage| stage["seconds"].as_f64()).sum();
    let records = operations.get("records")?.as_array()?;
    Some(Reach {
        public: number("public")?,
        r#unsafe: number("unsafe")?,
        harnessed: number("harnessed")?,
        called: number("called")?,
        returned: number("returned")?,
        first_call: (seconds - later).max(0.0),
        losses: records.iter().filter_map(loss).collect(),
    })
}

fn loss(record: &Value) -> Option<Loss> {
    if record["returned"].as_u64()? > 0 {
        return None;
    }
    let reason = record["skip"]["reason"].as_str().unwrap_or("never-returned");
    let detail = record["skip"]["detail"].as_str().unwrap_or_default();
    let is_safe = reason != "unsafe";
    is_safe.then(|| Loss {
        path: record["path"].as_str().unwrap_or_default().to_owned(),
        reason: reason.to_owned(),
        detail: detail.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn losses_are_safe_operations_that_never_returned() {
        let record = |path: &str, returned: u64, reason: Option<&str>| match reason {
            Some(reason) => json!({"path": path, "returned": returned,
                "skip": {"reason": reason, "detail": "T"}}),
            None => json!({"path": path, "returned": returned}),
        };
        let summary = json!({
            "operations": {
                "public": 3, "unsafe": 1, "harnessed": 2, "called": 2, "returned": 1,
                "records": [record("a", 2, None), record("b", 0, None),
                    record("c", 0, Some("no-origin")), record("d", 0, Some("unsafe"))],
            },
            "stages": [{"name": "discover", "seconds": 2.0}, {"name": "explore", "seconds": 3.0},
                {"name": "refute", "seconds": 4.0}],
        });
        let reach = numbers(&summary, 10.0).unwrap();
        assert!((reach.first_call - 3.0).abs() < 1e-9, "{}", reach.first_call);
        let reasons: Vec<_> = reach.reasons().into_iter().collect();
        assert_eq!(reasons, [("never-returned", 1), ("no-origin", 1)]);
        assert!((reach.percent() - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(numbers(&json!({"operations": {}}), 1.0), None);
    }
}
