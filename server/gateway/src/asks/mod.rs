//! How users ask for the tools of well-known servers, so that search finds these tools as well as the operations of a
//! manifest. A tool of another server is found by its texts, and by what the operator says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::settings::UpstreamSettings;

/// Requests, by the tool for which they are.
type Asks = BTreeMap<String, Vec<String>>;

/// Requests, by the package or the address of the server. A test reads the file.
static SERVERS: LazyLock<BTreeMap<String, Asks>> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("asks.yaml")).unwrap_or_default());

/// How users ask for a tool: as the operator says, then as users of a well-known server do.
pub(crate) fn asks(settings: &UpstreamSettings, tool: &str) -> Vec<String> {
    let own = settings.asks.get(tool).into_iter().flatten();
    let known = known(settings).and_then(|known| known.get(tool)).into_iter().flatten();
    own.chain(known).cloned().collect()
}

/// The requests of a server that is known by its package, in any version, or by its address.
fn known(settings: &UpstreamSettings) -> Option<&'static Asks> {
    let words = settings.words();
    let mut places = words.iter().map(|word| unversioned(word));
    places.find_map(|package| SERVERS.get(package)).or_else(|| SERVERS.get(&settings.place()))
}

/// A package without its version: `@scope/name@1.2` is `@scope/name`.
fn unversioned(word: &str) -> &str {
    match word.rfind('@') {
        Some(at) if at > 0 => &word[..at],
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::known::{KNOWN, Place};

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
            (json!({"command": ["pipx", "run", "mcp-server-time"]}), "convert_time"),
            (json!({"url": "https://api.githubcopilot.com/mcp/"}), "list_commits"),
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
    fn the_well_known_servers_have_requests() {
        let servers: BTreeMap<String, Asks> =
            serde_yaml::from_str(include_str!("asks.yaml")).unwrap();
        for known in KNOWN {
            let is_place = |place: &&String| match known.place {
                Place::Command(words, _) => words.iter().any(|word| unversioned(word) == *place),
                Place::Url(url, _) => url == *place,
            };
            assert!(servers.keys().any(|place| is_place(&place)), "{}", known.name);
        }
        for asks in servers.values().flat_map(BTreeMap::values) {
            assert!(asks.iter().all(|ask| !ask.is_empty() && ask.len() <= 100), "{asks:?}");
        }
    }
}
