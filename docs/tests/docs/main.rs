//! The site of a manifest, read back as HTML and Markdown.
#![allow(clippy::unwrap_used, reason = "what is missing fails the test that asked for it")]

mod book;
mod changes;
mod hostile;
mod served;
mod site;
mod twins;
