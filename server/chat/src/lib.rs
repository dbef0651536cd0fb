//! Notes that are conversations with language models.
pub mod conversation;
pub mod format;
mod ledger;
pub mod notebook;
pub mod provider;
pub mod tools;
pub use ledger::{Ledger, LedgerError};
