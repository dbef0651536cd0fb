//! Supervises other people's MCP servers, pins their tools and calls them.
//!
//! A [`model::Definition`] says where an upstream is: a program, or a server over streamable HTTP. A [`Supervisor`]
//! supervises it in a task of its own, and returns an [`Upstream`], through which its tools are called. An upstream
//! that ends is started again after a pause, and its calls in flight fail at once. One that fails several times is
//! disabled, and probed now and then. [`Upstream::status`] says why, with the end of a program's standard error. An
//! [`Observer`] is told of each change.
//!
//! A [`Lock`] has the tools as someone has approved them. With [`Upstream::pin`], a tool whose schemas or annotations
//! have changed since, or that is new, is not called. [`import`] reads the configurations of other programs.
//!
//! An upstream may ask the [`User`] of a caller, if its definition allows that. Requests for a model are declined.
//!
//! What an upstream sends is data: lists, results and texts have limits, hidden characters are escaped, and the secrets with
//! which it is reached are masked.
//!
//! This crate knows neither manifests nor the engine.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! use serde_json::Map;
//! use toolwrit_upstreams::model::{Command, Definition, Endpoint};
//! use toolwrit_upstreams::{Call, Caller, State, Supervisor};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let command = Command::new("mcp-server-time", ["--local-timezone", "UTC"]);
//! let clock = Supervisor::default().supervise(Definition::new("time", Endpoint::Command(command)));
//! let arguments = Map::from_iter([("timezone".to_owned(), "Europe/Oslo".into())]);
//! let call = Call {
//!     tool: "get_current_time",
//!     arguments: &arguments,
//!     is_repeatable: true,
//!     caller: Caller::until(Instant::now() + Duration::from_secs(30)),
//! };
//! let answer = clock.call(&call).await?;
//! println!("{}", answer.content[0]["text"]);
//! clock.stop().await;
//! assert_eq!(clock.status().state, State::Stopped);
//! # Ok(())
//! # }
//! ```
//!
//! `lifecycle/` starts, watches and stops an upstream: `supervision` does one step after another, `recovery` decides
//! about pauses, and `upstream` is the handle through which others call it. `connection/` is one life of it: `opening`
//! begins it, `lines` and `remote/` are its transports, `session` is what calls need, `lists` follow what it offers,
//! `delivery` knows whether a request was received, `answer` makes errors of answers that cannot be read, and `renewals`
//! follow the sessions of a server over HTTP.
//! `process/` starts and ends programs, and `guard` ends them when our process is killed. `tools/` lists tools, `lock/`
//! compares them and their location with approved ones, `call/` carries out one call, and `import/` reads the
//! configurations of other programs.
//!
//! - The lines to and from a program are our own, rather than rmcp's: an answer that is too large fails its call at
//!   once, and a call that was not received is known, so that it can be made again. So is the transport of MCP
//!   2024-11-05, which rmcp no longer has.
//! - The transport keeps the answers with lists of tools before rmcp parses them (`whole`): rmcp drops the fields of a
//!   tool that it does not know, and a lock file must have them.
//! - Calls pass through the message loop of rmcp. A call that passes by it takes 45 to 65 µs less, but needs a second
//!   client of the protocol.
//! - A shell ends the programs when our process is killed. The signal of Linux for the death of a parent needs unsafe
//!   code, reaches only the first process of a group, and comes when a thread ends. A pipe closes however we end.

mod answer;
mod call;
mod caller;
mod causes;
mod connection;
mod failure;
pub mod import;
mod lifecycle;
mod lock;
pub mod model;
mod offers;
mod own_errors;
mod pages;
mod process;
mod progress;
mod questions;
mod speech;
mod tools;
mod whole;
mod written;

pub use answer::Answer;
pub use call::{Call, Completed, Completion, Round};
pub use caller::{Answers, AskUser, Asked, Caller, Question, User};
pub use connection::http_client;
pub use failure::{Failure, Result};
pub use lifecycle::{Event, Figures, Observer, State, Status, Supervisor, Upstream};
pub use lock::{Adopted, BadLock, Change, Location, Lock, Verdict};
pub use progress::{Progress, ProgressSink};
pub use tools::{MAX_NAME, RefusedTool, ServerInfo, Tool, ToolList};
pub use toolwrit_network::{BadNetwork, Network};
pub use toolwrit_text::{Secrets, names_secret};
pub use toolwrit_words::{Code, OfferedArgument, OfferedPrompt, OfferedResource};
