//! Supervises other MCP servers, pins their tools and calls them.

mod call;
mod causes;
mod connection;
mod failure;
pub mod import;
mod lifecycle;
mod lock;
pub mod model;
mod process;
mod tools;
mod visible;

pub use call::{Answer, Call, Progress, ProgressSink};
pub use failure::{Code, Failure, Result};
pub use lifecycle::{Event, Observer, State, Status, Supervisor, Upstream};
pub use lock::{BadLock, Change, Lock, Verdict};
pub use tools::{
    MAX_BYTES, MAX_NAME, MAX_PAGES, MAX_TOOLS, RefusedTool, ServerInfo, Tool, ToolList,
};
pub use toolwrit_network::{BadNetwork, Network};
