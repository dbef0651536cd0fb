//! The key that seals cursors, kept for the user, so that a cursor is valid for the next command and after a restart.

use std::fs;
use std::io;
use std::path::Path;

use toolwrit_bindings::CursorKey;
use toolwrit_core::folders;

const LENGTH: usize = 32;

/// Returns the user's key. It is created if it does not exist. If it cannot be kept, it is valid for this process.
pub(crate) fn cursor_key() -> CursorKey {
    let Some(folder) = folders::data().map(|data| data.join("toolwrit")) else {
        return CursorKey::random();
    };
    match kept(&folder) {
        Ok(key) => CursorKey::from_bytes(key),
        Err(error) => {
            let folder = folder.display();
            tracing::debug!(%error, %folder, "the key of cursors cannot be kept");
            CursorKey::random()
        }
    }
}

fn kept(folder: &Path) -> io::Result<[u8; LENGTH]> {
    let file = folder.join("cursor-key");
    match read(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    folders::make_private(folder)?;
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    // The file appears whole or not at all, also if several processes create it.
    let temporary = folder.join(format!("cursor-key.{}", std::process::id()));
    let written = folders::make_private_file(&temporary)
        .and_then(|_| fs::write(&temporary, key))
        .and_then(|()| fs::hard_link(&temporary, &file));
    let _ = fs::remove_file(&temporary);
    match written {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(&file),
        Err(error) => Err(error),
    }
}

fn read(file: &Path) -> io::Result<[u8; LENGTH]> {
    let bytes = fs::read(file)?;
    bytes.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not a key"))
}
