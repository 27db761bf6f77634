//! Sequence models: what a sequence after the call was made from, always or in a few cases; else
//! what it has in common with what it was.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Function, Root, Term, When};

use crate::{
    atom::{Atom, Shape},
    candidate::{Candidate, Family, Likeness, Settled},
    cases::{self, Case},
    clamped, forms,
    relation::is_sequence,
    scene::Scene,
    source::{Sequence, Sources},
    taken,
};

const POST: ContractKind = ContractKind::Postcondition;

/// Rows on which a model must be true at least once; most are true on none.
const FIRST_BATCH: usize = 64;

/// What was found, and the models that hold on some calls only.
#[derive(Default)]
pub(crate) struct Models {
    pub(crate) found: Vec<Candidate>,
    pub(crate) partial: Vec<Atom>,
}

/// The models of all sequences that a call changes or makes.
pub(crate) fn candidates(scene: &Scene<'_>) -> Models {
    let mut sources = Sources::of(&scene.table);
    let causes = cases::causes(scene);
    sources.add_result(scene);
    let mut models = Models::default();
    for at in targets(scene) {
        let modelling = Modelling { scene, sources: &sources, causes, at };
        modelling.add_to(&mut models);
    }
    models
}

/// Sequences after the call that the call can have changed or made.
fn targets(scene: &Scene<'_>) -> Vec<usize> {
    let is_target = |at: &usize| {
        let column = scene.column(*at);
        let is_new = column.term.when == When::After && is_sequence(column);
        let changed = scene.before(*at).is_none_or(|old| !column.always_equals(scene.column(old)));
        is_new && changed && !scene.is_explained(*at)
    };
    (0..scene.table.columns.len()).filter(is_target).collect()
}

/// One sequence under study.
struct Modelling<'s, 'a> {
    scene: &'s Scene<'a>,
    sources: &'s Sources,
    causes: &'s [Atom],
    at: usize,
}

impl Modelling<'_, '_> {
    fn add_to(&self, models: &mut Models) {
        let (forms, clamped) = (self.forms(), self.clamped());
        let attempts = [
            (Likeness::Equal, &forms),
            (Likeness::Equal, &clamped),
            (Likeness::Permutation, &forms),
        ];
        for (likeness, forms) in attempts {
            if likeness == Likeness::Permutation
                && let Some(found) = taken::anywhere(self.scene, self.at)
            {
                models.found.extend(found);
                return;
            }
            let atoms = self.atoms(forms, likeness);
            let found = self.whole(&atoms).map(|claim| vec![claim]).or_else(|| self.cases(&atoms));
            if let Some(mut found) = found {
                let settled = Settled { term: self.term().clone(), likeness };
                for claim in &mut found {
                    claim.settles = Some(settled.clone());
                }
                models.found.extend(found);
                self.scene.explain(self.at);
                return;
            }
            if likeness == Likeness::Equal {
                models.partial.extend(widest(&atoms));
            }
        }
        models.found.extend(self.kinship());
    }

    fn term(&self) -> &Term {
        &self.scene.column(self.at).term
    }

    /// What it may have been made from: what it was, or for a new one any sequence.
    fn bases(&self) -> Vec<&Sequence> {
        match self.sources.own(self.term()) {
            Some(own) => vec![own],
            None => self.sources.sequences.iter().collect(),
        }
    }

    fn forms(&self) -> Vec<Expr> {
        let is_new = !matches!(self.term().root, Root::Operand(_));
        let mut forms = Vec::new();
        for base in self.bases() {
            forms.extend(forms::sequences(base, self.sources));
            forms.extend(forms::parts(base).into_iter().filter(|_| is_new));
        }
        if is_new {
            forms.extend(self.sources.repeated());
        }
        forms
    }

    /// What is kept of such forms where there is not room for all.
    fn clamped(&self) -> Vec<Expr> {
        let bases = self.bases().into_iter();
        bases.flat_map(|base| clamped::sequences(base, self.sources)).collect()
    }

    /// The forms that are right on some calls.
    fn atoms(&self, forms: &[Expr], likeness: Likeness) -> Vec<Atom> {
        let target = Expr::term(self.term().clone());
        let mut found: Vec<Atom> = Vec::new();
        for form in forms {
            let claim = match likeness {
                Likeness::Equal => target.clone().equals(form.clone()),
                Likeness::Permutation if is_sorted_form(form) => continue,
                Likeness::Permutation => {
                    Expr::call(Function::Permutation, [target.clone(), form.clone()])
                }
            };
            if !self.scene.table.begins_well(&claim, FIRST_BATCH) {
                continue;
            }
            let (yes, known) = self.scene.table.judge(&claim);
            if !found.iter().any(|other| other.expr == claim) {
                found.push(Atom::new(claim, yes, known, Shape::Model, self.term()));
            }
        }
        found
    }

    /// The first that is always right.
    fn whole(&self, atoms: &[Atom]) -> Option<Candidate> {
        let whole =
            |atom: &&Atom| self.scene.told(&atom.expr).within(&atom.yes) && self.tells(atom);
        let atom = atoms.iter().find(whole)?;
        let expr = self.scene.present(&atom.expr);
        self.scene.claim(POST, Family::Model, expr, &atom.known)
    }

    /// Whether it was seen on different values, and not on nothing but empty ones.
    fn tells(&self, atom: &Atom) -> bool {
        let column = self.scene.column(self.at);
        let mut values: Vec<_> = atom.yes.rows().map(|row| column.value(row)).collect();
        values.sort();
        values.dedup();
        values.len() > 1 || self.scene.options.is_given() && !values.is_empty()
    }

    fn cases(&self, atoms: &[Atom]) -> Option<Vec<Candidate>> {
        let rows = cases::rows(self.scene, &self.scene.column(self.at).known, atoms);
        let found: Vec<Case<'_>> = cases::find(self.scene, self.causes, atoms, &rows)?;
        let claim = |case: &Case<'_>| case.claim(self.scene, Family::Model);
        Some(found.iter().map(claim).collect())
    }

    /// What a sequence has in common with what it was, the strongest that always holds.
    fn kinship(&self) -> Option<Candidate> {
        let target = Expr::term(self.term().clone());
        let own = self.sources.own(self.term())?.expr();
        let set = |of: Expr| Expr::call(Function::Set, [of]);
        let call = |function, a: &Expr, b: &Expr| Expr::call(function, [a.clone(), b.clone()]);
        let mut kinds = vec![call(Function::Prefix, &own, &target)];
        kinds.push(call(Function::Prefix, &target, &own));
        kinds.push(call(Function::Suffix, &own, &target));
        kinds.push(call(Function::Suffix, &target, &own));
        kinds.push(set(target.clone()).equals(set(own.clone())));
        let base = self.sources.own(self.term())?;
        for other in forms::others(base, self.sources) {
            let together = call(Function::Union, &own, &other);
            kinds.push(set(target.clone()).equals(together));
        }
        kinds.push(call(Function::Subsequence, &target, &own));
        kinds.push(call(Function::Subsequence, &own, &target));
        kinds.push(call(Function::Subset, &target, &own));
        kinds.push(call(Function::Subset, &own, &target));
        kinds.into_iter().find_map(|claim| {
            let (yes, known) = self.scene.table.judge(&claim);
            let atom = Atom::new(claim.clone(), yes, known, Shape::Model, self.term());
            let fits = atom.yes == atom.known && self.is_at_risk(&atom, &own);
            fits.then(|| self.scene.claim(POST, Family::Kinship, claim, &atom.known))?
        })
    }

    /// Whether both were there, with several elements, often enough for nothing in common to show.
    fn is_at_risk(&self, atom: &Atom, own: &Expr) -> bool {
        let several =
            |expr: &Expr| forms::len(expr).compare(gainsay_wire::Comparison::Gt, Expr::int(1));
        let (now, _) = self.scene.table.judge(&several(&Expr::term(self.term().clone())));
        let (was, _) = self.scene.table.judge(&several(own));
        now.and(&was).and(&atom.known).count() >= self.scene.min_rows()
    }
}

/// Whether a form is in order by its making, so that another order would be of no use.
fn is_sorted_form(form: &Expr) -> bool {
    matches!(
        form,
        Expr::Call(
            Function::Sort
                | Function::Reverse
                | Function::Rotate
                | Function::Swap
                | Function::Set
                | Function::Union
                | Function::Intersection
                | Function::Difference
                | Function::Symmetric,
            _
        )
    )
}

/// Without the models that hold only where another holds too: prepending to nothing is appending.
fn widest(models: &[Atom]) -> Vec<Atom> {
    let is_narrow = |(at, atom): (usize, &Atom)| {
        models.iter().enumerate().any(|(other_at, other)| {
            let same = atom.yes == other.yes;
            at != other_at && atom.yes.within(&other.yes) && (!same || other_at < at)
        })
    };
    let all = models.iter().enumerate();
    all.filter(|(at, atom)| !is_narrow((*at, atom))).map(|(_, atom)| atom.clone()).collect()
}
