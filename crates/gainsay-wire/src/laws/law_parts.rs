//! Words that laws choose from where their names are not free: ends, extremes, operators, methods
//! whose meaning a law knows.

law_words! {
    /// Texts and bytes of std that a type may be compared with.
    ForeignText {
        0 = Str "str",
        1 = String "String",
        2 = Bytes "[u8]",
        3 = ByteVec "Vec<u8>",
    }
}

law_words! {
    /// Ends of a sequence.
    SeqEnd {
        0 = First "first",
        1 = Last "last",
    }
}

law_words! {
    /// Queries that find things by a key, an item or a position.
    LookUp {
        0 = Contains "contains",
        1 = ContainsKey "contains_key",
        2 = Get "get",
        3 = GetKeyValue "get_key_value",
        4 = Index "index",
    }
}

law_words! {
    /// Parts of entries that are asked for.
    Sought {
        0 = Key "key",
        1 = Item "item",
    }
}

law_words! {
    /// Queries by which iterators say how many items follow.
    ItemCount {
        0 = Len "len",
        1 = SizeHint "size_hint",
    }
}

law_words! {
    /// Operations that show all items, or one part of each.
    Listing {
        0 = IterMut "iter_mut",
        1 = IntoIter "into_iter",
        2 = Drain "drain",
        3 = IntoVec "into_vec",
        4 = ToVec "to_vec",
        5 = IntoBoxedSlice "into_boxed_slice",
        6 = AsSlice "as_slice",
        7 = AsMutSlice "as_mut_slice",
        8 = Keys "keys",
        9 = IntoKeys "into_keys",
        10 = Values "values",
        11 = ValuesMut "values_mut",
        12 = IntoValues "into_values",
    }
}

/// The part of each item that a listing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemPart {
    /// The item.
    Whole,
    /// Of a pair the first part: keys.
    First,
    /// Of a pair the second part: values.
    Second,
}

impl Listing {
    /// The part of each item that it shows.
    pub fn part(self) -> ItemPart {
        match self {
            Listing::IterMut
            | Listing::IntoIter
            | Listing::Drain
            | Listing::IntoVec
            | Listing::ToVec
            | Listing::IntoBoxedSlice
            | Listing::AsSlice
            | Listing::AsMutSlice => ItemPart::Whole,
            Listing::Keys | Listing::IntoKeys => ItemPart::First,
            Listing::Values | Listing::ValuesMut | Listing::IntoValues => ItemPart::Second,
        }
    }
}

law_words! {
    /// Items that queues may keep at hand, by their order or by that of their second parts.
    Extreme {
        0 = Greatest "greatest",
        1 = Least "least",
        2 = GreatestBySecond "greatest-by-second",
        3 = LeastBySecond "least-by-second",
    }
}

law_words! {
    /// Commands that mean the same on every list.
    ListCommand {
        0 = Truncate "truncate",
        1 = SplitOff "split_off",
        2 = Remove "remove",
        3 = SwapRemove "swap_remove",
        4 = SwapRemoveBack "swap_remove_back",
        5 = Clear "clear",
        6 = Reverse "reverse",
        7 = Reset "reset",
    }
}

law_words! {
    /// Calls whose effect on a list follows from their arguments.
    ListCall {
        0 = Push "push",
        1 = PushBack "push_back",
        2 = PushFront "push_front",
        3 = Insert "insert",
        4 = Extend "extend",
        5 = ExtendFromSlice "extend_from_slice",
        6 = Pop "pop",
        7 = PopBack "pop_back",
        8 = PopFront "pop_front",
        9 = Swap "swap",
    }
}

law_words! {
    /// Commands that add one item.
    AddOne {
        0 = Push "push",
        1 = PushBack "push_back",
        2 = Insert "insert",
    }
}

law_words! {
    /// The contents that conversions keep.
    Kept {
        0 = Items "items",
        1 = Text "text",
    }
}

law_words! {
    /// Ways of calculating that know what to do when a result cannot be had.
    Careful {
        0 = Checked "checked",
        1 = Saturating "saturating",
        2 = Wrapping "wrapping",
    }
}

law_words! {
    /// Operators of two numbers.
    Operator {
        0 = Add "add",
        1 = Sub "sub",
        2 = Mul "mul",
        3 = Div "div",
        4 = Rem "rem",
    }
}

law_words! {
    /// Operations that tell a number as one of the language.
    FloatForm {
        0 = To "to_f64",
        1 = As "as_f64",
        2 = From "f64_from",
        3 = TryFrom "f64_try_from",
    }
}

law_words! {
    /// Comparisons of two types with each other.
    PairComparison {
        0 = Eq "eq",
        1 = PartialCmp "partial_cmp",
    }
}
