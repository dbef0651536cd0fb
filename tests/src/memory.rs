//! What a process holds in memory.

/// Resident memory of a process in bytes; none where the system does not tell.
pub fn resident(pid: u32) -> Option<u64> {
    status(pid, "VmRSS:")
}

/// The most resident memory that a process has ever had, in bytes; none where the system does not tell.
pub fn peak(pid: u32) -> Option<u64> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}
