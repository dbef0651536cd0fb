//! How users ask for the tools of some servers, so that search finds these tools more often. A tool of another server is
//! found by its texts, and by what the operator says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::upstreams::settings::UpstreamSettings;

/// Requests for the tools of a server.
#[derive(Deserialize)]
struct Server {
    /// Its packages and its address.
    #[serde(rename = "places")]
    identities: Vec<String>,
    /// How users ask for each tool, in other words than those of the tool.
    tools: BTreeMap<String, Vec<String>>,
}

static SERVERS: LazyLock<Vec<Server>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a test reads the file")]
    serde_json::from_str(include_str!("asks.json")).expect("the file is a list of servers")
});

/// How users ask for a tool: as the operator says, then as users of its server do.
pub(crate) fn asks(settings: &UpstreamSettings, tool: &str) -> Vec<String> {
    let configured = settings.tool(tool).and_then(|said| said.asks.as_ref()).into_iter().flatten();
    let known = known(settings).and_then(|known| known.tools.get(tool)).into_iter().flatten();
    configured.chain(known).cloned().collect()
}

/// Finds a server by its package, in any version, or by its address.
fn known(settings: &UpstreamSettings) -> Option<&'static Server> {
    let (words, location) = (settings.words(), settings.location().brief());
    let packages = words.iter().map(|word| unversioned(word));
    let identities: Vec<&str> = packages.chain([location.trim_end_matches('/')]).collect();
    SERVERS.iter().find(|server| {
        server.identities.iter().any(|identity| identities.contains(&identity.as_str()))
    })
}

/// A package without its version: `@scope/name@1.2` of npm, `name==1.2` of Python, `registry/name:1.2` of containers.
fn unversioned(word: &str) -> &str {
    let version = word.find("==").or_else(|| word.rfind('@').filter(|at| *at > 0));
    let word = version.map_or(word, |at| &word[..at]);
    let tag = word.rfind(':').filter(|at| !word[*at..].contains('/'));
    tag.map_or(word, |at| &word[..at])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::upstreams::known::{KNOWN, KnownLocation};

    fn asked(table: &Value, tool: &str) -> usize {
        let settings = UpstreamSettings::parse("any", table.as_object().unwrap()).unwrap();
        asks(&settings, tool).len()
    }

    #[test]
    fn a_server_is_known_by_its_package_or_its_address() {
        for (table, tool) in [
            (json!({"command": "npx -y @modelcontextprotocol/server-memory"}), "read_graph"),
            (
                json!({"command": ["uvx", "mcp-server-git@2026.1.1", "--repository", "."]}),
                "git_log",
            ),
            (json!({"command": ["pipx", "run", "mcp-server-time==2026.1.1"]}), "convert_time"),
            (
                json!({"command": "docker run -i ghcr.io/github/github-mcp-server:v1@sha256:0a"}),
                "issue_read",
            ),
            (json!({"url": "https://api.githubcopilot.com/mcp/"}), "list_commits"),
            (json!({"url": "https://api.githubcopilot.com/mcp"}), "pull_request_read"),
        ] {
            assert!(asked(&table, tool) >= 3, "{table}");
            assert_eq!(asked(&table, "another_tool"), 0, "{table}");
        }
        for table in
            [json!({"command": ["git", "log"]}), json!({"command": "npx @me/mcp-server-git"})]
        {
            assert_eq!(asked(&table, "git_log"), 0, "{table}");
        }
    }

    #[test]
    fn what_the_operator_says_comes_first() {
        let table = json!({"command": "uvx mcp-server-git", "asks": {"git_log": "what is new"}});
        let settings = UpstreamSettings::parse("git", table.as_object().unwrap()).unwrap();
        let asks = asks(&settings, "git_log");
        assert_eq!(asks.first().map(String::as_str), Some("what is new"));
        assert!(asks.len() > 1);
    }

    #[test]
    fn the_servers_that_are_easily_added_have_requests() {
        let servers: Vec<Server> = serde_json::from_str(include_str!("asks.json")).unwrap();
        for known in KNOWN {
            let is_identity = |identity: &String| match known.location {
                KnownLocation::Command(words, _) => {
                    words.iter().any(|word| unversioned(word) == identity)
                }
                KnownLocation::Url(url, _) => url.trim_end_matches('/') == identity,
                // Nobody has read their tools without a login.
                KnownLocation::Login(_) => true,
            };
            assert!(
                servers.iter().flat_map(|server| &server.identities).any(is_identity),
                "{}",
                known.name
            );
        }
        for asks in servers.iter().flat_map(|server| server.tools.values()) {
            assert!(asks.iter().all(|ask| !ask.is_empty() && ask.len() <= 100), "{asks:?}");
        }
    }
}
