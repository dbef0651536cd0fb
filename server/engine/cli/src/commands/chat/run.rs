//! `run`: runs the blocks of a note that call operations.

#[cfg(feature = "lsp")]
use std::path::Path;
#[cfg(feature = "lsp")]
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::consent::{self, ConsentFlags};
use super::session::Session;
use crate::exit::Exit;
use crate::flags::{self, PolicyFlags};
use crate::output;
use crate::output::log;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
#[cfg(feature = "lsp")]
use toolwrit_chat::conversation::Consent;
use toolwrit_chat::conversation::{Ran, RunOptions, RunOutcome};
use toolwrit_chat::converse::settings::ChatTable;
use toolwrit_chat::format::Payload;

pub(super) const VERB: Verb = Verb { name: "run", command, run };

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
struct Flags {
    /// Note with blocks named `toolwrit`.
    #[arg(value_name = "NOTE")]
    note: String,
    /// Run only this block; the first one has the number 1.
    #[arg(long, value_name = "N")]
    block: Option<usize>,
    /// Replace results that somebody has edited, too.
    #[arg(long)]
    again: bool,
    /// Compare results with those in the note, and write nothing. Exits with code 1 if one differs.
    #[arg(long, conflicts_with_all = ["again", "dry_run", "approve", "decline"])]
    check: bool,
    /// Show what would be run.
    #[arg(long, conflicts_with_all = ["approve", "decline"])]
    dry_run: bool,
    #[command(flatten)]
    consent: ConsentFlags,
    /// Print JSON, one line for each block.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = (program.options)(Flags::augment_args(Command::new("run")));
    flags::guarded(program, command)
        .about("Run the blocks of a note that call operations")
        .after_help(
            "The result of a block stands below it. Without --focus, or `focus` in [chat] of the \
             configuration, blocks only read. Exits with code 1 if a block fails or waits for consent, and \
             with code 3 if the note has mistakes.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    log::start();
    let ran = Session::within(program, matches, (&flags.policy, &flags.state), async |session| {
        let table = ChatTable { allow: flags.consent.allow.clone(), ..ChatTable::default() };
        let opening = session.opening(&flags.note, None, table, consent::at_terminal());
        let options = RunOptions {
            block: flags.block,
            again: flags.again,
            check: flags.check,
            dry_run: flags.dry_run,
            approve: flags.consent.approve.clone(),
            decline: flags.consent.decline.clone(),
            cancellation: session.cancellation.clone(),
            ..RunOptions::default()
        };
        let ran = session.conversations.run(opening, options).await?;
        print_runs(session, &flags, &ran).map(|()| ran)
    })?;
    let failed = ran.iter().any(|one| !one.outcome.is_success());
    // The failures have been printed.
    if failed { Err(Exit::Failed(String::new())) } else { Ok(()) }
}

/// Runs a block of a note for another program: the block with this number, from 1, of the note in a file. Returns what
/// became of it, as an error unless it is how it should be.
///
/// # Errors
/// If there is no such block, or the application cannot be opened.
#[cfg(feature = "lsp")]
pub(crate) fn run_block(
    (program, matches): (&Program, &ArgMatches),
    flags: (&PolicyFlags, &StateFlags),
    (file, block): (&Path, usize),
    consent: Arc<dyn Consent>,
) -> Result<String, Exit> {
    Session::within(program, matches, flags, async |session| {
        let note = session.conversations.notebook().find_by_file(file).ok_or_else(|| {
            Exit::Failed("The note is not in the vault. --vault DIR names its vault.".to_owned())
        })?;
        let opening = session.opening(&note, None, ChatTable::default(), consent);
        let options = RunOptions {
            block: Some(block),
            cancellation: session.cancellation.clone(),
            ..RunOptions::default()
        };
        let ran = session.conversations.run(opening, options).await?;
        let lines: Vec<String> = ran.iter().map(|one| line(session, &note, one)).collect();
        let is_success = ran.iter().all(|one| one.outcome.is_success());
        if is_success { Ok(lines.join("\n")) } else { Err(Exit::Failed(lines.join("\n"))) }
    })
}

fn print_runs(session: &Session<'_>, flags: &Flags, ran: &[Ran]) -> Result<(), Exit> {
    if ran.is_empty() && !flags.json {
        output::print_message("The note has no blocks that call operations.");
    }
    ran.iter().try_for_each(|one| {
        if flags.json {
            output::print_json(&json(one))
        } else {
            output::print(&line(session, &flags.note, one))
        }
    })
}

/// What became of a block, in a word.
fn word(outcome: &RunOutcome) -> &str {
    match outcome {
        RunOutcome::Ran(state, _) => state,
        RunOutcome::Edited => "edited",
        RunOutcome::Would => "would run",
        RunOutcome::Same => "same",
        RunOutcome::Different(_) => "different",
        RunOutcome::NotChecked => "not checked",
    }
}

fn line(session: &Session<'_>, note: &str, ran: &Ran) -> String {
    let Ran { line, tool, id, outcome, .. } = ran;
    let more = match (outcome, id) {
        (RunOutcome::Edited, _) => ": its result was edited; --again replaces it".to_owned(),
        (RunOutcome::NotChecked, _) => ": it changes something".to_owned(),
        (RunOutcome::Ran(state, _), Some(id)) if state.starts_with("asks") => {
            let command = session.again("run", note);
            format!(": {command} --approve {id} makes the call, --decline {id} refuses it")
        }
        (RunOutcome::Ran(_, Some(Payload::Json(error))), _) if !outcome.is_success() => {
            let part = |key: &str| error["error"][key].as_str().unwrap_or_default();
            let nearest = error["error"]["did_you_mean"].as_array().into_iter().flatten();
            let nearest: Vec<&str> = nearest.filter_map(Value::as_str).collect();
            let hint = match nearest.as_slice() {
                [] => part("hint").to_owned(),
                nearest => format!("Did you mean {}?", nearest.join(", ")),
            };
            format!(": {} {hint}", part("message"))
        }
        _ => String::new(),
    };
    let tool = output::on_one_line(tool);
    output::sanitized(&format!("{note}:{line}: {tool} {}{}", word(outcome), more.trim_end()))
}

fn json(ran: &Ran) -> Value {
    let mut json = json!({
        "block": ran.block,
        "line": ran.line,
        "tool": ran.tool,
        "outcome": word(&ran.outcome),
    });
    if let Some(id) = ran.id {
        json["id"] = id.to_string().into();
    }
    if let RunOutcome::Ran(_, Some(result)) | RunOutcome::Different(Some(result)) = &ran.outcome {
        json["result"] = match result {
            Payload::Json(value) => value.clone(),
            Payload::Text(text) => text.as_str().into(),
        };
    }
    json
}
