//! Several changes at once.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, VaultError, VaultPath};

use super::Changed;
use super::draft::Draft;
use super::remembered::{Creation, Remembered};
use crate::error::{ProjectError, Result};
use crate::model::{EntityId, EntityKind, Field};
use crate::workspace::Workspace;

/// Most operations of a batch.
const MOST_OPERATIONS: usize = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub struct BatchOperation {
    /// The caller's name for it. Later operations can use the name of a creation as the id of the new entity.
    pub client_id: String,
    /// What to do.
    pub action: BatchAction,
}

/// What an operation of a batch does. An id may be the `client_id` of an earlier creation, also in `parent`,
/// `depends_on`, `enables`, `supersedes` and `decisions`.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchAction {
    /// As [`Workspace::create`].
    Create {
        kind: EntityKind,
        /// Its fields.
        data: Properties,
        /// The text of its note.
        body: String,
    },
    /// As [`Workspace::update`].
    Update {
        /// The entity.
        id: String,
        /// The fields to change.
        data: Properties,
    },
    /// As [`Workspace::archive`].
    Archive {
        /// The entity.
        id: String,
        /// Whether everything below it is archived, too.
        cascade: bool,
    },
}

/// How a batch is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchOptions {
    /// Whether all operations are made or none, also if the process dies meanwhile. Otherwise those that
    /// fail are left out.
    pub atomic: bool,
    /// The canvas on which new entities are placed.
    pub canvas: Option<VaultPath>,
    /// The caller. Each one has its own client ids.
    pub principal: String,
}

/// What became of a batch, in the order of its operations.
#[derive(Debug)]
pub struct BatchOutcome {
    /// The client id and the result of each operation.
    pub results: Vec<(String, Result<BatchResult>)>,
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchResult {
    /// It created this entity, now or in an earlier batch with the same client id and payload.
    Created(Changed),
    /// It changed this entity.
    Updated(Changed),
    /// It archived these entities, the one that was named first.
    Archived(Vec<Changed>),
}

/// How many operations a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSummary {
    /// All of them.
    pub total: usize,
    /// Those that were made.
    pub succeeded: usize,
    /// Those that were not.
    pub failed: usize,
}

impl BatchOutcome {
    /// How many operations were made.
    pub fn summary(&self) -> BatchSummary {
        let total = self.results.len();
        let succeeded = self.results.iter().filter(|(_, result)| result.is_ok()).count();
        BatchSummary { total, succeeded, failed: total - succeeded }
    }
}

/// What is planned for an operation.
enum Plan {
    /// A new entity.
    Create(EntityId),
    /// An entity that an earlier batch has created.
    Known(Changed),
    Update(EntityId),
    Archive(Vec<EntityId>),
}

/// The operations of a batch, planned one after another.
struct Planning<'b> {
    operations: &'b [BatchOperation],
    /// The results, up to the operation that is planned now.
    planned: Vec<Result<Plan>>,
    /// The operations that change each note.
    authors: HashMap<VaultPath, Vec<usize>>,
    /// The entities by the client ids of their creations; `None` if the creation failed.
    created: HashMap<&'b str, Option<EntityId>>,
}

impl Workspace {
    /// Makes several changes in their order. The results of a failed atomic batch are the errors of its
    /// operations, and [`ProjectError::Aborted`] for the others.
    ///
    /// A creation is remembered by its principal and client id, also after a restart: with the same payload
    /// it returns what the first one returned and changes nothing; with another it is refused.
    ///
    /// # Errors
    /// `InvalidBatch` if client ids cannot tell the operations apart, or there are too many of them;
    /// `Memory`; and those of [`Vault::transaction`](toolwrit_vault::Vault::transaction) that are not about
    /// one note. Nothing is changed then.
    pub fn batch(
        &self,
        operations: &[BatchOperation],
        options: &BatchOptions,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<BatchOutcome> {
        check(operations)?;
        let mut refused: HashMap<usize, ProjectError> = HashMap::new();
        loop {
            let mut planning = Planning::new(operations);
            let made = self.make_changes(now, cancel, |draft| {
                planning = Planning::new(operations);
                let mut memory = self.load_remembered(&options.principal)?;
                planning.plan_all(draft, &memory, &refused);
                if options.atomic && planning.has_failed() {
                    return Err(ProjectError::Aborted);
                }
                if let Some(canvas) = &options.canvas {
                    draft.place_on(canvas);
                }
                memory.record(&planning.creations(draft)?)
            });
            match made {
                Ok((recorded, changed)) => {
                    self.confirm_made(recorded, cancel);
                    return Ok(planning.outcome(refused, |id| changed.get(&id).cloned()));
                }
                Err(ProjectError::Aborted) => return Ok(planning.outcome(refused, |_| None)),
                Err(error) => {
                    let authors = path_of_error(&error).and_then(|path| planning.authors.get(path));
                    let new = authors
                        .into_iter()
                        .flatten()
                        .filter(|author| !refused.contains_key(author));
                    let new: Vec<usize> = new.copied().collect();
                    // The next plan leaves out what cannot be made.
                    let Some((first, others)) = new.split_first() else { return Err(error) };
                    refused.insert(*first, error);
                    refused.extend(others.iter().map(|other| (*other, ProjectError::Aborted)));
                }
            }
        }
    }
}

impl<'b> Planning<'b> {
    fn new(operations: &'b [BatchOperation]) -> Self {
        let (planned, authors, created) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { operations, planned, authors, created }
    }

    fn plan_all(
        &mut self,
        draft: &mut Draft<'_>,
        memory: &Remembered<'_>,
        refused: &HashMap<usize, ProjectError>,
    ) {
        for (number, operation) in self.operations.iter().enumerate() {
            let plan = if refused.contains_key(&number) {
                Err(ProjectError::Aborted)
            } else {
                self.plan(operation, draft, memory)
            };
            match &plan {
                Ok(_) => {
                    for path in draft.keep_pending() {
                        self.authors.entry(path).or_default().push(number);
                    }
                }
                Err(_) => draft.discard_pending(),
            }
            if matches!(operation.action, BatchAction::Create { .. }) {
                let id = match &plan {
                    Ok(Plan::Create(id)) => Some(*id),
                    Ok(Plan::Known(known)) => Some(known.id),
                    _ => None,
                };
                self.created.insert(&operation.client_id, id);
            }
            self.planned.push(plan);
        }
    }

    fn plan(
        &self,
        operation: &BatchOperation,
        draft: &mut Draft<'_>,
        memory: &Remembered<'_>,
    ) -> Result<Plan> {
        match &operation.action {
            BatchAction::Create { kind, data, body } => {
                if let Some(known) = memory.find(&operation.client_id, (*kind, data, body))? {
                    return Ok(Plan::Known(known));
                }
                draft.create(*kind, &self.resolve_ids(data)?, body).map(Plan::Create)
            }
            BatchAction::Update { id, data } => {
                let id = self.resolve_id(id)?;
                draft.update(id, &self.resolve_ids(data)?, None)?;
                Ok(Plan::Update(id))
            }
            BatchAction::Archive { id, cascade } => {
                draft.archive(self.resolve_id(id)?, *cascade, None).map(Plan::Archive)
            }
        }
    }

    /// The id that a text names, also by a client id.
    fn resolve_id(&self, text: &str) -> Result<EntityId> {
        match self.created.get(text) {
            Some(created) => created.ok_or(ProjectError::Aborted),
            None => Ok(EntityId::from_reference(text)?),
        }
    }

    /// Fields with ids in place of client ids.
    fn resolve_ids(&self, data: &Properties) -> Result<Properties> {
        let refers = |name: &str| {
            matches!(
                Field::from_name(name),
                Some(
                    Field::Parent
                        | Field::DependsOn
                        | Field::Enables
                        | Field::Supersedes
                        | Field::Decisions
                )
            )
        };
        let one = |value: &Json| match value.as_str().filter(|text| self.created.contains_key(text))
        {
            Some(client_id) => Ok(Json::String(self.resolve_id(client_id)?.to_string())),
            None => Ok(value.clone()),
        };
        let field = |(name, value): (&String, &Json)| {
            let value = match value {
                Json::Array(items) if refers(name) => {
                    Json::Array(items.iter().map(one).collect::<Result<_>>()?)
                }
                value if refers(name) => one(value)?,
                value => value.clone(),
            };
            Ok((name.clone(), value))
        };
        data.iter().map(field).collect()
    }

    fn has_failed(&self) -> bool {
        self.planned.iter().any(Result::is_err)
    }

    /// The new entities, to be remembered.
    fn creations(&self, draft: &Draft<'_>) -> Result<Vec<Creation<'b>>> {
        let mut creations = Vec::new();
        for (operation, plan) in self.operations.iter().zip(&self.planned) {
            if let (BatchAction::Create { kind, data, body }, Ok(Plan::Create(id))) =
                (&operation.action, plan)
            {
                creations.push(Creation {
                    client_id: &operation.client_id,
                    payload: (*kind, data, body),
                    made: draft.predict_changed(*id)?,
                });
            }
        }
        Ok(creations)
    }

    /// The results, with what was made of each entity.
    fn outcome(
        self,
        mut refused: HashMap<usize, ProjectError>,
        changed: impl Fn(EntityId) -> Option<Changed>,
    ) -> BatchOutcome {
        let result = |(number, plan): (usize, Result<Plan>)| {
            if let Some(error) = refused.remove(&number) {
                return Err(error);
            }
            let one = |id| changed(id).ok_or(ProjectError::Aborted);
            match plan? {
                Plan::Create(id) => one(id).map(BatchResult::Created),
                Plan::Known(known) => Ok(BatchResult::Created(known)),
                Plan::Update(id) => one(id).map(BatchResult::Updated),
                Plan::Archive(ids) => {
                    ids.into_iter().map(one).collect::<Result<_>>().map(BatchResult::Archived)
                }
            }
        };
        let results = self.planned.into_iter().enumerate().map(result);
        let names = self.operations.iter().map(|operation| operation.client_id.clone());
        BatchOutcome { results: names.zip(results).collect() }
    }
}

/// Checks that client ids tell the operations apart.
fn check(operations: &[BatchOperation]) -> Result<()> {
    let refuse = |reason: String| Err(ProjectError::InvalidBatch(reason));
    if operations.len() > MOST_OPERATIONS {
        return refuse(format!(
            "it has {} operations; expected at most {MOST_OPERATIONS}",
            operations.len()
        ));
    }
    let mut seen = HashMap::new();
    for (number, BatchOperation { client_id, action }) in operations.iter().enumerate() {
        if client_id.trim().is_empty() || client_id.chars().count() > 200 {
            return refuse(format!("operation {number} has no client_id of 1 to 200 characters"));
        }
        if let Some(other) = seen.insert(client_id.as_str(), number) {
            return refuse(format!(
                "operations {other} and {number} have the same client_id `{client_id}`"
            ));
        }
        let is_create = matches!(action, BatchAction::Create { .. });
        if is_create && client_id.parse::<EntityId>().is_ok() {
            return refuse(format!(
                "the client_id `{client_id}` of a creation looks like the id of an entity; use another name"
            ));
        }
    }
    Ok(())
}

/// The note that an error is about.
fn path_of_error(error: &ProjectError) -> Option<&VaultPath> {
    match error {
        ProjectError::Vault(
            VaultError::NotPatched { path, .. }
            | VaultError::TooLarge { path, .. }
            | VaultError::NotText { path, .. }
            | VaultError::AlreadyExists { path }
            | VaultError::Conflict { path, .. },
        ) => Some(path),
        _ => None,
    }
}
