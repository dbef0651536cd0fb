//! The limit of open file descriptors. Connections must leave some for files.

/// Connections may use one descriptor in this many.
#[cfg(unix)]
const SHARE: usize = 2;

/// Returns how many connections are possible, at most `wanted`. Raises the process limit if needed.
#[cfg(unix)]
pub(super) fn allowed_connections(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = u64::try_from(wanted * SHARE).unwrap_or(u64::MAX);
    // `None` means no limit.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < needed) {
        let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
        // If this fails, the limit stays as it is.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
    }
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    wanted.min(usize::try_from(allowed).unwrap_or(usize::MAX) / SHARE).max(1)
}

/// Returns `wanted`: these systems have no such limit.
#[cfg(not(unix))]
pub(super) fn allowed_connections(wanted: usize) -> usize {
    wanted
}
