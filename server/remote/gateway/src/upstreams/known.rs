//! Well-known servers, at the versions with which their entries were written.

/// A well-known server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The name by which it is added.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where it is.
    pub location: KnownLocation,
    /// What the user must add to the command, such as folders; empty if nothing.
    pub parameter: &'static str,
    /// Whether the annotations of its tools say what the tools do.
    pub trust_annotations: bool,
}

/// Where a well-known server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownLocation {
    /// A program and its arguments, and the variable with its secret if it needs one.
    Command(&'static [&'static str], Option<&'static str>),
    /// An address, and the variable of ours with the token.
    Url(&'static str, &'static str),
    /// An address to which the user logs in.
    Login(&'static str),
}

const fn command(
    name: &'static str,
    summary: &'static str,
    words: &'static [&'static str],
    parameter: &'static str,
) -> Known {
    let location = KnownLocation::Command(words, None);
    Known { name, summary, location, parameter, trust_annotations: true }
}

const fn login(name: &'static str, summary: &'static str, url: &'static str) -> Known {
    let location = KnownLocation::Login(url);
    Known { name, summary, location, parameter: "", trust_annotations: false }
}

/// Fifteen well-known servers.
pub const KNOWN: [Known; 15] = [
    login(
        "atlassian",
        "Jira, Confluence and Compass, by Atlassian.",
        "https://mcp.atlassian.com/v2/mcp",
    ),
    command(
        "browser",
        "Controls a browser: pages, clicks, forms and screenshots.",
        &["npx", "-y", "@playwright/mcp@0.0.83"],
        "",
    ),
    login(
        "cloudflare",
        "Workers, zones and storage on Cloudflare.",
        "https://mcp.cloudflare.com/mcp",
    ),
    command(
        "devtools",
        "Inspects pages in Chrome: performance, network and console.",
        &["npx", "-y", "chrome-devtools-mcp@1.11.0"],
        "",
    ),
    command(
        "docs",
        "Documentation of libraries, by Context7.",
        &["npx", "-y", "@upstash/context7-mcp@4.1.1"],
        "",
    ),
    command("fetch", "Fetches pages of the web.", &["uvx", "mcp-server-fetch@2026.10.24"], ""),
    command(
        "filesystem",
        "Reads and writes files in folders.",
        &["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31"],
        "FOLDER",
    ),
    command(
        "git",
        "Reads and changes a Git repository.",
        &["uvx", "mcp-server-git@2026.10.19", "--repository"],
        "REPOSITORY",
    ),
    Known {
        name: "github",
        summary: "Repositories, issues and pull requests on GitHub.",
        location: KnownLocation::Url("https://api.githubcopilot.com/mcp/", "GITHUB_TOKEN"),
        parameter: "",
        trust_annotations: true,
    },
    login("linear", "Issues and projects in Linear.", "https://mcp.linear.app/mcp"),
    command(
        "memory",
        "Remembers facts as a graph.",
        &["npx", "-y", "@modelcontextprotocol/server-memory@2026.8.31"],
        "",
    ),
    Known {
        name: "notion",
        summary: "Pages and databases in Notion.",
        location: KnownLocation::Command(
            &["npx", "-y", "@notionhq/notion-mcp-server@2.5.2"],
            Some("NOTION_TOKEN"),
        ),
        parameter: "",
        trust_annotations: false,
    },
    login(
        "notion-remote",
        "Pages and databases in Notion, by its own server.",
        "https://mcp.notion.com/mcp",
    ),
    login("sentry", "Errors and traces in Sentry.", "https://mcp.sentry.dev/mcp"),
    command("time", "The time in any time zone.", &["uvx", "mcp-server-time@2026.10.19"], ""),
];
