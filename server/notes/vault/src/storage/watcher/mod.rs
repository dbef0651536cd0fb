//! Notifications from the operating system about changes of other programs.

#[cfg(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable)))]
mod inotify;
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable))))]
mod notified;

use std::path::{Component, Path, PathBuf};

#[cfg(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable)))]
pub(crate) use inotify::Watcher;
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(toolwrit_portable))))]
pub(crate) use notified::Watcher;

/// Changes in the vault's folder.
#[derive(Debug)]
pub(crate) enum FsChanges {
    /// Something at these absolute paths was created, changed or removed.
    Changed(Vec<PathBuf>),
    /// Notifications were lost; anything may have changed.
    Lost,
    /// The receiver stops.
    Stop,
}

/// The vault path of an absolute path below the vault's folder; `None` if it is hidden.
pub(crate) fn vault_path_of(folder: &Path, path: &Path) -> Option<String> {
    let names = path.strip_prefix(folder).ok()?.components().map(|component| match component {
        Component::Normal(name) => name.to_str().filter(|name| !name.starts_with('.')),
        _ => None,
    });
    // Windows uses other separators.
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_become_vault_paths_on_every_system() {
        let folder = Path::new("vault");
        let within = |names: &[&str]| folder.join(names.iter().collect::<PathBuf>());
        for (names, path) in [
            (&["Plan.md"][..], Some("Plan.md")),
            (&["Projects", "Old", "Plan.md"], Some("Projects/Old/Plan.md")),
            (&["Projects", ".git", "config"], None),
            (&["Projects", "..", "Plan.md"], None),
        ] {
            assert_eq!(vault_path_of(folder, &within(names)).as_deref(), path, "{names:?}");
        }
        assert_eq!(vault_path_of(folder, Path::new("elsewhere/Plan.md")), None);
    }
}
