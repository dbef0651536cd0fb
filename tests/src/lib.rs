//! Shared by the tests: the programs under test, a client that speaks raw JSON-RPC, an authorization
//! server, a language model, vaults, a large manifest, waits, and requirements of the machine.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a fixture that fails must fail the test"
)]

pub mod client;
pub mod driver;
pub mod files;
pub mod http;
pub mod issuer;
pub mod large;
pub mod memory;
pub mod model;
pub mod program;
pub mod socket;
pub mod vaults;
pub mod waiting;
pub mod workspace;

pub use toolwrit_requirement as requirement;
