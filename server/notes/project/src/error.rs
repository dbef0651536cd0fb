//! The errors of project operations.

use toolwrit_vault::{Etag, Folder, VaultError, VaultPath};

use crate::model::{EntityId, InvalidId, Problem, join_alternatives};

/// Shorthand for a result whose error is a [`ProjectError`].
pub type Result<T, E = ProjectError> = std::result::Result<T, E>;

/// A failed operation. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The settings of the workspaces cannot be used.
    #[error("the workspaces cannot be used: {0}")]
    Settings(String),
    /// There is no such workspace.
    #[error("there is no workspace `{name}`; there are: {}", known.join(", "))]
    UnknownWorkspace {
        /// The requested name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// A text is not an id.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// There is no such entity.
    #[error("there is no {id} in the workspace")]
    NoSuchEntity {
        /// The requested id.
        id: EntityId,
    },
    /// The note of the entity cannot be read.
    #[error("{id} cannot be used until its note is corrected: {problem}")]
    Unreadable {
        id: EntityId,
        /// What is wrong in the note.
        problem: Box<Problem>,
    },
    /// There is no field with this name.
    #[error("there is no field `{name}`; {}", expected_names(.similar, .known))]
    UnknownField {
        /// The given name.
        name: String,
        /// Similar names, best first.
        similar: Vec<String>,
        /// All names.
        known: Vec<String>,
    },
    /// A field has a value that it cannot have.
    #[error("`{field}`: {reason}")]
    InvalidField {
        field: String,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A field has a value that is none of those that there are.
    #[error("`{field}`: expected {}, got {got}", join_texts(.expected))]
    InvalidChoice {
        field: String,
        /// The values that there are.
        expected: Vec<String>,
        /// The given value as JSON, shortened.
        got: String,
        /// Similar values, best first.
        similar: Vec<String>,
    },
    /// A field names an entity that does not exist.
    #[error("`{field}` names {id}, which does not exist")]
    MissingReference {
        field: String,
        /// The missing entity.
        id: EntityId,
    },
    /// The change would close a cycle.
    #[error("`{field}` would close a cycle: {}", format_cycle(.cycle))]
    Cycle {
        field: String,
        /// The entities of the cycle, each one naming the next, the last one the first.
        cycle: Vec<EntityId>,
    },
    /// The entity has changed since the version that the change was based on.
    #[error("{id} has changed: its etag is now {current}; get it again, then repeat the change")]
    Conflict {
        id: EntityId,
        /// The etag of its note.
        current: Etag,
    },
    /// Two notes have the id, so that neither is changed.
    #[error(
        "{id} cannot be changed: both `{path}` and its copy `{copy}` have this id; give the copy another one"
    )]
    Ambiguous {
        id: EntityId,
        /// The original.
        path: VaultPath,
        /// The copy.
        copy: VaultPath,
    },
    /// The file with the team's words cannot be used.
    #[error("`{file}` cannot be used: {reason}")]
    InvalidWords {
        /// The file, as a path in the vault.
        file: String,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The batch has too many operations.
    #[error("the batch was not made: {0}")]
    InvalidBatch(String),
    /// Another operation of the batch failed, so this one was not made.
    #[error("it was not made, because another operation of the batch failed")]
    Aborted,
    /// A creation with this client id was made before, with another payload.
    #[error(
        "`{client_id}` has created {id} with another payload; use another client_id, or update {id}"
    )]
    CreatedOtherwise {
        client_id: String,
        /// The entity that was made.
        id: EntityId,
    },
    /// The creations of earlier batches cannot be read or recorded.
    #[error("the creations of batches cannot be recorded: {0}")]
    Memory(std::io::Error),
    /// The canvas cannot be changed. It is unchanged.
    #[error("the canvas `{path}` cannot be changed: {reason}")]
    InvalidCanvas {
        /// The canvas.
        path: VaultPath,
        /// Why.
        reason: String,
    },
    /// A path leads out of the folder of the workspace.
    #[error("`{path}` is not in the folder of the workspace, `{folder}`")]
    OutsideWorkspace { path: VaultPath, folder: Folder },
    /// The vault refuses to read or to write.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// What kind of failure an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// Something given is not valid.
    ValidationError,
    /// Something named does not exist.
    NotFound,
    AlreadyExists,
    /// It has changed, or was done before in another way.
    Conflict,
    /// Another part of an atomic batch failed.
    Aborted,
    /// The files cannot be read or changed now.
    Unavailable,
}

impl ErrorCode {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::Conflict => "CONFLICT",
            Self::Aborted => "ABORTED",
            Self::Unavailable => "UNAVAILABLE",
        }
    }
}

impl ProjectError {
    /// What kind of failure it is.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidId(_)
            | Self::UnknownField { .. }
            | Self::InvalidField { .. }
            | Self::InvalidChoice { .. }
            | Self::MissingReference { .. }
            | Self::Cycle { .. }
            | Self::Unreadable { .. }
            | Self::InvalidBatch(_)
            | Self::InvalidWords { .. }
            | Self::OutsideWorkspace { .. }
            | Self::InvalidCanvas { .. } => ErrorCode::ValidationError,
            Self::Aborted => ErrorCode::Aborted,
            Self::UnknownWorkspace { .. } | Self::NoSuchEntity { .. } => ErrorCode::NotFound,
            Self::Conflict { .. } | Self::CreatedOtherwise { .. } | Self::Ambiguous { .. } => {
                ErrorCode::Conflict
            }
            Self::Settings(_) | Self::Memory(_) => ErrorCode::Unavailable,
            Self::Vault(error) => match error {
                VaultError::NotFound { .. } => ErrorCode::NotFound,
                VaultError::AlreadyExists { .. } => ErrorCode::AlreadyExists,
                VaultError::Conflict { .. } => ErrorCode::Conflict,
                VaultError::InvalidPath(_)
                | VaultError::NotText { .. }
                | VaultError::TooLarge { .. }
                | VaultError::NoSuchPart { .. }
                | VaultError::NotPatched { .. } => ErrorCode::ValidationError,
                _ => ErrorCode::Unavailable,
            },
        }
    }

    /// The field that it is about, if it is about one.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::UnknownField { name: field, .. }
            | Self::InvalidField { field, .. }
            | Self::InvalidChoice { field, .. }
            | Self::MissingReference { field, .. }
            | Self::Cycle { field, .. } => Some(field),
            _ => None,
        }
    }
}

fn join_texts(texts: &[String]) -> String {
    join_alternatives(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn expected_names(similar: &[String], known: &[String]) -> String {
    match similar {
        [] => format!(
            "expected one of {}; a property of your own that no note has yet is named under `own` in .toolwrit/project.yaml",
            known.join(", ")
        ),
        similar => format!("did you mean {}?", similar.join(", ")),
    }
}

fn format_cycle(cycle: &[EntityId]) -> String {
    let ids: Vec<_> = cycle.iter().chain(cycle.first()).map(EntityId::to_string).collect();
    ids.join(" -> ")
}
