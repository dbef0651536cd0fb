//! The state of a project as Markdown notes that people and programs edit side by side.
//!
//! An entity is a milestone, a story, a task, a decision or a document. Each one is a note below the folder
//! of its [`Workspace`], with its fields in the frontmatter and a free body. The notes are the only truth:
//! what is created or edited by hand counts like what was written here, and a note that cannot be read is
//! reported with its file and line ([`Problem`]), and never changed.
//!
//! * **Ids** ([`EntityId`]): one more than the highest on disk. A new note is named after its id and created
//!   exclusively, so that several programs and people never make the same id.
//! * **Validation**: every way to create or change an entity passes the same checks. References must name
//!   entities, and cycles are refused. Those that are made by hand are found when reading.
//! * **Changes** keep every byte of a note that they are not about.
//!
//! All calls block; run them on a blocking thread. The crate knows no MCP and no operations.
//!
//! `model/` is what entities are made of. `workspace` is a folder with a project, `scan` reads its notes and keeps them
//! current with the index of the vault, and `project` is all entities at one moment, with their `relations`. `change/`
//! plans changes on a `draft`, which `validation` checks, and makes them in one transaction of the vault. `canvas`
//! places notes on canvases, and `search`, `overview`, `analysis` and `documents` read the project.

mod analysis;
mod canvas;
mod change;
mod copies;
mod documents;
mod error;
mod filters;
mod model;
mod next;
mod notes;
mod overview;
mod project;
mod relations;
mod scan;
mod search;
mod selection;
mod view;
mod workspace;

pub use analysis::Analysis;
pub use canvas::CanvasPlan;
pub use change::{
    Adopted, BatchAction, BatchOperation, BatchOptions, BatchOutcome, BatchResult, BatchSummary,
    Changed, NewVersion, TextChange,
};
pub use documents::{DecisionFilter, Freshness};
pub use error::{ErrorCode, ProjectError, Result};
pub use filters::{Archived, Filters, SortBy};
pub use model::{
    Criterion, Entity, EntityId, EntityKind, Field, InlineTask, InvalidId, Priority, Problem,
    Status, StatusKind,
};
pub use next::Finding;
pub use overview::{
    GroupBy, Health, Overview, OverviewOptions, Summary, WorkCount, WorkstreamOverview,
};
pub use project::Project;
pub use search::{Direction, Found, Scope};
pub use selection::Selection;
pub use view::View;
pub use workspace::{Workspace, WorkspaceSettings, Workspaces};
