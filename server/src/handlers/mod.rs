//! The handlers: a file or folder for each category that has some, and in `note` and `sizes` what several of them share. The
//! handlers of the category `note` are in `chat`.

mod active;
mod chat;
mod note;
mod plugin;
mod project;
mod sizes;
mod vault;
mod web;
