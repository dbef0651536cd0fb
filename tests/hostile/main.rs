//! Whatever is sent, through either door: the exact answer to it. After every row of every table
//! the same server answers a normal call, and its memory has kept its bound.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod access;
mod answer;
#[cfg(unix)]
mod connections;
mod crowd;
mod door;
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
