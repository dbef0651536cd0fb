//! The answers of `project.get_project_overview` and `project.analyze_project_state`.

use std::collections::HashMap;

use toolwrit::{Json, Page};
use toolwrit_project::{
    Analysis, EntityId, Finding, GroupBy, Health, InlineTask, Overview, OverviewOptions, Problem,
    Summary, WorkCount, Workspace, WorkstreamOverview,
};
use toolwrit_vault::{CancelCheck, VaultError, VaultPath};

use super::super::sizes::{to_integer, to_size};
use super::search::page_range;
use super::{names, new_selection};
use crate::operations::{project, types};

/// Most ids of a finding.
const MOST_IDS: usize = 10;

pub(super) fn convert_options(
    p: &project::GetProjectOverview,
) -> toolwrit_project::Result<OverviewOptions> {
    let canvas = p.canvas_source.as_deref().map(VaultPath::parse).transpose();
    Ok(OverviewOptions {
        canvas: canvas.map_err(VaultError::from)?,
        workstream: p.workstream.clone(),
        group_by: match p.group_by {
            types::EntityGrouping::Status => GroupBy::Status,
            types::EntityGrouping::Type => GroupBy::Kind,
            types::EntityGrouping::Priority => GroupBy::Priority,
        },
        include_completed: p.include_completed,
        include_archived: p.include_archived,
    })
}

/// A page of an overview: of each workstream the first entities, then of each the next ones.
pub(super) fn overview_page(
    workspace: &Workspace,
    p: &project::GetProjectOverview,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<Page<types::ProjectOverview>> {
    let overview = workspace.overview(&convert_options(p)?, cancel)?;
    let listed = list_entities(&overview);
    let (range, next) = page_range(p.cursor.as_deref(), p.limit, listed.len());
    let shown = &listed[range];
    let ids: Vec<EntityId> = shown.iter().filter_map(|(_, id)| *id).collect();
    let selected = workspace.select(&ids, &new_selection(&p.fields), cancel)?;
    let selected: HashMap<EntityId, Json> = ids
        .iter()
        .copied()
        .zip(selected.into_iter().map(|entity| Json::Object(entity.into_iter().collect())))
        .collect();
    let summary = convert_summary(&overview.summary);
    let detail = p.workstream.clone().zip(overview.groups).map(|(asked, groups)| {
        let name = overview.workstreams.first().and_then(|first| first.name.clone());
        let group = |(name, ids): (String, Vec<EntityId>)| {
            let entities: Vec<Json> =
                ids.iter().filter_map(|id| selected.get(id).cloned()).collect();
            (!entities.is_empty()).then(|| (name, Json::Array(entities)))
        };
        types::WorkstreamDetail {
            name: name.unwrap_or(asked),
            grouped_by: p.group_by,
            groups: groups.into_iter().filter_map(group).collect(),
        }
    });
    let has_detail = detail.is_some();
    let is_shown = |number: usize| shown.iter().any(|(other, _)| *other == number);
    let workstreams = overview.workstreams.into_iter().enumerate();
    let workstreams = workstreams.filter(|(number, _)| is_shown(*number)).map(|(_, workstream)| {
        // The groups have the entities of a workstream that was named.
        convert_workstream(workstream, &|ids| {
            let listed = ids.iter().filter(|_| !has_detail).filter_map(|id| selected.get(id));
            listed.filter_map(to_members).collect()
        })
    });
    let items = types::ProjectOverview {
        summary,
        workstreams: workstreams.collect(),
        workstream_detail: detail,
    };
    Ok(Page { items, next, total: None })
}

/// The members of an entity.
fn to_members<T: FromIterator<(String, Json)>>(entity: &Json) -> Option<T> {
    let members = entity.as_object()?;
    Some(members.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// What is listed, with the position of its workstream: the first of each workstream, then the second. A workstream
/// that lists nothing is there, too.
fn list_entities(overview: &Overview) -> Vec<(usize, Option<EntityId>)> {
    let mut ranked = Vec::new();
    for (number, workstream) in overview.workstreams.iter().enumerate() {
        let work = [&workstream.milestones, &workstream.stories, &workstream.tasks];
        let mut listed: Vec<EntityId> = work.into_iter().flatten().copied().collect();
        // Groups also have decisions and documents.
        if let Some(groups) = &overview.groups {
            listed = groups.iter().flat_map(|(_, ids)| ids).copied().collect();
        }
        let is_empty = listed.is_empty();
        ranked.extend(listed.into_iter().enumerate().map(|(rank, id)| (rank, number, Some(id))));
        ranked.extend(is_empty.then_some((0, number, None)));
    }
    ranked.sort_by_key(|(rank, number, _)| (*rank, *number));
    ranked.into_iter().map(|(_, number, id)| (number, id)).collect()
}

fn convert_summary(summary: &Summary) -> types::ProjectSummary {
    types::ProjectSummary {
        milestones: convert_totals(summary.milestones),
        stories: convert_totals(summary.stories),
        tasks: convert_totals(summary.tasks),
        decisions: types::DecisionTotals {
            total: to_integer(summary.decisions),
            pending: to_integer(summary.pending),
            decided: to_integer(summary.decided),
        },
        documents: types::DocumentTotals {
            total: to_integer(summary.documents),
            draft: to_integer(summary.draft),
            approved: to_integer(summary.approved),
        },
        dropped: Some(to_integer(summary.dropped)).filter(|count| *count > 0),
        unknown: Some(to_integer(summary.unknown)).filter(|count| *count > 0),
        inline_tasks: (summary.inline_tasks.0 > 0).then(|| types::InlineTotals {
            total: to_integer(summary.inline_tasks.0),
            completed: to_integer(summary.inline_tasks.1),
        }),
    }
}

fn convert_totals(work: WorkCount) -> types::WorkTotals {
    types::WorkTotals {
        total: to_integer(work.total),
        completed: to_integer(work.completed),
        in_progress: to_integer(work.in_progress),
        blocked: to_integer(work.blocked),
    }
}

fn convert_workstream(
    workstream: WorkstreamOverview,
    select: &dyn Fn(&[EntityId]) -> Vec<types::EntityData>,
) -> types::WorkstreamState {
    types::WorkstreamState {
        name: workstream.name,
        total: to_integer(workstream.total),
        completed: to_integer(workstream.completed),
        milestones: select(&workstream.milestones),
        stories: select(&workstream.stories),
        tasks: select(&workstream.tasks),
        health: match workstream.health {
            Health::Healthy => types::ProjectHealth::Healthy,
            Health::AtRisk => types::ProjectHealth::AtRisk,
            Health::Blocked => types::ProjectHealth::Blocked,
        },
        reason: workstream.reason,
    }
}

/// The parts of an analysis that are asked for, with a page of the findings of each sort.
pub(super) fn convert_analysis(
    analysis: Analysis,
    p: &project::AnalyzeProjectState,
) -> types::ProjectAnalysis {
    use types::AnalysisSection as Section;
    let counts = types::AnalysisCounts {
        blockers: to_integer(analysis.blockers.len()),
        ready: to_integer(analysis.ready.len()),
        stale: to_integer(analysis.stale.len()),
        orphans: to_integer(analysis.orphans.len()),
        missing_fields: to_integer(analysis.missing_fields.len()),
        contradictions: to_integer(analysis.contradictions.len()),
        unknown: to_integer(analysis.unknown.len()),
        inline_tasks: to_integer(analysis.inline_tasks.len()),
        problems: to_integer(analysis.problems.len()),
    };
    let is_wanted = |section: Section| p.fields.is_empty() || p.fields.contains(&section);
    let (first, most) = (to_size(p.offset), to_size(p.limit));
    let page = |section: Section, found: Vec<Finding>| {
        let page = found.into_iter().skip(first).take(most).map(convert_finding);
        is_wanted(section).then(|| page.collect())
    };
    let one = |section: Section, found: Option<Finding>| {
        found.filter(|_| is_wanted(section)).map(convert_finding)
    };
    types::ProjectAnalysis {
        next: one(Section::Next, analysis.next),
        blockers: page(Section::Blockers, analysis.blockers),
        ready: page(Section::Ready, analysis.ready),
        stale: page(Section::Stale, analysis.stale),
        orphans: page(Section::Orphans, analysis.orphans),
        missing_fields: page(Section::MissingFields, analysis.missing_fields),
        critical_path: one(Section::CriticalPath, analysis.critical_path),
        contradictions: page(Section::Contradictions, analysis.contradictions),
        unknown: page(Section::Unknown, analysis.unknown),
        inline_tasks: is_wanted(Section::InlineTasks).then(|| {
            let tasks = analysis.inline_tasks.into_iter().skip(first).take(most);
            tasks.map(convert_task).collect()
        }),
        problems: is_wanted(Section::Problems).then(|| {
            analysis.problems.into_iter().skip(first).take(most).map(convert_problem).collect()
        }),
        counts,
    }
}

fn convert_task((path, task): (VaultPath, InlineTask)) -> types::InlineTask {
    types::InlineTask {
        path: path.to_string(),
        line: to_integer(task.line),
        text: task.text,
        due: task.due.map(|day| day.to_string()),
    }
}

fn convert_finding(finding: Finding) -> types::ProjectFinding {
    // The ends of long chains are left out; their lengths are in the reasons.
    let ids = &finding.ids[..finding.ids.len().min(MOST_IDS)];
    types::ProjectFinding { ids: names::ids_to_strings(ids), reason: finding.reason }
}

fn convert_problem(problem: Problem) -> types::NoteProblem {
    types::NoteProblem {
        path: problem.path.to_string(),
        line: to_integer(problem.line),
        id: problem.id.map(|id| id.to_string()),
        field: problem.field.map(|field| field.to_string()),
        reason: problem.reason,
    }
}
