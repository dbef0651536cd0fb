//! What a process holds in memory.

/// Resident memory of a process in bytes; none where the system does not tell.
pub fn resident(pid: u32) -> Option<u64> {
    told(pid, "VmRSS:")
}

/// The most that a process has held so far, as [`resident`].
pub fn peak(pid: u32) -> Option<u64> {
    told(pid, "VmHWM:")
}

fn told(pid: u32, what: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}
