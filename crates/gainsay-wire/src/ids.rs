//! Identities: numbers of a run as newtypes, so that one kind is never taken for another, and names
//! of callables that outlast a run.

use std::fmt;

// A macro and not one generic type: an `OpId` in a place of a `TypeId` is then an error that names
// both.
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

/// The place that a callable is written in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A free function's module, by public path.
    Module(String),
    /// A type by public path, with the arguments that the impl block fixes: those that are its own
    /// parameters are left out, since a version may rename them.
    Type(String),
}
wire_enum!(Owner { 0 = Module(path), 1 = Type(path) });

impl Default for Owner {
    fn default() -> Owner {
        Owner::Module(String::new())
    }
}

/// A public callable of the subject before any type is filled in: the same in every build, version
/// and process. Nothing parses its printed form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId {
    /// The place that it is written in.
    pub owner: Owner,
    /// Public path of the trait that it is a method of, with the arguments that the impl block
    /// fixes; `None` for an inherent method.
    pub in_trait: Option<String>,
    /// The function's own name. Of a constructor the name of the struct, variant or constant, of a
    /// part that and the field's.
    pub name: String,
}
wire_struct!(CallableId { owner, in_trait, name });

// Kept beside the display name: that is unique in one harness only, and its suffixes depend on which
// other instances there are.
/// A callable with all types concrete: what a harness has an operation for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// The callable.
    pub callable: CallableId,
    /// Its concrete types as written in code: the arguments of the type that it belongs to, of its
    /// trait and of itself, then those of its parameters.
    // The arguments alone do not tell instances apart: `impl Trait` parameters have no name.
    pub arguments: Vec<String>,
}
wire_struct!(InstanceId { callable, arguments });

impl From<CallableId> for InstanceId {
    /// The only instance of a callable that nothing has to be filled in of.
    fn from(callable: CallableId) -> InstanceId {
        InstanceId { callable, arguments: Vec::new() }
    }
}

impl CallableId {
    /// An inherent method of a type.
    pub fn method(owner: impl Into<String>, name: impl Into<String>) -> CallableId {
        CallableId { owner: Owner::Type(owner.into()), in_trait: None, name: name.into() }
    }

    /// A free function of a module.
    pub fn function(module: impl Into<String>, name: impl Into<String>) -> CallableId {
        CallableId { owner: Owner::Module(module.into()), in_trait: None, name: name.into() }
    }
}

impl fmt::Display for CallableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CallableId { owner, in_trait, name } = self;
        match (owner, in_trait) {
            (Owner::Module(path) | Owner::Type(path), None) => write!(f, "{path}::{name}"),
            (Owner::Module(path) | Owner::Type(path), Some(of)) => {
                write!(f, "<{path} as {of}>::{name}")
            }
        }
    }
}
