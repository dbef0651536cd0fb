//! News of changes that other programs make, from the operating system.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod notified;

use std::path::{Component, Path, PathBuf};

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use inotify::Watcher;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) use notified::Watcher;

/// Something that happened in the vault's folder.
#[derive(Debug)]
pub(crate) enum News {
    /// Something at these places, absolute, is new, different or gone.
    Changed(Vec<PathBuf>),
    /// Some news was lost: anything may have changed.
    Lost,
    /// Nobody wants more news.
    Stop,
}

/// The part of a place below the vault's folder that a vault path can spell, unless it is hidden.
pub(crate) fn below<'a>(folder: &Path, place: &'a Path) -> Option<&'a str> {
    let place = place.strip_prefix(folder).ok()?;
    let visible = place.components().all(|component| match component {
        Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    });
    if visible { place.to_str() } else { None }
}
