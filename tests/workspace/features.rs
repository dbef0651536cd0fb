//! Which crates the features of the engine add to an author's build.
#![expect(clippy::unwrap_used, reason = "a tree that cannot be read must fail the test")]

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::repository;

/// Most crates in the tree of a server over standard streams, including itself.
const MOST: usize = 150;

/// The crates that a build of a package compiles with only these features, as `name v1.2.3`.
fn tree(package: &str, features: &str) -> BTreeSet<String> {
    let run = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--edges", "no-dev", "--format", "{p}"])
        .args(["--package", package, "--no-default-features", "--features", features])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    let crates = text.lines().filter(|line| !line.is_empty());
    crates.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

fn names(package: &str, features: &str) -> BTreeSet<String> {
    let tree = tree(package, features);
    tree.iter().map(|one| one.split(' ').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_smallest_server_has_few_crates() {
    let tree = tree("minimal", "");
    assert!(tree.len() <= MOST, "{} crates: {tree:?}", tree.len());
}

/// Each crate that motivates a feature, and the features with which it is compiled.
const REASONS: [(&str, &[&str]); 19] = [
    ("axum", &["browser", "docs", "http", "metrics", "oauth", "otel"]),
    ("clap", &["authoring", "chat", "cli", "lsp"]),
    ("hyper", &["browser", "docs", "http", "metrics", "oauth", "otel"]),
    ("jsonwebtoken", &["oauth"]),
    ("keyring", &["keyring"]),
    ("lsp-server", &["lsp"]),
    ("maud", &["docs"]),
    ("opentelemetry", &["otel"]),
    ("prometheus", &["metrics"]),
    (
        "reqwest",
        &["authoring", "bindings", "chat", "client", "commands", "keyring", "lsp", "upstreams"],
    ),
    ("rusqlite", &["postgres", "sqlite"]),
    ("tokio-postgres", &["postgres"]),
    ("toolwrit-browser", &["browser", "docs"]),
    ("toolwrit-chat", &["chat", "lsp"]),
    ("toolwrit-docs", &["docs"]),
    ("toolwrit-upstreams", &["upstreams"]),
    ("tower-http", &["browser", "docs", "http", "metrics", "oauth", "otel"]),
    ("ureq", &["authoring", "oauth", "otel"]),
    ("which", &["commands"]),
];
const FEATURES: [&str; 19] = [
    "",
    "authoring",
    "bindings",
    "browser",
    "chat",
    "cli",
    "client",
    "commands",
    "docs",
    "http",
    "keyring",
    "lsp",
    "metrics",
    "oauth",
    "otel",
    "postgres",
    "sqlite",
    "stdio",
    "upstreams",
];

#[test]
fn each_feature_adds_its_crates() {
    for feature in FEATURES {
        // Clients of HTTP have dependencies of their own.
        let found = names("toolwrit", feature);
        for (reason, features) in REASONS {
            let has_client = found.contains("reqwest");
            let is_of_client = has_client && matches!(reason, "hyper" | "tower-http");
            let expected = features.contains(&feature) || is_of_client;
            assert_eq!(found.contains(reason), expected, "{reason} with the feature `{feature}`");
        }
    }
}

#[test]
fn a_production_server_contains_no_tokenizer() {
    let all = "cli,http,metrics,oauth,otel,sqlite,stdio";
    let found = names("toolwrit", all);
    for authoring in ["maud", "tiktoken-rs", "toolwrit-docs", "yaml_serde"] {
        assert!(!found.contains(authoring), "{authoring} with {all}");
    }
    assert!(names("toolwrit", "authoring").contains("tiktoken-rs"));
}

/// The third-party crates that a check compiles, each with its features.
fn third_party(arguments: &[&str]) -> BTreeSet<String> {
    let run = Command::new(env!("CARGO"))
        .args(["check", "--locked", "--unit-graph", "-Zunstable-options"])
        .args(arguments)
        // What cargo would compile is an unstable output.
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let graph: Value = serde_json::from_slice(&run.stdout).unwrap();
    let units = graph["units"].as_array().unwrap().iter();
    let units = units.map(|unit| (unit["pkg_id"].as_str().unwrap(), &unit["features"]));
    let units = units.filter(|(package, _)| package.starts_with("registry"));
    units.map(|(package, features)| format!("{package} {features}")).collect()
}

#[test]
fn the_check_of_a_feature_compiles_no_third_party_crate_again() {
    let workspace = third_party(&["--workspace", "--all-targets"]);
    assert!(workspace.len() > 300, "{}", workspace.len());
    for feature in FEATURES {
        let own = ["--package=toolwrit", "--package=unify", "--no-default-features", "--features"];
        let own = third_party(&[&own[..], &[feature]].concat());
        let again: Vec<&String> = own.difference(&workspace).collect();
        assert!(
            again.is_empty(),
            "With the feature `{feature}`, these crates have other features than in the whole workspace. Add those of the \
             whole workspace to tests/unify/Cargo.toml: {again:#?}"
        );
    }
}
