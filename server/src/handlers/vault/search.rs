//! `vault.search`, `vault.backlinks` and `vault.tags`: what the index of the notes answers.

use toolwrit_plugins::tasks::{TaskQuery, TaskSettings};
use toolwrit_vault::{
    CancelCheck, CaseSensitivity, Folder, Hit, Result, SearchOptions, SearchPattern, SearchResults,
    Surroundings, TagCount, Vault, VaultError, VaultPath,
};

use super::super::sizes::{to_integer, to_size};
use super::tasks::today;
use crate::operations::{types, vault};

/// Finds notes, or lines of notes.
pub(super) fn search(
    vault: &Vault,
    p: &vault::Search,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Matches> {
    let found = find(vault, p, is_cancelled)?;
    let around = vault.surroundings(&found.hits, to_size(p.context), is_cancelled)?;
    let matches =
        found.hits.into_iter().zip(around).map(|(hit, Surroundings { headings, lines })| {
            types::Match {
                heading: (!headings.is_empty()).then(|| headings.join("::")),
                context: (!lines.is_empty()).then(|| lines.join("\n")),
                ..convert_hit(hit)
            }
        });
    Ok(types::Matches {
        matches: matches.collect(),
        total: to_integer(found.total_hits),
        files: to_integer(found.matching_files),
        not_searched: (found.not_searched > 0).then(|| to_integer(found.not_searched)),
        left_out: (found.left_out > 0).then(|| to_integer(found.left_out)),
    })
}

fn find(vault: &Vault, p: &vault::Search, is_cancelled: CancelCheck<'_>) -> Result<SearchResults> {
    let case =
        if p.case_sensitive { CaseSensitivity::Sensitive } else { CaseSensitivity::Insensitive };
    let folder = Folder::parse(&p.folder)?;
    let options = SearchOptions { limit: to_size(p.limit), per_note: p.per_note.map(to_size) };
    let pattern = match p.mode {
        vault::SearchMode::Text => SearchPattern::text(&p.query),
        vault::SearchMode::Regex => SearchPattern::regex(&p.query, case),
        vault::SearchMode::Glob => SearchPattern::glob(&p.query, case),
        vault::SearchMode::Frontmatter => SearchPattern::frontmatter(&p.query),
        vault::SearchMode::Tag => SearchPattern::tag(&p.query),
        vault::SearchMode::Task => {
            let settings = TaskSettings::read(vault);
            let settings = settings.map_err(|problem| VaultError::Settings { problem })?;
            let query = TaskQuery::parse(&p.query, settings, today())?;
            return vault.find_tasks(&|task| query.accepts(task), &folder, options, is_cancelled);
        }
    }?;
    vault.search_with(&pattern, &folder, options, is_cancelled)
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
        left_out: (found.left_out > 0).then(|| to_integer(found.left_out)),
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
    let (line, text) = hit.excerpt.map(|found| (to_integer(found.line), found.snippet)).unzip();
    types::Match { path, line, text, heading: None, context: None }
}
