//! Fetches pages of the web as Markdown, for programs that others tell what to fetch.
//!
//! [`Web::fetch`] and [`Web::download`] follow redirects, obey robots.txt and have limits on time and size. They
//! send no cookies and no credentials, and use no proxy. They connect to public addresses only, and to the networks
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
pub use page::{Download, Excerpt, Form, Page};
pub use toolwrit_network::{BadNetwork, Network};
pub use web::{Web, WebOptions};
