//! What an operator says about an upstream: where it is, how it is started, and how long to wait for it.

mod command;
mod remote;
mod timing;

pub use command::Command;
pub use remote::{NoToken, Remote, TokenSource};
pub use timing::Timing;
use toolwrit_text::Secrets;

/// An MCP server of someone else.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The operator's name for it.
    pub name: String,
    /// Where it is.
    pub endpoint: Endpoint,
    /// How the connection begins.
    pub era: Era,
    /// How it began when the upstream was seen last.
    pub known_era: Option<Era>,
    /// When it is started.
    pub start: Start,
    /// How long to wait for what it does.
    pub timing: Timing,
    /// Whether it may ask the users of callers. Its tools may depend on that.
    pub asks_users: bool,
    /// Whether its resources are listed.
    pub resources: bool,
    /// Whether its prompts are listed.
    pub prompts: bool,
    /// What nothing that it sends may repeat.
    pub secrets: Secrets,
}

impl Definition {
    /// Creates an upstream that is started at once, with the usual timing. It asks nobody, and only its
    /// tools are listed. The headers and variables whose names say so are secrets.
    pub fn new(name: impl Into<String>, endpoint: Endpoint) -> Self {
        let timing = Timing::for_endpoint(&endpoint);
        let secrets = endpoint.secrets();
        let (name, era, known_era, start) = (name.into(), Era::Any, None, Start::AtOnce);
        let (asks_users, resources, prompts) = (false, false, false);
        Self {
            name,
            endpoint,
            era,
            known_era,
            start,
            timing,
            asks_users,
            resources,
            prompts,
            secrets,
        }
    }
}

/// Where an upstream is.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// A program on this machine, over its standard input and output.
    Command(Command),
    /// A server elsewhere, over HTTP.
    Remote(Remote),
}

impl Endpoint {
    /// The secrets that can be told by their names.
    fn secrets(&self) -> Secrets {
        match self {
            Self::Command(command) => command.secrets(),
            Self::Remote(remote) => remote.secrets(),
        }
    }
}

/// How a connection begins. Protocol versions before 2026-07-28 have a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    /// Without a handshake if the upstream can, else with one.
    #[default]
    Any,
    Initialize,
    /// Without a handshake, as in 2026-07-28.
    Stateless,
}

impl Era {
    /// How connections of a protocol version begin.
    pub fn of_protocol(version: &str) -> Self {
        // Versions are dates.
        if version < "2026-07-28" { Self::Initialize } else { Self::Stateless }
    }
}

/// When an upstream is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// When it is supervised. Nothing waits for it.
    #[default]
    AtOnce,
    /// With its first call. It is stopped when it is unused for some time.
    OnCall,
}
