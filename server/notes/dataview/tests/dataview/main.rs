//! Dataview queries on real vaults, compared with results of the plugin's own engine; and views of Bases.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod bases;
mod behaviour;
mod recorded;
mod vaults;

/// Never cancels.
fn never() -> bool {
    false
}
