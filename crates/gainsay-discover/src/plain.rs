//! std's types whose values can be made from their parts alone.

/// Whether values of this std type can be made when values of its arguments can, or whether it
/// stands for one behind a reference, or is handed over in a way of its own.
pub(crate) fn is_plain_std(path: &str) -> bool {
    gainsay_model::std_types::is_plain_std(path)
        || matches!(
            path,
            "std::ffi::CStr" | "std::ffi::OsStr" | "std::fmt::Formatter" | "std::path::Path"
        )
}
