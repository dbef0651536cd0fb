//! Finding entities by words, filters and their relations.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, VaultError};

use crate::error::Result;
use crate::filters::{Archived, Filters, SortBy};
use crate::model::{Entity, EntityId};
use crate::project::Project;
use crate::selection::Selection;
use crate::workspace::Workspace;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scope {
    /// All entities, in the order of their ids.
    #[default]
    All,
    /// Entities whose notes contain some of these words, the best first.
    Words(String),
    /// Entities that are related to one.
    Related {
        /// The entity where to start. It is not among the results.
        from: EntityId,
        /// Which way to go.
        direction: Direction,
        /// How many steps to go at most; `None` for all.
        depth: Option<usize>,
    },
}

/// The way from an entity to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The parent, the parent's parent, and so on.
    Up,
    /// The entities whose parent it is, their children, and so on.
    Down,
    /// The other entities with the same parent.
    Siblings,
    /// To the entities that must be done before it, and on to theirs.
    Dependencies,
}

impl Direction {
    /// The direction with this name: `up`, `down`, `siblings` or `dependencies`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "up" => Some(Self::Up),
            "down" => Some(Self::Down),
            "siblings" => Some(Self::Siblings),
            "dependencies" => Some(Self::Dependencies),
            _ => None,
        }
    }
}

/// The entities that were found. Their order is the same as long as no note changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The ids, in order.
    pub ids: Vec<EntityId>,
    /// The way that was gone, if they were found by their relations: `Form (T-001) > Sign up (S-001)`.
    pub path_description: Option<String>,
}

impl Workspace {
    /// Finds entities.
    ///
    /// # Errors
    /// `NoSuchEntity` or `Unreadable` for the entity where to start, `BadPattern` if there is no word,
    /// `Unopenable`, `Cancelled`.
    pub fn search(
        &self,
        scope: &Scope,
        filters: &Filters,
        sort: Option<SortBy>,
        cancel: CancelCheck<'_>,
    ) -> Result<Found> {
        let (project, ids, mut path_description) = match scope {
            Scope::All => {
                let project = self.project(cancel)?;
                let ids = project.entities().map(|entity| entity.id).collect();
                (project, ids, None)
            }
            Scope::Words(words) => {
                let project = self.project(cancel)?;
                let ids = self.rank_entities(&project, words, cancel)?;
                (project, ids, None)
            }
            Scope::Related { from, direction, depth } => {
                let project = self.project_with(*from, cancel)?;
                let ids = find_related(&project, *from, *direction, *depth);
                let description = describe_relation(&project, *from, *direction, &ids);
                (project, ids, Some(description))
            }
        };
        filters.check(&project)?;
        let accepted = |id: &EntityId| {
            project.entity(*id).is_some_and(|entity| filters.accepts(entity, &project))
        };
        let archived = |id: &&EntityId| project.entity(**id).is_some_and(|entity| entity.archived);
        let left_out = match filters.archived {
            Archived::Exclude => ids.iter().filter(archived).count(),
            Archived::Only | Archived::Include => 0,
        };
        if let Some(description) = path_description.as_mut().filter(|_| left_out > 0) {
            // Writing to a string cannot fail.
            let _ = write!(description, "; {left_out} archived left out");
        }
        let mut ids: Vec<EntityId> = ids.into_iter().filter(accepted).collect();
        if let Some(sort) = sort {
            ids.sort_by_cached_key(|id| project.entity(*id).map(|entity| sort.key(entity)));
        }
        Ok(Found { ids, path_description })
    }

    /// The selected fields of entities, in the order of the ids. One that no longer exists is left out.
    ///
    /// # Errors
    /// `UnknownField`; otherwise as [`search`](Self::search).
    pub fn select(
        &self,
        ids: &[EntityId],
        selection: &Selection,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Properties>> {
        let project = self.project(cancel)?;
        selection.check(&project.entities(), project.words())?;
        let mut selected = Vec::with_capacity(ids.len());
        for entity in ids.iter().filter_map(|id| project.entity(*id)) {
            if cancel() {
                return Err(VaultError::Cancelled.into());
            }
            let note = if selection.needs_note() {
                match self.vault().read(&entity.path, None) {
                    Err(VaultError::NotFound { .. }) => continue,
                    note => Some(note?),
                }
            } else {
                None
            };
            selected.push(selection.select_fields(entity, note.as_ref(), &project));
        }
        Ok(selected)
    }

    /// The entities whose notes contain some of the words. Those with all words in the id or the title come
    /// first.
    fn rank_entities(
        &self,
        project: &Project,
        words: &str,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<EntityId>> {
        let paths = match self.vault().rank(words, self.folder(), usize::MAX, cancel) {
            // The folder is created with the first entity.
            Err(VaultError::NotFound { .. }) => Vec::new(),
            paths => paths?,
        };
        let by_path: HashMap<_, _> =
            project.entities().map(|entity| (&entity.path, entity)).collect();
        let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let is_named = |entity: &&&Entity| {
            let name = format!("{} {}", entity.id, entity.title).to_lowercase();
            wanted.iter().all(|word| name.contains(word.as_str()))
        };
        let found: Vec<&&Entity> = paths.iter().filter_map(|path| by_path.get(path)).collect();
        let (named, others): (Vec<&&Entity>, Vec<_>) =
            found.into_iter().partition(|entity| is_named(entity));
        Ok(named.into_iter().chain(others).map(|entity| entity.id).collect())
    }
}

/// The entities in a direction, the nearest first.
fn find_related(
    project: &Project,
    from: EntityId,
    direction: Direction,
    depth: Option<usize>,
) -> Vec<EntityId> {
    let parent = |id| project.entity(id).and_then(|entity| entity.parent);
    let next = |id| -> Vec<EntityId> {
        match direction {
            Direction::Up => {
                parent(id).into_iter().filter(|id| project.entity(*id).is_some()).collect()
            }
            Direction::Down => project.children(id).to_vec(),
            Direction::Dependencies => project.prerequisites(id).to_vec(),
            Direction::Siblings => {
                parent(id).map_or_else(Vec::new, |parent| project.children(parent).to_vec())
            }
        }
    };
    let steps = if direction == Direction::Siblings { 1 } else { depth.unwrap_or(usize::MAX) };
    let mut seen = HashSet::from([from]);
    let (mut found, mut level) = (Vec::new(), vec![from]);
    for _ in 0..steps {
        level = level.into_iter().flat_map(next).filter(|id| seen.insert(*id)).collect();
        if level.is_empty() {
            break;
        }
        found.extend_from_slice(&level);
    }
    found
}

/// The way up as titles; for other directions, what was looked for.
fn describe_relation(
    project: &Project,
    from: EntityId,
    direction: Direction,
    ids: &[EntityId],
) -> String {
    let name = |id: &EntityId| {
        let title = project.entity(*id).map_or("", |entity| entity.title.as_str());
        format!("{title} ({id})")
    };
    match direction {
        Direction::Up => [from].iter().chain(ids).map(name).collect::<Vec<_>>().join(" > "),
        Direction::Down => format!("below {}", name(&from)),
        Direction::Dependencies => format!("before {}", name(&from)),
        Direction::Siblings => match project.entity(from).and_then(|entity| entity.parent) {
            Some(parent) => format!("beside {}, in {}", name(&from), name(&parent)),
            None => format!("{} has no parent", name(&from)),
        },
    }
}
