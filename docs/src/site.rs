//! Renders pages as a folder of HTML. The new site is built next to the old one and replaces it as
//! a whole. A site for a server is read into memory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mdbook_driver::MDBook;
use mdbook_driver::config::{Config, HtmlConfig, Search, SearchChapterSettings};
use tempfile::TempDir;
use toolwrit_manifest::Model;

use crate::cost::SurfaceCost;
use crate::page::{Chapter, Part};
use crate::reference::JoinedOperation;
use crate::{guide, reference, summary};

/// Marks a folder with a site of ours, which the next build may replace.
const MARKER: &str = ".toolwrit-site";
const MARKER_TEXT: &str = "Written by `toolwrit docs build`, which replaces the whole folder.\n";

const THEME: &str = include_str!("theme/toolwrit.css");
const THEME_FILE: &str = "theme/toolwrit.css";
const SEARCH: &str = include_str!("theme/search.js");
const SEARCH_FILE: &str = "theme/search.js";

/// What the search field of a site queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchField {
    /// mdBook's own search, for all pages.
    Alone,
    /// The server for operations, and mdBook's search for the rest.
    Served,
}

/// A site that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The page to open first.
    pub index: PathBuf,
    /// How many pages it has.
    pub pages: usize,
}

/// Why a site could not be built. The folder is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum DocsError {
    /// The folder has other content.
    #[error(
        "`{}` contains something other than a site built by this command; \
         name an empty or new folder",
        .0.display()
    )]
    Foreign(PathBuf),
    /// A file or folder could not be read or written.
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        /// The step that failed, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// mdBook could not render the pages.
    #[error("the pages could not be rendered: {0}")]
    Render(String),
}

/// Builds the site of a manifest in `out`, which is created if it is missing.
///
/// An existing site of ours is replaced as a whole; it stays unchanged if the build fails. The same
/// manifest and the same costs give the same bytes.
///
/// # Errors
/// [`DocsError::Foreign`] if `out` is a file, or a folder with other content; [`DocsError::Io`] and
/// [`DocsError::Render`] if the site cannot be written.
pub fn build(model: &Model, surfaces: &[SurfaceCost], out: &Path) -> Result<Site, DocsError> {
    let target = OutputFolder::open(out)?;
    let staging = folder_in(&target.parent)?;
    let site = Rendering { model, surfaces, joined: &[], search: SearchField::Alone };
    let site = site.render(&staging)?;
    write(&site.folder.join(MARKER), MARKER_TEXT)?;
    target.replace(&site.folder, &staging.path().join("old"))?;
    Ok(Site { index: out.join("index.html"), pages: site.pages })
}

/// A temporary folder, which is removed when the value is dropped.
pub(crate) fn folder_in(parent: &Path) -> Result<TempDir, DocsError> {
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix(".toolwrit-docs-").tempdir_in(parent);
    folder.map_err(io_error("create a folder in", parent))
}

/// What to render.
pub(crate) struct Rendering<'a> {
    pub(crate) model: &'a Model,
    pub(crate) surfaces: &'a [SurfaceCost],
    pub(crate) joined: &'a [JoinedOperation],
    pub(crate) search: SearchField,
}

/// A site as mdBook rendered it.
pub(crate) struct Rendered {
    pub(crate) folder: PathBuf,
    pages: usize,
}

/// A folder that may be replaced.
struct OutputFolder {
    parent: PathBuf,
    folder: PathBuf,
    exists: bool,
}

impl OutputFolder {
    fn open(out: &Path) -> Result<Self, DocsError> {
        let exists = out.symlink_metadata().is_ok();
        if exists && !may_be_replaced(out)? {
            return Err(DocsError::Foreign(out.to_owned()));
        }
        // Resolve the path, so that a link stays a link and `.` has a parent.
        let folder = if exists {
            out.canonicalize().map_err(io_error("resolve", out))?
        } else {
            std::path::absolute(out).map_err(io_error("resolve", out))?
        };
        let Some(parent) = folder.parent().map(Path::to_owned) else {
            return Err(DocsError::Foreign(out.to_owned()));
        };
        fs::create_dir_all(&parent).map_err(io_error("create", &parent))?;
        Ok(Self { parent, folder, exists })
    }

    /// Replaces the folder with a finished site.
    fn replace(&self, site: &Path, old: &Path) -> Result<(), DocsError> {
        if self.exists {
            fs::rename(&self.folder, old).map_err(io_error("move away", &self.folder))?;
        }
        fs::rename(site, &self.folder).map_err(|source| {
            if self.exists {
                // Restore the old folder. An error here has the same cause as the one that is
                // returned.
                let _ = fs::rename(old, &self.folder);
            }
            io_error("write", &self.folder)(source)
        })
    }
}

fn may_be_replaced(out: &Path) -> Result<bool, DocsError> {
    if !out.is_dir() {
        return Ok(false);
    }
    let empty = fs::read_dir(out).map_err(io_error("read", out))?.next().is_none();
    Ok(empty || out.join(MARKER).is_file())
}

impl Rendering<'_> {
    /// Renders the site in a subfolder of the staging folder.
    pub(crate) fn render(&self, staging: &TempDir) -> Result<Rendered, DocsError> {
        let (book, folder) = (staging.path().join("book"), staging.path().join("site"));
        let front = reference::front(self.model);
        let parts = [
            guide::part(),
            reference::operations(self.model, self.joined),
            reference::part(self.model, self.surfaces),
        ];
        write_book(&book, &front, &parts)?;
        let failed = |error: mdbook_driver::errors::Error| DocsError::Render(format!("{error:#}"));
        let config = self.config(&folder).map_err(failed)?;
        MDBook::load_with_config(&book, config).and_then(|book| book.build()).map_err(failed)?;
        let pages = 1 + parts.iter().map(|part| part.pages.len()).sum::<usize>();
        Ok(Rendered { folder, pages })
    }

    fn config(&self, site: &Path) -> mdbook_driver::errors::Result<Config> {
        let mut html = HtmlConfig::default();
        html.additional_css = vec![THEME_FILE.into()];
        html.no_section_label = true;
        html.smart_punctuation = false;
        // A page with everything would double the site, and is too long to print.
        html.print.enable = false;
        html.playground.runnable = false;
        if self.search == SearchField::Served {
            html.additional_js = vec![SEARCH_FILE.into()];
            html.search = Some(self.search_beside_server());
        }

        let mut config = Config::default();
        config.book.title = Some(reference::title(self.model).to_owned());
        config.book.description =
            Some(format!("Guide and reference of {}", self.model.server.name));
        config.build.build_dir = site.into();
        config.build.create_missing = false;
        // mdBook's preprocessors read the files in `{{#include}}`, which a manifest's text may
        // contain.
        config.build.use_default_preprocessors = false;
        config.set("output.html", html)?;
        Ok(config)
    }

    /// Excludes operations from mdBook's search, because the server finds them.
    fn search_beside_server(&self) -> Search {
        let mut search = Search::default();
        // mdBook refuses a folder without pages.
        if self.model.tools().next().is_some() {
            let mut left_out = SearchChapterSettings::default();
            left_out.enable = Some(false);
            search.chapter.insert(reference::OPERATIONS.to_owned(), left_out);
        }
        search
    }
}

fn write_book(book: &Path, front: &Chapter, parts: &[Part]) -> Result<(), DocsError> {
    let source = book.join("src");
    write(&book.join(THEME_FILE), THEME)?;
    write(&book.join(SEARCH_FILE), SEARCH)?;
    write(&source.join("SUMMARY.md"), &summary::summary(front, parts))?;
    for page in parts.iter().flat_map(|part| &part.pages).chain([front]) {
        write(&source.join(&page.path), &page.body)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), DocsError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(io_error("create", parent))?;
    }
    fs::write(path, text).map_err(io_error("write", path))
}

pub(crate) fn io_error(action: &'static str, path: &Path) -> impl Fn(io::Error) -> DocsError {
    let path = path.to_owned();
    move |source| DocsError::Io { action, path: path.clone(), source }
}
