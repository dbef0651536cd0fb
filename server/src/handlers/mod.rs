//! The handlers: a file per category, as in `manifest/operations/`, and what several of them share.

mod active;
mod chat;
mod note;
mod plugin;
mod project;
mod vault;
mod web;
