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
    pub(crate) manifest: Manifest,
    pub(crate) vocabularies: Vec<Vocabulary>,
    digests: Vec<i64>,
    types: Vec<i64>,
    ops: Vec<i64>,
    type_of: BTreeMap<i64, TypeId>,
    op_of: BTreeMap<i64, OpId>,
    queries: BTreeMap<(TypeId, String), i64>,
}

impl Store {
    /// Begins a campaign. Objects of earlier campaigns on the same subject can be found from it
    /// as far as its manifest still knows their operations.
    pub fn begin_campaign(
        &mut self,
        subject: &Subject,
        manifest: &Manifest,
        seed: u64,
    ) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM campaign)";
        let began_empty = transaction.query_row(is_empty, [], |row| row.get(0))?;
        let begun = Begun { subject, manifest, seed, build: 0 };
        let campaign = Campaign::begin(&transaction, &begun)?;
        transaction.commit()?;
        Ok(self.take_up(campaign, Memory::new(began_empty)))
    }

    /// Takes up the last campaign again, as it was left, to look at it.
    pub fn resume_campaign(&mut self) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let last = "SELECT id, subject, manifest FROM campaign ORDER BY id DESC LIMIT 1";
        let found = transaction.query_row(last, [], |row| {
            Ok((CampaignId(row.get(0)?), row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?))
        });
        let (id, subject, manifest) = found.optional()?.ok_or(StoreError::NoCampaign)?;
        let manifest: Manifest = from_bytes(&manifest)?;
        let campaign = Campaign::named(&transaction, id, subject, &manifest)?;
        transaction.commit()?;
        Ok(self.take_up(campaign, Memory::new(false)))
    }

    /// What the harness of the campaign offered, with the queries that took part.
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
        let Begun { subject, manifest, seed, build } = *begun;
        let key = params![subject.name, subject.version];
        connection.execute("INSERT OR IGNORE INTO subject(name, version) VALUES (?1, ?2)", key)?;
        let find = "SELECT id FROM subject WHERE name = ?1 AND version = ?2";
        let subject: i64 = connection.query_row(find, key, |row| row.get(0))?;
        connection.execute(
            "INSERT INTO campaign(subject, seed, manifest, build) VALUES (?1, ?2, ?3, ?4)",
            params![subject, seed.cast_signed(), to_bytes(manifest), build.cast_signed()],
        )?;
        let id = CampaignId(connection.last_insert_rowid());
        Campaign::named(connection, id, subject, manifest)
    }

    /// Finds the rows of everything that the manifest names.
    fn named(
        connection: &Connection,
        id: CampaignId,
        subject: i64,
        manifest: &Manifest,
    ) -> Result<Campaign, StoreError> {
        let types = unique(manifest.types.iter().map(|ty| &ty.name));
        let types = named(connection, "type", subject, &types)?;
        let ops = unique(manifest.ops.iter().map(|op| &op.name));
        let ops = named(connection, "operation", subject, &ops)?;
        let vocabularies: Vec<_> =
            (0..).zip(&ops).map(|(i, _)| manifest.vocabulary(OpId(i))).collect();
        let digest = |known: &Vocabulary| Digest::of(&to_bytes(known)).cast_signed();
        Ok(Campaign {
            id,
            digests: vocabularies.iter().map(digest).collect(),
            vocabularies,
            queries: queries(connection, manifest, &types)?,
            type_of: (0..).map(TypeId).zip(&types).map(|(i, row)| (*row, i)).collect(),
            op_of: (0..).map(OpId).zip(&ops).map(|(i, row)| (*row, i)).collect(),
            types,
            ops,
            manifest: manifest.clone(),
        })
    }

    /// The rows of all types.
    pub(crate) fn type_rows(&self) -> impl Iterator<Item = i64> + '_ {
        self.types.iter().copied()
    }

    /// The rows of all operations.
    pub(crate) fn op_rows(&self) -> impl Iterator<Item = (OpId, i64)> + '_ {
        (0..).map(OpId).zip(self.ops.iter().copied())
    }

    /// The rows of all queries.
    pub(crate) fn query_rows(&self) -> impl Iterator<Item = i64> + '_ {
        self.queries.values().copied()
    }

    /// The row of a type.
    pub(crate) fn type_row(&self, ty: TypeId) -> Result<i64, StoreError> {
        let unknown = StoreError::Unknown { what: "type", id: ty.0 };
        self.types.get(ty.0 as usize).copied().ok_or(unknown)
    }

    /// The row of an operation.
    pub(crate) fn op_row(&self, op: OpId) -> Result<i64, StoreError> {
        let unknown = StoreError::Unknown { what: "operation", id: op.0 };
        self.ops.get(op.0 as usize).copied().ok_or(unknown)
    }

    /// The operation of a row, if the harness still has it.
    pub(crate) fn op(&self, row: i64) -> Option<OpId> {
        self.op_of.get(&row).copied()
    }

    /// The type of a row, if the harness still has it.
    pub(crate) fn ty(&self, row: i64) -> Option<TypeId> {
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
    pub(crate) fn stored(&self, recipe: &Sequence) -> Result<Sequence, StoreError> {
        let mut recipe = recipe.clone();
        for step in &mut recipe.steps {
            step.op = OpId(narrow(self.op_row(step.op)?));
        }
        Ok(recipe)
    }

    /// A stored recipe with the harness's numbers; `None` when it lacks an operation.
    pub(crate) fn loaded(&self, mut recipe: Sequence) -> Option<Sequence> {
        for step in &mut recipe.steps {
            step.op = self.op(i64::from(step.op.0))?;
        }
        Some(recipe)
    }

    /// An observation with the store's numbers.
    pub(crate) fn stored_observation(
        &self,
        observation: &Observation,
    ) -> Result<Observation, StoreError> {
        let mut observation = observation.clone();
        observation.op = OpId(narrow(self.op_row(observation.op)?));
        let types = observation.objects.iter_mut().map(|object| &mut object.ty);
        for ty in types.chain(observation.made.iter_mut().map(|(ty, _)| ty)) {
            *ty = TypeId(narrow(self.type_row(*ty)?));
        }
        Ok(observation)
    }

    /// A stored observation with the harness's numbers.
    pub(crate) fn loaded_observation(&self, mut observation: Observation) -> Option<Observation> {
        observation.op = self.op(i64::from(observation.op.0))?;
        let types = observation.objects.iter_mut().map(|object| &mut object.ty);
        for ty in types.chain(observation.made.iter_mut().map(|(ty, _)| ty)) {
            *ty = self.ty(i64::from(ty.0))?;
        }
        Some(observation)
    }
}

/// Row numbers as harness numbers; a store has far fewer operations than that.
fn narrow(row: i64) -> u32 {
    u32::try_from(row).expect("rows of names are few")
}

/// Names with a number added to repeats.
pub(crate) fn unique<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut unique = Vec::new();
    for name in names {
        let count = seen.entry(name).or_default();
        *count += 1;
        unique.push(if *count == 1 { name.clone() } else { format!("{name}#{count}") });
    }
    unique
}

fn named(
    connection: &Connection,
    table: &str,
    subject: i64,
    names: &[String],
) -> Result<Vec<i64>, StoreError> {
    let insert = format!("INSERT OR IGNORE INTO {table}(subject, name) VALUES (?1, ?2)");
    let find = format!("SELECT id FROM {table} WHERE subject = ?1 AND name = ?2");
    let row = |name: &String| {
        connection.prepare_cached(&insert)?.execute(params![subject, name])?;
        Ok(connection.prepare_cached(&find)?.query_row(params![subject, name], |r| r.get(0))?)
    };
    names.iter().map(row).collect()
}

fn queries(
    connection: &Connection,
    manifest: &Manifest,
    types: &[i64],
) -> Result<BTreeMap<(TypeId, String), i64>, StoreError> {
    let mut rows = BTreeMap::new();
    for ((ty, row), of) in (0..).map(TypeId).zip(types).zip(&manifest.types) {
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
