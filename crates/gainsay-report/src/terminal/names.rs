//! Operations by the shortest names that tell them apart.

use std::collections::BTreeMap;

/// What stands between an operation's path and the type it was tested on.
const FOR: &str = " for ";

/// The name to show for each operation: its path, with the type only where two share it.
pub(super) fn shown<'a>(operations: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let mut by_path: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
    for operation in operations {
        let same = by_path.entry(path(operation)).or_default();
        if !same.contains(&operation) {
            same.push(operation);
        }
    }
    let mut names = BTreeMap::new();
    for (path, operations) in by_path {
        for operation in &operations {
            let ty = operation.get(path.len() + FOR.len()..);
            let name = match ty.filter(|_| operations.len() > 1) {
                Some(ty) => format!("{path}{FOR}{}", short_type(ty)),
                None => path.to_owned(),
            };
            names.insert(*operation, name);
        }
    }
    names
}

/// The operation without the type it was tested on.
pub(super) fn path(operation: &str) -> &str {
    operation.split(FOR).next().unwrap_or(operation)
}

/// The type that an operation is of, without its arguments: `Row` for `&mut Row<T> as Iterator::next`.
pub(super) fn type_of(operation: &str) -> Option<&str> {
    let (of, _) = path(operation).rsplit_once("::")?;
    let of = of.split(" as ").next().unwrap_or(of);
    let of = of.trim_start_matches("&mut ").trim_start_matches('&');
    let of = of.split('<').next().unwrap_or(of);
    let is_type = of.rsplit("::").next()?.starts_with(char::is_uppercase);
    is_type.then_some(of)
}

/// `LinkedHashMap<Probe, Probe>` for `linked_hash_map::LinkedHashMap<Probe, Probe, RandomState>`.
fn short_type(ty: &str) -> String {
    let mut short = String::new();
    let mut word = String::new();
    let mut rest = ty.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else if c == ':' && rest.peek() == Some(&':') {
            rest.next();
            word.clear();
        } else {
            short.push_str(&std::mem::take(&mut word));
            short.push(c);
        }
    }
    short.push_str(&word);
    short.replace(", RandomState", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operations: &[&str], expected: &[&str]) {
        let names = shown(operations.iter().copied());
        let found: Vec<&str> = operations.iter().map(|operation| &*names[operation]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_operation_is_shown_by_its_path() {
        let map = "Map::entries for map::Map<Probe, Probe, RandomState>";
        check(&[map, "Map as Clone::clone"], &["Map::entries", "Map as Clone::clone"]);
        check(&[map, map], &["Map::entries", "Map::entries"]);
    }

    #[test]
    fn two_of_one_path_are_told_apart_by_short_types() {
        check(
            &[
                "Map::len for a::b::Map<Probe, core::option::Option<Probe>, RandomState>",
                "Map::len for &mut a::Map<i32, [u8; 2]>",
                "Map::len",
            ],
            &[
                "Map::len for Map<Probe, Option<Probe>>",
                "Map::len for &mut Map<i32, [u8; 2]>",
                "Map::len",
            ],
        );
    }
}
