//! The course of a session: the handshake, and an answer to each message.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use gen_lsp_types::{
    CodeActionParams, Command, CompletionList, CompletionOptions, CompletionParams,
    DefinitionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions,
    ExecuteCommandParams, HoverParams, InitializeParams, MessageType, ServerCapabilities,
    TextDocumentContentChangeEvent, TextDocumentPositionParams, TextDocumentSyncKind,
    TextDocumentSyncOptions, Uri,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::checking::{Change, Checker};
use crate::client::Client;
use crate::documents::{Document, Documents, Kind, to_slashes};
use crate::manifests::{self, Belonging, Language, Manifest, find_manifest};
use crate::notes::{Asking, Notes};
use crate::text::{Encoding, Lines};

/// The command that runs a block. Its arguments are the URI of the note and the number of the block, from 1.
const RUN_BLOCK: &str = "toolwrit.runBlock";

/// Why the server ended before the client ended it.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The client does not speak the protocol.
    #[error("the client does not speak the Language Server Protocol: {0}")]
    Protocol(#[from] ProtocolError),
    /// Standard input or output failed, or had something else than messages.
    #[error(
        "standard input or output cannot be used: {0}. The program speaks the Language Server Protocol there; an editor starts it."
    )]
    Io(#[from] std::io::Error),
}

/// Serves a client over standard streams until it ends the session. `manifest` is the root file of the manifest that the
/// client's files belong to, if they do not say so themselves. Without `notes`, nothing is said about notes.
///
/// # Errors
/// If the streams cannot be used, or what comes is not the protocol.
pub fn serve(manifest: Option<PathBuf>, notes: Option<Notes>) -> Result<(), Stopped> {
    let (connection, threads) = Connection::stdio();
    session(&connection, manifest, notes)?;
    // Without it, the thread that writes ends.
    drop(connection);
    Ok(threads.join()?)
}

/// Serves a client over this connection until it ends the session, as [`serve`] does.
///
/// # Errors
/// If what comes is not the protocol.
pub fn session(
    connection: &Connection,
    manifest: Option<PathBuf>,
    notes: Option<Notes>,
) -> Result<(), Stopped> {
    let (id, params) = connection.initialize_start()?;
    // What cannot be read of it has the defaults.
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    let encoding = Encoding::choose(offered);
    let answer = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": { "name": "toolwrit", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, answer)?;
    let asks = params.capabilities.window.is_some_and(|window| window.show_message.is_some());
    let sender = connection.sender.clone();
    // A client that is gone needs no messages.
    let client = Arc::new(Client::new(asks, move |message| drop(sender.send(message))));
    let notes = notes.map(Arc::new);
    let manifest = manifest.map(|file| to_slashes(&std::path::absolute(&file).unwrap_or(file)));
    let runtime = toolwrit_core::runtime::runtime(1)?;
    let checker =
        Checker::new(client.clone(), notes.clone(), manifest.clone(), encoding, runtime).start();
    let language = Language::new();
    let documents = Documents::default();
    let mut server = Server { client, notes, manifest, encoding, language, documents, checker };
    for message in &connection.receiver {
        match message {
            Message::Request(request) if connection.handle_shutdown(&request)? => break,
            Message::Request(request) => server.answer_request(request),
            Message::Notification(notification) => server.handle_notification(notification),
            Message::Response(response) => server.client.handle_response(response),
        }
    }
    server.client.close();
    Ok(())
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Full),
        save: Some(true.into()),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = [":", " ", ".", "[", "{", ","].map(str::to_owned).to_vec();
    let completion =
        CompletionOptions { trigger_characters: Some(triggers), ..CompletionOptions::default() };
    let commands = vec![RUN_BLOCK.to_owned()];
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(sync.into()),
        completion_provider: Some(completion),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        code_action_provider: Some(true.into()),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands,
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

struct Server {
    client: Arc<Client>,
    notes: Option<Arc<Notes>>,
    /// The root file that the user names.
    manifest: Option<String>,
    encoding: Encoding,
    language: Language,
    documents: Documents,
    checker: Sender<Change>,
}

/// Why a request has no answer.
type Refusal = (ErrorCode, String);

/// The parameters of a request or notification.
fn parse_params<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| {
        (ErrorCode::InvalidParams, format!("the parameters cannot be read: {error}"))
    })
}

impl Server {
    fn answer_request(&mut self, Request { id, method, params: given }: Request) {
        let answer = match method.as_str() {
            "textDocument/completion" => parse_params(given).map(|params| self.complete(&params)),
            "textDocument/hover" => parse_params(given).map(|params| self.hover(&params)),
            "textDocument/definition" => parse_params(given).map(|params| self.define(&params)),
            "textDocument/codeAction" => parse_params(given).map(|params| self.actions(&params)),
            "workspace/executeCommand" => {
                match parse_params(given).and_then(|params| self.run_block(&id, params)) {
                    // The answer follows when the block has run.
                    Ok(()) => return,
                    Err(refusal) => Err(refusal),
                }
            }
            _ => Err((ErrorCode::MethodNotFound, format!("`{method}` is not supported."))),
        };
        match answer {
            Ok(result) => self.client.answer(id, result),
            Err((code, message)) => self.client.refuse(id, code, message),
        }
    }

    fn handle_notification(&mut self, Notification { method, params: given }: Notification) {
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(DidOpenTextDocumentParams { text_document: opened }) = parse_params(given)
                {
                    let uri = opened.uri.clone();
                    let language = opened.language_id.to_string();
                    self.documents.put(Document::new(
                        opened.uri,
                        &language,
                        opened.version,
                        opened.text,
                    ));
                    self.recheck(uri);
                }
            }
            "textDocument/didChange" => {
                if let Ok(change) = parse_params::<DidChangeTextDocumentParams>(given) {
                    self.change(change);
                }
            }
            "textDocument/didSave" => {
                if let Ok(DidSaveTextDocumentParams { text_document, .. }) = parse_params(given) {
                    self.recheck(text_document.uri);
                }
            }
            "textDocument/didClose" => {
                if let Ok(DidCloseTextDocumentParams { text_document }) = parse_params(given) {
                    self.close(text_document.uri);
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, change: DidChangeTextDocumentParams) {
        let uri = change.text_document.text_document_identifier.uri;
        let version = change.text_document.version;
        let mut whole = change.content_changes.into_iter().filter_map(|change| match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                Some(whole.text)
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(_) => None,
        });
        if let (Some(text), Some(before)) = (whole.next_back(), self.documents.get(uri.as_str())) {
            let edited = before.with_text(version, text);
            self.documents.put(edited);
            self.recheck(uri);
        }
    }

    fn close(&mut self, uri: Uri) {
        self.documents.remove(&uri);
        // Its manifest now has the text of the disk.
        let others = self.documents.iter().filter(|document| document.kind == Kind::Yaml);
        let others: Vec<Uri> = others.map(|document| document.uri.clone()).collect();
        self.recheck(uri);
        for other in others {
            self.recheck(other);
        }
    }

    fn recheck(&self, uri: Uri) {
        // The checker ends with the server only.
        let _ = self.checker.send(Change { documents: self.documents.clone(), uri });
    }

    fn document(&self, uri: &Uri) -> Option<Arc<Document>> {
        self.documents.get(uri.as_str()).cloned()
    }

    fn find_manifest_of(&self, document: &Document) -> Option<Manifest> {
        match find_manifest(&self.documents, self.manifest.as_deref(), document) {
            Belonging::To(manifest) => Some(manifest),
            Belonging::Lost | Belonging::No => None,
        }
    }

    fn complete(&self, params: &CompletionParams) -> Value {
        let place = &params.text_document_position_params;
        let items = self.at_position(place, |document, lines, offset| {
            let text = document.text();
            match document.kind {
                Kind::Note => Some(self.notes.as_ref()?.complete(text, lines, offset)),
                Kind::Yaml => {
                    let manifest = self.find_manifest_of(document)?;
                    let is_root = document.path.as_deref() == Some(manifest.root());
                    let place = (text, lines, offset);
                    Some(manifests::complete(&self.language, &manifest, is_root, place))
                }
                Kind::Other => None,
            }
        });
        // Further words may find others.
        let items = items.unwrap_or_default();
        json!(CompletionList { is_incomplete: true, items, ..CompletionList::default() })
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let place = &params.text_document_position_params;
        json!(self.at_position(place, |document, lines, offset| match document.kind {
            Kind::Note => self.notes.as_ref()?.hover(document.text(), lines, offset),
            Kind::Yaml => {
                let manifest = self.find_manifest_of(document)?;
                let is_root = document.path.as_deref() == Some(manifest.root());
                let place = (document.text(), lines, offset);
                manifests::hover(&self.language, &manifest, is_root, place)
            }
            Kind::Other => None,
        }))
    }

    fn define(&self, params: &DefinitionParams) -> Value {
        let place = &params.text_document_position_params;
        json!(self.at_position(place, |document, _, offset| {
            let manifest =
                (document.kind == Kind::Yaml).then(|| self.find_manifest_of(document))??;
            let place = (document.path.as_deref()?, document.text(), offset);
            manifests::define(&self.language, &manifest, &self.documents, place, self.encoding)
        }))
    }

    /// Works at a position of an open document.
    fn at_position<T>(
        &self,
        place: &TextDocumentPositionParams,
        work: impl FnOnce(&Document, &Lines<'_>, usize) -> Option<T>,
    ) -> Option<T> {
        let document = self.document(&place.text_document.uri)?;
        let lines = Lines::new(document.text(), self.encoding);
        work(&document, &lines, lines.offset(place.position))
    }

    /// Offers to run the blocks in a range.
    fn actions(&self, params: &CodeActionParams) -> Value {
        let uri = &params.text_document.uri;
        let document = self.document(uri).filter(|document| document.kind == Kind::Note);
        let (Some(document), Some(notes)) = (document, &self.notes) else { return json!([]) };
        // A client that wants certain kinds of actions wants no commands.
        if notes.run.is_none() || params.context.only.is_some() {
            return json!([]);
        }
        let lines = Lines::new(document.text(), self.encoding);
        let blocks = notes.blocks(document.text()).into_iter().enumerate();
        let within = blocks.filter(|(_, block)| {
            let range = lines.range(&block.fence.range);
            range.start <= params.range.end && params.range.start <= range.end
        });
        let command = |(at, _)| Command {
            title: "Run block".to_owned(),
            command: RUN_BLOCK.to_owned(),
            arguments: Some(vec![json!(uri), json!(at + 1)]),
            ..Command::default()
        };
        json!(within.map(command).collect::<Vec<_>>())
    }

    /// Runs a block in a thread of its own, because its user may be asked.
    fn run_block(&self, id: &RequestId, params: ExecuteCommandParams) -> Result<(), Refusal> {
        let wrong = |message: &str| (ErrorCode::InvalidParams, message.to_owned());
        if params.command != RUN_BLOCK {
            return Err(wrong("The only command is `toolwrit.runBlock`."));
        }
        let arguments = params.arguments.unwrap_or_default();
        let document =
            arguments.first().and_then(Value::as_str).and_then(|uri| self.documents.get(uri));
        let number =
            arguments.get(1).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let (Some(document), Some(number)) = (document, number) else {
            return Err(wrong("Expected the URI of an open note, and the number of a block."));
        };
        let path =
            document.path.clone().ok_or_else(|| wrong("The note is no file. Save it first."))?;
        if !document.is_saved() {
            return Err((
                ErrorCode::RequestFailed,
                "The note has changes that are not saved, and its result would be written below other text. Save it first."
                    .to_owned(),
            ));
        }
        let notes = self.notes.clone().filter(|notes| notes.run.is_some());
        let notes = notes.ok_or_else(|| wrong("This program runs no blocks."))?;
        let (client, id) = (self.client.clone(), id.clone());
        thread::spawn(move || {
            let asking = Arc::new(Asking { client: client.clone() });
            let ran = notes.run.as_ref().map(|run| run(path.as_ref(), number, asking));
            match ran {
                Some(Ok(said)) => {
                    client.show_message(MessageType::Info, said.clone());
                    client.answer(id, said);
                }
                Some(Err(why)) => client.refuse(id, ErrorCode::RequestFailed, why),
                None => {}
            }
        });
        Ok(())
    }
}
