//! The search of a site without a server finds operations by what people write.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use crate::site::built;

/// What people write, and the operations that each of them may mean.
const QUERIES: [(&str, &[&str]); 30] = [
    ("rename file", &["vault.rename"]),
    ("throw away a note", &["vault.delete"]),
    ("if_match", &["vault.write", "vault.move", "vault.rename", "active.write", "active.append"]),
    ("vault.read", &["vault.read"]),
    ("show a note", &["vault.read"]),
    ("move a note to another folder", &["vault.move"]),
    ("add a line at the end", &["vault.append", "active.append"]),
    ("change a heading", &["vault.patch", "active.patch"]),
    ("search text in notes", &["vault.search"]),
    ("list notes in a folder", &["vault.list"]),
    ("what links to this note", &["vault.backlinks"]),
    ("tags", &["vault.tags"]),
    ("daily note", &["vault.daily"]),
    ("dataview query", &["plugin.dataview.query"]),
    ("run dataview javascript", &["plugin.dataview.js"]),
    ("create note from template", &["plugin.templater.execute"]),
    ("notes similar in meaning", &["plugin.smart-connections.search"]),
    ("fetch a web page", &["web.fetch"]),
    ("download url", &["web.fetch"]),
    ("new task", &["project.create_entity"]),
    ("show the open file", &["active.read"]),
    ("what am I looking at", &["active.read"]),
    ("delete many notes", &["vault.bulk_delete"]),
    ("renam note", &["vault.rename"]),
    ("serch", &["vault.search"]),
    ("appnd", &["vault.append", "active.append"]),
    (
        "milestone",
        &["project.create_entity", "project.get_project_overview", "project.analyze_project_state"],
    ),
    ("write a new note", &["vault.write"]),
    ("get_vault_file", &["vault.read"]),
    ("search_vault_smart", &["plugin.smart-connections.search"]),
];
/// How many of them must find one of these first.
const ENOUGH: usize = 25;

/// The pages that the site finds for each of these queries, best first.
fn found(site: &Path, queries: &[&str]) -> Vec<Vec<String>> {
    let script = workspace().join("tests/site/find.cjs");
    let mut node = Command::new("node")
        .args([script.as_path(), site])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    node.stdin.take().unwrap().write_all(&serde_json::to_vec(queries).unwrap()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_people_write_finds_the_operation_that_they_mean() {
    if !met(&[Need::Program(Path::new("node"), (20, 0))], "https://nodejs.org") {
        return;
    }
    let site = built(&[]);
    let mut missed = Vec::new();
    let queries = QUERIES.map(|(query, _)| query);
    for ((query, meant), found) in QUERIES.iter().zip(found(site.path(), &queries)) {
        let is_meant = |id: &&str| {
            let page = format!("operations/{}.html", id.replace('.', "/"));
            found.first() == Some(&page)
        };
        if !meant.iter().any(is_meant) {
            missed.push(format!("{query}: {found:?}"));
        }
    }
    assert!(QUERIES.len() - missed.len() >= ENOUGH, "{missed:#?}");
}
