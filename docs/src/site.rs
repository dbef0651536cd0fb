//! Puts the pages of a site together: as files in a folder, or in memory for a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolwrit_manifest::Model;

use crate::cost::SurfaceCost;
use crate::folder::{DocsError, OutputFolder};
use crate::frame::{self, Frame};
use crate::page::Book;
use crate::reference::{self, ProviderOperations};
use crate::{front, guide, llms, notice, search, twin};

/// A site that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The page to open first.
    pub index: PathBuf,
    /// How many pages it has.
    pub pages: usize,
}

/// Builds the site of a manifest, whose program has this version, in `out`, which is created if it is missing. With an older manifest,
/// a page has what changed since.
///
/// An existing site of ours is replaced as a whole; it stays unchanged if the build fails. The same manifest and the
/// same costs give the same bytes.
///
/// # Errors
/// [`DocsError::Foreign`] if `out` is a file, or a folder with other content; [`DocsError::Io`] if the site cannot be
/// written.
pub fn build(
    model: &Model,
    version: &str,
    older: Option<&Model>,
    surfaces: &[SurfaceCost],
    out: &Path,
) -> Result<Site, DocsError> {
    let target = OutputFolder::open(out)?;
    let Files { files, pages } = collect_files(
        Models { model, version, older },
        surfaces,
        &ProviderOperations::default(),
        false,
    );
    target.write(&files)?;
    Ok(Site { index: out.join("index.html"), pages })
}

/// Builds the site of a manifest and of what providers add and withhold now, for callers who may see all of them. Its
/// search field queries the server, at `search` next to the front page.
///
/// Returns the content of each file, by its path with `/`. The front page is `index.html`.
pub fn serve(
    model: &Model,
    version: &str,
    surfaces: &[SurfaceCost],
    now: &ProviderOperations,
) -> BTreeMap<String, Vec<u8>> {
    collect_files(Models { model, version, older: None }, surfaces, now, true).files
}

/// The files of a site, and how many pages they are.
struct Files {
    files: BTreeMap<String, Vec<u8>>,
    pages: usize,
}

/// A manifest with the version of its program, and an older one to compare it with.
#[derive(Clone, Copy)]
struct Models<'a> {
    model: &'a Model,
    version: &'a str,
    older: Option<&'a Model>,
}

fn collect_files(
    models: Models<'_>,
    surfaces: &[SurfaceCost],
    now: &ProviderOperations,
    is_served: bool,
) -> Files {
    let Models { model, version, older } = models;
    let parts = [
        guide::part(model, Book::Use),
        guide::part(model, Book::Build),
        reference::operations(model, now),
        reference::part(model, older, surfaces),
    ];
    let front = front::page(model, &parts);
    let title = front::title(model);
    let frame = Frame::new(title, version, is_served, &parts);
    let in_books =
        parts.iter().flat_map(|part| part.pages.iter().map(|page| (page, Some(part.book))));
    let all = || in_books.clone().chain([(&front, None)]);
    let mut files = BTreeMap::new();
    for (page, book) in all() {
        files.insert(format!("{}.html", page.path), frame.draw(page, book).into_bytes());
        files.insert(
            format!("{}.{}", page.path, twin::EXTENSION),
            twin::to_markdown(page).into_bytes(),
        );
    }
    let index = search::index_script(all().map(|(page, _)| page), !is_served);
    files.insert(search::FILE.to_owned(), index.into_bytes());
    files.insert(llms::FILE.to_owned(), llms::write(&front, &parts).into_bytes());
    let theme = frame::FILES.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    files.extend(theme);
    // A server answers for itself.
    if !is_served {
        files.insert(notice::FILE.to_owned(), notice::not_found_page().into_bytes());
    }
    Files { files, pages: all().count() }
}
