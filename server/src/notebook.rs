//! The notes of the vault, for conversations.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tokio::sync::watch;
use toolwrit::Json;
use toolwrit::chat::notebook::Notebook;
use toolwrit::chat::notebook::{NotebookError, Reading, Version};
use toolwrit_vault::document::Document;
use toolwrit_vault::target::{HeadingPath, find_linked};
use toolwrit_vault::{Etag, Vault, VaultError, VaultPath, WriteMode};

/// How often a watched note is looked at.
const INTERVAL: Duration = Duration::from_millis(300);

type Result<T> = std::result::Result<T, NotebookError>;

/// The notes of the vault.
pub(crate) struct VaultNotebook {
    vault: Vault,
    /// Its folder, without symbolic links.
    folder: PathBuf,
}

impl VaultNotebook {
    pub(crate) fn new(vault: Vault, folder: PathBuf) -> Self {
        Self { vault, folder }
    }

    /// The file that a link in a note names, and what follows `#`.
    fn resolve_link<'t>(&self, note: &str, link: &'t str) -> Option<(VaultPath, Option<&'t str>)> {
        let (name, part) = match link.split_once('#') {
            Some((name, part)) => (name, Some(part)),
            None => (link, None),
        };
        let source = VaultPath::parse(note).ok()?;
        if name.is_empty() {
            return Some((source, part));
        }
        let snapshot = self.vault.snapshot(&|| false).ok()?;
        Some((snapshot.resolve(name, Some(&source))?.clone(), part))
    }

    /// How `vault.read` names the section of a note that `A#B` in a link leads to: by its path, or by its lines if others have
    /// the same path or it has none. A section that the note does not have stays as it is written.
    fn section_argument(&self, path: &VaultPath, part: &str) -> (&'static str, String) {
        let written = || ("heading", join_headings(&part.split('#').collect::<Vec<_>>()));
        let Ok(note) = self.vault.read(path, None) else { return written() };
        let Ok(document) = Document::parse(&note.content) else { return written() };
        let Ok(heading) = find_linked(&document, part) else { return written() };
        let above = document.heading_paths().find(|path| path.last() == Some(&heading));
        let texts: Vec<&str> = above.iter().flatten().map(|heading| heading.text).collect();
        let named = join_headings(&texts);
        let found = HeadingPath::parse(&named).and_then(|path| path.find(&document));
        if found == Ok(heading) {
            return ("heading", named);
        }
        let section = heading.section();
        let first = note.content[..section.start].lines().count() + 1;
        ("lines", format!("{first}-{}", note.content[..section.end].lines().count()))
    }
}

impl Notebook for VaultNotebook {
    fn name(&self, note: &str) -> Result<String> {
        let path = parse_path(note)?;
        match self.vault.locate(&path) {
            Ok(path) if path.is_note() => Ok(path.to_string()),
            Ok(path) => Err(NotebookError::Failed(format!(
                "{path} is not a note. Conversations and blocks are in Markdown files."
            ))),
            Err(VaultError::NotFound { .. }) if path.is_note() => Ok(path.to_string()),
            Err(VaultError::NotFound { .. }) => Ok(parse_path(&format!("{path}.md"))?.to_string()),
            Err(error) => Err(to_notebook_error(error)),
        }
    }

    fn find_by_file(&self, file: &Path) -> Option<String> {
        let file = file.canonicalize().ok()?;
        let parts = file.strip_prefix(&self.folder).ok()?.iter();
        let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
        Some(VaultPath::from_disk(&parts?.join("/")).ok()?.to_string())
    }

    fn read(&self, note: &str) -> Result<Reading> {
        let note = self.vault.read(&parse_path(note)?, None).map_err(to_notebook_error)?;
        Ok(Reading { text: note.content, version: Version(note.etag.to_string()) })
    }

    fn replace(&self, note: &str, unchanged: &Version, text: &str) -> Result<Option<Version>> {
        let lease = self.vault.lease(&parse_path(note)?).map_err(to_notebook_error)?;
        match lease.write(text, Some(&Etag::from(unchanged.0.as_str()))) {
            Ok(written) => Ok(Some(Version(written.etag.to_string()))),
            Err(VaultError::Conflict { .. }) => Ok(None),
            Err(error) => Err(to_notebook_error(error)),
        }
    }

    fn create(&self, note: &str, text: &str) -> Result<()> {
        let path = parse_path(note)?;
        self.vault
            .write(&path, text, WriteMode::CreateOnly, None)
            .map(drop)
            .map_err(to_notebook_error)
    }

    fn read_attachment(&self, note: &str, target: &str, most: usize) -> Result<Option<Vec<u8>>> {
        let Some((path, _)) = self.resolve_link(note, target) else { return Ok(None) };
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        self.vault.read_bytes(&path, most).map(Some).map_err(to_notebook_error)
    }

    fn link_arguments(&self, note: &str, target: &str) -> Option<serde_json::Map<String, Json>> {
        let (path, part) = self.resolve_link(note, target)?;
        let mut arguments =
            serde_json::Map::from_iter([("path".to_owned(), path.to_string().into())]);
        if let Some(part) = part {
            let (parameter, part) = match part.strip_prefix('^') {
                Some(block) => ("block", block.to_owned()),
                None => self.section_argument(&path, part),
            };
            arguments.insert(parameter.to_owned(), part.into());
        }
        Some(arguments)
    }

    fn hold(&self, note: &str) -> Result<Box<dyn Send>> {
        let lease = self.vault.lease(&parse_path(note)?).map_err(to_notebook_error)?;
        Ok(Box::new(lease))
    }

    /// Other programs change notes without saying so, and one note is cheap to read.
    fn changes(&self) -> watch::Receiver<u64> {
        let (sender, receiver) = watch::channel(0);
        thread::spawn(move || {
            while !sender.is_closed() {
                thread::sleep(INTERVAL);
                sender.send_modify(|count| *count += 1);
            }
        });
        receiver
    }
}

/// Headings as one text for `vault.read`.
fn join_headings(headings: &[&str]) -> String {
    if headings.iter().any(|heading| heading.contains("::")) {
        return Json::from(headings).to_string();
    }
    headings.join("::")
}

fn parse_path(note: &str) -> Result<VaultPath> {
    VaultPath::parse(note).map_err(|error| NotebookError::Failed(error.to_string()))
}

fn to_notebook_error(error: VaultError) -> NotebookError {
    match error {
        VaultError::NotFound { path, .. } => NotebookError::NotFound(path),
        VaultError::AlreadyExists { path } => NotebookError::AlreadyExists(path.to_string()),
        error => NotebookError::Failed(error.to_string()),
    }
}
