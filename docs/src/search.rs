//! What the search of a site without a server finds. `theme/search.js` ranks these entries.

use serde::Serialize;

use crate::entry::{Entry, Kind};
use crate::page::Page;

/// The file of the index. It is a script, because pages that a browser opens from a folder can load no data.
pub(crate) const FILE: &str = "search-index.js";

/// An entry with the address of its place.
#[derive(Serialize)]
struct Indexed<'a> {
    page: String,
    #[serde(flatten)]
    entry: &'a Entry,
}

/// The script that holds the entries of these pages, but for operations if a server finds them.
pub(crate) fn index_script<'a>(
    pages: impl Iterator<Item = &'a Page>,
    finds_operations: bool,
) -> String {
    let entries = pages.flat_map(|page| page.entries.iter().map(move |entry| (page, entry)));
    let entries = entries.filter(|(_, entry)| finds_operations || entry.kind != Kind::Operation);
    let lines = entries.map(|(page, entry)| {
        let anchor = if entry.anchor.is_empty() { "" } else { "#" };
        let page = format!("{}.html{anchor}{}", page.path, entry.anchor);
        #[expect(clippy::expect_used, reason = "an entry has only texts and lists of them")]
        serde_json::to_string(&Indexed { page, entry }).expect("the entry can be written as JSON")
    });
    let lines: Vec<String> = lines.collect();
    format!("globalThis.toolwritIndex = [\n{}\n];\n", lines.join(",\n"))
}
