//! `vault.search`, `vault.backlinks` and `vault.tags`: what the index of the notes answers.

use toolwrit_vault::{
    CancelCheck, CaseSensitivity, Folder, Hit, Result, SearchPattern, TagCount, Vault, VaultPath,
};

use super::super::sizes::{to_integer, to_size};
use crate::operations::{types, vault};

/// Finds notes, or lines of notes.
pub(super) fn search(
    vault: &Vault,
    p: &vault::Search,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Matches> {
    let case =
        if p.case_sensitive { CaseSensitivity::Sensitive } else { CaseSensitivity::Insensitive };
    let pattern = match p.mode {
        vault::SearchMode::Text => SearchPattern::text(&p.query),
        vault::SearchMode::Regex => SearchPattern::regex(&p.query, case),
        vault::SearchMode::Glob => SearchPattern::glob(&p.query, case),
        vault::SearchMode::Frontmatter => SearchPattern::frontmatter(&p.query),
    }?;
    let folder = Folder::parse(&p.folder)?;
    let found = vault.search(&pattern, &folder, to_size(p.limit), is_cancelled)?;
    Ok(types::Matches {
        matches: found.hits.into_iter().map(convert_hit).collect(),
        total: to_integer(found.total_hits),
        files: to_integer(found.matching_files),
        not_searched: (found.not_searched > 0).then(|| to_integer(found.not_searched)),
    })
}

/// Lists the links to a note.
pub(super) fn backlinks(
    vault: &Vault,
    p: &vault::Backlinks,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Backlinks> {
    let path = VaultPath::parse(&p.path)?;
    let found = vault.backlinks(&path, to_size(p.limit), is_cancelled)?;
    Ok(types::Backlinks {
        path: found.path.to_string(),
        links: found.links.into_iter().map(convert_hit).collect(),
        files: to_integer(found.files),
        truncated: found.truncated.then_some(true),
    })
}

/// Counts the tags in use.
pub(super) fn tags(
    vault: &Vault,
    p: &vault::Tags,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Tags> {
    let found = vault.tags(&Folder::parse(&p.folder)?, is_cancelled)?;
    let total = to_integer(found.len());
    let convert = |tag: TagCount| types::TagCount { tag: tag.tag, notes: to_integer(tag.notes) };
    let tags = found.into_iter().take(to_size(p.limit)).map(convert).collect();
    Ok(types::Tags { tags, total })
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
