//! Whether a test failed for the reason that it states.

use gainsay_report::{FaultRecord, OracleRecord};
use gainsay_wire::DeathCause;
use gainsay_workers::{End, Tried};

/// Words that are said where memory was misused, in every form that tests have. They stand in the
/// texts of generated tests, so that the test of each form in `report` fails if one changes.
const MISUSED: [&str; 5] = [
    "is not alive",
    "an element is not aligned",
    "elements were never dropped",
    "elements were dropped or used that",
    "a text must be UTF-8",
];

/// Tells if a test did what its fault is.
pub(crate) fn shows(fault: &FaultRecord, file_stem: &str, tried: &Tried) -> bool {
    let Tried { end, said } = tried;
    let says = |words: &str| said.contains(words);
    let failed = matches!(end, End::Exited(code) if *code != 0);
    let crashed = end.is_crash();
    let objected = says("ERROR: AddressSanitizer");
    // An assertion of the test itself, not of what it calls.
    let asserted = failed && says(&format!("{file_stem}.rs:"));
    match &fault.oracle {
        OracleRecord::Panic { file, line, message } => {
            let first = message.lines().next().unwrap_or_default().trim();
            let place = format!("{file}:{line}:");
            (failed || crashed) && (says(&place) || !first.is_empty() && says(first))
        }
        OracleRecord::Probe { .. } => {
            let misused = MISUSED.iter().any(|words| says(words));
            crashed || objected || misused && failed
        }
        OracleRecord::Death { how } => {
            let misused = failed && MISUSED.iter().any(|words| says(words));
            let exited = matches!(end, End::Exited(code) if *how == DeathCause::Exit(*code));
            crashed || objected || misused || exited
        }
        OracleRecord::Law { .. } | OracleRecord::Sentinel { .. } => asserted,
        // Recursion without end is a loop where the optimiser has made it one, and only there.
        OracleRecord::Hang => {
            failed && says("no end after ten seconds") || crashed && says("overflowed its stack")
        }
        OracleRecord::Memory => crashed && says("memory allocation of"),
    }
}

/// Says in a few words what a test did instead.
pub(crate) fn instead(tried: &Tried) -> String {
    match tried.end {
        End::Exited(0) => "passes".to_owned(),
        End::Exited(_) => {
            let words = tried.said.lines().skip_while(|line| !line.contains("panicked at")).nth(1);
            format!("fails otherwise: {}", words.unwrap_or("without a word").trim())
        }
        End::Killed(signal) => format!("is killed by signal {signal}"),
        End::Overdue => "does not end".to_owned(),
        End::Cancelled => "was interrupted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGABRT: i32 = 6;
    const SIGSEGV: i32 = 11;

    fn tried(end: End, said: &str) -> Tried {
        Tried { end, said: said.to_owned() }
    }

    fn fault(oracle: &str) -> FaultRecord {
        let text = format!(
            r#"{{"id": "1", "oracle": {oracle}, "operation": "f", "message": "m",
                 "confirmation": "confirmed", "script": "", "sequence": ""}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn check(oracle: &str, end: End, said: &str, expected: bool) {
        assert_eq!(shows(&fault(oracle), "t", &tried(end, said)), expected, "{oracle} {said}");
    }

    #[test]
    fn a_panic_must_be_the_same_panic() {
        let panic = r#"{"kind": "panic", "file": "src/a.rs", "line": 3, "message": "oh no"}"#;
        let failed = End::Exited(101);
        check(panic, failed, "panicked at /x/src/a.rs:3:5:\nsomething", true);
        check(panic, failed, "panicked at tests/t.rs:9:5:\noh no", true);
        check(panic, failed, "panicked at src/a.rs:30:5:\nother", false);
        check(panic, End::Exited(0), "src/a.rs:3: oh no", false);
    }

    #[test]
    fn a_call_without_end_may_end_with_its_stack() {
        let hang = r#"{"kind": "hang"}"#;
        check(hang, End::Exited(101), "no end after ten seconds", true);
        check(hang, End::Killed(SIGABRT), "thread 'main' has overflowed its stack", true);
        check(hang, End::Killed(SIGABRT), "memory allocation of 9 bytes failed", false);
    }

    #[test]
    fn a_law_is_broken_by_an_assertion_of_the_test_only() {
        let law = r#"{"kind": "law", "name": "eq-reflexive"}"#;
        check(law, End::Exited(101), "panicked at tests/t.rs:9:5:\nassertion failed", true);
        check(law, End::Exited(101), "panicked at src/a.rs:9:5:\nassertion failed", false);
        check(law, End::Killed(SIGABRT), "tests/t.rs:9", false);
    }

    #[test]
    fn memory_is_shown_by_elements_signals_and_the_sanitizer() {
        let probe = r#"{"kind": "probe", "what": "double drop"}"#;
        let death = r#"{"kind": "death", "how": "SIGSEGV"}"#;
        for oracle in [probe, death] {
            check(oracle, End::Killed(SIGSEGV), "", true);
            check(oracle, End::Exited(1), "==1==ERROR: AddressSanitizer: heap-use", true);
            check(oracle, End::Exited(101), "an element was dropped that is not alive", true);
            check(oracle, End::Exited(101), "index out of bounds", false);
            check(oracle, End::Overdue, "", false);
        }
        let exit = r#"{"kind": "death", "how": "exit code 3"}"#;
        check(exit, End::Exited(3), "", true);
        check(exit, End::Exited(101), "", false);
    }

    #[test]
    fn hangs_and_hunger_have_their_own_words() {
        check(r#"{"kind": "hang"}"#, End::Exited(101), "no end after ten seconds", true);
        check(r#"{"kind": "hang"}"#, End::Overdue, "", false);
        let words = "memory allocation of 1024 bytes failed";
        check(r#"{"kind": "memory"}"#, End::Killed(SIGABRT), words, true);
    }

    #[test]
    fn what_happened_instead_is_told() {
        assert_eq!(instead(&tried(End::Exited(0), "")), "passes");
        let other = "x\nthread panicked at a.rs:1:\nno luck\n";
        assert_eq!(instead(&tried(End::Exited(101), other)), "fails otherwise: no luck");
    }
}
