//! Results agree with those of the plugin's own engine, or differ for a reason that is given here.
//!
//! `library.json` and `generated.json` have queries and what Dataview 0.5.68 answers for them, recorded once.
//! The engine ran under Node on these vaults, in UTC and at the time of [`options`]. Its results are written
//! as [`Value::to_json`](toolwrit_dataview::Value::to_json) writes values. The engine was given the structure of the notes. Where
//! that had an item behind a tab in the line before, the record is corrected to the items that comrak finds.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolwrit_dataview::{QueryError, QueryOptions, Rows};
use toolwrit_vault::VaultPath;

use crate::never;
use crate::vaults::{Sandbox, options};

/// Queries whose results differ on purpose, with the reasons.
const DIFFERENCES: [(&str, &str); 1] =
    [("LIST foo(1)", "a function that does not exist is a syntax error, with its place")];

/// Our result in the form of the recorded ones.
fn ours(sandbox: &Sandbox, query: &str, options: &QueryOptions) -> Value {
    let answer = match sandbox.dataview.query(query, options, &never) {
        Ok(answer) => answer,
        Err(QueryError::Syntax(_)) => return json!({"syntax": true}),
        Err(QueryError::Failed(_)) => return json!({"failed": true}),
        Err(error) => panic!("{query}: {error}"),
    };
    match &answer.rows {
        Rows::List(_) => json!({"list": answer.rows.to_json()}),
        Rows::Table { columns, rows } => {
            let row = |row: &Vec<toolwrit_dataview::Value>| {
                row.iter().map(toolwrit_dataview::Value::to_json).collect::<Value>()
            };
            let columns: Vec<&str> = columns.iter().map(|column| &**column).collect();
            json!({"columns": columns, "rows": rows.iter().map(row).collect::<Value>()})
        }
        Rows::Task(_) => json!({"tasks": answer.rows.to_json()}),
        Rows::Calendar(_) => json!({"calendar": answer.rows.to_json()}),
    }
}

/// Whether two results are equal, numbers up to their last digits.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has = |map: &Map<String, Value>, key| map.get(key).cloned().unwrap_or_default();
            a.len() == b.len() && a.iter().all(|(key, value)| agree(value, &has(b, key)))
        }
        (a, b) => a == b,
    }
}

/// Compares the results of all queries that were recorded for a vault.
fn compare(sandbox: &Sandbox, name: &str, options: &QueryOptions) -> usize {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dataview").join(name);
    let recorded: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let mut different = String::new();
    for case in &recorded {
        let query = case["query"].as_str().unwrap();
        let ours = ours(sandbox, query, options);
        let is_expected = DIFFERENCES.iter().any(|(known, _)| *known == query);
        if agree(&ours, &case["result"]) == is_expected {
            let theirs = &case["result"];
            writeln!(different, "{query}\n  ours   {ours}\n  theirs {theirs}\n").unwrap();
        }
    }
    assert!(different.is_empty(), "\n{different}");
    recorded.len()
}

#[test]
fn results_agree_on_a_vault_written_by_hand() {
    let origin = Some(VaultPath::parse("Home.md").unwrap());
    let options = QueryOptions { origin, ..options() };
    assert!(compare(&Sandbox::library(), "library.json", &options) > 180);
}

#[test]
fn results_agree_on_a_generated_vault() {
    assert!(compare(&Sandbox::generate(60), "generated.json", &options()) > 150);
}
