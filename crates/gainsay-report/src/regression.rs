//! Passing sequences as `#[test]`s that hold on to what the subject does now.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::{ApiType, Elements, PROVIDERS_CRATE},
    regression::{About, Regression, StepClaim},
    ty::Ty,
};
use gainsay_wire::{ObjRef, OpId, Sequence};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    code::{self, Asserted, Book, Imports, Items, Style, ident, snake_case},
    witness::{
        Element, NoWitness, Old, Polish, comment::wrap, grouped, layout, parts_of, probe,
        statements,
    },
};

/// No more operations are named in the name of a test.
const NAMED: usize = 3;

/// A test on the way to its best form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionTest {
    /// What it makes and asserts.
    pub regression: Regression,
    /// Its name.
    pub name: String,
    /// What is said above it, by line.
    pub notes: Vec<String>,
    /// How it is written.
    pub form: Form,
    /// How the items of each claim are compared; `None` for a claim that is left out.
    pub items: Vec<Option<Items>>,
    /// Claims that did not hold in a test.
    pub failed: Vec<usize>,
}

/// How a test is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Elements are numbers, and what can be missed is left out.
    Bold,
    /// Elements are numbers, types are written out.
    Careful,
    /// Elements are of a type of their own.
    OwnElements,
}

/// What tests are written for.
#[derive(Clone, Debug)]
pub struct RegressionSetting<'a> {
    /// The crate as code names it.
    pub lib_name: &'a str,
    /// `name version`
    pub subject: String,
    /// What the package's edition lacks.
    pub old: Old,
    /// How elements of the subject's types are walked.
    pub types: &'a [ApiType],
    /// How people run the tests, without the file's name.
    pub command: String,
    /// What the tests are there for.
    pub purpose: Purpose,
}

/// What passing tests are there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To notice changes.
    Regressions,
    /// To be looked at: each contradicts what had been inferred without it.
    Selected,
}

/// A file of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionFile {
    /// The file's text.
    pub text: String,
    /// The claims that became assertions, by test, in their order.
    pub assertions: Vec<Vec<usize>>,
    /// Statements in it, assertions included.
    pub statements: usize,
}

impl RegressionFile {
    /// The number of the test in which a line stands, counted from 1.
    pub fn test_at(&self, line: usize) -> Option<usize> {
        let before = self.text.lines().take(line);
        before.filter(|line| *line == "#[test]").count().checked_sub(1)
    }

    /// The claim whose assertion stands in a line, counted from 1, with the number of its test.
    pub fn claim_at(&self, line: usize) -> Option<(usize, usize)> {
        const BEGIN: &str = "    assert";
        let lines: Vec<&str> = self.text.lines().collect();
        let begins = |line: &str| {
            line.strip_prefix("    ")
                .is_some_and(|it| it.starts_with(|c: char| c.is_alphanumeric()))
        };
        let start = (0..line.min(lines.len())).rev().find(|at| begins(lines[*at]))?;
        let before = &lines[..start];
        let test = self.test_at(start)?;
        let first = before.iter().rposition(|line| *line == "#[test]")?;
        let passed = before[first..].iter().filter(|line| line.starts_with(BEGIN)).count();
        let claim = self.assertions.get(test)?.get(passed)?;
        lines[start].starts_with(BEGIN).then_some((test, *claim))
    }
}

impl Form {
    /// What to try when the compiler does not take this.
    pub fn next(self) -> Option<Form> {
        match self {
            Form::Bold => Some(Form::Careful),
            Form::Careful => Some(Form::OwnElements),
            Form::OwnElements => None,
        }
    }

    fn element(self) -> Element {
        match self {
            Form::Bold | Form::Careful => Element::Integer,
            Form::OwnElements => Element::Tuple,
        }
    }

    fn polish(self) -> Polish {
        match self {
            Form::Bold => Polish::Bold,
            Form::Careful | Form::OwnElements => Polish::Careful,
        }
    }
}

impl RegressionTest {
    /// Tests for these, each with a name of its own.
    pub fn all(regressions: Vec<Regression>) -> Vec<RegressionTest> {
        let mut taken: BTreeMap<String, u32> = BTreeMap::new();
        let test = |regression: Regression| {
            let base = name(&regression.calls);
            let count = taken.entry(base.clone()).or_insert(0);
            *count += 1;
            let name = if *count == 1 { base } else { format!("{base}_{count}") };
            let items = vec![Some(Items::Lent); regression.claims.len()];
            let (form, notes, failed) = (Form::Bold, Vec::new(), Vec::new());
            RegressionTest { regression, name, notes, form, items, failed }
        };
        regressions.into_iter().map(test).collect()
    }

    /// The test without the call after which a claim stands, and without all that follows; `None`
    /// when nothing is left.
    pub fn until(&self, claim: usize) -> Option<RegressionTest> {
        let Regression { sequence, calls, claims } = &self.regression;
        let end = self.regression.call_of(claims.get(claim)?.step);
        let steps = sequence.steps.get(..end).filter(|steps| !steps.is_empty())?.to_vec();
        let left = |claim: &&StepClaim| claim.step < end;
        let claims: Vec<StepClaim> = claims.iter().filter(left).cloned().collect();
        let calls = calls.iter().filter(|(step, _)| *step < end).cloned().collect();
        let items = self.items.iter().zip(&self.regression.claims);
        let items = items.filter(|(_, claim)| left(claim)).map(|(items, _)| *items).collect();
        let regression = Regression { sequence: Sequence { steps }, calls, claims };
        Some(RegressionTest { regression, items, failed: Vec::new(), ..self.clone() })
    }

    fn style(&self, book: Book<'_>, types: &[ApiType]) -> Style {
        let mut style = Style { probe: self.form.element().form(), ..Style::default() };
        for (at, claim) in self.regression.claims.iter().enumerate() {
            let Some(items) = self.items[at] else {
                // A question whose answer is not looked at need not be asked.
                if claim.about == About::Result && self.regression.only_asks(claim.step) {
                    style.silent.insert(claim.step);
                }
                continue;
            };
            let asserted = Asserted { value: claim.value.clone(), items };
            match claim.about {
                About::Result => {
                    style.asserted.insert(claim.step, asserted);
                }
                About::Elements(object) => {
                    let how = ty_of(&self.regression.sequence, book, object)
                        .and_then(|ty| elements(types, &ty));
                    let Some(how) = how else { continue };
                    style.kept.push(object);
                    style.elements.entry(claim.step).or_default().push((object, how, asserted));
                }
            }
        }
        style
    }

    /// The claims that were written, by what the assertions are about.
    fn claims_of(&self, assertions: &[(usize, Option<ObjRef>)]) -> Vec<usize> {
        let claim = |&(step, object): &(usize, Option<ObjRef>)| {
            let about = object.map_or(About::Result, About::Elements);
            let claims = &self.regression.claims;
            claims.iter().position(|claim| claim.step == step && claim.about == about)
        };
        assertions.iter().filter_map(claim).collect()
    }
}

/// One file with these tests.
pub fn regression_file(
    tests: &[&RegressionTest],
    book: Book<'_>,
    setting: &RegressionSetting<'_>,
    file_stem: &str,
) -> Result<RegressionFile, NoWitness> {
    let mut imports = Imports::default();
    let (mut functions, mut bodies) = (Vec::new(), TokenStream::new());
    let (mut count, mut assertions) = (0, Vec::new());
    for test in tests {
        let style = test.style(book, setting.types);
        let element = test.form.element();
        let written = code::write_with(
            &test.regression.sequence,
            book,
            &style,
            imports.in_form(element.form()),
        );
        imports = written.imports;
        let body = setting.old.adapted(test.form.polish().applied(written.statements));
        if body.to_string().contains(PROVIDERS_CRATE) {
            return Err(NoWitness::Provided);
        }
        count += statements(&body);
        assertions.push(test.claims_of(&written.assertions));
        let name = ident(&test.name);
        let notes = test.notes.iter().map(|note| format!(" {note}"));
        functions.push(quote!(#(#[doc = #notes])* #[test] fn #name() { #body }));
        bodies.extend(body);
    }
    let mut items = Vec::new();
    if imports.names_probe() {
        items.extend(probe::items(&Element::Tuple, probe::Manner::default(), &bodies));
    }
    items.extend(functions);
    let mut parts = vec![comment(setting, file_stem)];
    let uses = uses(&imports, setting.old, &bodies);
    let declared = setting.old.extern_crates(setting.lib_name, &uses);
    if !declared.is_empty() {
        parts.push(layout(&declared)?);
    }
    if !uses.is_empty() {
        parts.push(layout(&quote!(#(#uses)*))?);
    }
    for item in &items {
        parts.push(layout(item)?);
    }
    Ok(RegressionFile { text: parts.join("\n"), assertions, statements: count })
}

fn comment(setting: &RegressionSetting<'_>, file_stem: &str) -> String {
    let RegressionSetting { subject, command, .. } = setting;
    let mut text = String::new();
    let (origin, meaning) = match setting.purpose {
        Purpose::Regressions => (
            "emit --regressions",
            "No claim that it is right: a test that fails tells of a change, and whoever meant it \
             mends the test.",
        ),
        Purpose::Selected => (
            "select",
            "Each test contradicts what all calls before it had suggested. No claim that the \
             crate is right or wrong: whoever knows says which, and keeps the test or mends it.",
        ),
    };
    wrap(&mut text, &format!("What {subject} does, as `cargo gainsay {origin}` saw it."));
    wrap(&mut text, meaning);
    text.push_str("//!\n");
    wrap(&mut text, &format!("Run with `{command} --test {file_stem}`."));
    text
}

fn uses(imports: &Imports, old: Old, code: &TokenStream) -> Vec<TokenStream> {
    let paths: BTreeSet<(bool, &str)> = imports
        .uses()
        .chain(old.missing(code))
        .map(|path| (!path.starts_with("std::"), path))
        .collect();
    grouped(paths.into_iter().map(|(_, path)| path))
}

/// `slab_insert_remove`: the last operations that it is about, each type named once.
fn name(calls: &[(usize, String)]) -> String {
    let mut named: Vec<(String, String)> = Vec::new();
    for (_, operation) in calls.iter().rev() {
        let (ty, method) = parts_of(operation);
        let ty = snake_case(ty.trim_start_matches(['&', ' ']).trim_start_matches("mut "));
        let parts = (ty, snake_case(&method));
        let is_end = parts.1 == "drop" && calls.len() > 1;
        if named.len() < NAMED && !is_end && !named.contains(&parts) {
            named.push(parts);
        }
    }
    named.reverse();
    let mut words: Vec<&str> = Vec::new();
    let mut types: BTreeSet<&str> = BTreeSet::new();
    for (ty, method) in &named {
        if types.insert(ty) {
            words.push(ty);
        }
        words.push(method);
    }
    words.retain(|word| !word.is_empty());
    let name = words.join("_");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("calls_{name}") }
}

fn ty_of(sequence: &Sequence, book: Book<'_>, object: ObjRef) -> Option<Ty> {
    let op: OpId = sequence.steps.get(object.step as usize)?.op;
    Some(book.spelling(op)?.makes.get(object.out as usize)?.ty.clone())
}

fn elements(types: &[ApiType], ty: &Ty) -> Option<Elements> {
    types.iter().find(|known| known.ty == *ty).and_then(|known| known.elements)
}

#[cfg(test)]
mod tests;
