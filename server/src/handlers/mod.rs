//! The handlers: a file or folder for each category that has some, and in `note` and `integer` what several of them share. The
//! handlers of the category `note` are in `chat`.

mod active;
mod chat;
mod integer;
mod note;
mod plugin;
mod project;
mod vault;
mod web;
