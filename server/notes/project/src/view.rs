//! Views of a project that are written on request: a table of Bases, and a canvas with a column for each status.

use serde_json::{Value as Json, json};
use toolwrit_vault::{CancelCheck, NoteChange, VaultError, VaultPath, Written};

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityKind, Field, StatusKind};
use crate::project::Project;
use crate::workspace::Workspace;

/// A view of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// A table of all entities, for Obsidian's Bases.
    Base,
    /// A canvas with a column for each kind of statuses.
    Kanban,
}

/// How the nodes of a kanban canvas are named, by which it is known again.
const NODE: &str = "kanban-";
/// The first line of a table, by which it is known again.
const MARK: &str = "# A view of a project. It is written anew on request.\n";
/// The size of a card, and the space around it.
const CARD: (i64, i64) = (320, 120);
const GAP: i64 = 20;
/// Most cards in a column.
const MOST_CARDS: usize = 200;

impl Workspace {
    /// Writes a view of the project to a file in its folder. A file that is not such a view is not replaced.
    ///
    /// # Errors
    /// `InvalidField` for another extension, `OutsideWorkspace`, `AlreadyExists`; otherwise as
    /// [`create`](Self::create).
    pub fn write_view(
        &self,
        path: &VaultPath,
        view: View,
        cancel: CancelCheck<'_>,
    ) -> Result<Written> {
        let extension = if view == View::Base { "base" } else { "canvas" };
        if !path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension)) {
            let reason = format!("expected a path that ends with .{extension}");
            return Err(ProjectError::InvalidField { field: "path".to_owned(), reason });
        }
        if !path.is_below(self.folder()) {
            let folder = self.folder().clone();
            return Err(ProjectError::OutsideWorkspace { path: path.clone(), folder });
        }
        let plan = || {
            let project = self.project(cancel)?;
            let content = match view {
                View::Base => write_base(&project, self.folder().as_str()),
                View::Kanban => write_kanban(&project),
            };
            let change = match self.vault().read(path, None) {
                Ok(note) if view.is_own(&note.content) => {
                    NoteChange::Replace { path: note.path, content, if_match: Some(note.etag) }
                }
                Ok(note) => return Err(VaultError::AlreadyExists { path: note.path }.into()),
                Err(VaultError::NotFound { .. }) => {
                    NoteChange::Create { path: path.clone(), content }
                }
                Err(error) => return Err(error.into()),
            };
            Ok::<_, ProjectError>((vec![change], ()))
        };
        let (written, ()) = self.vault().transaction(plan, cancel)?;
        written.into_iter().next().ok_or(ProjectError::Aborted)
    }
}

impl View {
    /// Whether a file is such a view, or empty.
    fn is_own(self, text: &str) -> bool {
        if text.trim().is_empty() {
            return true;
        }
        match self {
            Self::Base => text.starts_with(MARK),
            Self::Kanban => {
                let canvas: Json = serde_json::from_str(text).unwrap_or_default();
                let nodes = canvas["nodes"].as_array().map_or(&[][..], Vec::as_slice);
                let is_own =
                    |node: &Json| node["id"].as_str().is_some_and(|id| id.starts_with(NODE));
                nodes.iter().all(is_own) && canvas["edges"].as_array().is_none_or(Vec::is_empty)
            }
        }
    }
}

/// A table of all entities, and one of each kind whose notes have a type.
fn write_base(project: &Project, folder: &str) -> String {
    let words = project.words();
    let columns = [
        Field::Id,
        Field::Title,
        Field::Type,
        Field::Status,
        Field::Priority,
        Field::Assignee,
        Field::Due,
        Field::Parent,
        Field::Workstream,
    ];
    let columns = columns.iter().filter_map(|field| words.properties(*field).first().copied());
    let order: Vec<String> = columns.map(|name| format!("      - {}\n", quote(name))).collect();
    let order = order.concat();
    let view = |name: &str, filter: Option<String>| {
        let filter = filter.map_or_else(String::new, |filter| {
            format!("    filters:\n      and:\n        - {}\n", quote(&filter))
        });
        format!("  - type: table\n    name: {name}\n{filter}    order:\n{order}")
    };
    let mut text = format!("{MARK}filters:\n  and:\n");
    if !folder.is_empty() {
        let filter = format!("file.inFolder({})", Json::from(folder));
        text.push_str("    - ");
        text.push_str(&quote(&filter));
        text.push('\n');
    }
    text.push_str("    - \"!id.isEmpty()\"\nviews:\n");
    text.push_str(&view("Entities", None));
    if let Some(name) = words.properties(Field::Type).first() {
        for kind in EntityKind::ALL {
            let plural = match kind {
                EntityKind::Story => "stories".to_owned(),
                kind => format!("{kind}s"),
            };
            text.push_str(&view(&plural, Some(format!("{name} == \"{kind}\""))));
        }
    }
    text
}

/// A text in YAML.
fn quote(text: &str) -> String {
    Json::from(text).to_string()
}

/// A canvas with a column for each kind of statuses that is in use.
fn write_kanban(project: &Project) -> String {
    let columns = [
        StatusKind::Todo,
        StatusKind::Doing,
        StatusKind::Blocked,
        StatusKind::Unknown,
        StatusKind::Done,
        StatusKind::Dropped,
    ];
    let mut nodes = Vec::new();
    let mut left = 0;
    for kind in columns {
        let is_in = |entity: &&Entity| {
            entity.kind().is_work() && !entity.archived && entity.status.kind() == kind
        };
        let mut cards: Vec<&Entity> = project.entities().filter(is_in).collect();
        cards.sort_by_key(|entity| (entity.priority.is_none(), entity.priority, entity.id));
        cards.truncate(MOST_CARDS);
        let mut top = 0;
        let start = nodes.len();
        for entity in cards {
            nodes.push(json!({
                "id": format!("{NODE}{}", entity.id), "type": "file", "file": entity.path.as_str(),
                "x": left + GAP, "y": top + GAP, "width": CARD.0, "height": CARD.1,
            }));
            top += CARD.1 + GAP;
        }
        let group = json!({
            "id": format!("{NODE}{}", kind.name()), "type": "group", "label": kind.name(),
            "x": left, "y": 0, "width": CARD.0 + 2 * GAP, "height": top.max(CARD.1) + 2 * GAP,
        });
        // A group lies below its cards.
        nodes.insert(start, group);
        left += CARD.0 + 4 * GAP;
    }
    let lines: Vec<String> = nodes.iter().map(|node| format!("\t\t{node}")).collect();
    format!("{{\n\t\"nodes\":[\n{}\n\t],\n\t\"edges\":[]\n}}\n", lines.join(",\n"))
}
