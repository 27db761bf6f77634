//! The list of types: the class of the paper, `name@version`, the types with mutants.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};

/// A type that stands for a class of the paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tested {
    /// The paper's class.
    pub(super) class: String,
    /// `name@version`
    pub(super) spec: String,
    /// Types whose functions have mutants; the first is the one.
    pub(super) types: Vec<String>,
}

impl Tested {
    /// For directories and tables.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.spec, self.types[0])
    }
}

/// The types of a file, in its order; with names given (of classes, crates or types), only those.
pub(super) fn read(path: &Path, only: &[String]) -> anyhow::Result<Vec<Tested>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut types = parse(&text).with_context(|| format!("in `{}`", path.display()))?;
    let is_named = |it: &Tested, name: &String| {
        *name == it.class || *name == it.spec || it.types.contains(name)
    };
    if let Some(name) = only.iter().find(|name| !types.iter().any(|it| is_named(it, name))) {
        bail!("`{}` has no type `{name}`", path.display());
    }
    types.retain(|it| only.is_empty() || only.iter().any(|name| is_named(it, name)));
    Ok(types)
}

fn parse(text: &str) -> anyhow::Result<Vec<Tested>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let filled = lines.filter(|line| !line.trim().is_empty());
    filled
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [class, spec, types] if spec.contains('@') => Ok(Tested {
                class: class.to_owned(),
                spec: spec.to_owned(),
                types: types.split(',').map(str::to_owned).collect(),
            }),
            _ => bail!("`{line}` is no `CLASS name@version Type`"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_house_has_thirteen_types() {
        let path = crate::data("stateful-13.txt");
        let types = read(&path, &[]).unwrap();
        assert_eq!(types.len(), 13);
        let one = read(&path, &["ARRAY".to_owned()]).unwrap();
        assert_eq!(one, types[..1]);
        assert!(read(&path, &["no such".to_owned()]).is_err());
    }

    #[test]
    fn lines_without_three_words_are_refused() {
        assert!(parse("ARRAY a@1\n").is_err());
        assert!(parse("ARRAY a T\n").is_err());
        assert_eq!(parse("# only words\n").unwrap(), []);
    }
}
