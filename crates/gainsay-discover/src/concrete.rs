//! Fills type parameters: a small search with backtracking over the candidates of each.

use std::collections::BTreeSet;

use gainsay_model::ty::{GenericArg, Ty};
use rustdoc_types::{
    self as rd, FunctionSignature, GenericBound, GenericParamDef, GenericParamDefKind, Generics,
    Type,
};

use crate::{
    capabilities::{Answer, Predicate, predicates},
    index::{Implementation, is_lifetime, variables},
    lower::{Concrete, Env},
    shapes::{elements, generic, iterable},
};

/// Whose parameters are being filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// A type's or an impl's: values must be types that can be written.
    Type,
    /// A function's: closures and iterators may stand for them.
    Argument,
}

const VEC: &str = "std::vec::Vec";
/// Items of iterators that are tried.
const MOST_ITEMS: usize = 24;

/// How many assignments are tried for one list of parameters.
const MOST_TRIES: usize = 2_000;

impl Concrete<'_> {
    /// Extends `env` by values for the parameters that it lacks, such that no bound fails.
    /// The error names the parameter that could not be filled.
    pub(crate) fn solve(
        &self,
        generics: &Generics,
        env: &Env,
        level: Level,
        signature: Option<&FunctionSignature>,
    ) -> Result<Env, String> {
        let mut open: Vec<&GenericParamDef> = generics
            .params
            .iter()
            .filter(|param| {
                !is_lifetime(param) && !is_synthetic(param) && !env.contains_key(&param.name)
            })
            .collect();
        let predicates = predicates(generics);
        let names = variables(generics);
        // What depends on other parameters comes last: closures, iterators.
        open.sort_by_key(|param| dependence(param, &predicates, &names));
        let mut search =
            Search { concrete: self, predicates, level, signature, tries: 0, stuck: None };
        search.extend(&open, env.clone()).ok_or_else(|| search.stuck.unwrap_or_default())
    }
}

struct Search<'s, 'a> {
    concrete: &'s Concrete<'a>,
    predicates: Vec<Predicate<'s>>,
    level: Level,
    signature: Option<&'s FunctionSignature>,
    tries: usize,
    /// The last parameter for which nothing was left.
    stuck: Option<String>,
}

impl Search<'_, '_> {
    fn extend(&mut self, open: &[&GenericParamDef], env: Env) -> Option<Env> {
        let Some((param, rest)) = open.split_first() else {
            return self.consistent(&env).then_some(env);
        };
        for value in self.values(param, &env) {
            self.tries += 1;
            if self.tries > MOST_TRIES {
                break;
            }
            let mut next = env.clone();
            next.insert(param.name.clone(), value);
            if self.consistent(&next)
                && let Some(done) = self.extend(rest, next)
            {
                return Some(done);
            }
        }
        self.stuck.get_or_insert_with(|| param.name.clone());
        None
    }

    fn consistent(&self, env: &Env) -> bool {
        self.predicates.iter().all(|predicate| self.concrete.check(predicate, env) != Answer::No)
    }

    fn values(&self, param: &GenericParamDef, env: &Env) -> Vec<GenericArg> {
        if let GenericParamDefKind::Const { type_, default } = &param.kind {
            return Concrete::constants(type_, default.as_ref());
        }
        let own = Type::Generic(param.name.clone());
        let bounds: Vec<&GenericBound> = self
            .predicates
            .iter()
            .filter(|predicate| predicate.subject == own)
            .flat_map(|predicate| predicate.bounds)
            .collect();
        let mut types = self.asked_by_others(&param.name, env);
        if self.is_only_a_closure_result(&param.name) && bounds.iter().all(|bound| is_plain(bound))
        {
            types.push(Ty::prim("i32"));
        }
        types.extend(self.named_by_constraints(&param.name, env));
        types.extend(self.as_elsewhere(&own, env));
        types.extend(self.behind_references(&own));
        types.extend(self.iterators_over_what_is_asked(&own, &bounds, env));
        types.extend(self.concrete.candidates(param, &bounds, env, self.level_of(&param.name)));
        let mut seen = BTreeSet::new();
        types.retain(|ty| seen.insert(ty.clone()));
        if self.level == Level::Argument && self.is_only_in_result(&own) {
            // Whoever asks a parser for something asks for what the parser's crate is about.
            types.sort_by_key(|ty| !self.is_of_the_subject(ty));
        }
        types.into_iter().map(GenericArg::Type).collect()
    }

    /// `I: Iterator<Item = T>` with `I` known says what `T` is.
    fn named_by_constraints(&self, name: &str, env: &Env) -> Vec<Ty> {
        let own = Type::Generic(name.to_owned());
        let mut found = Vec::new();
        for predicate in &self.predicates {
            let Ok(subject) = self.concrete.lower(&predicate.subject, env) else { continue };
            for bound in predicate.bounds {
                let GenericBound::TraitBound { trait_, .. } = bound else { continue };
                for associated in constrained_to(trait_, &own) {
                    found.extend(self.concrete.project(&subject, trait_, associated));
                }
            }
        }
        found
    }

    /// `&T: IntoIterator`: collections, whose references can be iterated.
    fn behind_references(&self, own: &Type) -> Vec<Ty> {
        let behind = |subject: &Type| match subject {
            Type::BorrowedRef { type_, .. } => **type_ == *own,
            _ => false,
        };
        let asked = self.predicates.iter().filter(|predicate| behind(&predicate.subject));
        let iterated = asked
            .flat_map(|predicate| predicate.bounds)
            .any(|bound| iterator_trait(bound).is_some_and(|short| short == "IntoIterator"));
        if iterated {
            elements().into_iter().map(|item| generic(VEC, item)).collect()
        } else {
            Vec::new()
        }
    }

    /// `I: IntoIterator, I::Item: Trait`: iterators over what implements the trait.
    fn iterators_over_what_is_asked(
        &self,
        own: &Type,
        bounds: &[&GenericBound],
        env: &Env,
    ) -> Vec<Ty> {
        let of_items = |subject: &Type| match subject {
            Type::QualifiedPath { name, self_type, .. } => name == "Item" && **self_type == *own,
            _ => false,
        };
        let asked: Vec<&GenericBound> = self
            .predicates
            .iter()
            .filter(|predicate| of_items(&predicate.subject))
            .flat_map(|predicate| predicate.bounds)
            .collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let Type::Generic(name) = own else { return Vec::new() };
        let level = self.level_of(name);
        let items = self.concrete.by_bounds(&asked, env, Level::Type).into_iter().take(MOST_ITEMS);
        let mut shapes = bounds.iter().rev().filter_map(|bound| iterator_trait(bound));
        let short = shapes.next().unwrap_or("IntoIterator");
        items.map(|item| iterable(item, short, level)).collect()
    }

    /// What goes into the type of the result must be a type that can be written, or the result
    /// could not be kept.
    fn level_of(&self, name: &str) -> Level {
        let output = self.signature.and_then(|signature| signature.output.as_ref());
        let text = format!("Generic(\"{name}\")");
        let kept = |ty: &Type| match ty {
            Type::ResolvedPath(path) => format!("{:?}", path.args).contains(&text),
            _ => false,
        };
        if output.is_some_and(kept) { Level::Type } else { self.level }
    }

    /// `K: Borrow<Q>` with `K` known suggests `Q = K`.
    fn asked_by_others(&self, name: &str, env: &Env) -> Vec<Ty> {
        let wanted = rd::GenericArg::Type(Type::Generic(name.to_owned()));
        let mentions = |bound: &GenericBound| match bound {
            GenericBound::TraitBound { trait_, .. } => match trait_.args.as_deref() {
                Some(rd::GenericArgs::AngleBracketed { args, .. }) => args.contains(&wanted),
                _ => false,
            },
            _ => false,
        };
        self.predicates
            .iter()
            .filter(|predicate| predicate.bounds.iter().any(mentions))
            .filter_map(|predicate| self.concrete.lower(&predicate.subject, env).ok())
            .collect()
    }

    /// A parameter of `Map<K, V, S2>` in an argument: what stands there by default, or in `Self`; else
    /// what stands there in a block that makes such values. So, too, where an argument only has to
    /// become one: `O: Into<Options<A, B>>`.
    fn as_elsewhere(&self, own: &Type, env: &Env) -> Vec<Ty> {
        let Some(signature) = self.signature else { return Vec::new() };
        let inputs = signature.inputs.iter().map(|(_, ty)| ty);
        let bounds = self.predicates.iter().flat_map(|predicate| predicate.bounds);
        let asked = bounds.filter_map(becomes);
        let place = inputs.chain(asked).find_map(|ty| place_of(own, ty));
        let standing = place.map(|(id, position)| {
            [self.by_default(id, position, env), self.where_made((id, position), env)]
        });
        standing.into_iter().flatten().flatten().collect()
    }

    fn by_default(&self, id: rd::Id, position: usize, env: &Env) -> Option<Ty> {
        let generics = self.concrete.index.type_generics(id)?;
        let param = generics.params.iter().filter(|param| !is_lifetime(param)).nth(position)?;
        if let GenericParamDefKind::Type { default: Some(default), .. } = &param.kind
            && let Ok(ty) = self.concrete.lower(default, env)
        {
            return Some(ty);
        }
        match env.get("Self")? {
            GenericArg::Type(Ty::Path { path, args })
                if self.concrete.index.types.get(path) == Some(&id) =>
            {
                match args.iter().filter(|arg| **arg != GenericArg::Lifetime).nth(position)? {
                    GenericArg::Type(ty) => Some(ty.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What stands at a place of a type's name in the first impl block with a function that makes
    /// one out of something else, if that is no parameter.
    fn where_made(&self, (id, position): (rd::Id, usize), env: &Env) -> Option<Ty> {
        let index = self.concrete.index;
        let makes = |imp: &&Implementation<'_>| {
            let is_maker = |function: &rd::Function| {
                let has_receiver = function.sig.inputs.iter().any(|(name, _)| name == "self");
                !has_receiver
                    && function
                        .sig
                        .output
                        .as_ref()
                        .is_some_and(|ty| index.head(ty) == Some(id) || is_self(ty))
            };
            index.head(&imp.inner.for_) == Some(id)
                && imp.inner.trait_.is_none()
                && index.functions(&imp.inner.items).any(|(_, function)| is_maker(function))
        };
        let standing = |imp: &Implementation<'_>| {
            let Type::ResolvedPath(path) = &imp.inner.for_ else { return None };
            let ty = type_of(arguments(path).nth(position)?)?;
            if matches!(ty, Type::Generic(_)) { None } else { self.concrete.lower(ty, env).ok() }
        };
        index.impls.iter().filter(makes).find_map(standing)
    }

    /// A key that a closure computes: an integer shows more than a probe.
    /// Whether nothing but the caller's wish says what a parameter is.
    fn is_only_in_result(&self, own: &Type) -> bool {
        let mentions = |ty: &Type| format!("{ty:?}").contains(&format!("{own:?}"));
        self.signature.is_some_and(|signature| {
            signature.output.as_ref().is_some_and(mentions)
                && !signature.inputs.iter().any(|(_, input)| mentions(input))
        })
    }

    fn is_of_the_subject(&self, ty: &Ty) -> bool {
        let index = self.concrete.index;
        matches!(ty, Ty::Path { path, .. }
            if index.types.get(path).is_some_and(|id| index.is_own(*id)))
    }

    fn is_only_a_closure_result(&self, name: &str) -> bool {
        let own = Type::Generic(name.to_owned());
        let returned = |bound: &GenericBound| match bound {
            GenericBound::TraitBound { trait_, .. } => matches!(
                trait_.args.as_deref(),
                Some(rd::GenericArgs::Parenthesized { inputs, output })
                    if output.as_ref() == Some(&own) && !inputs.contains(&own)
            ),
            _ => false,
        };
        let output = self.signature.and_then(|signature| signature.output.as_ref());
        let in_result =
            output.is_some_and(|output| format!("{output:?}").contains(&format!("{own:?}")));
        !in_result && self.predicates.iter().any(|predicate| predicate.bounds.iter().any(returned))
    }
}

/// The associated types that a bound says are this type.
fn constrained_to<'p>(path: &'p rd::Path, own: &Type) -> Vec<&'p str> {
    let Some(rd::GenericArgs::AngleBracketed { constraints, .. }) = path.args.as_deref() else {
        return Vec::new();
    };
    let is_own = |constraint: &&rd::AssocItemConstraint| {
        matches!(&constraint.binding,
            rd::AssocItemConstraintKind::Equality(rd::Term::Type(ty)) if ty == own)
    };
    constraints.iter().filter(is_own).map(|constraint| constraint.name.as_str()).collect()
}

/// The iterator trait that a bound names, if it does.
fn iterator_trait(bound: &GenericBound) -> Option<&str> {
    let GenericBound::TraitBound { trait_, .. } = bound else { return None };
    let short = trait_.path.rsplit("::").next()?;
    short.ends_with("Iterator").then_some(short)
}

/// Where a parameter stands among the arguments of a named type.
fn place_of(own: &Type, ty: &Type) -> Option<(rd::Id, usize)> {
    match ty {
        Type::BorrowedRef { type_, .. } => place_of(own, type_),
        Type::ResolvedPath(path) => {
            let is_own = |arg: &rd::GenericArg| type_of(arg) == Some(own);
            Some((path.id, arguments(path).position(is_own)?))
        }
        _ => None,
    }
}

/// What a bound says that an argument can be made into.
fn becomes(bound: &GenericBound) -> Option<&Type> {
    let GenericBound::TraitBound { trait_, .. } = bound else { return None };
    let short = trait_.path.rsplit("::").next()?;
    ["Into", "TryInto"].contains(&short).then(|| arguments(trait_).find_map(type_of)).flatten()
}

/// The arguments of a name that are no lifetimes.
fn arguments(path: &rd::Path) -> impl Iterator<Item = &rd::GenericArg> {
    let args = match path.args.as_deref() {
        Some(rd::GenericArgs::AngleBracketed { args, .. }) => args.as_slice(),
        _ => &[],
    };
    args.iter().filter(|arg| !matches!(arg, rd::GenericArg::Lifetime(_)))
}

fn type_of(arg: &rd::GenericArg) -> Option<&Type> {
    match arg {
        rd::GenericArg::Type(ty) => Some(ty),
        _ => None,
    }
}

fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Generic(name) if name == "Self")
}

/// Whether a bound leaves the choice of an integer open.
fn is_plain(bound: &GenericBound) -> bool {
    !matches!(bound, GenericBound::TraitBound { trait_, .. }
        if trait_.path.contains("Iterator") || trait_.path.contains("Fn"))
}

/// `impl Trait` arguments are parameters too, but are filled where they stand.
fn is_synthetic(param: &GenericParamDef) -> bool {
    matches!(param.kind, GenericParamDefKind::Type { is_synthetic: true, .. })
}

/// How many other parameters a parameter's bounds speak of, closures above all.
fn dependence(
    param: &GenericParamDef,
    predicates: &[Predicate<'_>],
    names: &BTreeSet<&str>,
) -> usize {
    let own = Type::Generic(param.name.clone());
    let bounds = predicates.iter().filter(|p| p.subject == own).flat_map(|p| p.bounds);
    let mut count = 0;
    for bound in bounds {
        let text = format!("{bound:?}");
        let others = names.iter().filter(|name| **name != param.name);
        count += others.filter(|name| text.contains(&format!("Generic(\"{name}\")"))).count();
        if text.contains("Parenthesized") {
            count += 100;
        }
    }
    count
}
