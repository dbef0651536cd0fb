//! Twenty thousand calls on a vault, 64 at once, reads and writes mixed, one in ten cancelled: every
//! request is answered once, no note is torn, memory stays flat. And a stop in the middle of it.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

#[cfg(unix)]
mod drain;
mod http;
mod notes;
mod stdio;

use toolwrit_tests::memory::resident;

/// How many calls.
const CALLS: u64 = 20_000;
/// How many at once.
const IN_FLIGHT: usize = 64;
/// How many calls until a server has its caches, buffers and threads.
const WARM: u64 = 2_500;
/// How much more memory it may hold after the last call than after the warm ones: less than 2 KiB a
/// call, where three of four would leave 4 if they left their notes behind. On a busy machine, records of
/// calls wait for the disk: some thousands at most, of a kibibyte.
const GROWTH: u64 = 28 * 1024 * 1024;
/// How a server is run whose memory is looked at. glibc gives threads heaps of their own, and how much free
/// memory is scattered over them hangs on how many threads meet.
const ONE_HEAP: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Whether the client gives up on a call.
fn is_cancelled(call: u64) -> bool {
    call % 10 == 9
}

/// Fails if a process has grown since it was warm.
fn check_growth(pid: u32, warm: Option<u64>) {
    if let (Some(warm), Some(now)) = (warm, resident(pid)) {
        assert!(now < warm + GROWTH, "{warm} bytes were {now} at the end");
    }
}
