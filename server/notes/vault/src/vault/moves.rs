//! Moving and renaming files and rewriting the links to them.

use super::Vault;
use super::write::check_current;
use crate::changes::journal::{Change, Destination, Replacement};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::links::{self, FileId, Renamed, Unlinkable};
use crate::note::Decoded;
use crate::path::{PathError, PathFault, VaultPath, normal_form};
use crate::storage::walk::CancelCheck;

/// The outcome of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Its path before.
    pub from: VaultPath,
    /// Its path now.
    pub to: VaultPath,
    /// The files whose links were rewritten, by their paths before the move.
    pub rewritten: Vec<VaultPath>,
}

impl Vault {
    /// Moves a file and creates missing folders. Nothing is overwritten. A destination that does not
    /// end with a file type gets the file's extension: a note moved to `Node.js` becomes `Node.js.md`.
    ///
    /// Links that would no longer name the same file are rewritten so that they do: in notes,
    /// frontmatter and canvases, in the file itself, and where the file's new name makes other
    /// links ambiguous. Canvases that show the file get its new path. All of it is one change.
    ///
    /// # Errors
    /// `NotFound`, `AlreadyExists` if the destination is taken, `Conflict` if `if_match` is stale
    /// or another program changes a note meanwhile, `InvalidPath` (also if the destination is a
    /// folder, or a name that a link cannot spell or that some system does not allow, unless the file
    /// has it already), `NoJournal` if links must be rewritten and the
    /// change cannot be recorded, `ReadOnly`, `Busy`, `Cancelled` before anything is changed, `Io`.
    pub fn move_note(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        if_match: Option<&Etag>,
        cancel: CancelCheck<'_>,
    ) -> Result<Moved> {
        drop(self.index(cancel)?);
        let (_awaited, writer) = self.lock_writer_for(from)?;
        let source = check_current(self.root().find_existing(from)?, if_match)?;
        let target = match source.path.extension() {
            Some(extension) if !to.has_type_for(extension) => {
                // A caller that names a folder probably means a file inside it, and must say so.
                self.root().find_exact(to)?;
                to.with_extension(extension)?
            }
            _ => to.clone(),
        };
        self.root().check_new_names(to, target.name() == source.path.name())?;
        let to = self.root().path_for_new(&target)?;
        if let Some(taken) = self.root().find_exact(&to)? {
            if taken.path != source.path {
                return Err(VaultError::AlreadyExists { path: taken.path });
            }
            // On a file system that ignores case, the same name in another case is a new name for
            // the file.
            if normal_form(taken.path.name()) == normal_form(to.name()) {
                return Ok(Moved { from: source.path, to: taken.path, rewritten: Vec::new() });
            }
        }
        self.catch_up(&writer);
        let rewritten = self.rewrite_links(&source.path, &to, cancel)?;
        let to = self.root().entry_for_new(&to)?.path;
        let from = source.path.clone();
        let mut changes = Vec::with_capacity(rewritten.len() + 1);
        let mut paths = Vec::with_capacity(rewritten.len());
        for change in rewritten {
            paths.push(change.path.clone());
            changes.push(Change::Replace(Box::new(change)));
        }
        let destination = Destination::Vault(to.clone());
        changes.push(Change::Rename { from: source.path, to: destination, version: None });
        writer.commit(self.root(), self.store(), &changes)?;
        Ok(Moved { from, to, rewritten: paths })
    }

    /// Renames a file within its folder, as [`move_note`](Self::move_note) does.
    ///
    /// # Errors
    /// As [`move_note`](Self::move_note); `InvalidPath` if `new_name` is not a single name.
    pub fn rename(
        &self,
        path: &VaultPath,
        new_name: &str,
        if_match: Option<&Etag>,
        cancel: CancelCheck<'_>,
    ) -> Result<Moved> {
        let name = VaultPath::parse(new_name)?;
        if name.segments().count() > 1 {
            return Err(PathError::new(new_name, PathFault::NotAName).into());
        }
        self.move_note(path, &path.folder().child(new_name)?, if_match, cancel)
    }

    /// The files whose links change with a move, in the order of their paths.
    fn rewrite_links(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Replacement>> {
        let format = self.obsidian().link_format;
        let index = self.index(cancel)?;
        let Some(file) = index.names.id(from) else { return Ok(Vec::new()) };
        let renamed = Renamed::new(file, to.clone());
        let (before, after) = (index.names.current(), index.names.after_rename(&renamed));
        let change = links::LinkChange { before, after, format };
        let mut sources: Vec<FileId> = index.files_mentioning(from).to_vec();
        sources.extend_from_slice(index.files_mentioning(to));
        sources.push(file);
        sources.sort_unstable();
        sources.dedup();
        let loses = |source: &FileId| {
            let retargeted = |target: &str| change.may_affect(target, *source);
            let mut all = index.facts(*source).into_iter().flat_map(|facts| facts.targets.iter());
            index.mentions_in(from, *source).chain(index.mentions_in(to, *source)).any(retargeted)
                || *source == file && all.any(retargeted)
        };
        let losing = sources.into_iter().filter(loses);
        let mut losing: Vec<_> =
            losing.filter_map(|source| Some((index.names.path(source)?, source))).collect();
        losing.sort_unstable();
        let mut changes = Vec::with_capacity(losing.len());
        for (path, source) in losing {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            changes.extend(self.rewrite_file(path, source, change, to)?);
        }
        Ok(changes)
    }

    /// A file with its links rewritten; `None` if it no longer exists or no longer has such links.
    fn rewrite_file(
        &self,
        path: &VaultPath,
        source: FileId,
        change: links::LinkChange<'_>,
        to: &VaultPath,
    ) -> Result<Option<Replacement>> {
        let Some(entry) = self.root().find_exact(path)? else { return Ok(None) };
        let old = entry.read()?;
        let Ok(decoded) = Decoded::from_bytes(old.bytes.clone()) else { return Ok(None) };
        let text = &decoded.text;
        let new = if path.is_note() {
            change.rewrite_note(text, source)
        } else {
            change.rewrite_canvas(text, source)
        };
        let new = new.map_err(|Unlinkable(link)| {
            let fault = PathFault::Unlinkable { link, note: path.to_string() };
            PathError::new(to.as_str(), fault)
        })?;
        let encoding = decoded.format.encoding;
        Ok(new.map(|new| Replacement { path: entry.path, old, bytes: encoding.encode(&new) }))
    }
}
