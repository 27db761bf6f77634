//! Calls that operations reject, each with the condition under which it does so, if that was learnt.

use gainsay_explore::{Judged as Judgement, Territory};
use gainsay_infer::Samples;
use gainsay_model::{
    contract::{ContractKind, Verdict},
    fault::IllegalUse,
};
use gainsay_report::{Illegal, IllegalRecord};
use gainsay_wire::{Expr, ManifestOp, Observation, Outcome, PanicPlace, Truth, expr_text, truth};
use gainsay_workers::Runner as _;

use crate::{rounds::SettledContracts, session::Session};

/// Lists the calls that operations reject.
pub(super) fn list_illegal(
    session: &Session,
    settled: &SettledContracts,
    judged: &Judgement,
) -> Illegal {
    // Without observations a place is told by its message.
    let samples = session.read_samples().map(|seen| seen.to_observations()).unwrap_or_default();
    let learnt = Learnt { settled, samples };
    let record = |seen: &IllegalUse| IllegalRecord {
        operation: seen.operation.clone(),
        class: seen.class,
        place: seen.place.as_ref().map_or_else(String::new, |place| show_place(session, place)),
        message: seen.message.clone(),
        condition: find_condition(session, &learnt, seen),
    };
    Illegal::of(judged.illegal.iter().map(record).collect())
}

/// Returns the place of a panic, unless the operation blames its caller: the generated code is
/// nobody's business.
fn show_place(session: &Session, place: &PanicPlace) -> String {
    let ground = session.campaign.ground();
    match ground.territory(&place.file) {
        Territory::Harness => String::new(),
        _ => format!("{}:{}", ground.short_file(&place.file), place.line),
    }
}

/// Contracts with the calls that they were learnt from.
struct Learnt<'a> {
    settled: &'a SettledContracts,
    samples: Samples,
}

/// Finds the condition under which the operation was learnt to panic for this reason, if it was not
/// refuted: it held on every call that did.
fn find_condition(session: &Session, learnt: &Learnt<'_>, seen: &IllegalUse) -> Option<String> {
    let place = seen.place.as_ref()?;
    let calls: Vec<&Observation> =
        learnt.samples.get(&seen.op)?.iter().filter(|c| is_at(c, place)).collect();
    let vocabulary = session.fleet.manifest().vocabulary(seen.op);
    let holds = |expr: &Expr| {
        let mut truths = calls.iter().map(|call| truth(expr, &(&vocabulary, *call)));
        // Of no call everything holds.
        !calls.is_empty() && truths.all(|truth| truth == Truth::True)
    };
    let known = learnt.settled.contracts.iter().find(|(contract, verdict)| {
        contract.op == seen.op
            && contract.kind == ContractKind::Panics
            && !matches!(verdict, Verdict::Refuted { .. })
            && holds(&contract.expr)
    });
    let op = session.fleet.manifest().ops.get(seen.op.0 as usize);
    let names = op.map(ManifestOp::operand_names).unwrap_or_default();
    known.map(|(contract, _)| expr_text(&contract.expr, &names, contract.kind.point()))
}

/// Tells if a call panicked at a place with such a message; numbers in it differ from call to call.
fn is_at(call: &Observation, place: &PanicPlace) -> bool {
    let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    matches!(&call.outcome, Outcome::Panicked(seen)
        if (&seen.file, seen.line) == (&place.file, place.line)
            && words(&seen.message) == words(&place.message))
}

#[cfg(test)]
mod tests {
    use gainsay_wire::OpId;

    use super::*;

    #[test]
    fn places_are_told_by_line_and_message_whatever_the_numbers() {
        let place = |line, message: &str| PanicPlace {
            file: "src/lib.rs".into(),
            line,
            message: message.into(),
            changed: false,
        };
        let call = |place| Observation {
            op: OpId(0),
            outcome: Outcome::Panicked(place),
            values: vec![],
            objects: vec![],
            made: vec![],
            freed: Vec::new(),
        };
        let seen = call(place(7, "index 12 of 3"));
        assert!(is_at(&seen, &place(7, "index 4 of 15")));
        assert!(!is_at(&seen, &place(8, "index 12 of 3")));
        assert!(!is_at(&seen, &place(7, "end 12 of 3")));
    }
}
