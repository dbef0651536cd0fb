//! The end of what a program writes on standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::sync::CancellationToken;
use toolwrit_text::Secrets;

use toolwrit_text::visible::escaped;

/// Bytes that are kept.
const KEPT: usize = 8 * 1024;
/// Lines that are shown.
const SHOWN: usize = 20;

/// The end of a program's standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    kept: Arc<Mutex<VecDeque<u8>>>,
    complete: CancellationToken,
    secrets: Secrets,
}

impl Output {
    /// Masks these secrets in what is shown.
    pub(super) fn new(secrets: Secrets) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// Reads until the stream ends, so that the program never waits for a reader.
    pub(super) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut piece).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&piece[..length]);
            let excess = kept.len().saturating_sub(KEPT);
            kept.drain(..excess);
        }
        self.complete.cancel();
    }

    /// Waits until the program can write no more.
    pub(super) async fn complete(&self) {
        self.complete.cancelled().await;
    }

    /// The last lines, without hidden characters and secrets. Empty if nothing was written.
    pub(crate) fn end(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        drop(kept);
        let text = String::from_utf8_lossy(&bytes);
        // A line without its begin may have the end of a secret.
        let whole = text.split_once('\n').filter(|_| bytes.len() == KEPT);
        let text = self.secrets.mask(whole.map_or(&*text, |(_, lines)| lines));
        let lines: Vec<&str> = text.lines().rev().take(SHOWN).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        escaped(lines.join("\n").trim().to_owned())
    }
}
