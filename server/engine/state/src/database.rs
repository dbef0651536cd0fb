//! The database file: creation, opening, versions and migration.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use toolwrit_core::folders;

/// How long to wait for another process that has locked the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The version of the file that this program writes.
const VERSION: u32 = 4;

/// The migrations. The one at position `n` migrates the file from version `n` to `n + 1`. Migrations are only
/// added, never changed.
const MIGRATIONS: [&str; VERSION as usize] = [
    include_str!("schema.sql"),
    include_str!("listed.sql"),
    include_str!("audit_size.sql"),
    include_str!("instance.sql"),
];

/// Why the state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnusableDatabase {
    /// No flag names a folder, and the user has no home folder.
    #[error("there is no home folder; name a folder with --data-dir DIR")]
    NoHome,
    /// Its folder cannot be created.
    #[error("cannot create the folder {}: {reason}; name another with --data-dir DIR", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// A later version of the program has written it.
    #[error(
        "it has version {0}, but this program supports at most version {VERSION}; update the program, or name another folder with --data-dir DIR"
    )]
    Newer(u32),
    /// It can be read, but not written.
    #[error("it is read-only; make it writable, or name another folder with --data-dir DIR")]
    ReadOnly,
    /// It is damaged, or not an `SQLite` database.
    #[error("it is damaged ({0}); restore it, or move it away so that a new one is created")]
    Damaged(rusqlite::Error),
    /// Any other error of `SQLite`.
    #[error("{0}")]
    Failed(rusqlite::Error),
    /// A stored answer cannot be parsed.
    #[error("a stored answer is not JSON: {0}")]
    ClaimedAnswer(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for UnusableDatabase {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                UnusableDatabase::Damaged(error)
            }
            Some(ErrorCode::ReadOnly) => UnusableDatabase::ReadOnly,
            _ => UnusableDatabase::Failed(error),
        }
    }
}

/// The open database file.
#[derive(Debug)]
pub struct Database(pub Connection);

impl Database {
    /// Opens the file for writing; creates it if it is missing.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(super) fn open(file: &Path) -> Result<Self, UnusableDatabase> {
        if let Some(folder) = file.parent() {
            folders::make_private(folder)
                .map_err(|reason| UnusableDatabase::Folder { folder: folder.to_owned(), reason })?;
            // SQLite gives its other files the permissions of this one. If this fails, opening it reports
            // why.
            let _ = folders::make_private_file(file);
            if let Err(error) = folders::tighten(folder) {
                let folder = folder.display();
                tracing::warn!(%folder, %error, "cannot restrict the permissions of the data folder: other users may read it");
            }
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(LOCK_TIMEOUT)?;
        if connection.is_readonly("main")? {
            return Err(UnusableDatabase::ReadOnly);
        }
        write_ahead(&connection)?;
        // Stored answers must survive a power failure. Only the writing thread waits for the disk.
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&mut connection)?;
        Ok(Self(connection))
    }

    /// Opens the file for reading; `None` if no server has created it yet.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open_read_only(file: &Path) -> Result<Option<Self>, UnusableDatabase> {
        if !file.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(LOCK_TIMEOUT)?;
        match version(&connection)? {
            // A server is creating it.
            0 => Ok(None),
            found if found > VERSION => Err(UnusableDatabase::Newer(found)),
            _ => Ok(Some(Self(connection))),
        }
    }
}

/// The version and size of the file.
#[derive(Debug, Clone, Copy)]
pub struct About {
    pub version: u32,
    /// Its size, without its write-ahead log.
    pub bytes: u64,
}

/// Checks that a server could use the file; `None` if no server has created it yet.
///
/// # Errors
/// If it could not.
pub fn examine(file: &Path) -> Result<Option<About>, UnusableDatabase> {
    let unusable = |reason| UnusableDatabase::Folder {
        folder: file.parent().unwrap_or(file).to_owned(),
        reason,
    };
    let Some(database) = Database::open_read_only(file)? else {
        let above = file.ancestors().skip(1).find(|folder| folder.exists());
        let is_folder = above.is_some_and(Path::is_dir);
        return if is_folder {
            Ok(None)
        } else {
            Err(unusable(io::ErrorKind::NotADirectory.into()))
        };
    };
    let found: String = database.0.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found != "ok" {
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        return Err(UnusableDatabase::Damaged(rusqlite::Error::SqliteFailure(error, Some(found))));
    }
    if OpenOptions::new().append(true).open(file).is_err() {
        return Err(UnusableDatabase::ReadOnly);
    }
    let bytes = std::fs::metadata(file).map_err(unusable)?.len();
    Ok(Some(About { version: version(&database.0)?, bytes }))
}

/// Turns on write-ahead logging, so that readers and the writer do not block each other. `SQLite` itself does
/// not wait for another process that is doing the same.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < LOCK_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

/// Migrates the file to this program's version, in one exclusive transaction.
fn migrate(connection: &mut Connection) -> Result<(), UnusableDatabase> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&change)?;
    let migrations = MIGRATIONS.get(found as usize..).ok_or(UnusableDatabase::Newer(found))?;
    for migration in migrations {
        change.execute_batch(migration)?;
    }
    if found < VERSION {
        change.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(change.commit()?)
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
