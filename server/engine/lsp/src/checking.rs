//! Checks documents in a thread of its own. A check whose documents have changed meanwhile is given up.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use gen_lsp_types::{Diagnostic, DiagnosticSeverity, PublishDiagnosticsParams, Range, Uri};
use tokio::runtime::Runtime;
use toolwrit_manifest::MAX_BYTES;

use crate::answers;
use crate::client::Client;
use crate::documents::{Document, Documents, Kind};
use crate::manifests::{self, Belonging, find_manifest};
use crate::notes::Notes;
use crate::text::{Encoding, Lines};

/// What is to be checked: the documents as they are now, and the URI of one that has changed.
pub(crate) struct Change {
    pub(crate) documents: Documents,
    pub(crate) uri: Uri,
}

/// Checks documents, and publishes what it finds.
pub(crate) struct Checker {
    pub(crate) client: Arc<Client>,
    pub(crate) notes: Option<Arc<Notes>>,
    pub(crate) manifest: Option<String>,
    pub(crate) encoding: Encoding,
    pub(crate) runtime: Runtime,
    /// The files with diagnostics of each manifest, by its root file.
    published: HashMap<String, BTreeSet<Uri>>,
}

/// The diagnostics of some documents.
type Found = Vec<(Uri, Vec<Diagnostic>)>;

impl Checker {
    pub(crate) fn new(
        client: Arc<Client>,
        notes: Option<Arc<Notes>>,
        manifest: Option<String>,
        encoding: Encoding,
        runtime: Runtime,
    ) -> Self {
        Self { client, notes, manifest, encoding, runtime, published: HashMap::new() }
    }

    /// Checks what is sent, until the sender is dropped.
    pub(crate) fn start(mut self) -> Sender<Change> {
        let (sender, receiver) = channel();
        thread::spawn(move || self.check_changes(&receiver));
        sender
    }

    fn check_changes(&mut self, changes: &Receiver<Change>) {
        let mut due = BTreeSet::new();
        while let Ok(Change { mut documents, uri }) = changes.recv() {
            due.insert(uri);
            documents = take_newest(changes, &mut due).unwrap_or(documents);
            while let Some(uri) = due.pop_first() {
                let found = self.check(&documents, &uri);
                match take_newest(changes, &mut due) {
                    Some(newer) => {
                        documents = newer;
                        due.insert(uri);
                    }
                    None => self.publish(&documents, found),
                }
            }
        }
    }

    fn check(&mut self, documents: &Documents, uri: &Uri) -> Found {
        let Some(document) = documents.get(uri.as_str()) else {
            return vec![(uri.clone(), Vec::new())];
        };
        if document.is_too_large() {
            return vec![(uri.clone(), vec![document_too_large()])];
        }
        match document.kind {
            Kind::Note => {
                let lines = Lines::new(document.text(), self.encoding);
                let notes = self.notes.as_ref();
                let checked =
                    notes.map(|notes| self.runtime.block_on(notes.check(document.text(), &lines)));
                vec![(uri.clone(), checked.unwrap_or_default())]
            }
            Kind::Yaml => self.check_manifest(documents, document),
            Kind::Other => Vec::new(),
        }
    }

    fn check_manifest(&mut self, documents: &Documents, document: &Document) -> Found {
        let none = |diagnostics| vec![(document.uri.clone(), diagnostics)];
        let manifest = match find_manifest(documents, self.manifest.as_deref(), document) {
            Belonging::To(manifest) => manifest,
            Belonging::Lost => return none(vec![manifest_not_found()]),
            Belonging::No => return none(Vec::new()),
        };
        let mut found = manifests::check_manifest(documents, manifest.root(), self.encoding);
        let files: BTreeSet<Uri> = found.iter().map(|(uri, _)| uri.clone()).collect();
        let before = self.published.insert(manifest.root().to_owned(), files.clone());
        // Files that are no longer part of it.
        let gone = before.unwrap_or_default().into_iter().filter(|uri| !files.contains(uri));
        found.extend(gone.map(|uri| (uri, Vec::new())));
        found
    }

    fn publish(&self, documents: &Documents, found: Found) {
        for (uri, diagnostics) in found {
            let version = documents.get(uri.as_str()).map(|document| document.version);
            let params = PublishDiagnosticsParams { uri, version, diagnostics };
            self.client.notify("textDocument/publishDiagnostics", params);
        }
    }
}

/// The newest documents among the changes that wait. Those that changed are due.
fn take_newest(changes: &Receiver<Change>, due: &mut BTreeSet<Uri>) -> Option<Documents> {
    let mut newest = None;
    for change in changes.try_iter() {
        due.insert(change.uri);
        newest = Some(change.documents);
    }
    newest
}

fn document_too_large() -> Diagnostic {
    let most = MAX_BYTES >> 20;
    let message = format!("The document is too large to be read: it may have {most} MiB.");
    answers::diagnostic(Range::default(), DiagnosticSeverity::Warning, message)
}

fn manifest_not_found() -> Diagnostic {
    let message = "No manifest includes this file, so it was not checked. One was looked for among the open files, in this \
                   folder and in those above; `toolwrit lsp --manifest FILE` names it.";
    answers::diagnostic(Range::default(), DiagnosticSeverity::Information, message.to_owned())
}
