//! `toolwrit lsp` with real clients: that of pygls, which checks every message, and Neovim's.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod editor;
mod manifests;
mod neovim;
mod notes;
mod running;
