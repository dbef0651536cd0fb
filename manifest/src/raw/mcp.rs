//! How providers and operations are bound to other MCP servers, as written.

use super::http::{RawRead, RawTemplate};
use super::read::{Entries, FromNode, mapping};
use crate::diagnostics::{Place, Report};
use crate::yaml::{Kind, Node, Text};

/// The tool of an operation: only its name, or a mapping.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawTool(pub(crate) RawLongTool);

impl FromNode for RawTool {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return RawLongTool::from_node(node, owner, report).map(Self);
        }
        let tool = Some(Text::from_node(node, owner, report)?);
        Some(Self(RawLongTool { tool, ..RawLongTool::default() }))
    }
}

mapping! {
    /// Another MCP server. Exactly one of `command` and `url`.
    RawMcpServer, "`mcp` of a provider" {
        /// The program that is the server, and its words, as in `run` of a command. Only in the root file.
        command: Vec<RawTemplate>,
        /// The folder in which the program runs: an absolute path, or `$setting`. That of this server unless given.
        folder: Text,
        /// The variables that the program sees besides `PATH`, `HOME` and `LANG`: texts, or `$` and the names of
        /// settings, also of secrets. A key that ends in `?` is left out if its setting is missing.
        environment: Entries<Option<Text>>,
        /// The URL of a server that is reached over streamable HTTP, or `$setting`.
        url: Text,
        /// Headers of each request, as for `environment`.
        headers: Entries<Option<Text>>,
        /// The setting with a bearer token.
        bearer: Text,
        /// The file with the tools as they were approved, relative to this one. `import mcp` writes it.
        lock: Text [required],
    }

    /// The tool of an operation.
    RawLongTool, "`mcp` of an operation" {
        /// The provider. Only if several have `mcp`.
        provider: Text,
        /// The name of the tool.
        tool: Text [required],
        /// The arguments of the tool. A key that ends in `?` is left out if its value is absent. Unless given, each
        /// parameter is the argument of its name.
        args: Entries<RawTemplate>,
        /// Where the result is: `text`, or a path of the structured content. The whole of it unless given.
        result: RawRead,
    }
}
