//! The rows that a source has.

use std::sync::Arc;

use indexmap::IndexSet;
use toolwrit_vault::Vault;

use super::super::evaluation::{Context, Failure};
use super::super::notes::{NoteRecord, Page, TaskRecord, rows as csv_rows};
use super::super::syntax::{Connective, Source};
use super::super::value::{Name, Object, Value};
use super::rows::QueryRow;

/// The notes and CSV files of a source, by path.
type SourcePaths = IndexSet<Name>;

/// The notes of a source, and the rows of its CSV files.
pub(super) fn find_rows(
    source: Option<&Source>,
    vault: &Vault,
    context: &Context<'_>,
) -> Result<Vec<QueryRow>, Failure> {
    let row = |page: &Arc<Page>| QueryRow {
        id: Value::Link(Arc::clone(&page.link)),
        data: NoteRecord::object(page, context.notes),
    };
    // Without a source, finding each note by its path would take longer than most conditions.
    if source.is_none() {
        return Ok(context.notes.iter().map(row).collect());
    }
    let mut rows = Vec::new();
    for path in find_paths(source, context)? {
        if let Some(page) = context.notes.get(&path) {
            rows.push(row(page));
        } else if is_csv(&path) {
            rows.extend(read_csv_rows(&path, vault, context)?);
        }
    }
    Ok(rows)
}

/// The tasks in the notes of a source.
pub(super) fn find_tasks(
    source: Option<&Source>,
    context: &Context<'_>,
) -> Result<Vec<QueryRow>, Failure> {
    let mut rows = Vec::new();
    for path in find_paths(source, context)? {
        context.budget.step()?;
        let Some(page) = context.notes.get(&path) else { continue };
        let note = NoteRecord::object(page, context.notes);
        for task in page.tasks() {
            let Value::Object(task) = task else { continue };
            let record = TaskRecord { task: task.clone(), note: note.clone() };
            let id = task.get("link").unwrap_or_default();
            rows.push(QueryRow { id, data: Object::Record(Arc::new(record)) });
        }
    }
    Ok(rows)
}

fn is_csv(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("csv"))
}

fn find_paths(source: Option<&Source>, context: &Context<'_>) -> Result<SourcePaths, Failure> {
    let notes = context.notes;
    let all = || notes.iter().map(|page| Arc::clone(&page.path)).collect::<SourcePaths>();
    let Some(source) = source else { return Ok(all()) };
    Ok(match source {
        Source::Tag(tag) => {
            notes.notes_with_tag(tag).iter().map(|page| Arc::clone(&page.path)).collect()
        }
        Source::Folder(folder) => find_in_folder(folder, context),
        Source::Csv(path) => SourcePaths::from([resolve_relative(path, context)]),
        Source::LinkingTo(path) => notes.paths_linking_to(&resolve_file(path, context)).clone(),
        Source::LinkedFrom(path) => {
            let file = resolve_file(path, context);
            let Some(page) = notes.get(&file) else {
                return Err(Failure::row(format!("there is no note `{path}` for `outgoing`")));
            };
            page.outgoing().cloned().collect()
        }
        Source::Not(inner) => {
            let left_out = find_paths(Some(inner), context)?;
            all().into_iter().filter(|path| !left_out.contains(path)).collect()
        }
        Source::Chain(first, rest) => {
            let mut found = find_paths(Some(first), context)?;
            for (connective, next) in rest {
                let next = find_paths(Some(next), context)?;
                found = match connective {
                    Connective::And => {
                        next.into_iter().filter(|page| found.contains(page)).collect()
                    }
                    Connective::Or => found.into_iter().chain(next).collect(),
                };
            }
            found
        }
    })
}

/// The path of the file that a link in the source names, or the text of the link.
fn resolve_file(path: &Name, context: &Context<'_>) -> Name {
    let file = context.snapshot.resolve(path, context.origin);
    file.map_or_else(|| Arc::clone(path), |file| file.as_str().into())
}

/// The notes in and below a folder; if there are none, the note with that path.
fn find_in_folder(folder: &str, context: &Context<'_>) -> SourcePaths {
    let folder = folder.trim_end_matches('/');
    let below = context.notes.notes_below(folder);
    let mut found: SourcePaths = below.map(|page| Arc::clone(&page.path)).collect();
    if found.is_empty() {
        let with_extension = || context.notes.get(&format!("{folder}.md"));
        let note = context.notes.get(folder).or_else(with_extension);
        found.extend(note.map(|page| Arc::clone(&page.path)));
    }
    found
}

/// A path as a query names it: from the folder of its own note if there is such a file, otherwise from the
/// root.
fn resolve_relative(path: &Name, context: &Context<'_>) -> Name {
    if let Some(from_root) = path.strip_prefix('/') {
        return from_root.into();
    }
    let Some(origin) = context.origin else { return Arc::clone(path) };
    let beside = match origin.as_str().rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => return Arc::clone(path),
    };
    let exists = context.snapshot.files().any(|file| file.as_str() == beside);
    if exists { beside.into() } else { Arc::clone(path) }
}

/// The rows of a CSV file.
fn read_csv_rows(
    path: &Name,
    vault: &Vault,
    context: &Context<'_>,
) -> Result<Vec<QueryRow>, Failure> {
    let file = context.snapshot.files().find(|file| file.as_str() == &**path);
    let Some(file) = file else {
        return Err(Failure::row(format!("there is no file `{path}` in the vault")));
    };
    let note = vault.read(file, None);
    let note = note.map_err(|error| Failure::row(format!("`{path}` cannot be read: {error}")))?;
    let rows = csv_rows(&note.content, context.now).into_iter().enumerate();
    let row = |(number, row)| QueryRow {
        id: Value::text(format!("{path}#{number}")),
        data: Object::Map(Arc::new(row)),
    };
    Ok(rows.map(row).collect())
}
