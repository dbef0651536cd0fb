//! `vault.*`: operations on files and folders of the vault.

use std::num::NonZeroUsize;
use std::sync::Arc;

use toolwrit::{Context, Result, Timestamp};
use toolwrit_plugins::Moment;
use toolwrit_plugins::daily::{Daily, DailyState, Day, IfAbsent, daily};
use toolwrit_vault::document::TEXT_LIMIT;
use toolwrit_vault::target::TargetError;
use toolwrit_vault::{
    BulkDeletion, BulkMode, BulkOutcome, CancelCheck, CaseSensitivity, Deletable, Deleted, Depth,
    Disposal, EntryKind, Etag, FileState, Folder, Hit, IfMissing, ListOrder, Note, PathGlob,
    SearchPattern, TagCount, Vault, VaultError, VaultPath, WriteMode,
};

use super::base;
use super::note::{add_outline, convert_patch, requested_part};
use super::sizes::{to_integer, to_size};
use crate::app::Vaults;
use crate::faults::{daily_fault, fault};
use crate::operations::{types, vault};

impl vault::Handlers for Vaults {
    async fn read(&self, cx: &Context, p: vault::Read) -> Result<vault::ReadResult> {
        let most = usize::try_from(cx.result_bytes()).unwrap_or(usize::MAX);
        self.with_vault(cx, move |vault, _| read_note(vault, &p, most)).await
    }

    async fn patch(&self, cx: &Context, p: vault::Patch) -> Result<vault::PatchResult> {
        self.with_vault(cx, move |vault, _| {
            let path = VaultPath::parse(&p.path)?;
            let if_match = p.if_match.as_deref().map(Etag::from);
            let change = convert_patch(p)
                .map_err(|reason| VaultError::NotPatched { path: path.clone(), reason })?;
            Ok(convert_written(&vault.patch(&path, &change, if_match.as_ref())?))
        })
        .await
    }

    async fn write(&self, cx: &Context, p: vault::Write) -> Result<vault::WriteResult> {
        self.with_vault(cx, move |vault, _| {
            let path = VaultPath::parse(&p.path)?;
            let mode = match p.mode {
                vault::WriteMode::Overwrite => WriteMode::Overwrite,
                vault::WriteMode::Create => WriteMode::CreateOnly,
            };
            let if_match = p.if_match.as_deref().map(Etag::from);
            Ok(convert_written(&vault.write(&path, &p.content, mode, if_match.as_ref())?))
        })
        .await
    }

    async fn append(&self, cx: &Context, p: vault::Append) -> Result<vault::AppendResult> {
        self.with_vault(cx, move |vault, _| {
            let path = VaultPath::parse(&p.path)?;
            let if_missing = if p.create { IfMissing::Create } else { IfMissing::Fail };
            let if_match = p.if_match.as_deref().map(Etag::from);
            Ok(convert_written(&vault.append(&path, &p.content, if_missing, if_match.as_ref())?))
        })
        .await
    }

    async fn daily(&self, cx: &Context, p: vault::Daily) -> Result<vault::DailyResult> {
        let vault = self.vault.clone();
        cx.blocking(move |is_cancelled| {
            let day = Day::from(p.date.as_str());
            let if_absent = if p.dry_run { IfAbsent::Preview } else { IfAbsent::Create };
            let found = daily(&vault, &day, &Moment::now(), if_absent, is_cancelled);
            found.map(convert_daily).map_err(daily_fault)
        })
        .await
    }

    async fn r#move(&self, cx: &Context, p: vault::Move) -> Result<vault::MoveResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let (from, to) = (VaultPath::parse(&p.path)?, VaultPath::parse(&p.to)?);
            let if_match = p.if_match.as_deref().map(Etag::from);
            Ok(convert_moved(&vault.move_note(&from, &to, if_match.as_ref(), cancelled)?))
        })
        .await
    }

    async fn rename(&self, cx: &Context, p: vault::Rename) -> Result<vault::RenameResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let path = VaultPath::parse(&p.path)?;
            let if_match = p.if_match.as_deref().map(Etag::from);
            Ok(convert_moved(&vault.rename(&path, &p.name, if_match.as_ref(), cancelled)?))
        })
        .await
    }

    async fn list(&self, cx: &Context, p: vault::List) -> Result<vault::ListResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let folder = Folder::parse(&p.folder)?;
            let glob = p.glob.as_deref().map(PathGlob::parse).transpose()?;
            let levels = p.depth.and_then(|levels| NonZeroUsize::new(to_size(levels)));
            let depth = match levels {
                Some(levels) => Depth::levels(levels),
                None if p.recursive => Depth::DEEP,
                None => Depth::SHALLOW,
            };
            let mut listing = vault.list(&folder, depth, glob.as_ref(), cancelled)?;
            let order = match p.sort {
                types::ListSort::Path => ListOrder::Path,
                types::ListSort::Modified => ListOrder::Modified,
                types::ListSort::Size => ListOrder::Size,
            };
            vault.sort(&mut listing.entries, order);
            let total = listing.entries.len();
            let entries = listing.entries.into_iter().skip(to_size(p.offset));
            let entries: Vec<_> = entries.take(to_size(p.limit)).collect();
            let stats = if p.details { vault.stat(&entries) } else { vec![None; entries.len()] };
            let entries = entries.into_iter().zip(stats).map(|(entry, stat)| types::Entry {
                path: entry.path.to_string(),
                kind: match entry.kind {
                    EntryKind::Note => types::EntryKind::Note,
                    EntryKind::Attachment => types::EntryKind::Attachment,
                    EntryKind::Folder => types::EntryKind::Folder,
                },
                size: stat.map(|stat| to_integer(stat.size)),
                modified: stat.and_then(|stat| stat.modified),
            });
            Ok(types::Listing {
                entries: entries.collect(),
                total: to_integer(total),
                left_out: (listing.left_out > 0).then(|| to_integer(listing.left_out)),
            })
        })
        .await
    }

    async fn search(&self, cx: &Context, p: vault::Search) -> Result<vault::SearchResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let case = if p.case_sensitive {
                CaseSensitivity::Sensitive
            } else {
                CaseSensitivity::Insensitive
            };
            let pattern = match p.mode {
                vault::SearchMode::Text => SearchPattern::text(&p.query),
                vault::SearchMode::Regex => SearchPattern::regex(&p.query, case),
                vault::SearchMode::Glob => SearchPattern::glob(&p.query, case),
                vault::SearchMode::Frontmatter => SearchPattern::frontmatter(&p.query),
            }?;
            let folder = Folder::parse(&p.folder)?;
            let found = vault.search(&pattern, &folder, to_size(p.limit), cancelled)?;
            Ok(types::Matches {
                matches: found.hits.into_iter().map(convert_hit).collect(),
                total: to_integer(found.total_hits),
                files: to_integer(found.matching_files),
                not_searched: (found.not_searched > 0).then(|| to_integer(found.not_searched)),
            })
        })
        .await
    }

    async fn backlinks(&self, cx: &Context, p: vault::Backlinks) -> Result<vault::BacklinksResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let path = VaultPath::parse(&p.path)?;
            let found = vault.backlinks(&path, to_size(p.limit), cancelled)?;
            Ok(types::Backlinks {
                path: found.path.to_string(),
                links: found.links.into_iter().map(convert_hit).collect(),
                files: to_integer(found.files),
                truncated: found.truncated.then_some(true),
            })
        })
        .await
    }

    async fn tags(&self, cx: &Context, p: vault::Tags) -> Result<vault::TagsResult> {
        self.with_vault(cx, move |vault, cancelled| {
            let found = vault.tags(&Folder::parse(&p.folder)?, cancelled)?;
            let total = to_integer(found.len());
            let convert =
                |tag: TagCount| types::TagCount { tag: tag.tag, notes: to_integer(tag.notes) };
            let tags = found.into_iter().take(to_size(p.limit)).map(convert).collect();
            Ok(types::Tags { tags, total })
        })
        .await
    }

    async fn base(&self, cx: &Context, p: vault::Base) -> Result<vault::BaseResult> {
        let dataview = Arc::clone(&self.dataview);
        cx.blocking(move |is_cancelled| base::show(&dataview, &p, is_cancelled)).await
    }

    async fn delete(&self, cx: &Context, p: vault::Delete) -> Result<vault::DeleteResult> {
        let confirmed = cx.confirmed();
        self.with_vault(cx, move |vault, _| {
            let path = VaultPath::parse(&p.path)?;
            let if_match = p.if_match.as_deref().map(Etag::from);
            if p.dry_run {
                return Ok(preview_deletion(&vault.deletable(&path, if_match.as_ref())?));
            }
            let is_confirmed = |file: &_| confirmed.covers(preview_deletion(file));
            Ok(convert_deleted(vault.delete_if(&path, if_match.as_ref(), &is_confirmed)?))
        })
        .await
    }

    async fn bulk_delete(
        &self,
        cx: &Context,
        p: vault::BulkDelete,
    ) -> Result<vault::BulkDeleteResult> {
        let confirmed = cx.confirmed();
        self.with_vault(cx, move |vault, cancelled| {
            let exact = CaseSensitivity::Sensitive;
            let pattern = match p.mode {
                vault::BulkDeleteMode::Glob => SearchPattern::glob(&p.r#match, exact),
                vault::BulkDeleteMode::Regex => SearchPattern::regex(&p.r#match, exact),
                vault::BulkDeleteMode::Frontmatter => SearchPattern::frontmatter(&p.r#match),
                // Not the ranked search, which also finds notes with some of the words.
                vault::BulkDeleteMode::Text => {
                    SearchPattern::literal(&p.r#match, CaseSensitivity::Insensitive)
                }
            }?;
            let is_confirmed = |foreseen: &_| confirmed.covers(convert_bulk_deletion(foreseen));
            let mode = if p.dry_run { BulkMode::DryRun } else { BulkMode::DeleteIf(&is_confirmed) };
            Ok(convert_bulk_deletion(&vault.bulk_delete(&pattern, mode, cancelled)?))
        })
        .await
    }
}

impl Vaults {
    /// Runs blocking work on the vault, outside the async threads.
    async fn with_vault<T: Send + 'static>(
        &self,
        cx: &Context,
        work: impl FnOnce(&Vault, CancelCheck<'_>) -> toolwrit_vault::Result<T> + Send + 'static,
    ) -> Result<T> {
        let vault = self.vault.clone();
        cx.blocking(move |cancelled| {
            let done = work(&vault, cancelled).map_err(fault);
            // Start building the index after the first answer, which need not wait for it. Later
            // searches then find it built.
            vault.start_index();
            done
        })
        .await
    }
}

/// Reads the requested part of a note. The answer can contain at most `most` bytes of text.
fn read_note(
    vault: &Vault,
    p: &vault::Read,
    most: usize,
) -> toolwrit_vault::Result<types::NoteContent> {
    let path = VaultPath::parse(&p.path)?;
    let max_bytes = p.max_bytes.map(to_size);
    let has_outline = matches!(p.format, types::NoteFormat::Json);
    // The outline covers the whole text, even if less of it is shown. Reading one byte beyond the limit of
    // the parser shows that a text is too long.
    let text_limit = if has_outline { TEXT_LIMIT + 1 } else { most };
    let bounded = Some(max_bytes.map_or(text_limit, |asked| asked.min(text_limit)));
    let mut note = match requested_part(p).map_err(|reason| missing_part(&path, reason))? {
        Some(part) => vault.read_part(&path, &part, bounded)?,
        None if has_outline => vault.read_structured(&path, max_bytes)?,
        None => vault.read(&path, bounded)?,
    };
    if !has_outline {
        return Ok(convert_note(note));
    }
    let parsed = vault.parse(&note.path, std::mem::take(&mut note.content))?;
    let text = parsed.text();
    let kept = text.floor_char_boundary(most);
    note.truncated |= kept < text.len();
    text[..kept].clone_into(&mut note.content);
    let mut content = convert_note(note);
    add_outline(&mut content, parsed.document());
    Ok(content)
}

fn convert_note(note: Note) -> types::NoteContent {
    types::NoteContent {
        path: note.path.to_string(),
        // A part that is taken for the whole note and written back would lose the rest.
        etag: (!note.truncated).then(|| note.etag.to_string()),
        size: to_integer(note.size),
        modified: note.modified,
        frontmatter: None,
        frontmatter_error: None,
        tags: None,
        links: None,
        headings: None,
        truncated: note.truncated.then_some(true),
        content: note.content,
    }
}

fn convert_written(written: &toolwrit_vault::Written) -> types::Written {
    types::Written {
        path: written.path.to_string(),
        etag: written.etag.to_string(),
        size: to_integer(written.size),
        created: written.created,
    }
}

fn convert_daily(daily: Daily) -> types::DailyNote {
    let (outcome, etag) = match daily.state {
        DailyState::Found(etag) => (types::DailyNoteOutcome::Found, Some(etag)),
        DailyState::Created(etag) => (types::DailyNoteOutcome::Created, Some(etag)),
        DailyState::Absent => (types::DailyNoteOutcome::WouldCreate, None),
    };
    types::DailyNote {
        path: daily.path.to_string(),
        date: daily.date,
        outcome,
        content: daily.content,
        etag: etag.map(|etag| etag.to_string()),
    }
}

fn convert_moved(moved: &toolwrit_vault::Moved) -> types::Moved {
    let rewritten: Vec<String> = moved.rewritten.iter().map(ToString::to_string).collect();
    types::Moved {
        from: moved.from.to_string(),
        to: moved.to.to_string(),
        rewritten: (!rewritten.is_empty()).then_some(rewritten),
    }
}

fn convert_deleted(deleted: Deleted) -> types::Deleted {
    let (disposal, trashed_as) = match deleted.disposal {
        Disposal::SystemTrash => (types::DeletedDisposal::SystemTrash, None),
        Disposal::VaultTrash(path) => (types::DeletedDisposal::VaultTrash, Some(path)),
        Disposal::Permanent => (types::DeletedDisposal::Permanent, None),
    };
    types::Deleted {
        path: deleted.path.to_string(),
        disposal,
        etag: None,
        size: None,
        modified: None,
        trashed_as,
        warning: deleted.warning,
    }
}

fn preview_deletion(file: &Deletable) -> types::Deleted {
    let disposal = if file.is_permanent {
        types::DeletedDisposal::WouldDeletePermanently
    } else {
        types::DeletedDisposal::WouldTrash
    };
    let (etag, size, modified) = convert_state(&file.state);
    let path = file.path.to_string();
    types::Deleted { path, disposal, etag, size, modified, trashed_as: None, warning: None }
}

/// The etag of a file; for a file that is too large to be read, its size and modification time instead.
fn convert_state(state: &FileState) -> (Option<String>, Option<i64>, Option<Timestamp>) {
    match state {
        FileState::Read(etag) => (Some(etag.to_string()), None, None),
        FileState::Unread { size, modified } => (None, Some(to_integer(*size)), *modified),
    }
}

fn convert_bulk_deletion(deletion: &BulkDeletion) -> types::BulkDeletion {
    let items = deletion.outcomes.iter().map(convert_bulk_outcome).collect();
    types::BulkDeletion { total: to_integer(deletion.outcomes.len()), items }
}

fn convert_bulk_outcome(outcome: &BulkOutcome) -> types::BulkItem {
    let (mut etag, mut size, mut modified) = (None, None, None);
    let (path, outcome, detail) = match outcome {
        BulkOutcome::Would(file) => {
            (etag, size, modified) = convert_state(&file.state);
            let detail = file.is_permanent.then(|| "permanently".to_owned());
            (&file.path, types::BulkItemOutcome::WouldDelete, detail)
        }
        BulkOutcome::Deleted(deleted) => {
            let to = match &deleted.disposal {
                Disposal::VaultTrash(path) => Some(path.clone()),
                Disposal::SystemTrash | Disposal::Permanent => deleted.warning.clone(),
            };
            (&deleted.path, types::BulkItemOutcome::Deleted, to)
        }
        BulkOutcome::Failed(path, error) => {
            (path, types::BulkItemOutcome::Failed, Some(error.to_string()))
        }
    };
    types::BulkItem { path: path.to_string(), outcome, etag, size, modified, detail }
}

fn convert_hit(hit: Hit) -> types::Match {
    let path = hit.path.to_string();
    match hit.excerpt {
        Some(excerpt) => {
            types::Match { path, line: Some(to_integer(excerpt.line)), text: Some(excerpt.snippet) }
        }
        None => types::Match { path, line: None, text: None },
    }
}

fn missing_part(path: &VaultPath, reason: TargetError) -> VaultError {
    VaultError::NoSuchPart { path: path.clone(), reason }
}
