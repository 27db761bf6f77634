//! Findings to text, tests and JSON. Decides nothing: what it is given is what it prints.

mod as_text;
mod catalogue;
mod code;
mod contracts;
mod kept;
mod needs;
mod paint;
mod record;
mod regression;
#[cfg(test)]
mod samples;
mod summary;
mod terminal;
mod witness;

pub use catalogue::{Built, Catalogue, OperationEntry, TypeEntry};
pub use code::{Book, Claim, Items, ProbeForm, claim, lines};
pub use contracts::{
    Dialect, UnknownName, chosen_contracts, contracts_attributes, contracts_docs, contracts_json,
    contracts_markdown,
};
pub use gainsay_model::counting::{counted, thousands};
pub use kept::{KeptFault, NotKept};
pub use paint::{Paint, Tone};
pub use record::{
    ContractRecord, FaultClass, FaultRecord, OracleRecord, RecordError, RunRecord, VerdictRecord,
};
pub use regression::{
    Form, Purpose, RegressionFile, RegressionSetting, RegressionTest, regression_file,
};
pub use summary::{
    CheckedLaw, ContractCounts, DemotedView, FaultEntry, GoneFault, Illegal, IllegalRecord,
    OperationRecord, Operations, ReductionFigures, SkipEntry, StageTime, SubjectName, Summary,
    TypeInvariant, TypeViews, VERSION, ViewSet, beyond_default,
};
pub use terminal::{Detail, contracts_text, faults_text, invariants_text, list_text, summary_text};
pub use witness::{
    Aid, Element, ElementTrait, Ending, NoWitness, Old, Polish, Setting, Witness, witness,
};
