//! The documents that are open in the client. Their texts come before those on the disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{MAIN_SEPARATOR_STR, Path};
use std::sync::Arc;

use gen_lsp_types::Uri;
use toolwrit_manifest::MAX_BYTES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Markdown.
    Note,
    /// YAML, which may be a manifest.
    Yaml,
    /// Neither Markdown nor YAML.
    Other,
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    /// Its path with `/` between its parts; `None` if it is not a file.
    pub(crate) path: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) version: i32,
    text: String,
}

impl Document {
    pub(crate) fn new(uri: Uri, language: &str, version: i32, text: String) -> Self {
        let path = uri.to_file_path().ok().map(|path| to_slashes(&path));
        let extension = uri.path().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let kind = match (language, extension.as_str()) {
            ("markdown", _) | (_, "md" | "markdown") => Kind::Note,
            ("yaml", _) | (_, "yaml" | "yml") => Kind::Yaml,
            _ => Kind::Other,
        };
        Self { uri, path, kind, version, text }
    }

    /// The same document with a new text.
    pub(crate) fn with_text(&self, version: i32, text: String) -> Self {
        Self { uri: self.uri.clone(), path: self.path.clone(), kind: self.kind, version, text }
    }

    /// The text; empty if it is too large to be read.
    pub(crate) fn text(&self) -> &str {
        if self.is_too_large() { "" } else { &self.text }
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.text.len() > MAX_BYTES
    }

    /// Whether the file on the disk has the same text.
    pub(crate) fn is_saved(&self) -> bool {
        let saved = self.path.as_deref().and_then(read_file);
        saved.is_some_and(|saved| saved.strip_prefix('\u{feff}').unwrap_or(&saved) == self.text)
    }
}

/// The open documents at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Arc<Document>>,
}

impl Documents {
    pub(crate) fn put(&mut self, document: Document) {
        self.open.insert(document.uri.to_string(), Arc::new(document));
    }

    pub(crate) fn remove(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
    }

    pub(crate) fn get(&self, uri: &str) -> Option<&Arc<Document>> {
        self.open.get(uri)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.open.values()
    }

    fn find_by_path(&self, path: &str) -> Option<&Arc<Document>> {
        self.iter().find(|document| document.path.as_deref() == Some(path))
    }

    /// The text of a file that is open.
    pub(crate) fn open_text(&self, path: &str) -> Option<String> {
        self.find_by_path(path).map(|document| document.text().to_owned())
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.open_text(path).or_else(|| read_file(path))
    }

    /// The URI of a file, as the client writes it.
    pub(crate) fn uri(&self, path: &str) -> Option<Uri> {
        match self.find_by_path(path) {
            Some(document) => Some(document.uri.clone()),
            None => Uri::from_file_path(Path::new(path)).ok(),
        }
    }
}

/// A path with `/` between its parts, as manifests write them.
pub(crate) fn to_slashes(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR_STR, "/")
}

/// The text of a file on the disk; `None` if it cannot be read or is too large.
fn read_file(path: &str) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
    (text.len() <= MAX_BYTES).then_some(text)
}
