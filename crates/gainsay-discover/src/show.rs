//! rustdoc's types as short text for people: `From<&[A::Item]>`.

use rustdoc_types::{GenericArg, GenericArgs, GenericBound, Path, Type};

/// A type as the source writes it, paths by their last segment, lifetimes left out.
pub(crate) fn show_type(ty: &Type) -> String {
    match ty {
        Type::ResolvedPath(path) => show_path(path),
        Type::Primitive(name) if name == "never" => "!".into(),
        Type::Generic(name) | Type::Primitive(name) => name.clone(),
        Type::Tuple(items) => {
            format!("({})", items.iter().map(show_type).collect::<Vec<_>>().join(", "))
        }
        Type::Slice(item) => format!("[{}]", show_type(item)),
        Type::Array { type_, len } => format!("[{}; {len}]", show_type(type_)),
        Type::BorrowedRef { is_mutable, type_, .. } => {
            format!("&{}{}", if *is_mutable { "mut " } else { "" }, show_type(type_))
        }
        Type::RawPointer { is_mutable, type_ } => {
            format!("*{} {}", if *is_mutable { "mut" } else { "const" }, show_type(type_))
        }
        Type::QualifiedPath { name, self_type, .. } => format!("{}::{name}", show_type(self_type)),
        Type::ImplTrait(bounds) => format!("impl {}", show_bounds(bounds)),
        Type::DynTrait(inner) => {
            let traits = inner.traits.iter().map(|poly| show_path(&poly.trait_));
            format!("dyn {}", traits.collect::<Vec<_>>().join(" + "))
        }
        Type::FunctionPointer(_) => "fn".into(),
        Type::Pat { type_, .. } => show_type(type_),
        Type::Infer => "_".into(),
    }
}

/// A path by its last segment, with its type and constant arguments.
pub(crate) fn show_path(path: &Path) -> String {
    let name = path.path.rsplit("::").next().unwrap_or(&path.path);
    let Some(GenericArgs::AngleBracketed { args, .. }) = path.args.as_deref() else {
        return name.to_owned();
    };
    let args: Vec<String> = args
        .iter()
        .filter_map(|arg| match arg {
            GenericArg::Lifetime(_) => None,
            GenericArg::Type(ty) => Some(show_type(ty)),
            GenericArg::Const(constant) => Some(constant.expr.clone()),
            GenericArg::Infer => Some("_".into()),
        })
        .collect();
    if args.is_empty() { name.to_owned() } else { format!("{name}<{}>", args.join(", ")) }
}

fn show_bounds(bounds: &[GenericBound]) -> String {
    let names = bounds.iter().filter_map(|bound| match bound {
        GenericBound::TraitBound { trait_, .. } => Some(show_path(trait_)),
        _ => None,
    });
    names.collect::<Vec<_>>().join(" + ")
}
