//! Whole traces, written to files and read back.

use std::{fmt::Write as _, fs, path::PathBuf};

use super::*;

/// A file that is gone after the test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> TempFile {
        let name = format!("gainsay-trace-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).unwrap();
        TempFile(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn infer(name: &str, text: &str) -> Result<TraceReport, TraceError> {
    let file = TempFile::new(name, text.as_bytes());
    infer_trace(&file.0, None)
}

fn shown(report: &TraceReport, point: &str) -> Vec<String> {
    let point = report.points.iter().find(|found| found.name == point).unwrap();
    let shown = point.facts.iter().filter(|fact| fact.fate == Fate::Shown);
    shown.map(|fact| fact.text.clone()).collect()
}

const HEAD: &str = "decl-version 2.0\nvar-comparability implicit\n\n";

fn declaration(name: &str, kind: &str, variables: &[(&str, &str)]) -> String {
    let mut text = format!("ppt {name}\nppt-type {kind}\n");
    for (name, kind) in variables {
        write!(text, "variable {name}\n  rep-type {kind}\n  comparability 1\n").unwrap();
    }
    text + "\n"
}

fn sample(point: &str, values: &[(&str, String)]) -> String {
    let mut text = format!("{point}\n");
    for (name, value) in values {
        write!(text, "{name}\n{value}\n1\n").unwrap();
    }
    text + "\n"
}

/// Numbers that look random and are the same every time.
fn dice(seed: u64) -> impl FnMut(i64) -> i64 {
    let mut state = seed;
    move |sides| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % u64::try_from(sides).unwrap()).unwrap()
    }
}

/// A call that adds one to `x`, flips `b` and leaves `n` alone; `big` says whether `x >= 50`.
fn calls(count: usize) -> String {
    let variables = [("x", "int"), ("n", "int"), ("b", "boolean"), ("big", "boolean")];
    let mut text = HEAD.to_owned();
    text += &declaration("m():::ENTER", "enter", &variables);
    text += &declaration("m():::EXIT3", "subexit", &variables);
    let mut roll = dice(1);
    for call in 0..count {
        let (x, n, b) = (roll(100), roll(10), roll(2));
        let nonce = format!("\nthis_invocation_nonce\n{call}");
        for (point, x, b) in [("m():::ENTER", x, b), ("m():::EXIT3", x + 1, 1 - b)] {
            let truth = i64::from(x >= 50).to_string();
            let values = [x.to_string(), n.to_string(), b.to_string(), truth];
            let named: Vec<(&str, String)> =
                variables.iter().map(|(name, _)| *name).zip(values).collect();
            text += &sample(&format!("{point}{nonce}"), &named);
        }
    }
    text
}

#[test]
fn a_call_is_told_by_what_it_changes() {
    let report = infer("calls", &calls(300)).unwrap();
    assert_eq!((report.samples, report.unbegun, report.unended), (600, 0, 0));
    let enter = shown(&report, "m():::ENTER");
    for fact in ["big <=> x >= 50", "x >= 0", "x <= 99", "n >= 0", "n <= 9"] {
        assert!(enter.contains(&fact.to_owned()), "{fact}: {enter:#?}");
    }
    let exit = shown(&report, "m():::EXIT");
    for fact in ["n == old(n)", "x == old(x) + 1", "b == !old(b)"] {
        assert!(exit.contains(&fact.to_owned()), "{fact}: {exit:#?}");
    }
    // What holds at the beginning is not said again, nor what follows.
    assert!(!exit.iter().any(|fact| fact.contains("old(x) <= 99")), "{exit:#?}");
}

#[test]
fn compressed_traces_read_the_same() {
    use std::io::Write as _;
    let text = calls(100);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let file = TempFile::new("calls.gz", &encoder.finish().unwrap());
    let compressed = infer_trace(&file.0, None).unwrap();
    let plain = infer("calls-plain", &text).unwrap();
    assert_eq!(shown(&compressed, "m():::EXIT"), shown(&plain, "m():::EXIT"));
}

#[test]
fn declarations_may_be_in_a_file_of_their_own() {
    let text = calls(50);
    let split = text.find("m():::ENTER\nthis_").unwrap();
    let decls = TempFile::new("own.decls", &text.as_bytes()[..split]);
    let trace = TempFile::new("own.dtrace", &text.as_bytes()[split..]);
    let report = infer_trace(&trace.0, Some(&decls.0)).unwrap();
    assert!(shown(&report, "m():::EXIT").contains(&"b == !old(b)".to_owned()));
    let error = infer_trace(&trace.0, None).unwrap_err();
    assert!(error.hint().contains("--decls"), "{error}");
}

#[test]
fn independent_numbers_have_nothing_in_common() {
    for rows in [7, 30, 300] {
        let names: Vec<String> = (0..12).map(|i| format!("v{i}")).collect();
        let variables: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "int")).collect();
        let mut text = HEAD.to_owned() + &declaration("p:::POINT", "point", &variables);
        let mut roll = dice(rows);
        for _ in 0..rows {
            let values = names.iter().map(|name| (name.as_str(), (roll(101) - 50).to_string()));
            text += &sample("p:::POINT", &values.collect::<Vec<_>>());
        }
        let report = infer("noise", &text).unwrap();
        let shown = report.points[0].facts.iter().filter(|fact| fact.fate == Fate::Shown);
        let relations: Vec<&Told> = shown.filter(|fact| fact.family != "bound").collect();
        assert!(relations.is_empty(), "{relations:#?}");
    }
}

#[test]
fn a_first_batch_that_was_not_typical_is_made_up_for() {
    let variables = [("x", "int"), ("y", "int"), ("z", "int")];
    let mut text = HEAD.to_owned() + &declaration("p:::POINT", "point", &variables);
    let mut roll = dice(5);
    for row in 0..6000 {
        // For long, y is a constant and z the same as x.
        let x = roll(100);
        let (y, z) = if row < 5000 { (200, x) } else { (x + 200, x + 1 + roll(3)) };
        let values = [("x", x), ("y", y), ("z", z)];
        text += &sample("p:::POINT", &values.map(|(name, value)| (name, value.to_string())));
    }
    let report = infer("late", &text).unwrap();
    let shown = shown(&report, "p:::POINT");
    for fact in ["x <= z", "z <= x + 3", "y <= x + 200", "z <= y - 101"] {
        assert!(shown.contains(&fact.to_owned()), "{fact}: {shown:#?}");
    }
    assert!(!shown.iter().any(|fact| fact.contains("==")), "{shown:#?}");
}

#[test]
fn arrays_have_facts_about_elements_lengths_and_members() {
    let variables = [("a[..]", "int[]"), ("n", "int"), ("x", "int"), ("i", "int")];
    let mut text = HEAD.to_owned() + &declaration("p:::POINT", "point", &variables);
    let mut roll = dice(9);
    for _ in 0..200 {
        let mut items: Vec<i64> = (0..=roll(6)).map(|_| roll(50)).collect();
        items.sort_unstable();
        let n = items.len();
        let i = usize::try_from(roll(i64::try_from(n).unwrap())).unwrap();
        let shown: Vec<String> = items.iter().map(ToString::to_string).collect();
        text += &sample(
            "p:::POINT",
            &[
                ("a[..]", format!("[{}]", shown.join(" "))),
                ("n", n.to_string()),
                ("x", items[i].to_string()),
                ("i", i.to_string()),
            ],
        );
    }
    let report = infer("arrays", &text).unwrap();
    let shown = shown(&report, "p:::POINT");
    let facts = [
        "len(a[..]) == n",
        "a[i] == x",
        "a[..] is sorted by <=",
        "elements of a[..] >= 0",
        "i < n",
    ];
    for fact in facts {
        assert!(shown.contains(&fact.to_owned()), "{fact}: {shown:#?}");
    }
}

#[test]
fn values_that_do_not_exist_are_left_out() {
    let variables = [("x", "int"), ("y", "int")];
    let mut text = HEAD.to_owned() + &declaration("p:::POINT", "point", &variables);
    let mut roll = dice(3);
    for row in 0..200 {
        let x = roll(1000);
        let y = if row % 3 == 0 { "nonsensical".into() } else { (2 * x + 1).to_string() };
        text += &sample("p:::POINT", &[("x", x.to_string()), ("y", y)]);
    }
    let report = infer("nonsensical", &text).unwrap();
    let facts = &report.points[0].facts;
    let line = facts.iter().find(|fact| fact.text == "y == 2 * x + 1").unwrap();
    assert_eq!((&line.fate, line.samples), (&Fate::Shown, 133));
}

#[test]
fn malformed_traces_are_told_with_their_line_and_a_hint() {
    let good = HEAD.to_owned() + &declaration("p:::POINT", "point", &[("x", "int")]);
    let lines = good.lines().count() as u64;
    let check = |name: &str, more: &str, line: u64, words: &str| {
        let error = infer(name, &format!("{good}{more}")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!(":{line}: ")) && text.contains(words), "{text}");
        assert!(!error.hint().is_empty());
    };
    check("m1", "q:::POINT\nx\n1\n1\n\n", lines + 1, "`q:::POINT` is not declared");
    check("m2", "p:::POINT\nx\none\n1\n\n", lines + 3, "`one` is no value of variable `x`");
    check("m3", "p:::POINT\nz\n1\n1\n\n", lines + 2, "variable `x` should come here");
    check("m4", "p:::POINT\nx\n1\n7\n\n", lines + 4, "0, 1 or 2");
    check("m5", "p:::POINT\nx\n1\n1\ny\n2\n1\n\n", lines + 5, "should end here");
    check("m6", "p:::POINT\nx\n1", lines + 3, "ends amid a sample");
    check("m7", "ppt q:::POINT\nppt-type circle\n\n", lines + 2, "no kind of program point");
    let error = infer("m8", &good).unwrap_err();
    assert!(error.to_string().contains("has no samples"), "{error}");
    let error = infer_trace(std::path::Path::new("/no/such/trace"), None).unwrap_err();
    assert!(matches!(error, TraceError::File { .. }));
}

#[test]
fn calls_that_returned_true_are_told_apart() {
    let variables = [("x", "int"), ("y", "int"), ("return", "boolean")];
    let mut text = HEAD.to_owned() + &declaration("f():::ENTER", "enter", &variables[..2]);
    text += &declaration("f():::EXIT1", "subexit", &variables);
    let mut roll = dice(11);
    for _ in 0..400 {
        let (x, is_even) = (roll(90), roll(2));
        let y = if is_even == 1 { x } else { roll(90) };
        let before = [("x", x.to_string()), ("y", y.to_string())];
        text += &sample("f():::ENTER", &before);
        let [first, second] = before;
        text += &sample("f():::EXIT1", &[first, second, ("return", is_even.to_string())]);
    }
    let report = infer("split", &text).unwrap();
    assert!(shown(&report, "f():::EXIT if return").contains(&"old(y) == old(x)".to_owned()));
    let other = shown(&report, "f():::EXIT if !return");
    assert!(!other.iter().any(|fact| fact.contains("==")), "{other:#?}");
}

#[test]
fn facts_of_an_object_are_not_said_again_at_its_methods() {
    let point = |name: &str, kind: &str, above: &str| {
        format!(
            "ppt {name}\nppt-type {kind}\n{above}variable this.n\n  rep-type int\n  comparability 1\n  \
             {}\n\n",
            if above.is_empty() { "" } else { "parent C:::OBJECT 1" }
        )
    };
    let above = "parent parent C:::OBJECT 1\n";
    let mut text = HEAD.to_owned() + &point("C:::OBJECT", "object", "");
    text += &point("C.f():::ENTER", "enter", above);
    text += &point("C.f():::EXIT1", "subexit", above);
    let mut roll = dice(13);
    for _ in 0..200 {
        let n = roll(10);
        text += &sample("C.f():::ENTER", &[("this.n", n.to_string())]);
        text += &sample("C.f():::EXIT1", &[("this.n", n.to_string())]);
    }
    let report = infer("object", &text).unwrap();
    assert_eq!(shown(&report, "C:::OBJECT"), ["this.n >= 0", "this.n <= 9"]);
    assert_eq!(shown(&report, "C.f():::ENTER"), [] as [String; 0]);
    assert_eq!(shown(&report, "C.f():::EXIT"), ["this.n == old(this.n)"]);
}
