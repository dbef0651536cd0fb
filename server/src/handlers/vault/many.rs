//! `vault.tag` and `vault.bulk_properties`: changes of many notes as one.

use toolwrit::{Fault, Result};
use toolwrit_vault::document::TagName;
use toolwrit_vault::frontmatter::Properties;
use toolwrit_vault::{
    CancelCheck, CaseSensitivity, ChangeMode, Folder, ManyChanged, NoteChoice, PropertyChange,
    SearchPattern, TagChange, TagEdit, TagPlace, Vault, VaultError, VaultPath,
};

use super::super::sizes::to_integer;
use crate::faults::fault;
use crate::operations::{types, vault};

/// Adds, removes or renames tags.
pub(super) fn tag(
    vault: &Vault,
    p: &vault::Tag,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::NotesChanged> {
    let choice = choose_tagged(p)?;
    let edit = parse_tag_edit(p)?;
    let place = match (&edit, p.place) {
        (TagEdit::Add(_), None | Some(vault::TagPlace::Frontmatter)) => TagPlace::Frontmatter,
        (TagEdit::Add(_), Some(_)) => {
            return Err(Fault::validation("Tags are added to the frontmatter only.")
                .with_path("/place")
                .expecting("frontmatter")
                .hinting("`vault.append` and `vault.patch` add text with a tag."));
        }
        (_, Some(vault::TagPlace::Frontmatter)) => TagPlace::Frontmatter,
        (_, Some(vault::TagPlace::Inline)) => TagPlace::Inline,
        (_, None | Some(vault::TagPlace::Both)) => TagPlace::Both,
    };
    let change = TagChange { edit, place, nested: p.nested };
    let changed = vault.change_tags(&choice, &change, mode(p.dry_run), is_cancelled);
    Ok(convert(changed.map_err(fault)?, p.dry_run))
}

/// Sets, removes and renames properties.
pub(super) fn bulk_properties(
    vault: &Vault,
    p: vault::BulkProperties,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::NotesChanged> {
    let choice = match (&p.r#match, &p.paths) {
        (Some(pattern), None) => NoteChoice::Matching(parse_pattern(pattern, p.mode)?),
        (None, Some(paths)) => NoteChoice::Named(parse_paths(paths)?),
        _ => {
            let message = "The notes are named by one of `match` and `paths`.";
            return Err(Fault::validation(message).expecting("match or paths"));
        }
    };
    let rename = p.rename.unwrap_or_default().into_iter().collect();
    let set: Properties = p.set.unwrap_or_default().into_iter().collect();
    let change =
        PropertyChange::new(rename, p.remove.unwrap_or_default(), set).map_err(|error| {
            Fault::validation(toolwrit_text::to_sentence(&error.to_string()))
                .expecting("set, remove or rename, with each property in one of them")
        })?;
    let changed = vault.change_properties(&choice, &change, mode(p.dry_run), is_cancelled);
    Ok(convert(changed.map_err(fault)?, p.dry_run))
}

/// The notes whose tags are meant: those that are named, those of a folder, or all.
fn choose_tagged(p: &vault::Tag) -> Result<NoteChoice> {
    match (&p.paths, &p.folder) {
        (Some(_), Some(_)) => {
            let message = "The notes are named by one of `paths` and `folder`.";
            Err(Fault::validation(message).with_path("/folder").expecting("paths or folder"))
        }
        (Some(paths), None) => Ok(NoteChoice::Named(parse_paths(paths)?)),
        (None, Some(folder)) => {
            let folder = Folder::parse(folder);
            Ok(NoteChoice::Below(folder.map_err(|error| fault(error.into()).with_path("/folder"))?))
        }
        (None, None) if p.action == vault::TagAction::Add => {
            let message = "It is not said which notes get the tags.";
            Err(Fault::validation(message)
                .with_path("/paths")
                .expecting("paths, or folder; an empty folder means the whole vault"))
        }
        (None, None) => Ok(NoteChoice::Below(Folder::ROOT)),
    }
}

fn parse_tag_edit(p: &vault::Tag) -> Result<TagEdit> {
    let parse = |place: String, tag: &str| {
        TagName::parse(tag).map_err(|error| fault(error.into()).with_path(place))
    };
    let tags = p.tags.iter().enumerate();
    let tags =
        tags.map(|(number, tag)| parse(format!("/tags/{number}"), tag)).collect::<Result<_>>()?;
    match (&p.action, &p.to) {
        (vault::TagAction::Add, None) => Ok(TagEdit::Add(tags)),
        (vault::TagAction::Remove, None) => Ok(TagEdit::Remove(tags)),
        (vault::TagAction::Rename, Some(to)) => {
            Ok(TagEdit::Rename(tags, parse("/to".to_owned(), to)?))
        }
        (vault::TagAction::Rename, None) => {
            Err(Fault::validation("A renamed tag needs a new name.")
                .with_path("/to")
                .expecting("a tag"))
        }
        (_, Some(_)) => Err(Fault::validation("Only a renamed tag has a new name.")
            .with_path("/to")
            .expecting("action: rename")),
    }
}

fn parse_paths(paths: &[String]) -> Result<Vec<VaultPath>> {
    let parse = |(number, path): (usize, &String)| {
        let parsed = VaultPath::parse(path);
        parsed.map_err(|error| fault(error.into()).with_path(format!("/paths/{number}")))
    };
    paths.iter().enumerate().map(parse).collect()
}

fn parse_pattern(pattern: &str, mode: vault::BulkPropertiesMode) -> Result<SearchPattern> {
    let exact = CaseSensitivity::Sensitive;
    let parsed = match mode {
        vault::BulkPropertiesMode::Glob => SearchPattern::glob(pattern, exact),
        vault::BulkPropertiesMode::Regex => SearchPattern::regex(pattern, exact),
        vault::BulkPropertiesMode::Frontmatter => SearchPattern::frontmatter(pattern),
        vault::BulkPropertiesMode::Text => {
            SearchPattern::literal(pattern, CaseSensitivity::Insensitive)
        }
    };
    parsed.map_err(|error: VaultError| fault(error).with_path("/match"))
}

fn mode(dry_run: bool) -> ChangeMode {
    if dry_run { ChangeMode::Preview } else { ChangeMode::Change }
}

fn convert(changed: ManyChanged, dry_run: bool) -> types::NotesChanged {
    let notes = changed.notes.into_iter().map(|note| types::NoteChanged {
        path: note.path.to_string(),
        changes: to_integer(note.changes),
        etag: (!dry_run).then(|| note.etag.to_string()),
    });
    let skipped = changed.skipped.into_iter().map(|note| types::NoteSkipped {
        path: note.path.to_string(),
        reason: note.reason.to_string(),
    });
    types::NotesChanged { notes: notes.collect(), skipped: skipped.collect(), undo: None }
}
