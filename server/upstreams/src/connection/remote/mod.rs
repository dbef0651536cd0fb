//! Servers over HTTP. Connections go to addresses that may be reached, and redirects are not followed.

mod client;
mod events;
mod reach;

pub(super) use client::Client;
pub(super) use events::Events;
