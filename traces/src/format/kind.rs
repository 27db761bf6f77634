//! How variables of a trace are represented.

/// What a value is. All kinds live in 64 bits: truths are 0 and 1, texts are numbers given in the
/// order in which they were seen, decimals are made into integers of the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scalar {
    /// A truth.
    Bool,
    /// An integer.
    Int,
    /// A decimal number.
    Float,
    /// An object that can only be told from others; `null` is zero.
    Hash,
    /// A text; `null` is zero.
    Text,
}

/// A scalar or an array of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind {
    /// Of what.
    pub of: Scalar,
    /// Whether it is an array.
    pub is_array: bool,
}

impl Kind {
    /// A single value.
    pub(crate) fn one(of: Scalar) -> Kind {
        Kind { of, is_array: false }
    }

    /// Reads a `rep-type`.
    pub(crate) fn parse(text: &str) -> Option<Kind> {
        let (base, is_array) = match text.strip_suffix("[]") {
            Some(base) => (base, true),
            None => (text, false),
        };
        let of = match base {
            "boolean" => Scalar::Bool,
            "int" | "long" | "char" | "byte" | "short" => Scalar::Int,
            "double" | "float" => Scalar::Float,
            "hashcode" => Scalar::Hash,
            "java.lang.String" | "String" => Scalar::Text,
            _ => return None,
        };
        Some(Kind { of, is_array })
    }

    /// As declarations name it.
    pub(crate) fn name(self) -> &'static str {
        match (self.of, self.is_array) {
            (Scalar::Bool, false) => "boolean",
            (Scalar::Int, false) => "int",
            (Scalar::Float, false) => "double",
            (Scalar::Hash, false) => "hashcode",
            (Scalar::Text, false) => "java.lang.String",
            (Scalar::Bool, true) => "boolean[]",
            (Scalar::Int, true) => "int[]",
            (Scalar::Float, true) => "double[]",
            (Scalar::Hash, true) => "hashcode[]",
            (Scalar::Text, true) => "java.lang.String[]",
        }
    }
}

/// A decimal as an integer of the same order. Both zeros are one.
pub(crate) fn float_key(value: f64) -> i64 {
    let value = if value == 0.0 { 0.0 } else { value };
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The decimal of a key.
pub(crate) fn float_of(key: i64) -> f64 {
    let bits = key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed();
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_order_as_integers_and_come_back() {
        let values = [f64::NEG_INFINITY, -2.5, -1e-9, 0.0, 1e-9, 0.5, 7.0, f64::INFINITY];
        let keys: Vec<i64> = values.iter().map(|value| float_key(*value)).collect();
        assert!(keys.is_sorted());
        let back: Vec<f64> = keys.iter().map(|key| float_of(*key)).collect();
        assert_eq!(back, values);
        assert_eq!(float_key(-0.0), float_key(0.0));
    }

    #[test]
    fn every_representation_is_read_under_its_own_name() {
        for text in ["boolean", "int", "double", "hashcode", "java.lang.String", "int[]"] {
            assert_eq!(Kind::parse(text).map(Kind::name), Some(text));
        }
        assert_eq!(Kind::parse("int[][]"), None);
    }
}
