//! The engine: what it does with calls, and what authors get from it.

mod calls;
mod declared;
mod dialogue;
mod embedded;
mod handlers;
mod joining;
mod provider;
mod repair;
mod retry;
mod spans;
mod state;
