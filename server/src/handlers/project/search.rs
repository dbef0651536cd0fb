//! `project.search_entities`.

use std::ops::Range;

use toolwrit::Page;
use toolwrit_project::{Archived, Direction, Filters, ProjectError, Scope, SortBy, Workspace};
use toolwrit_vault::CancelCheck;

use super::super::sizes::{to_integer, to_size};
use super::{names, new_selection};
use crate::operations::{project, types};

/// A page of the entities that are found.
pub(super) fn search(
    workspace: &Workspace,
    p: project::SearchEntities,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<Page<types::FoundEntities>> {
    let scope = match (p.from_id, p.query) {
        (Some(id), _) => Scope::Related {
            from: workspace.find_id(&id, cancel)?,
            direction: match p.direction {
                project::SearchEntitiesDirection::Up => Direction::Up,
                project::SearchEntitiesDirection::Down => Direction::Down,
                project::SearchEntitiesDirection::Siblings => Direction::Siblings,
                project::SearchEntitiesDirection::Dependencies => Direction::Dependencies,
            },
            depth: p.depth.and_then(|depth| usize::try_from(depth).ok()),
        },
        (None, Some(words)) => Scope::Words(words),
        (None, None) => Scope::All,
    };
    let filters = match p.filters {
        Some(given) => convert_filters(given, workspace, cancel)?,
        None => Filters::default(),
    };
    let sort = p.sort.map(convert_sort);
    let found = workspace.search(&scope, &filters, sort, cancel)?;
    let (range, next) = page_range(p.cursor.as_deref(), p.limit, found.ids.len());
    let results = workspace.select(&found.ids[range], &new_selection(&p.fields), cancel)?;
    let items = types::FoundEntities {
        results: results.into_iter().map(|entity| entity.into_iter().collect()).collect(),
        total_matches: to_integer(found.ids.len()),
        path_description: found.path_description,
    };
    Ok(Page { items, next, total: None })
}

fn convert_sort(sort: project::SearchEntitiesSort) -> SortBy {
    match sort {
        project::SearchEntitiesSort::Due => SortBy::Due,
        project::SearchEntitiesSort::Priority => SortBy::Priority,
        project::SearchEntitiesSort::Updated => SortBy::Updated,
        project::SearchEntitiesSort::Created => SortBy::Created,
        project::SearchEntitiesSort::Title => SortBy::Title,
        project::SearchEntitiesSort::Assignee => SortBy::Assignee,
        project::SearchEntitiesSort::Estimate => SortBy::Estimate,
    }
}

fn convert_filters(
    given: types::EntityFilters,
    workspace: &Workspace,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<Filters> {
    let parent = given.parent.map(|id| workspace.find_id(&id, cancel)).transpose()?;
    let day = |text: String| {
        text.parse().map_err(|_| ProjectError::InvalidField {
            field: "due_before".to_owned(),
            reason: "expected a day such as 2026-03-09".to_owned(),
        })
    };
    Ok(Filters {
        kinds: given.r#type.unwrap_or_default().into_iter().map(names::to_kind).collect(),
        statuses: given.status.unwrap_or_default(),
        priorities: given.priority.unwrap_or_default(),
        assignees: given.assignee.unwrap_or_default(),
        labels: given.label.unwrap_or_default(),
        parent,
        due_before: given.due_before.map(day).transpose()?,
        workstreams: given.workstream.unwrap_or_default(),
        archived: if given.archived == Some(true) { Archived::Only } else { Archived::Exclude },
        tag: given.tag,
    })
}

/// The part of a list that a call asks for, and the cursor of the next one.
pub(super) fn page_range(
    cursor: Option<&str>,
    limit: i64,
    total: usize,
) -> (Range<usize>, Option<String>) {
    let start = cursor.and_then(|start| start.parse().ok()).unwrap_or(0).min(total);
    let end = start.saturating_add(to_size(limit)).min(total);
    (start..end, (end < total).then(|| end.to_string()))
}
