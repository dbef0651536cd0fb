//! `chat --watch`: answers notes whose text ends with `/send`.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use crate::exit::Exit;
use crate::output;
use toolwrit_chat::conversation::{Nobody, TurnOptions, wait_for_send};
use toolwrit_chat::converse::settings::ChatTable;
use toolwrit_chat::converse::{Conversations, Problem, Sent};

/// Answers notes until the command is interrupted. Calls that need consent wait for `--approve`.
pub(super) async fn watch<'a>(
    session: &Session<'_>,
    notes: impl Iterator<Item = &'a String>,
    model: Option<&str>,
    table: &ChatTable,
) -> Result<(), Exit> {
    let mut watched = JoinSet::new();
    for note in notes {
        // A name that is wrong now stays wrong.
        let note = session.conversations.ensure_note(note).await?;
        let (conversations, cancellation) =
            (session.conversations.clone(), session.cancellation.clone());
        let opening = session.opening(&note, model, table.clone(), Arc::new(Nobody));
        watched.spawn(async move {
            output::print_message(&format!("Waiting for /send in {note}"));
            let mut failed = None;
            loop {
                match wait_for_send(Arc::clone(conversations.notebook()), &note, &cancellation)
                    .await
                {
                    Ok(true) => failed = None,
                    Ok(false) => return,
                    // Many editors save a note by another file of its name, so that there is none for a moment.
                    Err(error) => {
                        if failed.as_ref() != Some(&error) {
                            output::print_message(&format!("{note}: {error}. Waiting for it"));
                        }
                        failed = Some(error);
                        changed(&conversations, &cancellation).await;
                        continue;
                    }
                }
                let options =
                    TurnOptions { cancellation: cancellation.clone(), ..TurnOptions::default() };
                let outcome = conversations.send(opening.clone(), None, options).await;
                output::print_message(&format!("{note}: {}", describe_outcome(&outcome)));
            }
        });
    }
    while let Some(ended) = watched.join_next().await {
        ended.map_err(|error| Exit::Failed(error.to_string()))?;
    }
    Ok(())
}

/// Waits until a note may have changed.
async fn changed(conversations: &Conversations, cancellation: &CancellationToken) {
    let mut changes = conversations.notebook().changes();
    tokio::select! {
        () = cancellation.cancelled() => {}
        _ = changes.changed() => {}
    }
}

fn describe_outcome(outcome: &Result<Sent, Problem>) -> String {
    match outcome {
        Ok(Sent { outcome, reason: Some(reason), .. }) => {
            format!("{}: {reason}", outcome.as_str())
        }
        Ok(Sent { outcome, .. }) => outcome.as_str().to_owned(),
        Err(problem) => problem.to_string(),
    }
}
