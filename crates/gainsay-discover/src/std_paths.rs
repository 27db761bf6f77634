//! Public paths of std's items. rustdoc names the place of definition, which is often private:
//! `alloc::collections::btree::map::BTreeMap`.

use gainsay_model::ty::{GenericArg, Ty};

/// The public path of an item of `core`, `alloc` or `std`, or `None` for other crates.
pub(crate) fn public_std_path(definition: &[String]) -> Option<String> {
    let (krate, rest) = definition.split_first()?;
    if !matches!(krate.as_str(), "core" | "alloc" | "std") {
        return None;
    }
    let path = rest.join("::");
    let public = PREFIXES
        .iter()
        .find_map(|(private, public)| Some(format!("{public}{}", path.strip_prefix(private)?)))
        .unwrap_or(path);
    Some(format!("std::{public}"))
}

/// Private prefix to public prefix, the longer first where one contains another.
const PREFIXES: &[(&str, &str)] = &[
    ("alloc::layout::", "alloc::"),
    ("array::iter::", "array::"),
    ("cell::once::", "cell::"),
    ("cell::lazy::", "cell::"),
    ("char::convert::", "char::"),
    ("char::decode::", "char::"),
    ("collections::btree::map::entry::", "collections::btree_map::"),
    ("collections::btree::map::BTreeMap", "collections::BTreeMap"),
    ("collections::btree::map::", "collections::btree_map::"),
    ("collections::btree::set::BTreeSet", "collections::BTreeSet"),
    ("collections::btree::set::", "collections::btree_set::"),
    ("collections::hash::map::HashMap", "collections::HashMap"),
    ("collections::hash::map::", "collections::hash_map::"),
    ("collections::hash::set::HashSet", "collections::HashSet"),
    ("collections::hash::set::", "collections::hash_set::"),
    ("collections::binary_heap::BinaryHeap", "collections::BinaryHeap"),
    ("collections::linked_list::LinkedList", "collections::LinkedList"),
    ("collections::vec_deque::VecDeque", "collections::VecDeque"),
    ("collections::vec_deque::drain::", "collections::vec_deque::"),
    ("collections::vec_deque::into_iter::", "collections::vec_deque::"),
    ("collections::vec_deque::iter_mut::", "collections::vec_deque::"),
    ("collections::vec_deque::iter::", "collections::vec_deque::"),
    ("ffi::c_str::", "ffi::"),
    ("ffi::os_str::", "ffi::"),
    ("fmt::builders::", "fmt::"),
    ("future::future::", "future::"),
    ("future::into_future::", "future::"),
    ("hash::random::", "hash::"),
    ("hash::sip::", "hash::"),
    ("io::buffered::bufreader::", "io::"),
    ("io::buffered::bufwriter::", "io::"),
    ("io::cursor::", "io::"),
    ("io::error::", "io::"),
    ("io::util::", "io::"),
    ("iter::adapters::chain::", "iter::"),
    ("iter::adapters::cloned::", "iter::"),
    ("iter::adapters::copied::", "iter::"),
    ("iter::adapters::enumerate::", "iter::"),
    ("iter::adapters::filter::", "iter::"),
    ("iter::adapters::filter_map::", "iter::"),
    ("iter::adapters::fuse::", "iter::"),
    ("iter::adapters::map::", "iter::"),
    ("iter::adapters::peekable::", "iter::"),
    ("iter::adapters::rev::", "iter::"),
    ("iter::adapters::skip::", "iter::"),
    ("iter::adapters::take::", "iter::"),
    ("iter::adapters::cycle::", "iter::"),
    ("iter::adapters::flatten::", "iter::"),
    ("iter::adapters::inspect::", "iter::"),
    ("iter::adapters::map_while::", "iter::"),
    ("iter::adapters::scan::", "iter::"),
    ("iter::adapters::skip_while::", "iter::"),
    ("iter::adapters::step_by::", "iter::"),
    ("iter::adapters::take_while::", "iter::"),
    ("iter::adapters::zip::", "iter::"),
    ("iter::traits::accum::", "iter::"),
    ("iter::traits::collect::", "iter::"),
    ("iter::traits::double_ended::", "iter::"),
    ("iter::traits::exact_size::", "iter::"),
    ("iter::traits::iterator::", "iter::"),
    ("iter::traits::marker::", "iter::"),
    ("iter::sources::empty::", "iter::"),
    ("iter::sources::once::", "iter::"),
    ("iter::sources::from_fn::", "iter::"),
    ("iter::sources::once_with::", "iter::"),
    ("iter::sources::repeat::", "iter::"),
    ("iter::sources::repeat_n::", "iter::"),
    ("iter::sources::repeat_with::", "iter::"),
    ("iter::sources::successors::", "iter::"),
    ("mem::manually_drop::", "mem::"),
    ("mem::maybe_uninit::", "mem::"),
    ("net::ip_addr::", "net::"),
    ("net::socket_addr::", "net::"),
    ("num::error::", "num::"),
    ("num::nonzero::", "num::"),
    ("num::saturating::", "num::"),
    ("num::wrapping::", "num::"),
    ("ops::arith::", "ops::"),
    ("ops::bit::", "ops::"),
    ("ops::control_flow::", "ops::"),
    ("ops::deref::", "ops::"),
    ("ops::drop::", "ops::"),
    ("ops::function::", "ops::"),
    ("ops::index::", "ops::"),
    ("ops::range::", "ops::"),
    ("panic::unwind_safe::", "panic::"),
    ("range::", "range::"),
    ("slice::index::", "slice::"),
    ("slice::iter::", "slice::"),
    ("str::error::", "str::"),
    ("str::iter::", "str::"),
    ("str::traits::", "str::"),
    ("sync::barrier::", "sync::"),
    ("sync::lazy_lock::", "sync::"),
    ("sync::once_lock::", "sync::"),
    ("sync::poison::mutex::", "sync::"),
    ("sync::poison::rwlock::", "sync::"),
    ("sync::poison::", "sync::"),
    ("task::poll::", "task::"),
    ("task::wake::", "task::"),
    ("vec::drain::", "vec::"),
    ("vec::into_iter::", "vec::"),
    ("vec::splice::", "vec::"),
];

/// What an alias of std stands for: rustdoc names it and nothing more.
pub(crate) fn alias(path: &str, args: &[GenericArg]) -> Option<Ty> {
    let (ok, error) = match (path, args) {
        ("std::io::Result", [ok]) => (ok.clone(), "std::io::Error"),
        ("std::fmt::Result", []) => (GenericArg::Type(Ty::Unit), "std::fmt::Error"),
        _ => return None,
    };
    let args = vec![ok, GenericArg::Type(Ty::named(error))];
    Some(Ty::Path { path: "std::result::Result".into(), args })
}

/// Whether values of this std type always borrow, even where the lifetime is not written.
pub(crate) fn borrows(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    match name {
        "Iter" | "IterMut" | "Drain" => !path.starts_with("std::sync::"),
        "Keys" | "Values" | "ValuesMut" | "Ref" | "RefMut" | "Cow" | "Formatter" | "Arguments"
        | "Chars" | "CharIndices" | "Lines" | "SplitWhitespace" | "Windows" | "Chunks"
        | "ChunksExact" | "ChunksMut" | "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard"
        | "OccupiedEntry" | "VacantEntry" | "IoSlice" | "IoSliceMut" | "Components" | "Context" => {
            true
        }
        "Bytes" => path.starts_with("std::str"),
        "Range" | "Difference" | "Intersection" | "Union" | "SymmetricDifference" | "Entry" => {
            path.starts_with("std::collections::")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_places_of_definition_become_public_paths() {
        let check = |definition: &str, expected: Option<&str>| {
            let segments: Vec<String> = definition.split("::").map(str::to_owned).collect();
            assert_eq!(public_std_path(&segments).as_deref(), expected, "{definition}");
        };
        check("alloc::collections::btree::map::BTreeMap", Some("std::collections::BTreeMap"));
        check("core::iter::traits::collect::Extend", Some("std::iter::Extend"));
        check("core::alloc::layout::Layout", Some("std::alloc::Layout"));
        check("core::option::Option", Some("std::option::Option"));
        check("std::hash::random::RandomState", Some("std::hash::RandomState"));
        check("equivalent::Equivalent", None);
    }

    #[test]
    fn aliases_of_std_are_what_they_stand_for() {
        let check = |path: &str, args: &[GenericArg], expected: Option<&str>| {
            let found = alias(path, args).map(|ty| ty.to_string());
            assert_eq!(found.as_deref(), expected, "{path}");
        };
        let byte = GenericArg::Type(Ty::prim("u8"));
        check("std::io::Result", &[byte], Some("Result<u8, Error>"));
        check("std::fmt::Result", &[], Some("Result<(), Error>"));
        check("std::result::Result", &[], None);
    }
}
