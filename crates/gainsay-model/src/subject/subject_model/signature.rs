//! Questions about the parameters and results of operations.

use gainsay_wire::IntegerType;

use crate::{
    api::Operation,
    ty::{Access, Ty, last_segment},
};

/// True if a parameter says how much room is wanted.
pub fn is_size(name: &str) -> bool {
    // Words that std and most crates use for it; a type alone cannot tell a size from an index.
    matches!(name, "cap" | "additional" | "reserve") || name.contains("capacity")
}

/// True for an integer or a reference to one.
pub fn is_number(ty: &Ty) -> bool {
    match ty {
        Ty::Ref { to, .. } => is_number(to),
        Ty::Prim(_) => is_index(ty),
        _ => false,
    }
}

/// True if an operation takes an integer or a range, alone or in something else.
pub fn takes_numbers(op: &Operation) -> bool {
    op.params.iter().any(|param| is_index(&param.ty))
}

/// True if an operation writes into lists of numbers that the caller brings: they may be too short.
// What is too short for what it should hold is the caller's mistake, as with `copy_from_slice`.
pub fn fills(op: &Operation) -> bool {
    op.params.iter().any(|param| is_buffer(&param.ty))
}

/// `&mut [u8]`, or several of them.
pub fn is_buffer(ty: &Ty) -> bool {
    match ty {
        Ty::Ref { to, access: Access::Exclusive } => {
            matches!(&**to, Ty::Slice(item) if is_index(item))
        }
        Ty::Array(item, _) => is_buffer(item),
        Ty::Tuple(items) => items.iter().any(is_buffer),
        _ => false,
    }
}

/// True if the result can tell that something cannot be done: an `Option` or a `Result`.
pub fn can_refuse(result: &Ty) -> bool {
    matches!(result, Ty::Path { path, .. }
        if path == "std::option::Option" || path == "std::result::Result")
}

/// True for an integer, a range, and what has an integer in it.
pub fn is_index(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(name) => IntegerType::of_name(name).is_some(),
        Ty::Ref { to, .. } => is_index(to),
        Ty::Tuple(items) => items.iter().any(is_index),
        Ty::Path { .. } => is_range(ty),
        _ => false,
    }
}

/// True for the ranges of std and of others who name theirs so.
pub fn is_range(ty: &Ty) -> bool {
    match ty {
        Ty::Path { path, .. } => last_segment(path).starts_with("Range"),
        _ => false,
    }
}
