//! `toolwrit chat` and `toolwrit run`, and their MCP operations, on real vaults and with a model behind HTTP that follows a
//! script.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod asking;
mod conversing;
mod desk;
mod dialects;
mod disturbed;
mod embeds;
mod exporting;
mod hostile;
mod images;
mod listing;
mod offline;
mod over_mcp;
mod providers;
mod running;
#[cfg(target_os = "linux")]
mod terminal;
