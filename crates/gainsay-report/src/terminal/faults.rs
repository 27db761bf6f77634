//! Faults: what is wrong, the calls that show it, how to see it again. What nobody can wave away
//! comes first.

use gainsay_model::fault::Confirmation;
use gainsay_wire::LawId;

use super::{line, names};
use crate::{
    code,
    paint::{Paint, Tone},
    record::{FaultClass, FaultRecord, OracleRecord, RunRecord},
    summary::Summary,
    witness::asserted_lines,
};

/// The faults whose id begins with `id`, in detail, or all.
pub fn faults_text(record: &RunRecord, id: Option<&str>, paint: Paint) -> String {
    let Some(id) = id else { return all(record, paint) };
    let wanted = record.faults.iter().filter(|fault| fault.id.starts_with(id));
    let texts: Vec<String> = wanted.map(|fault| detailed(record, fault, paint)).collect();
    texts.join("\n")
}

/// All of them, in groups.
pub(super) fn all(record: &RunRecord, paint: Paint) -> String {
    let mut parts = Vec::new();
    for group in Group::all() {
        let members = record.faults.iter().filter(|fault| Group::of(fault) == group).collect();
        let text = if group == Group::Flaky {
            flaky(members, paint)
        } else {
            let causes = by_cause(members);
            let causes: Vec<String> = causes.iter().map(|of| one(record, of, paint)).collect();
            causes.join("\n")
        };
        if !text.is_empty() {
            let heading = paint.tone(Tone::Strong, &group.heading());
            parts.push(format!("{heading}\n\n{text}"));
        }
    }
    parts.join("\n")
}

/// A line each: their calls are many, because what does not repeat cannot be shrunk.
fn flaky(faults: Vec<&FaultRecord>, paint: Paint) -> String {
    let mut text = String::new();
    for fault in faults {
        let operation = paint.tone(Tone::Strong, names::path(&fault.operation));
        line(&mut text, &format!("  {operation}: {} ({})", fault.message, short(&fault.id)));
    }
    text
}

/// Faults that seem to have one cause, or that look alike. The one with the fewest calls comes first.
fn by_cause(faults: Vec<&FaultRecord>) -> Vec<Vec<&FaultRecord>> {
    let mut causes: Vec<Vec<&FaultRecord>> = Vec::new();
    for fault in faults {
        match causes.iter_mut().find(|of| is_same(of[0], fault) || is_alike(of[0], fault)) {
            Some(of) => of.push(fault),
            None => causes.push(vec![fault]),
        }
    }
    for of in &mut causes {
        of.sort_by_key(|fault| fault.script.lines().count());
    }
    causes
}

/// A panic or an end at one place, whichever operation leads there.
fn is_same(a: &FaultRecord, b: &FaultRecord) -> bool {
    let alike = a.oracle == b.oracle || a.message == b.message;
    a.oracle.place().is_some() && a.oracle.place() == b.oracle.place() && alike
}

/// One law about several listings of a type, or one misbehaviour that several operations of a type do
/// not stand.
fn is_alike(a: &FaultRecord, b: &FaultRecord) -> bool {
    let ty = |fault: &FaultRecord| names::type_of(&fault.operation).map(str::to_owned);
    let one_cause = match (&a.oracle, &b.oracle) {
        (OracleRecord::Law { name: a }, OracleRecord::Law { name: b }) => have_one_cause(a, b),
        _ => a.needs().is_some() && a.needs() == b.needs(),
    };
    one_cause && ty(a).is_some() && ty(a) == ty(b)
}

/// Whether laws that two operations of a type break are mostly broken by what both share: the
/// iterator behind several listings, the parser behind several texts, the arithmetic behind an
/// operator by value and by reference.
fn have_one_cause(a: &LawId, b: &LawId) -> bool {
    match (a, b) {
        (LawId::CountOf { count: a, .. }, LawId::CountOf { count: b, .. }) => a == b,
        (LawId::BothEndsOf { .. }, LawId::BothEndsOf { .. }) => true,
        (
            LawId::ReadEquals { read: a, .. } | LawId::ReadIsPrintedAlike { read: a },
            LawId::ReadEquals { read: b, .. } | LawId::ReadIsPrintedAlike { read: b },
        ) => a == b,
        (
            LawId::SubOfItself
            | LawId::AddOfNegIsSub
            | LawId::NegOfNeg
            | LawId::DebugIsAsOfASlice
            | LawId::PrettyDebugIsAsOfASlice
            | LawId::DebugIsAsOfAText
            | LawId::LeavesTheOriginal { .. }
            | LawId::ShowsEnd { .. }
            | LawId::IsAsOfNew { .. },
            _,
        ) => a == b,
        _ => false,
    }
}

/// Faults of earlier runs that show no more.
pub(super) fn gone(summary: &Summary, paint: Paint) -> String {
    let mut text = String::new();
    for fault in &summary.gone {
        let operation = paint.tone(Tone::Strong, names::path(&fault.operation));
        let file = fault.file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        line(&mut text, &format!("  {operation}: {} ({file})", fault.message));
    }
    super::headed("Gone: faults of earlier runs that no longer show", &text, paint)
}

/// What belongs under one heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Plain(FaultClass),
    Misbehaviour,
    Flaky,
}

impl Group {
    fn all() -> impl Iterator<Item = Group> {
        let plain = FaultClass::ALL.into_iter().map(Group::Plain);
        plain.chain([Group::Misbehaviour, Group::Flaky])
    }

    fn of(fault: &FaultRecord) -> Group {
        match (fault.confirmation, fault.needs()) {
            (Confirmation::Flaky, _) => Group::Flaky,
            (Confirmation::Confirmed, Some(_)) => Group::Misbehaviour,
            (Confirmation::Confirmed, None) => Group::Plain(fault.oracle.class()),
        }
    }

    fn heading(self) -> String {
        match self {
            Group::Plain(FaultClass::Memory) => "Memory: safe calls break it or end the process",
            Group::Plain(FaultClass::Law) => "Laws that do not hold",
            Group::Plain(FaultClass::Contract) => "Contracts that do not hold",
            Group::Plain(FaultClass::Panic) => "Panics that nothing announces",
            Group::Plain(FaultClass::Endless) => "Calls without end",
            Group::Misbehaviour => "Memory, where callers misbehave (in safe code)",
            Group::Flaky => "Flaky: not every replay shows these",
        }
        .to_owned()
    }
}

fn one(record: &RunRecord, cause: &[&FaultRecord], paint: Paint) -> String {
    let [fault, others @ ..] = cause else { return String::new() };
    let mut text = beginning(record, fault, paint);
    let (same, alike): (Vec<_>, Vec<_>) =
        others.iter().copied().partition(|other| is_same(fault, other));
    for (words, others) in [("the same through", same), ("alike:", alike)] {
        let name = |fault: &&FaultRecord| {
            format!("{} ({})", names::path(&fault.operation), short(&fault.id))
        };
        if !others.is_empty() {
            let others: Vec<String> = others.iter().map(name).collect();
            line(&mut text, &format!("  {words} {}", others.join(", ")));
        }
    }
    let how = format!("  id {}, again with `cargo gainsay replay {}`", fault.id, short(&fault.id));
    line(&mut text, &paint.tone(Tone::Faint, &how));
    text
}

/// What is wrong, and the calls that show it.
fn beginning(record: &RunRecord, fault: &FaultRecord, paint: Paint) -> String {
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
    if let Some(build) = fault.build.special_need() {
        line(&mut text, &format!("  needs {build}"));
    }
    line(&mut text, "");
    let calls = || Some(code::lines(&fault.sequence()?, record.book()));
    let steps = asserted_lines(fault, record.book()).or_else(calls);
    for step in steps.unwrap_or_default() {
        line(&mut text, &format!("      {step}"));
    }
    line(&mut text, "");
    text
}

/// All that is known of one fault.
fn detailed(record: &RunRecord, fault: &FaultRecord, paint: Paint) -> String {
    let mut text = beginning(record, fault, paint);
    let mut fact = |name: &str, value: &str| {
        let name = paint.tone(Tone::Strong, &format!("{name:>10}"));
        line(&mut text, &format!("{name}  {value}"));
    };
    fact("id", &fault.id);
    fact("kind", &kind(&fault.oracle));
    if let Some(place) = fault.oracle.place() {
        fact("place", &place);
    }
    fact(
        "repeats",
        match fault.confirmation {
            Confirmation::Confirmed => {
                "in every fresh process, whether objects are looked at or not"
            }
            Confirmation::Flaky => "in some replays only",
        },
    );
    fact("why", why(fault));
    let id = short(&fault.id);
    fact("again", &format!("`cargo gainsay replay {id}`"));
    fact("as a test", "`cargo gainsay emit`");
    fact("calls", "as `--from FILE` reads them:");
    line(&mut text, "");
    for step in fault.script.lines() {
        line(&mut text, &format!("      {step}"));
    }
    text
}

fn kind(oracle: &OracleRecord) -> String {
    match oracle {
        OracleRecord::Probe { what } => format!("an element was misused: {what}"),
        OracleRecord::Death { how } => format!("the process ended: {how}"),
        OracleRecord::Law { name } => format!("the law `{name}` does not hold"),
        OracleRecord::Panic { .. } => "a panic that nothing announces".to_owned(),
        OracleRecord::Hang => "no end in sight".to_owned(),
        OracleRecord::Memory => "memory without bound".to_owned(),
        OracleRecord::Sentinel { contract } => format!("the contract `{contract}` collides"),
    }
}

/// Why it is a fault and no illegal use.
fn why(fault: &FaultRecord) -> &'static str {
    if fault.needs().is_some() {
        return "whatever safe code does, memory must stay whole";
    }
    match fault.oracle.class() {
        FaultClass::Memory => "only safe functions are called: no caller can be to blame",
        FaultClass::Law => "whoever implements the trait or has these methods promises it",
        FaultClass::Contract => "callers cannot tell success from failure",
        FaultClass::Panic => {
            "the documentation does not announce it, and it is no assertion of the operation about \
             its arguments before it changed anything"
        }
        FaultClass::Endless => "the arguments are ordinary, and others near them do well",
    }
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
    fn the_beginning_of_an_id_chooses_faults_and_shows_all_of_them() {
        let record = samples::record();
        let text = |id| faults_text(&record, id, Paint::Plain);
        assert!(text(None).contains("fault in BoundedStack::pop: "));
        insta::assert_snapshot!(text(Some("3f9c")));
        assert_eq!(text(Some("beef")), "");
    }

    #[test]
    fn a_flaky_fault_stands_apart() {
        let mut record = samples::record();
        record.faults[0].confirmation = Confirmation::Flaky;
        let text = faults_text(&record, None, Paint::Plain);
        assert!(text.starts_with("Flaky: "), "{text}");
        assert!(text.contains("\n  BoundedStack::pop: "), "{text}");
        let text = faults_text(&record, Some("3f9c"), Paint::Plain);
        assert!(text.starts_with("flaky fault in "), "{text}");
    }

    #[test]
    fn a_panic_at_one_place_is_shown_once() {
        let mut record = samples::record();
        let mut other = record.faults[0].clone();
        (other.id, other.operation) = ("beef0000beef".to_owned(), "BoundedStack::take".to_owned());
        other.script.push_str("\nBoundedStack::take(v0)");
        record.faults.insert(0, other);
        let text = faults_text(&record, None, Paint::Plain);
        assert_eq!(text.matches("fault in ").count(), 1, "{text}");
        assert!(text.contains("fault in BoundedStack::pop: "), "{text}");
        assert!(text.contains("\n  the same through BoundedStack::take (beef0000)\n"), "{text}");
    }

    #[test]
    fn a_broken_law_is_shown_with_what_should_have_held() {
        let mut record = samples::record();
        let fault = &mut record.faults[0];
        fault.message = "does not hold for `self`: is_empty-agrees-with-len".to_owned();
        for (law, expected) in
            [("is_empty-agrees-with-len", true), ("swap_remove_back-is-as-on-a-list", false)]
        {
            fault.oracle = OracleRecord::Law { name: law.parse().unwrap() };
            let fault = fault.clone();
            let text = detailed(&samples::record(), &fault, Paint::Plain);
            assert!(text.contains(".pop()"), "{text}");
            assert_eq!(text.contains("assert_eq!("), expected, "{text}");
        }
    }

    #[test]
    fn one_law_about_several_listings_of_a_type_is_told_once() {
        let told = |operations: &[(&str, &str)]| {
            let mut record = samples::record();
            let of = |(operation, law): &(&str, &str)| {
                let mut fault = record.faults[0].clone();
                fault.id = format!("{law:0<12}");
                fault.operation = (*operation).to_owned();
                fault.oracle = OracleRecord::Law { name: law.parse().unwrap() };
                fault
            };
            record.faults = operations.iter().map(of).collect();
            faults_text(&record, None, Paint::Plain).matches("fault in ").count()
        };
        let iter = ("Row::iter", "size_hint-of-iter");
        assert_eq!(told(&[iter, ("&Row as IntoIterator::into_iter", "size_hint-of-into_iter")]), 1);
        assert_eq!(told(&[iter, ("Row<T> as Listed::keys", "size_hint-of-keys")]), 1);
        assert_eq!(told(&[iter, ("Row::iter_mut", "len-of-iter_mut")]), 2);
        assert_eq!(told(&[iter, ("Heap::iter", "size_hint-of-iter")]), 2);
        assert_eq!(told(&[("rows::a", "len-of-a"), ("rows::b", "len-of-b")]), 2);
    }

    #[test]
    fn what_nobody_can_wave_away_comes_first() {
        let mut record = samples::record();
        let mut add = |id: &str, oracle: OracleRecord| {
            let mut other = record.faults[0].clone();
            (other.id, other.oracle) = (id.to_owned(), oracle);
            record.faults.push(other);
        };
        add("1", OracleRecord::Hang);
        add("2", OracleRecord::Sentinel { contract: "c".to_owned() });
        add("3", OracleRecord::Law { name: LawId::SeqIsSorted });
        add("4", OracleRecord::Probe { what: gainsay_wire::Misuse::DoubleDrop });
        record.faults.sort_by(|a, b| a.rank().cmp(&b.rank()));
        let ids: Vec<&str> = record.faults.iter().map(|fault| &fault.id[..1]).collect();
        assert_eq!(ids, ["4", "3", "2", "3", "1"]);
        let text = faults_text(&record, None, Paint::Plain);
        let places = ["Memory: ", "Laws ", "Contracts ", "Panics ", "Calls without"];
        let places = places.map(|heading| text.find(heading).unwrap());
        assert!(places.is_sorted(), "{places:?}");
    }
}
