//! The engine in another program than the command line: the example is a whole test of a published
//! crate, sandbox included.

use std::process::Command;

#[test]
fn another_program_tests_a_published_crate_with_its_own_binary_as_the_worker() {
    let place = tempfile::tempdir().unwrap();
    // By cargo, since the example of this build is not there when this file alone is tested.
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "gainsay-engine", "--example", "embed", "--"])
        .arg("fnv@1.0.7")
        .arg(place.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{out}\n{err}");
    for line in ["discover: fnv 1.0.7", "explore: ", "refute: ", "confirm: "] {
        assert!(out.contains(line), "no `{line}` in {out}\n{err}");
    }
    let calls = out.lines().find_map(|line| line.strip_suffix(" calls")?.parse::<u64>().ok());
    assert!(calls.is_some_and(|calls| calls > 0), "{out}\n{err}");
    assert!(!out.contains("fault: "), "{out}");
}
