//! What holds for all epochs and runs: the tables, the vocabulary that follows from them and the
//! settings, compiled so that a call needs no look-up by name.

use std::sync::OnceLock;

use gainsay_wire::{
    Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mix, Mode, OpId, Role, Root,
    Settings, Term, TypeId, When,
};

use crate::{
    laws::{Law, laws_of},
    routes::Routes,
    table::{OpEntry, ParamEntry, QueryParam, Tables, TypeEntry},
    watch::Watched,
};

/// Tables, vocabulary and settings.
pub(crate) struct World {
    pub(crate) tables: Tables,
    pub(crate) settings: Settings,
    pub(crate) types: Vec<TypePlan>,
    pub(crate) routes: Routes,
    manifest: Manifest,
    /// Compiled when they are first needed: most processes call few of many operations.
    ops: Vec<OnceLock<OpPlan>>,
    /// The laws of each type, likewise.
    laws: Vec<OnceLock<Vec<Law>>>,
}

/// A type, compiled.
pub(crate) struct TypePlan {
    /// Stands for the type in digests of states: the same in every process.
    pub(crate) digest: u64,
    /// The queries that make up a state, in order.
    pub(crate) state: Vec<NamedQuery>,
    /// Whether values share state with others.
    pub(crate) sharing: bool,
    /// Whether values wait for what they lent.
    pub(crate) locks: bool,
    /// The operation that clones.
    pub(crate) clone_op: Option<OpId>,
    /// The operation that drops.
    pub(crate) drop_op: Option<OpId>,
    /// Operations that make it.
    pub(crate) makers: Vec<OpId>,
    /// Operations of the subject that take it.
    pub(crate) users: Vec<OpId>,
    /// How many makers deep it can be made from nothing; `None` when it cannot.
    pub(crate) rank: Option<u32>,
}

/// A query with its name.
#[derive(Clone, Copy)]
pub(crate) struct NamedQuery {
    pub(crate) name: &'static str,
    pub(crate) query: Query,
}

/// How a view is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// By the entry of this index.
    Entry(usize),
    /// By the type's `==`.
    Equal,
    /// By a digest of the debug text.
    Debug,
}

impl Query {
    /// Its place among the queries of the type in the manifest.
    pub(crate) fn place(self, entry: &TypeEntry) -> usize {
        match self {
            Query::Entry(at) => at,
            Query::Debug => entry.queries.len(),
            Query::Equal => entry.queries.len() + usize::from(has_debug_query(entry)),
        }
    }
}

/// An operation, compiled.
pub(crate) struct OpPlan {
    /// Where the value of each term of the vocabulary comes from.
    pub(crate) terms: Vec<Source>,
    /// Queries with an argument, to be evaluated before the call and again after it.
    pub(crate) before: Vec<Relation>,
    pub(crate) after: Vec<Relation>,
    /// Which of them contracts under watch speak of.
    pub(crate) watched_before: Vec<bool>,
    pub(crate) watched_after: Vec<bool>,
    /// Contracts under watch.
    pub(crate) watched: Vec<Watched>,
    /// What is known to be required before a call.
    pub(crate) required: Vec<Watched>,
}

/// Where a term's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Plain(usize),
    Before(usize, usize),
    After(usize, usize),
    RelationBefore(usize),
    RelationAfter(usize),
    Result,
    Made(u32, usize),
    Nowhere,
}

/// A query of one operand on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) on: usize,
    pub(crate) query: Query,
    pub(crate) with: usize,
}

/// The query that `==` is in views.
pub(crate) const EQUAL: &str = "==";
/// The query that debug text is in views.
pub(crate) const DEBUG: &str = "debug";
/// With fewer other queries, debug text helps to tell states apart.
const FEW_QUERIES: usize = 2;

impl World {
    pub(crate) fn new(tables: Tables, settings: Settings) -> World {
        let manifest = manifest(&tables, &settings.demoted);
        let types = (0..).zip(&tables.types).map(|(i, _)| type_plan(&tables, &manifest, TypeId(i)));
        let (types, routes) = (types.collect(), Routes::default());
        let ops = tables.ops.iter().map(|_| OnceLock::new()).collect();
        let laws = tables.types.iter().map(|_| OnceLock::new()).collect();
        let mut world = World { tables, settings, types, routes, manifest, ops, laws };
        for ty in &world.settings.sharing {
            if let Some(plan) = world.types.get_mut(ty.0 as usize) {
                plan.sharing = true;
            }
        }
        for ty in &world.settings.locking {
            if let Some(plan) = world.types.get_mut(ty.0 as usize) {
                plan.locks = true;
            }
        }
        rank_types(&world.tables, &mut world.types);
        world.routes = Routes::new(&world);
        world
    }

    pub(crate) fn op(&self, op: OpId) -> &OpEntry {
        &self.tables.ops[op.0 as usize]
    }

    pub(crate) fn plan(&self, op: OpId) -> &OpPlan {
        self.ops[op.0 as usize].get_or_init(|| self.op_plan(op))
    }

    /// Whether the operands of an operation can be had at all.
    pub(crate) fn is_feasible(&self, op: OpId) -> bool {
        is_feasible(&self.types, self.op(op))
    }

    /// The operations that contracts under watch speak of, in order.
    pub(crate) fn watched_ops(&self) -> Vec<OpId> {
        let mut ops: Vec<OpId> = self.settings.checks.iter().map(|check| check.op).collect();
        ops.retain(|op| (op.0 as usize) < self.ops.len());
        ops.sort_unstable();
        ops.dedup();
        ops
    }

    pub(crate) fn type_entry(&self, ty: TypeId) -> &TypeEntry {
        &self.tables.types[ty.0 as usize]
    }

    /// The laws of a type.
    pub(crate) fn laws(&self, ty: TypeId) -> &[Law] {
        self.laws[ty.0 as usize].get_or_init(|| laws_of(self, ty))
    }

    pub(crate) fn type_plan(&self, ty: TypeId) -> &TypePlan {
        &self.types[ty.0 as usize]
    }

    /// The query of that name with an argument.
    pub(crate) fn relation(&self, ty: TypeId, name: &str) -> Option<Query> {
        let entry = self.type_entry(ty);
        if name == EQUAL && entry.eq.is_some() {
            return Some(Query::Equal);
        }
        let found = entry.queries.iter().position(|q| q.name == name && q.param.is_some());
        found.map(Query::Entry)
    }

    fn op_plan(&self, op: OpId) -> OpPlan {
        let entry = self.op(op);
        let vocabulary = self.manifest.vocabulary(op);
        let mut plan = OpPlan {
            terms: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            watched_before: Vec::new(),
            watched_after: Vec::new(),
            watched: Watched::compile(&self.settings.checks, op, &vocabulary),
            required: Watched::compile(&self.settings.requires, op, &vocabulary),
        };
        for term in vocabulary.terms() {
            let source = self.source(entry, term, &mut plan).unwrap_or(Source::Nowhere);
            plan.terms.push(source);
        }
        plan.find_watched();
        plan
    }

    fn source(&self, op: &OpEntry, term: &Term, plan: &mut OpPlan) -> Option<Source> {
        let position = |ty: TypeId, name: &str| {
            self.type_plan(ty).state.iter().position(|query| query.name == name)
        };
        match (term.root, &term.query, term.with) {
            (Root::Result, ..) => Some(Source::Result),
            (Root::Operand(i), None, _) => Some(Source::Plain(i as usize)),
            (Root::Made(out), Some(name), _) => {
                let ty = *op.makes.get(out as usize)?;
                Some(Source::Made(out, position(ty, name)?))
            }
            (Root::Made(_), None, _) => None,
            (Root::Operand(i), Some(name), None) => {
                let at = position(operand_type(op, i as usize)?, name)?;
                Some(match term.when {
                    When::Before => Source::Before(i as usize, at),
                    When::After => Source::After(i as usize, at),
                })
            }
            (Root::Operand(i), Some(name), Some(with)) => {
                let query = self.relation(operand_type(op, i as usize)?, name)?;
                let relation = Relation { on: i as usize, query, with: with as usize };
                Some(match term.when {
                    When::Before => Source::RelationBefore(pushed(&mut plan.before, relation)),
                    When::After => Source::RelationAfter(pushed(&mut plan.after, relation)),
                })
            }
        }
    }
}

impl OpPlan {
    /// Finds out which relations contracts under watch speak of.
    fn find_watched(&mut self) {
        self.watched_before = vec![false; self.before.len()];
        self.watched_after = vec![false; self.after.len()];
        for position in self.watched.iter().flat_map(Watched::positions) {
            match self.terms.get(position) {
                Some(Source::RelationBefore(at)) => self.watched_before[*at] = true,
                Some(Source::RelationAfter(at)) => self.watched_after[*at] = true,
                _ => {}
            }
        }
    }
}

fn pushed<T>(items: &mut Vec<T>, item: T) -> usize {
    items.push(item);
    items.len() - 1
}

/// The type of an operand that is an object.
pub(crate) fn operand_type(op: &OpEntry, index: usize) -> Option<TypeId> {
    match op.params.get(index)? {
        ParamEntry::Object { ty, .. } => Some(*ty),
        ParamEntry::Plain { .. } => None,
    }
}

/// The tables as the driver sees them, with the demoted queries switched off.
pub(crate) fn manifest(tables: &Tables, demoted: &[(TypeId, String)]) -> Manifest {
    let types = (0..).zip(&tables.types).map(|(i, ty)| manifest_type(TypeId(i), ty)).collect();
    let ops = tables.ops.iter().map(manifest_op).collect();
    let mut manifest = Manifest { types, ops };
    manifest.settle(demoted, &[]);
    manifest
}

fn manifest_type(id: TypeId, ty: &TypeEntry) -> ManifestType {
    let query = |name: &str, param| ManifestQuery { name: name.to_owned(), param, active: true };
    let mut queries: Vec<ManifestQuery> = ty
        .queries
        .iter()
        .map(|entry| query(entry.name, entry.param.as_ref().map(manifest_query_param)))
        .collect();
    if has_debug_query(ty) {
        queries.push(query(DEBUG, None));
    }
    if ty.eq.is_some() && !queries.iter().any(|query| query.name == EQUAL) {
        queries.push(query(EQUAL, Some(ManifestParam::Object(id, Mode::Ref))));
    }
    ManifestType {
        name: ty.name.to_owned(),
        queries,
        can_clone: ty.clone.is_some(),
        borrows: ty.borrows,
        locks: false,
    }
}

fn has_debug_query(ty: &TypeEntry) -> bool {
    let unary = ty.queries.iter().filter(|query| query.param.is_none());
    ty.debug.is_some()
        && unary.count() < FEW_QUERIES
        && !ty.queries.iter().any(|query| query.name == DEBUG)
}

fn manifest_query_param(param: &QueryParam) -> ManifestParam {
    match param {
        QueryParam::Object(ty) => ManifestParam::Object(*ty, Mode::Ref),
        QueryParam::Plain(key) => ManifestParam::Plain(key.to_type()),
    }
}

fn manifest_op(op: &OpEntry) -> ManifestOp {
    let param = |param: &ParamEntry| match param {
        ParamEntry::Object { ty, mode } => ManifestParam::Object(*ty, *mode),
        ParamEntry::Plain { key, .. } => ManifestParam::Plain(key.to_type()),
    };
    ManifestOp {
        id: op.id.to_id(),
        name: op.name.to_owned(),
        names: op.names.iter().map(|name| (*name).to_owned()).collect(),
        params: op.params.iter().map(param).collect(),
        makes: op.makes.clone(),
        lending: op.lending,
        role: op.role,
    }
}

fn type_plan(tables: &Tables, manifest: &Manifest, ty: TypeId) -> TypePlan {
    let entry = &tables.types[ty.0 as usize];
    let state = manifest.state_queries(ty).filter_map(|query| {
        let unary = |q: &&crate::table::QueryEntry| q.name == query.name && q.param.is_none();
        let at = entry.queries.iter().position(|q| unary(&q));
        match at {
            Some(at) => Some(NamedQuery { name: entry.queries[at].name, query: Query::Entry(at) }),
            None => {
                (query.name == DEBUG).then_some(NamedQuery { name: DEBUG, query: Query::Debug })
            }
        }
    });
    TypePlan {
        digest: Mix::of_bytes(entry.name.as_bytes()),
        state: state.collect(),
        sharing: false,
        locks: false,
        clone_op: find_op(tables, |op| is_clone(op, ty)),
        drop_op: find_op(tables, |op| op.role == Role::Drop && operand_type(op, 0) == Some(ty)),
        makers: op_ids(tables).filter(|op| makes(tables, *op, ty)).collect(),
        users: op_ids(tables).filter(|op| takes(&tables.ops[op.0 as usize], ty)).collect(),
        rank: None,
    }
}

fn takes(op: &OpEntry, ty: TypeId) -> bool {
    let of_type =
        |param: &ParamEntry| matches!(param, ParamEntry::Object { ty: of, .. } if *of == ty);
    op.role != Role::Drop && op.params.iter().any(of_type)
}

fn op_ids(tables: &Tables) -> impl Iterator<Item = OpId> {
    (0..u32::try_from(tables.ops.len()).unwrap_or(0)).map(OpId)
}

fn makes(tables: &Tables, op: OpId, ty: TypeId) -> bool {
    tables.ops[op.0 as usize].makes.contains(&ty)
}

fn find_op(tables: &Tables, want: impl Fn(&OpEntry) -> bool) -> Option<OpId> {
    op_ids(tables).find(|op| want(&tables.ops[op.0 as usize]))
}

fn is_clone(op: &OpEntry, ty: TypeId) -> bool {
    let by_ref =
        matches!(op.params[..], [ParamEntry::Object { ty: of, mode: Mode::Ref }] if of == ty);
    by_ref && op.function() == "clone" && op.makes == [ty]
}

/// Finds out for each type how many makers deep it can be made from nothing.
fn rank_types(tables: &Tables, types: &mut [TypePlan]) {
    for rank in 0.. {
        let ready = |op: &&OpEntry| is_feasible(types, op);
        let made: Vec<TypeId> =
            tables.ops.iter().filter(ready).flat_map(|op| op.makes.iter().copied()).collect();
        let mut grown = false;
        for ty in made {
            let plan = &mut types[ty.0 as usize];
            grown |= plan.rank.is_none();
            plan.rank.get_or_insert(rank);
        }
        if !grown {
            return;
        }
    }
}

fn is_feasible(types: &[TypePlan], op: &OpEntry) -> bool {
    op.params.iter().all(|param| match param {
        ParamEntry::Plain { .. } => true,
        ParamEntry::Object { mode, .. } if mode.is_optional() => true,
        ParamEntry::Object { ty, .. } => types[ty.0 as usize].rank.is_some(),
    })
}
