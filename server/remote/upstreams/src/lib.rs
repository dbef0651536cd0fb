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
//!     caller: Caller::until(Instant::now() + Duration::from_secs(30)),
//! };
//! let answer = clock.call(&call).await?;
//! println!("{}", answer.content[0]["text"]);
//! clock.stop().await;
//! assert_eq!(clock.status().state, State::Stopped);
//! # Ok(())
//! # }
//! ```

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
mod pages;
mod process;
mod progress;
mod questions;
mod tools;
mod whole;

pub use call::{Answer, Call, Completed, Completion, Round};
pub use caller::{Answers, AskUser, Asked, Caller, Question, User};
pub use failure::{Code, Failure, Result};
pub use lifecycle::{Event, Figures, Observer, State, Status, Supervisor, Upstream};
pub use lock::{BadLock, Change, Lock, Place, Verdict};
pub use offers::{Prompt, PromptArgument, Resource};
pub use progress::{Progress, ProgressSink};
pub use tools::{MAX_NAME, RefusedTool, ServerInfo, Tool, ToolList};
pub use toolwrit_foreign::{Secrets, names_secret, visible};
pub use toolwrit_network::{BadNetwork, Network};
