//! The operations of the shipped server: notes, conversations, projects and pages of the web.

mod chat;
mod dataview;
mod lsp;
mod markdown_patch;
mod project;
mod system;
mod templater;
mod vault;
mod web;
