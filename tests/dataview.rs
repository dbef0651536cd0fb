//! Dataview queries and inline fields are read as the plugin's own parser reads them, or differently for a reason
//! that is given here.
//!
//! `tests/dataview/install` installs the parser. The results of queries are compared in the crate
//! `toolwrit-dataview`.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_dataview::{Dataview, QueryError, QueryOptions};
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_vault::Vault;

const INSTALL: &str = "tests/dataview/install";

/// The values of inline fields that are compared.
const FIELDS: [&str; 48] = [
    "",
    "5",
    "-5",
    "2.50",
    "1e5",
    "50%",
    "+3",
    "7 8",
    "true",
    "True",
    "false",
    "truest",
    "null",
    "nullable",
    "2024-02-03",
    "2024-02",
    "2024-02-30",
    "2024-02-03T04:05",
    "2024-02-03T04:05:06",
    "2024-13-01",
    "2024",
    "1 day",
    "1 day, 2 hours",
    "3d4h",
    "90 minutes",
    "1.5 hours",
    "1 fortnight",
    "5 m",
    "2 yrs 1 mo",
    "[[Note]]",
    "![[Note]]",
    "[[Note|shown]]",
    "[[Note#Part]]",
    "[[Note#^id|b]]",
    "[[a]] and b",
    "[[a]], [[b]]",
    "[[a]],",
    "\"quoted\"",
    "\"with \\\" quote\"",
    "\"a\", \"b\", 3",
    "1, 2, 3",
    "1,2,x",
    "a, b",
    "#tag",
    "#tag/sub, #b",
    "# no",
    "word",
    "[1, 2]",
];

/// Why a query that only one of the two accepts differs on purpose; `None` if nothing explains it.
fn reason(query: &str) -> Option<&'static str> {
    let lower = query.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').collect();
    let starts = |prefix: &str| {
        words.iter().any(|word| word.len() > prefix.len() && word.starts_with(prefix))
    };
    if words.iter().filter(|word| **word == "from").count() > 1 {
        return Some("FROM is only allowed once, before the other clauses");
    }
    if starts("true") || starts("false") || starts("null") {
        return Some("a name may start with `true`, `false` or `null`");
    }
    if starts("and") || starts("or") {
        return Some("`and` and `or` are whole words");
    }
    None
}

/// What the plugin's parser reads: whether queries are valid, and the values of fields.
fn theirs(queries: &[String], fields: &[&str]) -> Option<(Vec<bool>, Vec<Value>)> {
    let folder = workspace().join("tests/dataview");
    let node = Path::new("node");
    let package = folder.join("node_modules/obsidian-dataview");
    if !met(&[Need::Program(node, (22, 0)), Need::File(&package)], INSTALL) {
        return None;
    }
    let mut command = Command::new(node);
    command.arg(folder.join("parse.cjs")).env("TZ", "UTC");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = json!({"queries": queries, "fields": fields});
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let valid = answer["queries"].as_array().unwrap().iter().map(|it| it.as_bool().unwrap());
    Some((valid.collect(), answer["fields"].as_array().unwrap().clone()))
}

/// The queries whose results are recorded, and each of them with a character left out or doubled, and cut.
fn queries() -> Vec<String> {
    let mut queries = Vec::new();
    for name in ["library.json", "generated.json"] {
        let file = workspace().join("server/notes/dataview/tests/dataview").join(name);
        let recorded: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        queries.extend(recorded.iter().map(|case| case["query"].as_str().unwrap().to_owned()));
    }
    let mut all = queries.clone();
    for query in &queries {
        let characters: Vec<char> = query.chars().collect();
        for at in (0..characters.len()).step_by(characters.len().div_ceil(6).max(1)) {
            let (before, after) = characters.split_at(at);
            let text = |parts: &[&[char]]| parts.concat().into_iter().collect::<String>();
            all.extend([
                text(&[before]),
                text(&[before, &after[1..]]),
                text(&[before, &after[..1], after]),
            ]);
        }
    }
    all
}

fn options() -> QueryOptions {
    let now = Zoned::new(Timestamp::from_second(1_709_720_430).unwrap(), TimeZone::UTC);
    QueryOptions { now, ..QueryOptions::default() }
}

#[test]
fn the_same_queries_are_valid() {
    let queries = queries();
    assert!(queries.len() > 5000, "{}", queries.len());
    let Some((theirs, _)) = theirs(&queries, &[]) else { return };
    let folder = TempDir::new().unwrap();
    let dataview = Dataview::new(Vault::open(folder.path()).unwrap());
    let options = options();
    let mut different = String::new();
    for (query, theirs) in queries.iter().zip(theirs) {
        let ours = match dataview.query(query, &options, &|| false) {
            // The plugin notices later that a function does not exist.
            Err(QueryError::Syntax(error)) => error.reason.starts_with("there is no function"),
            _ => true,
        };
        if ours != theirs && reason(query).is_none() {
            writeln!(different, "{ours} but {theirs}: {query}").unwrap();
        }
    }
    assert!(different.is_empty(), "\n{different}");
}

#[test]
fn inline_fields_have_the_same_values() {
    let Some((_, theirs)) = theirs(&[], &FIELDS) else { return };
    let folder = TempDir::new().unwrap();
    let lines = FIELDS.iter().enumerate().map(|(number, value)| format!("f{number}:: {value}\n"));
    fs::write(folder.path().join("Fields.md"), lines.collect::<String>()).unwrap();
    let dataview = Dataview::new(Vault::open(folder.path()).unwrap());
    let names: Vec<String> = (0..FIELDS.len()).map(|number| format!("f{number}")).collect();
    let query = format!("LIST WITHOUT ID [{}]", names.join(", "));
    let rows = dataview.query(&query, &options(), &|| false).unwrap().rows.to_json();
    let ours = rows[0].as_array().unwrap();
    for ((text, ours), theirs) in FIELDS.iter().zip(ours).zip(&theirs) {
        // JSON of Rust and of JavaScript writes 5 and 5.0 differently.
        let same = ours.as_f64().is_some() && ours.as_f64() == theirs.as_f64();
        assert!(same || ours == theirs, "{text}: {ours} but {theirs}");
    }
}
