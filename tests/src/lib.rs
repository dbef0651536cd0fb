//! Shared by the tests: the programs under test, the clients that drive them, stand-ins for servers of others, vaults, files,
//! a large manifest, waits, and requirements of the machine.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a fixture that fails must fail the test"
)]

#[cfg(unix)]
pub mod cluster;
pub mod conformance;
pub mod drivers;
pub mod files;
pub mod large;
pub mod memory;
pub mod program;
pub mod servers;
pub mod vaults;
pub mod waiting;
pub mod workspace;

pub use toolwrit_requirement as requirement;
