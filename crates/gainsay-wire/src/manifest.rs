//! The tables of a harness, as its worker tells them to the driver at the start, and the vocabulary
//! that follows from them. Both sides compute vocabularies here, so they always agree.

use crate::{InstanceId, Names, PlainType, Root, Term, TypeId, Vocabulary, When};

/// The tables of a harness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Pool types; the index is the [`TypeId`].
    pub types: Vec<ManifestType>,
    /// Operations; the index is the [`crate::OpId`].
    pub ops: Vec<ManifestOp>,
}
wire_struct!(Manifest { types, ops });

/// A pool type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestType {
    /// As written in code.
    pub name: String,
    /// Its views.
    pub queries: Vec<ManifestQuery>,
    /// True if values can be cloned.
    pub can_clone: bool,
    /// True if values refer to other objects.
    pub borrows: bool,
    /// True if calls wait for what was lent: calibration found out that guards lock it.
    pub locks: bool,
}
wire_struct!(ManifestType { name, queries, can_clone, borrows, locks });

/// A view of a type: a query with no argument or with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestQuery {
    /// The method's name; `==` and `seq` are made up.
    pub name: String,
    /// The argument, if it takes one.
    pub param: Option<ManifestParam>,
    /// True while it takes part. Calibration switches off what is impure, slow or random.
    pub active: bool,
}
wire_struct!(ManifestQuery { name, param, active });

/// An operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestOp {
    /// Its identity, the same in every build, version and process.
    pub id: InstanceId,
    /// The path for people, with the instantiation where it matters.
    pub name: String,
    /// Parameter names.
    pub names: Vec<String>,
    /// Parameter kinds, as many.
    pub params: Vec<ManifestParam>,
    /// Types of the objects that it can make, in order.
    pub makes: Vec<TypeId>,
    /// The sources that borrowing objects which it makes or changes refer to afterwards.
    pub lending: Lending,
    /// Its relation to an object.
    pub role: Role,
}
wire_struct!(ManifestOp { id, name, names, params, makes, lending, role });

/// The sources of a borrow: objects that others, which a call made or changed, refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lending {
    /// Those that the operands refer to themselves: `fn next(&mut self) -> Option<&'a T>`.
    #[default]
    Inherited,
    /// The operands passed by reference, too: `fn iter(&self) -> Iter<'_, T>`. Such an operation
    /// takes them so that they outlive the call.
    Operands,
}
wire_enum!(Lending { 0 = Inherited, 1 = Operands });

/// The relation of an operation to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A function without a receiver.
    #[default]
    Origin,
    /// A method with `&self`.
    Query,
    /// A method with `&mut self`.
    Command,
    /// A method with `self`.
    Consumer,
    /// A struct, a variant or a constant, written down.
    Constructor,
    /// A field that a pattern takes out of a value.
    Part,
    /// The end of its only parameter; there is one per pool type.
    Drop,
}
wire_enum!(Role {
    0 = Origin,
    1 = Query,
    2 = Command,
    3 = Consumer,
    4 = Constructor,
    5 = Part,
    6 = Drop,
});

/// The kind of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestParam {
    /// An object of the pool.
    Object(TypeId, Mode),
    /// A plain value of this type.
    Plain(PlainType),
}
wire_enum!(ManifestParam { 0 = Object(ty, mode), 1 = Plain(ty) });

/// The form in which an object is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `&T`
    Ref,
    /// `&mut T`
    Mut,
    /// `T`
    Own,
    /// `Option<&T>`; `None` is possible.
    OptRef,
    /// `Option<T>`; `None` is possible.
    OptOwn,
}
wire_enum!(Mode { 0 = Ref, 1 = Mut, 2 = Own, 3 = OptRef, 4 = OptOwn });

impl Mode {
    /// True if the parameter can do without an object.
    pub fn is_optional(self) -> bool {
        matches!(self, Mode::OptRef | Mode::OptOwn)
    }

    /// True if the object is gone after the call.
    pub fn consumes(self) -> bool {
        matches!(self, Mode::Own | Mode::OptOwn)
    }

    /// True if nothing else may refer to the object during the call.
    pub fn is_exclusive(self) -> bool {
        self.consumes() || self == Mode::Mut
    }
}

impl ManifestOp {
    // Laws, searches and examples go by it. It was taken out of the display name once, which went wrong
    // where the name of an instance held paths of its own.
    /// The function's own name, without the place it is written in and without the instantiation.
    pub fn function_name(&self) -> &str {
        &self.id.callable.name
    }

    /// The operands' names.
    pub fn operand_names(&self) -> Names {
        let is_object = |param: &ManifestParam| matches!(param, ManifestParam::Object(..));
        Names::new(self.names.iter().cloned().zip(self.params.iter().map(is_object)))
    }
}

impl Manifest {
    /// Settles the vocabulary as calibration found: these queries no longer take part, these types
    /// lock.
    // Driver and worker both do it, each with its own copy of the tables: were one to leave out a
    // query that the other keeps, values would be read at the places of other terms.
    pub fn settle(&mut self, demoted: &[(TypeId, String)], locking: &[TypeId]) {
        for (ty, name) in demoted {
            let queries = self.types.get_mut(ty.0 as usize).map(|ty| &mut ty.queries);
            for query in queries.into_iter().flatten().filter(|query| query.name == *name) {
                query.active = false;
            }
        }
        for ty in locking {
            if let Some(ty) = self.types.get_mut(ty.0 as usize) {
                ty.locks = true;
            }
        }
    }

    /// The terms of an operation: plain arguments, then per object operand its views, then views
    /// of one operand on another, before and after; then the result and the views of what was
    /// made.
    pub fn vocabulary(&self, op: crate::OpId) -> Vocabulary {
        let Some(op) = self.ops.get(op.0 as usize) else { return Vocabulary::default() };
        let mut terms = Vec::new();
        for (i, param) in with_indices(&op.params) {
            if let ManifestParam::Plain(_) = param {
                terms.push(Term::operand(i));
            }
        }
        // The order is part of the protocol: values are sent without the names of their terms.
        for when in [When::Before, When::After] {
            self.views_of_operands(op, when, &mut terms);
        }
        terms.push(Term::result());
        for (made, ty) in with_indices(&op.makes) {
            for query in self.state_queries(*ty) {
                terms.push(Term {
                    when: When::After,
                    root: Root::Made(made),
                    query: Some(query.name.clone()),
                    with: None,
                });
            }
        }
        Vocabulary::new(terms)
    }

    /// The active argument-less queries of a type: their values are an object's state.
    pub fn state_queries(&self, ty: TypeId) -> impl Iterator<Item = &ManifestQuery> {
        self.active_queries(ty).filter(|query| query.param.is_none())
    }

    /// The active queries of a type.
    pub fn active_queries(&self, ty: TypeId) -> impl Iterator<Item = &ManifestQuery> {
        let queries = self.types.get(ty.0 as usize).map_or(&[][..], |ty| &ty.queries);
        queries.iter().filter(|query| query.active)
    }

    fn views_of_operands(&self, op: &ManifestOp, when: When, terms: &mut Vec<Term>) {
        let objects = with_indices(&op.params).filter_map(|(i, param)| match param {
            ManifestParam::Object(ty, mode) => Some((i, *ty, *mode)),
            ManifestParam::Plain(_) => None,
        });
        let objects: Vec<_> =
            // What a call consumed has no state after it.
            objects.filter(|(_, _, mode)| when == When::Before || !mode.consumes()).collect();
        for &(i, ty, _) in &objects {
            for query in self.state_queries(ty) {
                terms.push(Term::query(when, i, &query.name));
            }
        }
        for &(i, ty, _) in &objects {
            for query in self.active_queries(ty) {
                let Some(wanted) = &query.param else { continue };
                for (j, given) in with_indices(&op.params) {
                    let gone = when == When::After
                        && matches!(given, ManifestParam::Object(_, mode) if mode.consumes());
                    // A relation of an operand to itself says next to nothing.
                    if i != j && !gone && is_accepted(wanted, given) {
                        terms.push(Term::relation(when, i, &query.name, j));
                    }
                }
            }
        }
    }
}

/// True if an operand can be a query's argument.
fn is_accepted(wanted: &ManifestParam, given: &ManifestParam) -> bool {
    match (wanted, given) {
        (ManifestParam::Object(a, _), ManifestParam::Object(b, _)) => a == b,
        (ManifestParam::Plain(a), ManifestParam::Plain(b)) => a == b,
        _ => false,
    }
}

fn with_indices<T>(items: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0..).zip(items)
}
