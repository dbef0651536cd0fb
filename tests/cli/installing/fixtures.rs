//! Files of clients, in the forms in which people and other programs write them.

/// What a client makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON.
    Strict,
    /// JSON with comments.
    Comments,
    /// JSON with comments, and commas at the end of lists.
    TrailingCommas,
    /// What no client takes, or what cannot be changed safely.
    Refused,
}

/// A client whose files are edited.
pub(super) struct Edited {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// The key of its servers.
    pub(super) key: &'static str,
    /// The forms that it takes, up to this one.
    pub(super) takes: Form,
}

const fn json(name: &'static str, file: &'static str, key: &'static str, takes: Form) -> Edited {
    Edited { name, file, key, takes }
}

/// All clients with files in JSON.
pub(super) const CLIENTS: [Edited; 17] = [
    json("claude-code", ".claude.json", "mcpServers", Form::Strict),
    json("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", Form::Strict),
    json("cursor", ".cursor/mcp.json", "mcpServers", Form::TrailingCommas),
    json("gemini", ".gemini/settings.json", "mcpServers", Form::Comments),
    json("vscode", ".config/Code/User/mcp.json", "servers", Form::TrailingCommas),
    json(
        "vscode-insiders",
        ".config/Code - Insiders/User/mcp.json",
        "servers",
        Form::TrailingCommas,
    ),
    json("vscodium", ".config/VSCodium/User/mcp.json", "servers", Form::TrailingCommas),
    json("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", Form::Strict),
    json(
        "roo",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        "mcpServers",
        Form::Strict,
    ),
    json(
        "cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "mcpServers",
        Form::Strict,
    ),
    json("kiro", ".kiro/settings/mcp.json", "mcpServers", Form::Strict),
    json("copilot", ".copilot/mcp-config.json", "mcpServers", Form::Strict),
    json("opencode", ".config/opencode/opencode.jsonc", "mcp", Form::TrailingCommas),
    json("opencode", ".config/opencode/opencode.json", "mcp", Form::TrailingCommas),
    json("zed", ".config/zed/settings.json", "context_servers", Form::TrailingCommas),
    json("lmstudio", ".lmstudio/mcp.json", "mcpServers", Form::Strict),
    json("junie", ".junie/mcp/mcp.json", "mcpServers", Form::Strict),
];

/// A file of a client.
pub(super) struct Fixture {
    pub(super) what: String,
    pub(super) form: Form,
    pub(super) bytes: Vec<u8>,
}

impl Fixture {
    fn new(what: impl Into<String>, form: Form, text: impl Into<Vec<u8>>) -> Self {
        Self { what: what.into(), form, bytes: text.into() }
    }
}

/// Files whose servers are below this key.
pub(super) fn json_files(key: &str) -> Vec<Fixture> {
    let valid = [
        ("an empty object", "{}".to_owned()),
        (
            "another setting",
            "{\n  \"theme\": \"dark\",\n  \"n\": [1, 2.50, 1e3, \"\\u00e9é\"]\n}".to_owned(),
        ),
        ("no servers", format!("{{\n  \"{key}\": {{}}\n}}")),
        (
            "one server",
            format!("{{\n  \"{key}\": {{\n    \"a\": {{ \"command\": \"x\" }}\n  }}\n}}"),
        ),
        (
            "servers with secrets between settings",
            format!(
                "{{\n    \"z\": null,\n    \"{key}\": {{\n        \"b\": {{\"command\": \"x\", \"env\": {{\"K\": \"s3cret\"}}}},\n        \"a\": {{\"url\": \"https://a.example/mcp\"}}\n    }},\n    \"y\": {{}}\n}}"
            ),
        ),
        ("all on one line", format!("{{\"{key}\":{{\"a\":{{\"command\":\"x\"}}}},\"t\":1}}")),
        (
            "brackets on lines of their own",
            format!("{{\n\"{key}\":\n{{\n\"a\":\n{{\n\"command\":\"x\"\n}}\n}}\n}}"),
        ),
        ("blank lines", format!("\n\n{{\n\n  \"{key}\": {{\n\n    \"a\": {{}}\n\n  }}\n\n}}\n\n")),
    ];
    let mut files = Vec::new();
    for (what, text) in &valid {
        let tabs = text.replace("    ", "\t\t").replace("  ", "\t");
        let written = [
            ("", text.clone()),
            (", with a last line end", format!("{text}\n")),
            (", with line ends of Windows", format!("{text}\n").replace('\n', "\r\n")),
            (", with a byte order mark", format!("\u{feff}{text}\n")),
            (", with tabs", format!("{tabs}\n")),
        ];
        files.extend(
            written.map(|(how, text)| Fixture::new(format!("{what}{how}"), Form::Strict, text)),
        );
    }
    files.extend([
        Fixture::new("nothing", Form::Strict, ""),
        Fixture::new("a line end", Form::Strict, "\n"),
        Fixture::new(
            "comments",
            Form::Comments,
            format!("// top\n{{\n  // mine\n  \"{key}\": {{\n    \"a\": {{ \"command\": \"x\" }} // keep\n    /* last */\n  }}\n}}\n// end\n"),
        ),
        Fixture::new(
            "comments with line ends of Windows",
            Form::Comments,
            format!("{{\r\n  /* a\r\n     b */\r\n  \"{key}\": {{}} // keep\r\n}}\r\n"),
        ),
        Fixture::new(
            "commas at the end",
            Form::TrailingCommas,
            format!("{{\n  \"{key}\": {{\n    \"a\": {{ \"command\": \"x\", \"args\": [\"y\",], }}, // keep\n  }},\n}}\n"),
        ),
        Fixture::new("commas on one line", Form::TrailingCommas, format!("{{\"{key}\":{{\"a\":{{}},}},}}")),
        Fixture::new("only a comment", Form::Comments, "// nothing yet\n"),
    ]);
    let refused = [
        ("the key twice", format!("{{\"{key}\":{{\"a\":{{}}}},\"{key}\":{{\"b\":{{}}}}}}")),
        ("the server twice", format!("{{\"{key}\":{{\"notes\":{{}},\"notes\":{{}}}}}}")),
        ("no table of servers", format!("{{\"{key}\":[]}}")),
        ("null for servers", format!("{{\"{key}\":null}}")),
        ("a list", "[]".to_owned()),
        ("an end in the middle", format!("{{\"{key}\": {{\"a\": {{}}")),
        ("a value left out", format!("{{\"{key}\": {{\"a\": }}}}")),
        ("single quotes", format!("{{'{key}': {{}}}}")),
        ("keys without quotes", format!("{{{key}: {{}}}}")),
        ("two documents", "{}{}".to_owned()),
        (
            "another server of this name",
            format!("{{\"{key}\":{{\"notes\":{{\"command\":\"other\"}}}}}}"),
        ),
    ];
    files.extend(refused.map(|(what, text)| Fixture::new(what, Form::Refused, text)));
    files.push(Fixture::new("no UTF-8", Form::Refused, b"{\"a\": \"\xff\"}".to_vec()));
    files
}

/// Files of Codex.
pub(super) fn toml_files() -> Vec<Fixture> {
    let valid = [
        ("a setting", "model = \"x\""),
        ("comments", "# top\nmodel = \"x\" # keep\n\n[mcp_servers.a]\ncommand = \"y\"\n# tail"),
        ("an inline table", "mcp_servers = { a = { command = \"x\" } }"),
        ("dotted keys", "mcp_servers.a.command = \"x\"\nmodel=\"y\""),
        (
            "tables after it",
            "[mcp_servers.a]\ncommand = \"y\"\n[mcp_servers.a.env]\nK = \"s\"\n\n[tui]\nt = 1",
        ),
        ("a text of several lines", "note = '''\n[mcp_servers.b]\n'''\n[tui]\nt = 1"),
        ("a list of tables", "[[profiles]]\nname = \"a\"\n\n[[profiles]]\nname = \"b\""),
        ("only a comment", "# nothing yet"),
    ];
    let mut files = Vec::new();
    for (what, text) in valid {
        let written = [
            ("", text.to_owned()),
            (", with a last line end", format!("{text}\n")),
            (", with line ends of Windows", format!("{text}\n").replace('\n', "\r\n")),
            (", with a byte order mark", format!("\u{feff}{text}\n")),
            (", with blank lines", format!("\n\n{text}\n\n\n")),
        ];
        files.extend(
            written.map(|(how, text)| Fixture::new(format!("{what}{how}"), Form::Strict, text)),
        );
    }
    files.push(Fixture::new("nothing", Form::Strict, ""));
    let refused = [
        ("no table of servers", "mcp_servers = []\n"),
        ("an end in the middle", "[mcp_servers.a\n"),
        ("the table twice", "[mcp_servers.a]\n[mcp_servers.a]\n"),
        ("another server of this name", "[mcp_servers.notes]\ncommand = \"other\"\n"),
        ("two kinds of line ends", "a = 1\r\nb = 2\n"),
    ];
    files.extend(refused.map(|(what, text)| Fixture::new(what, Form::Refused, text)));
    files
}

/// Files of Goose.
pub(super) fn yaml_files() -> Vec<Fixture> {
    let valid = [
        ("a setting", "GOOSE_MODEL: x"),
        ("a server", "extensions:\n  memory:\n    type: builtin\n    name: memory"),
        (
            "comments",
            "# top\nextensions: # mine\n  # first\n  memory: # keep\n    type: builtin\n# end\nGOOSE_MODEL: x",
        ),
        ("four blanks", "extensions:\n    memory:\n        type: builtin\nz: 1"),
        (
            "settings before and after",
            "a: 1\nextensions:\n  m:\n    args:\n      - x\n      - y\nb:\n  - 1",
        ),
        (
            "a text of several lines",
            "a: |\n  extensions:\n    b: 1\nextensions:\n  m:\n    type: builtin",
        ),
        ("a start of a document", "---\nextensions:\n  m: {type: builtin}"),
        ("blank lines", "extensions:\n\n  m:\n\n    type: builtin\n\nz: 1"),
    ];
    let mut files = Vec::new();
    for (what, text) in valid {
        let written = [
            ("", text.to_owned()),
            (", with a last line end", format!("{text}\n")),
            (", with line ends of Windows", format!("{text}\n").replace('\n', "\r\n")),
            (", with a byte order mark", format!("\u{feff}{text}\n")),
            (", with a comment at the end", format!("{text}\n# end\n")),
        ];
        files.extend(
            written.map(|(how, text)| Fixture::new(format!("{what}{how}"), Form::Strict, text)),
        );
    }
    files.push(Fixture::new("nothing", Form::Strict, ""));
    let refused = [
        ("servers on one line", "extensions: {m: {type: builtin}}\n"),
        ("a list", "- a\n"),
        ("a tab", "extensions:\n\tm: 1\n"),
        ("another server of this name", "extensions:\n  notes:\n    cmd: other\n"),
    ];
    files.extend(refused.map(|(what, text)| Fixture::new(what, Form::Refused, text)));
    files
}
