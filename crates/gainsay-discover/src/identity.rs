//! Identities of callables, made of rustdoc's items: the same for every build and, as long as the
//! source names a callable alike, for every version.

use gainsay_wire::{CallableId, Owner};
use rustdoc_types::{GenericArg, GenericArgs, Path, Type};

use crate::{
    callables::{self, Callable, Form},
    index::{Index, Named},
    show::show_type,
};

/// The identity of a callable.
pub(crate) fn callable_id(index: &Index<'_>, callable: &Callable<'_>) -> CallableId {
    let name = callable.name.clone();
    match &callable.owner {
        callables::Owner::Free(path) => {
            let module = path.rsplit_once("::").map_or("", |(module, _)| module);
            CallableId { owner: Owner::Module(module.to_owned()), in_trait: None, name }
        }
        callables::Owner::Constructor { path, of, form } => {
            let owner = Owner::Type(index.public.get(of).unwrap_or(path).clone());
            let made = callable.item.name.clone().unwrap_or_default();
            // Fields of several variants may have one name.
            let name = if *form == Form::Part { format!("{made}.{name}") } else { made };
            CallableId { owner, in_trait: None, name }
        }
        callables::Owner::Inherent { imp, .. } => {
            let owner = Owner::Type(type_text(index, &imp.inner.for_));
            CallableId { owner, in_trait: None, name }
        }
        callables::Owner::Trait { imp, trait_path, .. } => {
            let owner = Owner::Type(type_text(index, &imp.inner.for_));
            let written = imp.inner.trait_.as_ref();
            let args = written.and_then(|path| arguments_text(index, path));
            let in_trait = Some(format!("{trait_path}{}", args.unwrap_or_default()));
            CallableId { owner, in_trait, name }
        }
    }
}

/// A type as an impl block names it, by public paths and without the names of parameters: a version
/// may rename those.
fn type_text(index: &Index<'_>, ty: &Type) -> String {
    match ty {
        Type::Generic(_) => "_".to_owned(),
        Type::ResolvedPath(path) => {
            let public = match index.named(path.id, &path.path) {
                Named::Local(id) => index.public.get(&id).unwrap_or(&path.path).clone(),
                Named::Std(path) | Named::Foreign(path) => path,
            };
            format!("{public}{}", arguments_text(index, path).unwrap_or_default())
        }
        Type::BorrowedRef { is_mutable: true, type_, .. } => {
            format!("&mut {}", type_text(index, type_))
        }
        Type::BorrowedRef { type_, .. } => format!("&{}", type_text(index, type_)),
        Type::Slice(item) => format!("[{}]", type_text(index, item)),
        Type::Array { type_, .. } => format!("[{}; _]", type_text(index, type_)),
        Type::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| type_text(index, item)).collect();
            format!("({})", items.join(", "))
        }
        other => show_type(other),
    }
}

/// Arguments that an impl block fixes; `None` where all of them are its own parameters.
fn arguments_text(index: &Index<'_>, path: &Path) -> Option<String> {
    let Some(GenericArgs::AngleBracketed { args, .. }) = path.args.as_deref() else {
        return None;
    };
    let is_fixed = |arg: &GenericArg| match arg {
        GenericArg::Type(ty) => !matches!(ty, Type::Generic(_)),
        GenericArg::Const(constant) => constant.is_literal,
        GenericArg::Lifetime(_) | GenericArg::Infer => false,
    };
    if !args.iter().any(is_fixed) {
        return None;
    }
    let texts = args.iter().filter_map(|arg| match arg {
        GenericArg::Lifetime(_) => None,
        GenericArg::Type(ty) => Some(type_text(index, ty)),
        GenericArg::Const(constant) if constant.is_literal => Some(constant.expr.clone()),
        GenericArg::Const(_) | GenericArg::Infer => Some("_".to_owned()),
    });
    Some(format!("<{}>", texts.collect::<Vec<_>>().join(", ")))
}
