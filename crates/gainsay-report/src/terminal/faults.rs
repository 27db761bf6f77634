//! Faults: what is wrong, the calls that show it, how to see it again.

use gainsay_model::fault::Confirmation;

use super::{line, names};
use crate::{
    code,
    paint::{Paint, Tone},
    record::{FaultRecord, RunRecord},
};

/// The faults whose id begins with `id`, or all.
pub fn faults_text(record: &RunRecord, id: Option<&str>, paint: Paint) -> String {
    let wanted = record.faults.iter().filter(|f| id.is_none_or(|id| f.id.starts_with(id)));
    let texts: Vec<String> = wanted.map(|fault| one(record, fault, paint)).collect();
    texts.join("\n")
}

pub(super) fn all(record: &RunRecord, paint: Paint) -> String {
    faults_text(record, None, paint)
}

fn one(record: &RunRecord, fault: &FaultRecord, paint: Paint) -> String {
    let label = match fault.confirmation {
        Confirmation::Confirmed => paint.tone(Tone::Bad, "fault"),
        Confirmation::Flaky => paint.tone(Tone::Notable, "flaky fault"),
    };
    let operation = paint.tone(Tone::Strong, names::path(&fault.operation));
    let mut text = String::new();
    line(&mut text, &format!("{label} in {operation}: {}", fault.message));
    if let Some(needs) = fault.needs() {
        line(&mut text, &format!("  needs {needs}; that is safe code, so this is unsound"));
    }
    if let Some(build) = fault.build.needs() {
        line(&mut text, &format!("  needs {build}"));
    }
    line(&mut text, "");
    let steps = fault.sequence().map(|sequence| code::lines(&sequence, record.book()));
    for step in steps.unwrap_or_default() {
        line(&mut text, &format!("      {step}"));
    }
    line(&mut text, "");
    let how = format!("  id {}, again with `cargo gainsay replay {}`", fault.id, short(&fault.id));
    line(&mut text, &paint.tone(Tone::Faint, &how));
    text
}

/// As much of an id as a person types.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_beginning_of_an_id_chooses_faults() {
        let record = samples::record();
        let text = |id| faults_text(&record, id, Paint::Plain);
        assert!(text(None).contains("fault in BoundedStack::pop: "));
        assert_eq!(text(Some("3f9c")), text(None));
        assert_eq!(text(Some("beef")), "");
    }

    #[test]
    fn a_flaky_fault_is_called_so() {
        let mut record = samples::record();
        record.faults[0].confirmation = Confirmation::Flaky;
        assert!(faults_text(&record, None, Paint::Plain).starts_with("flaky fault in "));
    }
}
