//! A site in memory, for a server.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use toolwrit_manifest::Model;

use crate::cost::SurfaceCost;
use crate::guide;
use crate::reference::JoinedOperation;
use crate::site::{DocsError, Rendering, SearchField, folder_in, io_error};

/// mdBook's page for unknown addresses. A server has its own.
const NOT_FOUND: &str = "404.html";

/// A site for a server. Its search field queries the server, at `search` next to the front page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedSite {
    /// The content of each file, by its path with `/`. The front page is `index.html`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// mdBook's inline scripts, so that a server can forbid all others.
    pub scripts: BTreeSet<String>,
}

/// Builds the site of a manifest and of the operations that have joined, for callers who may see all of them.
///
/// # Errors
/// [`DocsError::Io`] and [`DocsError::Render`] if the site cannot be built, which needs a temporary
/// folder.
pub fn serve(
    model: &Model,
    surfaces: &[SurfaceCost],
    joined: &[JoinedOperation],
) -> Result<ServedSite, DocsError> {
    let staging = folder_in(&env::temp_dir())?;
    let site = Rendering { model, surfaces, joined, search: SearchField::Served };
    let site = site.render(&staging)?;
    let mut files = read(&site.folder)?;
    let scripts = scripts(&files);
    files.remove(NOT_FOUND);
    Ok(ServedSite { files, scripts })
}

/// All files below a folder, except hidden ones.
fn read(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, DocsError> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(io_error("read", &folder))? {
            let path = entry.map_err(io_error("read", &folder))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let name = format!("{prefix}{name}");
            if path.is_dir() {
                folders.push((path, format!("{name}/")));
            } else if !name.starts_with('.') {
                files.insert(name, fs::read(&path).map_err(io_error("read", &path))?);
            }
        }
    }
    Ok(files)
}

/// The inline scripts of two pages without text from the manifest: one in the root, one in a
/// folder. So a text that was not escaped cannot add a script of its own.
fn scripts(files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
    let guide = guide::part().pages.into_iter().next();
    let guide = guide.map(|page| page.path.replace(".md", ".html"));
    let pages = [Some(NOT_FOUND.to_owned()), guide].into_iter().flatten();
    let texts = pages.filter_map(|page| str::from_utf8(files.get(&page)?).ok());
    texts.flat_map(|page| page.split("<script>").skip(1)).filter_map(inner).collect()
}

/// The text of a script, given what follows its opening tag.
fn inner(rest: &str) -> Option<String> {
    rest.split_once("</script>").map(|(script, _)| script.to_owned())
}
