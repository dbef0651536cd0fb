//! The file descriptors that the system lets this process have. Connections leave some for files.

/// Connections may take every second one.
#[cfg(unix)]
const SHARE: usize = 2;

/// Room for so many connections, or for as many as the system allows.
#[cfg(unix)]
pub(super) fn room(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = u64::try_from(wanted * SHARE).unwrap_or(u64::MAX);
    // None is no limit.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < needed) {
        let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
        // If that fails, it stays as it is.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
    }
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    wanted.min(usize::try_from(allowed).unwrap_or(usize::MAX) / SHARE).max(1)
}

/// Room for so many connections.
#[cfg(not(unix))]
pub(super) fn room(wanted: usize) -> usize {
    wanted
}
