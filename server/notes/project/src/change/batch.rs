//! Several changes at once.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, VaultError, VaultPath};

use super::Changed;
use super::draft::Draft;
use super::items::{ADD_TO, REMOVE_FROM};
use super::operation::{BatchAction, BatchOperation, BatchOptions, BatchOutcome, BatchResult};
use super::remembered::{Creation, Remembered};
use crate::error::{ProjectError, Result};
use crate::model::{EntityId, Field};
use crate::workspace::Workspace;

/// Most operations of a batch.
const MOST_OPERATIONS: usize = 1_000;

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
    operations: Vec<&'b BatchOperation>,
    /// The positions of all operations among those that are made.
    positions: Vec<usize>,
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
    /// A creation is remembered by its principal, batch and client id, also after a restart: with the same payload it
    /// returns the entity and changes nothing; with another it is refused. If the entity is gone, it is created anew.
    ///
    /// # Errors
    /// `InvalidBatch` if there are too many operations; `Memory`; and those of [`Vault::transaction`](toolwrit_vault::Vault::transaction) that are not about
    /// one note. Nothing is changed then.
    pub fn batch(
        &self,
        operations: &[BatchOperation],
        options: &BatchOptions,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<BatchOutcome> {
        if operations.len() > MOST_OPERATIONS {
            let reason = format!(
                "it has {} operations; expected at most {MOST_OPERATIONS}",
                operations.len()
            );
            return Err(ProjectError::InvalidBatch(reason));
        }
        let mut refused: HashMap<usize, ProjectError> = HashMap::new();
        loop {
            let mut planning = Planning::new(operations);
            let made = self.make_changes(now, cancel, |draft| {
                planning = Planning::new(operations);
                let batch = options.batch_id.as_deref();
                let mut memory = self.load_remembered(&options.principal, batch, now)?;
                planning.plan_all(draft, &memory, &refused);
                if options.atomic && planning.has_failed() {
                    return Err(ProjectError::Aborted);
                }
                draft.plan_canvas(&options.canvas);
                memory.record(&planning.creations(draft)?)
            });
            match made {
                Ok((recorded, changed)) => {
                    self.confirm_made(recorded, now, cancel);
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
    fn new(all: &'b [BatchOperation]) -> Self {
        let mut first: HashMap<&str, usize> = HashMap::new();
        let (mut operations, mut positions) = (Vec::new(), Vec::with_capacity(all.len()));
        for operation in all {
            let position = *first.entry(&operation.client_id).or_insert(operations.len());
            if position == operations.len() {
                operations.push(operation);
            }
            positions.push(position);
        }
        let (planned, authors, created) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { operations, positions, planned, authors, created }
    }

    fn plan_all(
        &mut self,
        draft: &mut Draft<'_>,
        memory: &Remembered<'_>,
        refused: &HashMap<usize, ProjectError>,
    ) {
        for (number, operation) in self.operations.clone().into_iter().enumerate() {
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
        check_client_id(operation, draft)?;
        match &operation.action {
            BatchAction::Create { kind, data, body } => {
                let payload = (*kind, data, body.as_str());
                if let Some(known) = memory.find(&operation.client_id, payload, draft.project)? {
                    return Ok(Plan::Known(known));
                }
                draft.create(*kind, &self.resolve_ids(data, draft)?, body).map(Plan::Create)
            }
            BatchAction::Update { id, data } => {
                let id = self.resolve_id(id, draft)?;
                draft.update(id, &self.resolve_ids(data, draft)?, None)?;
                Ok(Plan::Update(id))
            }
            BatchAction::Archive { id, cascade } => {
                draft.archive(self.resolve_id(id, draft)?, *cascade, None).map(Plan::Archive)
            }
            BatchAction::Invalid { field, reason } => {
                Err(ProjectError::InvalidField { field: field.clone(), reason: reason.clone() })
            }
        }
    }

    /// The entity of an earlier operation that a text names, by its client id or its position.
    fn find_earlier(&self, text: &str) -> Option<Result<EntityId>> {
        if let Some(created) = self.created.get(text) {
            return Some(created.ok_or(ProjectError::Aborted));
        }
        let position: usize = text.strip_prefix('$')?.parse().ok()?;
        let plan = self.positions.get(position).and_then(|at| self.planned.get(*at));
        Some(match plan {
            Some(Ok(Plan::Create(id) | Plan::Update(id))) => Ok(*id),
            Some(Ok(Plan::Known(known))) => Ok(known.id),
            Some(Ok(Plan::Archive(ids))) => ids.first().copied().ok_or(ProjectError::Aborted),
            Some(Err(_)) => Err(ProjectError::Aborted),
            None => {
                let reason = format!("`{text}` is no earlier operation; the first one is `$0`");
                Err(ProjectError::InvalidField { field: "id".to_owned(), reason })
            }
        })
    }

    /// The id that a text names, also by an earlier operation.
    fn resolve_id(&self, text: &str, draft: &Draft<'_>) -> Result<EntityId> {
        match self.find_earlier(text) {
            Some(earlier) => earlier,
            None => draft.find_id(text),
        }
    }

    /// Fields with ids in place of client ids.
    fn resolve_ids(&self, data: &Properties, draft: &Draft<'_>) -> Result<Properties> {
        let refers = |name: &str| {
            let field = draft.project.words().field(name);
            field.is_some_and(Field::is_reference)
        };
        let one = |value: &Json| match value.as_str().and_then(|text| self.find_earlier(text)) {
            Some(earlier) => Ok(Json::String(earlier?.to_string())),
            None => Ok(value.clone()),
        };
        let field = |(name, value): (&String, &Json)| {
            let value = match value {
                Json::Object(lists) if [ADD_TO, REMOVE_FROM].contains(&name.as_str()) => {
                    Json::Object(self.resolve_ids(lists, draft)?)
                }
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
                Plan::Known(known) => Ok(BatchResult::Already(changed(known.id).unwrap_or(known))),
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

/// Checks that a client id is a name, and not the id of an entity.
fn check_client_id(operation: &BatchOperation, draft: &Draft<'_>) -> Result<()> {
    let BatchOperation { client_id, action } = operation;
    let refuse =
        |reason: String| Err(ProjectError::InvalidField { field: "client_id".to_owned(), reason });
    if client_id.trim().is_empty() || client_id.chars().count() > 200 {
        return refuse("expected 1 to 200 characters".to_owned());
    }
    let is_create = matches!(action, BatchAction::Create { .. });
    if is_create && draft.project.parse_id(client_id).is_ok() {
        return refuse(format!("`{client_id}` looks like the id of an entity; use another name"));
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
