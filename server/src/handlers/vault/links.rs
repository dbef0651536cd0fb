//! `vault.links`.

use toolwrit::{Fault, Result};
use toolwrit_vault::{CancelCheck, Folder, FoundLink, LinkDirection, Vault, VaultPath};

use super::super::sizes::{to_integer, to_size};
use crate::faults::fault;
use crate::operations::{types, vault};

/// Lists what a note links to, the notes near it, or links that name no file.
pub(super) fn links(
    vault: &Vault,
    p: &vault::Links,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Links> {
    let parse = |path: &String| {
        VaultPath::parse(path).map_err(|error| fault(error.into()).with_path("/path"))
    };
    let path = p.path.as_ref().map(parse).transpose()?;
    let limit = to_size(p.limit);
    let found = match (&p.kind, path) {
        (vault::LinksKind::Unresolved, None) => {
            let folder = Folder::parse(p.folder.as_deref().unwrap_or_default());
            let folder = folder.map_err(|error| fault(error.into()).with_path("/folder"))?;
            vault.unresolved_links(&folder, limit, is_cancelled)
        }
        _ if p.folder.is_some() => {
            return Err(Fault::validation("A folder has only unresolved links, of all its notes.")
                .with_path("/folder")
                .expecting("kind: unresolved, without a path"));
        }
        (_, None) => {
            return Err(Fault::validation("It is not said which note is meant.")
                .with_path("/path")
                .expecting("a path, or kind: unresolved"));
        }
        (vault::LinksKind::Unresolved, Some(path)) => {
            vault.links_of(&path, true, limit, is_cancelled)
        }
        (vault::LinksKind::Out, Some(path)) => vault.links_of(&path, false, limit, is_cancelled),
        (vault::LinksKind::Neighbours, Some(path)) => {
            let direction = match p.direction {
                vault::LinksDirection::Out => LinkDirection::Out,
                vault::LinksDirection::In => LinkDirection::In,
                vault::LinksDirection::Both => LinkDirection::Both,
            };
            vault.neighbours(&path, direction, to_size(p.depth), limit, is_cancelled)
        }
    };
    let found = found.map_err(fault)?;
    let links = found.links.into_iter().map(convert).collect();
    Ok(types::Links { links, total: to_integer(found.total) })
}

fn convert(link: FoundLink) -> types::LinkFound {
    let sources: Vec<String> = link.sources.iter().map(ToString::to_string).collect();
    types::LinkFound {
        path: link.path.map(|path| path.to_string()),
        target: link.target,
        line: link.line.map(to_integer),
        depth: link.depth.map(to_integer),
        count: to_integer(link.count),
        sources: (!sources.is_empty()).then_some(sources),
    }
}
