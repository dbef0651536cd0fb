//! Evaluating a view.

mod groups;
mod rows;
mod summary;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;
use toolwrit_vault::{CancelCheck, VaultError, VaultPath};

use super::answer::{BaseError, Column, View};
use super::definition::{Base, ViewDefinition};
use super::evaluation::ViewContext;
use super::excluded::Excluded;
use super::file::{FileRecord, Files, ThisRecord};
use super::property::Property;
use super::source;
use crate::Dataview;
use crate::evaluation::Budget;
use crate::value::{Object, Value};
use rows::ViewRun;

/// How a view is evaluated.
#[derive(Debug, Clone)]
pub struct ViewOptions {
    /// The current date. Its zone is the zone of dates without one.
    pub now: Zoned,
    /// How long it may take.
    pub time: Duration,
    /// Which rows of the view are returned. A range beyond the end is cut.
    pub rows: Range<usize>,
    /// The file that `this` means, such as the note that embeds the base; otherwise the file with the base.
    pub origin: Option<VaultPath>,
    /// Which block of a note is the base, from 1; otherwise the first.
    pub block: Option<usize>,
}

impl Default for ViewOptions {
    /// All rows, now, in 5 seconds.
    fn default() -> Self {
        Self {
            now: Zoned::now(),
            time: Duration::from_secs(5),
            rows: 0..usize::MAX,
            origin: None,
            block: None,
        }
    }
}

/// Evaluates a view of the base at a path; its first view without a name.
///
/// # Errors
/// [`BaseError`].
pub fn view(
    notes: &Dataview,
    path: &VaultPath,
    name: Option<&str>,
    options: &ViewOptions,
    cancel: CancelCheck<'_>,
) -> Result<View, BaseError> {
    let ViewOptions { now, time, .. } = options;
    let vault = notes.vault();
    let (path, text) = source::read(vault, path, options.block)?;
    let base = Base::parse(&text, now)?;
    let chosen = find_view(&base, name)?;
    let origin = match &options.origin {
        Some(origin) => {
            vault.read(origin, Some(0)).map_err(|error| BaseError::Origin(Box::new(error)))?.path
        }
        None => path,
    };
    let snapshot = vault.snapshot(cancel)?;
    let files = Files {
        vault: vault.clone(),
        notes: notes.notes(&snapshot, now, cancel).ok_or(VaultError::Cancelled)?,
        zone: now.time_zone().clone(),
    };
    let this = ThisRecord(FileRecord::new(&files, &origin));
    let this = Value::Object(Object::Record(Arc::new(this)));
    let budget = Budget::new(*time, cancel);
    let context = ViewContext::new(&snapshot, &files, &base.formulas, this, now, budget);
    let mut run = ViewRun::new(&context);
    run.report(&base.problems);
    run.report(&chosen.problems);
    let (excluded, problems) = Excluded::read(vault);
    run.failed.extend(problems);
    let mut paths: Vec<&VaultPath> = snapshot.files().filter(|path| !excluded.has(path)).collect();
    paths.sort_unstable();
    evaluate_rows(run, &paths, &base, chosen, options)
}

fn evaluate_rows(
    mut run: ViewRun<'_>,
    paths: &[&VaultPath],
    base: &Base,
    chosen: &ViewDefinition,
    options: &ViewOptions,
) -> Result<View, BaseError> {
    let found = run.filter_files(paths, [base.filters.as_ref(), chosen.filters.as_ref()])?;
    let mut found = run.sort_files(found, chosen)?;
    found.truncate(chosen.limit.unwrap_or(usize::MAX));
    let total = found.len();
    let start = options.rows.start.min(total);
    let default = [Property::File("name".into())];
    let columns = if chosen.columns.is_empty() { &default[..] } else { &chosen.columns };
    let requested = &found[start..options.rows.end.clamp(start, total)];
    let rows = requested.iter().map(|found| run.build_row(found, columns));
    let rows = rows.collect::<Result<_, _>>()?;
    let groups = run.groups(&found, base, chosen)?;
    let summaries = run.summaries(&found, base, chosen)?;
    let column = |property: &Property| Column {
        property: property.to_string(),
        name: base.column_name(property),
    };
    Ok(View {
        name: chosen.name.clone(),
        kind: chosen.kind.clone(),
        settings: chosen.settings.clone(),
        columns: columns.iter().map(column).collect(),
        rows,
        total,
        groups,
        summaries,
        failed: run.failed,
    })
}

fn find_view<'a>(base: &'a Base, name: Option<&str>) -> Result<&'a ViewDefinition, BaseError> {
    let mut views = base.views.iter();
    views.find(|view| name.is_none_or(|name| view.name == name)).ok_or_else(|| BaseError::NoView {
        name: name.map(str::to_owned),
        views: base.views.iter().map(|view| view.name.clone()).collect(),
    })
}
