//! Hostile input over both transports, with the exact answer. After every row of every table the server
//! must answer a valid call, and its memory must be within its limit.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod access;
mod answer;
#[cfg(unix)]
mod connections;
mod crowd;
mod hidden;
mod large;
mod lines;
mod listings;
#[cfg(target_os = "linux")]
mod locked;
mod logs;
mod messages;
mod notes;
#[cfg(target_os = "linux")]
mod obstructed;
#[cfg(target_os = "linux")]
mod pages;
mod planted;
mod repeated;
mod reports;
mod requests;
mod search;
mod sites;
mod slow;
mod swapped;
mod transport;
