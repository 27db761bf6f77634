//! Newtypes for ids, so that one kind of number is never taken for another.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl $crate::Wire for $name {
            fn write_to(&self, out: &mut Vec<u8>) {
                self.0.write_to(out);
            }
            fn read_from(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::Corrupt> {
                <$inner>::read_from(from).map($name)
            }
        }
    };
}

id! {
    /// An operation: its index in the harness's table.
    OpId(u32)
}
id! {
    /// A pool type: its index in the harness's table.
    TypeId(u32)
}
id! {
    /// A contract that workers check on every call.
    ContractId(u32)
}
id! {
    /// An abstract state: digest of a type and the exact vector of its view values.
    StateId(u64)
}
