//! What both commands need: the open application, and calls on behalf of the user.

use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use tokio_util::sync::CancellationToken;

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::flags::given::words_given;
use crate::program::state::StateFlags;
use crate::program::{Program, in_runtime, invocation, quoted};
use toolwrit_chat::conversation::Consent;
use toolwrit_chat::converse::settings::ChatTable;
use toolwrit_chat::converse::{Conversations, Opening, Problem};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::call::calls::Calls;
use toolwrit_core::dialogue::Dialogue;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_mcp::endpoint::{Endpoint, Engine, Request};

/// Handlers that may run at once: the reads of a turn.
const HANDLERS: u32 = 8;

/// An open application.
pub(super) struct Session<'a> {
    pub(super) conversations: Arc<Conversations>,
    calls: Calls,
    program: &'a Program,
    /// What the command line gives.
    matches: &'a ArgMatches,
    /// Cancelled when the user interrupts the command.
    pub(super) cancellation: CancellationToken,
}

/// Flags of one command alone, which do not hold for the next one.
const ONCE: [&str; 5] = ["approve", "decline", "replay", "retry", "status"];

impl<'a> Session<'a> {
    /// Opens the application, and closes it after the work.
    pub(super) fn within<T>(
        program: &'a Program,
        matches: &'a ArgMatches,
        (policy, state): (&PolicyFlags, &StateFlags),
        work: impl AsyncFnOnce(&Session<'a>) -> Result<T, Exit>,
    ) -> Result<T, Exit> {
        let Some(converse) = program.converse else {
            return Err(Exit::Failed("This program has no conversations.".to_owned()));
        };
        let policy = policy.policy(program)?;
        let writer = state.open(program)?;
        let recorder = Recorder::new(writer.state());
        in_runtime(HANDLERS, async {
            let (toolset, conversations) = match writing(program, matches)? {
                Some(matches) => converse(program, &matches).await?,
                None => converse(program, matches).await?,
            };
            #[cfg(feature = "upstreams")]
            let toolset = program.joined(toolset).await?;
            let engine = Engine::new(toolset, &CallSettings::default(), recorder);
            engine.examined_within(listing::EXAMINATION_TIME).await;
            let policy = policy.over(&engine.authority());
            let endpoint = Endpoint::new(engine.clone(), policy, listing::LOOK);
            let request = Request { dialogue: Dialogue::Settled, ..Request::default() };
            let calls = endpoint.calls(request);
            let cancellation = CancellationToken::new();
            let session = Session { conversations, calls, program, matches, cancellation };
            let listening = tokio::spawn(interrupted(session.cancellation.clone()));
            let done = work(&session).await;
            listening.abort();
            engine.close().await;
            done
        })
    }

    /// The conversation of a note.
    pub(super) fn opening(
        &self,
        note: &str,
        model: Option<&str>,
        flags: ChatTable,
        consent: Arc<dyn Consent>,
    ) -> Opening {
        Opening {
            note: note.to_owned(),
            model: model.map(str::to_owned),
            calls: self.calls.clone(),
            names_focus: named_focus(self.matches).is_some(),
            flags,
            consent,
        }
    }
}

impl Session<'_> {
    /// The command that goes on with this note, with the flags that this command was given.
    pub(super) fn again(&self, verb: &str, note: &str) -> String {
        let mut words = vec![invocation().to_owned(), verb.to_owned(), quoted(note)];
        let mut whole = self.program.command();
        // Flags of all commands become those of each.
        whole.build();
        let flags = whole.find_subcommand(verb).into_iter().flat_map(Command::get_arguments);
        let flags = flags.filter(|flag| !ONCE.contains(&flag.get_id().as_str()));
        words.extend(
            flags.flat_map(|flag| words_given(flag, self.matches, &[ValueSource::CommandLine])),
        );
        words.join(" ")
    }
}

/// The focus mode that the command line names. Only such a one lets blocks and conversations write.
pub(crate) fn named_focus(matches: &ArgMatches) -> Option<String> {
    let is_named = matches.value_source("focus") == Some(ValueSource::CommandLine);
    matches.get_one::<String>("focus").filter(|_| is_named).cloned()
}

/// The same command without `--read-only`, if it has that flag: the calls only read, but the conversation is written.
fn writing(program: &Program, matches: &ArgMatches) -> Result<Option<ArgMatches>, Exit> {
    if matches.value_source("read_only") != Some(ValueSource::CommandLine) {
        return Ok(None);
    }
    let arguments = program.arguments.iter().filter(|argument| *argument != "--read-only");
    let whole = program.command().try_get_matches_from(arguments)?;
    Ok(whole.subcommand().map(|(_, matches)| matches.clone()))
}

/// Cancels at the first interrupt, and ends the process at the second.
async fn interrupted(cancellation: CancellationToken) {
    while tokio::signal::ctrl_c().await.is_ok() {
        if cancellation.is_cancelled() {
            std::process::exit(130);
        }
        cancellation.cancel();
    }
}

impl From<Problem> for Exit {
    fn from(problem: Problem) -> Self {
        if problem.is_configuration() {
            Self::Configuration(problem.to_string())
        } else {
            Self::Failed(problem.to_string())
        }
    }
}
