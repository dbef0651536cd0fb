//! Servers that other programs are configured with: each in its own form, with its restrictions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::program::toolwrit;

/// A home folder with the files of other programs.
struct Home(TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = home.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self(home)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(toolwrit());
        command.args(arguments).env("TOOLWRIT_CONFIG", self.path().join("config.toml"));
        command.env("HOME", self.path()).env("XDG_CONFIG_HOME", self.path().join(".config"));
        command.env_remove("TOOLWRIT_VAULT").env("TOOLWRIT_DATA_DIR", self.path());
        command.output().unwrap()
    }

    fn config(&self) -> toml::Table {
        fs::read_to_string(self.path().join("config.toml")).unwrap_or_default().parse().unwrap()
    }

    fn upstream(&self, name: &str) -> toml::Value {
        self.config()["upstreams"][name].clone()
    }
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// A file of each client, with a server and its restrictions.
const FILES: [(&str, &str); 16] = [
    (
        ".claude.json",
        r#"{"mcpServers": {"one": {"type": "stdio", "command": "a1", "args": []}},
            "projects": {"/w": {"mcpServers": {"two": {"type": "http", "url": "https://two.example/mcp"}}}, "/e": {"mcpServers": {}}}}"#,
    ),
    (
        ".config/Claude/claude_desktop_config.json",
        r#"{"mcpServers": {"three": {"command": "a3", "args": ["x"], "env": {"K": "v"}}}}"#,
    ),
    (
        ".cursor/mcp.json",
        r#"{ // Cursor
        "mcpServers": {"four": {"command": "a4", "envFile": ".env"}, "four-b": {"command": "a4b",},}}"#,
    ),
    (
        ".codex/config.toml",
        "[mcp_servers.five]\ncommand = \"a5\"\nenabled_tools = [\"read\", \"list\"]\ndisabled_tools = [\"rm\"]\nenv_vars = [\"FIVE\"]\ndefault_tools_approval_mode = \"approve\"\n",
    ),
    (
        ".gemini/settings.json",
        r#"{"mcpServers": {"six": {"command": "a6", "env": {"T": "$SIX_TOKEN", "U": "${SIX_USER}"}, "includeTools": ["a"], "excludeTools": ["b"], "trust": true, "timeout": 90000}}}"#,
    ),
    (
        ".config/Code/User/mcp.json",
        r#"{"servers": {"seven": {"type": "http", "url": "https://seven.example/mcp", "headers": {"X": "${input:seven-key}"}}}}"#,
    ),
    (
        ".codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"eight": {"serverUrl": "https://eight.example/mcp", "disabledTools": ["x"]}}}"#,
    ),
    (
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        r#"{"mcpServers": {"nine": {"command": "a9", "alwaysAllow": ["x"], "disabledTools": ["y", "z"], "timeout": 45}}}"#,
    ),
    (
        ".kiro/settings/mcp.json",
        r#"{"mcpServers": {"ten": {"command": "a10", "autoApprove": ["q"], "disabledTools": ["p"], "disabled": true}}}"#,
    ),
    (
        ".copilot/mcp-config.json",
        r#"{"mcpServers": {"eleven": {"type": "local", "command": "a11", "args": [], "tools": ["*"]}, "eleven-b": {"type": "local", "command": "a11", "tools": ["only"]}}}"#,
    ),
    (
        ".config/goose/config.yaml",
        "extensions:\n  twelve:\n    type: stdio\n    cmd: a12\n    args: [m]\n    envs: {A: b}\n    available_tools: [t]\n    enabled: true\n  memory:\n    type: builtin\n    name: memory\n",
    ),
    (
        ".continue/config.yaml",
        "name: Local\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: SQLite MCP\n    command: npx\n    args: [-y, mcp-sqlite, /path/to/your/database.db]\n    env:\n      KEY: ${{ secrets.SQLITE_KEY }}\n",
    ),
    (
        ".continue/mcpServers/fifteen.yaml",
        "name: Fifteen\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: fifteen\n    type: streamable-http\n    url: https://fifteen.example/mcp\n    requestOptions: {headers: {X: y}}\n",
    ),
    (
        ".continue/mcpServers/mcp.json",
        r#"{"mcpServers": {"sixteen": {"command": "a16", "args": ["z"]}}}"#,
    ),
    (
        ".config/opencode/opencode.json",
        r#"{"mcp": {"thirteen": {"type": "local", "command": ["a13", "x"], "environment": {"B": "c"}, "enabled": false}}}"#,
    ),
    (
        ".config/zed/settings.json",
        "// Zed\n{\"context_servers\": {\"fourteen\": {\"command\": {\"path\": \"a14\", \"args\": [\"y\"], \"env\": {\"D\": \"e\"}}}}}",
    ),
];

#[test]
fn the_servers_of_every_client_are_found_with_their_restrictions() {
    let home = Home::new(&FILES);
    let (shown, said) = texts(&home.run(&["import", "clients", "--dry-run"]));
    assert!(shown.contains("[upstreams.five]") && home.config().is_empty(), "{shown}{said}");
    let output = home.run(&["import", "clients", "--json"]);
    let (shown, said) = texts(&output);
    assert!(output.status.success(), "{said}");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["files"].as_array().unwrap().len(), FILES.len(), "{shown}");
    let left_out = |part: &str| {
        let all = shown["left_out"].as_array().unwrap();
        assert!(all.iter().any(|why| why.as_str().unwrap().contains(part)), "{part}: {shown}");
        assert!(said.contains(part), "{part}: {said}");
    };
    let words = |name: &str| home.upstream(name)["command"].to_string();
    assert_eq!(home.upstream("two")["url"].as_str(), Some("https://two.example/mcp"));
    assert_eq!(words("three"), "[\"a3\", \"x\"]");
    left_out("/mcpServers/four/envFile: is not supported");
    assert_eq!(words("four-b"), "[\"a4b\"]");
    let names = |name: &str, key: &str| home.upstream(name)[key].to_string();
    assert_eq!(names("five", "only"), "[\"read\", \"list\"]");
    assert_eq!(names("five", "except"), "[\"rm\"]");
    assert_eq!(home.upstream("five")["env"]["FIVE"].as_str(), Some("${FIVE}"));
    left_out("/mcp_servers/five/default_tools_approval_mode: is not supported");
    assert_eq!(names("six", "only"), "[\"a\"]");
    assert_eq!(names("six", "except"), "[\"b\"]");
    assert_eq!(home.upstream("six")["env"]["T"].as_str(), Some("${SIX_TOKEN}"));
    assert_eq!(home.upstream("six")["env"]["U"].as_str(), Some("${SIX_USER}"));
    assert_eq!(home.upstream("six")["timeout"].as_str(), Some("90s"));
    left_out("/mcpServers/six/trust: is not supported");
    assert_eq!(home.upstream("seven")["headers"]["X"].as_str(), Some("${SEVEN_KEY}"));
    assert_eq!(names("eight", "except"), "[\"x\"]");
    assert_eq!(names("nine", "except"), "[\"y\", \"z\"]");
    assert_eq!(home.upstream("nine")["timeout"].as_str(), Some("45s"));
    left_out("/mcpServers/nine/alwaysAllow: is not supported");
    assert_eq!(home.upstream("ten")["enabled"].as_bool(), Some(false));
    left_out("/mcpServers/ten/autoApprove: is not supported");
    assert!(home.upstream("eleven").get("only").is_none());
    assert_eq!(names("eleven-b", "only"), "[\"only\"]");
    assert_eq!(words("twelve"), "[\"a12\", \"m\"]");
    assert_eq!(names("twelve", "only"), "[\"t\"]");
    left_out("/extensions/memory: has neither `command` nor `url`");
    assert_eq!(words("thirteen"), "[\"a13\", \"x\"]");
    assert_eq!(home.upstream("thirteen")["env"]["B"].as_str(), Some("c"));
    assert_eq!(words("fourteen"), "[\"a14\", \"y\"]");
    assert_eq!(words("sqlite-mcp"), r#"["npx", "-y", "mcp-sqlite", "/path/to/your/database.db"]"#);
    assert_eq!(home.upstream("sqlite-mcp")["env"]["KEY"].as_str(), Some("${SQLITE_KEY}"));
    assert_eq!(home.upstream("fifteen")["headers"]["X"].as_str(), Some("y"));
    assert_eq!(words("sixteen"), "[\"a16\", \"z\"]");
    // What was written is a configuration.
    let (_, said) = texts(&home.run(&["upstream", "list"]));
    assert_eq!(said, "");
}

#[test]
fn one_client_is_chosen_and_projects_are_asked_about() {
    let home = Home::new(&FILES);
    let project =
        Home::new(&[(".mcp.json", r#"{"mcpServers": {"theirs": {"command": "curl evil"}}}"#)]);
    let folder = project.path().to_str().unwrap();
    let output = home.run(&["import", "clients", "--from", "claude-code", "--project", folder]);
    let (_, said) = texts(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("`theirs`: it comes from a project, and there is no terminal"), "{said}");
    let names: Vec<String> =
        home.config()["upstreams"].as_table().unwrap().keys().cloned().collect();
    assert_eq!(names, ["one", "two"]);
    let wrong = home.run(&["import", "clients", "--from", "claude"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    let none = Home::new(&[]).run(&["import", "clients"]);
    assert!(texts(&none).1.contains("no configuration was found of Claude Code, "), "{none:?}");
}

#[test]
fn odd_entries_are_read_or_told() {
    let file = json!({"mcpServers": {
        "text": {"command": "npx -y 'x y'@1"},
        "number": {"command": 5},
        "搜索": {"command": "a"},
        "文件": {"command": "b"},
        "1st": {"command": "c"},
        "keys": {"command": "d", "args": ["--api-key", "sk-123", "--token=${T}", "--secret=s"]},
    }});
    let home = Home::new(&[("other.json", &file.to_string())]);
    let path = home.path().join("other.json");
    let output = home.run(&["import", "claude", path.to_str().unwrap()]);
    let (_, said) = texts(&output);
    assert!(output.status.success(), "{said}");
    let words = |name: &str| home.upstream(name)["command"].to_string();
    assert_eq!(words("text"), "[\"npx\", \"-y\", \"x y@1\"]");
    assert_eq!(words("server"), "[\"a\"]");
    assert_eq!(words("server-2"), "[\"b\"]");
    assert_eq!(words("server-1st"), "[\"c\"]");
    for expected in [
        "left out: ",
        "/mcpServers/number/command: expected a text",
        "[upstreams.keys] has the value of --api-key as it was written",
        "[upstreams.keys] has the value of --secret as it was written",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!said.contains("sk-123") && !said.contains("--token"), "{said}");
}

/// One text, a file that does not exist yet, and flags that belong to the server.
#[test]
fn upstreams_are_added_as_they_are_written_elsewhere() {
    let home = Home::new(&[]);
    let add = |arguments: &[&str]| {
        let output = home.run(&[&["upstream", "add"], arguments].concat());
        assert!(output.status.success(), "{output:?}");
    };
    add(&["memory2", "--command", "npx -y x@1"]);
    add(&["flags", "--command", "npx", "x", "--config", "none.toml", "--manifest", "m.yaml"]);
    let words = |name: &str| home.upstream(name)["command"].to_string();
    assert_eq!(words("memory2"), "[\"npx\", \"-y\", \"x@1\"]");
    assert_eq!(
        words("flags"),
        "[\"npx\", \"x\", \"--config\", \"none.toml\", \"--manifest\", \"m.yaml\"]"
    );
    let whole =
        r#"{"mcpServers": {"m": {"command": "npx", "args": ["m"], "disabledTools": ["x"]}}}"#;
    let two = r#"{"mcpServers": {"m": {"command": "npx"}, "n": {"command": "n"}}}"#;
    let config = home.path().join("config.toml");
    fs::write(
        &config,
        format!("[upstreams.any]\njson = '{whole}'\n[upstreams.n]\njson = '{two}'\n"),
    )
    .unwrap();
    let (listed, said) = texts(&home.run(&["upstream", "list", "--json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["upstreams"][0]["place"], "npx", "{listed}{said}");
    assert_eq!(listed["upstreams"][1]["place"], "n", "{listed}{said}");
    fs::write(&config, format!("[upstreams.any]\njson = '{two}'\n")).unwrap();
    let (_, said) = texts(&home.run(&["upstream", "list"]));
    assert!(said.contains("has 2 servers, and none is `any`"), "{said}");
}
