//! The crate that the synthetic pool is about: its types, operations, queries and states. All of it
//! follows from a few numbers, which the evaluation prints.

use gainsay_wire::{
    Digest, Lending, Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, OpId,
    Role, StateId, TypeId, Value,
};

/// As many as the first paper has classes.
pub(super) const TYPES: u32 = 13;
/// Operations of a type: an origin, queries, commands on one, two and three objects. About as many
/// as the paper's classes have routines.
pub(super) const OPS: u32 = 60;
/// Operations of a type that only look.
pub(super) const LOOKS: u32 = 24;
/// Commands on one object.
pub(super) const COMMANDS: u32 = 25;
/// Commands on two objects.
pub(super) const PAIR_COMMANDS: u32 = 8;
/// Commands on three objects.
pub(super) const TRIPLE_COMMANDS: u32 = 2;

/// Queries without an argument.
pub(super) const QUERIES: [&str; 5] = ["is_empty", "off", "sorted", "len", "index"];
/// The same in the form of the paper's tables.
pub(super) const PAPER_QUERIES: [&str; 5] = ["$.is_empty", "$.off", "$.sorted", "$.len", "$.index"];
/// The query on two objects, in both forms.
pub(super) const RELATION: (&str, &str) = ("shares", "$.shares($)");

/// A state of a type by its number: the lists of a length come one after the other, by the place of
/// their cursor, unsorted and sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) ty: u32,
    pub(super) number: u32,
}

impl State {
    /// The answers of [`QUERIES`] as numbers.
    pub(super) fn answers(self) -> [i64; 5] {
        let (mut len, mut left) = (0i64, i64::from(self.number));
        // There are as many places as elements, one before and one behind.
        while left >= 2 * (len + 2) {
            left -= 2 * (len + 2);
            len += 1;
        }
        let (index, sorted) = (left / 2, left % 2);
        let off = index == 0 || index == len + 1;
        [i64::from(len == 0), i64::from(off), sorted, len, index]
    }

    /// The answers as values.
    pub(super) fn values(self) -> Vec<Value> {
        let value = |(at, answer): (usize, i64)| match at {
            0..3 => Value::Bool(answer != 0),
            _ => Value::Int(i128::from(answer)),
        };
        self.answers().into_iter().enumerate().map(value).collect()
    }

    pub(super) fn id(self) -> StateId {
        let [a, b] = [self.ty, self.number].map(u32::to_le_bytes);
        StateId(Digest::of_bytes(&[a, b].concat()))
    }

    /// What [`RELATION`] says of two objects in these states: yes for a quarter.
    pub(super) fn shares(self, other: State) -> bool {
        (self.id().0 ^ other.id().0.rotate_left(17)).is_multiple_of(4)
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Origin,
    Look,
    Command,
    PairCommand,
    TripleCommand,
}

impl Kind {
    /// Its operations among those of a type.
    pub(super) fn range(self) -> std::ops::Range<u32> {
        let looks = 1 + LOOKS;
        let commands = looks + COMMANDS;
        let pairs = commands + PAIR_COMMANDS;
        match self {
            Kind::Origin => 0..1,
            Kind::Look => 1..looks,
            Kind::Command => looks..commands,
            Kind::PairCommand => commands..pairs,
            Kind::TripleCommand => pairs..pairs + TRIPLE_COMMANDS,
        }
    }

    /// How many objects it takes.
    pub(super) fn objects(self) -> usize {
        match self {
            Kind::Origin => 0,
            Kind::Look | Kind::Command => 1,
            Kind::PairCommand => 2,
            Kind::TripleCommand => 3,
        }
    }
}

/// The operation of that number among those of a type.
pub(super) fn op(ty: u32, number: u32) -> OpId {
    OpId(ty * OPS + number)
}

pub(super) fn type_name(ty: u32) -> String {
    format!("List{ty}")
}

pub(super) fn op_name(op: OpId) -> String {
    format!("List{}::op{}", op.0 / OPS, op.0 % OPS)
}

/// All types and operations.
pub(super) fn manifest() -> Manifest {
    let kinds = [Kind::Origin, Kind::Look, Kind::Command, Kind::PairCommand, Kind::TripleCommand];
    let mut ops = Vec::new();
    for ty in 0..TYPES {
        for kind in kinds {
            ops.extend(kind.range().map(|number| operation(ty, kind, number)));
        }
    }
    Manifest { types: (0..TYPES).map(pool_type).collect(), ops }
}

fn pool_type(ty: u32) -> ManifestType {
    let query = |name: &str, param| ManifestQuery { name: name.to_owned(), param, active: true };
    let mut queries: Vec<_> = QUERIES.iter().map(|name| query(name, None)).collect();
    queries.push(query(RELATION.0, Some(ManifestParam::Object(TypeId(ty), Mode::Ref))));
    let name = type_name(ty);
    ManifestType { name, queries, can_clone: true, borrows: false, locks: false }
}

fn operation(ty: u32, kind: Kind, number: u32) -> ManifestOp {
    let own = if kind == Kind::Look { Mode::Ref } else { Mode::Mut };
    let object = |at: usize| {
        let mode = if at == 0 { own } else { Mode::Ref };
        ManifestParam::Object(TypeId(ty), mode)
    };
    let mut params: Vec<_> = (0..kind.objects()).map(object).collect();
    let mut names: Vec<_> =
        ["self", "b", "c"].iter().take(params.len()).map(|name| (*name).to_owned()).collect();
    if kind == Kind::Command {
        params.push(ManifestParam::Plain("u32".into()));
        names.push("value".to_owned());
    }
    ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: op_name(op(ty, number)),
        names,
        params,
        makes: if kind == Kind::Origin { vec![TypeId(ty)] } else { Vec::new() },
        lending: Lending::Inherited,
        role: Role::Command,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn states_are_distinct_and_begin_with_the_empty_list() {
        let states = (0..5_000).map(|number| State { ty: 0, number });
        let answers: BTreeSet<_> = states.clone().map(State::answers).collect();
        assert_eq!(answers.len(), 5_000);
        assert_eq!(State { ty: 0, number: 0 }.answers(), [1, 1, 0, 0, 0]);
        for state in states {
            let [is_empty, off, _, len, index] = state.answers();
            assert_eq!((is_empty == 1, off == 1), (len == 0, index < 1 || index > len));
        }
    }

    #[test]
    fn operations_stand_where_their_kinds_say() {
        let manifest = manifest();
        assert_eq!(manifest.ops.len(), (TYPES * OPS) as usize);
        let triple = op(3, Kind::TripleCommand.range().start);
        let objects = manifest.ops[triple.0 as usize].params.len();
        assert_eq!(objects, Kind::TripleCommand.objects());
        assert_eq!(manifest.ops[triple.0 as usize].name, op_name(triple));
    }
}
