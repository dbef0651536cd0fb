//! The answers of `project.get_project_overview` and `project.analyze_project_state`.

use toolwrit_project::{
    Analysis, Finding, GroupBy, Health, Overview, OverviewOptions, Problem, Project, Summary,
    WorkCount, WorkstreamOverview,
};

use super::names;
use crate::operations::{project, types};

pub(super) fn options(p: &project::GetProjectOverview) -> OverviewOptions {
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

pub(super) fn overview(
    overview: Overview,
    project: &Project,
    workstream: Option<String>,
    grouped_by: types::EntityGrouping,
) -> types::ProjectOverview {
    let name = overview.workstreams.first().and_then(|first| first.name.clone());
    let group = |(name, ids): (&str, Vec<_>)| types::EntityGroup {
        name: name.to_owned(),
        entities: names::references(project, &ids),
    };
    let detail = workstream.zip(overview.groups).map(|(asked, groups)| types::WorkstreamDetail {
        name: name.unwrap_or(asked),
        grouped_by,
        groups: groups.into_iter().map(group).collect(),
    });
    types::ProjectOverview {
        summary: summary(&overview.summary),
        workstreams: overview.workstreams.into_iter().map(|it| state(it, project)).collect(),
        workstream_detail: detail,
    }
}

fn summary(summary: &Summary) -> types::ProjectSummary {
    types::ProjectSummary {
        milestones: totals(summary.milestones),
        stories: totals(summary.stories),
        tasks: totals(summary.tasks),
        decisions: types::DecisionTotals {
            total: count(summary.decisions),
            pending: count(summary.pending),
            decided: count(summary.decided),
        },
        documents: types::DocumentTotals {
            total: count(summary.documents),
            draft: count(summary.draft),
            approved: count(summary.approved),
        },
    }
}

fn totals(work: WorkCount) -> types::WorkTotals {
    types::WorkTotals {
        total: count(work.total),
        completed: count(work.completed),
        in_progress: count(work.in_progress),
        blocked: count(work.blocked),
    }
}

fn state(workstream: WorkstreamOverview, project: &Project) -> types::WorkstreamState {
    types::WorkstreamState {
        name: workstream.name,
        milestones: names::references(project, &workstream.milestones),
        stories: names::references(project, &workstream.stories),
        tasks: names::references(project, &workstream.tasks),
        health: match workstream.health {
            Health::Healthy => types::ProjectHealth::Healthy,
            Health::AtRisk => types::ProjectHealth::AtRisk,
            Health::Blocked => types::ProjectHealth::Blocked,
        },
        reason: workstream.reason,
    }
}

/// An analysis with at most so many findings of each sort.
pub(super) fn analysis(analysis: Analysis, most: usize) -> types::ProjectAnalysis {
    let counts = types::AnalysisCounts {
        blockers: count(analysis.blockers.len()),
        ready: count(analysis.ready.len()),
        stale: count(analysis.stale.len()),
        orphans: count(analysis.orphans.len()),
        missing_fields: count(analysis.missing_fields.len()),
        contradictions: count(analysis.contradictions.len()),
        problems: count(analysis.problems.len()),
    };
    let first = |found: Vec<Finding>| found.into_iter().take(most).map(finding).collect();
    types::ProjectAnalysis {
        blockers: first(analysis.blockers),
        ready: first(analysis.ready),
        stale: first(analysis.stale),
        orphans: first(analysis.orphans),
        missing_fields: first(analysis.missing_fields),
        critical_path: analysis.critical_path.map(finding),
        contradictions: first(analysis.contradictions),
        problems: analysis.problems.into_iter().take(most).map(problem).collect(),
        counts,
    }
}

fn finding(finding: Finding) -> types::ProjectFinding {
    types::ProjectFinding { ids: names::ids(&finding.ids), reason: finding.reason }
}

fn problem(problem: Problem) -> types::NoteProblem {
    types::NoteProblem {
        path: problem.path.to_string(),
        line: count(problem.line),
        id: problem.id.map(|id| id.to_string()),
        field: problem.field.map(|field| field.to_string()),
        reason: problem.reason,
    }
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
