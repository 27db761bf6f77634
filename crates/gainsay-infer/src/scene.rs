//! What the families look at: an operation with its table, and which columns need no more words.

use std::cell::{OnceCell, RefCell};

use gainsay_model::contract::ContractKind;
use gainsay_wire::{
    Expr, Manifest, ManifestOp, ManifestParam, Mode, Observation, OpId, PlainType, Root, Term,
    TypeId, When,
};

use crate::{
    Options,
    atom::Atom,
    bits::Bits,
    candidate::{Candidate, Family},
    column::Column,
    states::States,
    table::Table,
};

/// One operation under inference.
pub(crate) struct Scene<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) op: &'a ManifestOp,
    pub(crate) id: OpId,
    /// The passing calls.
    pub(crate) table: Table<'a>,
    pub(crate) options: &'a Options,
    pub(crate) states: &'a States<'a>,
    explained: RefCell<Vec<bool>>,
    /// What may decide between cases, found when it is first asked for.
    pub(crate) causes: OnceCell<Vec<Atom>>,
    /// Operands that some call changed, whatever the signature says.
    changed: OnceCell<Vec<u32>>,
}

impl<'a> Scene<'a> {
    /// The scene of an operation; `None` when the manifest does not know it.
    pub(crate) fn new(
        manifest: &'a Manifest,
        id: OpId,
        observations: &'a [Observation],
        options: &'a Options,
        states: &'a States<'a>,
    ) -> Option<Scene<'a>> {
        Scene::where_(manifest, id, observations, options, states, |_| true)
    }

    /// The scene of those passing calls that `choose` takes.
    pub(crate) fn where_(
        manifest: &'a Manifest,
        id: OpId,
        observations: &'a [Observation],
        options: &'a Options,
        states: &'a States<'a>,
        choose: impl Fn(&Observation) -> bool,
    ) -> Option<Scene<'a>> {
        let op = manifest.ops.get(id.0 as usize)?;
        let terms: Vec<_> = manifest.vocabulary(id).terms().iter().cloned().enumerate().collect();
        let passing = observations
            .iter()
            .enumerate()
            .filter(|(_, observation)| observation.outcome.returned() && choose(observation));
        let table = Table::new(&terms, passing, |_| ());
        let explained = RefCell::new(vec![false; table.columns.len()]);
        let (causes, changed) = (OnceCell::new(), OnceCell::new());
        Some(Scene { manifest, op, id, table, options, states, explained, causes, changed })
    }

    pub(crate) fn column(&self, at: usize) -> &Column<'a> {
        &self.table.columns[at]
    }

    /// The columns that a contract of this kind is about, without those that are explained.
    pub(crate) fn subjects(&self, kind: ContractKind) -> Vec<usize> {
        let when = match kind {
            ContractKind::Postcondition => When::After,
            ContractKind::Precondition | ContractKind::Panics => When::Before,
        };
        let of_kind = |at: &usize| self.column(*at).term.when == when && !self.is_explained(*at);
        (0..self.table.columns.len()).filter(of_kind).collect()
    }

    /// Whether another contract or column tells all about this one.
    pub(crate) fn is_explained(&self, at: usize) -> bool {
        self.explained.borrow()[at]
    }

    pub(crate) fn explain(&self, at: usize) {
        self.explained.borrow_mut()[at] = true;
    }

    /// For a view after the call, the same view before.
    pub(crate) fn before(&self, at: usize) -> Option<usize> {
        let term = &self.column(at).term;
        let is_view = term.when == When::After && matches!(term.root, Root::Operand(_));
        is_view.then(|| self.table.position(&term.at(When::Before))).flatten()
    }

    /// Views after the call with the same views before.
    pub(crate) fn pairs_in_time(&self) -> Vec<(usize, usize)> {
        let all = 0..self.table.columns.len();
        all.filter_map(|at| self.before(at).map(|before| (before, at))).collect()
    }

    /// How the operand is passed that the term is a view of.
    pub(crate) fn mode(&self, term: &Term) -> Option<Mode> {
        match self.param(term)? {
            ManifestParam::Object(_, mode) => Some(*mode),
            ManifestParam::Plain(_) => None,
        }
    }

    /// Whether the operation does not change what the term looks at: its signature says so, and
    /// no call showed that there is a cell behind it.
    pub(crate) fn is_shared(&self, term: &Term) -> bool {
        let shared = |mode| matches!(mode, Some(Mode::Ref | Mode::OptRef));
        let stays = |at: u32| !self.changed().contains(&at);
        let with = term.with.is_none_or(|with| {
            let given = self.mode(&Term::operand(with));
            given.is_none() || shared(given) && stays(with)
        });
        let is_cell = matches!(term.root, Root::Operand(at) if !stays(at));
        shared(self.mode(term)) && !is_cell && with
    }

    fn changed(&self) -> &[u32] {
        self.changed.get_or_init(|| {
            let changed = |(before, after): (usize, usize)| {
                let (before, after) = (self.column(before), self.column(after));
                let same = before.equal(after)?;
                let both = before.known.and(&after.known);
                // What it has to do with another operand may change with that one.
                let own = after.term.query.is_some() && after.term.with.is_none();
                match after.term.root {
                    Root::Operand(at) if own && same != both => Some(at),
                    _ => None,
                }
            };
            self.pairs_in_time().into_iter().filter_map(changed).collect()
        })
    }

    /// The type of the object that the term is a view of.
    pub(crate) fn type_of(&self, root: Root) -> Option<TypeId> {
        match root {
            Root::Operand(index) => match self.op.params.get(index as usize)? {
                ManifestParam::Object(ty, _) => Some(*ty),
                ManifestParam::Plain(_) => None,
            },
            Root::Made(index) => self.op.makes.get(index as usize).copied(),
            Root::Result => None,
        }
    }

    /// Whether the elements of an object settle another of its views. The length needs no proof.
    pub(crate) fn follows_from_sequence(&self, sequence: &Term, other: &Term) -> bool {
        let names = (self.type_of(other.root), &sequence.query, &other.query);
        let (Some(ty), Some(sequence), Some(view)) = names else { return false };
        let by_law = matches!(view.as_str(), "len" | "is_empty");
        by_law || self.states.is_function_of(ty, sequence, view)
    }

    /// The type of a plain argument.
    pub(crate) fn plain_type(&self, term: &Term) -> Option<&'a PlainType> {
        match self.param(term)? {
            ManifestParam::Plain(ty) if term.query.is_none() => Some(ty),
            _ => None,
        }
    }

    fn param(&self, term: &Term) -> Option<&'a ManifestParam> {
        match term.root {
            Root::Operand(index) => self.op.params.get(index as usize),
            Root::Result | Root::Made(_) => None,
        }
    }

    /// The name of the operation as a query: `==` for `eq`.
    pub(crate) fn method(&self) -> &'a str {
        match self.op.function_name() {
            "eq" => "==",
            method => method,
        }
    }

    /// The fewest distinct rows; a call without operands has only one to show.
    pub(crate) fn min_rows(&self) -> usize {
        if self.op.params.is_empty() { 1 } else { self.options.min_rows() }
    }

    /// The rows on which all terms of an expression have a value. Of a very long sequence only a
    /// digest is known, which is none.
    pub(crate) fn told(&self, expr: &Expr) -> Bits {
        let mut rows = Bits::none(self.table.rows).not();
        expr.each_term(&mut |term| {
            if let Some(at) = self.table.position(term) {
                rows = rows.and(&self.column(at).known);
            }
        });
        rows
    }

    /// The expression with what the operation cannot change as it is now: `self.len()` rather than
    /// `old(self.len())`.
    pub(crate) fn present(&self, expr: &Expr) -> Expr {
        expr.map_terms(&|term| {
            let stays = term.query.is_some() && term.is_before() && self.is_shared(term);
            if stays { term.at(When::After) } else { term.clone() }
        })
    }

    /// The atom as a candidate, if it holds wherever it can be told and that is often enough.
    pub(crate) fn always(
        &self,
        kind: ContractKind,
        family: Family,
        atom: &Atom,
    ) -> Option<Candidate> {
        (atom.yes == atom.known)
            .then(|| self.claim(kind, family, atom.expr.clone(), &atom.known))?
    }

    /// A claim that holds on all rows where it is known, if these are enough.
    pub(crate) fn claim(
        &self,
        kind: ContractKind,
        family: Family,
        expr: Expr,
        known: &Bits,
    ) -> Option<Candidate> {
        let count = known.count();
        let enough = count >= self.min_rows().max(1) && is_most(count, self.table.rows);
        let count = count as u64;
        enough.then_some(Candidate {
            kind,
            family,
            expr,
            distinct: count,
            at_risk: count,
            settles: None,
        })
    }
}

/// Whether a predicate that is known on so many rows is known on enough of them.
pub(crate) fn is_most(known: usize, rows: usize) -> bool {
    known * 5 >= rows * 4
}
