//! Configurations of other programs.

use std::time::Duration;

use proptest::prelude::*;
use secrecy::ExposeSecret as _;
use toolwrit_upstreams::import::{Format, Imported, Problem, Template, Variables};
use toolwrit_upstreams::model::{Command, Endpoint, Remote};

fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "NESTED" => Some("${TOKEN}".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn one(text: &str, format: Format) -> Imported {
    let mut entries = parse(text, format).unwrap();
    assert_eq!(entries.len(), 1);
    entries.remove(0).unwrap()
}

fn command(imported: &Imported) -> Command {
    match imported.endpoint(variable).unwrap() {
        Endpoint::Command(command) => command,
        Endpoint::Remote(remote) => panic!("{remote:?}"),
    }
}

fn remote(imported: &Imported) -> Remote {
    match imported.endpoint(variable).unwrap() {
        Endpoint::Remote(remote) => remote,
        Endpoint::Command(command) => panic!("{command:?}"),
    }
}

fn problems(text: &str, format: Format) -> Vec<String> {
    match parse(text, format) {
        Ok(entries) => entries
            .into_iter()
            .filter_map(Result::err)
            .flatten()
            .map(|problem| problem.to_string())
            .collect(),
        Err(problem) => vec![problem.to_string()],
    }
}

#[test]
fn claude_desktop() {
    let text = r#"{ "mcpServers": { "files": {
        "command": "npx", "args": ["-y", "server@1.0.0", "${HOME_OF:-/home}/notes"],
        "env": { "TOKEN": "${TOKEN}", "N": 5 } } } }"#;
    let imported = one(text, Format::Json);
    assert_eq!((imported.name.as_str(), imported.disabled), ("files", false));
    let command = command(&imported);
    assert_eq!(command.program, "npx");
    assert_eq!(command.arguments, ["-y", "server@1.0.0", "/home/notes"]);
    let value = |name: &str| command.environment[name].expose_secret().to_owned();
    assert_eq!((value("TOKEN"), value("N")), ("s3cret".to_owned(), "5".to_owned()));
    assert!(!format!("{command:?}").contains("s3cret"));
}

#[test]
fn cursor() {
    let text = r#"{ "mcpServers": { "remote": {
        "url": "https://mcp.example/mcp", "headers": { "Authorization": "Bearer ${env:TOKEN}" },
        "disabled": true } } }"#;
    let imported = one(text, Format::Json);
    assert!(imported.disabled);
    let remote = remote(&imported);
    assert_eq!(remote.url, "https://mcp.example/mcp");
    assert_eq!(remote.headers["Authorization"].expose_secret(), "Bearer s3cret");
    assert!(!format!("{remote:?}").contains("s3cret"));
}

#[test]
fn vs_code() {
    let text = r#"{
        // Comments and trailing commas are common here.
        "servers": { "git": { "type": "stdio", "command": "uvx", "args": ["mcp-server-git",], "cwd": "/src" } },
        "inputs": [],
    }"#;
    let command = command(&one(text, Format::Json));
    assert_eq!(command.directory.unwrap().to_str(), Some("/src"));
    let settings =
        r#"{ "mcp": { "servers": { "web": { "type": "http", "url": "https://a.example" } } } }"#;
    assert_eq!(remote(&one(settings, Format::Json)).url, "https://a.example");
}

#[test]
fn an_older_server_has_its_address_and_an_input_is_a_variable() {
    let text = r#"{ "servers": { "old": { "type": "sse", "url": "https://a.example/sse",
        "headers": { "Authorization": "Bearer ${input:api-key}" } } } }"#;
    let imported = one(text, Format::Json);
    let unset = imported.endpoint(variable).unwrap_err();
    assert_eq!(unset.name, "API_KEY");
    let set = imported.endpoint(|name| (name == "API_KEY").then(|| "k".to_owned())).unwrap();
    let Endpoint::Remote(remote) = set else { panic!("{set:?}") };
    assert_eq!(remote.url, "https://a.example/sse");
    assert_eq!(remote.headers["Authorization"].expose_secret(), "Bearer k");
}

#[test]
fn an_entry_with_a_problem_does_not_stop_the_others() {
    let text =
        r#"{"mcpServers": {"a": {"command": "x", "envFile": ".env"}, "b": {"command": "y"}}}"#;
    let entries = parse(text, Format::Json).unwrap();
    let names: Vec<&str> = entries.iter().flatten().map(|entry| entry.name.as_str()).collect();
    assert_eq!((entries.len(), names), (2, vec!["b"]));
}

#[test]
fn codex() {
    let text = r#"
        model = "other settings are ignored"
        [mcp_servers.docs]
        command = "docs-server"
        args = ["--fast"]
        startup_timeout_sec = 20
        tool_timeout_sec = 1.5
        enabled = false
        [mcp_servers.docs.env]
        KEY = "${TOKEN}"
    "#;
    let imported = one(text, Format::Toml);
    assert!(imported.disabled);
    assert_eq!(imported.start_timeout, Some(Duration::from_secs(20)));
    assert_eq!(imported.call_timeout, Some(Duration::from_millis(1500)));
    assert_eq!(command(&imported).environment["KEY"].expose_secret(), "s3cret");
    let text = r#"
        [mcp_servers.figma]
        url = "https://mcp.example/mcp"
        bearer_token_env_var = "TOKEN"
        http_headers = { "X-Region" = "eu" }
        env_http_headers = { "X-Key" = "TOKEN" }
    "#;
    let remote = remote(&one(text, Format::Toml));
    let headers: Vec<(&str, &str)> =
        remote.headers.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    assert_eq!(
        headers,
        [("Authorization", "Bearer s3cret"), ("X-Key", "s3cret"), ("X-Region", "eu")]
    );
}

/// Samples of Continue's documentation.
#[test]
fn continue_dev() {
    let text = r#"
name: Playwright mcpServer
version: 0.0.1
schema: v1
mcpServers:
  - name: Browser search
    command: npx
    args:
      - "@playwright/mcp@latest"
"#;
    let imported = one(text, Format::Yaml);
    assert_eq!((imported.name.as_str(), imported.left_out.len()), ("Browser search", 0));
    assert_eq!(command(&imported).arguments, ["@playwright/mcp@latest"]);

    let text = r#"
mcpServers:
  - name: Supabase MCP
    command: npx
    args:
      - -y
      - "@supabase/mcp-server-supabase@latest"
      - --access-token
      - ${{ secrets.TOKEN }}
    env:
      SUPABASE_TOKEN: ${{ inputs.TOKEN }}
  - name: Name
    type: streamable-http
    url: https://a.example/mcp
    faviconUrl: https://a.example/favicon.ico
    connectionTimeout: 2500
    requestOptions:
      headers:
        Authorization: Bearer ${{secrets.TOKEN}}
      verifySsl: false
"#;
    let entries = parse(text, Format::Yaml).unwrap();
    let entries: Vec<Imported> = entries.into_iter().map(Result::unwrap).collect();
    let supabase = command(&entries[0]);
    assert_eq!(supabase.arguments[2..], ["--access-token", "s3cret"]);
    assert_eq!(supabase.environment["SUPABASE_TOKEN"].expose_secret(), "s3cret");
    let named = remote(&entries[1]);
    assert_eq!(named.headers["Authorization"].expose_secret(), "Bearer s3cret");
    assert_eq!(entries[1].start_timeout, Some(Duration::from_millis(2500)));
    let left_out: Vec<String> = entries[1].left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["/mcpServers/1/requestOptions: is not supported"]);

    for (text, expected) in [
        ("mcpServers:\n  - command: x", "/mcpServers/0: the name is empty"),
        ("mcpServers:\n  - x", "/mcpServers/0: expected a table with `command` or `url`"),
        ("mcpServers: x", "/mcpServers: expected a table of servers"),
        (
            "mcpServers:\n  - {name: a, command: x, args: ['${{ secrets.A']}",
            "/mcpServers/0/args/0: `${` has no `}}`",
        ),
        (
            "mcpServers:\n  - {name: a, command: x, args: ['${{ secrets.A B }}']}",
            "/mcpServers/0/args/0: `${A B}` is not a variable",
        ),
        ("models: []", "no servers; expected the key `extensions` or `mcpServers`"),
    ] {
        let problems = problems(text, Format::Yaml);
        assert!(problems[0].starts_with(expected), "{text}: {problems:?}");
    }
}

#[test]
fn problems_say_where_and_what_to_do() {
    for (text, expected) in [
        ("", "no servers; expected the key "),
        ("{", "the file is not JSON: "),
        ("{'mcpServers': {}}", "the file is not JSON: "),
        ("{}", "no servers; expected the key `mcpServers` or `servers` or "),
        (r#"{"mcpServers": []}"#, "/mcpServers: expected a table of servers"),
        (
            r#"{"mcpServers": {"a/b": 1}}"#,
            "/mcpServers/a~1b: expected a table with `command` or `url`",
        ),
        (r#"{"mcpServers": {"a": {}}}"#, "/mcpServers/a: has neither `command` nor `url`"),
        (r#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#, "/mcpServers/a: has both "),
        (r#"{"mcpServers": {"a": {"command": ""}}}"#, "/mcpServers/a/command: is empty"),
        (r#"{"mcpServers": {"a": {"command": ["x"]}}}"#, "/mcpServers/a/command: expected a text"),
        (
            r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#,
            "/mcpServers/a/args: expected a list",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "args": ["${A"]}}}"#,
            "/mcpServers/a/args/0: `${` has no `}`",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "args": ["${command:key}"]}}}"#,
            "/mcpServers/a/args/0: `${command:key}` is not a variable of the environment; expected `${NAME}`",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "env": {"B=C": "d"}}}}"#,
            "/mcpServers/a/env: a name is empty",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "env": {"B": null}}}}"#,
            "/mcpServers/a/env/B: expected a text",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "env": {"B": "\u0000"}}}}"#,
            "/mcpServers/a/env/B: has a NUL",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "envFile": ".env"}}}"#,
            "/mcpServers/a/envFile: is not supported",
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "disabled": "yes"}}}"#,
            "/mcpServers/a/disabled: expected true",
        ),
    ] {
        let problems = problems(text, Format::Json);
        assert!(problems[0].starts_with(expected), "{text}: {problems:?}");
    }
    let both =
        r#"{"mcpServers": {"a": {"command": "", "args": 1}, "b": {"url": 3.5, "headers": []}}}"#;
    assert_eq!(problems(both, Format::Json).len(), 3);
    assert!(problems("[", Format::Toml)[0].starts_with("the file is not TOML: "));
    assert_eq!(problems("", Format::Toml), ["no servers; expected the key `mcp_servers`"]);
    let long = format!("{{\"mcpServers\": {{}}{}}}", " ".repeat(1024 * 1024));
    assert_eq!(problems(&long, Format::Json), ["the file is larger than 1024 KiB"]);
    for deep in ["[".repeat(500_000), "{\"a\":".repeat(100_000)] {
        let found = problems(&deep, Format::Json);
        assert!(found[0].starts_with("the file is not JSON: "), "{found:?}");
        let deep = format!("a = {}", deep.replace(':', "="));
        let found = problems(&deep, Format::Toml);
        assert!(found[0].starts_with("the file is not TOML: "), "{found:?}");
    }
}

#[test]
fn variables_are_replaced_once() {
    let fill = |text: &str| Template::parse(text).unwrap().fill(variable);
    assert_eq!(fill("a${TOKEN}b${TOKEN}").unwrap(), "as3cretbs3cret");
    assert_eq!(fill("${NESTED}").unwrap(), "${TOKEN}");
    assert_eq!(fill("${UNSET:-${}").unwrap(), "${");
    assert_eq!(fill("${UNSET:-}").unwrap(), "");
    assert_eq!(fill("${EMPTY:-x}${EMPTY}").unwrap(), "x");
    assert_eq!(fill("$TOKEN $ {} }").unwrap(), "$TOKEN $ {} }");
    let unset = fill("${UNSET}").unwrap_err();
    assert_eq!(
        unset.to_string(),
        "the variable `UNSET` is not set; set it, or write `${UNSET:-value}`"
    );
    let template = Template::parse("${A}${B:-c}").unwrap();
    assert_eq!(template.variables().collect::<Vec<_>>(), ["A", "B"]);
}

/// Reads a configuration whose variables are as usual.
fn parse(text: &str, format: Format) -> Result<Vec<toolwrit_upstreams::import::Entry>, Problem> {
    toolwrit_upstreams::import::parse(text, format, Variables::Braced)
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        prop_assert!(parse(&text, Format::Json).is_err());
        let _ = parse(&text, Format::Toml);
        if let Ok(template) = Template::parse(&text) {
            let _ = template.fill(|_| None);
        }
    }

    #[test]
    fn any_table_is_read_or_refused(
        name in any::<String>(),
        field in "command|args|env|url|headers|type|cwd|disabled|enabled|startup_timeout_sec|env_http_headers",
        value in prop_oneof![
            "null|true|-1|1e999|\\[\\]|\\{\\}|\\[1,null\\]|\\{\"\":1\\}|\"\"",
            any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
        ],
    ) {
        let name = serde_json::Value::from(name);
        let text = format!(r#"{{"mcpServers":{{{name}:{{"command":"x","{field}":{value}}}}}}}"#);
        if let Ok(imported) = parse(&text, Format::Json) {
            for upstream in imported.into_iter().flatten() {
                let _ = upstream.endpoint(variable);
            }
        }
    }

    #[test]
    fn text_without_variables_stays(text in "[^$]*") {
        prop_assert_eq!(Template::parse(&text).unwrap().fill(|_| None).unwrap(), text);
    }
}
