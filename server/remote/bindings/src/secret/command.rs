//! Secrets that a command writes, such as that of a password manager.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

/// How long a command may run.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Size limit of its output, in bytes.
const MAX_OUTPUT: u64 = 64 * 1024;

/// Runs a command without a shell, and returns its output.
///
/// # Errors
/// What went wrong. Arguments and output are not repeated, because they may be secret.
pub(super) async fn output(command: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    let child = child.map_err(|error| format!("the command `{program}` cannot be run: {error}"))?;
    match tokio::time::timeout(TIMEOUT, finished(child)).await {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(why)) => Err(format!("the command `{program}` {why}")),
        Err(_) => Err(format!("the command `{program}` ran longer than {} s", TIMEOUT.as_secs())),
    }
}

async fn finished(mut child: Child) -> Result<String, String> {
    let mut output = String::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(MAX_OUTPUT).read_to_string(&mut output).await;
        read.map_err(|_| "did not write text".to_owned())?;
    }
    let status = child.wait().await.map_err(|error| format!("failed: {error}"))?;
    if status.success() { Ok(output) } else { Err(format!("failed with {status}")) }
}
