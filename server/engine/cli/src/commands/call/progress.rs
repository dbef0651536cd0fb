//! Shows the progress of a call in one line on standard error, if that is a terminal.

use std::io::{IsTerminal, Write, stderr};

use tokio::task::JoinHandle;

use crate::output;
use toolwrit_core::call::reports::{HandlerReport, Progress, Reports};

/// Draws the progress line while the call runs.
pub(super) struct Meter(JoinHandle<()>);

/// Starts a progress line and returns its channel of reports; both are empty without a terminal.
pub(super) fn start() -> (Option<Meter>, Reports) {
    if !stderr().is_terminal() {
        return (None, Reports::default());
    }
    let (sink, mut reports) = Reports::channel();
    let task = tokio::spawn(async move {
        while let Some(mut report) = reports.recv().await {
            // Draw only the latest report of a burst.
            while let Ok(later) = reports.try_recv() {
                report = later;
            }
            if let HandlerReport::Progress(progress) = &report {
                draw(&describe(progress));
            }
        }
    });
    (Some(Meter(task)), Reports { progress: Some(sink), log: None })
}

impl Meter {
    /// Removes the progress line.
    pub(super) async fn finish(self) {
        self.0.abort();
        // Whether the task was cancelled or has completed, it draws nothing more.
        let _ = self.0.await;
        draw("");
    }
}

/// Removes the progress line, for a question.
pub(super) fn clear() {
    if stderr().is_terminal() {
        draw("");
    }
}

fn describe(report: &Progress) -> String {
    let message = report.message.as_deref().unwrap_or("working");
    let text: String = message.chars().filter(|c| !output::controls_terminal(*c)).collect();
    match report.total {
        Some(total) if total > 0.0 => {
            let percent = (100.0 * report.done / total).clamp(0.0, 100.0);
            format!("{percent:3.0} % ({} of {total})  {text}", report.done)
        }
        _ => format!("{}  {text}", report.done),
    }
}

/// Replaces the current line.
fn draw(text: &str) {
    let width = terminal_size::terminal_size_of(stderr()).map_or(80, |(width, _)| width.0);
    let text: String = text.chars().take(usize::from(width.saturating_sub(1))).collect();
    let mut out = stderr();
    // Failing to show progress must not fail the call.
    let _ = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::{Progress, describe};

    #[test]
    fn progress_has_a_percentage_and_a_message() {
        let report = |total| Progress { done: 3.0, total, message: Some("Deleting\x1b[2J".into()) };
        assert_eq!(describe(&report(Some(12.0))), " 25 % (3 of 12)  Deleting[2J");
        assert_eq!(describe(&report(None)), "3  Deleting[2J");
    }
}
