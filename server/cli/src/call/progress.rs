//! A line on standard error that says how far the call has come. Only a terminal gets one.

use std::io::{IsTerminal, Write, stderr};

use tokio::task::JoinHandle;

use crate::output;
use toolwrit_core::reports::{Progress, Report, Reports};

/// The line, while the call runs.
pub(super) struct Meter(JoinHandle<()>);

/// A progress line and its channel of reports; neither if standard error is no terminal.
pub(super) fn start() -> (Option<Meter>, Reports) {
    if !stderr().is_terminal() {
        return (None, Reports::default());
    }
    let (sink, mut reports) = Reports::channel();
    let task = tokio::spawn(async move {
        while let Some(mut report) = reports.recv().await {
            // Only the last of a burst is worth drawing.
            while let Ok(later) = reports.try_recv() {
                report = later;
            }
            if let Report::Progress(progress) = &report {
                draw(&describe(progress));
            }
        }
    });
    (Some(Meter(task)), Reports { progress: Some(sink), log: None })
}

impl Meter {
    /// Takes the line away.
    pub(super) async fn finish(self) {
        self.0.abort();
        // Ends cancelled, or has ended; both mean that nothing is drawn any more.
        let _ = self.0.await;
        draw("");
    }
}

fn describe(report: &Progress) -> String {
    let message = report.message.as_deref().unwrap_or("working");
    let text: String = message.chars().filter(|c| !output::commands(*c)).collect();
    match report.total {
        Some(total) if total > 0.0 => {
            let percent = (100.0 * report.done / total).clamp(0.0, 100.0);
            format!("{percent:3.0} % ({} of {total})  {text}", report.done)
        }
        _ => format!("{}  {text}", report.done),
    }
}

/// Replaces the line at the cursor.
fn draw(text: &str) {
    let width = terminal_size::terminal_size_of(stderr()).map_or(80, |(width, _)| width.0);
    let text: String = text.chars().take(usize::from(width.saturating_sub(1))).collect();
    let mut out = stderr();
    // Progress that cannot be shown is no reason to fail.
    let _ = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::{Progress, describe};

    #[test]
    fn says_how_far_and_what() {
        let report = |total| Progress { done: 3.0, total, message: Some("Deleting\x1b[2J".into()) };
        assert_eq!(describe(&report(Some(12.0))), " 25 % (3 of 12)  Deleting[2J");
        assert_eq!(describe(&report(None)), "3  Deleting[2J");
    }
}
