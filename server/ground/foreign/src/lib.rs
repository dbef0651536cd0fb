//! Texts that other programs send: answers of APIs, pages, results of other MCP servers. [`visible`] shows what hides in them,
//! and [`Secrets`] removes what the operator must not lose.

mod secrets;
pub mod visible;

pub use secrets::{Secrets, names_secret};
