//! Shows what happens while a conversation goes on: words on standard output, calls on standard error.

use std::io::{IsTerminal, Write, stdout};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::output;
use toolwrit_chat::conversation::Progress;

/// Shows news until all senders are gone.
pub(super) fn start_showing() -> (UnboundedSender<Progress>, JoinHandle<()>) {
    let (sender, receiver) = unbounded_channel();
    (sender, tokio::spawn(show(receiver)))
}

async fn show(mut news: UnboundedReceiver<Progress>) {
    let mut within_words = false;
    while let Some(one) = news.recv().await {
        match one {
            Progress::Words(words) => {
                let words = if stdout().is_terminal() { output::sanitized(&words) } else { words };
                within_words = !words.ends_with('\n');
                let mut out = stdout().lock();
                // The note has the answer, too.
                let _ = out.write_all(words.as_bytes()).and_then(|()| out.flush());
            }
            Progress::Asking => end_line(&mut within_words),
            Progress::Retrying(news) => output::print_message(&news),
            Progress::Calling { tool, id } => {
                end_line(&mut within_words);
                output::print_message(&format!("{id} {} ..", output::on_one_line(&tool)));
            }
            Progress::Called { id, state } => output::print_message(&format!("{id} {state}")),
        }
    }
    end_line(&mut within_words);
}

fn end_line(within_words: &mut bool) {
    if std::mem::take(within_words) {
        // As above.
        let _ = stdout().write_all(b"\n");
    }
}
