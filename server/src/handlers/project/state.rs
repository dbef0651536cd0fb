//! The answers of `project.get_project_overview` and `project.analyze_project_state`.

use toolwrit_project::{
    Analysis, Finding, GroupBy, Health, Overview, OverviewOptions, Problem, Project, Summary,
    WorkCount, WorkstreamOverview,
};

use super::super::sizes::to_integer;
use super::names;
use crate::operations::{project, types};

pub(super) fn convert_options(p: &project::GetProjectOverview) -> OverviewOptions {
    OverviewOptions {
        workstream: p.workstream.clone(),
        group_by: match p.group_by {
            types::EntityGrouping::Status => GroupBy::Status,
            types::EntityGrouping::Type => GroupBy::Kind,
            types::EntityGrouping::Priority => GroupBy::Priority,
        },
        include_completed: p.include_completed,
        include_archived: p.include_archived,
    }
}

pub(super) fn convert_overview(
    overview: Overview,
    project: &Project,
    workstream: Option<String>,
    grouped_by: types::EntityGrouping,
) -> types::ProjectOverview {
    let name = overview.workstreams.first().and_then(|first| first.name.clone());
    let group = |(name, ids): (&str, Vec<_>)| types::EntityGroup {
        name: name.to_owned(),
        entities: names::to_references(project, &ids),
    };
    let detail = workstream.zip(overview.groups).map(|(asked, groups)| types::WorkstreamDetail {
        name: name.unwrap_or(asked),
        grouped_by,
        groups: groups.into_iter().map(group).collect(),
    });
    types::ProjectOverview {
        summary: convert_summary(&overview.summary),
        workstreams: overview
            .workstreams
            .into_iter()
            .map(|workstream| convert_workstream(workstream, project))
            .collect(),
        workstream_detail: detail,
    }
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

fn convert_workstream(workstream: WorkstreamOverview, project: &Project) -> types::WorkstreamState {
    types::WorkstreamState {
        name: workstream.name,
        milestones: names::to_references(project, &workstream.milestones),
        stories: names::to_references(project, &workstream.stories),
        tasks: names::to_references(project, &workstream.tasks),
        health: match workstream.health {
            Health::Healthy => types::ProjectHealth::Healthy,
            Health::AtRisk => types::ProjectHealth::AtRisk,
            Health::Blocked => types::ProjectHealth::Blocked,
        },
        reason: workstream.reason,
    }
}

/// An analysis with at most so many findings of each sort.
pub(super) fn convert_analysis(analysis: Analysis, most: usize) -> types::ProjectAnalysis {
    let counts = types::AnalysisCounts {
        blockers: to_integer(analysis.blockers.len()),
        ready: to_integer(analysis.ready.len()),
        stale: to_integer(analysis.stale.len()),
        orphans: to_integer(analysis.orphans.len()),
        missing_fields: to_integer(analysis.missing_fields.len()),
        contradictions: to_integer(analysis.contradictions.len()),
        problems: to_integer(analysis.problems.len()),
    };
    let first = |found: Vec<Finding>| found.into_iter().take(most).map(convert_finding).collect();
    types::ProjectAnalysis {
        blockers: first(analysis.blockers),
        ready: first(analysis.ready),
        stale: first(analysis.stale),
        orphans: first(analysis.orphans),
        missing_fields: first(analysis.missing_fields),
        critical_path: analysis.critical_path.map(convert_finding),
        contradictions: first(analysis.contradictions),
        problems: analysis.problems.into_iter().take(most).map(convert_problem).collect(),
        counts,
    }
}

fn convert_finding(finding: Finding) -> types::ProjectFinding {
    types::ProjectFinding { ids: names::ids_to_strings(&finding.ids), reason: finding.reason }
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
