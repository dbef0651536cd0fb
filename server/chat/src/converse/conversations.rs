//! The conversations in the notes of an application.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::conversation::{
    ChatError, Consent, Conversation, Ended, Parts, Ran, ReadTool, ReplayTools, RunOptions,
    Settings, TurnOptions, replay,
};
use crate::format::Document;
use crate::notebook::{Notebook, NotebookError};
use crate::provider::Model;
use crate::tools::Tools;
use crate::{Ledger, LedgerError};
use tokio_util::sync::CancellationToken;
use toolwrit_core::call::calls::Calls;

use crate::converse::added::{append_text, check_text};
use crate::converse::choice::{NoModel, choose_model};
use crate::converse::narrowing::{narrow_policy, unasked_writes};
use crate::converse::operations::Operations;
use crate::converse::outcome::{Sent, StatusOfNote};
use crate::converse::problem::Problem;
use crate::converse::remote::create_model;
use crate::converse::settings::{ChatSettings, ChatTable};

/// The conversations in the notes of an application.
pub struct Conversations {
    notebook: Arc<dyn Notebook>,
    /// Identifies the notebook among those of the user.
    vault: String,
    /// Where the ledgers are.
    folder: Option<PathBuf>,
    read: Option<ReadTool>,
    settings: ChatSettings,
    running: Mutex<HashMap<String, CancellationToken>>,
}

/// A conversation that is to be opened.
#[derive(Clone)]
pub struct Opening {
    /// The note.
    pub note: String,
    /// The model; `None` for the one of the note, or of the configuration.
    pub model: Option<String>,
    /// Calls on behalf of whoever converses.
    pub calls: Calls,
    /// Whether their policy has the focus mode of the conversation. Otherwise the configuration has it.
    pub names_focus: bool,
    /// What is different from the configuration.
    pub flags: ChatTable,
    /// Who is asked about calls.
    pub consent: Arc<dyn Consent>,
}

/// An open conversation. While it is open, [`Conversations::cancel`] cancels its turns.
pub struct Opened<'a> {
    /// The conversation.
    pub conversation: Conversation,
    /// The note, by its own name.
    pub note: String,
    /// The API of its model.
    pub dialect: String,
    /// Cancels its turns.
    pub cancellation: CancellationToken,
    conversations: &'a Conversations,
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.conversations.running().remove(&self.note);
    }
}

impl Conversations {
    /// The conversations in these notes. `vault` identifies them among those of the user, and `folder` is where their state
    /// is kept.
    #[must_use]
    pub fn new(
        notebook: Arc<dyn Notebook>,
        vault: String,
        folder: Option<PathBuf>,
        settings: ChatSettings,
    ) -> Self {
        Self { notebook, vault, folder, read: None, settings, running: Mutex::default() }
    }

    /// Sets the operation that reads what notes embed, and its parameter for the note.
    #[must_use]
    pub fn with_read_tool(mut self, tool: &str, parameter: &str) -> Self {
        self.read = Some(ReadTool { tool: tool.to_owned(), parameter: parameter.to_owned() });
        self
    }

    /// What the operator says.
    #[must_use]
    pub fn settings(&self) -> &ChatSettings {
        &self.settings
    }

    /// The notes.
    #[must_use]
    pub fn notebook(&self) -> &Arc<dyn Notebook> {
        &self.notebook
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        // No code that can panic runs under the lock.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a note: its own name, and its text.
    ///
    /// # Errors
    /// If there is no such note, or it cannot be read.
    pub async fn read(&self, note: &str) -> Result<(String, String), Problem> {
        let note = note.to_owned();
        self.run_blocking(move |notebook| {
            let note = notebook.name(&note)?;
            let text = notebook.read(&note)?.text;
            Ok((note, text))
        })
        .await
    }

    /// Creates a note without text, unless there is one. Returns its name.
    ///
    /// # Errors
    /// If no note can have this name, or it cannot be read or written.
    pub async fn ensure_note(&self, note: &str) -> Result<String, Problem> {
        let note = note.to_owned();
        self.run_blocking(move |notebook| {
            let note = notebook.name(&note)?;
            match notebook.read(&note) {
                Err(NotebookError::NotFound(_)) => notebook.create(&note, "")?,
                read => drop(read?),
            }
            Ok(note)
        })
        .await
    }

    /// Changes a note as planned from its current text. `None` if the plan finds nothing to change.
    ///
    /// # Errors
    /// If there is no such note, or it cannot be read or written.
    pub async fn rewrite<T: Send + 'static>(
        &self,
        note: &str,
        plan: impl Fn(&str) -> Option<(String, T)> + Send + 'static,
    ) -> Result<Option<T>, Problem> {
        let note = note.to_owned();
        self.run_blocking(move |notebook| {
            let note = notebook.name(&note)?;
            loop {
                let reading = notebook.read(&note)?;
                let Some((text, planned)) = plan(&reading.text) else { return Ok(None) };
                if notebook.replace(&note, &reading.version, &text)?.is_some() {
                    return Ok(Some(planned));
                }
            }
        })
        .await
    }

    /// Adds what the user says to the end of a note, which is created if there is none. Changes nothing if the conversation
    /// has stopped within its answer to this text.
    async fn add(&self, note: &str, text: &str) -> Result<(), Problem> {
        let text = text.trim().to_owned();
        check_text(&text)?;
        let new = format!("{text}\n");
        let plan = move |before: &str| {
            let document = Document::parse(before);
            if !document.mistakes().is_empty() {
                return Some((before.to_owned(), document.mistakes().to_vec()));
            }
            append_text(before, &text).map(|after| (after, Vec::new()))
        };
        match self.rewrite(note, plan).await {
            Err(Problem::Notebook(NotebookError::NotFound(_))) => {
                let note = note.to_owned();
                self.run_blocking(move |notebook| notebook.create(&note, &new)).await
            }
            Ok(Some(mistakes)) if !mistakes.is_empty() => {
                Err(Problem::from_chat_error(note, ChatError::Mistakes(mistakes)))
            }
            done => done.map(drop),
        }
    }

    /// Opens the conversation of a note. No other process has it open meanwhile.
    ///
    /// # Errors
    /// If there is no note or no model, if the configuration does not allow it, or if it is open already.
    pub async fn open(&self, opening: Opening) -> Result<Opened<'_>, Problem> {
        let (note, text) = self.read(&opening.note).await?;
        self.open_as(opening, note, &text)
    }

    fn open_as(&self, opening: Opening, note: String, text: &str) -> Result<Opened<'_>, Problem> {
        let (name, table) = choose_model(&self.settings, opening.model.as_deref(), &note, text)?;
        let model = create_model(&name, &self.settings.models[&name])?;
        let parts = self.assemble_parts(opening, note, &table, Arc::new(model))?;
        Ok(self.begin(parts, self.settings.models[&name].dialect.clone()))
    }

    /// Opens the conversation of a note, which is created if there is none, and adds what the user says to its end.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if the note or the text has mistakes, or the note cannot be written. Whatever is refused
    /// adds nothing.
    async fn open_with(&self, opening: Opening, text: &str) -> Result<Opened<'_>, Problem> {
        let note = opening.note.clone();
        let name = self.run_blocking(move |notebook| notebook.name(&note)).await?;
        let before = match self.read(&name).await {
            Err(Problem::Notebook(NotebookError::NotFound(_))) => String::new(),
            read => read?.1,
        };
        let after = append_text(&before, text.trim()).unwrap_or(before);
        let opened = self.open_as(opening, name, &after)?;
        self.add(&opened.note, text).await?;
        Ok(opened)
    }

    /// Answers what a note asks, after adding a text to it.
    ///
    /// # Errors
    /// If the conversation cannot be opened; then nothing is added. If the turn cannot begin or go on.
    pub async fn send(
        &self,
        opening: Opening,
        text: Option<&str>,
        mut options: TurnOptions,
    ) -> Result<Sent, Problem> {
        options.said = text.map(str::to_owned);
        let mut opened = match text {
            Some(text) => self.open_with(opening, text).await?,
            None => self.open(opening).await?,
        };
        let cancellation = options.cancellation.clone();
        let of_conversation = opened.cancellation.clone();
        let ended =
            run_cancellable(of_conversation, cancellation, opened.conversation.turn(options)).await;
        let note = opened.note.clone();
        let ended = ended.map_err(|error| Problem::from_chat_error(&note, error))?;
        drop(opened);
        // The note may be gone.
        let text = self.read(&note).await.map(|(_, text)| text).unwrap_or_default();
        Ok(Sent::new(note, &Document::parse(&text), ended))
    }

    /// Runs the blocks of a note that call operations.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if a block has mistakes.
    pub async fn run(
        &self,
        opening: Opening,
        mut options: RunOptions,
    ) -> Result<Vec<Ran>, Problem> {
        let (note, _) = self.read(&opening.note).await?;
        let mut table = opening.flags.clone().complete_with(&self.settings.chat);
        if table.enabled == Some(false) {
            return Err(Problem::Disabled);
        }
        if options.check {
            // A note for a result would be written.
            table.results = None;
        }
        let categories = opening.calls.policy().tables().categories.iter();
        options.categories = categories.map(|category| category.name.clone()).collect();
        let parts = self.assemble_parts(opening, note, &table, Arc::new(NoModel))?;
        let mut opened = self.begin(parts, String::new());
        let (of_conversation, cancellation) =
            (opened.cancellation.clone(), options.cancellation.clone());
        let ran =
            run_cancellable(of_conversation, cancellation, opened.conversation.run(options)).await;
        ran.map_err(|error| Problem::from_chat_error(&opened.note, error))
    }

    /// Asks a model what a note asked, in the note `to`, which must not exist. Calls are answered with the results of the
    /// note; a call that changes something and that the note does not have ends it.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is a note `to`.
    pub async fn replay(
        &self,
        opening: Opening,
        to: &str,
        cancellation: CancellationToken,
    ) -> Result<Sent, Problem> {
        let (_, text) = self.read(&opening.note).await?;
        let earlier = replay(&Document::parse(&text));
        let (name, table) = choose_model(&self.settings, opening.model.as_deref(), to, "")?;
        let model = create_model(&name, &self.settings.models[&name])?;
        let to = to.to_owned();
        let note = self
            .run_blocking(move |notebook| {
                let note = notebook.name(&to)?;
                notebook.create(&note, "").map(|()| note)
            })
            .await?;
        let mut parts = self.assemble_parts(opening, note.clone(), &table, Arc::new(model))?;
        parts.tools = Arc::new(ReplayTools::new(parts.tools, &earlier, cancellation.clone()));
        let mut opened = self.begin(parts, String::new());
        let mut ended = Ended::NothingToSay;
        for prompt in &earlier.prompts {
            self.add(&note, prompt).await?;
            let options =
                TurnOptions { cancellation: cancellation.clone(), ..TurnOptions::default() };
            ended = opened
                .conversation
                .turn(options)
                .await
                .map_err(|error| Problem::from_chat_error(&note, error))?;
            if ended != Ended::Answered {
                break;
            }
        }
        drop(opened);
        let (note, text) = self.read(&note).await?;
        Ok(Sent::new(note, &Document::parse(&text), ended))
    }

    /// How far the conversation of a note is.
    ///
    /// # Errors
    /// If there is no such note, or it cannot be read.
    pub async fn status(&self, note: &str) -> Result<StatusOfNote, Problem> {
        let (note, text) = self.read(note).await?;
        let is_running = matches!(self.open_ledger(&note), Err(Problem::Ledger(LedgerError::Busy)));
        Ok(StatusOfNote::new(note, &Document::parse(&text), is_running))
    }

    /// Cancels the conversation of a note, if this process carries it out.
    ///
    /// # Errors
    /// If no note can have this name.
    pub async fn cancel(&self, note: &str) -> Result<bool, Problem> {
        let note = note.to_owned();
        let note = self.run_blocking(move |notebook| notebook.name(&note)).await?;
        let running = self.running().get(&note).cloned();
        if let Some(running) = &running {
            running.cancel();
        }
        Ok(running.is_some())
    }

    fn assemble_parts(
        &self,
        opening: Opening,
        note: String,
        table: &ChatTable,
        model: Arc<dyn Model>,
    ) -> Result<Parts, Problem> {
        let Opening { calls, names_focus, flags, consent, .. } = opening;
        let table = flags.complete_with(table);
        let policy = narrow_policy(calls.policy(), &table, names_focus)?;
        let settings = Settings {
            limits: table.limits(),
            inert: table.inert(),
            older: table.older_names(),
            allowed_writes: unasked_writes(&policy, &table)?,
            results_folder: table.results.clone(),
            embeds: self.read.clone(),
            links: table.links.unwrap_or_default(),
            ..Settings::default()
        };
        let ledger = self.open_ledger(&note)?;
        let tools: Arc<dyn Tools> = Arc::new(Operations::new(calls.under(policy), &note));
        let notebook = Arc::clone(&self.notebook);
        Ok(Parts { notebook, note, tools, model, consent, ledger, settings })
    }

    fn begin(&self, parts: Parts, dialect: String) -> Opened<'_> {
        let note = parts.note.clone();
        let cancellation = CancellationToken::new();
        self.running().insert(note.clone(), cancellation.clone());
        let conversation = Conversation::new(parts);
        Opened { conversation, note, dialect, cancellation, conversations: self }
    }

    fn open_ledger(&self, note: &str) -> Result<Ledger, Problem> {
        let folder = self.folder.as_ref().ok_or(Problem::NoFolder)?;
        Ok(Ledger::open(folder, &format!("{}\n{note}", self.vault))?)
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Notebook) -> Result<T, NotebookError> + Send + 'static,
    ) -> Result<T, Problem> {
        let notebook = Arc::clone(&self.notebook);
        let done = tokio::task::spawn_blocking(move || work(notebook.as_ref())).await;
        Ok(done.unwrap_or_else(|error| {
            Err(NotebookError::Failed(format!("access to the note failed: {error}")))
        })?)
    }
}

/// Runs a turn, and cancels it also when the conversation is cancelled.
async fn run_cancellable<T>(
    conversation: CancellationToken,
    turn: CancellationToken,
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = conversation.cancelled() => turn.cancel(),
    }
    work.await
}
