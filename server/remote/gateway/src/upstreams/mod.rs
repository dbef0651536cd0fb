//! Serves the tools of other MCP servers as operations of an authority.
//!
//! The operator's configuration names upstreams ([`UpstreamSettings`]), and lock files have the tools that the operator has
//! approved ([`Approvals`]). A [`Gateway`] adds a category for each upstream to an authority. Its operations join while the
//! server runs, so that policy, validation, audit, surfaces and search hold for them as for all others.
//!
//! What is offered comes from the lock files. So a server starts without waiting for its upstreams, and models read the
//! texts that were approved. Its resources and prompts are listed while it runs.

mod additions;
mod answer;
mod approvals;
mod asks;
mod calling;
mod decisions;
mod examination;
mod fault;
mod gateway;
mod interface;
mod journal;
mod known;
mod nesting;
mod offers;
mod operation;
mod passed;
mod portable;
mod provider;
mod running;
mod settings;
mod shared_decisions;
mod tokens;
mod toolset;
mod words;

pub use additions::InvalidAddition;
pub use approvals::{Approval, Approvals};
pub use calling::Calling;
pub use examination::{Examination, Tried, examine, try_tool};
pub(crate) use fault::with_answer;
pub use gateway::{Gateway, NotOffered, Starting};
pub use journal::log_files;
pub use known::{KNOWN, Known, KnownLocation};
pub use offers::{Offer, Offers, announce};
pub use operation::{EffectSource, annotated_effect, known_effect};
pub use running::processes;
pub use settings::{MAX_NAME, SettingProblem, UpstreamSettings, is_name};
pub use toolwrit_upstreams::{Adopted, Change, Lock, ServerInfo, Tool, ToolList, Verdict, import};
