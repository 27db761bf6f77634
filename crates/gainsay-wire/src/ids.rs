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

/// A public callable of the subject before any type is filled in: the same in every build, version
/// and process. Nothing parses its printed form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId {
    /// Public path of the type that it belongs to, as its impl block names it; `None` for a free
    /// function.
    pub owner: Option<String>,
    /// Path of the trait that it is a method of, with the arguments that the impl block gives it.
    pub in_trait: Option<String>,
    /// The function's own name; the whole public path of a free function.
    pub name: String,
}
wire_struct!(CallableId { owner, in_trait, name });

/// A callable with all types concrete: what a harness has an operation for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// The callable.
    pub callable: CallableId,
    /// The types that its parameters stand for, as written in code and in their order; empty where
    /// there are none.
    pub arguments: Vec<String>,
}
wire_struct!(InstanceId { callable, arguments });
