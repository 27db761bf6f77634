//! From callables to operations: every type concrete, or a skip with its reason.

use std::collections::BTreeMap;

use gainsay_model::{
    api::{Api, ApiType, Callee, Dependency, OpKind, Operation, Param, Providers, Span, Subject},
    skip::{Skip, SkipReason},
    ty::{Access, FnKind, GenericArg, Ty},
};
use rustdoc_types::{GenericParamDefKind, Id, Type};

use crate::{
    callables::{Callable, Form, Owner, Written, callables, type_names},
    concrete::Level,
    conditions::Sources,
    dependencies::Described,
    docs, elements,
    error::DiscoverError,
    examples,
    identity::callable_id,
    index::{Implementation, Index, is_lifetime},
    instances::{Instances, MOST_INSTANCES, is_vague, wrapped},
    lending::Signature,
    literals,
    lower::{Concrete, Env, Unfit},
    providers, reach, roll, shape, std_traits, variants,
    wishes::Given,
};

/// Why a callable, or one instantiation of it, is left out.
type Refusal = (SkipReason, String);

/// An assignment of the parameters around a function, and the type that owns it.
type Surroundings = (Env, Option<Ty>);

/// Makes the whole Api of a described subject.
pub(crate) fn api(
    subject: &Subject,
    described: &Described,
    providers: Option<&Providers>,
) -> Result<Api, DiscoverError> {
    let index = Index::new(described, &subject.lib_name);
    let concrete = Concrete::new(&index);
    let all = callables(&index);
    let (unsafe_ones, safe): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|callable| callable.function.header.is_unsafe);
    let provided = provided(&index, subject, providers)?;
    let (operations, mut skips) = build_all(&concrete, &safe, provided);
    skips.extend(unsafe_ones.iter().map(|callable| {
        skip(callable, (SkipReason::Unsafe, "the caller must promise something".into()))
    }));
    let unsized_ones = index.types.iter().filter(|(_, id)| !index.is_sized(**id));
    let unsized_ones = unsized_ones.map(|(path, _)| path.clone()).collect();
    let mut reached = reach::reachable(operations, unsized_ones);
    let sources = Sources::new(&subject.root);
    for op in &mut reached.operations {
        let decided = sources.decided(op.span.as_ref(), &op.params);
        (op.conditions, op.ways) = (decided.conditions, decided.ways);
        op.written = sources.written(op);
    }
    skips.extend(reached.skips);
    skips.sort();
    Ok(Api {
        subject: subject.clone(),
        types: api_types(&concrete, &reached.types),
        skips,
        public: safe.iter().filter(|callable| callable.is_counted()).count(),
        unsafe_count: unsafe_ones.len(),
        callables: roll::call(safe.iter().chain(&unsafe_ones)),
        literals: literals::mine(&subject.root),
        examples: examples::collect(&described.krate, &subject.root),
        dependencies: named_dependencies(described, &reached.operations),
        operations: reached.operations,
        providers: providers.cloned(),
    })
}

/// The dependencies that the operations name.
fn named_dependencies(described: &Described, operations: &[Operation]) -> Vec<Dependency> {
    let text = format!("{operations:?}");
    let is_named =
        |dependency: &&Dependency| text.contains(&format!("\"{}::", dependency.lib_name));
    described.dependencies.iter().map(|(_, found)| found).filter(is_named).cloned().collect()
}

/// What the user provides.
fn provided(
    index: &Index<'_>,
    subject: &Subject,
    providers: Option<&Providers>,
) -> Result<Vec<Operation>, DiscoverError> {
    let Some(file) = providers else { return Ok(Vec::new()) };
    let found = providers::operations(file, &subject.lib_name, index.types.keys());
    found.map_err(|complaint| DiscoverError::Providers {
        path: file.path.clone(),
        line: complaint.line,
        reason: complaint.what,
    })
}

/// Builds until no operation brings a new instantiation of a type. Types that borrow are first
/// taken as operations make them; only those that nothing made are made up.
fn build_all(
    concrete: &Concrete<'_>,
    safe: &[Callable<'_>],
    provided: Vec<Operation>,
) -> (Vec<Operation>, Vec<Skip>) {
    let mut instances = Instances::choose(concrete);
    for operation in &provided {
        instances.note_result(concrete, operation);
    }
    let mut attempts: Vec<Option<Attempt>> = safe.iter().map(|_| None).collect();
    let nothing = Given::default();
    loop {
        let mut grown = false;
        for (callable, attempt) in safe.iter().zip(&mut attempts) {
            let known = callable.head().map_or(0, |id| instances.of(id).len());
            if attempt.as_ref().is_some_and(|attempt| attempt.known == known) {
                continue;
            }
            let result = Builder { concrete, callable, given: &nothing }.build(&instances);
            for operation in result.iter().flatten() {
                grown |= instances.note_result(concrete, operation);
            }
            *attempt = Some(Attempt { known, result });
        }
        if !grown && !instances.make_up(concrete) {
            break;
        }
    }
    ask_for_more(concrete, safe, &instances, &mut attempts);
    let mut operations = provided;
    let mut skips = Vec::new();
    for (callable, attempt) in safe.iter().zip(attempts) {
        match attempt.map(|attempt| attempt.result) {
            Some(Ok(built)) => operations.extend(built),
            Some(Err(refusal)) if callable.is_counted() => skips.push(skip(callable, refusal)),
            _ => {}
        }
    }
    (operations, skips)
}

/// Functions that give what is asked for are asked for what others take, once that is known.
fn ask_for_more(
    concrete: &Concrete<'_>,
    safe: &[Callable<'_>],
    instances: &Instances,
    attempts: &mut [Option<Attempt>],
) {
    let mut given = Given::default();
    for (callable, attempt) in safe.iter().zip(&*attempts) {
        for operation in attempt.iter().flat_map(|attempt| &attempt.result).flatten() {
            given.note(&callable.function, operation);
        }
    }
    for (callable, attempt) in safe.iter().zip(attempts) {
        if let Some(attempt) = attempt
            && callable.has_wish()
        {
            attempt.result = Builder { concrete, callable, given: &given }.build(instances);
        }
    }
}

/// The operations of a callable as of an earlier round.
struct Attempt {
    /// How many instantiations of its type there were.
    known: usize,
    result: Result<Vec<Operation>, Refusal>,
}

fn skip(callable: &Callable<'_>, (reason, detail): Refusal) -> Skip {
    Skip { operation: callable.path.clone(), reason, detail }
}

fn api_types(concrete: &Concrete<'_>, types: &[Ty]) -> Vec<ApiType> {
    let names: BTreeMap<Id, String> = type_names(concrete.index);
    let one = |ty: &Ty| {
        let name = type_name(concrete, &names, ty)?;
        let elements = elements::elements(concrete, ty);
        Some(ApiType { ty: ty.clone(), name, elements, shape: shape::shape(concrete, ty) })
    };
    types.iter().filter_map(one).collect()
}

/// A type's short name; references and boxes around it are shown.
fn type_name(concrete: &Concrete<'_>, names: &BTreeMap<Id, String>, ty: &Ty) -> Option<String> {
    match ty {
        Ty::Ref { access: Access::Shared, to } => {
            Some(format!("&{}", type_name(concrete, names, to)?))
        }
        Ty::Ref { to, .. } => Some(format!("&mut {}", type_name(concrete, names, to)?)),
        Ty::Path { path, args } => {
            let last = path.rsplit("::").next().unwrap_or(path);
            match (concrete.index.types.get(path), args.first()) {
                (Some(id), _) => Some(names[id].clone()),
                (None, Some(GenericArg::Type(inner))) if path.starts_with("std::") => {
                    Some(format!("{last}<{}>", type_name(concrete, names, inner)?))
                }
                _ => Some(last.to_owned()),
            }
        }
        _ => None,
    }
}

/// Makes the operations of one callable.
struct Builder<'c, 'a> {
    concrete: &'c Concrete<'a>,
    callable: &'c Callable<'a>,
    /// What functions of the subject take.
    given: &'c Given,
}

impl Builder<'_, '_> {
    /// One operation per instantiation that fits; a refusal only when there is none.
    fn build(&self, instances: &Instances) -> Result<Vec<Operation>, Refusal> {
        if self.callable.function.header.is_async {
            return Err((SkipReason::Async, "async functions need an executor".into()));
        }
        let mut built = Vec::new();
        let mut refusal = None;
        for env in self.environments(instances)? {
            match env.and_then(|(env, owner)| self.operations(&env, owner.as_ref())) {
                Ok(found) => {
                    let new = found.into_iter().filter(|operation| !built.contains(operation));
                    built.extend(new.collect::<Vec<_>>());
                }
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        match refusal {
            Some(refusal) if built.is_empty() => Err(refusal),
            _ if built.is_empty() => {
                Err((SkipReason::NoTypeForParameter, "no instantiation of the type".into()))
            }
            _ => Ok(built),
        }
    }

    /// Assignments of the parameters of the surroundings, with the type that owns the function.
    fn environments(
        &self,
        instances: &Instances,
    ) -> Result<Vec<Result<Surroundings, Refusal>>, Refusal> {
        match &self.callable.owner {
            Owner::Free(_) => Ok(vec![Ok((Env::new(), None))]),
            Owner::Constructor { of, .. } => {
                let one = |ty: &Ty| Ok((self.of_instance(*of, ty)?, Some(ty.clone())));
                Ok(instances.of(*of).iter().map(one).collect())
            }
            Owner::Inherent { imp, head } | Owner::Trait { imp, head: Some(head), .. } => {
                let one = |ty: &Ty| self.of_impl(*imp, &wrapped(&imp.inner.for_, ty));
                let (varied, chosen): (Vec<&Ty>, Vec<&Ty>) =
                    instances.of(*head).iter().partition(|ty| instances.is_variant(ty));
                let mut found = self.few(chosen.into_iter().map(one));
                if variants::is_wanted(self.concrete, imp.inner.trait_.as_ref()) {
                    found.extend(varied.into_iter().map(one));
                }
                Ok(found)
            }
            Owner::Trait { imp, head: None, .. } => {
                let env = self.fill(*imp, &Env::new())?;
                let ty = self.concrete.lower(&imp.inner.for_, &env).map_err(unfit)?;
                Ok(vec![self.of_impl(*imp, &ty)])
            }
        }
    }

    /// Few instantiations tell as much as many; but whatever makes a value is wanted for each.
    fn few(
        &self,
        all: impl Iterator<Item = Result<Surroundings, Refusal>>,
    ) -> Vec<Result<Surroundings, Refusal>> {
        let has_receiver = self.callable.function.sig.inputs.iter().any(|(name, _)| name == "self");
        let most = if has_receiver { MOST_INSTANCES } else { usize::MAX };
        let mut fitting = 0;
        all.filter(|one| {
            fitting += usize::from(one.is_ok());
            one.is_err() || fitting <= most
        })
        .collect()
    }

    fn of_instance(&self, id: Id, ty: &Ty) -> Result<Env, Refusal> {
        let generics = self.concrete.index.type_generics(id);
        let args = match ty {
            Ty::Path { args, .. } => args.clone(),
            _ => Vec::new(),
        };
        let mut env = match generics {
            Some(generics) => self.concrete.assign(generics, args).map_err(unfit)?,
            None => Env::new(),
        };
        env.insert("Self".into(), GenericArg::Type(ty.clone()));
        Ok(env)
    }

    fn of_impl(&self, imp: Implementation<'_>, ty: &Ty) -> Result<Surroundings, Refusal> {
        let env = self
            .concrete
            .applies(imp, ty, &[])
            .ok_or_else(|| (SkipReason::NoTypeForParameter, format!("bounds not met by {ty}")))?;
        Ok((self.fill(imp, &env)?, Some(ty.clone())))
    }

    /// Parameters of an impl that its type does not fix.
    fn fill(&self, imp: Implementation<'_>, env: &Env) -> Result<Env, Refusal> {
        let mut env =
            self.concrete.solve(&imp.inner.generics, env, Level::Type, None).map_err(no_type)?;
        self.concrete.name_associated(imp, &mut env);
        Ok(env)
    }

    /// The operation, and others where something else can be asked for.
    fn operations(&self, outer: &Env, owner: Option<&Ty>) -> Result<Vec<Operation>, Refusal> {
        let function = &self.callable.function;
        let trait_args = self.trait_args(outer)?;
        let outer = self.scope(outer, owner, &trait_args)?;
        let env = self
            .concrete
            .solve(&function.generics, &outer, Level::Argument, Some(&function.sig))
            .map_err(no_type)?;
        let mut found = vec![self.operation(&env, owner.cloned(), trait_args.clone())?];
        if self.callable.has_wish() {
            for env in self.concrete.other_wishes(function, &outer, &env, self.given) {
                found.extend(self.operation(&env, owner.cloned(), trait_args.clone()));
            }
        }
        Ok(found)
    }

    fn operation(
        &self,
        env: &Env,
        owner: Option<Ty>,
        trait_args: Vec<Ty>,
    ) -> Result<Operation, Refusal> {
        let Callable { function, item, path, .. } = self.callable;
        let output = function.sig.output.as_ref();
        let inputs = function.sig.inputs.iter().enumerate();
        let params = inputs.map(|(i, input)| self.param(i, input, env));
        let params = params.collect::<Result<Vec<_>, _>>()?;
        let receiver = params.first().filter(|param| param.name == "self");
        let result = self.result(output, env);
        Ok(Operation {
            path: path.clone(),
            callable: callable_id(self.concrete.index, self.callable),
            kind: OpKind::of_receiver(receiver.map(|param| &param.ty)),
            callee: self.callee(owner, trait_args, env),
            lending: self.signature().lending(env, &result),
            result,
            params,
            counted: self.callable.is_counted(),
            documented_panics: self.documented_panics(),
            conditions: Vec::new(),
            ways: Vec::new(),
            written: Vec::new(),
            span: item.span.as_ref().map(span),
        })
    }

    /// What the function's documentation says of panics; else that of the trait's method which it
    /// implements, of the method that is to be used instead, of its impl, of its type.
    fn documented_panics(&self) -> Option<String> {
        let Callable { item, name, owner, .. } = self.callable;
        let index = self.concrete.index;
        let docs = |id: Id| index.item(id).and_then(|item| item.docs.as_deref());
        let told = item.docs.as_deref().and_then(docs::documented_panics);
        let (imp, head) = match owner {
            Owner::Free(_) | Owner::Constructor { .. } => return told,
            Owner::Inherent { imp, head } => (imp, Some(*head)),
            Owner::Trait { imp, head, .. } => (imp, *head),
        };
        let in_trait = || {
            let inner = index.local_trait(imp.inner.trait_.as_ref()?.id)?;
            let mut methods = index.functions(&inner.items);
            let (method, _) = methods.find(|(method, _)| method.name.as_ref() == Some(name))?;
            method.docs.as_deref().and_then(docs::documented_panics)
        };
        let instead = || {
            let note = item.deprecation.as_ref()?.note.as_deref()?;
            let mut methods = index.functions(&imp.inner.items);
            let (method, _) = methods.find(|(method, _)| {
                method.name.as_deref().is_some_and(|name| docs::names_instead(note, name))
            })?;
            method.docs.as_deref().and_then(docs::documented_panics)
        };
        let around = [Some(imp.id), head].into_iter().flatten();
        told.or_else(in_trait)
            .or_else(instead)
            .or_else(|| around.filter_map(docs).find_map(|docs| docs::panics_of_all(docs, name)))
    }

    fn trait_args(&self, env: &Env) -> Result<Vec<Ty>, Refusal> {
        match &self.callable.owner {
            Owner::Trait { imp, .. } => {
                let path = imp.inner.trait_.as_ref().expect("the owner is a trait impl");
                self.concrete.trait_args(path, env).map_err(unfit)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A provided method is written in terms of the trait's parameters, not the impl's.
    fn scope(&self, env: &Env, owner: Option<&Ty>, trait_args: &[Ty]) -> Result<Env, Refusal> {
        let Owner::Trait { imp, written: Written::InTrait, .. } = &self.callable.owner else {
            return Ok(env.clone());
        };
        let id = imp.inner.trait_.as_ref().expect("the owner is a trait impl").id;
        let given = trait_args.iter().cloned().map(GenericArg::Type).collect();
        let mut scope = match self.concrete.index.local_trait(id) {
            Some(inner) => self.concrete.assign(&inner.generics, given).map_err(unfit)?,
            None => Env::new(),
        };
        scope.extend(env.iter().filter(|(name, _)| name.starts_with("Self::")).map(pair));
        scope.extend(owner.map(|ty| ("Self".to_owned(), GenericArg::Type(ty.clone()))));
        Ok(scope)
    }

    fn param(&self, i: usize, (name, ty): &(String, Type), env: &Env) -> Result<Param, Refusal> {
        let ty = self.concrete.lower(ty, env).map_err(unfit)?;
        let inner = match &ty {
            Ty::Closure { .. } | Ty::Iter { .. } => None,
            Ty::Ref { to, .. } if matches!(**to, Ty::Closure { .. } | Ty::Iter { .. }) => None,
            other => Some(other),
        };
        if inner.is_some_and(is_vague) {
            return Err((
                SkipReason::UnsupportedSignature,
                format!("the type of `{name}` cannot be written"),
            ));
        }
        // A pattern has no name of its own.
        let is_name = name.chars().any(char::is_alphanumeric)
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = if is_name { name.clone() } else { format!("arg{i}") };
        Ok(Param { name, ty })
    }

    /// The function with what its lifetimes may belong to.
    fn signature(&self) -> Signature<'_> {
        let index = self.concrete.index;
        let (owner, declared) = match &self.callable.owner {
            Owner::Free(_) => (None, Vec::new()),
            Owner::Constructor { of, .. } => {
                let params = index.type_generics(*of).map_or(&[][..], |generics| &generics.params);
                let lifetimes = params.iter().filter(|param| is_lifetime(param));
                (None, lifetimes.map(|param| param.name.as_str()).collect())
            }
            Owner::Inherent { imp, .. } | Owner::Trait { imp, .. } => {
                (Some(&imp.inner.for_), Vec::new())
            }
        };
        let function = &self.callable.function;
        Signature { index, sig: &function.sig, generics: &function.generics, owner, declared }
    }

    fn result(&self, output: Option<&Type>, env: &Env) -> Ty {
        if let Owner::Trait { trait_path, .. } = &self.callable.owner
            && std_traits::is_formatting(trait_path)
        {
            return Ty::named("std::string::String");
        }
        let ty = output.map_or(Ty::Unit, |output| self.concrete.lower_result(output, env));
        let ty = spelled_out(ty);
        if matches!(self.callable.owner, Owner::Constructor { form: Form::Part, .. }) {
            let args = vec![GenericArg::Type(ty)];
            return Ty::Path { path: "std::option::Option".into(), args };
        }
        if has_argument_shape(&ty) { Ty::Opaque } else { ty }
    }

    fn callee(&self, owner: Option<Ty>, args: Vec<Ty>, env: &Env) -> Callee {
        let name = self.callable.name.clone();
        let generics = self.turbofish(env);
        match (&self.callable.owner, owner) {
            (Owner::Trait { trait_path, .. }, Some(ty)) => {
                Callee::Trait { ty, path: trait_path.clone(), args, name, generics }
            }
            (Owner::Inherent { .. }, Some(ty)) => Callee::Inherent { ty, name, generics },
            (Owner::Constructor { path, form: Form::Literal, .. }, _) => {
                Callee::Literal { path: path.clone() }
            }
            (Owner::Constructor { path, form: Form::Part, .. }, _) => {
                Callee::Part { path: path.clone(), field: name }
            }
            (Owner::Free(path) | Owner::Constructor { path, .. }, _) => {
                Callee::Function { path: path.clone(), generics }
            }
            (Owner::Trait { .. } | Owner::Inherent { .. }, None) => {
                unreachable!("methods always have an owner")
            }
        }
    }

    /// Explicit type arguments, where the arguments alone would not fix them.
    fn turbofish(&self, env: &Env) -> Vec<Ty> {
        let function = &self.callable.function;
        let inputs = format!("{:?}", function.sig.inputs);
        let types: Vec<&String> = function
            .generics
            .params
            .iter()
            .filter(|p| matches!(p.kind, GenericParamDefKind::Type { is_synthetic: false, .. }))
            .map(|param| &param.name)
            .collect();
        let mentioned = |name: &&String| inputs.contains(&format!("Generic(\"{name}\")"));
        if types.iter().all(mentioned) || inputs.contains("ImplTrait") {
            return Vec::new();
        }
        let values: Vec<Ty> = types
            .iter()
            .filter_map(|name| match env.get(*name) {
                Some(GenericArg::Type(ty)) if !is_vague(ty) => Some(ty.clone()),
                _ => None,
            })
            .collect();
        if values.len() == types.len() { values } else { Vec::new() }
    }
}

fn pair((name, value): (&String, &GenericArg)) -> (String, GenericArg) {
    (name.clone(), value.clone())
}

/// An iterator of ours in a result is the one that arguments are made of: that of a vector.
fn spelled_out(ty: Ty) -> Ty {
    match ty {
        Ty::Iter { item } if !item.is_borrowed() => {
            Ty::Path { path: "std::vec::IntoIter".into(), args: vec![GenericArg::Type(*item)] }
        }
        Ty::Path { path, args } => {
            let args = args.into_iter().map(|arg| match arg {
                GenericArg::Type(ty) => GenericArg::Type(spelled_out(ty)),
                other => other,
            });
            Ty::Path { path, args: args.collect() }
        }
        Ty::Ref { access, to } => Ty::Ref { access, to: Box::new(spelled_out(*to)) },
        Ty::Tuple(items) => Ty::Tuple(items.into_iter().map(spelled_out).collect()),
        other => other,
    }
}

/// Whether a closure or an iterator of ours went into a result: its type cannot be written.
fn has_argument_shape(ty: &Ty) -> bool {
    match ty {
        // A pointer to a function can be written.
        Ty::Closure { kind, .. } => *kind != FnKind::Pointer,
        Ty::Iter { .. } => true,
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => has_argument_shape(to),
        Ty::Tuple(items) => items.iter().any(has_argument_shape),
        Ty::Path { args, .. } => {
            args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if has_argument_shape(ty)))
        }
        _ => false,
    }
}

fn unfit(unfit: Unfit) -> Refusal {
    match unfit {
        Unfit::Unbound(name) | Unfit::NoFit(name) => (SkipReason::NoTypeForParameter, name),
        Unfit::Form(form) => (SkipReason::UnsupportedSignature, form.to_owned()),
        Unfit::Unnameable(name) => (SkipReason::NoValueForArgument, name),
        Unfit::Projection(name) => {
            (SkipReason::UnsupportedSignature, format!("associated type {name}"))
        }
    }
}

fn no_type(param: String) -> Refusal {
    let detail = if param.is_empty() { "bounds of the function are not met".into() } else { param };
    (SkipReason::NoTypeForParameter, detail)
}

fn span(span: &rustdoc_types::Span) -> Span {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    Span {
        file: span.filename.to_string_lossy().into_owned(),
        first: line(span.begin.0),
        last: line(span.end.0),
    }
}
