//! Independent, unmodified checkers test the shipped server and the manifests. Every finding has its
//! explanation here.
//!
//! `tests/checkers/install` installs the checkers.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::vaults;

const INSTALL: &str = "tests/checkers/install";
const SURFACES: [&str; 3] = ["flat", "dispatch", "meta"];
/// The network of the page that `fetch` reads.
const LOOPBACK: &str = "127.0.0.1";

/// The shipped server on its own vault, over HTTP, and the command that starts it on standard streams.
struct Subject {
    vault: TempDir,
    server: Server,
    _home: Home,
}

impl Subject {
    fn new() -> Self {
        let vault = vaults::generate(20);
        // The name that one checker generates for string parameters.
        fs::write(vault.path().join("sample.md"), "lantern\n").unwrap();
        fs::write(vault.path().join("sample.base"), "views: [{type: table, name: All}]\n").unwrap();
        // It is the active file, for the tools that need one.
        let leaf = json!({
            "id": "leaf",
            "type": "leaf",
            "state": {"type": "markdown", "state": {"file": "sample.md"}},
        });
        let layout = json!({"main": leaf, "active": "leaf"});
        let obsidian = vault.path().join(".obsidian");
        fs::create_dir_all(&obsidian).unwrap();
        fs::write(obsidian.join("workspace.json"), layout.to_string()).unwrap();
        vaults::switch_on_plugins(vault.path());
        // A search by meaning may be refused until its index is built, and there are no templates.
        fs::write(obsidian.join("community-plugins.json"), r#"["dataview"]"#).unwrap();
        let home = Home::new();
        let folder = vault.path().to_str().unwrap();
        let server = home.serve(toolwrit(), &["--vault", folder, "--web-allow", LOOPBACK]);
        Self { vault, server, _home: home }
    }

    fn url(&self, surface: &str) -> String {
        format!("{}/{surface}", self.server.url)
    }

    fn command(&self, surface: &str) -> Vec<String> {
        let folder = self.vault.path().to_str().unwrap();
        let program = toolwrit().to_str().unwrap();
        let serve = [program, "serve", "--surface", surface, "--vault", folder];
        [&serve[..], &["--web-allow", LOOPBACK]].concat().into_iter().map(str::to_owned).collect()
    }
}

/// Runs a checker with its own home folder.
fn run(program: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
    let home = TempDir::new().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).env("HOME", home.path()).env("TOOLWRIT_DATA_DIR", home.path());
    command.output().unwrap()
}

fn python(program: &str) -> Option<PathBuf> {
    let installed = workspace().join("tests/checkers/.venv/bin");
    let program = installed.join(program);
    let needs = [Need::Program(&installed.join("python"), (3, 11)), Need::File(&program)];
    met(&needs, INSTALL).then_some(program)
}

/// The manifests below a folder, except those that are wrong on purpose or not ours.
fn manifests(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let foreign = ["fail", "node_modules", ".venv", "target"];
    let own = entries.filter(|path| !foreign.iter().any(|name| path.ends_with(name)));
    let found = own.flat_map(|path| match path.extension() {
        _ if path.is_dir() => manifests(&path),
        Some(extension) if extension == "yaml" => vec![path],
        _ => Vec::new(),
    });
    found.collect()
}

/// Writes each block of YAML in the guide to a file of its own.
fn examples_of_the_guide(folder: &Path) {
    let guide = workspace().join("docs/src/guide");
    let mut blocks = 0;
    for page in fs::read_dir(guide).unwrap().map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```yaml\n").skip(1) {
            let (yaml, _) = block.split_once("```").unwrap();
            let name = page.file_stem().unwrap().to_str().unwrap();
            fs::write(folder.join(format!("{name}-{blocks}.yaml")), yaml).unwrap();
            blocks += 1;
        }
    }
    assert!(blocks > 30, "{blocks}");
}

#[test]
fn yamllint_accepts_the_manifests_and_the_guide() {
    let Some(program) = python("yamllint") else { return };
    let guide = TempDir::new().unwrap();
    examples_of_the_guide(guide.path());
    let folders =
        ["manifest", "server/engine/facade/examples", "tests"].map(|path| workspace().join(path));
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| manifests(folder)).collect();
    assert!(files.len() > 10, "{files:?}");
    files.extend(manifests(guide.path()));
    // Examples are parts of a file, and may show two ways to write a key.
    let rules = "{extends: relaxed, rules: {line-length: disable, indentation: disable, key-duplicates: disable}}";
    let flags = ["-d", rules].map(Into::into);
    let output =
        run(&program, flags.into_iter().chain(files.into_iter().map(PathBuf::into_os_string)));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The codes of mcpcheck's findings that are intended.
fn explained(surface: &str) -> BTreeSet<&'static str> {
    let mut codes = BTreeSet::from([
        // `server/discover` and `tools/list` have the server's name. The specification recommends repeating it
        // in every result, which would cost 80 bytes each.
        "handshake.server_info_missing",
        // The SDK answers requests for lists that are not offered; an empty list is harmless.
        "discover.capability_undeclared_empty",
    ]);
    if surface != "flat" {
        // A tool that runs many operations has no single output schema.
        codes.insert("schemas.output_schema_missing");
    }
    codes
}

/// Whether a finding is that `vault_attachment`, which returns pictures and recordings, has no output schema.
fn is_about_pictures(finding: &Value) -> bool {
    finding["code"] == "schemas.output_schema_missing"
        && finding["subject"] == "tool:vault_attachment"
}

#[test]
fn mcpcheck_finds_only_explained_issues() {
    let Some(program) = python("jbt-mcpcheck") else { return };
    let subject = Subject::new();
    for surface in SURFACES {
        let url = subject.url(surface);
        let output = run(&program, ["--json", "--legacy-probes", "--probe", "all", &url]);
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let checks = report["checks"].as_array().unwrap();
        assert!(checks.len() >= 8, "{report}");
        let findings = |kind: &str| {
            let lists = checks.iter().filter_map(|check| check[kind].as_array());
            lists.flatten().collect::<Vec<_>>()
        };
        assert_eq!(findings("failures"), Vec::<&Value>::new(), "{surface}");
        let inconclusive = checks.iter().find(|check| !check["error"].is_null());
        assert_eq!(inconclusive, None, "{surface}");
        let warnings = findings("warnings");
        let codes: BTreeSet<&str> = warnings
            .iter()
            .filter(|warning| !is_about_pictures(warning))
            .map(|warning| warning["code"].as_str().unwrap())
            .collect();
        let explained = explained(surface);
        let unexplained: Vec<_> = codes.difference(&explained).collect();
        assert!(unexplained.is_empty(), "{surface}: {unexplained:?} of {warnings:?}");
    }
}

/// Arguments for tools whose schema does not say which values exist.
fn arguments(surface: &str, server: &Server) -> Value {
    let note = json!({"path": "sample"});
    let query = json!({"query": "LIST"});
    let page = json!({"url": format!("http://{}/healthz", server.address())});
    match surface {
        "flat" => json!({
            "fetch": page,
            "vault_base": {"path": "sample.base"},
            "vault_attachment": {"path": "sample.base"},
            "vault_links": {"kind": "unresolved"},
            "plugin_dataview_query": query,
            "create_entity": {"type": "milestone", "data": {"title": "Beta"}},
            "get_entity": {"id": "M-001"},
            "manage_documents": {"action": "get_decision_history"},
            "read_docs": {"path": "M-001"},
            "system_load_role": {"role": "reader"},
            "system_get_cookbook": {"name": "capture"},
        }),
        "dispatch" => json!({
            "fetch": page,
            "vault_read": {"operation": "read", "params": note},
            "plugin_read": {"operation": "dataview.query", "params": query},
            "project_read": {"operation": "list_workspaces"},
        }),
        _ => json!({"execute_read": {"tool": "vault.read", "args": note}}),
    }
}

#[test]
fn the_probe_calls_every_tool_without_findings() {
    let Some(program) = python("amagi-mcp-probe") else { return };
    let subject = Subject::new();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("arguments.json");
    for surface in SURFACES {
        fs::write(&file, arguments(surface, &subject.server).to_string()).unwrap();
        let over_http = vec!["--url".to_owned(), subject.url(surface)];
        let command = [vec!["--".to_owned()], subject.command(surface)].concat();
        for way in [over_http, command] {
            let flags = ["--strict", "--format", "json", "--args", file.to_str().unwrap()];
            let flags = flags.map(str::to_owned).to_vec();
            let output = run(&program, [flags, way].concat());
            let report = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{surface}: {report}");
            let report: Value = serde_json::from_str(&report).unwrap();
            let tools = report["servers"][0]["tools"].as_array().unwrap();
            let passed = tools.iter().filter(|tool| tool["status"] == "pass").count();
            assert!(passed >= 2, "{surface}: {report}");
        }
    }
}

/// The schemas that the inspector reports as too wide: properties of a note have any value, a heading
/// is a text or a list, a batch has the arguments and answers of any operation, and the rows, groups, summaries and settings
/// of queries and bases have values of any type. They are declared as `json`.
const ANYTHING: [&str; 21] = [
    "outputSchema.properties.frontmatter",
    "inputSchema.properties.target",
    "inputSchema.properties.content",
    "inputSchema.properties.calls.items.properties.args.additionalProperties",
    "outputSchema.properties.results.items.properties.result",
    "outputSchema.properties.results.items.properties.error",
    "outputSchema.properties.rows.items",
    "outputSchema.properties.rows.items.properties.group",
    "outputSchema.properties.groups.items",
    "outputSchema.properties.settings",
    "outputSchema.properties.summaries",
    "outputSchema.properties.rows.items.properties.values.items",
    "inputSchema.properties.set.additionalProperties",
    "inputSchema.properties.data.additionalProperties",
    "inputSchema.properties.ops.items.properties.payload.additionalProperties",
    "outputSchema.additionalProperties",
    "outputSchema.properties.results.items.additionalProperties",
    "outputSchema.properties.workstream_detail.properties.groups.additionalProperties",
    "outputSchema.properties.workstreams.items.properties.milestones.items.additionalProperties",
    "outputSchema.properties.workstreams.items.properties.stories.items.additionalProperties",
    "outputSchema.properties.workstreams.items.properties.tasks.items.additionalProperties",
];

#[test]
fn the_inspector_lists_portable_tools() {
    let inspector = workspace().join("tests/checkers/node_modules/@modelcontextprotocol/inspector");
    let launcher = inspector.join("clients/launcher/build/index.js");
    let node = Path::new("node");
    if !met(&[Need::Program(node, (22, 19)), Need::File(&launcher)], INSTALL) {
        return;
    }
    let subject = Subject::new();
    for surface in SURFACES {
        let ways = [("http", vec![subject.url(surface)]), ("stdio", subject.command(surface))];
        for (transport, target) in ways {
            let own = [launcher.to_str().unwrap(), "--cli", "--strict", "--method", "tools/list"];
            let own = [&own[..], &["--transport", transport, "--"]].concat();
            let own: Vec<String> = own.into_iter().map(str::to_owned).collect();
            let output = run(node, [own, target].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{surface}: {said}");
            let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(!listed["tools"].as_array().unwrap().is_empty(), "{surface}");
            let paths = said.lines().filter_map(|line| line.trim().strip_prefix("Path: "));
            let unexplained: Vec<&str> = paths.filter(|path| !ANYTHING.contains(path)).collect();
            assert!(unexplained.is_empty(), "{surface}: {said}");
        }
    }
}
