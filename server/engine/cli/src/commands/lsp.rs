//! `lsp`: a language server for notes whose blocks call operations, and for manifests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::commands::chat;
use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::{self, PolicyFlags};
use crate::output::log;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
use toolwrit_chat::conversation::Consent;
use toolwrit_lsp::{Notes, Run};

pub(crate) const VERB: Verb = Verb { name: "lsp", command, run };

#[derive(Debug, Args)]
struct Flags {
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let command = (program.options)(Flags::augment_args(Command::new("lsp")));
    flags::guarded(program, command)
        .about("Serve an editor over the Language Server Protocol")
        .after_help(
            "In Markdown notes, blocks that call operations are completed, explained and checked, and run on \
             request; without --focus they only read, as with `run`. In the files of a manifest, keys and names are \
             completed and explained, and problems are shown. A manifest is recognized by its keys; --manifest names \
             another one. The editor starts the program, which uses standard streams.",
        )
}

/// A block that is to be run, and where its outcome is awaited.
struct ToRun {
    file: PathBuf,
    block: usize,
    consent: Arc<dyn Consent>,
    outcome: Sender<Result<String, String>>,
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    log::start();
    let manifest = matches.get_one::<PathBuf>("manifest").cloned();
    let (requests, blocks) = channel::<ToRun>();
    let run: Option<Box<Run>> = program.converse.map(|_| {
        let run: Box<Run> = Box::new(move |file, block, consent| {
            let (outcome, awaited) = channel();
            let file = file.to_owned();
            // Fails when the server is stopping.
            let sent = requests.send(ToRun { file, block, consent, outcome });
            let ran = sent.ok().and_then(|()| awaited.recv().ok());
            ran.unwrap_or_else(|| Err("The server is stopping.".to_owned()))
        });
        run
    });
    // The operations of a manifest with problems are not known.
    let is_known = manifest.is_none() || program.manifest.is_some();
    let notes = is_known.then(|| notes(program, matches, &flags, run)).transpose()?;
    let serving = thread::spawn(move || toolwrit_lsp::serve(manifest, notes));
    // Until the server has ended. Applications are opened in this thread, one for each run.
    for ToRun { file, block, consent, outcome } in blocks {
        let (policy, state) = (&flags.policy, &flags.state);
        let ran = chat::run_block((program, matches), (policy, state), (&file, block), consent);
        // A client that is gone awaits nothing.
        let _ = outcome.send(ran.map_err(Exit::into_message));
    }
    match serving.join() {
        Ok(served) => served.map_err(|error| Exit::Failed(error.to_string())),
        Err(_) => Err(Exit::Failed("the language server ended unexpectedly".to_owned())),
    }
}

fn notes(
    program: &Program,
    matches: &ArgMatches,
    flags: &Flags,
    run: Option<Box<Run>>,
) -> Result<Notes, Exit> {
    let engine = listing::known(program, matches)?;
    let policy = flags.policy.policy(program)?.over(&engine.authority());
    let table = program.config.chat().chat;
    let names_focus = chat::named_focus(matches).is_some();
    let blocks = toolwrit_chat::converse::narrow_policy(&policy, &table, names_focus)
        .map_err(Exit::configuration)?;
    Ok(Notes::new(&engine, policy, blocks, run))
}
