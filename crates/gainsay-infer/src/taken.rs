//! What a call takes away and returns: `old(self.seq()) == self.seq() ++ [result]`.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Function, Root, Term, Test, Value, When};

use crate::{
    bits::Bits,
    candidate::{Candidate, Family, Likeness, Settled},
    column::Column,
    forms,
    inside::content,
    relation::is_sequence,
    scene::Scene,
    source::Sources,
};

const POST: ContractKind = ContractKind::Postcondition;

/// Sequences that lose their first or last element to the result.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let Some(at) = scene.table.position(&Term::result()) else { return Vec::new() };
    let mut found = Vec::new();
    for (before, after) in scene.pairs_in_time() {
        let is_own = matches!(scene.column(after).term.root, Root::Operand(_))
            && scene.column(after).term.when == When::After;
        if is_own && is_sequence(scene.column(after)) && !scene.is_explained(after) {
            let taking = Taking {
                scene,
                old: scene.column(before),
                new: scene.column(after),
                result: scene.column(at),
                added: None,
            };
            let ends = [End::Back, End::Front];
            let Some(claims) = ends.into_iter().find_map(|end| taking.claims(end)) else {
                continue;
            };
            if claims.iter().all(|claim| claim.settles.is_some()) {
                scene.explain(after);
            }
            found.extend(claims);
        }
    }
    found
}

/// What is returned was an element of the sequence at `after`, and the others are left.
pub(crate) fn anywhere(scene: &Scene<'_>, after: usize) -> Option<Vec<Candidate>> {
    let (at, before) = (scene.table.position(&Term::result())?, scene.before(after)?);
    let [old, new, result] = [before, after, at].map(|at| scene.column(at));
    let sources = Sources::of(&scene.table);
    let given = sources.own(&new.term).map_or_else(Vec::new, |own| forms::elements(own, &sources));
    let added = [None].into_iter().chain(given.into_iter().map(Some));
    let claims = |added| Taking { scene, old, new, result, added }.claims(End::Any);
    added.filter_map(claims).find(|claims| claims.iter().all(|claim| claim.settles.is_some()))
}

/// Which end is taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Back,
    Front,
    /// Anywhere, with the order of the rest open.
    Any,
}

struct Taking<'s, 'a> {
    scene: &'s Scene<'a>,
    old: &'s Column<'a>,
    new: &'s Column<'a>,
    result: &'s Column<'a>,
    /// What is given and put in before anything is taken.
    added: Option<Expr>,
}

impl Taking<'_, '_> {
    /// What is taken, and that nothing is where nothing is returned.
    fn claims(&self, end: End) -> Option<Vec<Candidate>> {
        let mut claims = vec![self.from(end)?];
        let stays = self.rest();
        let all = claims[0].at_risk == claims[0].distinct || stays.is_some();
        claims.extend(stays);
        let likeness = if end == End::Any { Likeness::Permutation } else { Likeness::Equal };
        let settled = Settled { term: self.new.term.clone(), likeness };
        for claim in &mut claims {
            claim.settles = all.then(|| settled.clone());
        }
        Some(claims)
    }

    /// `result.is_none() ==> self.seq() == old(self.seq())`
    fn rest(&self) -> Option<Candidate> {
        let test = match self.result.sample()? {
            Value::Opt(_) => Test::IsNone,
            Value::Res(..) => Test::IsErr,
            _ => return None,
        };
        let known = self.old.known.and(&self.new.known).and(&self.result.known);
        let nothing =
            Bits::from_fn(known.len(), |row| known.get(row) && content(self.result, row).is_none());
        let same = |row: usize| self.was(row) == items(self.new, row);
        if nothing.is_none() || !nothing.rows().all(same) {
            return None;
        }
        let none = Expr::Test(test, Box::new(Expr::term(self.result.term.clone())));
        let stays = Expr::term(self.new.term.clone()).equals(self.old());
        let mut claim = self.scene.claim(POST, Family::Model, none.implies(stays), &known)?;
        claim.at_risk = nothing.count() as u64;
        Some(claim)
    }

    /// The claim, if every result that is there was at this end and lists of several elements
    /// were among those.
    fn from(&self, end: End) -> Option<Candidate> {
        let known = self.old.known.and(&self.new.known).and(&self.result.known);
        let wrapped = matches!(self.result.sample(), Some(Value::Opt(_) | Value::Res(..)));
        let taken = |row| {
            if wrapped { content(self.result, row).cloned() } else { Some(self.result.value(row)) }
        };
        let there = Bits::from_fn(known.len(), |row| known.get(row) && taken(row).is_some());
        let fits = |row| taken(row).is_some_and(|taken| self.is_taken(row, &taken, end));
        let several = |row: &usize| self.was(*row).len() > 1;
        let least = self.scene.min_rows();
        if there.rows().filter(several).count() < least || !there.rows().all(fits) {
            return None;
        }
        let result = Expr::term(self.result.term.clone());
        let element = if wrapped { result.clone().unwrapped() } else { result.clone() };
        let model = self.model(element, end);
        let expr = match self.result.sample()? {
            Value::Opt(_) => Expr::Test(Test::IsSome, Box::new(result)).implies(model),
            Value::Res(..) => Expr::Test(Test::IsOk, Box::new(result)).implies(model),
            _ => model,
        };
        let mut claim = self.scene.claim(POST, Family::Model, expr, &known)?;
        claim.at_risk = there.count() as u64;
        Some(claim)
    }

    fn is_taken(&self, row: usize, taken: &Value, end: End) -> bool {
        let (old, new) = (self.was(row), items(self.new, row));
        let split = match end {
            End::Back => old.split_last(),
            End::Front => old.split_first(),
            End::Any => return is_without(&old, taken, new),
        };
        split.is_some_and(|(element, rest)| element == taken && rest == new)
    }

    fn model(&self, element: Expr, end: End) -> Expr {
        let single = Box::new(Expr::Single(Box::new(element)));
        let rest = Box::new(Expr::term(self.new.term.clone()));
        let made = match end {
            End::Back | End::Any => Expr::Concat(rest, single),
            End::Front => Expr::Concat(single, rest),
        };
        if end == End::Any {
            return Expr::call(Function::Permutation, [self.old(), made]);
        }
        self.old().equals(made)
    }

    /// What there was to take from.
    fn old(&self) -> Expr {
        let old = Expr::term(self.old.term.clone());
        match &self.added {
            Some(added) => old.concat(added.clone().single()),
            None => old,
        }
    }

    fn was(&self, row: usize) -> Vec<Value> {
        let mut was = items(self.old, row).to_vec();
        was.extend(self.added.as_ref().map(|added| self.scene.table.value(added, row)));
        was
    }
}

/// Whether `new` has the elements of `old` without one that equals `taken`.
fn is_without(old: &[Value], taken: &Value, new: &[Value]) -> bool {
    let mut rest: Vec<&Value> = old.iter().collect();
    let Some(at) = rest.iter().position(|item| *item == taken) else { return false };
    rest.swap_remove(at);
    let mut new: Vec<&Value> = new.iter().collect();
    rest.sort();
    new.sort();
    rest == new
}

fn items<'a>(column: &Column<'a>, row: usize) -> &'a [Value] {
    match column.values().map(|(_, values)| values[row]) {
        Some(Value::Seq(items)) => items,
        _ => &[],
    }
}
