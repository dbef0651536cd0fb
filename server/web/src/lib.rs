//! Fetches pages of the web as Markdown, for programs that others tell what to fetch.
//!
//! [`Web::fetch`] follows redirects, obeys robots.txt and has limits on time, size and structure. It sends no
//! cookies and no credentials, and uses no proxy. It connects to public addresses only, and to the networks
//! that the operator names in [`WebOptions::allowed`]. A host name is resolved once per request, and the
//! connection goes to an address of that answer, so that a name cannot lead elsewhere after it was checked.
//!
//! Everything here blocks the thread.

mod charset;
mod client;
mod content;
mod error;
mod html;
mod page;
mod robots;
mod structure;
mod web;

pub use error::WebError;
pub use page::{Excerpt, Form, Page};
pub use toolwrit_network::{BadNetwork, Network};
pub use web::{Web, WebOptions};
