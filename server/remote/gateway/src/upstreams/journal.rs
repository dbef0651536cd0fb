//! The logs of upstreams, for people: what each writes on standard error, its log messages, and its states. A log has two files
//! of at most 1 MiB, to which all processes of the configuration write.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use jiff::Timestamp;
use toolwrit_core::folders;
use toolwrit_upstreams::Status;

use crate::upstreams::approvals::Approvals;

/// Bytes of a file.
const MOST: u64 = 1024 * 1024;
/// Lines that wait to be written.
const WAITING: usize = 1024;

/// The logs of all upstreams.
pub(crate) struct Journals {
    sender: SyncSender<(String, String)>,
    /// The states that the logs have last.
    last: Mutex<Vec<(String, &'static str)>>,
}

impl Journals {
    /// Begins to write the logs, in a thread of its own.
    pub(crate) fn begin(approvals: &Approvals) -> Self {
        let approvals = approvals.clone();
        let (sender, lines) = sync_channel::<(String, String)>(WAITING);
        thread::spawn(move || {
            for (upstream, line) in lines {
                // A log that cannot be written must not hinder the upstream.
                let _ = append(&approvals, &upstream, &line);
            }
        });
        Self { sender, last: Mutex::default() }
    }

    /// Keeps a line of an upstream.
    pub(crate) fn said(&self, upstream: &str, line: &str) {
        self.send(upstream, &format!("| {line}"));
    }

    /// Keeps the state of an upstream, if it is another one.
    pub(crate) fn entered(&self, upstream: &str, status: &Status) {
        let state = status.state.as_str();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.iter_mut().find(|(name, _)| name == upstream) {
            Some((_, known)) if *known == state => return,
            Some((_, known)) => *known = state,
            None => last.push((upstream.to_owned(), state)),
        }
        drop(last);
        let reason = status.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        self.send(upstream, &format!("{state}{reason}"));
    }

    fn send(&self, upstream: &str, line: &str) {
        let line = stamped(line);
        // Lines that nobody can write in time are lost.
        let _ = self.sender.try_send((upstream.to_owned(), line));
    }
}

/// Keeps a line at once.
pub(crate) fn keep(approvals: &Approvals, upstream: &str, line: &str) {
    // A log that cannot be written must not hinder the operator.
    let _ = append(approvals, upstream, &stamped(line));
}

/// A line with its time and the process that writes it.
fn stamped(line: &str) -> String {
    let (now, process) = (Timestamp::now(), std::process::id());
    format!("{now:.3} {process} {}\n", line.replace('\n', " "))
}

fn append(approvals: &Approvals, upstream: &str, line: &str) -> io::Result<()> {
    let path = approvals.file(upstream, "log");
    if fs::metadata(&path).is_ok_and(|found| found.len() + line.len() as u64 > MOST) {
        fs::rename(&path, approvals.file(upstream, "log.1"))?;
    }
    if !path.exists() {
        folders::make_private(approvals.folder())?;
        folders::make_private_file(&path)?;
    }
    OpenOptions::new().append(true).open(&path)?.write_all(line.as_bytes())
}

/// The files of an upstream's log, the older one first.
pub fn log_files(approvals: &Approvals, upstream: &str) -> [PathBuf; 2] {
    ["log.1", "log"].map(|kind| approvals.file(upstream, kind))
}
