//! Who may use which operations, over HTTP and in the tool browser, too.

mod browser;
mod http;
mod policy;
