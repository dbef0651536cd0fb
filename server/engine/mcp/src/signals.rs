//! Stop signals of the operating system.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for requests to stop: SIGTERM and SIGINT, or Ctrl-C on systems other than Unix. On Linux also SIGHUP, which
/// a process gets when its terminal is closed.
pub struct Signals {
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
    /// `None` if SIGHUP keeps its effect.
    #[cfg(unix)]
    hangup: Option<Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the system refuses to register a signal handler.
    pub fn listen() -> io::Result<Self> {
        let hangup = (!ignores_hangup()).then(|| signal(SignalKind::hangup())).transpose()?;
        let (terminate, interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(Self { terminate, interrupt, hangup })
    }

    /// Completes at the next signal.
    pub async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Whether the process was started with SIGHUP ignored, as `nohup` does. A signal handler would end that.
#[cfg(target_os = "linux")]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is signal 1, SIGHUP.
    mask.is_none_or(|mask| mask & 1 == 1)
}

/// Other systems do not say it.
#[cfg(all(unix, not(target_os = "linux")))]
fn ignores_hangup() -> bool {
    true
}

#[cfg(not(unix))]
impl Signals {
    /// Starts to listen.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Completes at the next signal.
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
