//! The program that measures rankings, on the project's own tools and queries, and on published ones if
//! they are available.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toolwrit_tests::requirement::skip;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("retrieval/fixtures").join(name)
}

/// The output of the program for a set.
fn measure(tools: &Path, queries: &Path, more: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrieval"));
    command.arg("--tools").arg(tools).arg("--queries").arg(queries).args(more);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn lexical_and_dense_together_rank_better_than_either() {
    let (tools, queries) = (fixture("tools.jsonl"), fixture("queries.jsonl"));
    let gain = |method| {
        let measured = measure(&tools, &queries, &["--method", method]);
        measured["nDCG@5"].as_f64().unwrap()
    };
    let (bm25, dense, hybrid) = (gain("bm25"), gain("dense"), gain("hybrid"));
    assert!(hybrid > bm25 && hybrid > dense, "bm25 {bm25}, dense {dense}, hybrid {hybrid}");
    assert!(hybrid > 80.0, "{hybrid}");
}

#[test]
fn rankings_are_written_best_first() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.jsonl");
    let more = ["--out", out.to_str().unwrap(), "--cap", "3"];
    let measured = measure(&fixture("tools.jsonl"), &fixture("queries.jsonl"), &more);
    assert_eq!(measured["queries"], 3);
    let run = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<Value> = run.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let ranking = line["ranking"].as_array().unwrap();
        assert_eq!(ranking.len() as u64, measured["tools"].as_u64().unwrap().min(50));
    }
}

#[test]
fn a_malformed_file_is_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools.jsonl");
    std::fs::write(&tools, "{\"id\": \"a\", \"name\": \"a\"}\n\n{\"id\": \"b\"}\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrieval"));
    command.arg("--tools").arg(&tools).arg("--queries").arg(fixture("queries.jsonl"));
    let output = command.output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("tools.jsonl: line 3: missing field `name`"), "{said}");
}

/// Names a folder with published sets: each has a `tools.jsonl` and a `queries.dev.jsonl`.
/// `baselines-dev.json` beside them has the scores of other methods.
const SETS: &str = "TOOLWRIT_RETRIEVAL_SETS";
const BASELINE: &str = "FINAL_B_softbm25f+distilled128_int8_idf(z.50)";

#[test]
fn published_sets_keep_their_scores() {
    let Some(sets) = std::env::var_os(SETS).map(PathBuf::from) else {
        skip(&format!("{SETS} names no folder with published sets"));
        return;
    };
    let baselines = std::fs::read(sets.join("baselines-dev.json")).unwrap();
    let baselines: Value = serde_json::from_slice(&baselines).unwrap();
    let baselines = baselines.as_object().unwrap();
    let (mut gain, mut recall) = (0.0, 0.0);
    for (set, methods) in baselines {
        let folder = sets.join(set.trim_end_matches("/dev"));
        let files = (folder.join("tools.jsonl"), folder.join("queries.dev.jsonl"));
        let measured = measure(&files.0, &files.1, &["--cap", "400"]);
        let own = measured["nDCG@5"].as_f64().unwrap();
        let other = methods[BASELINE]["nDCG@5"].as_f64().unwrap() * 100.0;
        assert!(own >= other - 2.0, "{set}: {own} is far below {other}");
        gain += own;
        recall += measured["R@5"].as_f64().unwrap();
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of sets")]
    let count = baselines.len() as f64;
    assert!(gain / count >= 73.5, "nDCG@5 is {}", gain / count);
    assert!(recall / count >= 80.5, "R@5 is {}", recall / count);
}
