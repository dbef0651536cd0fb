//! `vault.history` and `vault.undo`, and what the results of changes say of them.

use toolwrit::Context;
use toolwrit_vault::{Authors, HistoryEntry, Obstacle, Result, UndoMode, Vault, VaultPath};

use super::super::sizes::{to_integer, to_size};
use crate::operations::{types, vault};

/// The role whose callers see and undo the changes of others.
const OWNER: &str = "owner";

/// Whose changes a caller sees and undoes.
pub(super) fn visible_authors(cx: &Context) -> Authors {
    match cx.role() {
        OWNER => Authors::All,
        _ => Authors::Only(cx.principal().as_str().to_owned()),
    }
}

/// Lists what can be undone.
pub(super) fn history(
    vault: &Vault,
    p: &vault::History,
    authors: &Authors,
) -> Result<types::History> {
    let path = p.path.as_deref().map(VaultPath::parse).transpose()?;
    let mut entries = match p.of {
        vault::HistoryOf::Changes => vault.changes(authors)?,
        vault::HistoryOf::Trash => vault.trash(),
    };
    if let Some(path) = path {
        let note = path.as_str().to_owned() + ".md";
        let is_it = |known: &VaultPath| *known == path || known.as_str() == note;
        entries.retain(|entry| entry.paths.iter().any(is_it));
    }
    let total = to_integer(entries.len());
    let entries = entries.into_iter().take(to_size(p.limit)).map(convert_entry).collect();
    Ok(types::History { entries, total })
}

fn convert_entry(entry: HistoryEntry) -> types::HistoryEntry {
    /// Most paths that are listed of one change.
    const SHOWN: usize = 20;
    let files = entry.paths.len();
    types::HistoryEntry {
        id: entry.id,
        at: entry.at,
        operation: entry.author.map(|author| author.operation),
        paths: entry.paths.iter().take(SHOWN).map(ToString::to_string).collect(),
        files: (files > SHOWN).then(|| to_integer(files)),
        undoable: entry.obstacle.is_none(),
        reason: entry.obstacle.map(|obstacle| obstacle.to_string()),
    }
}

/// Undoes a change.
pub(super) fn undo(vault: &Vault, p: &vault::Undo, authors: &Authors) -> Result<types::Undone> {
    let paths = p.paths.as_ref().map(|paths| {
        paths.iter().map(|path| VaultPath::parse(path)).collect::<std::result::Result<Vec<_>, _>>()
    });
    let paths = paths.transpose()?;
    let mode = if p.dry_run { UndoMode::DryRun } else { UndoMode::Undo };
    let done = vault.undo(p.id.as_deref(), paths.as_deref(), authors, mode)?;
    let conflict = |(path, obstacle): (VaultPath, Obstacle)| types::UndoConflict {
        path: path.to_string(),
        reason: obstacle.to_string(),
    };
    let conflicts: Vec<_> = done.conflicts.into_iter().map(conflict).collect();
    Ok(types::Undone {
        undone: done.undone.iter().map(ToString::to_string).collect(),
        conflicts: (!conflicts.is_empty()).then_some(conflicts),
        undo: None,
    })
}

/// A result that says by which id its change is undone.
pub(super) trait Undoable {
    fn set_undo(&mut self, id: String);
}

macro_rules! undoable {
    ($($result:ident),*) => {
        $(impl Undoable for types::$result {
            fn set_undo(&mut self, id: String) {
                self.undo = Some(id);
            }
        })*
    };
}

undoable!(Written, Moved, Deleted, BulkDeletion, NotesChanged, DailyNote, TaskChanged, Undone);
