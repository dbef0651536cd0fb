//! How many files the process may open.

/// What macOS allows at most, and more than this program needs.
#[cfg(unix)]
const ENOUGH: u64 = 10_240;

/// Raises the soft limit of open files, which is 256 on macOS, as far as the hard limit allows. Nothing depends on success:
/// without it, fewer connections and upstreams are served at the same time.
pub(crate) fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
        if current.is_some_and(|current| current < wanted) {
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
        }
    }
}
