//! The files of a workspace: `project.read_docs`, `project.update_doc` and `project.list_files`.

use std::collections::HashMap;

use toolwrit::{Page, Timestamp};
use toolwrit_project::{EntityId, ProjectError, TextChange, Workspace};
use toolwrit_vault::target::HeadingPath;
use toolwrit_vault::{
    CancelCheck, Depth, EntryKind, Etag, Folder, FolderEntry, NotePart, PathGlob, VaultError,
    VaultPath, Written,
};

use super::super::note::parse_lines;
use super::super::sizes::{to_integer, to_size};
use super::search::page_range;
use crate::operations::{project, types};

/// Reads a note, or a part of it, with at most `most` bytes of text.
pub(super) fn read_note(
    workspace: &Workspace,
    p: &project::ReadDocs,
    most: usize,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<types::DocContent> {
    let (path, id) = workspace.find_note(&p.path, cancel)?;
    let no_part = |reason| VaultError::NoSuchPart { path: path.clone(), reason };
    let first = p.from_line.or(p.to_line.map(|_| 1));
    let asked_lines = first.map(|first| match p.to_line {
        Some(last) => format!("{first}-{last}"),
        None => format!("{first}-"),
    });
    let part = match (&p.section, asked_lines.as_ref().or(p.lines.as_ref())) {
        (Some(section), _) => {
            Some(NotePart::Heading(HeadingPath::parse(section).map_err(no_part)?))
        }
        (None, Some(range)) => Some(parse_lines(range).map_err(no_part)?),
        (None, None) => None,
    };
    let asked = p.max_bytes.and_then(|bytes| usize::try_from(bytes).ok());
    let bounded = Some(asked.map_or(most, |asked| asked.min(most)));
    let note = match part {
        Some(part) => workspace.vault().read_part(&path, &part, bounded)?,
        None => workspace.vault().read(&path, bounded)?,
    };
    Ok(types::DocContent {
        path: note.path.to_string(),
        id: id.map(|id| id.to_string()),
        content: note.content,
        etag: note.etag.to_string(),
        size: to_integer(note.size),
        truncated: note.truncated.then_some(true),
    })
}

/// Changes the text of a note. `create` takes no section, which is checked before.
pub(super) fn update_note(
    workspace: &Workspace,
    p: project::UpdateDoc,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<types::Written> {
    let section = p.section.as_deref().map(HeadingPath::parse).transpose();
    let section = match section {
        Ok(section) => section,
        Err(reason) => {
            let (path, _) = workspace.find_note(&p.path, cancel)?;
            return Err(VaultError::NoSuchPart { path, reason }.into());
        }
    };
    let line = |line: Option<i64>| line.map_or(1, to_size);
    let change = match (p.mode, section) {
        (project::UpdateDocMode::InsertAt, _) => {
            let from = line(p.start_line);
            TextChange::ReplaceLines { from, to: from - 1, text: p.content }
        }
        (project::UpdateDocMode::ReplaceAt, _) => TextChange::ReplaceLines {
            from: line(p.start_line),
            to: line(p.end_line.or(p.start_line)),
            text: p.content,
        },
        (project::UpdateDocMode::Create, _) => TextChange::Create(p.content),
        (project::UpdateDocMode::Replace, None) => TextChange::Replace(p.content),
        (project::UpdateDocMode::Append, None) => TextChange::Append(p.content),
        (project::UpdateDocMode::Replace, Some(section)) => {
            TextChange::ReplaceSection(section, p.content)
        }
        (project::UpdateDocMode::Append, Some(section)) => {
            TextChange::AppendToSection(section, p.content)
        }
    };
    let if_match = p.if_match.as_deref().map(Etag::from);
    let now = Timestamp::now();
    let written = workspace.change_text(&p.path, &change, if_match.as_ref(), now, cancel)?;
    Ok(convert_written(&written))
}

pub(super) fn convert_written(written: &Written) -> types::Written {
    types::Written {
        undo: None,
        path: written.path.to_string(),
        etag: written.etag.to_string(),
        size: to_integer(written.size),
        created: written.created,
    }
}

/// A page of the files of a workspace.
pub(super) fn list_files(
    workspace: &Workspace,
    p: &project::ListFiles,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<Page<types::ProjectFiles>> {
    let glob = p.glob.as_deref().map(PathGlob::parse).transpose()?;
    let files = find_files(workspace, p.folder.as_deref(), glob.as_ref(), cancel)?;
    let project = workspace.project(cancel)?;
    let ids: HashMap<&VaultPath, EntityId> =
        project.entities().map(|entity| (&entity.path, entity.id)).collect();
    let is_wanted =
        |file: &FolderEntry| p.entities.is_none_or(|wanted| wanted == ids.contains_key(&file.path));
    let files: Vec<FolderEntry> = files.into_iter().filter(is_wanted).collect();
    let (range, next) = page_range(p.cursor.as_deref(), p.limit, files.len());
    let shown = &files[range];
    let stats = workspace.vault().stat(shown);
    let shown = shown.iter().zip(stats).map(|(file, stat)| types::ProjectFile {
        path: file.path.to_string(),
        size: stat.map(|stat| to_integer(stat.size)),
        modified: stat.and_then(|stat| stat.modified),
        id: ids.get(&file.path).map(EntityId::to_string),
    });
    let total = to_integer(files.len());
    Ok(Page { items: types::ProjectFiles { files: shown.collect(), total }, next, total: None })
}

/// The files below a folder of the workspace, or all of them.
fn find_files(
    workspace: &Workspace,
    folder: Option<&str>,
    glob: Option<&PathGlob>,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<Vec<FolderEntry>> {
    let given = folder.filter(|folder| !folder.is_empty());
    let given = given.map(|folder| Folder::parse(folder).map_err(VaultError::from)).transpose()?;
    let given = given.filter(|folder| folder != workspace.folder());
    if let Some(folder) = &given {
        let path = VaultPath::from_disk(folder.as_str()).map_err(VaultError::from)?;
        if !path.is_below(workspace.folder()) {
            let folder = workspace.folder().clone();
            return Err(ProjectError::OutsideWorkspace { path, folder });
        }
    }
    let folder = given.as_ref().unwrap_or(workspace.folder());
    match workspace.vault().list(folder, Depth::DEEP, glob, cancel) {
        Ok(listing) => {
            let is_file = |entry: &FolderEntry| entry.kind != EntryKind::Folder;
            Ok(listing.entries.into_iter().filter(is_file).collect())
        }
        // The folder of a workspace is created with its first entity.
        Err(VaultError::NotFound { .. }) if given.is_none() => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}
