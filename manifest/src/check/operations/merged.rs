//! Tools that stand for several operations, and names of tools that are gone.

use crate::check::names::lookup::DeclaredNames;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Field, MergedTool, Model, OperationId, Presence, RemovedTool};
use crate::raw::{Entry, RawManifest, RawMergedTool};
use crate::yaml::Text;

/// All merged tools, parallel to the raw list.
pub(in crate::check) fn tools(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<MergedTool> {
    let tool = |Entry { key, value }: &Entry<RawMergedTool>| MergedTool {
        name: key.value.clone(),
        title: text::title(&key.value, value.title.as_ref(), report),
        summary: text::summary(value.summary.as_ref(), report),
        by: value
            .by
            .as_ref()
            .map_or_else(String::new, |by| spelling::key("parameter", by, Style::Snake, report)),
        operations: operations(value, raw.operations.len(), lookup, report),
    };
    raw.tools.iter().map(tool).collect()
}

/// The values of a merged tool's parameter, with their operations.
fn operations(
    raw: &RawMergedTool,
    tools: usize,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<(String, OperationId)> {
    let mut operations = Vec::new();
    for Entry { key, value } in raw.operations.iter().flat_map(|operations| &operations.0) {
        let Some(name) = value else { continue };
        let Some(id) = lookup.operation(name, report) else { continue };
        if id.index() >= tools {
            let message = format!("`{}` is not an operation that a tool runs", name.value);
            report.push(Problem::error(name.place, message));
            continue;
        }
        operations.push((spelling::key("value", key, Style::Snake, report), id));
    }
    operations
}

/// All removed names.
pub(in crate::check) fn removed(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<RemovedTool> {
    raw.removed
        .iter()
        .map(|Entry { key, value }| RemovedTool {
            name: key.value.clone(),
            note: text::optional("the note", value.note.as_ref(), report).unwrap_or_default(),
            replacement: value.r#use.as_ref().and_then(|name| lookup.operation(name, report)),
        })
        .collect()
}

/// Checks that the operations of each merged tool can be one tool.
pub(in crate::check) fn check(raw: &RawManifest, model: &Model, report: &mut Report) {
    let mut listed: Vec<(OperationId, &str)> = Vec::new();
    for (entry, tool) in raw.tools.iter().zip(&model.merged) {
        let values = entry.value.operations.iter().flat_map(|operations| &operations.0);
        let ids: Vec<&Text> = values.filter_map(|entry| entry.value.as_ref()).collect();
        if ids.is_empty() {
            report.push(
                Problem::error(entry.key.place, format!("`{}` merges nothing", tool.name))
                    .expected("at least one operation"),
            );
        }
        if ids.len() != tool.operations.len() {
            // The others have been reported.
            continue;
        }
        for (id, name) in tool.operations.iter().map(|(_, id)| *id).zip(&ids) {
            if let Some((_, other)) = listed.iter().find(|(listed_id, _)| *listed_id == id) {
                let message = format!("`{}` is already part of `{other}`", name.value);
                let help = "an operation is part of one tool";
                report.push(Problem::error(name.place, message).help(help));
            }
            listed.push((id, &tool.name));
        }
        let merge = Merge { tool, model };
        let place = entry.value.by.as_ref().map_or(entry.key.place, |by| by.place);
        merge.check_category(&ids, report);
        merge.check_by(place, report);
        merge.check_parameters(&ids, report);
    }
}

/// The checks of one merged tool.
struct Merge<'a> {
    tool: &'a MergedTool,
    model: &'a Model,
}

impl Merge<'_> {
    fn check_category(&self, ids: &[&Text], report: &mut Report) {
        let mut categories = self.tool.operations.iter().map(|(_, id)| self.model[*id].category);
        let Some(first) = categories.next() else { return };
        for (category, name) in categories.zip(ids.iter().skip(1)) {
            if category != first {
                let message = format!(
                    "`{}` is of another category than the operations before it",
                    name.value
                );
                let expected = format!("an operation of `{}`", self.model[first].name);
                report.push(Problem::error(name.place, message).expected(expected));
            }
        }
    }

    /// Checks that no operation has a parameter of the name that tells the operations apart.
    fn check_by(&self, place: Place, report: &mut Report) {
        for (_, id) in &self.tool.operations {
            let operation = &self.model[*id];
            if self.model.inputs(operation).iter().any(|field| field.name == self.tool.by) {
                let message = format!("`{}` is a parameter of `{}`", self.tool.by, operation.id);
                let help = "give `by` a name that no parameter has";
                report.push(Problem::error(place, message).help(help));
                return;
            }
        }
    }

    /// Checks that parameters of the same name are the same.
    fn check_parameters(&self, ids: &[&Text], report: &mut Report) {
        let mut known: Vec<(Field, &str)> = Vec::new();
        for ((_, id), name) in self.tool.operations.iter().zip(ids) {
            let operation = &self.model[*id];
            for field in self.model.inputs(operation) {
                match known.iter().find(|(first, _)| first.name == field.name) {
                    None => known.push((field, &operation.id)),
                    Some((first, _)) if is_same(first, &field) => {}
                    Some((_, other)) => {
                        let message = format!(
                            "the parameter `{}` of `{}` differs from that of `{other}`",
                            field.name, operation.id
                        );
                        let expected = "the same type, description and default";
                        report.push(Problem::error(name.place, message).expected(expected));
                    }
                }
            }
        }
    }
}

/// Whether one parameter can stand for both, which may differ in whether they are required.
fn is_same(one: &Field, other: &Field) -> bool {
    let default = |field: &Field| match &field.presence {
        Presence::Default(value) => Some(value.clone()),
        Presence::Required | Presence::Optional => None,
    };
    one.shape == other.shape
        && one.description == other.description
        && default(one) == default(other)
}
