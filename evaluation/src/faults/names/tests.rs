//! What people write against what the product writes.

use super::*;

/// Whether an entry point as people write it means an operation as the product writes it.
fn check(entry_points: &str, operation: &str, expected: Fit) {
    let name = Name::parse(operation);
    let all = meant(entry_points);
    let best = all.iter().map(|meant| meant.fits(&name)).max().unwrap_or(Fit::No);
    assert_eq!(best, expected, "{entry_points} | {operation}: {all:?} {name:?}");
}

#[test]
fn types_and_methods_must_agree() {
    check("ds::matrix::Matrix::new", "Matrix::new", Fit::Yes);
    check("ds::matrix::Matrix::new", "Matrix::rows", Fit::No);
    check("ds::matrix::Matrix::new", "Row::new", Fit::No);
    check("AnonVec::get_ref, get_mut, remove_get", "AnonVec::remove_get", Fit::Yes);
    check("AnonVec::get_ref, get_mut, remove_get", "AnonVec::push", Fit::No);
    check("Cursor::finish, Cursor::write", "Cursor::write", Fit::Yes);
    check("collections::Vec::push/reserve", "collections::Vec::reserve", Fit::Yes);
    check("vec::IntoIter::clone", "vec::IntoIter as Clone::clone", Fit::Yes);
    check("BinaryHeap::push, drop", "BinaryHeap as Drop::drop", Fit::Yes);
    check("Utc.timestamp_nanos", "Utc as TimeZone::timestamp_nanos", Fit::Yes);
}

#[test]
fn a_public_alias_may_name_the_type() {
    check("Deque::clear, IndexMap::clear", "DequeInner::clear", Fit::Yes);
    check("Vec::push", "VecDeque::push", Fit::No);
}

#[test]
fn impls_of_traits_are_named_by_trait_type_or_both() {
    check("Index<usize> for Slab", "Slab as Index::index", Fit::Yes);
    check("Index<usize> for Slab", "Slab<T> as Index<usize>::index", Fit::Yes);
    check("Index<usize> for Slab", "Slab as IndexMut::index_mut", Fit::No);
    check("Index<usize> for Slab", "Keys as Index::index", Fit::No);
    check("Index/IndexMut for Caja", "Caja as IndexMut::index_mut", Fit::Yes);
    check("FromIterator<(usize,T)>, insert", "Slab as FromIterator::from_iter", Fit::Yes);
    check("From<&mut AsciiStr> for &mut [u8]", "&mut [u8] as From<&mut AsciiStr>::from", Fit::Yes);
    check(
        "PartialOrd<Bytes> for str/Vec/..",
        "Vec<u8> as PartialOrd<Bytes>::partial_cmp",
        Fit::Yes,
    );
    check("PartialEq between &BStr and Cow<BStr>", "&BStr as PartialEq<Cow<BStr>>::eq", Fit::Yes);
    check("<DateTime<Utc> as FromStr>::from_str", "DateTime<Utc> as FromStr::from_str", Fit::Yes);
    let compared = "PartialOrd<Bytes> for str/Vec/..";
    check(compared, "Bytes as PartialOrd::partial_cmp", Fit::Yes);
    check(compared, "BytesMut as PartialOrd::partial_cmp", Fit::No);
    check("CheckedDiv::checked_div for Ratio", "Ratio as CheckedDiv::checked_div", Fit::Yes);
    check("CheckedDiv::checked_div for Ratio", "i64 as CheckedDiv::checked_div", Fit::No);
    check("Decimal::rescale, Add, Sub", "Decimal as Sub::sub", Fit::Yes);
    check("Decimal::rescale, Add, Sub", "Other as Sub::sub", Fit::No);
    check("DateTime::with_timezone, Debug", "DateTime as Debug::fmt", Fit::Yes);
}

#[test]
fn a_trait_may_stand_for_the_type() {
    check("Buf::get_int", "Bytes as Buf::get_int", Fit::Yes);
    check("VecExt::insert_slice_clone", "Vec as VecExt::insert_slice_clone", Fit::Yes);
    check("Buf::get_int", "Bytes::get_int", Fit::No);
}

#[test]
fn free_functions_have_no_type() {
    check("through, through_and", "through_and", Fit::Yes);
    check("error::convert_error", "error::convert_error", Fit::Yes);
    check("fill", "Wrapper::fill", Fit::No);
    check("from_str::<Value>", "from_str", Fit::Yes);
    check("Url::parse; quirks::set_hostname", "quirks::set_hostname", Fit::Yes);
    check("Unpack", "Unpack", Fit::Yes);
}

#[test]
fn methods_of_what_is_given_out_fit_by_method_only() {
    check("NodeId::children().rev()", "NodeId::children", Fit::Yes);
    check("NodeId::children().rev()", "Children as Iterator::rev", Fit::ByMethod);
    check("NodeId::children().rev()", "Children as DoubleEndedIterator::next_back", Fit::ByMethod);
    check("Itertools::duplicates, size_hint", "Duplicates as Iterator::size_hint", Fit::ByMethod);
    check("RoaringBitmap::optimize, iter().advance_to/nth", "Iter::advance_to", Fit::ByMethod);
    check("RoaringBitmap::optimize, iter().advance_to/nth", "RoaringBitmap::iter", Fit::Yes);
    check("FromIterator<(usize,T)>, insert", "Slab::insert", Fit::ByMethod);
}

#[test]
fn a_type_stands_for_all_its_methods_and_a_constant_for_none() {
    check("DaryHeap::peek_mut, PeekMut", "PeekMut as DerefMut::deref_mut", Fit::Yes);
    check("DaryHeap::peek_mut, PeekMut", "DaryHeap::push", Fit::No);
    check("alphabet::BIN_HEX, Engine::encode", "GeneralPurpose as Engine::encode", Fit::Yes);
    check("alphabet::BIN_HEX", "Alphabet::new", Fit::No);
}

#[test]
fn steps_of_scripts_are_names_too() {
    let name = Name::parse("IndexMap<K, V> as Extend<(K, V)>::extend for a::IndexMap<Probe, 4>");
    let of_trait = Some("Extend".to_owned());
    let owner = Some("IndexMap".to_owned());
    assert_eq!(name, Name { owner, of_trait, method: "extend".to_owned() });
    assert_eq!(Name::parse("[T; 3] as Array::size").owner.as_deref(), Some("[T; 3]"));
}
