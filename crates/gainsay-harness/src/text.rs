//! The stable text form of a plan, for reading and for snapshots.

use std::fmt::Write as _;

use gainsay_model::api::Api;

use crate::{
    live::{Live, Pruned},
    plan::{Carrier, Pass, Plan, PlannedOp, PlannedQuery, QueryHow},
};

/// What a harness for `api` would offer, before rustc has seen it.
pub fn text(api: &Api) -> String {
    let plan = Plan::new(api);
    let live = Live::new(&plan, &Pruned::new());
    let mut out = String::new();
    for &number in &live.types {
        let ty = &plan.types[number];
        line(&mut out, format_args!("type {number} {}", ty.ty));
        for &query in &live.queries[&number] {
            line(&mut out, format_args!("  view {}", query_text(&ty.queries[query])));
        }
    }
    for &number in &live.ops {
        line(&mut out, format_args!("op {number} {}", op_text(&plan.ops[number])));
    }
    for skip in plan.skips.iter().chain(&live.skips) {
        let reason = skip.reason.as_text();
        line(&mut out, format_args!("skip {}: {reason}: {}", skip.operation, skip.detail));
    }
    out
}

fn op_text(op: &PlannedOp) -> String {
    let params =
        op.params.iter().map(|param| format!("{}: {}", param.name, pass_text(&param.pass)));
    let params: Vec<String> = params.collect();
    let makes = op.makes.iter().map(|(ty, made)| format!(" makes T{ty} at {:?}", made.path));
    format!("{}({}) -> {:?}{}", op.name, params.join(", "), op.seen, makes.collect::<String>())
}

fn query_text(query: &PlannedQuery) -> String {
    let arg = query.arg().map(pass_text).unwrap_or_default();
    match &query.how {
        QueryHow::Elements(elements) => format!("{} by {elements:?}", query.name),
        QueryHow::Bag(elements) => format!("{} by {elements:?}, without order", query.name),
        QueryHow::Call(call) if call.through.is_some() => {
            format!("{} -> {:?}", query.name, call.seen)
        }
        QueryHow::Call(call) => format!("{}({arg}) -> {:?}", query.name, call.seen),
        QueryHow::Variant { names, .. } => format!("{} of {names:?}", query.name),
        QueryHow::Field(_) | QueryHow::Text | QueryHow::Debug => query.name.clone(),
    }
}

fn pass_text(pass: &Pass) -> String {
    match pass {
        Pass::Object { ty, mode, carrier: Carrier::Itself } => format!("{mode:?} T{ty}"),
        Pass::Object { ty, mode, carrier } => format!("{mode:?} through T{ty} ({carrier:?})"),
        Pass::Plain(plain) => format!("{:?} of {}", plain.lend, plain.owned),
        Pass::Closure(closure) => {
            let args: Vec<String> = closure.args.iter().map(ToString::to_string).collect();
            format!("closure({}) -> {:?}", args.join(", "), closure.answer)
        }
        Pass::Formatter => "formatter".to_owned(),
        Pass::Composite(form, parts) => {
            let parts: Vec<String> = parts.iter().map(|part| pass_text(&part.pass)).collect();
            format!("{form:?}[{}]", parts.join(", "))
        }
        Pass::Iter { item } => format!("iterator of {:?} of {}", item.lend, item.owned),
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string succeeds");
}
