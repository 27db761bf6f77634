//! Which types may stand for a parameter, most wanted first: what its bounds ask for, declared
//! defaults, implementors of the subject's traits, then the catalogue of elements.

use gainsay_model::ty::{FnKind, GenericArg, Ty};
use rustdoc_types::{self as rd, GenericBound, GenericParamDef, GenericParamDefKind, Term, Type};

use crate::{
    capabilities::{Answer, predicates},
    concrete::Level,
    index::{Implementation, Named},
    lower::{Concrete, Env, Unfit},
};

/// Array lengths of implementors, the most wanted first.
const LENGTHS: &[u64] = &[2, 4, 3, 8, 1];
/// How many implementors of a trait are tried.
const MOST_IMPLEMENTORS: usize = 12;
/// How many blanket impls are followed one after another.
const MOST_BLANKETS: usize = 2;

/// The catalogue of elements in order of preference.
pub(crate) fn elements() -> Vec<Ty> {
    let mut all = vec![Ty::Probe];
    all.extend(["i32", "u8", "usize"].map(Ty::prim));
    all.push(Ty::named("std::string::String"));
    all.extend(["f64", "char", "u64"].map(Ty::prim));
    all
}

pub(crate) fn generic(path: &str, arg: Ty) -> Ty {
    Ty::Path { path: path.into(), args: vec![GenericArg::Type(arg)] }
}

/// A type that can be iterated over items by the trait of this name.
pub(crate) fn iterable(item: Ty, short: &str, level: Level) -> Ty {
    match (level, short) {
        (Level::Argument, _) => Ty::Iter { item: Box::new(item) },
        (Level::Type, "IntoIterator") => generic("std::vec::Vec", item),
        (Level::Type, _) => generic("std::vec::IntoIter", item),
    }
}

impl<'a> Concrete<'a> {
    /// Values for a constant parameter.
    pub(crate) fn constants(ty: &Type, default: Option<&String>) -> Vec<GenericArg> {
        let value = match (default, ty) {
            (Some(default), _) => default.as_str(),
            (None, Type::Primitive(name)) if name == "bool" => "false",
            (None, Type::Primitive(name)) if name == "char" => "'a'",
            _ => "4",
        };
        vec![GenericArg::Const(value.trim_matches(['{', '}', ' ']).to_owned())]
    }

    /// Types for a type parameter with these bounds.
    pub(crate) fn candidates(
        &self,
        param: &GenericParamDef,
        bounds: &[&GenericBound],
        env: &Env,
        level: Level,
    ) -> Vec<Ty> {
        let mut found = Vec::new();
        if let GenericParamDefKind::Type { default: Some(default), .. } = &param.kind {
            found.extend(self.lower(default, env));
        }
        found.extend(self.by_bounds(bounds, env, level));
        found
    }

    /// Types for an `impl Trait` argument.
    pub(crate) fn anonymous(&self, bounds: &[GenericBound], env: &Env) -> Option<Ty> {
        let all: Vec<&GenericBound> = bounds.iter().collect();
        let fits = |ty: &Ty| bounds.iter().all(|bound| self.holds(ty, bound, env) != Answer::No);
        self.by_bounds(&all, env, Level::Argument).into_iter().find(fits)
    }

    /// Types that bounds suggest, then the catalogue.
    pub(crate) fn by_bounds(&self, bounds: &[&GenericBound], env: &Env, level: Level) -> Vec<Ty> {
        let mut found = Vec::new();
        for bound in bounds {
            let GenericBound::TraitBound { trait_, .. } = bound else { continue };
            match self.index.named(trait_.id, &trait_.path) {
                Named::Std(name) => found.extend(self.std_shape(&name, trait_, env, level)),
                Named::Local(id) => found.extend(self.implementors(id, MOST_BLANKETS)),
                Named::Foreign(_) => found.extend(self.trait_args(trait_, env).unwrap_or_default()),
            }
        }
        found.extend(elements());
        found
    }

    /// What a std trait asks for.
    fn std_shape(&self, name: &str, path: &rd::Path, env: &Env, level: Level) -> Vec<Ty> {
        let arg = || self.trait_args(path, env).ok()?.into_iter().next();
        let short = name.rsplit("::").next().unwrap_or(name);
        match short {
            "Fn" | "FnMut" | "FnOnce" => {
                self.closure(short, path, env, level).into_iter().collect()
            }
            "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator" => {
                self.iterator(short, path, env, level)
            }
            "AsRef" | "AsMut" => match arg() {
                Some(Ty::Str) if short == "AsRef" => {
                    vec![Ty::Str.shared(), Ty::named("std::string::String")]
                }
                Some(Ty::Slice(item)) => vec![generic("std::vec::Vec", *item)],
                Some(Ty::Path { path, .. }) if path == "std::path::Path" => vec![Ty::Str.shared()],
                Some(to) => vec![to],
                None => Vec::new(),
            },
            "Borrow" => match arg() {
                Some(Ty::Str) => vec![Ty::named("std::string::String")],
                Some(Ty::Slice(item)) => vec![generic("std::vec::Vec", *item)],
                Some(to) => vec![to],
                None => Vec::new(),
            },
            "Into" | "TryInto" | "From" | "PartialEq" | "PartialOrd" => arg().into_iter().collect(),
            "ToString" | "Display" => vec![Ty::named("std::string::String")],
            "RangeBounds" => {
                vec![generic("std::ops::Range", arg().unwrap_or_else(|| Ty::prim("usize")))]
            }
            "SliceIndex" => vec![Ty::prim("usize")],
            "BuildHasher" => vec![Ty::named("std::hash::RandomState")],
            "Hasher" => vec![Ty::named("std::hash::DefaultHasher")],
            "Write" if name.starts_with("std::fmt") => vec![Ty::named("std::string::String")],
            "Read" | "Write" | "BufRead" | "Seek" => {
                vec![generic("std::io::Cursor", generic("std::vec::Vec", Ty::prim("u8")))]
            }
            "Error" => vec![Ty::Probe, Ty::named("std::fmt::Error"), Ty::named("std::io::Error")],
            "Index" | "IndexMut" => match arg() {
                Some(index) if index == Ty::prim("usize") => {
                    elements().into_iter().map(|item| generic("std::vec::Vec", item)).collect()
                }
                _ => Vec::new(),
            },
            "Deref" | "DerefMut" => match self.constrained(path, "Target", env) {
                Constraint::Is(Ty::Str) => vec![Ty::named("std::string::String")],
                Constraint::Is(Ty::Slice(item)) => vec![generic("std::vec::Vec", *item)],
                Constraint::Is(to) => vec![generic("std::boxed::Box", to)],
                _ => vec![generic("std::boxed::Box", Ty::Probe)],
            },
            "ToSocketAddrs" => vec![Ty::named("std::net::SocketAddr")],
            "FromIterator" | "Extend" => {
                arg().map(|item| generic("std::vec::Vec", item)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A type that stands for a trait object: behind a reference or in a box it becomes one. What
    /// borrows does not: once its type is gone nobody knows any more that it does. Nor does another
    /// trait object: a trait may be implemented for its own, and the search would not end.
    pub(crate) fn erased(&self, traits: &[rd::PolyTrait], env: &Env) -> Option<Ty> {
        let bound = |poly: &rd::PolyTrait| GenericBound::TraitBound {
            trait_: poly.trait_.clone(),
            generic_params: poly.generic_params.clone(),
            modifier: rd::TraitBoundModifier::None,
        };
        let bounds: Vec<GenericBound> = traits.iter().map(bound).collect();
        let all: Vec<&GenericBound> = bounds.iter().collect();
        let fits = |ty: &Ty| {
            !ty.is_borrowed() && bounds.iter().all(|bound| self.holds(ty, bound, env) != Answer::No)
        };
        if self.erasing.replace(true) {
            return None;
        }
        let found = self.by_bounds(&all, env, Level::Type).into_iter().find(fits);
        self.erasing.set(false);
        found
    }

    /// A pointer to a function.
    pub(crate) fn pointer(&self, sig: &rd::FunctionSignature, env: &Env) -> Result<Ty, Unfit> {
        let args = sig.inputs.iter().map(|(_, input)| self.lower(input, env));
        let args = args.collect::<Result<_, _>>()?;
        let ret = match &sig.output {
            Some(output) => self.lower(output, env)?,
            None => Ty::Unit,
        };
        Ok(Ty::Closure { kind: FnKind::Pointer, args, ret: Box::new(ret) })
    }

    fn closure(&self, name: &str, path: &rd::Path, env: &Env, level: Level) -> Option<Ty> {
        let Some(rd::GenericArgs::Parenthesized { inputs, output }) = path.args.as_deref() else {
            return None;
        };
        let kind = match name {
            // A closure's type cannot be written.
            _ if level == Level::Type => FnKind::Pointer,
            "Fn" => FnKind::Fn,
            "FnMut" => FnKind::FnMut,
            _ => FnKind::FnOnce,
        };
        let args = inputs.iter().map(|input| self.lower(input, env).ok()).collect::<Option<_>>()?;
        let ret = match output {
            Some(output) => self.lower(output, env).ok()?,
            None => Ty::Unit,
        };
        Some(Ty::Closure { kind, args, ret: Box::new(ret) })
    }

    fn iterator(&self, short: &str, path: &rd::Path, env: &Env, level: Level) -> Vec<Ty> {
        let items = match self.constrained(path, "Item", env) {
            Constraint::Is(item) => vec![item],
            Constraint::Open => vec![Ty::Probe, Ty::prim("i32")],
            Constraint::Unsolved => Vec::new(),
        };
        items.into_iter().map(|item| iterable(item, short, level)).collect()
    }

    fn constrained(&self, path: &rd::Path, name: &str, env: &Env) -> Constraint {
        let Some(rd::GenericArgs::AngleBracketed { constraints, .. }) = path.args.as_deref() else {
            return Constraint::Open;
        };
        for constraint in constraints.iter().filter(|constraint| constraint.name == name) {
            match &constraint.binding {
                rd::AssocItemConstraintKind::Equality(Term::Type(ty)) => {
                    return self.lower(ty, env).map_or(Constraint::Unsolved, Constraint::Is);
                }
                rd::AssocItemConstraintKind::Constraint(bounds) => {
                    return self
                        .anonymous(bounds, env)
                        .map_or(Constraint::Unsolved, Constraint::Is);
                }
                rd::AssocItemConstraintKind::Equality(_) => {}
            }
        }
        Constraint::Open
    }

    /// Types that implement a trait that is described, as rustdoc lists them; then those that a
    /// blanket impl covers because they implement other traits.
    fn implementors(&self, trait_id: rd::Id, depth: usize) -> Vec<Ty> {
        let mut ranked: Vec<(usize, Implementation<'a>)> =
            self.index.impls_of(trait_id).map(|imp| (rank(&imp.inner.for_), imp)).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        // Texts differ in more ways than other keys do: in length, in how they begin.
        let text = Ty::named("std::string::String");
        let is_text = |(_, imp): &(usize, Implementation<'a>)| {
            self.lower(&imp.inner.for_, &Env::new()).is_ok_and(|ty| ty == text)
        };
        let mut found: Vec<Ty> =
            ranked.iter().any(is_text).then_some(text.clone()).into_iter().collect();
        let mut named: Vec<Ty> =
            ranked.iter().flat_map(|(_, imp)| self.named_abroad(*imp)).collect();
        // A number as a type that has no digits is nought: nothing fits into so little.
        named.sort_by_key(is_bare);
        found.extend(named);
        found.dedup();
        found.extend(ranked.iter().take(MOST_IMPLEMENTORS).flat_map(|(_, imp)| self.covered(*imp)));
        if depth > 0 {
            for imp in self.index.impls_of(trait_id) {
                for id in self.asked_of_blanket(imp) {
                    found.extend(self.implementors(id, depth - 1));
                }
            }
        }
        found
    }

    /// Types of dependencies that have names of their own, where an impl covers some of their kind.
    fn named_abroad(&self, imp: Implementation<'a>) -> Vec<Ty> {
        let head = self.index.head(&imp.inner.for_);
        let names = head.and_then(|head| self.index.foreign_names.get(&head));
        let aliases = names.into_iter().flatten().filter_map(|id| self.index.alias(*id));
        aliases.filter_map(|alias| self.lower(&alias.type_, &Env::new()).ok()).collect()
    }

    /// The described traits that `impl<T: Other> Trait for T` asks for.
    fn asked_of_blanket(&self, imp: Implementation<'a>) -> Vec<rd::Id> {
        if !matches!(imp.inner.for_, Type::Generic(_)) {
            return Vec::new();
        }
        let described = |bound: &GenericBound| match bound {
            GenericBound::TraitBound { trait_, .. } => {
                match self.index.named(trait_.id, &trait_.path) {
                    Named::Local(id) => Some(id),
                    _ => None,
                }
            }
            _ => None,
        };
        let own = predicates(&imp.inner.generics);
        let own = own.iter().filter(|predicate| predicate.subject == imp.inner.for_);
        own.flat_map(|predicate| predicate.bounds).filter_map(described).collect()
    }

    /// Concrete types that an impl covers, parameters filled from the catalogue only: the
    /// subject's own generic types are never nested in themselves.
    fn covered(&self, imp: Implementation<'a>) -> Vec<Ty> {
        if matches!(imp.inner.for_, Type::Generic(_)) {
            return Vec::new();
        }
        let fill = |element: Ty| {
            let mut env = Env::new();
            for param in &imp.inner.generics.params {
                let value = match &param.kind {
                    GenericParamDefKind::Lifetime { .. } => continue,
                    GenericParamDefKind::Type { .. } => GenericArg::Type(element.clone()),
                    GenericParamDefKind::Const { .. } => GenericArg::Const("2".into()),
                };
                env.insert(param.name.clone(), value);
            }
            self.lower(&imp.inner.for_, &env).ok()
        };
        let mut found: Vec<Ty> = elements().into_iter().filter_map(fill).collect();
        found.dedup();
        found
    }
}

enum Constraint {
    /// `Item = X`
    Is(Ty),
    /// Nothing is asked.
    Open,
    /// Something is asked that is not known yet.
    Unsolved,
}

/// Whether a named type has no arguments.
fn is_bare(ty: &Ty) -> bool {
    matches!(ty, Ty::Path { args, .. } if args.is_empty())
}

/// Arrays of few elements first, then plain types, references last.
fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array { len, .. } => match len.parse::<u64>() {
            Ok(len) => LENGTHS.iter().position(|known| *known == len).unwrap_or(100),
            Err(_) => 0,
        },
        Type::ResolvedPath(path) if path.args.is_none() => 20,
        Type::Primitive(_) => 21,
        Type::ResolvedPath(_) => 22,
        _ => 50,
    }
}
