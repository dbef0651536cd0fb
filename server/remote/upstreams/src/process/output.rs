//! The end of what a program writes on standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::sync::CancellationToken;
use toolwrit_text::Secrets;

use crate::speech::Speech;
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
    speech: Speech,
}

impl Output {
    /// Masks these secrets in what is shown.
    pub(super) fn new(secrets: Secrets, speech: Speech) -> Self {
        Self { secrets, speech, ..Self::default() }
    }

    /// Reads until the stream ends, so that the program never waits for a reader.
    pub(super) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let mut piece = [0; 4096];
        let mut line = Vec::new();
        while let Ok(length @ 1..) = stream.read(&mut piece).await {
            self.say(&mut line, &piece[..length]);
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&piece[..length]);
            let excess = kept.len().saturating_sub(KEPT);
            kept.drain(..excess);
        }
        if !line.is_empty() {
            self.speech.say(&String::from_utf8_lossy(&line));
        }
        self.complete.cancel();
    }

    /// Says the lines that have ended. `line` is the begin of the next one.
    fn say(&self, line: &mut Vec<u8>, piece: &[u8]) {
        let mut parts = piece.split(|byte| *byte == b'\n');
        line.extend_from_slice(parts.next().unwrap_or_default());
        for part in parts {
            self.speech.say(String::from_utf8_lossy(line).trim_end());
            line.clear();
            line.extend_from_slice(part);
        }
        if line.len() > KEPT {
            self.speech.say(&String::from_utf8_lossy(line));
            line.clear();
        }
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
