//! Passing calls of the last run as tests. Each is compiled and run; what the compiler or the run
//! does not bear out is left out of it.

use std::time::Duration;

use gainsay_harness::{Compiled, Suite, TestFile};
use gainsay_model::{api::Subject, build::Build};
use gainsay_report::{
    Book, Old, Purpose, RegressionFile, RegressionSetting, RegressionTest, regression_file,
};
use gainsay_workers::{Cancel, End, Sight, Tried, Tryout};
use serde::Serialize;

use super::{
    command,
    mend::{mended, quarrelling},
    verdict::instead,
};
use crate::{
    commands::Passing,
    error::{EngineError, Result},
    session::confinement,
    settings::Sandbox,
};

/// The file that all tests go into.
const FILE_STEM: &str = "gainsay_regressions";
/// The file that all selected tests go into.
const SELECTED_STEM: &str = "gainsay_selected";
/// Passes in a row that are asked of a test. Seldom enough to wait for, often enough for what depends
/// on addresses or on the order of a hash map.
pub const TIMES: usize = 10;
/// Times that a test is mended before it is given up. Each takes a build, of all open tests at once.
const ROUNDS: usize = 12;
/// Time for a test, of ten calls that took a moment in the run.
const PATIENCE: Duration = Duration::from_secs(20);
/// Address space of a test, so that one that asks for all memory fails and the machine does not.
const ADDRESS_SPACE: u64 = 4 << 30;

/// A test that was not.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// Its name, or what it would have shown.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Tests that pass as they are, and why others do not.
pub struct CheckedRegressions {
    /// Each with the file that holds it alone.
    pub passed: Vec<(RegressionTest, RegressionFile)>,
    /// The others.
    pub left_out: Vec<LeftOut>,
}

/// Settings of a check of tests.
pub struct CheckSettings<'a> {
    /// The confinement of tests.
    pub sandbox: Sandbox,
    /// Compiles them.
    pub suite: Suite<'a>,
    /// The use that tests are written for.
    pub purpose: Purpose,
    /// Ends the check.
    pub cancel: Cancel,
}

/// Compiles and runs tests that should pass.
pub struct RegressionChecker<'a> {
    suite: Suite<'a>,
    book: Book<'a>,
    setting: RegressionSetting<'a>,
    /// The name of the file that all tests go into.
    stem: &'static str,
    tryout: Tryout,
    cancel: Cancel,
}

impl<'a> RegressionChecker<'a> {
    /// A checker of the tests of a subject.
    pub fn new(
        subject: &'a Subject,
        passing: &'a Passing,
        how: CheckSettings<'a>,
    ) -> Result<RegressionChecker<'a>> {
        let CheckSettings { sandbox, suite, purpose, cancel } = how;
        let setting = RegressionSetting {
            lib_name: &subject.lib_name,
            subject: format!("{} {}", subject.name, subject.version),
            old: Old::of(suite.edition().0),
            types: &passing.types,
            command: command(subject, Build::Debug),
            purpose,
        };
        let tryout = Tryout {
            scratch: subject.out_dir.join("scratch"),
            confinement: confinement(sandbox, Sight::Nothing)?,
            patience: PATIENCE,
            address_space: Some(ADDRESS_SPACE),
        };
        let stem = match purpose {
            Purpose::Regressions => FILE_STEM,
            Purpose::Selected => SELECTED_STEM,
        };
        Ok(RegressionChecker {
            suite,
            book: Book(&passing.spellings),
            setting,
            stem,
            tryout,
            cancel,
        })
    }

    /// Compiles and runs each test in a file of its own, and mends it until it passes.
    pub fn check(&self, mut open: Vec<RegressionTest>) -> Result<CheckedRegressions> {
        let mut checked = CheckedRegressions { passed: Vec::new(), left_out: Vec::new() };
        for round in 0..ROUNDS {
            let is_last = round + 1 == ROUNDS;
            let mut written = Vec::new();
            for test in open.drain(..) {
                let stem = file_stem(&test);
                match regression_file(&[&test], self.book, &self.setting, &stem) {
                    // A test that cannot fail is none.
                    Ok(file) if file.assertions.iter().all(Vec::is_empty) => {
                        checked.leave_out(test, "nothing could be asserted".to_owned());
                    }
                    Ok(file) => written.push((test, file)),
                    Err(why) => checked.leave_out(test, why.to_string()),
                }
            }
            if written.is_empty() {
                break;
            }
            for (test, file, trouble) in self.try_out(written)? {
                let Some(trouble) = trouble else {
                    checked.passed.push((test, file));
                    continue;
                };
                match mended(&test, &file, &trouble).filter(|_| !is_last) {
                    Some(better) => open.push(better),
                    None => checked.leave_out(test, trouble.why()),
                }
            }
        }
        Ok(checked)
    }

    /// Compiles and runs tests; tells the trouble of each, if there is any.
    fn try_out(
        &self,
        written: Vec<(RegressionTest, RegressionFile)>,
    ) -> Result<Vec<(RegressionTest, RegressionFile, Option<Trouble>)>> {
        let file = |(test, file): &(RegressionTest, RegressionFile)| TestFile {
            name: file_stem(test),
            text: file.text.clone(),
        };
        let files: Vec<TestFile> = written.iter().map(file).collect();
        let compiled = self.suite.build(&files, Build::Debug)?;
        let mut tried = Vec::new();
        for ((test, file), compiled) in written.into_iter().zip(compiled) {
            let trouble = self.find_trouble(compiled)?;
            tried.push((test, file, trouble));
        }
        Ok(tried)
    }

    fn find_trouble(&self, compiled: Compiled) -> Result<Option<Trouble>> {
        let program = match compiled {
            Compiled::Program(program) => program,
            Compiled::Rejected { headline, rendered } => {
                return Ok(Some(Trouble::Rejected { headline, rendered }));
            }
        };
        for _ in 0..TIMES {
            // What a test prints must not be lost when its process dies.
            let variables = [("RUST_TEST_NOCAPTURE", "1"), ("RUST_BACKTRACE", "0")];
            let tried = self.tryout.run(&program, &variables, &self.cancel)?;
            if self.cancel.is_cancelled() || tried.end == End::Cancelled {
                return Err(EngineError::Interrupted);
            }
            if tried.end != End::Exited(0) {
                return Ok(Some(Trouble::Failed(tried)));
            }
        }
        Ok(None)
    }

    /// Puts tests into one file, and into files of their own those that do not get along with others:
    /// traits that they import may have the same names.
    pub fn files(&self, passed: &[(RegressionTest, RegressionFile)]) -> Result<Files> {
        let mut together: Vec<usize> = (0..passed.len()).collect();
        let mut alone: Vec<usize> = Vec::new();
        while !together.is_empty() {
            let tests: Vec<&RegressionTest> = together.iter().map(|at| &passed[*at].0).collect();
            let Ok(file) = regression_file(&tests, self.book, &self.setting, self.stem) else {
                break;
            };
            let test_file = TestFile { name: self.stem.to_owned(), text: file.text.clone() };
            let compiled = self.suite.build(&[test_file], Build::Debug)?.into_iter().next();
            let Some(trouble) = compiled.map(|it| self.find_trouble(it)).transpose()?.flatten()
            else {
                let mut files = vec![(self.stem.to_owned(), file.text)];
                files.extend(own_files(passed, &alone));
                return Ok(files);
            };
            let apart = quarrelling(&file, &trouble);
            if apart.is_empty() {
                break;
            }
            alone.extend(apart.iter().filter_map(|at| together.get(*at)));
            together.retain(|at| !alone.contains(at));
        }
        Ok(own_files(passed, &(0..passed.len()).collect::<Vec<_>>()))
    }
}

fn own_files(passed: &[(RegressionTest, RegressionFile)], which: &[usize]) -> Files {
    let file = |at: &usize| (file_stem(&passed[*at].0), passed[*at].1.text.clone());
    which.iter().map(file).collect()
}

/// Names and texts of files.
pub type Files = Vec<(String, String)>;

impl CheckedRegressions {
    fn leave_out(&mut self, test: RegressionTest, reason: String) {
        self.left_out.push(LeftOut { name: test.name, reason });
    }
}

/// The reason why a test cannot stay as it is.
pub(super) enum Trouble {
    /// rustc has something against it.
    Rejected { headline: String, rendered: String },
    /// It does not pass.
    Failed(Tried),
}

impl Trouble {
    fn why(&self) -> String {
        match self {
            Trouble::Rejected { headline, .. } => format!("it does not compile: {headline}"),
            Trouble::Failed(tried) => format!("it {}", instead(tried)),
        }
    }
}

/// Returns the name of a test's own file.
fn file_stem(test: &RegressionTest) -> String {
    format!("gainsay_{}", test.name)
}
