//! A conversation: the note, the model, the tools, and what is known about earlier calls.

mod answer;
mod calls;
mod consent;
mod faults;
mod history;
mod limits;
mod links;
mod nested_calls;
mod page;
mod prepare;
mod replay;
mod respond;
mod results;
mod run;
mod turn;
mod watch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub use self::consent::{Asked, Consent, Decision, Nobody, Question, Reason};
pub use self::limits::{Limit, Limits};
pub use self::replay::{Replay, ReplayTools, replay};
pub use self::run::{Ran, RunOptions, RunOutcome};
pub use self::watch::wait_for_send;
use crate::format::{BlockId, Document, Inert, Mistake, NoteSettings, OlderNames};
use crate::ledger::Ledger;
use crate::notebook::{Notebook, NotebookError};
use crate::provider::{Model, Request};
use crate::tools::{Tool, Tools};
use page::Page;

/// A conversation in a note.
pub struct Conversation {
    page: Page,
    tools: Arc<dyn Tools>,
    model: Arc<dyn Model>,
    consent: Arc<dyn Consent>,
    ledger: Arc<Mutex<Ledger>>,
    settings: Settings,
}

/// What a conversation is made of.
pub struct Parts {
    /// Where the note is.
    pub notebook: Arc<dyn Notebook>,
    /// The note, as the notebook names it.
    pub note: String,
    /// What the model may call.
    pub tools: Arc<dyn Tools>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Who is asked about calls that need consent.
    pub consent: Arc<dyn Consent>,
    /// What is known about earlier calls.
    pub ledger: Ledger,
    /// What the operator says.
    pub settings: Settings,
}

/// What the operator says about conversations.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The limits of a turn.
    pub limits: Limits,
    /// What is made inert in answers.
    pub inert: Inert,
    /// The lines of older plugins.
    pub older: OlderNames,
    /// The ids of tools that may write without being asked about.
    pub allowed_writes: HashSet<String>,
    /// The folder for results that are too long; `None` shortens them.
    pub results_folder: Option<String>,
    /// The tool that reads the embeds of the user's text; `None` leaves them.
    pub embeds: Option<ReadTool>,
    /// Whether links of the user's text are read like embeds.
    pub links: bool,
    /// Makes the ids of blocks.
    pub new_id: fn() -> BlockId,
}

/// A tool that reads a note.
#[derive(Debug, Clone)]
pub struct ReadTool {
    /// The id of the tool, such as `vault.read`.
    pub tool: String,
    /// The parameter that takes the name of the note.
    pub parameter: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            inert: Inert::default(),
            older: OlderNames::default(),
            allowed_writes: HashSet::new(),
            results_folder: None,
            embeds: None,
            links: false,
            new_id: BlockId::random,
        }
    }
}

/// What one turn is asked to do.
#[derive(Debug, Default)]
pub struct TurnOptions {
    /// Blocks whose calls a person has approved.
    pub approve: Vec<BlockId>,
    /// Blocks whose calls a person has declined.
    pub decline: Vec<BlockId>,
    /// Whether the last answer is replaced by a new one.
    pub retry: bool,
    /// What the user has said through this program, at the end of the note. All other text is the vault's.
    pub said: Option<String>,
    /// Cancels the turn.
    pub cancellation: CancellationToken,
    /// Where news go.
    pub progress: Option<UnboundedSender<Progress>>,
}

/// News of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The model is asked, for the first time or with results.
    Asking,
    /// The model did not answer, and is asked again: why, and when.
    Retrying(String),
    /// Words of the model, as it said them.
    Words(String),
    /// A call begins.
    Calling {
        /// Its block.
        id: BlockId,
        /// The tool.
        tool: String,
    },
    /// A call has ended.
    Called {
        /// Its block.
        id: BlockId,
        /// Its state, as the block shows it.
        state: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The model has answered.
    Answered,
    /// The note asks nothing.
    NothingToSay,
    /// Calls wait for consent.
    Asks(Vec<BlockId>),
    /// A limit was reached, and the model has answered with what it had.
    Limited(Limit),
    /// A person cancelled, or deleted the block that was being written.
    Cancelled,
    /// The model gave no complete answer.
    Failed(String),
}

/// Why a turn cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The note has mistakes.
    #[error("the note cannot be understood:\n{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<Mistake>),
    /// The note says that it is no conversation.
    #[error("the note has `chat-enabled: false`. Remove it to converse in this note.")]
    Disabled,
    /// The note wants another model.
    #[error(
        "the note wants the model `{wanted}`, and `{given}` was given. Give that one, or change `chat-model`."
    )]
    OtherModel {
        /// The model of the note.
        wanted: String,
        /// The model of the conversation.
        given: String,
    },
    /// A call that has not ended cannot be made now. It stays as it is.
    #[error(
        "the call {id} of {tool} has not ended and cannot be made: {reason} Give the flags with which it was asked, or \
         end it with --decline {id}."
    )]
    NotOffered {
        /// The block of the call.
        id: BlockId,
        /// The tool.
        tool: String,
        /// Why the tool is not offered.
        reason: String,
    },
    /// No call of this note has this block.
    #[error("there is no call {0} in this note. `--status` shows the calls that wait.")]
    NoCall(BlockId),
    /// The note has no such block.
    #[error("there is no block {number}: the note has {blocks} that call tools.")]
    NoBlock {
        /// The number that was asked for.
        number: usize,
        /// How many there are.
        blocks: usize,
    },
    /// The note cannot be read or written.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// The state cannot be written.
    #[error(
        "the state of the conversation cannot be written: {0}. Check the state folder and its disk."
    )]
    State(#[from] std::io::Error),
}

impl Conversation {
    /// A conversation in a note.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self {
            page: Page { notebook: parts.notebook, note: parts.note.into() },
            tools: parts.tools,
            model: parts.model,
            consent: parts.consent,
            ledger: Arc::new(Mutex::new(parts.ledger)),
            settings: parts.settings,
        }
    }

    /// Finishes what an earlier turn has left, and answers what the note asks.
    ///
    /// # Errors
    /// Fails if the note has mistakes, or if it or the state cannot be read or written. Everything else that can go wrong is
    /// in the note.
    pub async fn turn(&mut self, options: TurnOptions) -> Result<Ended, ChatError> {
        turn::Turn::begin(self, options).await
    }

    /// The request that a turn would send now, without sending it or writing anything. What the note embeds is read.
    ///
    /// # Errors
    /// Fails as [`Conversation::turn`] does.
    pub async fn request(&self) -> Result<Request, ChatError> {
        let text = self.page.read_text().await?;
        let document = Document::parse(&text);
        let note = self.check_note_and_model(&document)?;
        let mut turn = turn::Turn::new(self, TurnOptions::default(), &note);
        turn.anchor = turn::last_block(&document);
        let text = turn.preview_links(&document).await?;
        let document = Document::parse(&text);
        let history =
            history::History::from_document(&document, &self.settings.older, &turn.recall);
        let mut messages = history.messages;
        turn.attach_images(&mut messages).await?;
        Ok(Request { messages, tools: turn.recall.tools.clone() })
    }

    /// The tools that the note offers to the model.
    ///
    /// # Errors
    /// Fails as [`Conversation::turn`] does.
    pub async fn offered_tools(&self) -> Result<Arc<[Tool]>, ChatError> {
        let text = self.page.read_text().await?;
        let note = self.check_note_and_model(&Document::parse(&text))?;
        Ok(self.recall(&note).tools)
    }

    /// The settings of a note that may be a conversation with this model.
    fn check_note_and_model(&self, document: &Document<'_>) -> Result<NoteSettings, ChatError> {
        let note = self.check_note(document)?;
        match &note.model {
            Some(wanted) if wanted != self.model.name() => Err(ChatError::OtherModel {
                wanted: wanted.clone(),
                given: self.model.name().to_owned(),
            }),
            _ => Ok(note),
        }
    }

    /// Checks that these are calls of the note, whether or not they still wait.
    fn check_calls<'i>(&self, ids: impl Iterator<Item = &'i BlockId>) -> Result<(), ChatError> {
        let is_unknown =
            |id: &BlockId| self.find_known(*id).is_none_or(|known| known.call.is_none());
        ids.copied().find(is_unknown).map_or(Ok(()), |id| Err(ChatError::NoCall(id)))
    }

    /// The settings of a note that has no mistakes, and may be a conversation.
    fn check_note(&self, document: &Document<'_>) -> Result<NoteSettings, ChatError> {
        if !document.mistakes().is_empty() {
            return Err(ChatError::Mistakes(document.mistakes().to_vec()));
        }
        let note = NoteSettings::read(document).map_err(ChatError::Mistakes)?;
        let unknown = note.tools.iter().flatten().filter_map(|one| self.tools.select(one).err());
        let unknown: Vec<Mistake> = unknown
            .map(|message| NoteSettings::mistake(document, NoteSettings::TOOLS, &message))
            .collect();
        if !unknown.is_empty() {
            return Err(ChatError::Mistakes(unknown));
        }
        if note.disabled { Err(ChatError::Disabled) } else { Ok(note) }
    }
}
