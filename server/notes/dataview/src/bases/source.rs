//! The text of a base: a `.base` file, or a block in a note.

use toolwrit_vault::{Vault, VaultPath};

use super::answer::BaseError;

/// Largest file in bytes (1 MiB).
const SIZE_LIMIT: usize = 1024 * 1024;

/// The path in a reference such as `x.base#View`, and the name of the view if there is one.
pub fn split_view(reference: &str) -> (&str, Option<&str>) {
    let ends_path = |at: &usize| {
        let extension = reference[..*at].rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| {
            ["base", "md"].iter().any(|known| extension.eq_ignore_ascii_case(known))
        })
    };
    // The name of a file may have a `#`, too.
    let found = reference.match_indices('#').map(|(at, _)| at).find(ends_path);
    found.map_or((reference, None), |at| {
        let view = &reference[at + 1..];
        (&reference[..at], (!view.is_empty()).then_some(view))
    })
}

/// The file at a path under its own name, and the base in it: of a note the block with a number, from 1.
pub(super) fn read(
    vault: &Vault,
    path: &VaultPath,
    block: Option<usize>,
) -> Result<(VaultPath, String), BaseError> {
    let source = vault.read(path, Some(SIZE_LIMIT + 1))?;
    if source.truncated || source.content.len() > SIZE_LIMIT {
        return Err(BaseError::Size(SIZE_LIMIT));
    }
    if !source.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md")) {
        return Ok((source.path, source.content));
    }
    let number = block.unwrap_or(1);
    let mut blocks = blocks(&source.content);
    if number == 0 || number > blocks.len() {
        return Err(BaseError::NoBlock { number, blocks: blocks.len() });
    }
    Ok((source.path, blocks.swap_remove(number - 1)))
}

/// A fenced block that is open.
struct Fence {
    mark: char,
    length: usize,
    /// What stands before it on its line: white space, and `>` of quotes.
    indent: usize,
    /// The lines, if the language is `base`.
    content: Option<String>,
}

/// The contents of the fenced blocks of the language `base`, in order. A block without an end goes to the end of the
/// note.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Fence> = None;
    for line in text.lines() {
        let inside = line.trim_start_matches([' ', '\t', '>']);
        let Some(fence) = &mut open else {
            open = opening(inside, line.len() - inside.len());
            continue;
        };
        let length = inside.len() - inside.trim_start_matches(fence.mark).len();
        if length >= fence.length && inside[length..].trim().is_empty() {
            blocks.extend(open.take().and_then(|fence| fence.content));
        } else if let Some(content) = &mut fence.content {
            let before = line.len() - inside.len();
            content.push_str(line.get(before.min(fence.indent)..).unwrap_or(inside));
            content.push('\n');
        }
    }
    blocks.extend(open.and_then(|fence| fence.content));
    blocks
}

fn opening(line: &str, indent: usize) -> Option<Fence> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    // Backticks with another one behind them are code within a line.
    if length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let is_base = info.split_whitespace().next() == Some("base");
    Some(Fence { mark, length, indent, content: is_base.then(String::new) })
}
