//! Operations of an authority that other programs carry out.
//!
//! - [`bound`] has the providers to which a manifest binds operations: HTTP APIs, commands of the server's machine, and other
//!   MCP servers.
//! - `upstreams`, with the feature of that name, serves the tools of MCP servers that an operator adds as operations.
//! - `login`, with the same feature, lets the user log in to such a server, and renews the tokens.
//!
//! In `bound/`, `bound_provider` probes a provider and carries out calls, `warning` tells operators what to configure,
//! and `upstream` has the connections to another MCP server, and says which of its tools are no longer those of the
//! lock file.
//!
//! In `upstreams/`, `settings` reads what the operator says, also about single tools and containers, `approvals` is the folder of numbered lock files and
//! switches, and `provider/` follows both and does what an operator asks for. `operation` makes an operation of a tool:
//! `words` are its texts, `asks/` is how users ask for the tools of well-known servers, and `portable` is the schema
//! that clients see, and `shown` is what the operator makes of its arguments. `calling` makes one call, `offers` are resources and prompts, and `tokens` gets access tokens.
//! `gateway` adds a category for each upstream to an authority, `toolset` serves them with an application,
//! `additions` are those categories with the operator's focus modes and roles. `running` tells other processes of states, and
//! `journal` keeps logs. `examination` asks an upstream for commands, and `nesting` ends chains of gateways that contain themselves.
//!
//! Requests made of the descriptions of tools found no more tools than the descriptions, and displaced the operations
//! of the manifest, so that `asks/` has only requests that people wrote.

pub mod bound;
#[cfg(feature = "upstreams")]
pub mod login;
#[cfg(feature = "upstreams")]
pub mod upstreams;
