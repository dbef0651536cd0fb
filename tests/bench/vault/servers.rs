//! The servers, and for each operation the call of the server's most suitable tool.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwrit_tests::program::{released, workspace};

use crate::generated::{note, note_path};

/// The measured operations. Searches come before changes, and moves come last, because notes are found by
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    List,
    Text,
    Frontmatter,
    Backlinks,
    Regex,
    Glob,
    Append,
    Patch,
    Write,
    /// Of a note without backlinks: only its name changes.
    Move,
    /// Of notes with backlinks, whose links are rewritten.
    MoveLinked,
}

impl Operation {
    pub(crate) const ALL: [Self; 12] = [
        Self::Read,
        Self::List,
        Self::Text,
        Self::Frontmatter,
        Self::Backlinks,
        Self::Regex,
        Self::Glob,
        Self::Append,
        Self::Patch,
        Self::Write,
        Self::Move,
        Self::MoveLinked,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list a folder",
            Self::Text => "text search",
            Self::Frontmatter => "frontmatter query",
            Self::Backlinks => "backlinks",
            Self::Regex => "regex over all notes",
            Self::Glob => "glob over all paths",
            Self::Append => "append",
            Self::Patch => "patch",
            Self::Write => "write",
            Self::Move => "move, without links",
            Self::MoveLinked => "move, links follow",
        }
    }
}

/// The vault of a server.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) vault: &'a Path,
    pub(crate) count: usize,
}

/// A tool and its arguments.
type Call = (&'static str, Value);

pub(crate) struct Server {
    pub(crate) name: &'static str,
    /// What must be installed; empty for ours.
    pub(crate) needs: Option<fn() -> PathBuf>,
    pub(crate) program: fn() -> PathBuf,
    /// The arguments for a vault.
    pub(crate) arguments: fn(&Path) -> Vec<String>,
    /// The n-th call of an operation; `None` if the server has no tool for it.
    pub(crate) call: fn(Operation, Scene<'_>, usize) -> Option<Call>,
}

pub(crate) static OURS: Server = Server {
    name: "toolwrit",
    needs: None,
    program: || released("toolwrit"),
    arguments: toolwrit,
    call: toolwrit_call,
};

pub(crate) static OTHERS: [Server; 3] = [
    Server {
        name: "mcpvault",
        needs: Some(|| script(MCPVAULT)),
        program: node,
        arguments: |vault| vec![text(&script(MCPVAULT)), text(vault)],
        call: mcpvault_call,
    },
    Server {
        name: "server-filesystem",
        needs: Some(|| script(FILESYSTEM)),
        program: node,
        arguments: |vault| vec![text(&script(FILESYSTEM)), text(vault)],
        call: filesystem_call,
    },
    Server {
        name: "obsidian-mcp-rs",
        needs: Some(peer),
        program: peer,
        arguments: |vault| vec!["--log-file".to_owned(), "-".to_owned(), text(vault)],
        call: obsidian_mcp_rs_call,
    },
];

const MCPVAULT: &str = "@bitbonsai/mcpvault/dist/server.js";
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem/dist/index.js";

/// Matches in each answer: the most that every server can return.
const LIMIT: usize = 20;
const WORDS: &str = "kami kalo";
const REGEX: &str = r"lo[a-z]{2}ren\b.*ta";
const GLOB: &str = "**/Note 1*7.md";
/// The same as a regular expression.
const NAMES: &str = r"Note 1.*7\.md$";
const LINE: &str = "One more line.\n";

fn script(name: &str) -> PathBuf {
    workspace().join("tests/bench/vault/node_modules").join(name)
}

fn node() -> PathBuf {
    "node".into()
}

fn peer() -> PathBuf {
    workspace().join("target/vault-peers/bin/obsidian-mcp-rs")
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The number of the n-th note: spread over the vault, each once.
fn number(scene: Scene<'_>, call: usize) -> usize {
    call * 7919 % scene.count
}

fn path(number: usize) -> String {
    note_path(number) + ".md"
}

/// The n-th of the notes without backlinks.
pub(crate) fn lone(call: usize) -> String {
    format!("Lone/Lone {call}.md")
}

fn folder(number: usize) -> String {
    let path = note_path(number);
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

/// A line that every note has once, and its replacement.
fn edit(number: usize) -> (String, String) {
    let heading = format!("\n# Note {number}\n");
    (heading.clone(), format!("{heading}\n{LINE}"))
}

fn toolwrit(vault: &Path) -> Vec<String> {
    let arguments = ["serve", "--surface", "flat", "--vault"].map(str::to_owned);
    arguments.into_iter().chain([text(vault)]).collect()
}

#[expect(clippy::unnecessary_wraps, reason = "as the others")]
fn toolwrit_call(operation: Operation, scene: Scene<'_>, call: usize) -> Option<Call> {
    let number = number(scene, call);
    let path = path(number);
    Some(match operation {
        Operation::Read => ("vault_read", json!({ "path": path })),
        Operation::List => ("vault_list", json!({"folder": folder(number)})),
        Operation::Text => ("vault_search", json!({"query": WORDS, "limit": LIMIT})),
        Operation::Frontmatter => {
            let query = "status = todo and priority = 3";
            ("vault_search", json!({"query": query, "mode": "frontmatter", "limit": LIMIT}))
        }
        Operation::Backlinks => ("vault_backlinks", json!({"path": path, "limit": LIMIT})),
        Operation::Regex => {
            ("vault_search", json!({"query": REGEX, "mode": "regex", "limit": LIMIT}))
        }
        Operation::Glob => ("vault_search", json!({"query": GLOB, "mode": "glob", "limit": LIMIT})),
        Operation::Append => ("vault_append", json!({"path": path, "content": LINE})),
        Operation::Patch => (
            "vault_patch",
            json!({
                "path": path, "target_type": "heading", "target": format!("Note {number}"),
                "operation": "prepend", "content": LINE,
            }),
        ),
        Operation::Write => (
            "vault_write",
            json!({"path": path, "content": note(number, scene.count), "mode": "overwrite"}),
        ),
        Operation::Move => {
            ("vault_move", json!({"path": lone(call), "to": format!("Moved/Lone {call}.md")}))
        }
        Operation::MoveLinked => {
            ("vault_move", json!({"path": path, "to": format!("Moved/Note {number}.md")}))
        }
    })
}

fn mcpvault_call(operation: Operation, scene: Scene<'_>, call: usize) -> Option<Call> {
    let number = number(scene, call);
    let path = path(number);
    Some(match operation {
        Operation::Read => ("read_note", json!({ "path": path })),
        Operation::List => ("list_directory", json!({"path": folder(number)})),
        Operation::Text => ("search_notes", json!({"query": WORDS, "limit": LIMIT})),
        Operation::Frontmatter => (
            "search_notes",
            json!({
                "query": "todo", "searchContent": false, "searchFrontmatter": true, "limit": LIMIT,
            }),
        ),
        // It does not rewrite links.
        Operation::Backlinks | Operation::Regex | Operation::Glob | Operation::MoveLinked => {
            return None;
        }
        Operation::Append => {
            ("write_note", json!({"path": path, "content": LINE, "mode": "append"}))
        }
        Operation::Patch => {
            let (old, new) = edit(number);
            ("patch_note", json!({"path": path, "oldString": old, "newString": new}))
        }
        Operation::Write => {
            ("write_note", json!({"path": path, "content": note(number, scene.count)}))
        }
        Operation::Move => (
            "move_note",
            json!({"oldPath": lone(call), "newPath": format!("Moved/Lone {call}.md")}),
        ),
    })
}

fn filesystem_call(operation: Operation, scene: Scene<'_>, call: usize) -> Option<Call> {
    let number = number(scene, call);
    let at = |path: &str| text(&scene.vault.join(path));
    let path = at(&path(number));
    Some(match operation {
        Operation::Read => ("read_text_file", json!({ "path": path })),
        Operation::List => ("list_directory", json!({"path": at(&folder(number))})),
        // Its search matches only file names, and it ignores links.
        Operation::Text
        | Operation::Frontmatter
        | Operation::Backlinks
        | Operation::Regex
        | Operation::Append
        | Operation::MoveLinked => return None,
        Operation::Glob => ("search_files", json!({"path": text(scene.vault), "pattern": GLOB})),
        Operation::Patch => {
            let (old, new) = edit(number);
            ("edit_file", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
        }
        Operation::Write => {
            ("write_file", json!({"path": path, "content": note(number, scene.count)}))
        }
        Operation::Move => {
            let to = at(&format!("Moved/Lone {call}.md"));
            ("move_file", json!({"source": at(&lone(call)), "destination": to}))
        }
    })
}

fn obsidian_mcp_rs_call(operation: Operation, scene: Scene<'_>, call: usize) -> Option<Call> {
    let number = number(scene, call);
    let vault = scene.vault.file_name().and_then(|name| name.to_str());
    let (tool, mut arguments) = match operation {
        Operation::Read => ("read-note", json!({})),
        Operation::List => return None,
        Operation::Text => ("search-vault", json!({"query": WORDS, "limit": LIMIT})),
        Operation::Frontmatter => {
            let fields = json!({"status": "todo", "priority": 3});
            ("search-vault", json!({"query": "", "frontmatter": fields, "limit": LIMIT}))
        }
        Operation::Backlinks => ("wikilinks", json!({"query": "backlinks", "limit": LIMIT})),
        Operation::Regex => {
            ("search-vault", json!({"query": REGEX, "regex": true, "limit": LIMIT}))
        }
        Operation::Glob => {
            let query = json!({"query": NAMES, "regex": true, "searchType": "filename"});
            ("search-vault", query)
        }
        Operation::Append => ("edit-note", json!({"operation": "append", "content": LINE})),
        Operation::Patch => (
            "edit-note",
            json!({
                "operation": "prepend", "content": LINE, "targetType": "heading",
                "target": format!("# Note {number}"),
            }),
        ),
        Operation::Write => {
            ("edit-note", json!({"operation": "replace", "content": note(number, scene.count)}))
        }
        Operation::Move => ("move-note", json!({"filename": lone(call), "newFolder": "Moved"})),
        Operation::MoveLinked => ("move-note", json!({"newFolder": "Moved"})),
    };
    arguments["vault"] = json!(vault);
    if tool != "search-vault" && operation != Operation::Move {
        arguments["filename"] = json!(path(number));
    }
    Some((tool, arguments))
}
