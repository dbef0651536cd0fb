//! `toolwrit`: serves a Markdown vault over MCP. The authority is in `manifest/`, and the handlers are in
//! `handlers/`, by category. The engine does everything else.
//!
//! The handlers of `chat` are also those of `note`, and `handlers/note` converts between parameters and places in
//! notes. `gateway` is the authority that is served with upstreams if there is no vault, `app` opens the vaults, `served_vault` has what belongs to one of them, `registered_vaults` has those that Obsidian knows, `setup_mode` is what happens without a vault, and
//! `sample` creates a sample vault from the folder `sample/`. The folder `authority/` has symbolic links to
//! `manifest/`, so that the package contains its authority. `plugins/` has a file for each provider: `detection` finds
//! the plugins of Obsidian, `watch` follows changes in the vault, and `templater/operation` makes an operation of each
//! template.
//!
//! `rest_api/` asks a running Obsidian which file is open; the handlers of `active` find the file and pass the call to
//! those of `vault`. The vault changes the file, although Obsidian's Local REST API could: there is one way to edit,
//! with etags, encodings and the journal, which also works when Obsidian is closed.
//!
//! The allocator is that of the system. With mimalloc the engine is a sixth faster with many calls in flight, but the index of
//! 20,000 notes uses 40 MB more, and memory that hostile clients made the server use is kept.

mod app;
mod author;
mod diagnosis;
mod faults;
mod gateway;
mod handlers;
mod notebook;
mod operations;
mod plugins;
mod registered_vaults;
mod rest_api;
mod sample;
mod served_vault;
mod setup_mode;

use std::process::ExitCode;

fn main() -> ExitCode {
    toolwrit::cli::Main::<operations::Tools<app::Vaults>>::default()
        .with_conversations()
        .or_gateway::<gateway::Tools<()>>(&["vault", "vaults", "sample"])
        .run()
}
