//! Ten thousand calls on a vault, 64 at once, reads and writes mixed, one in ten cancelled: every
//! request is answered once, no note is torn, memory stays flat. And a stop in the middle of it.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

#[cfg(unix)]
mod drain;
mod http;
mod notes;
mod stdio;

use toolwrit_tests::memory::resident;

/// How many calls.
const CALLS: u64 = 10_000;
/// How many at once.
const IN_FLIGHT: usize = 64;
/// How many calls until a server has its caches and buffers.
const WARM: u64 = 1_000;
/// How much more memory it may hold after the last call than after the warm ones: less than 2 KiB a
/// call, where a call that left its note behind would cost twice that.
const GROWTH: u64 = 16 * 1024 * 1024;

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
