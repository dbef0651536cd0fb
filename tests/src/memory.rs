//! The memory of a process.

/// Resident memory of a process in bytes; `None` if the system does not report it.
pub fn resident(pid: u32) -> Option<u64> {
    status(pid, "VmRSS:")
}

/// Peak resident memory of a process in bytes; `None` if the system does not report it.
pub fn peak(pid: u32) -> Option<u64> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}
