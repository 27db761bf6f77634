//! Names of std that occur in examples beside the subject's own.

use gainsay_model::example::Term;

use super::Meaning;

/// The method that std calls in place of the one that is written.
pub(super) fn method_called_by_std(name: &str) -> Option<&'static str> {
    Some(match name {
        "parse" => "from_str",
        "into" => "from",
        "try_into" => "try_from",
        "collect" => "from_iter",
        _ => return None,
    })
}

/// A constant or a variant.
pub(super) fn read_constant(path: &[String]) -> Meaning {
    match path {
        [name] if name == "None" => Meaning::Plain(Term::Name(path.to_vec())),
        [ty, name] => {
            extreme_value(ty, name).map_or(Meaning::Unknown, |n| Meaning::Plain(Term::Int(n)))
        }
        _ => Meaning::Unknown,
    }
}

/// `u8::MAX` and its like.
fn extreme_value(ty: &str, name: &str) -> Option<i128> {
    let (min, max) = super::example_values::integer_range(ty)?.into_inner();
    match name {
        "MIN" => Some(min),
        "MAX" => Some(max),
        _ => None,
    }
}

/// True for `None`.
pub(super) fn is_none(term: &Term) -> bool {
    matches!(term, Term::Name(path) if path.last().is_some_and(|name| name == "None"))
}

/// Reads a call to a function of std, whose result is mostly its argument in another form.
pub(super) fn read_call(path: &[String], args: &[Meaning]) -> Meaning {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let (owner, name) = match words.as_slice() {
        [.., owner, name] => (*owner, *name),
        [name] => ("", *name),
        [] => return Meaning::Unknown,
    };
    match (owner, name, args) {
        ("", "Some" | "Ok" | "Err", [Meaning::Plain(inner)]) => {
            Meaning::Plain(Term::Call { path: vec![name.to_owned()], args: vec![inner.clone()] })
        }
        ("", "Some" | "Ok", [objects @ Meaning::Objects(_)]) => objects.clone(),
        ("String" | "PathBuf" | "OsString", "new", []) => Meaning::Plain(Term::Str(String::new())),
        ("Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet", "new", []) => {
            Meaning::Plain(Term::Seq(Vec::new()))
        }
        ("Duration", unit, [Meaning::Plain(Term::Int(count))]) => {
            nanoseconds(unit, *count).map_or(Meaning::Unknown, |n| Meaning::Plain(Term::Int(n)))
        }
        (_, "new" | "from" | "pin" | "Borrowed" | "Owned" | "from_iter", [one])
            if is_wrapper(owner) =>
        {
            one.clone()
        }
        _ => Meaning::Unknown,
    }
}

fn nanoseconds(unit: &str, count: i128) -> Option<i128> {
    let unit = match unit {
        "from_nanos" => 1,
        "from_micros" => 1_000,
        "from_millis" => 1_000_000,
        "from_secs" => 1_000_000_000,
        _ => return None,
    };
    count.checked_mul(unit)
}

/// Types of std whose values are written as what is inside.
fn is_wrapper(name: &str) -> bool {
    const WRAPPERS: &[&str] = &[
        "Arc",
        "BTreeMap",
        "BTreeSet",
        "BinaryHeap",
        "Box",
        "BufReader",
        "BufWriter",
        "Cell",
        "Cow",
        "Cursor",
        "HashMap",
        "HashSet",
        "LinkedList",
        "OsStr",
        "OsString",
        "Path",
        "PathBuf",
        "Rc",
        "RefCell",
        "Reverse",
        "Saturating",
        "String",
        "Vec",
        "VecDeque",
        "Wrapping",
    ];
    WRAPPERS.contains(&name) || name.starts_with("NonZero")
}

/// Reads a call to a method of std that the subject does not have: mostly its receiver in another
/// dress.
pub(super) fn read_method(name: &str, args: &[Meaning]) -> Meaning {
    const OF_ALL: &[&str] = &[
        "as_mut",
        "as_ref",
        "borrow",
        "borrow_mut",
        "by_ref",
        "clone",
        "expect",
        "into",
        "ok",
        "to_owned",
        "try_into",
        "unwrap",
        "unwrap_or_default",
    ];
    const OF_VALUES: &[&str] = &[
        "as_bytes",
        "as_mut_slice",
        "as_os_str",
        "as_path",
        "as_slice",
        "as_str",
        "bytes",
        "chars",
        "cloned",
        "collect",
        "copied",
        "into_boxed_slice",
        "into_boxed_str",
        "into_bytes",
        "into_iter",
        "into_string",
        "iter",
        "iter_mut",
        "to_string",
        "to_vec",
    ];
    match args {
        [same @ Meaning::Objects(_), ..] if OF_ALL.contains(&name) => same.clone(),
        [same @ Meaning::Plain(_), ..] if OF_ALL.contains(&name) || OF_VALUES.contains(&name) => {
            same.clone()
        }
        _ => Meaning::Unknown,
    }
}
