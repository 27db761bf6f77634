//! std's traits whose methods say something about a value: their impls hold callables.

/// Whether methods that an impl of this std trait writes are callables. The path is public.
pub(crate) fn is_callable(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    is_formatting(path) || CALLABLE.contains(&name) || OPERATORS.contains(&name)
}

/// Whether it is a trait of `format!`: its `fmt` needs a formatter, which only std makes.
pub(crate) fn is_formatting(path: &str) -> bool {
    path.strip_prefix("std::fmt::").is_some_and(|name| FORMATTING.contains(&name))
}

/// Whether it is the trait of what goes out of scope.
pub(crate) fn is_drop(path: &str) -> bool {
    path == "std::ops::Drop"
}

const FORMATTING: &[&str] = &[
    "Debug", "Display", "Binary", "Octal", "LowerHex", "UpperHex", "LowerExp", "UpperExp",
    "Pointer",
];

const CALLABLE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Borrow",
    "BorrowMut",
    "BufRead",
    "BuildHasher",
    "Clone",
    "Default",
    "Deref",
    "DerefMut",
    "DoubleEndedIterator",
    "Drop",
    "Error",
    "ExactSizeIterator",
    "Extend",
    "From",
    "FromIterator",
    "FromStr",
    "Hash",
    "Hasher",
    "Index",
    "IndexMut",
    "Into",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Product",
    "Read",
    "Seek",
    "Sum",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Write",
];

const OPERATORS: &[&str] = &[
    "Add",
    "AddAssign",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Div",
    "DivAssign",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Rem",
    "RemAssign",
    "Shl",
    "ShlAssign",
    "Shr",
    "ShrAssign",
    "Sub",
    "SubAssign",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_are_told_by_their_public_paths() {
        let check = |path: &str, callable: bool, formatting: bool| {
            assert_eq!((is_callable(path), is_formatting(path)), (callable, formatting), "{path}");
        };
        check("std::fmt::LowerHex", true, true);
        check("std::fmt::Write", true, false);
        check("std::io::Write", true, false);
        check("std::ops::ShlAssign", true, false);
        check("std::cmp::Eq", false, false);
        check("std::future::Future", false, false);
    }
}
