//! Takes out of the harness what rustc rejects, until it compiles.

use std::path::PathBuf;

use gainsay_model::api::Lending;

use crate::{
    cargo::{Built, Cargo, Diagnostic, Place, Stage},
    code::Sources,
    error::HarnessError,
    live::{Live, Pruned, Unit},
    plan::Plan,
};

/// rustc reports in phases (names, types, borrows, constants), so a few rounds are normal.
const MOST_ROUNDS: usize = 12;
/// How often rustc may be asked to find a unit that its message does not name.
const MOST_BISECTIONS: usize = 64;

/// Prunes until the harness builds; returns the program.
pub(crate) fn settle(
    plan: &Plan,
    pruned: &mut Pruned,
    cargo: &Cargo<'_>,
    mut remember: impl FnMut(&Pruned) -> Result<(), HarnessError>,
) -> Result<PathBuf, HarnessError> {
    let mut message = String::new();
    let mut stage = Stage::Check;
    let mut rounds = 0;
    while rounds < MOST_ROUNDS {
        rounds += 1;
        let (sources, built) = attempt(plan, pruned, cargo, stage)?;
        match built {
            Built::Done(Some(program)) => return Ok(program),
            Built::Done(None) if stage == Stage::Check => stage = Stage::Build,
            Built::Done(None) => {
                message.push_str("cargo built no program");
                break;
            }
            Built::Rejected(diagnostics) => {
                message = rendered(&diagnostics);
                let mut found = blamed(&sources, &diagnostics);
                lend_instead(plan, pruned, &mut found);
                if found.is_empty() {
                    found =
                        Bisection { plan, pruned, cargo, stage, left: MOST_BISECTIONS }.run()?;
                }
                if found.is_empty() {
                    break;
                }
                pruned.extend(found);
                remember(pruned)?;
            }
        }
    }
    Err(HarnessError::DoesNotSettle { rounds, message })
}

fn attempt(
    plan: &Plan,
    pruned: &Pruned,
    cargo: &Cargo<'_>,
    stage: Stage,
) -> Result<(Sources, Built), HarnessError> {
    let sources = Sources::new(&Live::new(plan, pruned));
    cargo.layout.write_sources(&sources)?;
    let built = cargo.run(stage)?;
    Ok((sources, built))
}

/// The units that errors point at, each with the first message.
fn blamed(sources: &Sources, diagnostics: &[Diagnostic]) -> Pruned {
    let mut found = Pruned::new();
    for diagnostic in diagnostics {
        for unit in units_of(sources, diagnostic) {
            found.entry(unit).or_insert_with(|| diagnostic.headline());
        }
    }
    found
}

/// Complaints about how long something lives.
const LIFETIMES: [&str; 9] = [
    "E0499",
    "E0502",
    "E0505",
    "E0515",
    "E0521",
    "E0597",
    "E0621",
    "E0716",
    "lifetime may not live",
];

/// An operation that only fails because what is passed does not live long enough gets a second
/// chance: what it makes or changes refers to its operands, so they must be lent.
fn lend_instead(plan: &Plan, pruned: &Pruned, found: &mut Pruned) {
    let pool = plan.pool();
    let second = |unit: &Unit, message: &str| {
        let Unit::Op(op) = unit else { return None };
        let planned = &plan.ops[*op];
        let fits = planned.lending == Lending::Inherited
            && !pruned.contains_key(&Unit::Lent(*op))
            && LIFETIMES.iter().any(|complaint| message.starts_with(complaint))
            && planned.may_hold().any(|ty| pool.borrows(ty));
        fits.then_some(Unit::Lent(*op))
    };
    let changed = std::mem::take(found)
        .into_iter()
        .map(|(unit, message)| (second(&unit, &message).unwrap_or(unit), message));
    found.extend(changed);
}

/// Units at the primary places; else at those that explain; else those that notes name.
fn units_of(sources: &Sources, diagnostic: &Diagnostic) -> Vec<Unit> {
    let at = |wanted: fn(&Place) -> bool| -> Vec<Unit> {
        let places = diagnostic.spans.iter().filter(|place| wanted(place));
        places.filter_map(|place| unit_of(sources, place)).collect()
    };
    let primary = at(|place| place.is_primary);
    if !primary.is_empty() {
        return primary;
    }
    let secondary = at(|place| !place.is_primary);
    if !secondary.is_empty() {
        return secondary;
    }
    let mut notes = diagnostic.children.iter().map(|note| units_of(sources, note));
    notes.rfind(|units| !units.is_empty()).unwrap_or_default()
}

/// The unit at a place, or at the macro call that led to it.
fn unit_of(sources: &Sources, place: &Place) -> Option<Unit> {
    let direct = place.file_name.replace('\\', "/");
    let ours =
        direct.starts_with("src/").then(|| sources.unit_at(&direct, place.line_start)).flatten();
    ours.or_else(|| unit_of(sources, &place.expansion.as_ref()?.span))
}

fn rendered(diagnostics: &[Diagnostic]) -> String {
    let texts = diagnostics.iter().take(3);
    let texts: Vec<String> =
        texts.map(|found| found.rendered.clone().unwrap_or_else(|| found.headline())).collect();
    texts.join("\n")
}

/// Finds units that break the build although no message points at them.
struct Bisection<'a> {
    plan: &'a Plan,
    pruned: &'a Pruned,
    cargo: &'a Cargo<'a>,
    stage: Stage,
    left: usize,
}

impl Bisection<'_> {
    fn run(mut self) -> Result<Pruned, HarnessError> {
        let suspects: Vec<Unit> = Live::new(self.plan, self.pruned)
            .units()
            .into_iter()
            .filter(|unit| !matches!(unit, Unit::Type(_)))
            .collect();
        let mut found = Pruned::new();
        if self.complaint(&suspects, &[])?.is_none() {
            self.search(&suspects, &suspects, &mut found)?;
            if found.is_empty() {
                found.extend(self.last_straw(suspects)?);
            }
        }
        Ok(found)
    }

    /// The first unit with which the build fails, when units are put in one after the other. Alone
    /// it may be harmless: an operation is left out where nothing makes its operands. So what needs
    /// least goes first.
    fn last_straw(
        &mut self,
        mut suspects: Vec<Unit>,
    ) -> Result<Option<(Unit, String)>, HarnessError> {
        suspects.sort_by_key(|unit| match unit {
            Unit::Op(op) => (0, self.plan.ops[*op].needs().count()),
            _ => (1, 0),
        });
        let (mut good, mut bad) = (0, suspects.len());
        let Some(mut message) = self.complaint(&suspects, &suspects)? else { return Ok(None) };
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            match self.complaint(&suspects, &suspects[..middle])? {
                Some(complaint) => (bad, message) = (middle, complaint),
                None => good = middle,
            }
        }
        Ok(suspects.get(bad - 1).map(|unit| (*unit, message)))
    }

    fn search(
        &mut self,
        all: &[Unit],
        part: &[Unit],
        found: &mut Pruned,
    ) -> Result<(), HarnessError> {
        let Some(message) = self.complaint(all, part)? else { return Ok(()) };
        if let [unit] = part {
            found.insert(*unit, message);
            return Ok(());
        }
        let (left, right) = part.split_at(part.len() / 2);
        self.search(all, left, found)?;
        self.search(all, right, found)
    }

    /// What rustc says when of all suspects only `part` is in; `None` when it is content.
    fn complaint(&mut self, all: &[Unit], part: &[Unit]) -> Result<Option<String>, HarnessError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let out = all.iter().filter(|unit| !part.contains(unit));
        let mut pruned = self.pruned.clone();
        pruned.extend(out.map(|unit| (*unit, String::new())));
        let (_, built) = attempt(self.plan, &pruned, self.cargo, self.stage)?;
        Ok(match built {
            Built::Done(_) => None,
            Built::Rejected(diagnostics) => {
                Some(diagnostics.first().map(Diagnostic::headline).unwrap_or_default())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sample;

    fn place(file: &str, line: usize, is_primary: bool) -> Place {
        Place {
            file_name: file.into(),
            line_start: line,
            byte_start: 0,
            byte_end: 0,
            is_primary,
            expansion: None,
        }
    }

    fn error(spans: Vec<Place>, children: Vec<Diagnostic>) -> Diagnostic {
        let (message, level) = ("no".into(), "error".into());
        Diagnostic { message, code: None, level, spans, children, rendered: None }
    }

    #[test]
    fn an_error_leads_to_the_unit_that_is_most_to_blame() {
        let plan = Plan::new(&sample::api(Path::new("out")));
        let sources = Sources::new(&Live::new(&plan, &Pruned::new()));
        let line = |file: &str, text: &str| {
            sources.files[file].lines().position(|line| line.contains(text)).unwrap() + 1
        };
        let (push, pop) = (line("ops_0.rs", "<T0>::push("), line("ops_0.rs", "<T0>::pop("));
        let here = |line, is_primary| place("src/ops_0.rs", line, is_primary);
        let foreign = || place("/elsewhere/src/ops_0.rs", push, true);
        let check = |diagnostic: Diagnostic, expected: &[Unit]| {
            assert_eq!(units_of(&sources, &diagnostic), expected);
        };
        check(error(vec![here(push, true), here(pop, false)], vec![]), &[Unit::Op(1)]);
        check(error(vec![foreign(), here(pop, false)], vec![]), &[Unit::Op(2)]);
        let notes = vec![error(vec![foreign()], vec![]), error(vec![here(pop, true)], vec![])];
        check(error(vec![foreign()], notes), &[Unit::Op(2)]);
        check(error(vec![foreign()], vec![]), &[]);
        let expansion = Box::new(crate::cargo::Expansion { span: here(push, true) });
        let inside_macro = Place { expansion: Some(expansion), ..foreign() };
        check(error(vec![inside_macro], vec![]), &[Unit::Op(1)]);
    }
}
