//! A process and those that it starts, until its end.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// Size limit of the output, in bytes.
pub(super) const MAX_OUTPUT: usize = 8 * 1024 * 1024;
/// How much of the error output is kept, in bytes.
const MAX_ERRORS: usize = 16 * 1024;

/// A process that has ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

/// Why there is no end to report.
pub(super) enum Trouble {
    /// It did not start.
    NotStarted(io::Error),
    /// It wrote too much.
    TooLarge,
    /// Its output or its end could not be read.
    Lost(io::Error),
}

/// The process and those that it has started. They end when this is dropped.
struct Group(Box<dyn ChildWrapper>);

impl Drop for Group {
    fn drop(&mut self) {
        // There may be none any more.
        let _ = self.0.start_kill();
    }
}

/// Runs a process to its end. `started` is set as soon as it runs.
pub(super) async fn run(command: Command, started: &AtomicBool) -> Result<Ended, Trouble> {
    let mut command = CommandWrap::from(command);
    command.command_mut().stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut group = Group(command.spawn().map_err(Trouble::NotStarted)?);
    started.store(true, Ordering::Relaxed);
    let (stdout, stderr) = (group.0.stdout().take(), group.0.stderr().take());
    let ending = async {
        let status = group.0.wait().await.map_err(Trouble::Lost);
        // Processes that it has left running would keep its output open.
        drop(group);
        status
    };
    let (status, output, errors) = tokio::try_join!(ending, whole(stdout), tail(stderr))?;
    Ok(Ended { status, output, errors })
}

async fn whole(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, Trouble> {
    let mut output = Vec::new();
    if let Some(stream) = stream {
        let most = MAX_OUTPUT as u64 + 1;
        stream.take(most).read_to_end(&mut output).await.map_err(Trouble::Lost)?;
    }
    if output.len() > MAX_OUTPUT { Err(Trouble::TooLarge) } else { Ok(output) }
}

/// The end of a stream.
#[derive(Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(excess) = self.bytes.len().checked_sub(MAX_ERRORS).filter(|excess| *excess > 0)
        {
            self.bytes.drain(..excess);
            self.is_cut = true;
        }
    }

    /// The text, without the rest of a secret of this length that the beginning may cut.
    pub(super) fn text(&self, longest_secret: usize) -> String {
        let from = if self.is_cut { longest_secret.min(self.bytes.len()) } else { 0 };
        String::from_utf8_lossy(&self.bytes[from..]).into_owned()
    }
}

async fn tail(stream: Option<impl AsyncRead + Unpin>) -> Result<Tail, Trouble> {
    let mut tail = Tail::default();
    let Some(mut stream) = stream else { return Ok(tail) };
    let mut piece = vec![0; MAX_ERRORS];
    loop {
        match stream.read(&mut piece).await.map_err(Trouble::Lost)? {
            0 => return Ok(tail),
            length => tail.push(&piece[..length]),
        }
    }
}
