//! What a call takes away and returns: `old(self.seq()) == self.seq() ++ [result]`.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Root, Term, Test, Value, When};

use crate::{
    bits::Bits,
    candidate::{Candidate, Family},
    column::Column,
    inside::content,
    relation::is_sequence,
    scene::Scene,
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
            };
            found.extend([End::Back, End::Front].into_iter().find_map(|end| taking.from(end)));
        }
    }
    found
}

/// Which end is taken from.
#[derive(Clone, Copy)]
enum End {
    Back,
    Front,
}

struct Taking<'s, 'a> {
    scene: &'s Scene<'a>,
    old: &'s Column<'a>,
    new: &'s Column<'a>,
    result: &'s Column<'a>,
}

impl Taking<'_, '_> {
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
        let several = |row: &usize| items(self.old, *row).len() > 1;
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
        let (old, new) = (items(self.old, row), items(self.new, row));
        let split = match end {
            End::Back => old.split_last(),
            End::Front => old.split_first(),
        };
        split.is_some_and(|(element, rest)| element == taken && rest == new)
    }

    fn model(&self, element: Expr, end: End) -> Expr {
        let single = Box::new(Expr::Single(Box::new(element)));
        let rest = Box::new(Expr::term(self.new.term.clone()));
        let made = match end {
            End::Back => Expr::Concat(rest, single),
            End::Front => Expr::Concat(single, rest),
        };
        Expr::term(self.old.term.clone()).equals(made)
    }
}

fn items<'a>(column: &Column<'a>, row: usize) -> &'a [Value] {
    match column.values().map(|(_, values)| values[row]) {
        Some(Value::Seq(items)) => items,
        _ => &[],
    }
}
