//! What the operator has decided about upstreams, in a folder beside the configuration: the lock file of each, whether it
//! is switched off, and when it was last told to restart. A running server follows the folder.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use toolwrit_core::folders;
use toolwrit_upstreams::Lock;

use crate::upstreams::decisions::Decisions;
use crate::upstreams::settings::UpstreamSettings;

/// Size limit of a lock file, in bytes.
const MAX_LOCK: u64 = 16 * 1024 * 1024;

/// The folder of decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvals {
    configuration: PathBuf,
    folder: PathBuf,
}

/// Whether the tools of an upstream are approved.
#[derive(Debug, Clone)]
pub enum Approval {
    /// They are not.
    Missing,
    /// The lock file cannot be used, for this reason.
    Broken(String),
    /// These are, but for another location than the configured one. The text says for which.
    Elsewhere(Arc<Lock>, String),
    /// These are.
    Approved(Arc<Lock>),
}

impl Approval {
    /// What was approved last, for any location.
    pub fn lock(&self) -> Option<&Arc<Lock>> {
        match self {
            Self::Missing | Self::Broken(_) => None,
            Self::Elsewhere(lock, _) | Self::Approved(lock) => Some(lock),
        }
    }

    /// The tools that may be used.
    pub(crate) fn approved(&self) -> Option<&Arc<Lock>> {
        match self {
            Self::Approved(lock) => Some(lock),
            _ => None,
        }
    }
}

/// When the files of an upstream were changed, and when the user logged in to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    lock: Option<SystemTime>,
    off: Option<SystemTime>,
    pub(crate) restart: Option<SystemTime>,
    pub(crate) login: Option<SystemTime>,
}

impl Approvals {
    /// Uses the folder `upstreams` beside a configuration file. It is created when something is decided.
    pub fn beside(configuration: &Path) -> Self {
        let folder = configuration.with_file_name("upstreams");
        Self { configuration: configuration.to_owned(), folder }
    }

    /// The path of the configuration file.
    pub(crate) fn configuration(&self) -> &Path {
        &self.configuration
    }

    /// The folder of decisions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Deletes what was decided about an upstream, and its logs.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn remove(&self, upstream: &str) -> io::Result<()> {
        for kind in ["lock.yaml", "off", "restart", "log", "log.1"] {
            match fs::remove_file(self.file(upstream, kind)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The path of an upstream's lock file.
    pub fn lock_file(&self, upstream: &str) -> PathBuf {
        self.file(upstream, "lock.yaml")
    }

    pub(crate) fn file(&self, upstream: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{upstream}.{kind}"))
    }

    /// Whether the tools of an upstream are approved, where it is configured to be.
    pub fn approval(&self, upstream: &UpstreamSettings) -> Approval {
        let approval = Self::read(&self.lock_file(&upstream.name));
        let configured = upstream.location();
        let approved = approval.lock().and_then(|lock| Some((lock, lock.location()?)));
        match approved
            .and_then(|(lock, location)| Some((lock, location.differs_from(&configured)?)))
        {
            Some((lock, why)) => Approval::Elsewhere(lock.clone(), why),
            None => approval,
        }
    }

    /// Reads a lock file, for whatever location it is.
    fn read(path: &Path) -> Approval {
        let size = match fs::metadata(path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Approval::Missing,
            Err(error) => return Approval::Broken(format!("{}: {error}", path.display())),
        };
        if size > MAX_LOCK {
            let path = path.display();
            return Approval::Broken(format!("{path}: it has more than {MAX_LOCK} bytes"));
        }
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        match text.and_then(|text| Lock::parse(&text).map_err(|error| error.to_string())) {
            Ok(lock) => Approval::Approved(Arc::new(lock)),
            Err(why) => Approval::Broken(format!("{}: {why}", path.display())),
        }
    }

    /// Writes the lock file of an upstream. Tools of names that were not approved before get the next number.
    ///
    /// # Errors
    /// If it cannot be written. The file then stays as it was.
    pub fn approve(&self, upstream: &str, lock: Lock) -> io::Result<()> {
        let path = self.lock_file(upstream);
        let before = Self::read(&path);
        let lock = lock.numbered(before.lock().map(|lock| &**lock), self.last_approval()? + 1);
        let text = lock.write().map_err(io::Error::other)?;
        self.write(&path, text.as_bytes())
    }

    /// The largest number of an approval in the folder.
    fn last_approval(&self) -> io::Result<u64> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            entries => entries?,
        };
        let mut last = 0;
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_string_lossy().ends_with(".lock.yaml")
                && let Some(lock) = Self::read(&entry.path()).lock()
            {
                last = last.max(lock.last_approval());
            }
        }
        Ok(last)
    }

    /// Whether an upstream is switched off.
    pub fn is_off(&self, upstream: &str) -> bool {
        self.file(upstream, "off").exists()
    }

    /// Switches an upstream off or on. Returns whether that changed anything.
    ///
    /// # Errors
    /// If the folder cannot be changed.
    pub fn switch(&self, upstream: &str, on: bool) -> io::Result<bool> {
        let file = self.file(upstream, "off");
        if !on {
            let is_new = !file.exists();
            self.write(&file, b"")?;
            return Ok(is_new);
        }
        match fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Tells running servers to restart an upstream.
    ///
    /// # Errors
    /// If the folder cannot be changed.
    pub fn restart(&self, upstream: &str) -> io::Result<()> {
        self.write(&self.file(upstream, "restart"), b"")
    }

    /// Returns what is decided about an upstream.
    ///
    /// # Errors
    /// If the lock file cannot be read.
    pub(crate) fn decisions(&self, upstream: &str) -> io::Result<Decisions> {
        let lock = match fs::read_to_string(self.lock_file(upstream)) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let restarted = self.restarted(upstream);
        Ok(Decisions { lock, is_off: self.is_off(upstream), restarted })
    }

    /// Makes sure that decisions of other replicas can be written into the folder.
    ///
    /// # Errors
    /// If they cannot, with the path.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        let probe = self.folder.join(format!("probe-{}", std::process::id()));
        let written = folders::make_private(&self.folder)
            .and_then(|()| folders::make_private_file(&probe).map(drop))
            .and_then(|()| fs::remove_file(&probe));
        written.map_err(|error| {
            let folder = self.folder.display();
            io::Error::new(error.kind(), format!("{folder}: {error}"))
        })
    }

    /// Decides about an upstream what was decided elsewhere. Changes only the files that differ.
    ///
    /// # Errors
    /// If a file cannot be changed.
    pub(crate) fn decide(&self, upstream: &str, decided: &Decisions) -> io::Result<()> {
        let now = self.decisions(upstream)?;
        match &decided.lock {
            lock if *lock == now.lock => {}
            Some(lock) => self.write(&self.lock_file(upstream), lock.as_bytes())?,
            None => fs::remove_file(self.lock_file(upstream))?,
        }
        if decided.is_off != now.is_off {
            self.switch(upstream, !decided.is_off)?;
        }
        // The file gets the time of this machine, which is later.
        if decided.restarted > now.restarted {
            self.restart(upstream)?;
        }
        Ok(())
    }

    /// When an upstream was last told to restart, in milliseconds since 1970.
    fn restarted(&self, upstream: &str) -> Option<u64> {
        let changed = fs::metadata(self.file(upstream, "restart")).and_then(|file| file.modified());
        let since = changed.ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        since.as_millis().try_into().ok()
    }

    /// When the files of an upstream were changed. A file that is replaced by one of the same time is not noticed.
    pub(crate) fn stamp(&self, settings: &UpstreamSettings) -> Stamp {
        let file = |kind| self.file(&settings.name, kind);
        let changed = |kind| fs::metadata(file(kind)).and_then(|found| found.modified()).ok();
        Stamp {
            lock: changed("lock.yaml"),
            off: changed("off"),
            restart: changed("restart"),
            login: settings.login_changed(),
        }
    }

    /// Replaces a file as a whole, so that nobody reads a part of it.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        folders::make_private(&self.folder)?;
        let new = path.with_extension(format!("new-{}", std::process::id()));
        // Commands and addresses may contain secrets. A file of a process that was killed would keep its bytes.
        let _ = fs::remove_file(&new);
        let written = folders::make_private_file(&new)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}
