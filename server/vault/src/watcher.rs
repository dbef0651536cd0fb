//! News of changes that other programs make, from the operating system.

use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

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

/// Watches until dropped.
pub(crate) struct Watcher(RecommendedWatcher);

impl Watcher {
    /// Sends news of a folder and all below it. `None` if the system does not give any.
    pub(crate) fn start(folder: &Path, news: Sender<News>) -> Option<Self> {
        let send = move |event: notify::Result<Event>| {
            let news_of = match event {
                Ok(event) if event.need_rescan() => News::Lost,
                Ok(event) if is_change(event.kind) => News::Changed(event.paths),
                Ok(_) => return,
                Err(_) => News::Lost,
            };
            // Whoever does not listen any more is about to drop the watcher.
            let _ = news.send(news_of);
        };
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(send, config).ok()?;
        watcher.watch(folder, RecursiveMode::Recursive).ok()?;
        Some(Self(watcher))
    }

    /// Watches a folder below from now on, even if it has just been made. Other new folders are
    /// watched a moment after they appear.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        self.0.watch(folder, RecursiveMode::NonRecursive).is_ok()
    }
}

/// Looking is no change; closing a file that was open for writing ends one.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
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
