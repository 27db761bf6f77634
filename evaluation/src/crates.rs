//! Lists of published crates: `name@version` a line, `#` begins a comment.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};

/// The crates of a file, in its order.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
    parse(&text).with_context(|| format!("in `{}`", path.display()))
}

/// The crates of the first table of reach: what evaluations are about when none are named.
pub(super) fn first_table() -> anyhow::Result<Vec<String>> {
    read(&crate::data("reach-18.txt"))
}

fn parse(text: &str) -> anyhow::Result<Vec<String>> {
    let mut specs = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.split_once('@') {
            Some((name, version)) if !name.is_empty() && !version.is_empty() => {
                specs.push(line.to_owned());
            }
            _ if line.is_empty() => {}
            _ => bail!("`{line}` is no `name@version`"),
        }
    }
    if specs.is_empty() {
        bail!("no crate is listed");
    }
    Ok(specs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_table_has_eighteen_crates() {
        assert_eq!(first_table().unwrap().len(), 18);
    }

    #[test]
    fn comments_and_empty_lines_are_passed_over() {
        assert_eq!(parse("# Text\na@1.0\n\nb@2 # why\n").unwrap(), ["a@1.0", "b@2"]);
    }

    #[test]
    fn a_crate_without_a_version_is_refused() {
        assert!(parse("a\n").is_err());
        assert!(parse("a@\n").is_err());
        assert!(parse("\n").is_err());
    }

    #[test]
    fn the_lists_of_the_house_can_be_read_and_name_no_version_twice() {
        let mut names = Vec::new();
        for (list, least) in [("reach-18.txt", 18), ("reach-popular.txt", 36)] {
            let specs = read(&crate::data(list)).unwrap();
            assert!(specs.len() >= least, "{list}");
            names.extend(specs);
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
