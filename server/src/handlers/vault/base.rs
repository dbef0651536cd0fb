//! `vault.base`: a view of a base.

use toolwrit::{Json, Result};
use toolwrit_dataview::bases::{self, Column, Failed, Group, Row, Summary, View, ViewOptions};
use toolwrit_dataview::{Dataview, Value};
use toolwrit_vault::{CancelCheck, VaultPath};

use super::super::sizes::{to_integer, to_size};
use crate::faults::{base_fault, fault};
use crate::operations::{types, vault};

/// Evaluates the view that a call asks for.
pub(super) fn show(
    dataview: &Dataview,
    p: &vault::Base,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::BaseView> {
    let (path, named) = bases::split_view(&p.path);
    let path = VaultPath::parse(path).map_err(|error| fault(error.into()))?;
    let origin = p.origin.as_deref().map(VaultPath::parse).transpose();
    let origin = origin.map_err(|error| fault(error.into()).with_path("/origin"))?;
    let start = to_size(p.offset);
    let rows = start..start.saturating_add(to_size(p.limit));
    let block = p.block.map(to_size);
    let options = ViewOptions { rows, origin, block, ..ViewOptions::default() };
    let name = p.view.as_deref().or(named);
    let view = bases::view(dataview, &path, name, &options, is_cancelled).map_err(base_fault)?;
    let text = match p.format {
        vault::BaseFormat::Rows => None,
        vault::BaseFormat::Markdown => Some(view.to_markdown()),
        vault::BaseFormat::Csv => Some(view.to_csv()),
    };
    Ok(convert_view(view, text))
}

/// The result of a call. Rows that are a text are not repeated.
fn convert_view(view: View, text: Option<String>) -> types::BaseView {
    let column = |column: Column| types::BaseColumn {
        property: column.property,
        name: column.name.to_string(),
    };
    let row = |row: Row| types::BaseRow {
        path: row.path.to_string(),
        group: row.group.map(|group| group.to_json()),
        values: row.values.iter().map(Value::to_json).collect(),
    };
    let failure = |failed: Failed| types::BaseFailure {
        place: failed.place,
        files: to_integer(failed.files),
        reason: failed.reason,
    };
    let rows = if text.is_some() { Vec::new() } else { view.rows };
    let groups: Vec<_> = view.groups.iter().map(convert_group).collect();
    let failed: Vec<_> = view.failed.into_iter().map(failure).collect();
    types::BaseView {
        view: view.name,
        r#type: view.kind,
        settings: (!view.settings.is_empty()).then_some(Json::Object(view.settings)),
        columns: view.columns.into_iter().map(column).collect(),
        rows: rows.into_iter().map(row).collect(),
        text,
        total: to_integer(view.total),
        groups: (!groups.is_empty()).then_some(groups),
        summaries: convert_summaries(&view.summaries),
        failed: (!failed.is_empty()).then_some(failed),
    }
}

/// A group as `{key, rows, summaries}`.
fn convert_group(group: &Group) -> Json {
    let mut converted = serde_json::json!({ "key": group.key.to_json(), "rows": group.rows });
    if let Some(summaries) = convert_summaries(&group.summaries) {
        converted["summaries"] = summaries;
    }
    converted
}

/// Summaries as `{property: {summary: value}}`.
fn convert_summaries(summaries: &[Summary]) -> Option<Json> {
    let mut converted = serde_json::json!({});
    for Summary { property, name, value } in summaries {
        converted[property][name] = value.to_json();
    }
    (!summaries.is_empty()).then_some(converted)
}
