//! A campaign, and the translation between the numbers of its harness and those of the store:
//! harnesses number operations and types anew with each build, the store goes by name.

use std::collections::BTreeMap;

use gainsay_model::api::Subject;
use gainsay_wire::{
    Digest, Manifest, Observation, OpId, Sequence, TypeId, Vocabulary, from_bytes, to_bytes,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    Begun, CampaignId, Store, StoreError, retention::Memory, sqlite::connection::WRITING,
    sqlite::search::Cache,
};

/// The campaign that is under way.
#[derive(Debug)]
pub(crate) struct Campaign {
    pub(crate) id: CampaignId,
    /// The row of the build whose evidence it adds to.
    pub(crate) build: i64,
    pub(crate) manifest: Manifest,
    pub(crate) vocabularies: Vec<Vocabulary>,
    digests: Vec<i64>,
    types: Vec<NamedRow>,
    ops: Vec<NamedRow>,
    type_of: BTreeMap<i64, TypeId>,
    op_of: BTreeMap<i64, OpId>,
    numbered: Numbers,
    queries: BTreeMap<(TypeId, String), i64>,
}

/// A type or an operation of a build.
#[derive(Clone, Copy, Debug)]
struct NamedRow {
    row: i64,
    /// Its name in recipes and observations of the build.
    number: u32,
}

/// Types and operations of a harness by the numbers that recipes of a build use for them.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    types: BTreeMap<u32, TypeId>,
    ops: BTreeMap<u32, OpId>,
}

impl Numbers {
    /// Finds out by name what a harness calls the types and operations of a build.
    pub(crate) fn of_build(
        connection: &Connection,
        build: i64,
        manifest: &Manifest,
    ) -> rusqlite::Result<Numbers> {
        let types = unique_names(manifest.types.iter().map(|ty| &ty.name));
        let ops = unique_names(manifest.ops.iter().map(|op| &op.name));
        Ok(Numbers {
            types: ids_by_number(connection, "type", build, &types, TypeId)?,
            ops: ids_by_number(connection, "operation", build, &ops, OpId)?,
        })
    }

    /// The type of a number, if the harness has it.
    pub(crate) fn type_id(&self, number: u32) -> Option<TypeId> {
        self.types.get(&number).copied()
    }

    /// A stored recipe in the numbers of the harness; `None` when that lacks an operation.
    pub(crate) fn translate(&self, mut recipe: Sequence) -> Option<Sequence> {
        for step in &mut recipe.steps {
            step.op = *self.ops.get(&step.op.0)?;
        }
        Some(recipe)
    }
}

impl Store {
    /// Begins a campaign of the program `0`, for stores that are filled without one. Evidence of
    /// earlier such campaigns on the subject can be found from it as far as its manifest still knows
    /// their operations.
    pub fn begin_campaign(
        &mut self,
        subject: &Subject,
        manifest: &Manifest,
        seed: u64,
    ) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let begun = Begun { subject, manifest, seed, build: 0 };
        let campaign = Campaign::begin(&transaction, &begun)?;
        let memory = Memory::new(campaign.is_first_of_build(&transaction)?);
        transaction.commit()?;
        Ok(self.take_up(campaign, memory))
    }

    /// Takes up the last campaign again, as it was left, to look at it.
    pub fn resume_campaign(&mut self) -> Result<CampaignId, StoreError> {
        let last = "SELECT id FROM campaign ORDER BY id DESC LIMIT 1";
        let found = self.connection.query_row(last, [], |row| row.get(0)).optional()?;
        self.resume(CampaignId(found.ok_or(StoreError::NoCampaign)?))
    }

    /// Takes up the last campaign of a program on a subject again, to look at it; if the program never
    /// ran, the last one on the subject.
    pub fn resume_campaign_of(
        &mut self,
        subject: &Subject,
        program: u64,
    ) -> Result<CampaignId, StoreError> {
        let last = "SELECT campaign.id FROM campaign JOIN build ON build.id = campaign.build
             JOIN subject ON subject.id = build.subject WHERE name = ?1 AND version = ?2
             ORDER BY program = ?3 DESC, campaign.id DESC LIMIT 1";
        // A program that is built anew differs from that of the last run, if only in its paths.
        let key = params![subject.name, subject.version, program.cast_signed()];
        let found = self.connection.query_row(last, key, |row| row.get(0)).optional()?;
        self.resume(CampaignId(found.ok_or(StoreError::NoCampaign)?))
    }

    fn resume(&mut self, id: CampaignId) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let find = "SELECT build, manifest FROM campaign WHERE id = ?1";
        let (build, manifest): (i64, Vec<u8>) =
            transaction.query_row(find, [id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let manifest: Manifest = from_bytes(&manifest)?;
        let campaign = Campaign::with_names(&transaction, id, build, &manifest)?;
        transaction.commit()?;
        Ok(self.take_up(campaign, Memory::new(false)))
    }

    /// The manifest of the campaign's harness, with the queries that took part.
    pub fn manifest(&self) -> Result<&Manifest, StoreError> {
        Ok(&self.campaign()?.manifest)
    }

    pub(crate) fn take_up(&mut self, campaign: Campaign, memory: Memory) -> CampaignId {
        let id = campaign.id;
        self.campaign = Some(campaign);
        self.memory = memory;
        self.cache = Cache::default();
        id
    }
}

impl Campaign {
    pub(crate) fn begin(
        connection: &Connection,
        begun: &Begun<'_>,
    ) -> Result<Campaign, StoreError> {
        let build = find_or_make_build(connection, begun)?;
        let Begun { manifest, seed, .. } = *begun;
        connection.execute(
            "INSERT INTO campaign(build, seed, manifest) VALUES (?1, ?2, ?3)",
            params![build, seed.cast_signed(), to_bytes(manifest)],
        )?;
        let id = CampaignId(connection.last_insert_rowid());
        Campaign::with_names(connection, id, build, manifest)
    }

    /// Finds the rows of everything that the manifest names.
    fn with_names(
        connection: &Connection,
        id: CampaignId,
        build: i64,
        manifest: &Manifest,
    ) -> Result<Campaign, StoreError> {
        let types = unique_names(manifest.types.iter().map(|ty| &ty.name));
        let types = named_rows(connection, "type", build, &types)?;
        let ops = unique_names(manifest.ops.iter().map(|op| &op.name));
        let ops = named_rows(connection, "operation", build, &ops)?;
        // Once for a campaign: each call that is recorded is read by the vocabulary of its operation.
        let vocabularies: Vec<_> =
            (0..).zip(&ops).map(|(i, _)| manifest.vocabulary(OpId(i))).collect();
        let digest = |known: &Vocabulary| Digest::of_bytes(&to_bytes(known)).cast_signed();
        let (type_ids, op_ids) = ((0..).map(TypeId), (0..).map(OpId));
        Ok(Campaign {
            id,
            build,
            digests: vocabularies.iter().map(digest).collect(),
            vocabularies,
            queries: query_rows(connection, manifest, &types)?,
            type_of: type_ids.clone().zip(&types).map(|(id, at)| (at.row, id)).collect(),
            op_of: op_ids.clone().zip(&ops).map(|(id, at)| (at.row, id)).collect(),
            numbered: Numbers {
                types: type_ids.zip(&types).map(|(id, at)| (at.number, id)).collect(),
                ops: op_ids.zip(&ops).map(|(id, at)| (at.number, id)).collect(),
            },
            types,
            ops,
            manifest: manifest.clone(),
        })
    }

    /// True if the build has no other campaign.
    pub(crate) fn is_first_of_build(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let other = "SELECT NOT EXISTS (SELECT 1 FROM campaign WHERE build = ?1 AND id <> ?2)";
        connection.query_row(other, params![self.build, self.id.0], |row| row.get(0))
    }

    /// The rows of all types.
    pub(crate) fn type_rows(&self) -> impl Iterator<Item = i64> + '_ {
        self.types.iter().map(|ty| ty.row)
    }

    /// The rows of all operations.
    pub(crate) fn op_rows(&self) -> impl Iterator<Item = (OpId, i64)> + '_ {
        (0..).map(OpId).zip(self.ops.iter().map(|op| op.row))
    }

    /// The rows of all queries.
    pub(crate) fn query_rows(&self) -> impl Iterator<Item = i64> + '_ {
        self.queries.values().copied()
    }

    /// The row of a type.
    pub(crate) fn type_row(&self, ty: TypeId) -> Result<i64, StoreError> {
        Ok(self.named_type(ty)?.row)
    }

    /// The number of a type in observations.
    pub(crate) fn store_type(&self, ty: TypeId) -> Result<TypeId, StoreError> {
        Ok(TypeId(self.named_type(ty)?.number))
    }

    /// The row of an operation.
    pub(crate) fn op_row(&self, op: OpId) -> Result<i64, StoreError> {
        Ok(self.named_op(op)?.row)
    }

    fn named_type(&self, ty: TypeId) -> Result<NamedRow, StoreError> {
        let unknown = StoreError::Unknown { what: "type", id: ty.0 };
        self.types.get(ty.0 as usize).copied().ok_or(unknown)
    }

    fn named_op(&self, op: OpId) -> Result<NamedRow, StoreError> {
        let unknown = StoreError::Unknown { what: "operation", id: op.0 };
        self.ops.get(op.0 as usize).copied().ok_or(unknown)
    }

    /// The operation of a row, if the harness still has it.
    pub(crate) fn op_of_row(&self, row: i64) -> Option<OpId> {
        self.op_of.get(&row).copied()
    }

    /// The type of a row, if the harness still has it.
    pub(crate) fn type_of_row(&self, row: i64) -> Option<TypeId> {
        self.type_of.get(&row).copied()
    }

    /// The row of a query.
    pub(crate) fn query_row(&self, ty: TypeId, name: &str) -> Option<i64> {
        self.queries.get(&(ty, name.to_owned())).copied()
    }

    /// The vocabulary of an operation.
    pub(crate) fn vocabulary(&self, op: OpId) -> Result<&Vocabulary, StoreError> {
        let unknown = StoreError::Unknown { what: "operation", id: op.0 };
        self.vocabularies.get(op.0 as usize).ok_or(unknown)
    }

    /// A digest of an operation's vocabulary: observations of another one cannot be compared.
    pub(crate) fn vocabulary_digest(&self, op: OpId) -> Result<i64, StoreError> {
        let unknown = StoreError::Unknown { what: "operation", id: op.0 };
        self.digests.get(op.0 as usize).copied().ok_or(unknown)
    }

    /// A recipe with the store's numbers.
    pub(crate) fn store_recipe(&self, recipe: &Sequence) -> Result<Sequence, StoreError> {
        let mut recipe = recipe.clone();
        for step in &mut recipe.steps {
            step.op = OpId(self.named_op(step.op)?.number);
        }
        Ok(recipe)
    }

    /// A stored recipe with the harness's numbers; `None` when it lacks an operation.
    pub(crate) fn load_recipe(&self, recipe: Sequence) -> Option<Sequence> {
        self.numbered.translate(recipe)
    }

    /// An observation with the store's numbers.
    pub(crate) fn store_observation(
        &self,
        observation: &Observation,
    ) -> Result<Observation, StoreError> {
        let mut observation = observation.clone();
        observation.op = OpId(self.named_op(observation.op)?.number);
        for ty in observation.types_mut() {
            *ty = TypeId(self.named_type(*ty)?.number);
        }
        Ok(observation)
    }

    /// A stored observation with the harness's numbers.
    pub(crate) fn load_observation(&self, mut observation: Observation) -> Option<Observation> {
        observation.op = self.numbered.ops.get(&observation.op.0).copied()?;
        for ty in observation.types_mut() {
            *ty = self.numbered.type_id(ty.0)?;
        }
        Some(observation)
    }
}

/// The row of what is run and how it is looked at; made when there is none.
fn find_or_make_build(connection: &Connection, begun: &Begun<'_>) -> rusqlite::Result<i64> {
    let key = params![begun.subject.name, begun.subject.version];
    connection.execute("INSERT OR IGNORE INTO subject(name, version) VALUES (?1, ?2)", key)?;
    let find = "SELECT id FROM subject WHERE name = ?1 AND version = ?2";
    let subject: i64 = connection.query_row(find, key, |row| row.get(0))?;
    let views = views_digest(begun.manifest).cast_signed();
    let key = params![subject, begun.build.cast_signed(), views];
    // Two runs may begin at once: whoever comes second finds the row of the first.
    let insert = "INSERT OR IGNORE INTO build(subject, program, views) VALUES (?1, ?2, ?3)";
    connection.execute(insert, key)?;
    let find = "SELECT id FROM build WHERE subject = ?1 AND program = ?2 AND views = ?3";
    connection.query_row(find, key, |row| row.get(0))
}

/// A digest of the queries that take part. States are digests of their answers: with other queries the
/// same object is in another state, and nothing that was recorded can be compared. The order of types
/// does not count, since the store goes by name.
pub(crate) fn views_digest(manifest: &Manifest) -> u64 {
    let mut views: Vec<Vec<u8>> = Vec::new();
    for ty in &manifest.types {
        let mut bytes = to_bytes(&ty.name);
        bytes.extend(to_bytes(&vec![ty.can_clone, ty.borrows, ty.locks]));
        for query in &ty.queries {
            bytes.extend(to_bytes(&query.name));
            bytes.extend(to_bytes(&query.active));
        }
        views.push(bytes);
    }
    // A build is the same whatever the order in which its harness lists types.
    views.sort();
    Digest::of_bytes(&views.concat())
}

/// Names with a number added to repeats.
fn unique_names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut unique = Vec::new();
    for name in names {
        let count = seen.entry(name).or_default();
        *count += 1;
        // Two instances of one generic callable may be displayed alike.
        unique.push(if *count == 1 { name.clone() } else { format!("{name}#{count}") });
    }
    unique
}

/// The rows of names of a build, made where there are none.
fn named_rows(
    connection: &Connection,
    table: &str,
    build: i64,
    names: &[String],
) -> Result<Vec<NamedRow>, StoreError> {
    let insert = format!(
        "INSERT OR IGNORE INTO {table}(build, number, name)
         VALUES (?1, (SELECT ifnull(max(number), 0) + 1 FROM {table} WHERE build = ?1), ?2)"
    );
    let find = format!("SELECT id, number FROM {table} WHERE build = ?1 AND name = ?2");
    let row = |name: &String| {
        connection.prepare_cached(&insert)?.execute(params![build, name])?;
        let mut find = connection.prepare_cached(&find)?;
        Ok(find.query_row(params![build, name], |found| {
            Ok(NamedRow { row: found.get(0)?, number: found.get(1)? })
        })?)
    };
    names.iter().map(row).collect()
}

fn ids_by_number<T>(
    connection: &Connection,
    table: &str,
    build: i64,
    names: &[String],
    id: fn(u32) -> T,
) -> rusqlite::Result<BTreeMap<u32, T>> {
    let ids: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let find = format!("SELECT number, name FROM {table} WHERE build = ?1");
    let mut statement = connection.prepare(&find)?;
    let rows = statement.query_map([build], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut found = BTreeMap::new();
    for row in rows {
        let (number, name) = row?;
        if let Some(at) = ids.get(name.as_str()) {
            found.insert(number, id(*at));
        }
    }
    Ok(found)
}

fn query_rows(
    connection: &Connection,
    manifest: &Manifest,
    types: &[NamedRow],
) -> Result<BTreeMap<(TypeId, String), i64>, StoreError> {
    let mut rows = BTreeMap::new();
    for ((ty, NamedRow { row, .. }), of) in (0..).map(TypeId).zip(types).zip(&manifest.types) {
        for query in &of.queries {
            let key = params![row, query.name];
            let insert = "INSERT OR IGNORE INTO query(type, name) VALUES (?1, ?2)";
            connection.prepare_cached(insert)?.execute(key)?;
            let find = "SELECT id FROM query WHERE type = ?1 AND name = ?2";
            let id = connection.prepare_cached(find)?.query_row(key, |r| r.get(0))?;
            rows.insert((ty, query.name.clone()), id);
        }
    }
    Ok(rows)
}
