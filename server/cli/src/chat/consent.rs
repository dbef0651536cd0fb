//! The consent of the person at the terminal.

use std::io::{IsTerminal, stdin};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::output;
use toolwrit_converse::conversation::{Consent, Decision, Nobody, Question};
use toolwrit_converse::question_text;

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
