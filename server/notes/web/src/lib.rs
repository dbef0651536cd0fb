//! Fetches pages of the web as Markdown, for programs that others tell what to fetch.
//!
//! [`Web::fetch`] and [`Web::download`] follow redirects, obey robots.txt and have limits on time and size. They
//! send no cookies and no credentials, and use no proxy. They connect to public addresses only, and to the networks
//! that the operator names in [`WebOptions::allowed`]. A host name is resolved once per request, and the
//! connection goes to an address of that answer, so that a name cannot lead elsewhere after it was checked.
//!
//! Everything here blocks the thread.
//!
//! `web` follows redirects and keeps pages, and `client` sends one request. `content` and `charset` decide what a
//! response is, `structure` parses HTML within limits, and `html` converts it: html5ever has no limits of its own, so
//! they are checked between pieces of the text. `dom_smoothie` finds the article of a page, and the Markdown is that of
//! `dom_query`, on which it is built. `robots` reads robots.txt, because the crates for it are not maintained, and one
//! takes cubic time on hostile patterns.

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
