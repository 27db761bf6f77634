//! Which coverage counters of a program count code of its subject.

use std::{fs, path::Path};

use crate::{
    elf::{Elf, Function},
    symbol::crate_of,
};

/// Marks the first counter of a function in the table of places.
const ENTRY: u64 = 1;

/// The numbers of the counters in functions that were written in the crate `lib_name`, whoever has
/// instantiated them; `None` if the program does not say.
pub fn subject_counters(program: &Path, lib_name: &str) -> Option<Vec<u32>> {
    let bytes = fs::read(program).ok()?;
    let elf = Elf::new(&bytes)?;
    let places = elf.words(elf.section("__sancov_pcs")?)?;
    let counters = elf.section("__sancov_cntrs")?.len;
    let functions = elf.functions().filter(|functions| !functions.is_empty())?;
    if places.len() != 2 * counters {
        return None;
    }
    let own = |place: &[u64]| {
        let function = holder(&functions, place[0], place[1] & ENTRY != 0);
        function.is_some_and(|function| crate_of(function.name) == Some(lib_name))
    };
    let numbered = (0..).zip(places.chunks_exact(2));
    Some(numbered.filter(|(_, place)| own(place)).map(|(number, _)| number).collect())
}

/// The function in which a place lies. Code that is never reached may be empty and then lies at
/// the very end of its function, where the next one may begin.
fn holder<'a>(
    functions: &'a [Function<'a>],
    place: u64,
    is_entry: bool,
) -> Option<&'a Function<'a>> {
    let before = |function: &Function<'_>| {
        function.address < place || (is_entry && function.address == place)
    };
    let last = functions.partition_point(before).checked_sub(1)?;
    functions.get(last).filter(|function| place <= function.address + function.len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_function_is_not_the_beginning_of_the_next() {
        let function = |address, name| Function { address, len: 16, name };
        let functions = [function(16, "a"), function(32, "b"), function(64, "c")];
        let check = |place, is_entry, expected| {
            let found = holder(&functions, place, is_entry).map(|function| function.name);
            assert_eq!(found, expected, "{place} {is_entry}");
        };
        check(16, true, Some("a"));
        check(32, true, Some("b"));
        check(32, false, Some("a"));
        check(40, false, Some("b"));
        check(60, false, None);
        check(0, false, None);
        check(70, false, Some("c"));
    }

    #[test]
    fn a_program_without_counters_has_none_to_tell() {
        assert_eq!(subject_counters(&std::env::current_exe().unwrap(), "gainsay_harness"), None);
        assert_eq!(subject_counters(Path::new("/no/such/program"), "any"), None);
    }
}
