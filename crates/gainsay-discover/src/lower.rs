//! From rustdoc's types with parameters to concrete ones, under an assignment of the parameters.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use gainsay_model::ty::{Access, GenericArg, Ty};
use rustdoc_types::{self as rd, GenericParamDefKind, Id, Type};

use crate::{
    index::{Index, Named},
    std_paths,
};

/// What parameters stand for. `Self` is one of them.
pub(crate) type Env = BTreeMap<String, GenericArg>;

/// Why a type cannot be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// A parameter that is not assigned yet.
    Unbound(String),
    /// A form that is not supported: `dyn`, raw and function pointers.
    Form(&'static str),
    /// A type that no public path leads to.
    Unnameable(String),
    /// A projection that could not be solved.
    Projection(String),
    /// No type of the catalogue fits an `impl Trait` argument.
    NoFit(String),
}

/// Longer arrays are not made: a few copies of one on the stack are more than it has room for.
const MOST_LENGTH: u64 = 4096;

/// Where a type stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// An argument: everything must be known, `impl Trait` is ours to choose.
    Argument,
    /// A result: what is not known becomes opaque.
    Result,
}

/// "Does this type implement the trait of this name with these arguments?"
pub(crate) type Question = (Ty, String, Vec<Ty>);

/// The machinery that makes types concrete; remembers what it has proved.
pub(crate) struct Concrete<'a> {
    pub(crate) index: &'a Index<'a>,
    /// Answers to "does this type implement that trait".
    pub(crate) proved: RefCell<BTreeMap<Question, Option<bool>>>,
    /// Answers to "what is this type's associated type".
    pub(crate) projected: RefCell<BTreeMap<(Ty, String, String), Option<Ty>>>,
    /// Whether a type is being looked for that stands for a trait object.
    pub(crate) erasing: Cell<bool>,
}

impl<'a> Concrete<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Self {
        Concrete {
            index,
            proved: RefCell::default(),
            projected: RefCell::default(),
            erasing: Cell::new(false),
        }
    }

    /// A type in an argument or a bound.
    pub(crate) fn lower(&self, ty: &Type, env: &Env) -> Result<Ty, Unfit> {
        self.lower_at(ty, env, Position::Argument)
    }

    /// A result's type: never fails.
    pub(crate) fn lower_result(&self, ty: &Type, env: &Env) -> Ty {
        self.lower_at(ty, env, Position::Result).unwrap_or(Ty::Opaque)
    }

    /// Within a result every part that cannot be written is opaque on its own.
    fn part(&self, ty: &Type, env: &Env, position: Position) -> Result<Ty, Unfit> {
        match (self.lower_at(ty, env, position), position) {
            (Err(_), Position::Result) => Ok(Ty::Opaque),
            (other, _) => other,
        }
    }

    fn lower_at(&self, ty: &Type, env: &Env, position: Position) -> Result<Ty, Unfit> {
        match ty {
            Type::Generic(name) => match env.get(name) {
                Some(GenericArg::Type(ty)) => Ok(ty.clone()),
                _ => Err(Unfit::Unbound(name.clone())),
            },
            Type::Primitive(name) => Ok(primitive(name)),
            Type::Tuple(items) if items.is_empty() => Ok(Ty::Unit),
            Type::Tuple(items) => {
                let items = items.iter().map(|item| self.part(item, env, position));
                Ok(Ty::Tuple(items.collect::<Result<_, _>>()?))
            }
            Type::Slice(item) => Ok(Ty::Slice(Box::new(self.part(item, env, position)?))),
            Type::Array { type_, len } => match length(len, env)? {
                ..=MOST_LENGTH => {
                    Ok(Ty::Array(Box::new(self.part(type_, env, position)?), length(len, env)?))
                }
                _ => Err(Unfit::Form("an array too long for a stack")),
            },
            Type::BorrowedRef { is_mutable, type_, .. } => {
                let to = Box::new(self.part(type_, env, position)?);
                Ok(Ty::Ref { access: access(*is_mutable), to })
            }
            Type::ResolvedPath(path) => self.lower_path(path, env, position),
            Type::QualifiedPath { name, self_type, trait_, .. } => {
                if let Some(GenericArg::Type(known)) = own_associated(self_type, name, env) {
                    return Ok(known.clone());
                }
                let owner = self.lower_at(self_type, env, position)?;
                let path = trait_.as_ref().ok_or(Unfit::Form("inherent associated type"))?;
                self.project(&owner, path, name)
                    .or_else(|| self.indexed(&owner, path, env.get("Self")))
                    .ok_or_else(|| Unfit::Projection(name.clone()))
            }
            Type::ImplTrait(bounds) if position == Position::Argument => {
                self.anonymous(bounds, env).ok_or_else(|| Unfit::NoFit("impl Trait".into()))
            }
            Type::ImplTrait(_) => Ok(Ty::Opaque),
            Type::DynTrait(inner) if position == Position::Argument => {
                self.erased(&inner.traits, env).ok_or(Unfit::Form("dyn Trait"))
            }
            Type::DynTrait(_) => Err(Unfit::Form("dyn Trait")),
            Type::FunctionPointer(inner) => self.pointer(&inner.sig, env),
            Type::RawPointer { .. } => Err(Unfit::Form("raw pointer")),
            Type::Pat { .. } | Type::Infer => Err(Unfit::Form("unstable type")),
        }
    }

    fn lower_path(&self, path: &rd::Path, env: &Env, position: Position) -> Result<Ty, Unfit> {
        let given = self.arguments(path, env, position)?;
        match self.index.named(path.id, &path.path) {
            Named::Std(name) => Ok(std_type(name, given)),
            Named::Foreign(definition) => match self.index.public.get(&path.id) {
                Some(public) => Ok(Ty::Path { path: public.clone(), args: given }),
                None => self.by_only_name(path.id, &given).ok_or(Unfit::Unnameable(definition)),
            },
            Named::Local(id) => self.local_path(id, &path.path, given, position),
        }
    }

    fn local_path(
        &self,
        id: Id,
        text: &str,
        given: Vec<GenericArg>,
        position: Position,
    ) -> Result<Ty, Unfit> {
        if let Some(alias) = self.index.alias(id) {
            let env = self.assign(&alias.generics, given)?;
            return self.lower_at(&alias.type_, &env, position);
        }
        let Some(public) = self.index.public.get(&id) else {
            let named = self.by_only_name(id, &given);
            return named.ok_or_else(|| Unfit::Unnameable(text.to_owned()));
        };
        let generics =
            self.index.type_generics(id).ok_or_else(|| Unfit::Unnameable(text.to_owned()))?;
        let env = self.assign(generics, given)?;
        Ok(Ty::Path { path: public.clone(), args: declared_order(generics, &env) })
    }

    /// The written arguments of a path.
    pub(crate) fn arguments(
        &self,
        path: &rd::Path,
        env: &Env,
        position: Position,
    ) -> Result<Vec<GenericArg>, Unfit> {
        let Some(rd::GenericArgs::AngleBracketed { args, .. }) = path.args.as_deref() else {
            return Ok(Vec::new());
        };
        let one = |arg: &rd::GenericArg| match arg {
            rd::GenericArg::Lifetime(_) => Ok(GenericArg::Lifetime),
            rd::GenericArg::Type(Type::Generic(name)) if is_constant(env.get(name)) => {
                Ok(env[name].clone())
            }
            rd::GenericArg::Type(ty) => Ok(GenericArg::Type(self.part(ty, env, position)?)),
            rd::GenericArg::Const(constant) => Ok(GenericArg::Const(const_text(constant, env)?)),
            rd::GenericArg::Infer => Err(Unfit::Form("_")),
        };
        args.iter().map(one).collect()
    }

    /// Assigns a definition's parameters from given arguments and declared defaults.
    pub(crate) fn assign(
        &self,
        generics: &rd::Generics,
        given: Vec<GenericArg>,
    ) -> Result<Env, Unfit> {
        let mut given = given.into_iter().filter(|arg| *arg != GenericArg::Lifetime);
        let mut env = Env::new();
        for param in &generics.params {
            let value = match &param.kind {
                GenericParamDefKind::Lifetime { .. } => continue,
                GenericParamDefKind::Type { default, .. } => match (given.next(), default) {
                    (Some(arg), _) => arg,
                    (None, Some(default)) => match self.lower(default, &env) {
                        Err(Unfit::Unnameable(_)) => GenericArg::Type(unnamed_default()),
                        lowered => GenericArg::Type(lowered?),
                    },
                    (None, None) => return Err(Unfit::Unbound(param.name.clone())),
                },
                GenericParamDefKind::Const { default, .. } => match (given.next(), default) {
                    (Some(arg), _) => arg,
                    (None, Some(default)) => GenericArg::Const(default.clone()),
                    (None, None) => return Err(Unfit::Unbound(param.name.clone())),
                },
            };
            env.insert(param.name.clone(), value);
        }
        Ok(env)
    }
}

/// `Self::Name` inside an impl that says what it is.
fn own_associated<'e>(self_type: &Type, name: &str, env: &'e Env) -> Option<&'e GenericArg> {
    match self_type {
        Type::Generic(owner) if owner == "Self" => env.get(&format!("Self::{name}")),
        _ => None,
    }
}

fn is_constant(arg: Option<&GenericArg>) -> bool {
    matches!(arg, Some(GenericArg::Const(_)))
}

/// Stands for a declared default that no public path leads to. It lives in environments only:
/// such an argument is left out where a type is written.
pub(crate) fn unnamed_default() -> Ty {
    Ty::named("")
}

/// A definition's arguments in the order of its parameters.
pub(crate) fn declared_order(generics: &rd::Generics, env: &Env) -> Vec<GenericArg> {
    let one =
        |param: &rd::GenericParamDef| env.get(&param.name).cloned().unwrap_or(GenericArg::Lifetime);
    let unnamed = GenericArg::Type(unnamed_default());
    generics.params.iter().map(one).filter(|arg| *arg != unnamed).collect()
}

fn std_type(path: String, mut args: Vec<GenericArg>) -> Ty {
    if let Some(ty) = std_paths::alias(&path, &args) {
        return ty;
    }
    if std_paths::borrows(&path) && !args.contains(&GenericArg::Lifetime) {
        args.insert(0, GenericArg::Lifetime);
    }
    Ty::Path { path, args }
}

fn access(is_mutable: bool) -> Access {
    if is_mutable { Access::Exclusive } else { Access::Shared }
}

pub(crate) fn primitive(name: &str) -> Ty {
    match name {
        "str" => Ty::Str,
        "never" | "!" => Ty::Never,
        "unit" => Ty::Unit,
        name => Ty::prim(name),
    }
}

fn length(text: &str, env: &Env) -> Result<u64, Unfit> {
    let text = match env.get(text) {
        Some(GenericArg::Const(value)) => value.as_str(),
        _ => text,
    };
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let digits = digits.strip_suffix("usize").unwrap_or(&digits);
    digits.parse().map_err(|_| Unfit::Unbound(text.to_owned()))
}

fn const_text(constant: &rd::Constant, env: &Env) -> Result<String, Unfit> {
    let expr = constant.expr.trim_start_matches('{').trim_end_matches('}').trim();
    match env.get(expr) {
        Some(GenericArg::Const(value)) => Ok(value.clone()),
        _ if constant.is_literal => Ok(expr.to_owned()),
        _ => match &constant.value {
            Some(value) => Ok(value.clone()),
            None if expr.chars().all(|c| c.is_ascii_digit()) && !expr.is_empty() => {
                Ok(expr.to_owned())
            }
            None => Err(Unfit::Unbound(expr.to_owned())),
        },
    }
}
