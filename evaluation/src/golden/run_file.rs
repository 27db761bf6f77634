//! Reads `run.json` into a record. Two programs of different ages are compared, so it reads only
//! what a record needs and does not use the product's own reader, which accepts one version.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Context as _;
use serde::Deserialize;

use super::record::{Line, Record, Section};

#[derive(Deserialize)]
struct RunFile {
    summary: Summary,
    faults: Vec<Fault>,
    contracts: Vec<Contract>,
}

#[derive(Deserialize)]
struct Summary {
    operations: Operations,
}

#[derive(Deserialize)]
struct Operations {
    records: Vec<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    path: String,
    called: u64,
    returned: u64,
    panicked: u64,
    outcomes: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Fault {
    id: String,
    operation: String,
    oracle: Oracle,
    confirmation: String,
}

#[derive(Deserialize)]
struct Oracle {
    kind: String,
    /// Of a law.
    name: Option<String>,
}

#[derive(Deserialize)]
struct Contract {
    operation: String,
    kind: String,
    text: String,
    verdict: Verdict,
}

#[derive(Deserialize)]
struct Verdict {
    #[serde(rename = "verdict")]
    name: String,
    /// Why there is no answer.
    reason: Option<String>,
    /// How the counterexample was found.
    via: Option<String>,
}

/// The record of the run that left this file.
pub(super) fn read_record(path: &Path) -> anyhow::Result<Record> {
    let text = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    parse_run(&text).with_context(|| format!("`{}` is no record of a run", path.display()))
}

fn parse_run(text: &[u8]) -> anyhow::Result<Record> {
    let run: RunFile = serde_json::from_slice(text)?;
    let faults = run.faults.iter().map(fault_line);
    let operations = run.summary.operations.records.iter().map(operation_line);
    let contracts = run.contracts.iter().map(contract_line);
    Ok(Record::new(faults.chain(operations).chain(contracts).collect()))
}

fn fault_line(fault: &Fault) -> Line {
    let Oracle { kind, name } = &fault.oracle;
    let oracle = name.as_ref().map_or_else(|| kind.clone(), |name| format!("{kind} {name}"));
    Line::new(Section::Fault, &[&fault.id, &fault.operation, &oracle, &fault.confirmation])
}

fn operation_line(operation: &Operation) -> Line {
    let failed = operation.outcomes.get("err").copied().unwrap_or_default();
    let counts = [
        format!("called {}", operation.called),
        format!("returned {}", operation.returned),
        format!("failed {failed}"),
        format!("panicked {}", operation.panicked),
    ];
    Line::new(
        Section::Operation,
        &[&operation.path, &counts[0], &counts[1], &counts[2], &counts[3]],
    )
}

fn contract_line(contract: &Contract) -> Line {
    let Contract { operation, kind, text, verdict } = contract;
    let mut fields: Vec<&str> = vec![operation, kind, text, &verdict.name];
    fields.extend(verdict.reason.as_ref().or(verdict.via.as_ref()).map(String::as_str));
    Line::new(Section::Contract, &fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_becomes_lines_without_times_and_places() {
        let run = json!({
            "version": 1, "root": "/somewhere",
            "summary": {"seed": 7, "operations": {"public": 1, "records": [
                {"path": "A::f", "kind": "query", "called": 9, "returned": 7, "panicked": 2,
                 "outcomes": {"returned": 4, "err": 3, "panicked": 2}},
            ]}},
            "faults": [
                {"id": "12ab", "operation": "A::f", "confirmation": "confirmed",
                 "oracle": {"kind": "law", "name": "eq-reflexive"}, "seen": {"millis": 3}},
                {"id": "0c", "operation": "A::f", "confirmation": "flaky",
                 "oracle": {"kind": "panic", "file": "src/lib.rs", "line": 3, "message": "m"}},
            ],
            "contracts": [
                {"operation": "A::f", "kind": "postcondition", "text": "result == 1",
                 "verdict": {"verdict": "unsettled", "reason": "nothing-to-try", "attacks": 3}},
                {"operation": "A::f", "kind": "precondition", "text": "x > 1",
                 "verdict": {"verdict": "refuted", "via": "raid"}},
            ],
        });
        let record = parse_run(run.to_string().as_bytes()).unwrap();
        assert_eq!(
            record.to_text(),
            "fault\t0c\tA::f\tpanic\tflaky\n\
             fault\t12ab\tA::f\tlaw eq-reflexive\tconfirmed\n\
             operation\tA::f\tcalled 9\treturned 7\tfailed 3\tpanicked 2\n\
             contract\tA::f\tpostcondition\tresult == 1\tunsettled\tnothing-to-try\n\
             contract\tA::f\tprecondition\tx > 1\trefuted\traid\n"
        );
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        assert!(parse_run(b"{}").is_err());
        assert!(parse_run(b"no json").is_err());
    }
}
