//! `chat`: converses with a language model in a note.

use std::io::Read as _;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use super::consent::{self, ConsentFlags};
use super::session::Session;
use super::{models, news, request, watch};
use crate::exit::Exit;
use crate::flags::{self, PolicyFlags};
use crate::output;
use crate::output::log;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
use toolwrit_chat::conversation::TurnOptions;
use toolwrit_chat::converse::settings::ChatTable;
use toolwrit_chat::converse::{Opening, Problem, Sent, SentOutcome, WaitingCall};
use toolwrit_chat::format::{BlockId, convert};

pub(super) const VERB: Verb = Verb { name: "chat", command, run };

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
struct Flags {
    /// Note of the conversation. With a text, it is created if there is none.
    #[arg(value_name = "NOTE", required_unless_present = "models")]
    note: Option<String>,
    /// Text to add to the note first; `-` reads standard input. With --watch, further notes.
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
    /// Model, by its name in the configuration; by default the one of the note or of the configuration.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Calls in a turn, at most.
    #[arg(long, value_name = "N")]
    calls: Option<u32>,
    /// Responses with calls in a turn, at most.
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Time of a turn, such as 5m.
    #[arg(long = "timeout", id = "turn_timeout", value_name = "TIME", value_parser = time)]
    timeout: Option<String>,
    /// Read what the text links to, not only what it embeds, and show its images to the model.
    #[arg(long)]
    links: bool,
    /// Replace the last answer by a new one. Calls are not made again.
    #[arg(long, group = "what")]
    retry: bool,
    /// Ask --model the same questions in a new note. Nothing is changed: earlier results answer its calls.
    #[arg(long, group = "what", requires = "model", conflicts_with_all = ["texts", "approve", "decline"])]
    replay: bool,
    #[command(flatten)]
    consent: ConsentFlags,
    /// List the models that the endpoints of the configuration offer, or only the one of --model.
    #[arg(long, group = "what", conflicts_with_all = ["note", "texts", "approve", "decline"])]
    models: bool,
    /// Show how far the conversation is.
    #[arg(long, group = "what", conflicts_with_all = ["texts", "approve", "decline"])]
    status: bool,
    /// Show the operations as the model sees them.
    #[arg(long, group = "what", conflicts_with_all = ["approve", "decline"])]
    list: bool,
    /// Show the next request, and send nothing.
    #[arg(long, group = "what", conflicts_with_all = ["approve", "decline"])]
    dry_run: bool,
    /// Convert a conversation of an older plugin.
    #[arg(long, group = "what", conflicts_with_all = ["texts", "approve", "decline"])]
    convert: bool,
    /// Answer these notes whenever their text ends with the line `/send`, until interrupted.
    #[arg(long, group = "what", conflicts_with_all = ["approve", "decline"])]
    watch: bool,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = (program.options)(Flags::augment_args(Command::new("chat")));
    flags::guarded(program, command)
        .about("Converse with a language model in a note")
        .after_help(
            "The note has everything: what you write, what the model says, its calls and their results. \
             Without --focus, or `focus` in [chat] of the configuration, calls only read. Without a text, a \
             conversation that was interrupted goes on. Exits with code 1 if there is no complete answer, or \
             if a call waits for consent, and with code 3 if the note or the configuration has mistakes.",
        )
}

fn time(text: &str) -> Result<String, String> {
    toolwrit_core::period::period(text).map(|_| text.to_owned())
}

impl Flags {
    fn note(&self) -> &str {
        self.note.as_deref().unwrap_or_default()
    }

    fn table(&self) -> ChatTable {
        ChatTable {
            allow: self.consent.allow.clone(),
            calls: self.calls,
            rounds: self.rounds,
            timeout: self.timeout.clone(),
            links: self.links.then_some(true),
            ..ChatTable::default()
        }
    }

    fn opening(&self, session: &Session<'_>) -> Opening {
        let consent = consent::at_terminal();
        session.opening(self.note(), self.model.as_deref(), self.table(), consent)
    }

    /// The text to add.
    fn text(&self) -> Result<Option<String>, Exit> {
        match self.texts.as_slice() {
            [] => Ok(None),
            [text] if text == "-" => {
                let mut text = String::new();
                let read = std::io::stdin().read_to_string(&mut text);
                read.map_err(|error| Exit::Failed(format!("cannot read standard input: {error}")))?;
                Ok(Some(text))
            }
            texts => Ok(Some(texts.join(" "))),
        }
    }
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    log::start();
    if flags.models {
        return models::list(program, flags.model.as_deref(), flags.json);
    }
    Session::within(program, matches, (&flags.policy, &flags.state), async |session| {
        if flags.watch {
            let notes = flags.note.iter().chain(&flags.texts);
            return watch::watch(session, notes, flags.model.as_deref(), &flags.table()).await;
        }
        if flags.status {
            return status(session, &flags).await;
        }
        if flags.convert {
            return converted(session, &flags).await;
        }
        let text = flags.text()?;
        if flags.list || flags.dry_run {
            return match text {
                None => print_request(session, &flags).await,
                Some(_) => Err(Exit::Failed(
                    "--list and --dry-run write nothing. Add the text to the note first, or leave it out."
                        .to_owned(),
                )),
            };
        }
        let sent = if flags.replay {
            replay(session, &flags).await?
        } else {
            turn(session, &flags, text.as_deref()).await?
        };
        finish(session, &sent, flags.json)
    })
}

async fn turn(session: &Session<'_>, flags: &Flags, text: Option<&str>) -> Result<Sent, Exit> {
    let (progress, showing) = news::start_showing();
    let options = TurnOptions {
        approve: flags.consent.approve.clone(),
        decline: flags.consent.decline.clone(),
        retry: flags.retry,
        cancellation: session.cancellation.clone(),
        progress: (!flags.json).then_some(progress),
        ..TurnOptions::default()
    };
    let sent = session.conversations.send(flags.opening(session), text, options).await;
    // It ends with the last news.
    let _ = showing.await;
    Ok(sent?)
}

async fn replay(session: &Session<'_>, flags: &Flags) -> Result<Sent, Exit> {
    let stem = flags.note().strip_suffix(".md").unwrap_or(flags.note());
    let to = format!("{stem} ({}).md", flags.model.as_deref().unwrap_or_default());
    let cancellation = session.cancellation.clone();
    let sent = session.conversations.replay(flags.opening(session), &to, cancellation).await?;
    if !flags.json {
        output::print(&output::sanitized(&format!("{}: {}", sent.note, sent.outcome.as_str())))?;
    }
    Ok(sent)
}

/// Prints what became of a turn. It fails if there is no answer.
fn finish(session: &Session<'_>, sent: &Sent, json: bool) -> Result<(), Exit> {
    if json {
        output::print_json(sent)?;
    }
    let fail = |why: &str| Err(Exit::Failed(if json { String::new() } else { why.to_owned() }));
    match (sent.outcome, &sent.reason) {
        (SentOutcome::Asks, _) => {
            if !json {
                sent.asks.iter().for_each(|asked| explain(session, &sent.note, asked));
            }
            Err(Exit::Failed(String::new()))
        }
        (_, Some(reason)) => fail(reason),
        (SentOutcome::Cancelled, _) => fail("cancelled"),
        (SentOutcome::NothingToSay, _) if !json => {
            output::print_message("The note asks nothing. Add a text to its end.");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Says how a call that waits for consent goes on.
fn explain(session: &Session<'_>, note: &str, asked: &WaitingCall) {
    let WaitingCall { id, tool, arguments } = asked;
    let (tool, command) = (output::on_one_line(tool), session.again("chat", note));
    output::print_message(&format!(
        "{tool} {arguments} waits for consent. To make the call: {command} --approve {id}; to refuse it: --decline {id}"
    ));
}

async fn status(session: &Session<'_>, flags: &Flags) -> Result<(), Exit> {
    let status = session.conversations.status(flags.note()).await?;
    if flags.json {
        return output::print_json(&status);
    }
    output::print(&format!(
        "{}: {}, {} answers, {} calls",
        status.note,
        status.state.as_str(),
        status.answers,
        status.calls
    ))?;
    status.asks.iter().for_each(|asked| explain(session, &status.note, asked));
    Ok(())
}

async fn converted(session: &Session<'_>, flags: &Flags) -> Result<(), Exit> {
    let older = session.conversations.settings().chat.convertible_names();
    let conversations = &session.conversations;
    let changes = conversations
        .rewrite(flags.note(), move |text| {
            let converted = convert(text, &older, BlockId::random);
            (converted.changes > 0).then_some((converted.text, converted.changes))
        })
        .await?;
    let changes = changes.unwrap_or_default();
    if flags.json {
        return output::print_json(&json!({ "changes": changes }));
    }
    output::print(&format!("{changes} places converted"))
}

/// Shows the request, or only its tools.
async fn print_request(session: &Session<'_>, flags: &Flags) -> Result<(), Exit> {
    let opened = session.conversations.open(flags.opening(session)).await?;
    let wrong = |error| Problem::from_chat_error(&opened.note, error);
    let dialect = &opened.dialect;
    let value = if flags.list {
        let tools = opened.conversation.offered_tools().await.map_err(wrong)?;
        request::tools(&tools, dialect)?
    } else {
        let request = opened.conversation.request().await.map_err(wrong)?;
        request::request(&request, dialect)?
    };
    output::print(&output::content(&format!("{value:#}")))
}
