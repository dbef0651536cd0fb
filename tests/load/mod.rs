//! Twenty thousand calls on a vault, 64 at once, with reads and writes, one in ten cancelled: every request
//! is answered once, no note is partially written, and memory is bounded. Also a stop under load.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

#[cfg(unix)]
mod drain;
mod http;
mod notes;
mod stdio;

use toolwrit_tests::memory::resident;

/// Number of calls.
const CALLS: u64 = 20_000;
/// Concurrent calls.
const IN_FLIGHT: usize = 64;
/// Number of calls until a server's caches, buffers and threads exist.
const WARM: u64 = 2_500;
/// The memory that a server may gain after that: less than 2 KiB a call. If three of four calls left their
/// notes behind, it would be 4 KiB. On a busy machine, call records wait for the disk: at most some
/// thousands of about a kibibyte.
const GROWTH: u64 = 28 * 1024 * 1024;
/// Environment of a server whose memory is measured. glibc gives threads their own heaps, and the free
/// memory in them depends on how many threads run at the same time.
const ONE_HEAP: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Whether the client cancels a call.
fn is_cancelled(call: u64) -> bool {
    call % 10 == 9
}

/// Fails if a process has grown since the warm-up.
fn check_growth(pid: u32, warm: Option<u64>) {
    if let (Some(warm), Some(now)) = (warm, resident(pid)) {
        assert!(now < warm + GROWTH, "{warm} bytes were {now} at the end");
    }
}
