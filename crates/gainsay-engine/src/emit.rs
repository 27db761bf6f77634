//! Which forms of a test are tried, and what tried tests show. None is kept that was not seen to
//! compile and to do what it says.

mod mend;
mod regression_check;
pub(crate) mod selection;
mod verdict;
mod witness_check;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use gainsay_harness::{Edition, host};
use gainsay_model::{api::Subject, build::Build};
use gainsay_report::{Aid, Element, Ending, FaultRecord, Old, Polish, RunRecord, Setting, witness};

pub use self::{
    regression_check::{
        CheckSettings, CheckedRegressions, Files, LeftOut, RegressionChecker, TIMES,
    },
    witness_check::{Checked, Checker},
};

/// Returns the tests as they are first written, whatever they may do.
// With the elements that show most: without a run nobody knows which ones are enough.
pub fn unchecked(subject: &Subject, record: &RunRecord, edition: Edition) -> Vec<Checked> {
    let one = |fault: &FaultRecord| {
        let setting = Setting {
            lib_name: subject.lib_name.clone(),
            old: Old::of(edition.0),
            element: Element::kinds(fault).pop().unwrap_or(Element::Tuple),
            polish: Polish::Careful,
            ending: Ending::Natural,
            aid: Aid::None,
            command: command(subject, Build::Debug),
            miri: miri_command(subject),
        };
        match witness(fault, record.book(), &setting) {
            Ok(witness) => Checked::Unseen(witness),
            Err(why) => Checked::NotWritten(why.to_string()),
        }
    };
    record.faults.iter().map(one).collect()
}

/// Returns the command by which a person has the tests compiled and run.
pub fn command(subject: &Subject, build: Build) -> String {
    with_features(build.test_command(&host()), subject)
}

/// Returns the command by which a person has the tests run by Miri.
fn miri_command(subject: &Subject) -> String {
    with_features("cargo +nightly miri test".to_owned(), subject)
}

fn with_features(command: String, subject: &Subject) -> String {
    let (features, listed) = (&subject.features, subject.features.all_named());
    let mut words = vec![command];
    if features.no_default {
        words.push("--no-default-features".to_owned());
    }
    if features.all {
        words.push("--all-features".to_owned());
    } else if !listed.is_empty() {
        words.push(format!("--features {}", listed.join(",")));
    }
    words.join(" ")
}

/// Formats a text as `cargo fmt` would; `None` where there is no rustfmt.
// In the subject's directory, so that its own rustfmt.toml counts.
pub fn formatted(text: &str, root: &Path) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2021", "--emit", "stdout"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It reads everything before it writes anything.
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}
