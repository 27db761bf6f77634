//! Contracts as Rust that can stand beside a function: only what its own types allow. An element's
//! type is a parameter there, of which nothing is known; so sequences, elements and what is inside
//! an option cannot be said, lengths and tests can.

use gainsay_model::{
    api::Callee,
    spelling::{Passing, Spelling},
    ty::{Access, GenericArg, Ty},
};
use gainsay_wire::{Arithmetic, Comparison, Expr, Point, Root, Term, Value, When};

use super::attributes::Dialect;
use crate::record::RunRecord;

/// The name of the returned value.
pub(super) const RETURNED: &str = "ret";

/// Translates the contracts of one operation.
pub(super) struct Translator<'a> {
    record: &'a RunRecord,
    spelling: &'a Spelling,
    dialect: Dialect,
    point: Point,
    /// Values before the call that are kept under a name.
    pub(super) captures: Vec<(String, String)>,
}

/// A translated part.
struct Piece {
    text: String,
    sort: Sort,
    level: Level,
}

/// How loosely its parts hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Atom,
    Sum,
    Comparison,
    Junction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sort {
    Bool,
    /// An integer of the type; of any for a literal.
    Int(Option<String>),
    /// An option or a result, of which nothing can be asked but what it is.
    Wrapped,
}

impl Piece {
    fn atom(text: impl Into<String>, sort: Sort) -> Piece {
        Piece { text: text.into(), sort, level: Level::Atom }
    }

    /// As a part of something that needs its parts to be this tight.
    fn at(&self, level: Level) -> String {
        if self.level <= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl<'a> Translator<'a> {
    /// For the operation of that number.
    pub(super) fn new(record: &'a RunRecord, op: u32, dialect: Dialect) -> Option<Translator<'a>> {
        let spelling = record.spellings.get(op as usize)?;
        let captures = Vec::new();
        Some(Translator { record, spelling, dialect, point: Point::Entry, captures })
    }

    /// A condition; `None` when it cannot be said.
    pub(super) fn condition(&mut self, expr: &Expr, point: Point) -> Option<String> {
        self.point = point;
        let kept = self.captures.len();
        let said = match expr {
            Expr::Implies(a, c) if self.dialect == Dialect::Contracts => {
                self.boolean(a).zip(self.boolean(c)).map(|(a, c)| {
                    format!("{} -> {}", a.at(Level::Comparison), c.at(Level::Comparison))
                })
            }
            other => self.boolean(other).map(|piece| piece.text),
        };
        if said.is_none() {
            self.captures.truncate(kept);
        }
        said
    }

    /// Whether the returned value can be bound by copying it.
    pub(super) fn returns_a_plain_value(&self) -> bool {
        matches!(self.spelling.result, Ty::Prim(_))
    }

    /// Whether it implements a trait's method.
    pub(super) fn is_of_a_trait(&self) -> bool {
        matches!(self.spelling.callee, Callee::Trait { .. })
    }

    fn boolean(&mut self, expr: &Expr) -> Option<Piece> {
        self.piece(expr).filter(|piece| piece.sort == Sort::Bool)
    }

    fn piece(&mut self, expr: &Expr) -> Option<Piece> {
        match expr {
            Expr::Const(Value::Bool(value)) => Some(Piece::atom(value.to_string(), Sort::Bool)),
            Expr::Const(Value::Int(value)) => Some(Piece::atom(value.to_string(), Sort::Int(None))),
            Expr::Term(term) => self.term(term),
            Expr::Compare(op, a, b) => self.comparison(*op, a, b),
            Expr::Iff(a, b) => self.comparison(Comparison::Eq, a, b),
            Expr::Arithmetic(op, a, b) => self.arithmetic(*op, a, b),
            Expr::Test(test, of) => {
                let of = self.piece(of).filter(|piece| piece.sort == Sort::Wrapped)?;
                Some(Piece::atom(format!("{}.{}()", of.at(Level::Atom), test.method()), Sort::Bool))
            }
            Expr::Not(of) => {
                let of = self.boolean(of)?;
                Some(Piece::atom(format!("!{}", of.at(Level::Atom)), Sort::Bool))
            }
            Expr::And(parts) => self.joined(parts, " && "),
            Expr::Or(parts) => self.joined(parts, " || "),
            Expr::Implies(a, c) => {
                let (a, c) = (self.boolean(&a.negated())?, self.boolean(c)?);
                let text = format!("{} || {}", a.at(Level::Comparison), c.at(Level::Comparison));
                Some(Piece { text, sort: Sort::Bool, level: Level::Junction })
            }
            _ => None,
        }
    }

    fn joined(&mut self, parts: &[Expr], with: &str) -> Option<Piece> {
        let parts: Option<Vec<Piece>> = parts.iter().map(|part| self.boolean(part)).collect();
        let texts: Vec<String> = parts?.iter().map(|part| part.at(Level::Comparison)).collect();
        Some(Piece { text: texts.join(with), sort: Sort::Bool, level: Level::Junction })
    }

    fn comparison(&mut self, op: Comparison, a: &Expr, b: &Expr) -> Option<Piece> {
        let (a, b) = (self.piece(a)?, self.piece(b)?);
        let fits = match (&a.sort, &b.sort) {
            (Sort::Bool, Sort::Bool) => matches!(op, Comparison::Eq | Comparison::Ne),
            _ => both(&a, &b).is_some(),
        };
        let text = format!("{} {} {}", a.at(Level::Sum), op.symbol(), b.at(Level::Sum));
        fits.then_some(Piece { text, sort: Sort::Bool, level: Level::Comparison })
    }

    fn arithmetic(&mut self, op: Arithmetic, a: &Expr, b: &Expr) -> Option<Piece> {
        let (a, b) = (self.piece(a)?, self.piece(b)?);
        let sort = both(&a, &b)?;
        let text = format!("{} {} {}", a.at(Level::Atom), op.symbol(), b.at(Level::Atom));
        Some(Piece { text, sort, level: Level::Sum })
    }

    fn term(&mut self, term: &Term) -> Option<Piece> {
        match (term.root, &term.query) {
            (Root::Result, None) => Some(Piece::atom(RETURNED, self.sort(&self.spelling.result)?)),
            (Root::Operand(at), None) => {
                let param = self.operand(at)?;
                let is_plain = param.passing == Passing::Plain;
                let sort = self.sort(&param.ty).filter(|_| is_plain)?;
                Some(Piece::atom(param.name.clone(), sort))
            }
            (Root::Made(0), Some(query)) => {
                let made = self.spelling.makes.first().filter(|made| made.path.is_empty())?;
                let sort = self.view(&made.ty, query, None)?;
                Some(Piece::atom(format!("{RETURNED}.{query}()"), sort))
            }
            (Root::Operand(at), Some(query)) => self.view_of(term, at, query),
            (Root::Made(_) | Root::Result, _) => None,
        }
    }

    fn view_of(&mut self, term: &Term, at: u32, query: &str) -> Option<Piece> {
        let param = self.operand(at)?;
        let with = term.with.map(|with| self.operand(with)).map_or(Some(None), |p| p.map(Some))?;
        let sort = self.view(param.ty.referent(), query, with.map(|with| &with.ty))?;
        let arg = with.map(|with| with.name.clone()).unwrap_or_default();
        let text = format!("{}.{query}({arg})", param.name);
        let is_old = self.point == Point::Exit && term.when == When::Before;
        if !is_old {
            let is_lent = self.point == Point::Exit && self.lends_exclusively();
            return (!is_lent).then(|| Piece::atom(text, sort));
        }
        let owner = if param.name == "self" { String::new() } else { format!("{}_", param.name) };
        let arg = if arg.is_empty() { arg } else { format!("_{arg}") };
        let name = format!("old_{owner}{query}{arg}");
        Some(Piece::atom(self.kept(name, text), sort))
    }

    /// A value before the call, as the dialect has it.
    fn kept(&mut self, name: String, text: String) -> String {
        if self.dialect == Dialect::Contracts {
            return format!("old({text})");
        }
        if !self.captures.iter().any(|(known, _)| *known == name) {
            self.captures.push((name.clone(), text));
        }
        name
    }

    fn operand(&self, at: u32) -> Option<&'a gainsay_model::spelling::SpelledParam> {
        self.spelling.operand_params().get(at as usize).copied()
    }

    /// What a query of a type gives, unless it would come back to where it is asked.
    fn view(&self, ty: &Ty, query: &str, with: Option<&Ty>) -> Option<Sort> {
        let asked = self.record.spellings.iter().find(|known| {
            let args = known.params.get(1..).unwrap_or_default();
            let same_args = args.iter().map(|param| &param.ty).eq(with);
            is_query(known, ty, query) && same_args
        })?;
        if self.rank(ty, query) >= self.own_rank() {
            return None;
        }
        self.sort(&asked.result)
    }

    /// Views are ordered: the contract of one may ask those before it, else two would ask each
    /// other for ever.
    fn rank(&self, ty: &Ty, query: &str) -> usize {
        let of_type = self.record.summary.types.iter().find(|known| known.r#type == ty.to_string());
        let views = of_type.map(|known| known.state.iter().chain(&known.relations));
        views.and_then(|mut views| views.position(|view| view == query)).unwrap_or(0)
    }

    /// Where the operation itself stands among the views.
    fn own_rank(&self) -> usize {
        let Callee::Inherent { ty, name, .. } = &self.spelling.callee else { return usize::MAX };
        let known = self.record.summary.types.iter().find(|known| known.r#type == ty.to_string());
        let views = known.map(|known| known.state.iter().chain(&known.relations));
        views.and_then(|mut views| views.position(|view| view == name)).unwrap_or(usize::MAX)
    }

    /// What can be done with values of a type. Small integers may stand for an element's type.
    fn sort(&self, ty: &Ty) -> Option<Sort> {
        match ty {
            Ty::Prim(name) if name == "bool" => Some(Sort::Bool),
            Ty::Prim(name) if name == "usize" || !self.is_generic() && is_integer(name) => {
                Some(Sort::Int(Some(name.clone())))
            }
            Ty::Path { path, .. } if path.ends_with("::Option") || path.ends_with("::Result") => {
                Some(Sort::Wrapped)
            }
            _ => None,
        }
    }

    fn is_generic(&self) -> bool {
        let has_types = |ty: &Ty| match ty {
            Ty::Path { args, .. } => args.iter().any(|arg| matches!(arg, GenericArg::Type(_))),
            _ => true,
        };
        match &self.spelling.callee {
            Callee::Inherent { ty, generics, .. } | Callee::Trait { ty, generics, .. } => {
                has_types(ty) || !generics.is_empty()
            }
            Callee::Function { generics, .. } => !generics.is_empty(),
            Callee::Literal { .. } | Callee::Part { .. } => true,
        }
    }

    /// Whether the result holds on to what the operation took by `&mut`: nothing else may be
    /// asked then while it is there.
    fn lends_exclusively(&self) -> bool {
        let exclusive = |param: &gainsay_model::spelling::SpelledParam| {
            matches!(param.ty, Ty::Ref { access: Access::Exclusive, .. })
        };
        borrows(&self.spelling.result) && self.spelling.params.iter().any(exclusive)
    }
}

fn is_query(spelling: &Spelling, ty: &Ty, name: &str) -> bool {
    let receiver = spelling.params.first().filter(|param| param.name == "self");
    let is_shared = receiver.is_some_and(|param| param.passing == Passing::Shared);
    let of = matches!(&spelling.callee,
        Callee::Inherent { ty: of, name: called, .. } if of == ty && called == name);
    of && is_shared
}

/// The integer type of two operands, if they have one.
fn both(a: &Piece, b: &Piece) -> Option<Sort> {
    match (&a.sort, &b.sort) {
        (Sort::Int(x), Sort::Int(y)) if x == y => Some(a.sort.clone()),
        (Sort::Int(Some(ty)), Sort::Int(None)) => fits(ty, &b.text),
        (Sort::Int(None), Sort::Int(Some(ty))) => fits(ty, &a.text),
        _ => None,
    }
}

/// A negative literal is of no unsigned type.
fn fits(ty: &str, literal: &str) -> Option<Sort> {
    let is_wrong = ty.starts_with('u') && literal.contains('-');
    (!is_wrong).then(|| Sort::Int(Some(ty.to_owned())))
}

fn is_integer(name: &str) -> bool {
    let digits = name.strip_prefix(['u', 'i']);
    digits.is_some_and(|size| size == "size" || size.parse::<u8>().is_ok())
}

fn borrows(ty: &Ty) -> bool {
    match ty {
        Ty::Ref { .. } | Ty::Opaque => true,
        Ty::Path { args, .. } => args.iter().any(|arg| match arg {
            GenericArg::Lifetime => true,
            GenericArg::Type(ty) => borrows(ty),
            GenericArg::Const(_) => false,
        }),
        Ty::Tuple(parts) => parts.iter().any(borrows),
        Ty::Array(of, _) | Ty::Slice(of) => borrows(of),
        _ => false,
    }
}
