//! All public callables of the subject, before types are filled in.
//!
//! The rule for what counts is told at [`gainsay_model::api::Api::public`]. What does not count
//! but makes values is here too: literals, tuple constructors and constants.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use rustdoc_types::{
    Abi, Attribute, Function, FunctionHeader, FunctionSignature, GenericArg, GenericArgs,
    GenericParamDefKind, Generics, Id, Item, ItemEnum, StructKind, Type, VariantKind, Visibility,
};

use crate::{
    index::{Implementation, Index, Named, is_type},
    shape::held_by_hand,
    show::{show_path, show_type},
    std_traits,
    wishes::wish,
};

/// A public callable.
pub(crate) struct Callable<'a> {
    /// For people, unique.
    pub(crate) path: String,
    pub(crate) item: &'a Item,
    pub(crate) function: Cow<'a, Function>,
    pub(crate) owner: Owner<'a>,
    /// Name of the function.
    pub(crate) name: String,
    /// A longer form of `path`, used where the short one is not unique.
    long: String,
}

/// Where a callable belongs.
pub(crate) enum Owner<'a> {
    /// A free function by public path.
    Free(String),
    /// How a value of a struct or a variant is written down, by public path.
    Constructor { path: String, of: Id, form: Form },
    /// An inherent impl.
    Inherent { imp: Implementation<'a>, head: Id },
    /// A trait impl; `head` is absent for a type of another crate.
    Trait { imp: Implementation<'a>, head: Option<Id>, trait_path: String, written: Written },
}

/// What a constructor looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `path(a, b)`
    Call,
    /// `path { a, b }` or `path`: no callable, but a way to make a value.
    Literal,
    /// Not made but taken apart: the only way to some types is out of a variant.
    Part,
}

/// Where a trait method's signature is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// In the impl block.
    InImpl,
    /// In the trait, as a provided method.
    InTrait,
}

/// Of more variants of an enum no literals are made.
const MOST_VARIANTS: usize = 24;

/// The callables in a stable order.
pub(crate) fn callables<'a>(index: &'a Index<'a>) -> Vec<Callable<'a>> {
    let mut collect = Collect { index, names: type_names(index), found: Vec::new() };
    collect.functions();
    collect.constructors();
    collect.constants();
    for imp in &index.impls {
        collect.implementation(*imp);
    }
    let mut found = collect.found;
    for rename in [Rename::Long, Rename::Numbered] {
        make_unique(&mut found, rename);
    }
    found
}

#[derive(Clone, Copy)]
enum Rename {
    Long,
    Numbered,
}

fn make_unique(found: &mut [Callable<'_>], rename: Rename) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for callable in found.iter() {
        *seen.entry(callable.path.clone()).or_default() += 1;
    }
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for callable in found.iter_mut().filter(|callable| seen[&callable.path] > 1) {
        match rename {
            Rename::Long => callable.path.clone_from(&callable.long),
            Rename::Numbered => {
                let count = used.entry(callable.path.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    callable.path = format!("{} ({count})", callable.path);
                }
            }
        }
    }
}

/// Short names of the subject's types; the path below the crate where a name is not unique.
pub(crate) fn type_names(index: &Index<'_>) -> BTreeMap<Id, String> {
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let own = index.types.iter().filter(|(_, id)| index.is_own(**id));
    for (path, _) in own {
        *count.entry(last(path)).or_default() += 1;
    }
    let name = |path: &String, id: Id| match count.get(&last(path)) {
        _ if !index.is_own(id) => path.clone(),
        Some(1) => last(path),
        _ => path.split_once("::").map_or(path.clone(), |(_, rest)| rest.to_owned()),
    };
    index.types.iter().map(|(path, id)| (*id, name(path, *id))).collect()
}

/// A struct, a variant or a constant: a value can be written down.
struct Definition<'a> {
    item: &'a Item,
    /// Public path.
    path: String,
    /// Its type.
    of: Id,
}

struct Collect<'a> {
    index: &'a Index<'a>,
    names: BTreeMap<Id, String>,
    found: Vec<Callable<'a>>,
}

impl Callable<'_> {
    /// Whether it counts; what only writes a value down does not.
    pub(crate) fn is_counted(&self) -> bool {
        !matches!(self.owner, Owner::Constructor { .. }) && self.item.crate_id == 0
    }

    /// Whether it gives what the caller asks for. What std's traits ask for is known well enough.
    pub(crate) fn has_wish(&self) -> bool {
        let is_of_std = match &self.owner {
            Owner::Trait { trait_path, .. } => trait_path.starts_with("std::"),
            _ => false,
        };
        !is_of_std && wish(&self.function).is_some()
    }

    /// The type of the subject whose instantiations it is built for.
    pub(crate) fn head(&self) -> Option<Id> {
        match &self.owner {
            Owner::Free(_) => None,
            Owner::Constructor { of: id, .. } | Owner::Inherent { head: id, .. } => Some(*id),
            Owner::Trait { head, .. } => *head,
        }
    }
}

impl<'a> Collect<'a> {
    fn functions(&mut self) {
        let mut paths: Vec<(&String, Id)> =
            self.index.public.iter().map(|(id, path)| (path, *id)).collect();
        paths.sort();
        for (path, id) in paths {
            let Some(item) = self.index.item(id) else { continue };
            if let ItemEnum::Function(function) = &item.inner
                && item.crate_id == 0
            {
                let short = path.split_once("::").map_or(path.as_str(), |(_, rest)| rest);
                self.found.push(Callable {
                    path: short.to_owned(),
                    long: path.clone(),
                    item,
                    function: Cow::Borrowed(function),
                    owner: Owner::Free(path.clone()),
                    name: item.name.clone().unwrap_or_default(),
                });
            }
        }
    }

    fn constructors(&mut self) {
        for (path, id) in &self.index.types {
            let Some(item) = self.index.item(*id) else { continue };
            match &item.inner {
                ItemEnum::Struct(inner) => {
                    let made = Definition { item, path: path.clone(), of: *id };
                    if let StructKind::Plain { fields, .. } = &inner.kind {
                        self.parts(&made, &self.named_fields(fields));
                    }
                    match &inner.kind {
                        StructKind::Tuple(fields) => self.constructor(made, fields),
                        StructKind::Unit => self.literal(made, &[]),
                        StructKind::Plain { fields, has_stripped_fields: false }
                            if !fields.is_empty() =>
                        {
                            self.literal(made, fields);
                        }
                        StructKind::Plain { .. } => {}
                    }
                }
                ItemEnum::Enum(inner) => {
                    let variants = inner.variants.iter().filter_map(|id| self.index.item(*id));
                    for (number, item) in variants.enumerate() {
                        self.variant(item, number, path, *id);
                    }
                }
                _ => {}
            }
        }
    }

    fn variant(&mut self, item: &'a Item, number: usize, path: &str, of: Id) {
        let (ItemEnum::Variant(variant), Some(name)) = (&item.inner, &item.name) else { return };
        let made = Definition { item, path: format!("{path}::{name}"), of };
        match &variant.kind {
            VariantKind::Tuple(fields) => {
                let numbered = fields.iter().enumerate();
                let fields_by_name: Vec<(String, Id)> = numbered
                    .filter_map(|(number, id)| Some((number.to_string(), (*id)?)))
                    .collect();
                self.parts(&made, &fields_by_name);
                self.constructor(made, fields);
            }
            _ if number >= MOST_VARIANTS => {}
            VariantKind::Plain => self.literal(made, &[]),
            VariantKind::Struct { fields, has_stripped_fields: false } => {
                self.parts(&made, &self.named_fields(fields));
                self.literal(made, fields);
            }
            VariantKind::Struct { .. } => {}
        }
    }

    /// Fields of a variant or struct that hold something of the subject's.
    fn parts(&mut self, made: &Definition<'a>, fields: &[(String, Id)]) {
        for (name, id) in fields {
            let Some((_, ty)) = self.field(*id) else { continue };
            if !self.holds_ours(&ty) {
                continue;
            }
            let short = self.names[&made.of].clone();
            let shown = match made.item.name.as_deref() {
                Some(variant) if made.item.id != made.of => format!("{short}::{variant}.{name}"),
                _ => format!("{short}.{name}"),
            };
            let receiver = vec![("self".to_owned(), Type::Generic("Self".into()))];
            let path = made.path.clone();
            self.found.push(Callable {
                long: format!("{path}.{name}"),
                path: shown,
                item: made.item,
                function: Cow::Owned(made_function(receiver, Some(ty))),
                owner: Owner::Constructor { path, of: made.of, form: Form::Part },
                name: name.clone(),
            });
        }
    }

    fn named_fields(&self, fields: &[Id]) -> Vec<(String, Id)> {
        let named = |id: &Id| Some((self.index.item(*id)?.name.clone()?, *id));
        fields.iter().filter_map(named).collect()
    }

    fn holds_ours(&self, ty: &Type) -> bool {
        match ty {
            Type::BorrowedRef { type_, .. } | Type::Array { type_, .. } => self.holds_ours(type_),
            Type::Tuple(items) => items.iter().any(|item| self.holds_ours(item)),
            Type::ResolvedPath(path) if self.names.contains_key(&path.id) => true,
            Type::ResolvedPath(path) => match path.args.as_deref() {
                Some(GenericArgs::AngleBracketed { args, .. }) => args
                    .iter()
                    .any(|arg| matches!(arg, GenericArg::Type(ty) if self.holds_ours(ty))),
                _ => false,
            },
            _ => false,
        }
    }

    fn constructor(&mut self, made: Definition<'a>, fields: &[Option<Id>]) {
        let field =
            |(i, id): (usize, &Option<Id>)| Some((format!("field{i}"), self.field((*id)?)?.1));
        if let Some(inputs) = fields.iter().enumerate().map(field).collect() {
            self.add_constructor(made, inputs, Form::Call);
        }
    }

    fn literal(&mut self, made: Definition<'a>, fields: &[Id]) {
        if made.item.attrs.contains(&Attribute::NonExhaustive) {
            return;
        }
        let field = |id: &Id| {
            let (name, ty) = self.field(*id)?;
            Some((name?, ty))
        };
        if let Some(inputs) = fields.iter().map(field).collect() {
            self.add_constructor(made, inputs, Form::Literal);
        }
    }

    /// Name and type of a field that anyone may set. What holds memory by hand is left alone, though it
    /// be public: whoever reaches into it vouches for what the type's own code relies upon.
    fn field(&self, id: Id) -> Option<(Option<String>, Type)> {
        let field = self.index.item(id)?;
        let public = matches!(field.visibility, Visibility::Public | Visibility::Default);
        match &field.inner {
            ItemEnum::StructField(ty) if public && !held_by_hand(ty) => {
                Some((field.name.clone(), ty.clone()))
            }
            _ => None,
        }
    }

    /// Constants of the subject's own types: `Date::MIN` is often the value that matters.
    fn constants(&mut self) {
        let of_type = |ty: &Type| head(ty).filter(|_| !matches!(ty, Type::BorrowedRef { .. }));
        let mut found = BTreeMap::new();
        for (id, path) in &self.index.public {
            let Some(item) = self.index.item(*id) else { continue };
            if let ItemEnum::Constant { type_, .. } = &item.inner
                && let Some(of) = of_type(type_)
            {
                found.insert(path.clone(), (item, of));
            }
        }
        for imp in self.index.impls.iter().filter(|imp| imp.inner.trait_.is_none()) {
            let Some((of, path)) =
                of_type(&imp.inner.for_).and_then(|of| Some((of, self.index.public.get(&of)?)))
            else {
                continue;
            };
            for item in imp.inner.items.iter().filter_map(|id| self.index.item(*id)) {
                if let (ItemEnum::AssocConst { type_, .. }, Some(name)) = (&item.inner, &item.name)
                    && item.visibility == Visibility::Public
                    && (*type_ == Type::Generic("Self".into()) || of_type(type_) == Some(of))
                {
                    found.insert(format!("{path}::{name}"), (item, of));
                }
            }
        }
        for (path, (item, of)) in found {
            let is_plain = self.index.type_generics(of).is_some_and(|g| g.params.is_empty());
            if is_plain && self.names.contains_key(&of) {
                self.add_constructor(Definition { item, path, of }, Vec::new(), Form::Literal);
            }
        }
    }

    fn add_constructor(&mut self, made: Definition<'a>, inputs: Vec<(String, Type)>, form: Form) {
        let Definition { item, path, of } = made;
        let short = self.names[&of].clone();
        let name = item.name.clone().unwrap_or_default();
        let shown = if item.id == of { short } else { format!("{short}::{name}") };
        self.found.push(Callable {
            long: path.clone(),
            path: shown,
            item,
            function: Cow::Owned(made_function(inputs, Some(Type::Generic("Self".into())))),
            owner: Owner::Constructor { path, of, form },
            name,
        });
    }

    fn implementation(&mut self, imp: Implementation<'a>) {
        let named = self.index.head(&imp.inner.for_);
        let head = named.filter(|id| self.names.contains_key(id));
        if head.is_none() && named.is_some_and(|id| self.index.item(id).is_some_and(is_type)) {
            // A type of the subject that no public path leads to.
            return;
        }
        if head.is_none() && !self.index.is_own(imp.id) {
            return;
        }
        match (&imp.inner.trait_, head) {
            (None, Some(head)) => {
                let functions: Vec<_> = self.index.functions(&imp.inner.items).collect();
                for (item, function) in functions {
                    if item.visibility == Visibility::Public {
                        let owner = Owner::Inherent { imp, head };
                        self.method(item, Cow::Borrowed(function), owner, imp);
                    }
                }
            }
            (None, None) => {}
            (Some(path), head) => match self.index.named(path.id, &path.path) {
                Named::Std(name) => self.std_trait(imp, head, &name),
                Named::Local(id) if self.index.is_own(id) && self.index.is_own(imp.id) => {
                    self.own_trait(imp, head, id);
                }
                Named::Local(id) if self.index.is_own(imp.id) && head.is_some() => {
                    self.foreign_trait(imp, head, id);
                }
                Named::Local(_) | Named::Foreign(_) => {}
            },
        }
    }

    fn std_trait(&mut self, imp: Implementation<'a>, head: Option<Id>, name: &str) {
        if !std_traits::is_callable(name) {
            return;
        }
        let owner =
            || Owner::Trait { imp, head, trait_path: name.to_owned(), written: Written::InImpl };
        let functions: Vec<_> = self.index.functions(&imp.inner.items).collect();
        let writes_len = functions.iter().any(|(item, _)| item.name.as_deref() == Some("len"));
        for (item, function) in functions {
            self.method(item, as_called(name, item, function), owner(), imp);
        }
        if name == "std::iter::ExactSizeIterator" && !writes_len {
            self.provided_len(imp, owner());
        }
    }

    /// std's methods are not described; this one is worth writing down.
    fn provided_len(&mut self, imp: Implementation<'a>, owner: Owner<'a>) {
        let Some(item) = self.index.item(imp.id) else { return };
        let inputs = vec![("self".to_owned(), shared_self())];
        let function = made_function(inputs, Some(Type::Primitive("usize".into())));
        self.named_method("len", item, Cow::Owned(function), owner, imp);
    }

    fn own_trait(&mut self, imp: Implementation<'a>, head: Option<Id>, id: Id) {
        let (Some(path), Some(inner)) = (self.index.public.get(&id), self.index.local_trait(id))
        else {
            return;
        };
        let owner = |written| Owner::Trait { imp, head, trait_path: path.clone(), written };
        // A method that the trait hides is not counted where an impl writes it.
        let shown: BTreeSet<Option<&String>> =
            self.index.functions(&inner.items).map(|(item, _)| item.name.as_ref()).collect();
        let written: Vec<_> = self
            .index
            .functions(&imp.inner.items)
            .filter(|(item, _)| shown.contains(&item.name.as_ref()))
            .collect();
        // rustdoc calls a method provided even where an impl overrides it.
        let overridden: BTreeSet<Option<&String>> =
            written.iter().map(|(item, _)| item.name.as_ref()).collect();
        for (item, function) in written {
            self.method(item, Cow::Borrowed(function), owner(Written::InImpl), imp);
        }
        let provided: Vec<_> = self
            .index
            .functions(&inner.items)
            .filter(|(item, _)| {
                !overridden.contains(&item.name.as_ref())
                    && item
                        .name
                        .as_ref()
                        .is_some_and(|n| imp.inner.provided_trait_methods.contains(n))
            })
            .collect();
        for (item, function) in provided {
            self.method(item, Cow::Borrowed(function), owner(Written::InTrait), imp);
        }
    }

    /// What the subject writes of a trait of a dependency: `checked_div` for its numbers. Functions
    /// with parameters of their own mostly hand something on to others and are left out.
    fn foreign_trait(&mut self, imp: Implementation<'a>, head: Option<Id>, id: Id) {
        let Some(path) = self.index.public.get(&id) else { return };
        let is_plain = |function: &Function| {
            let mut params = function.generics.params.iter();
            params.all(|param| matches!(param.kind, GenericParamDefKind::Lifetime { .. }))
        };
        let written: Vec<_> = self.index.functions(&imp.inner.items).collect();
        for (item, function) in written.into_iter().filter(|(_, function)| is_plain(function)) {
            let trait_path = path.clone();
            let owner = Owner::Trait { imp, head, trait_path, written: Written::InImpl };
            self.method(item, Cow::Borrowed(function), owner, imp);
        }
    }

    fn method(
        &mut self,
        item: &'a Item,
        function: Cow<'a, Function>,
        owner: Owner<'a>,
        imp: Implementation<'a>,
    ) {
        // Of dependencies only what makes values is of use.
        let is_origin = function.sig.inputs.first().is_none_or(|(name, _)| name != "self");
        if let Some(name) = &item.name
            && (item.crate_id == 0 || is_origin && !function.header.is_unsafe)
        {
            self.named_method(name, item, function, owner, imp);
        }
    }

    fn named_method(
        &mut self,
        name: &str,
        item: &'a Item,
        function: Cow<'a, Function>,
        owner: Owner<'a>,
        imp: Implementation<'a>,
    ) {
        let for_ = show_type(&imp.inner.for_);
        let short = self
            .index
            .head(&imp.inner.for_)
            .and_then(|id| Some(format!("{}{}", references(&imp.inner.for_), self.names.get(&id)?)))
            .unwrap_or_else(|| for_.clone());
        let (path, long) = match &imp.inner.trait_ {
            None => (format!("{short}::{name}"), format!("{for_}::{name}")),
            Some(path) => {
                let bare = show_path(path).split('<').next().unwrap_or_default().to_owned();
                (
                    format!("{short} as {bare}::{name}"),
                    format!("{for_} as {}::{name}", show_path(path)),
                )
            }
        };
        self.found.push(Callable { path, long, item, function, owner, name: name.to_owned() });
    }
}

/// The named type that a type is, references left out.
pub(crate) fn head(ty: &Type) -> Option<Id> {
    match ty {
        Type::ResolvedPath(path) => Some(path.id),
        Type::BorrowedRef { type_, .. } => head(type_),
        _ => None,
    }
}

fn references(ty: &Type) -> &'static str {
    match ty {
        Type::BorrowedRef { is_mutable: true, .. } => "&mut ",
        Type::BorrowedRef { .. } => "&",
        _ => "",
    }
}

/// A method as one can call it: dropping takes the value, formatting has a formatter of its own.
fn as_called<'a>(trait_path: &str, item: &Item, function: &'a Function) -> Cow<'a, Function> {
    let receiver = |ty: Type| vec![("self".to_owned(), ty)];
    if std_traits::is_drop(trait_path) {
        return Cow::Owned(made_function(receiver(Type::Generic("Self".into())), None));
    }
    if std_traits::is_formatting(trait_path) && item.name.as_deref() == Some("fmt") {
        return Cow::Owned(made_function(receiver(shared_self()), None));
    }
    Cow::Borrowed(function)
}

/// `&Self`
fn shared_self() -> Type {
    let type_ = Box::new(Type::Generic("Self".into()));
    Type::BorrowedRef { lifetime: None, is_mutable: false, type_ }
}

fn made_function(inputs: Vec<(String, Type)>, output: Option<Type>) -> Function {
    Function {
        sig: FunctionSignature { inputs, output, is_c_variadic: false },
        generics: Generics { params: Vec::new(), where_predicates: Vec::new() },
        header: FunctionHeader {
            is_const: false,
            is_unsafe: false,
            is_async: false,
            abi: Abi::Rust,
        },
        has_body: true,
    }
}
