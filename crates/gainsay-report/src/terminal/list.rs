//! What a subject offers: operations by kind, and skips with their reasons.

use std::collections::BTreeMap;

use gainsay_model::{
    api::{Api, OpKind, Operation},
    skip::{Skip, SkipReason},
};

use super::{Detail, counted, headed, line};
use crate::paint::{Paint, Tone};

/// Operations and skips of a subject.
pub fn list_text(api: &Api, paint: Paint, detail: Detail) -> String {
    let mut operations = String::new();
    for operation in &api.operations {
        line(&mut operations, &format!("  {:<8}  {}", kind(operation.kind), signature(operation)));
    }
    let about = format!(
        "{} {}: {}, {} unsafe, {}",
        api.subject.name,
        api.subject.version,
        counted(api.public as u64, "public operation"),
        api.unsafe_count,
        counted(api.types.len() as u64, "type"),
    );
    let parts = [
        headed("Operations", &operations, paint),
        headed("Skipped operations", &skips(&api.skips, detail), paint),
        paint.line(Tone::Good, "Listed", &about),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn kind(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Origin => "origin",
        OpKind::Query => "query",
        OpKind::Command => "command",
        OpKind::Consumer => "consumer",
    }
}

fn signature(operation: &Operation) -> String {
    let params = operation.params.iter().filter(|param| param.name != "self");
    let params: Vec<String> = params.map(|p| format!("{}: {}", p.name, p.ty)).collect();
    let result = match operation.result {
        gainsay_model::ty::Ty::Unit => String::new(),
        ref ty => format!(" -> {ty}"),
    };
    format!("{}({}){result}", operation.path, params.join(", "))
}

fn skips(skips: &[Skip], detail: Detail) -> String {
    let mut by_reason: BTreeMap<SkipReason, Vec<&Skip>> = BTreeMap::new();
    for skip in skips {
        by_reason.entry(skip.reason).or_default().push(skip);
    }
    let mut text = String::new();
    for (reason, skips) in by_reason {
        line(&mut text, &format!("{:>6}  {}", skips.len(), reason.text()));
        if detail == Detail::Full {
            for skip in skips {
                let first = skip.detail.lines().next().unwrap_or_default();
                line(&mut text, &format!("        {}: {first}", skip.operation));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use gainsay_model::{
        api::{Callee, Features, Literals, Param, Source, Subject},
        ty::Ty,
    };

    use super::*;

    fn api() -> Api {
        let stack = Ty::named("stacks::Stack");
        let param = |name: &str, ty| Param { name: name.into(), ty };
        let operation = |name: &str, params: Vec<Param>, result| Operation {
            path: format!("Stack::{name}"),
            callee: Callee::Inherent { ty: stack.clone(), name: name.into(), generics: Vec::new() },
            kind: OpKind::of_receiver(params.first().map(|p| &p.ty)),
            params,
            result,
            lending: gainsay_model::api::Lending::Inherited,
            documented_panics: None,
            span: None,
        };
        let skip = |operation: &str, reason, detail: &str| Skip {
            operation: operation.into(),
            reason,
            detail: detail.into(),
        };
        Api {
            subject: Subject {
                name: "stacks".into(),
                version: "1.2.3".into(),
                lib_name: "stacks".into(),
                root: "stacks".into(),
                out_dir: "target/gainsay".into(),
                source: Source::Path,
                features: Features::default(),
            },
            types: vec![],
            operations: vec![
                operation("new", vec![], stack.clone()),
                operation(
                    "push",
                    vec![param("self", stack.clone().exclusive()), param("value", Ty::Probe)],
                    Ty::Unit,
                ),
            ],
            skips: vec![
                skip("serve", SkipReason::Async, "async fn"),
                skip("Stack::raw", SkipReason::Unsafe, "unsafe fn\nsecond line"),
                skip("Stack::raw_mut", SkipReason::Unsafe, "unsafe fn"),
            ],
            public: 3,
            unsafe_count: 2,
            literals: Literals::default(),
        }
    }

    #[test]
    fn operations_are_listed_with_their_kind_and_skips_with_their_reason() {
        insta::assert_snapshot!(list_text(&api(), Paint::Plain, Detail::Brief));
        insta::assert_snapshot!(list_text(&api(), Paint::Plain, Detail::Full));
    }
}
