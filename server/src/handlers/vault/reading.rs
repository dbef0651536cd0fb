//! `vault.read`: a note, or a part of it.

use toolwrit::dynamic::IntoJson as _;
use toolwrit_vault::document::TEXT_LIMIT;
use toolwrit_vault::target::TargetError;
use toolwrit_vault::{Note, Result, Vault, VaultError, VaultPath};

use super::super::note::{add_outline, requested_part};
use super::super::sizes::{to_integer, to_size};
use crate::operations::{types, vault};

/// Reads the requested part of a note. The answer can contain at most `most` bytes of text.
pub(super) fn read(vault: &Vault, p: &vault::Read, most: usize) -> Result<types::NoteContent> {
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
        return Ok(without_etag_if_cut(convert_note(note), most));
    }
    let parsed = vault.parse(&note.path, std::mem::take(&mut note.content))?;
    let text = parsed.text();
    let kept = text.floor_char_boundary(most);
    note.truncated |= kept < text.len();
    text[..kept].clone_into(&mut note.content);
    let mut content = convert_note(note);
    add_outline(&mut content, parsed.document());
    Ok(without_etag_if_cut(content, most))
}

/// Removes the etag of an answer that is longer than `most` bytes of JSON. The engine cuts it, its text as well.
fn without_etag_if_cut(mut content: types::NoteContent, most: usize) -> types::NoteContent {
    let is_cut = content.clone().into_json().to_string().len() > most;
    content.etag = content.etag.filter(|_| !is_cut);
    content
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

fn missing_part(path: &VaultPath, reason: TargetError) -> VaultError {
    VaultError::NoSuchPart { path: path.clone(), reason }
}
