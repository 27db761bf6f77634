//! Compiles tests and runs them, the simplest form of each first, until each fails as it says or
//! nothing is left to try.

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use gainsay_harness::{Compiled, Suite, TestFile};
use gainsay_model::{api::Subject, build::Build};
use gainsay_report::{
    Aid, Book, Element, ElementTrait, Ending, FaultClass, FaultRecord, NoWitness, Old,
    OracleRecord, Polish, RunRecord, Setting, Witness, witness,
};
use gainsay_workers::{Cancel, End, Sight, Tried, Tryout};

use super::{
    command, miri_command,
    verdict::{instead, shows},
};
use crate::{
    error::{EngineError, Result},
    session::confinement,
    settings::Sandbox,
};

/// Failures in a row that are asked of a test: one that fails now and then would be no use to
/// whoever mends the fault.
const TIMES: usize = 3;
/// Time for a test: a look at broken memory may find no end.
const PATIENCE: Duration = Duration::from_secs(8);
/// Time for a test that shows a hang, which takes ten seconds itself.
const PATIENCE_WITH_HANGS: Duration = Duration::from_secs(30);
/// Address space of a test, so that one that asks for all memory fails and the machine does not.
/// `AddressSanitizer` needs more than there is memory.
const ADDRESS_SPACE: u64 = 4 << 30;
/// Forms that are tried in a build that was not the one in which the fault was seen: each takes a
/// compiler's time, and few of them show anything there.
const FEW_FORMS: usize = 6;
/// Rounds in which traits are added to an element before it gets them all. The compiler asks for the
/// next one only when it has the last.
const ROUNDS: usize = 3;

/// The outcome for the test of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It fails as it says when it is compiled so.
    Shown(Witness, Build),
    /// It compiles, and does something else.
    NotShown(String),
    /// rustc rejects it.
    Rejected(String),
    /// There is none.
    NotWritten(String),
    /// Nobody looked.
    Unseen(Witness),
}

/// Compiles and runs tests that should fail.
pub struct Checker<'a> {
    /// Compiles them.
    pub suite: Suite<'a>,
    /// The run that found the faults.
    pub record: &'a RunRecord,
    /// The crate.
    pub subject: &'a Subject,
    /// A directory for what tests write.
    pub scratch: PathBuf,
    /// The confinement of tests.
    pub sandbox: Sandbox,
    /// Ends it.
    pub cancel: Cancel,
}

/// A way to write a test.
#[derive(Clone, Debug)]
struct Form {
    element: Element,
    polish: Polish,
    ending: Ending,
    aid: Aid,
}

/// A fault whose test is being looked for.
struct Draft<'a> {
    fault: &'a FaultRecord,
    /// Forms that are left, the present one first.
    forms: Vec<Form>,
    witness: Option<Witness>,
    /// The best outcome so far.
    checked: Checked,
}

impl Checker<'_> {
    /// Finds a test for each fault, in their order.
    pub fn check(&self) -> Result<Vec<Checked>> {
        let draft = |fault| Draft {
            fault,
            forms: Vec::new(),
            witness: None,
            checked: Checked::NotWritten(String::new()),
        };
        let mut drafts: Vec<Draft<'_>> = self.record.faults.iter().map(draft).collect();
        // The ordinary build first: a test that fails in it needs no explanation.
        for build in Build::ALL {
            for draft in drafts.iter_mut().filter(|draft| draft.is_open()) {
                draft.forms = forms_in(build, draft.fault, self.record.book());
            }
            self.try_all(&mut drafts, build)?;
        }
        Ok(drafts.into_iter().map(|draft| draft.checked).collect())
    }

    /// Tries the forms of all open tests in a build.
    // All tests at a time: cargo links them beside each other, and the crate itself is built once.
    fn try_all(&self, drafts: &mut [Draft<'_>], build: Build) -> Result<()> {
        while drafts.iter().any(|draft| draft.is_open() && !draft.forms.is_empty()) {
            let mut open: Vec<&mut Draft<'_>> =
                drafts.iter_mut().filter(|d| d.is_open() && !d.forms.is_empty()).collect();
            let programs = self.compile_forms(&mut open, build)?;
            for (draft, program) in open.into_iter().zip(programs) {
                if let Some(program) = program {
                    self.try_out(draft, &program, build)?;
                }
                draft.forms.remove(0);
            }
        }
        Ok(())
    }

    /// Returns the programs of the tests that compile; elements get the traits that are asked of them.
    fn compile_forms(
        &self,
        drafts: &mut [&mut Draft<'_>],
        build: Build,
    ) -> Result<Vec<Option<PathBuf>>> {
        for round in 0..=ROUNDS {
            for draft in drafts.iter_mut() {
                self.write_form(draft, build);
            }
            let witnesses = drafts.iter().filter_map(|draft| draft.witness.as_ref());
            let files: Vec<TestFile> = witnesses
                .map(|witness| TestFile {
                    name: witness.file_stem.clone(),
                    text: witness.text.clone(),
                })
                .collect();
            let mut compiled = self.suite.build(&files, build)?.into_iter();
            let mut programs = Vec::new();
            let mut asked = false;
            for draft in drafts.iter_mut() {
                let compiled = draft.witness.as_ref().and_then(|_| compiled.next());
                programs.push(match compiled {
                    Some(Compiled::Program(program)) => Some(program),
                    Some(Compiled::Rejected { headline, rendered }) => {
                        draft.note_rejection(headline);
                        asked |= draft.add_traits(&rendered, round);
                        None
                    }
                    None => None,
                });
            }
            // Nothing was added to any element, so that another build would end as this one.
            if !asked {
                return Ok(programs);
            }
        }
        Ok(drafts.iter().map(|_| None).collect())
    }

    fn write_form(&self, draft: &mut Draft<'_>, build: Build) {
        let Some(Form { element, polish, ending, aid }) = draft.forms.first() else { return };
        let setting = Setting {
            lib_name: self.subject.lib_name.clone(),
            old: Old::of(self.suite.edition().0),
            element: element.clone(),
            polish: *polish,
            ending: *ending,
            aid: *aid,
            command: command(self.subject, build),
            miri: miri_command(self.subject),
        };
        let written: Result<Witness, NoWitness> =
            witness(draft.fault, self.record.book(), &setting);
        if let (Err(why), Checked::NotWritten(_)) = (&written, &draft.checked) {
            draft.checked = Checked::NotWritten(why.to_string());
        }
        draft.witness = written.ok();
    }

    fn try_out(
        &self,
        draft: &mut Draft<'_>,
        program: &std::path::Path,
        build: Build,
    ) -> Result<()> {
        let Some(witness) = draft.witness.clone() else { return Ok(()) };
        // The sanitizer reads its own program to name functions.
        let sight = if build == Build::Asan { Sight::Itself } else { Sight::Nothing };
        let (times, patience) = match draft.fault.oracle {
            // Ten seconds without an end are no matter of chance.
            OracleRecord::Hang => (1, PATIENCE_WITH_HANGS),
            _ => (TIMES, PATIENCE),
        };
        let tryout = Tryout {
            scratch: self.scratch.clone(),
            confinement: confinement(self.sandbox, sight)?,
            patience,
            address_space: (build != Build::Asan).then_some(ADDRESS_SPACE),
        };
        let mut shown = 0;
        let mut otherwise = None;
        for _ in 0..times {
            // What a test prints must not be lost when its process dies.
            let variables = [("RUST_TEST_NOCAPTURE", "1"), ("RUST_BACKTRACE", "0")];
            let tried = tryout.run(program, &variables, &self.cancel)?;
            if self.cancel.is_cancelled() || tried.end == End::Cancelled {
                return Err(EngineError::Interrupted);
            }
            if shows(draft.fault, &witness.file_stem, &tried) {
                shown += 1;
            } else {
                otherwise = Some(tried);
                // Not shown at the first try: the other tries would only say how seldom it is.
                if shown == 0 {
                    break;
                }
            }
        }
        match otherwise {
            None => draft.checked = Checked::Shown(witness, build),
            Some(tried) => draft.note_other(&tried, shown, build),
        }
        Ok(())
    }
}

impl Draft<'_> {
    fn is_open(&self) -> bool {
        !matches!(self.checked, Checked::Shown(..))
    }

    fn note_rejection(&mut self, headline: String) {
        // That a form compiled says more than that another one did not.
        if !matches!(self.checked, Checked::NotShown(_)) {
            self.checked = Checked::Rejected(headline);
        }
    }

    /// Gives an element what the compiler misses; `false` when there is nothing to give.
    fn add_traits(&mut self, complaint: &str, round: usize) -> bool {
        let Some(Form { element: Element::Tracked(traits), .. }) = self.forms.first_mut() else {
            return false;
        };
        let named = |it: &ElementTrait| mentions(complaint, it.name());
        let named: BTreeSet<_> = ElementTrait::ALL.into_iter().filter(named).collect();
        // A trait of the crate's own stands for others, and of several `From`s only some take elements
        // without them: then types do not match.
        let asks_otherwise = named.is_empty() && complaint.contains("Probe");
        let missing =
            if asks_otherwise || round + 1 >= ROUNDS { ElementTrait::ALL.into() } else { named };
        let before = traits.len();
        traits.extend(missing);
        traits.len() > before
    }

    fn note_other(&mut self, tried: &Tried, shown: usize, build: Build) {
        let how = match build {
            Build::Debug => "",
            Build::Unchecked => " without std's checks",
            Build::Release => " in release mode",
            Build::Asan => " with AddressSanitizer",
        };
        let did = match shown {
            0 => instead(tried),
            shown => format!("fails as stated only {shown} of {TIMES} times"),
        };
        // What it does as people run it says most.
        if !matches!(self.checked, Checked::NotShown(_)) {
            self.checked = Checked::NotShown(format!("the test compiles and {did}{how}"));
        }
    }
}

/// Returns the forms to try in a build. Of the ordinary one all, of the one in which the fault was
/// seen those with elements that can show most, and of others a few: each takes a compiler's time.
fn forms_in(build: Build, fault: &FaultRecord, book: Book<'_>) -> Vec<Form> {
    let kinds = Element::kinds(fault);
    let most_telling = || kinds.last().cloned().into_iter().collect();
    let is_memory = fault.oracle.class() == FaultClass::Memory;
    let (elements, most) = match build {
        Build::Debug if fault.build == Build::Debug => (kinds, usize::MAX),
        Build::Debug => (kinds, FEW_FORMS),
        // Nothing peculiar is seen of a type that owns no memory.
        Build::Asan if fault.build == build => {
            (kinds.into_iter().filter(|it| *it != Element::Tuple).collect(), usize::MAX)
        }
        _ if fault.build == build => (most_telling(), usize::MAX),
        Build::Asan if is_memory => (most_telling(), FEW_FORMS),
        Build::Release if is_memory => (most_telling(), FEW_FORMS / 2),
        _ => return Vec::new(),
    };
    let mut forms = list_forms(fault, elements, book);
    forms.truncate(most);
    forms
}

/// Returns each kind of elements as people would write it, and written out.
// The plainest first: a reader should see nothing that the fault does not need.
fn list_forms(fault: &FaultRecord, elements: Vec<Element>, book: Book<'_>) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for element in elements {
        let (ending, aids) = (Ending::Natural, Aid::kinds(fault, &element, book));
        let form =
            |polish: Polish, aid: Aid| Form { element: element.clone(), polish, ending, aid };
        for aid in aids {
            if matches!(aid, Aid::None | Aid::Guard) {
                forms.push(form(Polish::Bold, aid));
            }
            forms.push(form(Polish::Careful, aid));
            // What needs another while it ends.
            if aid == Aid::None && matches!(element, Element::Tracked(_)) {
                forms.push(Form { ending: Ending::AsMade, ..form(Polish::Careful, Aid::None) });
            }
        }
    }
    forms
}

/// Tells if a word stands in a text, not as part of another.
// `Ord` is not missing where `PartialOrd` is.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_are_found_as_whole_words() {
        assert!(mentions("the trait `Ord` is not implemented", "Ord"));
        assert!(!mentions("the trait `PartialOrd` is not implemented", "Ord"));
        assert!(!mentions("Ordering", "Ord"));
        assert!(mentions("PartialOrd and Ord", "Ord"));
    }
}
