//! The Rust that pages of the guide show, in a file for each page. It is compiled, and not run.
#![allow(dead_code, reason = "it is compiled, and not run")]
#![allow(clippy::pedantic, reason = "the rest of each file is as short as it can be")]

mod asking;
mod bindings;
mod fetching;
mod handlers;
mod observing;
#[path = "resources-and-prompts.rs"]
mod resources_and_prompts;
