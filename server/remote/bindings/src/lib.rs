//! Carries out operations that are bound to HTTP APIs, and with the feature `commands` to commands, by tables instead of
//! code.
//!
//! A [`model::Api`] says how an API is reached and what its failures mean, and a [`model::Operation`] which request
//! an operation is and how its result is read. Both are data: static, or loaded at run time. A [`Connection`] is an
//! API with the [`Settings`] of its operator. [`Connection::call`] carries out a [`Call`] and returns an [`Answer`],
//! or a [`Failure`] with the code of a fault. A `CommandRunner` does the same for [`model::Commands`]. With the feature
//! `upstreams`, `BoundTools` have the arguments and the results of tools of another server, which others call.
//!
//! Arguments are values within a request. They do not change its method, its host, the structure of its path, the
//! number of its headers or the shape of its JSON. Credentials come from the settings, and are sent to no other host.
//! Connections go to public addresses, and to networks that the operator names. What an API answers is data: its size
//! is limited, and only what a table declares becomes part of a result.
//!
//! This crate knows neither MCP nor manifests.
//!
//! ```
//! use std::borrow::Cow;
//! use std::time::{Duration, Instant};
//!
//! use serde_json::{Map, Value, json};
//! use tokio_util::sync::CancellationToken;
//! use toolwrit_bindings::model::{Api, Base, Operation, Path, PathPart, Reference, Request, Root};
//! use toolwrit_bindings::{Call, Connection, ConnectionOptions, Environment, Settings, WrittenNumbers};
//!
//! static API: Api = Api {
//!     name: Cow::Borrowed("shop"),
//!     base: Base::Url(Cow::Borrowed("https://shop.example/api")),
//!     ..Api::BARE
//! };
//!
//! static GET_ITEM: Operation = Operation {
//!     id: Cow::Borrowed("items.get"),
//!     request: Request {
//!         path: Cow::Borrowed(&[
//!             PathPart::Text(Cow::Borrowed("/items/")),
//!             PathPart::Value(Reference { root: Root::Argument(Cow::Borrowed("id")), path: Path::ROOT }),
//!         ]),
//!         ..Request::GET
//!     },
//!     ..Operation::BARE
//! };
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::parse(&API.name, &API.settings, Map::new(), Environment::process()).unwrap();
//! let shop = Connection::new(Cow::Borrowed(&API), settings, &ConnectionOptions::default())?;
//! let arguments = Map::from_iter([("id".to_owned(), Value::from("blue socks"))]);
//! let call = Call {
//!     arguments: &arguments,
//!     numbers: &WrittenNumbers::default(),
//!     account: None,
//!     page: None,
//!     dry_run: true,
//!     deadline: Instant::now() + Duration::from_secs(30),
//!     cancellation: CancellationToken::new(),
//! };
//! let answer = shop.call(&GET_ITEM, &call).await?;
//! let url = "https://shop.example/api/items/blue%20socks";
//! assert_eq!(answer.value, json!({ "request": { "method": "GET", "url": url } }));
//! # Ok(())
//! # }
//! ```
//!
//! `connection` carries out a call: `steps` are the reads before it, `render/` makes a request of a table and
//! arguments, `exchange` sends it as often as it may be, `wanted` reads what a table names of the answer, `response/`
//! reads the result or the failure, and `pages` and `cursor` find the next page. `client/` sends one request, to the
//! addresses that may be reached; `credentials/` prove who sends it; `limits` and `circuit` limit how many are sent.
//! `commands/` runs commands: `process` is the group of processes until its end, and `output` reads the result.
//!
//! Tables are JSON in the rows of an authority: a compiled and a loaded manifest have the same tables, the engine knows
//! nothing of them, and an author's build gets one text for each operation. A table is static or owns its memory
//! (`Cow`), so that a connection needs no memory beside it.

mod base;
mod call;
mod circuit;
mod client;
#[cfg(feature = "commands")]
mod commands;
mod connection;
mod credentials;
mod exchange;
mod failure;
mod limits;
mod link;
pub mod model;
mod options;
mod pages;
mod render;
mod response;
mod sealed_cursor;
mod secret;
mod settings;
mod slots;
mod steps;
#[cfg(any(feature = "commands", feature = "upstreams"))]
mod surroundings;
#[cfg(feature = "upstreams")]
mod tools;
mod wanted;
#[cfg(any(feature = "commands", feature = "upstreams"))]
mod words;

pub use call::{Answer, Call, PageRequest};
#[cfg(feature = "commands")]
pub use commands::CommandRunner;
pub use connection::Connection;
#[cfg(feature = "upstreams")]
pub use credentials::{ClientGrant, ClientId, ClientTokens, TokenServer};
pub use failure::{Failure, Result};
pub use limits::{Limited, SharedLimits, Waiting};
pub use options::{CircuitOptions, ConnectionOptions, RetryOptions};
pub use sealed_cursor::CursorKey;
pub use secret::{Environment, SecretSource};
pub use settings::{SettingProblem, Settings};
#[cfg(feature = "upstreams")]
pub use tools::{BoundTools, ServerAddress, ToolAnswer};
pub use toolwrit_network::{BadNetwork, Network};
#[cfg(feature = "upstreams")]
pub use toolwrit_text::Secrets;
pub use toolwrit_text::numbers::WrittenNumbers;
