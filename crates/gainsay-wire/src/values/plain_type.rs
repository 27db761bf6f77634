//! Types of plain values, as far as anybody decides by them: everything else is told apart by its
//! text alone.

use std::{fmt, ops::RangeInclusive};

/// An integer type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntegerType {
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `u128`
    U128,
    /// `usize`
    Usize,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `i128`
    I128,
    /// `isize`
    Isize,
}
wire_enum!(IntegerType {
    0 = U8,
    1 = U16,
    2 = U32,
    3 = U64,
    4 = U128,
    5 = Usize,
    6 = I8,
    7 = I16,
    8 = I32,
    9 = I64,
    10 = I128,
    11 = Isize,
});

impl IntegerType {
    /// All of them.
    pub const ALL: [IntegerType; 12] = [
        IntegerType::U8,
        IntegerType::U16,
        IntegerType::U32,
        IntegerType::U64,
        IntegerType::U128,
        IntegerType::Usize,
        IntegerType::I8,
        IntegerType::I16,
        IntegerType::I32,
        IntegerType::I64,
        IntegerType::I128,
        IntegerType::Isize,
    ];

    /// The type of this name.
    pub fn of_name(name: &str) -> Option<IntegerType> {
        IntegerType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Its name in code.
    pub fn name(self) -> &'static str {
        match self {
            IntegerType::U8 => "u8",
            IntegerType::U16 => "u16",
            IntegerType::U32 => "u32",
            IntegerType::U64 => "u64",
            IntegerType::U128 => "u128",
            IntegerType::Usize => "usize",
            IntegerType::I8 => "i8",
            IntegerType::I16 => "i16",
            IntegerType::I32 => "i32",
            IntegerType::I64 => "i64",
            IntegerType::I128 => "i128",
            IntegerType::Isize => "isize",
        }
    }

    /// True if it has negative numbers.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            IntegerType::I8
                | IntegerType::I16
                | IntegerType::I32
                | IntegerType::I64
                | IntegerType::I128
                | IntegerType::Isize
        )
    }

    /// Its numbers, as far as a [`crate::Value`] can hold them.
    pub fn range(self) -> RangeInclusive<i128> {
        let bits = match self {
            IntegerType::U8 | IntegerType::I8 => 8,
            IntegerType::U16 | IntegerType::I16 => 16,
            IntegerType::U32 | IntegerType::I32 => 32,
            // Workers run on the machine of the driver, which has 64 bits.
            IntegerType::U64 | IntegerType::I64 | IntegerType::Usize | IntegerType::Isize => 64,
            // Values are `i128`: the upper half of `u128` is never passed.
            IntegerType::U128 => return 0..=i128::MAX,
            IntegerType::I128 => return i128::MIN..=i128::MAX,
        };
        if self.is_signed() {
            -(1 << (bits - 1))..=(1 << (bits - 1)) - 1
        } else {
            0..=(1 << bits) - 1
        }
    }
}

// Variants for the types that somebody decides by, and no more: the harness has the whole type, and
// a second model of Rust's types here would have to be kept in step with it.
/// The type of a plain value, without references.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlainType {
    /// An integer type of the language.
    Integer(IntegerType),
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `String`
    Text,
    /// The probe element.
    Probe,
    /// `Vec<T>`
    List(Box<PlainType>),
    /// `[T; n]`
    Array(Box<PlainType>, u64),
    /// `Range<T>`
    Range(Box<PlainType>),
    /// `(A, B, ..)`
    Tuple(Vec<PlainType>),
    /// Any other, as written in code. Only equality is ever asked of it.
    Other(String),
}
wire_enum!(PlainType {
    0 = Integer(ty),
    1 = F32,
    2 = F64,
    3 = Bool,
    4 = Char,
    5 = Text,
    6 = Probe,
    7 = List(item),
    8 = Array(item, len),
    9 = Range(of),
    10 = Tuple(members),
    11 = Other(text),
});

/// A type without arguments, by its name.
impl From<&str> for PlainType {
    fn from(name: &str) -> PlainType {
        match name {
            "f32" => PlainType::F32,
            "f64" => PlainType::F64,
            "bool" => PlainType::Bool,
            "char" => PlainType::Char,
            "String" => PlainType::Text,
            "Probe" => PlainType::Probe,
            _ => IntegerType::of_name(name)
                .map_or_else(|| PlainType::Other(name.to_owned()), PlainType::Integer),
        }
    }
}

impl PlainType {
    /// The integer type, if it is one.
    pub fn as_integer(&self) -> Option<IntegerType> {
        match self {
            PlainType::Integer(ty) => Some(*ty),
            _ => None,
        }
    }
}

impl fmt::Display for PlainType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlainType::Integer(ty) => f.write_str(ty.name()),
            PlainType::F32 => f.write_str("f32"),
            PlainType::F64 => f.write_str("f64"),
            PlainType::Bool => f.write_str("bool"),
            PlainType::Char => f.write_str("char"),
            PlainType::Text => f.write_str("String"),
            PlainType::Probe => f.write_str("Probe"),
            PlainType::List(item) => write!(f, "Vec<{item}>"),
            PlainType::Array(item, len) => write!(f, "[{item}; {len}]"),
            PlainType::Range(of) => write!(f, "Range<{of}>"),
            PlainType::Tuple(members) => {
                let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                // Without the comma a tuple of one would be the type in parentheses.
                let end = if members.len() == 1 { "," } else { "" };
                write!(f, "({}{end})", members.join(", "))
            }
            PlainType::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_known_by_its_name_and_printed_as_code_writes_it() {
        for name in ["u8", "i128", "usize", "f64", "bool", "char", "String", "Probe", "Duration"] {
            assert_eq!(PlainType::from(name).to_string(), name);
        }
        let pair = PlainType::Tuple(vec!["u8".into(), "String".into()]);
        assert_eq!(PlainType::List(Box::new(pair)).to_string(), "Vec<(u8, String)>");
    }

    #[test]
    fn an_integer_type_has_the_numbers_of_its_bits() {
        assert_eq!(IntegerType::U8.range(), 0..=255);
        assert_eq!(IntegerType::I16.range(), -32_768..=32_767);
        assert_eq!(IntegerType::Usize.range(), 0..=i128::from(u64::MAX));
        assert_eq!(IntegerType::U128.range(), 0..=i128::MAX);
    }
}
