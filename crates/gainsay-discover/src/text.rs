//! The Api as stable text, for people and for snapshots.

use std::{collections::BTreeMap, fmt::Write as _};

use gainsay_model::{
    api::{Api, Callee, Lending, Operation},
    ty::Ty,
};

/// Types, operations with their signatures, and skips by reason.
pub fn text(api: &Api) -> String {
    let mut out = String::new();
    let subject = &api.subject;
    line(&mut out, format_args!("{} {}", subject.name, subject.version));
    line(
        &mut out,
        format_args!(
            "public {}, unsafe {}, operations {}, skips {}",
            api.public,
            api.unsafe_count,
            api.operations.len(),
            api.skips.len()
        ),
    );
    line(&mut out, format_args!("\ntypes"));
    for ty in &api.types {
        let elements =
            ty.elements.map_or_else(|| "-".to_owned(), |elements| format!("{elements:?}"));
        line(&mut out, format_args!("  {}  {}  elements {elements}", ty.name, ty.ty));
    }
    line(&mut out, format_args!("\noperations"));
    for operation in &api.operations {
        line(&mut out, format_args!("  {}", signature(operation)));
    }
    skips(&mut out, api);
    line(&mut out, format_args!("\nliterals"));
    line(&mut out, format_args!("  {:?}", api.literals.integers));
    line(&mut out, format_args!("  {:?}", api.literals.strings));
    out
}

fn skips(out: &mut String, api: &Api) {
    let mut by_reason: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for skip in &api.skips {
        by_reason.entry(skip.reason).or_default().push(skip);
    }
    for (reason, skips) in by_reason {
        line(out, format_args!("\nskipped: {} ({})", reason.as_text(), skips.len()));
        for skip in skips {
            line(out, format_args!("  {}  [{}]", skip.operation, skip.detail));
        }
    }
}

fn signature(operation: &Operation) -> String {
    let params: Vec<String> =
        operation.params.iter().map(|param| format!("{}: {}", param.name, param.ty)).collect();
    let callee = match &operation.callee {
        Callee::Function { path, generics } => format!("{path}{}", turbofish(generics)),
        Callee::Literal { path } => format!("literal {path}"),
        Callee::Part { path, field } => format!("part {path}.{field}"),
        Callee::Inherent { ty, name, generics } => format!("<{ty}>::{name}{}", turbofish(generics)),
        Callee::Trait { ty, path, args, name, generics } => {
            format!("<{ty} as {path}{}>::{name}{}", list(args), turbofish(generics))
        }
    };
    let lends = match operation.lending {
        Lending::Operands => " [lends]",
        Lending::Inherited => "",
    };
    let panics = if operation.documented_panics.is_some() { " [documents panics]" } else { "" };
    format!(
        "{} = {callee}({}) -> {} [{:?}]{lends}{panics}",
        operation.path,
        params.join(", "),
        operation.result,
        operation.kind
    )
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string cannot fail");
}

fn turbofish(generics: &[Ty]) -> String {
    if generics.is_empty() { String::new() } else { format!("::{}", list(generics)) }
}

/// Type arguments in their brackets; nothing where there are none.
fn list(types: &[Ty]) -> String {
    let types: Vec<String> = types.iter().map(ToString::to_string).collect();
    if types.is_empty() { String::new() } else { format!("<{}>", types.join(", ")) }
}
