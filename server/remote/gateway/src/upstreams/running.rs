//! What processes that serve tell of their upstreams: a file for each process, beside one that is locked for as long as the
//! process lives. A client starts a server of its own, so that no single process could be asked.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;
use toolwrit_core::folders;

use crate::upstreams::approvals::Approvals;
use crate::upstreams::provider::UpstreamProvider;

/// How the name of a file ends that a process holds while it runs.
const LOCK: &str = ".lock";
/// Changes that come within this time are told together.
const TOGETHER: Duration = Duration::from_millis(100);
/// How often figures are told that change without an event.
const FIGURES: Duration = Duration::from_secs(2);

/// The files of this process, which are deleted when this is dropped.
pub(crate) struct Running {
    status: PathBuf,
    lock: Option<(PathBuf, File)>,
    door: String,
    since: Timestamp,
}

impl Running {
    /// Begins to tell that this process runs. Without its file, others do not see it.
    pub(crate) fn begin(approvals: &Approvals, door: &str) -> Self {
        let folder = folder(approvals);
        let name = format!("{}-{}", prefix(approvals), std::process::id());
        let path = folder.join(format!("{name}{LOCK}"));
        let lock = folders::make_private(&folder)
            .and_then(|()| folders::make_private_file(&path))
            .and_then(|file| file.try_lock().map(|()| file).map_err(io::Error::from));
        let lock = lock.inspect_err(|error| tracing::debug!(%error, "the state cannot be told"));
        let lock = lock.ok().map(|file| (path, file));
        let (door, since) = (door.to_owned(), Timestamp::now());
        Self { status: folder.join(format!("{name}.json")), lock, door, since }
    }

    /// Tells the states of upstreams whenever they change.
    pub(crate) fn tell(
        self,
        upstreams: Vec<Arc<UpstreamProvider>>,
        changed: Arc<Notify>,
    ) -> AbortOnDropHandle<()> {
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut told = Value::Null;
            loop {
                let upstreams = upstreams.iter().map(|upstream| upstream.told());
                let now = self.described(&upstreams.collect::<Vec<_>>());
                if now != told {
                    // Whoever reads it sees the next state.
                    let _ = self.write(&now);
                    told = now;
                }
                // Either is a reason to look again.
                let _ = timeout(FIGURES, changed.notified()).await;
                sleep(TOGETHER).await;
            }
        }))
    }

    fn described(&self, upstreams: &[Value]) -> Value {
        json!({
            "pid": std::process::id(),
            "version": env!("CARGO_PKG_VERSION"),
            "door": self.door,
            "since": self.since.to_string(),
            "upstreams": upstreams,
        })
    }

    /// Replaces the file as a whole.
    fn write(&self, now: &Value) -> io::Result<()> {
        if self.lock.is_none() {
            return Ok(());
        }
        let new = self.status.with_extension("new");
        let mut file = folders::make_private_file(&new)?;
        file.set_len(0)?;
        io::Write::write_all(&mut file, now.to_string().as_bytes())?;
        fs::rename(&new, &self.status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.lock {
            // A reader deletes what stays.
            let _ = fs::remove_file(&self.status);
            let _ = fs::remove_file(path);
        }
    }
}

fn folder(approvals: &Approvals) -> PathBuf {
    approvals.folder().join("running")
}

/// How the names of files begin, so that each configuration has its own.
fn prefix(approvals: &Approvals) -> String {
    let path = approvals.configuration();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What the processes that serve a configuration tell, in the order of their start. The files of processes that have ended are
/// deleted.
pub fn processes(approvals: &Approvals) -> Vec<Value> {
    let prefix = prefix(approvals);
    let Ok(entries) = fs::read_dir(folder(approvals)) else { return Vec::new() };
    let locks = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_suffix(LOCK).is_some_and(|name| name.starts_with(&prefix))
    });
    let mut processes: Vec<Value> = locks.filter_map(|lock| process(&lock)).collect();
    processes.sort_by_key(|process| process["since"].to_string());
    processes
}

/// What the process of a lock tells; `None` if it has ended.
fn process(lock: &Path) -> Option<Value> {
    let status = lock.with_extension("json");
    if File::open(lock).ok()?.try_lock().is_ok() {
        // Another reader may delete them, too.
        let _ = fs::remove_file(&status);
        let _ = fs::remove_file(lock);
        return None;
    }
    serde_json::from_slice(&fs::read(status).ok()?).ok()
}
