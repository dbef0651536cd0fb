//! The consent of the person at the terminal, before and during a command.

use std::io::{IsTerminal, stdin};
use std::sync::Arc;

use clap::Args;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::output;
use toolwrit_chat::conversation::{Consent, Decision, Nobody, Question};
use toolwrit_chat::converse::question_text;
use toolwrit_chat::format::BlockId;

/// What is decided beforehand.
#[derive(Debug, Args)]
pub(super) struct ConsentFlags {
    /// Do not ask about these operations, unless they destroy something: `vault.append`, `project`.
    #[arg(long, value_name = "SEL", value_delimiter = ',')]
    pub(super) allow: Option<Vec<String>>,
    /// Make a call that waits for consent. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(super) approve: Vec<BlockId>,
    /// Refuse a call that waits for consent. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(super) decline: Vec<BlockId>,
}

/// Asks at the terminal. Without one, calls wait for `--approve`.
pub(super) fn at_terminal() -> Arc<dyn Consent> {
    if stdin().is_terminal() { Arc::new(Terminal) } else { Arc::new(Nobody) }
}

struct Terminal;

impl Consent for Terminal {
    fn ask(&self, question: Question) -> BoxFuture<'_, Decision> {
        async move {
            let asked = tokio::task::spawn_blocking(move || {
                output::print_message(&format!("\n{}", question_text(&question)));
                output::ask("Call it? [y]es, [n]o, or Enter to decide later:");
                let mut answer = String::new();
                stdin().read_line(&mut answer).map(|_| answer)
            });
            match asked.await {
                Ok(Ok(answer)) => match answer.trim().to_lowercase().as_str() {
                    "y" | "yes" => Decision::Approve,
                    "n" | "no" => Decision::Decline,
                    _ => Decision::Later,
                },
                _ => Decision::Later,
            }
        }
        .boxed()
    }
}
