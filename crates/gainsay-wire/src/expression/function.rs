//! The functions of the contract language, on numbers, texts, sequences, maps and sets.
//!
//! A map is a sequence of pairs; a set is a sequence whose order and repeats do not matter.

/// Makes the enum, its wire form, and the table of names and numbers of arguments from one list.
macro_rules! functions {
    ($($tag:literal = $variant:ident $name:literal $arity:literal $doc:literal,)*) => {
        /// A function by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $(#[doc = $doc] $variant,)*
        }
        wire_enum!(Function { $($tag = $variant,)* });

        impl Function {
            /// All of them.
            pub const ALL: &'static [Function] = &[$(Function::$variant,)*];

            /// As it is written.
            pub fn name(self) -> &'static str {
                match self { $(Function::$variant => $name,)* }
            }

            /// The number of arguments it takes.
            pub fn arity(self) -> usize {
                match self { $(Function::$variant => $arity,)* }
            }

            /// Its meaning in a few words.
            pub fn meaning(self) -> &'static str {
                match self { $(Function::$variant => $doc,)* }
            }
        }
    };
}

functions! {
    0 = Get "get" 2 "`get(s, i)`: `Some` element at a position, `None` outside",
    1 = First "first" 1 "`first(s)`: `Some` first element, `None` of nothing",
    2 = Last "last" 1 "`last(s)`: `Some` last element, `None` of nothing",
    3 = Contains "contains" 2 "`contains(s, x)`: whether `x` is an element, or a part of a text",
    4 = Count "count" 2 "`count(s, x)`: how often `x` is an element",
    5 = IndexOf "index_of" 2 "`index_of(s, x)`: `Some` first position of `x`, or `None`",
    6 = Reverse "reverse" 1 "`reverse(s)`: backwards",
    7 = Sort "sort" 1 "`sort(s)`: in ascending order",
    8 = Sorted "sorted" 1 "`sorted(s)`: whether in ascending order; equals may follow each other",
    9 = Distinct "distinct" 1 "`distinct(s)`: whether no element comes twice",
    10 = Permutation "permutation" 2 "`permutation(s, t)`: whether the same elements, each as often",
    11 = Subset "subset" 2 "`subset(s, t)`: whether each element of `s` is one of `t`",
    12 = Prefix "prefix" 2 "`prefix(s, t)`: whether `t` begins with `s`",
    13 = Suffix "suffix" 2 "`suffix(s, t)`: whether `t` ends with `s`",
    14 = Subsequence "subsequence" 2 "`subsequence(s, t)`: whether `s` is `t` with elements left out",
    15 = Rotate "rotate" 2 "`rotate(s, n)`: to the left by `n`, to the right when negative; at most the length",
    16 = Swap "swap" 3 "`swap(s, i, j)`: with two elements exchanged",
    17 = Insert "insert" 3 "`insert(s, i, x)`: with `x` at position `i`, the rest moved up",
    18 = Remove "remove" 2 "`remove(s, i)`: without the element at a position",
    19 = Put "put" 3 "`put(s, i, x)`: with the element at a position replaced",
    20 = Repeat "repeat" 2 "`repeat(x, n)`: `n` times `x`",
    21 = Least "least" 1 "`least(s)`: `Some` least element, `None` of nothing",
    22 = Greatest "greatest" 1 "`greatest(s)`: `Some` greatest element, `None` of nothing",
    23 = Sum "sum" 1 "`sum(s)`: of integers",
    24 = Min "min" 2 "`min(a, b)`: the smaller of two values of one kind",
    25 = Max "max" 2 "`max(a, b)`: the greater of two values of one kind",
    26 = Abs "abs" 1 "`abs(a)`: of an integer",
    27 = Cmp "cmp" 2 "`cmp(a, b)`: `Less`, `Equal` or `Greater`",
    28 = Keys "keys" 1 "`keys(m)`: the first of each pair, in order",
    29 = Values "values" 1 "`values(m)`: the second of each pair, in order",
    30 = Lookup "lookup" 2 "`lookup(m, k)`: `Some` second of the first pair with first `k`, or `None`",
    31 = With "with" 3 "`with(m, k, v)`: with the value at key `k` replaced in its place, else `(k, v)` appended",
    32 = Without "without" 2 "`without(s, k)`: without the elements that are `k` or pairs with first `k`",
    33 = Set "set" 1 "`set(s)`: each element once, in ascending order",
    34 = Union "union" 2 "`union(s, t)`: the set of elements of either",
    35 = Intersection "intersection" 2 "`intersection(s, t)`: the set of elements of both",
    36 = Difference "difference" 2 "`difference(s, t)`: the set of elements of `s` that `t` has not",
    37 = Symmetric "symmetric" 2 "`symmetric(s, t)`: the set of elements of exactly one",
    40 = Merge "merge" 2 "`merge(m, t)`: `with` for each pair of `t` in turn",
    41 = SwapRemove "swap_remove" 2 "`swap_remove(s, i)`: without the element at a position, the last one in its place",
    39 = Dedup "dedup" 1 "`dedup(s)`: without elements that equal the one before them",
    38 = Chars "chars" 1 "`chars(t)`: the characters of a text",
}

impl Function {
    /// The function of that name.
    pub fn by_name(name: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|function| function.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_in_the_documentation() {
        let page = include_str!("../../../../docs/contracts.md");
        for function in Function::ALL {
            let row = format!("| {} |", function.meaning());
            assert!(page.contains(&row), "docs/contracts.md lacks: {row}");
            assert!(function.meaning().starts_with(&format!("`{}(", function.name())));
            assert_eq!(Function::by_name(function.name()), Some(*function));
        }
    }
}
