//! Sequences as text, one step a line, and back. A blank line ends a sequence, a line
//! that begins with `#` is a comment. Names of results are free: `list = List::new()`, then `List::push(list, Probe(3))`;
//! a step that makes several objects is bound as `(a, b) = Queue::split(q)`. What the caller's code
//! does wrong in a step stands behind it: `List::clear(list) !drop@0` means that the first `drop` of
//! an element panics.

use std::{collections::BTreeMap, fmt::Write as _};

use gainsay_wire::{Arg, Manifest, ObjRef, OpId, Sequence, Step, Twist, parse_value};

/// A line that is no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Line number from 1.
    pub line: usize,
    /// The mistake.
    pub problem: Problem,
}

/// Mistakes that a line can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No operation has this name.
    UnknownOperation(String),
    /// The operation takes another number of arguments.
    WrongArguments {
        /// The number of arguments it takes.
        takes: usize,
        /// The number of arguments given.
        given: usize,
    },
    /// Neither a name bound above nor a value.
    NotAnArgument(String),
    /// Parentheses do not match, or something else is out of shape.
    Malformed,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            Problem::UnknownOperation(text) => write!(f, "no operation `{text}`"),
            Problem::WrongArguments { takes, given } => {
                write!(f, "the operation takes {takes} arguments, {given} are given")
            }
            Problem::NotAnArgument(text) => write!(f, "`{text}` is no name or value"),
            Problem::Malformed => f.write_str("expected `name = Type::operation(arguments)`"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// The text of a sequence; `vN` is what step N made.
pub fn sequence_text(sequence: &Sequence, manifest: &Manifest) -> String {
    let mut text = String::new();
    for (i, step) in sequence.steps.iter().enumerate() {
        let op = manifest.ops.get(step.op.0 as usize);
        match op.map_or(0, |op| op.makes.len()) {
            0 => {}
            1 => write!(text, "{} = ", object_name(i, 0)).expect("writing to a string"),
            made => {
                let names: Vec<String> = (0..made).map(|out| object_name(i, out)).collect();
                write!(text, "({}) = ", names.join(", ")).expect("writing to a string");
            }
        }
        let name = op.map_or_else(|| format!("op{}", step.op.0), |op| op.name.clone());
        let args: Vec<String> = step.args.iter().map(arg_text).collect();
        write!(text, "{name}({})", args.join(", ")).expect("writing to a string");
        if step.twist != Twist::None {
            write!(text, " !{}", step.twist).expect("writing to a string");
        }
        text.push('\n');
    }
    text
}

fn arg_text(arg: &Arg) -> String {
    match arg {
        Arg::Object(object) => object_name(object.step as usize, object.out as usize),
        Arg::Plain(value) => value.to_string(),
    }
}

fn object_name(step: usize, out: usize) -> String {
    if out == 0 { format!("v{step}") } else { format!("v{step}_{out}") }
}

/// Reads sequences.
pub fn parse_script(text: &str, manifest: &Manifest) -> Result<Vec<Sequence>, ScriptError> {
    let mut sequences = Vec::new();
    let mut current = Draft::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        if line.is_empty() {
            current.finish_sequence(&mut sequences);
            continue;
        }
        current.add_line(line, manifest).map_err(|problem| ScriptError { line: i + 1, problem })?;
    }
    current.finish_sequence(&mut sequences);
    Ok(sequences)
}

/// A sequence that is being read, with the names bound so far.
#[derive(Default)]
struct Draft {
    sequence: Sequence,
    bound: BTreeMap<String, ObjRef>,
}

impl Draft {
    fn finish_sequence(&mut self, sequences: &mut Vec<Sequence>) {
        let done = std::mem::take(self);
        if !done.sequence.steps.is_empty() {
            sequences.push(done.sequence);
        }
    }

    fn add_line(&mut self, line: &str, manifest: &Manifest) -> Result<(), Problem> {
        let (line, twist) = split_misbehaviour(line);
        let (names, call) = split_binding(line);
        let (op, args) = find_operation(call, manifest)?;
        let args = args.iter().map(|arg| self.read_argument(arg)).collect::<Result<Vec<_>, _>>()?;
        let takes = manifest.ops[op.0 as usize].params.len();
        if args.len() != takes {
            return Err(Problem::WrongArguments { takes, given: args.len() });
        }
        let step = u32::try_from(self.sequence.steps.len()).map_err(|_| Problem::Malformed)?;
        self.bound.extend(names.into_iter().zip((0..).map(|out| ObjRef { step, out })));
        self.sequence.steps.push(Step { op, args, twist });
        Ok(())
    }

    fn read_argument(&self, text: &str) -> Result<Arg, Problem> {
        if let Some(object) = self.bound.get(text) {
            return Ok(Arg::Object(*object));
        }
        parse_value(text).map(Arg::Plain).map_err(|_| Problem::NotAnArgument(text.to_owned()))
    }
}

/// A line without the misbehaviour that is named after its call.
fn split_misbehaviour(line: &str) -> (&str, Twist) {
    // The last one: texts among the arguments may hold the mark as well.
    let named = line.rsplit_once(" !").filter(|(call, _)| call.ends_with(')'));
    named.and_then(|(call, twist)| Some((call, twist.parse().ok()?))).unwrap_or((line, Twist::None))
}

/// The bound names and the call of a line.
fn split_binding(line: &str) -> (Vec<String>, &str) {
    // The first one, and only before the call's parenthesis: an argument may be a text with ` = ` in it.
    let Some((left, call)) = line.split_once(" = ") else { return (Vec::new(), line) };
    if left.contains('(') && !left.starts_with('(') {
        return (Vec::new(), line);
    }
    let names = left.trim_matches(['(', ')']).split(',').map(|name| name.trim().to_owned());
    (names.collect(), call.trim())
}

/// The operation and the texts of its arguments. Names may hold any character, so the longest
/// known name before a parenthesis counts.
fn find_operation<'a>(call: &'a str, manifest: &Manifest) -> Result<(OpId, Vec<&'a str>), Problem> {
    let fits = |name: &str| call.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    let named = (0..).zip(&manifest.ops).filter(|(_, op)| fits(&op.name));
    // Of two operations with one name the first, so that a text means the same every time.
    let best = named.max_by_key(|(i, op)| (op.name.len(), std::cmp::Reverse(*i)));
    let Some((i, op)) = best else {
        let name = call.split('(').next().unwrap_or(call);
        return Err(Problem::UnknownOperation(name.to_owned()));
    };
    let inside = call[op.name.len() + 1..].strip_suffix(')').ok_or(Problem::Malformed)?;
    Ok((OpId(i), split_arguments(inside)))
}

/// Splits at commas outside of brackets and quotes.
// By hand and not with the parser of values: an argument may be a name, which is no value.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
    let (mut quote, mut escaped) = (None, false);
    for (i, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(text[start..i].trim());
                    start = i + 1;
                }
                _ => {}
            },
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{ManifestOp, ManifestParam, Mode, TypeId};

    use super::*;

    fn manifest() -> Manifest {
        let object = |mode| ManifestParam::Object(TypeId(0), mode);
        let op = |name: &str, params: Vec<ManifestParam>, makes: usize| ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: name.into(),
            names: params.iter().map(|_| "x".into()).collect(),
            params,
            makes: vec![TypeId(0); makes],
            lending: gainsay_wire::Lending::Inherited,
            role: gainsay_wire::Role::Command,
        };
        Manifest {
            types: Vec::new(),
            ops: vec![
                op("List::new", vec![], 1),
                op("List::push", vec![object(Mode::Mut), ManifestParam::Plain("Probe".into())], 0),
                op(
                    "List as Extend::extend",
                    vec![object(Mode::Mut), ManifestParam::Plain("V".into())],
                    0,
                ),
                op("List::split", vec![object(Mode::Own)], 2),
            ],
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let text = "v0 = List::new()\nList::push(v0, Probe(3))\n\
                    List as Extend::extend(v0, [Probe(1), \"a,(\"])\n(v3, v3_1) = List::split(v0)\n\
                    List::push(v3_1, Probe(0)) !drop@2\n\
                    List::push(v3, \") !shy\")\n";
        let sequences = parse_script(text, &manifest()).unwrap();
        assert_eq!(sequences.len(), 1);
        assert_eq!(sequence_text(&sequences[0], &manifest()), text);
    }

    #[test]
    fn blank_lines_part_sequences_and_comments_are_passed_over() {
        let text =
            "# first\na = List::new()\n\n# second\nb = List::new()\nList::push(b, Probe(1))\n";
        let lengths: Vec<_> =
            parse_script(text, &manifest()).unwrap().iter().map(|s| s.steps.len()).collect();
        assert_eq!(lengths, [1, 2]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let check = |text: &str, line: usize, problem: Problem| {
            assert_eq!(
                parse_script(text, &manifest()),
                Err(ScriptError { line, problem }),
                "{text}"
            );
        };
        check("v = Lost::new()", 1, Problem::UnknownOperation("Lost::new".into()));
        check("v = List::new()\nList::push(v)", 2, Problem::WrongArguments { takes: 2, given: 1 });
        check("List::push(w, Probe(1))", 1, Problem::NotAnArgument("w".into()));
        check("v = List::new(", 1, Problem::Malformed);
    }
}
