//! Programs that are upstreams: each in a process group of its own, of which nothing remains.

mod environment;
mod guard;
mod output;

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::process::{ChildStdin, ChildStdout};
use toolwrit_text::Secrets;

use crate::model::Command;
use crate::speech::Speech;
pub(crate) use guard::Guard;
use output::Output;

/// How long a program that is no longer connected may take to end and to write why.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A program that runs, with the processes that it starts. They are killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    group: u32,
    guard: Arc<Guard>,
    output: Output,
    ended: bool,
    /// Removes what remains if it does not end by itself.
    cleanup: Option<Vec<String>>,
}

impl Process {
    /// Starts a program. Returns it with its standard input and output. What it writes on standard error is shown without
    /// these secrets, and said.
    pub(crate) fn spawn(
        command: &Command,
        (secrets, speech): (Secrets, Speech),
        guard: Arc<Guard>,
    ) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut wrap = CommandWrap::with_new(&command.program, |native| {
            native.args(&command.arguments).env_clear().envs(environment::variables(command));
            native.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            if let Some(directory) = &command.directory {
                native.current_dir(directory);
            }
        });
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::KillOnDrop).wrap(process_wrap::tokio::JobObject);
        let mut child = wrap.spawn()?;
        let group = child.id().ok_or_else(|| io::Error::other("it ended at once"))?;
        guard.watch(group, command.cleanup.as_deref());
        let missing = || io::Error::other("it has no standard streams");
        let (stdin, stdout) = (child.stdin().take(), child.stdout().take());
        let output = Output::new(secrets, speech);
        if let Some(stderr) = child.stderr().take() {
            tokio::spawn(output.clone().read(stderr));
        }
        let cleanup = command.cleanup.clone();
        let process = Self { child, group, guard, output, ended: false, cleanup };
        Ok((process, stdin.ok_or_else(missing)?, stdout.ok_or_else(missing)?))
    }

    /// Waits until the program has ended. Processes that it started may still run.
    pub(crate) async fn exited(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Says how a program ended that is no longer connected, and what it wrote last. It has a moment to end.
    pub(crate) async fn last_words(&mut self) -> (Option<ExitStatus>, String) {
        let ended = async {
            let status = self.child.wait().await.ok();
            self.output.complete().await;
            status
        };
        let status = tokio::time::timeout(LAST_WORDS, ended).await;
        let status = status.ok().flatten().or_else(|| self.child.try_wait().ok().flatten());
        (status, self.output.end())
    }

    /// Ends the program, whose standard input is closed, and the processes that it started: gives it time to end by
    /// itself, and then after SIGTERM.
    pub(crate) async fn stop(mut self, patience: Duration) {
        if tokio::time::timeout(patience, self.child.wait()).await.is_ok() {
            self.cleanup = None;
        } else {
            #[cfg(unix)]
            if self.terminate().is_ok() {
                let _ = tokio::time::timeout(patience, self.child.wait()).await;
            }
        }
        self.kill();
        // Reaps it. A process that was killed ends.
        let _ = self.child.wait().await;
    }

    #[cfg(unix)]
    fn terminate(&self) -> io::Result<()> {
        self.child.signal(rustix::process::Signal::TERM.as_raw())
    }

    /// Kills what is left of the group.
    fn kill(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            // Fails if nothing is left.
            let _ = self.child.start_kill();
            if let Some(words) = self.cleanup.take() {
                clean_up(&words);
            }
            self.guard.forget(self.group);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a command that removes what a program has left. Nobody waits for it.
fn clean_up(words: &[String]) {
    let Some((program, arguments)) = words.split_first() else { return };
    let mut command = std::process::Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        // The system keeps it until someone has waited for it.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => tracing::warn!(program, %error, "what an upstream left is not removed"),
    }
}
