//! What a result is to the elements: the one at a position, under a key, at an end; where an
//! element stands, how many there are.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Function, Root, Term, Test, Value, When};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family, Likeness, Settled},
    cases::{self, Case},
    forms,
    readings::{self, Reading},
    scene::{Scene, is_most},
    source::{Kind, Sequence, Sources},
};

const POST: ContractKind = ContractKind::Postcondition;
/// Rows on which a claim must be true at least once; most are true on none.
const FIRST_BATCH: usize = 64;
/// How deep results are taken apart.
const DEPTH: u8 = 2;

/// What the result is to the elements, if that is always the same or tells in a few cases.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let Some(at) = scene.table.position(&Term::result()) else { return Vec::new() };
    let column = scene.column(at);
    let plain = column.bools().is_none() && !column.is_constant() && !scene.is_explained(at);
    let sources = Sources::of(&scene.table);
    if !plain || sources.sequences.is_empty() && sources.values.is_empty() {
        return Vec::new();
    }
    let causes = cases::causes(scene);
    let reading = Looking { scene, sequences: sequences(scene, &sources), sources, causes };
    let whole =
        Part { expr: Expr::term(Term::result()), rows: column.known.clone(), when: None, depth: 0 };
    let mut told = reading.tell(&whole).unwrap_or_default();
    if told.iter().all(|claim| !is_partial(&claim.expr)) {
        let settled = Settled { term: Term::result(), likeness: Likeness::Equal };
        for claim in &mut told {
            claim.settles = Some(settled.clone());
        }
    }
    told
}

/// Whether it tells only a part of the result.
fn is_partial(claim: &Expr) -> bool {
    match claim {
        Expr::Implies(_, then) => is_partial(then),
        Expr::Compare(_, of, _) => !matches!(**of, Expr::Term(_)),
        _ => true,
    }
}

/// The sequences before the call, and those after it that differ.
fn sequences(scene: &Scene<'_>, sources: &Sources) -> Vec<Sequence> {
    let mut all = sources.sequences.clone();
    for sequence in &sources.sequences {
        let after = sequence.term.at(When::After);
        let is_view = matches!(after.root, Root::Operand(_)) && after.query.is_some();
        let at = scene.table.position(&after).filter(|_| is_view && !scene.is_shared(&after));
        if at.is_some() {
            all.push(Sequence { term: after, ..sequence.clone() });
        }
    }
    all
}

/// The result or something in it.
struct Part {
    expr: Expr,
    /// Where it is there.
    rows: Bits,
    /// The condition under which it is there, if it is not always.
    when: Option<Expr>,
    depth: u8,
}

struct Looking<'s, 'a> {
    scene: &'s Scene<'a>,
    sources: Sources,
    sequences: Vec<Sequence>,
    causes: &'s [Atom],
}

impl Looking<'_, '_> {
    /// What can be said of a part, whole or taken apart.
    fn tell(&self, part: &Part) -> Option<Vec<Candidate>> {
        let values = self.values(part);
        let first = values.first()?;
        let readings = self.readings(&values);
        let atoms = self.atoms(part, &readings);
        if let Some(claim) = self.whole(part, &atoms) {
            return Some(vec![claim]);
        }
        if let Some(found) = self.cases(part, &atoms) {
            return Some(found);
        }
        let told = match first {
            _ if part.depth == DEPTH => None,
            Value::Tuple(parts) => self
                .halves(part, parts)
                .map(|claim| vec![claim])
                .or_else(|| self.tell_parts(part, parts.len())),
            Value::Opt(_) => self.tell_inside(part, Test::IsSome),
            Value::Res(..) => self.tell_inside(part, Test::IsOk),
            _ => None,
        };
        match (told, self.membership(part, first).or_else(|| self.pointing(part, first))) {
            (None, None) => None,
            (told, member) => Some(told.unwrap_or_default().into_iter().chain(member).collect()),
        }
    }

    /// `contains(old(self.seq()), result)` where that is all that can be told.
    fn membership(&self, part: &Part, value: &Value) -> Option<Candidate> {
        let kind = Kind::of(value);
        let holds = self.sequences.iter().filter(|sequence| sequence.items.as_ref() == Some(&kind));
        let claims = holds.map(|sequence| {
            let args = [sequence.expr(), part.expr.clone()];
            let claim = Expr::call(Function::Contains, args);
            let (yes, known) = self.scene.table.judge(&claim);
            Atom::new(claim, yes, known, Shape::Member, &Term::result())
        });
        // That one of a few is found among many says little.
        let claims: Vec<Atom> = claims.filter(|_| !matches!(value, Value::Int(_))).collect();
        self.whole(part, &claims)
    }

    /// `result.0 ++ result.1 == self.seq()`
    fn halves(&self, part: &Part, parts: &[Value]) -> Option<Candidate> {
        if !matches!(parts, [Value::Seq(_), Value::Seq(_)]) {
            return None;
        }
        let both = part.expr.clone().part(0).concat(part.expr.clone().part(1));
        let claims = self.sequences.iter().map(|sequence| {
            let claim = both.clone().equals(sequence.expr());
            let (yes, known) = self.scene.table.judge(&claim);
            Atom::new(claim, yes, known, Shape::Equal, &Term::result())
        });
        self.whole(part, &claims.collect::<Vec<_>>())
    }

    /// The parts of a tuple, each for itself; what cannot be told of one is left open.
    fn tell_parts(&self, part: &Part, count: usize) -> Option<Vec<Candidate>> {
        let mut found = Vec::new();
        for at in (0..).take(count) {
            let expr = part.expr.clone().part(at);
            let inner = Part {
                expr,
                rows: part.rows.clone(),
                when: part.when.clone(),
                depth: part.depth + 1,
            };
            found.extend(self.tell(&inner).unwrap_or_default());
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// What is inside `Some` or `Ok`. When it is there is for others to say.
    fn tell_inside(&self, part: &Part, test: Test) -> Option<Vec<Candidate>> {
        let there = Expr::Test(test, Box::new(part.expr.clone()));
        let (yes, _) = self.scene.table.judge(&there);
        let rows = yes.and(&part.rows);
        if part.when.is_some() || rows.count() < self.scene.min_rows() {
            return None;
        }
        let expr = part.expr.clone().unwrapped();
        let when = Some(there.clone());
        let mut found = self.tell(&Part { expr, rows, when, depth: part.depth + 1 })?;
        found.extend(self.presence(part, there, &yes));
        Some(found)
    }

    /// When something is there.
    fn presence(&self, part: &Part, there: Expr, yes: &Bits) -> Option<Candidate> {
        let fits = |cause: &&Atom| {
            let rows = part.rows.and(&cause.known);
            cause.shape != Shape::Outcome
                && is_most(rows.count(), part.rows.count())
                && [cause.yes.and(&rows), cause.no().and(&rows)].contains(&yes.and(&rows))
        };
        let cause = self.causes.iter().find(fits)?;
        let agrees = cause.yes.and(&part.rows).within(yes);
        let when = if agrees { cause.expr.clone() } else { cause.expr.negated() };
        let known = part.rows.and(&cause.known);
        self.scene.claim(POST, Family::Result, there.iff(self.scene.present(&when)), &known)
    }

    /// `self.seq()[result] == element`
    fn pointing(&self, part: &Part, value: &Value) -> Option<Candidate> {
        value.as_int()?;
        let mut claims = Vec::new();
        for sequence in &self.sequences {
            for element in forms::elements(sequence, &self.sources) {
                let claim = sequence.expr().index(part.expr.clone()).equals(element);
                let (yes, known) = self.scene.table.judge(&claim);
                claims.push(Atom::new(claim, yes, known, Shape::Equal, &Term::result()));
            }
        }
        self.whole(part, &claims)
    }

    fn values(&self, part: &Part) -> Vec<Value> {
        let values = part.rows.rows().map(|row| self.scene.table.value(&part.expr, row));
        values.filter(|value| !value.is_undefined()).collect()
    }

    /// What such values may be read from.
    fn readings(&self, values: &[Value]) -> Vec<Expr> {
        let mut inside: Vec<Reading> = Vec::new();
        for value in values {
            let reading = Reading::of(value);
            if !inside.contains(&reading) {
                inside.push(reading);
            }
        }
        let mut found: Vec<Expr> = Vec::new();
        for reading in &inside {
            found.extend(readings::of(reading, &self.sequences, &self.sources));
        }
        // What it mostly is, as a constant: `None`, `Ok(())`, an error.
        found.extend(readings::constants(values));
        found
    }

    fn atoms(&self, part: &Part, readings: &[Expr]) -> Vec<Atom> {
        let mut found: Vec<Atom> = Vec::new();
        for reading in readings {
            let claim = part.expr.clone().equals(reading.clone());
            if !self.scene.table.begins_well(&claim, FIRST_BATCH) {
                continue;
            }
            let (yes, known) = self.scene.table.judge(&claim);
            let atom = Atom::new(claim, yes, known, Shape::Equal, &Term::result());
            if atom.yes.and(&part.rows).count() >= self.scene.options.min_at_risk() {
                found.push(atom);
            }
        }
        found
    }

    fn whole(&self, part: &Part, atoms: &[Atom]) -> Option<Candidate> {
        let fits = |atom: &&Atom| {
            part.rows.and(&self.scene.told(&atom.expr)).within(&atom.yes) && self.tells(part, atom)
        };
        let atom = atoms.iter().find(fits)?;
        let claim = self.scene.present(&atom.expr);
        let expr = match &part.when {
            Some(when) => when.clone().implies(claim),
            None => claim,
        };
        let mut claim = self.scene.claim(POST, Family::Result, expr, &told(part, atom))?;
        claim.at_risk = part.rows.count() as u64;
        Some(claim)
    }

    /// Whether it was seen on different values, so often that it is no accident.
    fn tells(&self, part: &Part, atom: &Atom) -> bool {
        let rows = atom.yes.and(&part.rows);
        let mut values: Vec<Value> =
            rows.rows().map(|row| self.scene.table.value(&part.expr, row)).collect();
        values.sort();
        values.dedup();
        values.len() > 2 || self.scene.options.is_given() && !values.is_empty()
    }

    fn cases(&self, part: &Part, atoms: &[Atom]) -> Option<Vec<Candidate>> {
        let varied = |atom: &&Atom| !is_constant(&atom.expr);
        if !atoms.iter().any(|atom| varied(&atom)) {
            return None;
        }
        let own = |cause: &&Atom| cause.shape != Shape::Outcome;
        let causes: Vec<Atom> = self.causes.iter().filter(own).cloned().collect();
        let rows = cases::rows(self.scene, &part.rows, atoms);
        let found: Vec<Case<'_>> = cases::find(self.scene, &causes, atoms, &rows)?;
        let with = |case: &Case<'_>| {
            let mut claim = case.claim(self.scene, Family::Result);
            if let (Some(there), Expr::Implies(when, then)) = (&part.when, &claim.expr) {
                let both = Expr::And(vec![there.clone(), (**when).clone()]);
                claim.expr = both.implies((**then).clone());
            }
            claim
        };
        Some(found.iter().map(with).collect())
    }
}

/// Where the claim can be told, or says nothing.
fn told(part: &Part, atom: &Atom) -> Bits {
    if part.when.is_some() { part.rows.not().or(&atom.known) } else { atom.known.clone() }
}

fn is_constant(claim: &Expr) -> bool {
    matches!(claim, Expr::Compare(_, _, value) if matches!(**value, Expr::Const(_)))
}
