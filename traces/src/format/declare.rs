//! Declarations: program points and their variables, as version 2.0 of the format writes them.

use crate::format::{error::Problem, kind::Kind};

/// A program point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// Its whole name, with what comes after `:::`.
    pub name: String,
    /// What it is.
    pub kind: PointKind,
    /// Points whose facts hold here, too.
    pub parents: Vec<String>,
    /// Its variables in their order.
    pub variables: Vec<Variable>,
}

/// What a program point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PointKind {
    /// A place of its own.
    Point,
    /// What holds of a class.
    Class,
    /// What holds of every object of a class.
    Object,
    /// Where a call begins.
    Enter,
    /// Where a call ends, all ends together.
    Exit,
    /// One of the ends of a call.
    Subexit,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its name.
    pub name: String,
    /// How it is represented.
    pub kind: Kind,
    /// The declared type, as its language writes it.
    pub declared: String,
    /// Variables with different keys have nothing to do with each other; none goes with all.
    pub key: Option<String>,
    /// The key of an array's indices.
    pub index_key: Option<String>,
    /// Its name at a parent of the point: parent and variable.
    pub at_parent: Vec<(String, String)>,
}

/// What the records of declarations say, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    /// Whether keys of comparability count.
    pub(crate) has_keys: bool,
    /// In order of declaration.
    pub(crate) points: Vec<Point>,
}

/// A line of a record that is wrong, counted from its first line.
pub(crate) type Wrong = (usize, Problem);

/// Whether a record that begins with this line declares something.
pub(crate) fn is_declaration(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    matches!(
        first,
        "ppt" | "decl-version" | "var-comparability" | "input-language" | "ListImplementors"
    )
}

impl Declarations {
    /// Reads one record; tells the place of the point that it declares, if it declares one.
    pub(crate) fn read(&mut self, record: &str) -> Result<Option<usize>, Wrong> {
        let lines: Vec<(usize, &str)> = record
            .lines()
            .map(str::trim)
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let Some((_, first)) = lines.first() else { return Ok(None) };
        if first.starts_with("ppt ") {
            return self.point(&lines).map(Some);
        }
        for (number, line) in &lines {
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "decl-version" if value.trim() != "2.0" => {
                    return Err((*number, Problem::Version(value.trim().to_owned())));
                }
                "var-comparability" => self.has_keys = value.trim() == "implicit",
                // The names of list types follow, one a line.
                "ListImplementors" => break,
                "decl-version" | "input-language" => {}
                _ => return Err((*number, Problem::NoDeclaration((*line).to_owned()))),
            }
        }
        Ok(None)
    }

    fn point(&mut self, lines: &[(usize, &str)]) -> Result<usize, Wrong> {
        let mut reading = Reading::new(lines[0].1["ppt ".len()..].trim());
        for (number, line) in lines.iter().skip(1) {
            reading.line(line).map_err(|problem| (*number, problem))?;
        }
        let first = lines[0].0;
        let point = reading.end().map_err(|problem| (first, problem))?;
        match self.points.iter().position(|known| known.name == point.name) {
            Some(known) if self.points[known] == point => Ok(known),
            Some(_) => Err((first, Problem::DeclaredTwice(point.name))),
            None => {
                self.points.push(point);
                Ok(self.points.len() - 1)
            }
        }
    }
}

/// A point amid its declaration.
struct Reading {
    point: Point,
    /// The last variable until its `rep-type` is known to be there.
    open: Option<(Variable, bool)>,
}

impl Reading {
    fn new(name: &str) -> Reading {
        let name = name.replace("\\_", " ");
        let kind = kind_by_name(&name);
        let point = Point { name, kind, parents: Vec::new(), variables: Vec::new() };
        Reading { point, open: None }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        if value.is_empty() && !matches!(word, "flags" | "lang-flags") {
            let known = is_known(word);
            let word = word.to_owned();
            return Err(if known { Problem::NoValue(word) } else { Problem::NoDeclaration(word) });
        }
        match (word, &mut self.open) {
            ("variable", _) => return self.variable(value),
            ("ppt-type", None) => self.point.kind = kind(value)?,
            ("parent", None) => {
                let mut words = value.split_whitespace();
                // `user` parents are other objects, whose facts do not hold here.
                if words.next() == Some("parent") {
                    let name = words.next().ok_or_else(|| Problem::NoValue(word.to_owned()))?;
                    self.point.parents.push(name.replace("\\_", " "));
                }
            }
            (_, Some((variable, is_represented))) if is_known(word) => {
                *is_represented |= word == "rep-type";
                return variable.line(word, value);
            }
            ("flags", None) => {}
            _ => return Err(Problem::NoDeclaration(line.to_owned())),
        }
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Result<(), Problem> {
        self.close()?;
        let variable = Variable {
            name: name.replace("\\_", " "),
            kind: Kind::one(crate::format::kind::Scalar::Int),
            declared: String::new(),
            key: None,
            index_key: None,
            at_parent: Vec::new(),
        };
        self.open = Some((variable, false));
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        match self.open.take() {
            Some((variable, true)) => self.point.variables.push(variable),
            Some((variable, false)) => return Err(Problem::NoRepresentation(variable.name)),
            None => {}
        }
        Ok(())
    }

    fn end(mut self) -> Result<Point, Problem> {
        self.close()?;
        Ok(self.point)
    }
}

impl Variable {
    fn line(&mut self, word: &str, value: &str) -> Result<(), Problem> {
        match word {
            "rep-type" => {
                // A constant may follow after `=`.
                let text = value.split('=').next().unwrap_or(value).trim();
                let kind = Kind::parse(text);
                self.kind = kind.ok_or_else(|| Problem::Representation(value.to_owned()))?;
            }
            "dec-type" => value.clone_into(&mut self.declared),
            "comparability" => {
                let (key, index) = value.split_once('[').unwrap_or((value, ""));
                self.key = meaningful(key);
                self.index_key = meaningful(index.trim_end_matches(']'));
            }
            "parent" => {
                let words: Vec<&str> = value.split_whitespace().collect();
                let name = words.get(2).map_or_else(|| self.name.clone(), ToString::to_string);
                self.at_parent.push((words[0].replace("\\_", " "), name.replace("\\_", " ")));
            }
            _ => {}
        }
        Ok(())
    }
}

/// A negative key goes with everything.
fn meaningful(key: &str) -> Option<String> {
    let key = key.trim().trim_start_matches('(').trim_end_matches(')');
    (!key.is_empty() && !key.starts_with('-')).then(|| key.to_owned())
}

fn is_known(word: &str) -> bool {
    matches!(
        word,
        "variable"
            | "ppt-type"
            | "var-kind"
            | "enclosing-var"
            | "reference-type"
            | "array"
            | "dec-type"
            | "rep-type"
            | "flags"
            | "lang-flags"
            | "comparability"
            | "parent"
            | "constant"
            | "function-args"
            | "min-value"
            | "max-value"
            | "min-length"
            | "max-length"
            | "valid-values"
    )
}

fn kind(word: &str) -> Result<PointKind, Problem> {
    Ok(match word {
        "point" => PointKind::Point,
        "class" => PointKind::Class,
        "object" => PointKind::Object,
        "enter" => PointKind::Enter,
        "exit" => PointKind::Exit,
        "subexit" => PointKind::Subexit,
        _ => return Err(Problem::PointKind(word.to_owned())),
    })
}

/// What a name says where `ppt-type` is not written.
fn kind_by_name(name: &str) -> PointKind {
    match name.rsplit_once(":::").map(|(_, tag)| tag) {
        Some("ENTER") => PointKind::Enter,
        Some("EXIT") => PointKind::Exit,
        Some("OBJECT") => PointKind::Object,
        Some("CLASS") => PointKind::Class,
        Some(tag) if tag.starts_with("EXIT") => PointKind::Subexit,
        _ => PointKind::Point,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(record: &str) -> Result<Declarations, Wrong> {
        let mut declarations = Declarations::default();
        declarations.read(record)?;
        Ok(declarations)
    }

    #[test]
    fn a_point_is_read_with_its_variables_and_parents() {
        let text = "ppt A.f():::EXIT7\nppt-type subexit\nparent parent A:::OBJECT 1\n\
            variable this.s[..]\n  var-kind array\n  array 1\n  dec-type int[]\n  rep-type int[]\n  \
            flags synthetic\n  comparability 3[4]\n  parent A:::OBJECT 1 this.t[..]\n";
        let point = &read(text).unwrap().points[0];
        assert_eq!(
            (point.kind, &point.parents[..]),
            (PointKind::Subexit, &["A:::OBJECT".into()][..])
        );
        let variable = &point.variables[0];
        assert_eq!(
            (variable.key.as_deref(), variable.index_key.as_deref()),
            (Some("3"), Some("4"))
        );
        assert_eq!(variable.at_parent, [("A:::OBJECT".to_owned(), "this.t[..]".to_owned())]);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let check = |text: &str, line: usize| {
            let (found, problem) = read(text).unwrap_err();
            assert_eq!(found, line, "{problem}");
        };
        check("decl-version 1", 0);
        check("ppt a:::POINT\nppt-type circle", 1);
        check("ppt a:::POINT\nppt-type point\nvariable x\n  rep-type complex", 3);
        check("ppt a:::POINT\nvariable x\nvariable y\n  rep-type int", 2);
        check("ppt a:::POINT\nsomething else", 1);
        check("ppt a:::POINT\nvariable x\nrep-type", 2);
    }

    #[test]
    fn the_same_point_may_be_declared_again_but_not_differently() {
        let mut declarations = Declarations::default();
        let text = "ppt a:::POINT\nvariable x\n  rep-type int";
        assert_eq!(declarations.read(text).unwrap(), Some(0));
        assert_eq!(declarations.read(text).unwrap(), Some(0));
        assert!(declarations.read("ppt a:::POINT\nvariable y\n  rep-type int").is_err());
    }

    #[test]
    fn negative_keys_go_with_everything() {
        assert_eq!(meaningful("-1"), None);
        assert_eq!(meaningful("22"), Some("22".into()));
    }
}
