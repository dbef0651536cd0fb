//! `check`, `schema`, `scaffold`, `tokens`, `docs build`: the commands for authors.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::vaults;

use crate::cli::program::{lab, toolwrit};

fn fixture(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cli").join(file)
}

fn shipped(arguments: &[&str]) -> crate::cli::program::Run {
    toolwrit(Path::new("/nowhere"), arguments)
}

const BROKEN: &str = "\
toolwrit: 1
server: { name: broken }
categories:
  box: { summary: Things., keywords: [thing] }
operations:
  box.open:
    sumary: Open it.
    effect: read
    params: { lid: Lid }
  box.burn:
    summary: Burn it.
    effect: destory
";

#[test]
fn check_shows_every_problem_with_its_place() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("broken.yaml");
    fs::write(&file, BROKEN).expect("a file");
    let path = file.to_str().expect("a plain path");
    let run = shipped(&["check", path]);
    assert_eq!(run.code, Some(3));
    assert_eq!(run.stdout, "");
    for place in ["7:5", "9:20", "12:13"] {
        assert!(run.stderr.contains(&format!("--> {path}:{place}")), "{place}: {}", run.stderr);
    }
    assert!(run.stderr.contains("error: unknown key `sumary`"), "{}", run.stderr);

    let run = shipped(&["check", path, "--json"]);
    assert_eq!(run.code, Some(3));
    let problems = run.json()["problems"].take();
    let first = &problems[0];
    assert_eq!((&first["severity"], &first["file"]), (&json!("error"), &json!(path)));
    let place = |problem: &Value| (problem["line"].as_u64(), problem["column"].as_u64());
    let places: Vec<_> = problems.as_array().into_iter().flatten().map(place).collect();
    for expected in [(7, 5), (9, 20), (12, 13)] {
        assert!(places.contains(&(Some(expected.0), Some(expected.1))), "{places:?}");
    }
}

#[test]
fn a_missing_manifest_is_one_error() {
    for arguments in [["check", "nope.yaml"].as_slice(), &["tokens", "--manifest", "nope.yaml"]] {
        let run = shipped(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
        assert!(run.stderr.starts_with("error: cannot read the manifest `nope.yaml`: "), "{run:?}");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run:?}");
    }
    let verdict = shipped(&["check", "nope.yaml", "--json"]);
    assert_eq!((verdict.code, &verdict.json()["valid"]), (Some(3), &json!(false)));
}

#[test]
fn check_of_a_file_measures_its_budgets() {
    let file = toolwrit_tests::program::workspace().join("tests/lab/authority.yaml");
    let run = shipped(&["check", file.to_str().expect("a plain path")]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("error: the meta surface costs"), "{run:?}");
}

#[test]
fn text_without_quotes_is_named_with_its_place() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("authority.yaml");
    let path = file.to_str().expect("a plain path");
    for (line, place, help) in [
        (
            "{ effect: read, summary: A., params: { tags: string[] } }",
            "5:56",
            "quote it: `\"string[]\"`",
        ),
        ("{ effect: read, summary: Read: all. }", "5:36", "quote it: `\"Read: ..\"`"),
    ] {
        let manifest = format!(
            "toolwrit: 1\nserver: {{ name: s }}\ncategories: {{ note: {{ summary: Notes. }} }}\n\
             operations:\n  note.a: {line}\n"
        );
        fs::write(&file, manifest).expect("a file");
        let run = shipped(&["check", path]);
        assert_eq!(run.code, Some(3));
        assert!(run.stderr.contains(&format!("--> {path}:{place}")), "{run:?}");
        assert!(run.stderr.contains(&format!("= help: {help}")), "{run:?}");
    }
}

#[test]
fn check_accepts_a_valid_manifest() {
    let run = shipped(&["check"]);
    assert!(run.stdout.contains(" is valid: "), "{run:?}");
    assert!(run.stdout.contains("meta"), "{run:?}");
    let verdict = shipped(&["check", "--json"]).json();
    assert_eq!(verdict["valid"], true);
    let file = fixture("stubs.yaml");
    let run = shipped(&["check", file.to_str().expect("a plain path")]);
    assert!(run.stdout.contains("is valid: 7 operations"), "{run:?}");
    assert!(!run.stdout.contains("budget"), "it has none: {run:?}");
}

#[test]
fn check_warns_if_only_some_operations_have_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("authority.yaml");
    let manifest = "toolwrit: 1\nserver: { name: s }\ncategories: { note: { summary: Notes. } }\n\
                    operations:\n  note.read: { summary: Read., effect: read, asks: [show it] }\n\
                    \x20 note.list: { summary: List., effect: read }\n";
    let path = file.to_str().expect("a plain path");
    fs::write(&file, manifest).expect("a file");
    let run = shipped(&["check", path]);
    assert!(run.stdout.contains("is valid: 2 operations, 1 warning."), "{run:?}");
    assert!(run.stderr.contains("warning: `note.list` has no `asks`"), "{run:?}");
    fs::write(&file, manifest.replace(", asks: [show it]", "")).expect("a file");
    assert!(shipped(&["check", path]).stdout.contains("0 warnings"), "none has asks");
}

#[test]
fn check_fails_when_a_budget_is_exceeded() {
    let run = lab(&["check"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("error: the meta surface costs"), "{run:?}");
    assert!(run.stderr.contains("over its budget of 10"), "{run:?}");
    assert!(!run.stderr.contains("flat surface"), "{run:?}");
    let verdict = lab(&["check", "--json"]).json();
    assert_eq!(verdict["budgets"][1]["surface"], "meta");
    assert_eq!(verdict["problems"][0]["severity"], "error");
}

#[test]
fn schema_prints_the_language_or_an_operation() {
    let language =
        fs::read_to_string(toolwrit_tests::program::workspace().join("manifest/schema.json"));
    let language: Value = serde_json::from_str(&language.expect("a file")).expect("JSON");
    assert_eq!(shipped(&["schema"]).json(), language);
    let arguments = shipped(&["schema", "vault.read"]).json();
    assert_eq!(arguments["required"], json!(["path"]));
    let run = shipped(&["schema", "vault.raed"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("did you mean: vault.read"), "{run:?}");
}

/// `stubs.rs` contains the output and compiles.
#[test]
fn a_scaffold_is_a_handler_that_compiles() {
    let (manifest, compiled) = (fixture("stubs.yaml"), include_str!("stubs.rs"));
    let manifest = manifest.to_str().expect("a plain path");
    for operation in [
        "depot.move",
        "depot.find",
        "depot.count",
        "depot.reserve_for_later_use",
        "prompts.take-stock",
        "resources.ledger",
    ] {
        let stub = shipped(&["scaffold", operation, "--manifest", manifest]).ok();
        assert!(compiled.contains(&stub), "stubs.rs does not have:\n{stub}");
    }
    let run = shipped(&["scaffold", "prompts.report", "--manifest", manifest]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.stderr.contains("`prompts.report` needs no handler"), "{run:?}");
    let run = shipped(&["scaffold", "vault.read"]);
    assert!(run.stdout.contains("-> toolwrit::Result<vault::ReadResult> {"), "{run:?}");
    assert!(run.stderr.contains("impl vault::Handlers for App"), "{run:?}");
    for (operation, why) in [
        ("system.batch_get", "the engine carries it out"),
        ("prompts.capture", "its text is a cookbook"),
    ] {
        let run = shipped(&["scaffold", operation]);
        assert!(run.stderr.contains(why) && run.stdout.is_empty(), "{run:?}");
    }
    let run = shipped(&["scaffold", "vault.raed"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("did you mean: vault.read"), "{run:?}");
}

#[test]
fn tokens_measures_every_surface_under_every_focus() {
    let measured = shipped(&["tokens", "--json"]).json();
    let rows = measured["surfaces"].as_array().expect("rows");
    assert_eq!(rows.len(), 5 * 3);
    for row in rows {
        for number in ["tools", "bytes", "tokens", "other_tokens"] {
            assert!(row[number].as_u64().is_some_and(|n| n > 0), "{row}");
        }
        assert!(row["reduction_percent"].is_number() && row["focus"].is_string(), "{row}");
    }
    // Budgets apply to the first focus mode, and to the tools split by effect.
    let budgets = rows.iter().filter(|row| row.get("budget").is_some()).map(|row| {
        let name = |key: &str| row[key].as_str().expect("a name");
        (name("surface"), name("split"), name("focus"), row["budget"].as_u64())
    });
    let checked = shipped(&["check", "--json"]).json()["budgets"].take();
    let limit = |at: usize| checked[at]["budget"].as_u64();
    let expected = [
        ("flat", "", "full", limit(0)),
        ("dispatch", "effect", "full", limit(1)),
        ("meta", "effect", "full", limit(2)),
    ];
    assert_eq!(budgets.collect::<Vec<_>>(), expected);
    assert_eq!(limit(2), Some(500));
    let table = shipped(&["tokens", "--focus", "full"]).ok();
    assert!(table.starts_with("SURFACE"), "{table}");
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let meta =
        table.lines().map(cells).find(|cells| cells.starts_with(&["meta".into(), "effect".into()]));
    assert!(meta.expect("a row").contains(&"500".to_owned()), "{table}");
    assert_eq!(table.lines().count(), 1 + 5);
}

#[test]
fn tokens_measures_what_a_client_receives() {
    // The measured list includes the operations of every provider. This vault is not the sample, and no Obsidian
    // runs scripts, and no model is configured.
    let exclude = ["--exclude", "chat,note,system.seed_test_data,plugin.dataview.js"];
    let flags = [&["tokens", "--json", "--focus", "full"], &exclude[..]].concat();
    let measured = shipped(&flags).json();
    let vault = vaults::empty();
    vaults::switch_on_plugins(vault.path());
    let certificate = "00".repeat(32);
    let obsidian = [
        ("TOOLWRIT_OBSIDIAN_API_KEY", "never sent"),
        ("TOOLWRIT_OBSIDIAN_CERT", certificate.as_str()),
    ];
    for (surface, split) in [("flat", ""), ("dispatch", "none"), ("meta", "effect")] {
        let rows = measured["surfaces"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["surface"] == surface && row["split"] == split);
        let row = row.unwrap_or_else(|| panic!("no row for {surface}"));
        let split = if split.is_empty() { "effect" } else { split };
        let flags = [&["--surface", surface, "--split", split], &exclude[..]].concat();
        let mut client = Client::vault_in(&obsidian, vault.path(), &flags);
        let tools = client.tools();
        assert_eq!(row["tools"], tools.len());
        // What a client hands its model.
        let handed = ["name", "description", "inputSchema"];
        let tool = |tool: &Value| handed.map(|key| (key.to_owned(), tool[key].clone()));
        let tools: Value =
            tools.iter().map(|own| tool(own).into_iter().collect::<Value>()).collect();
        assert_eq!(row["bytes"], tools.to_string().len());
    }
}

#[test]
fn docs_build_writes_a_site_and_refuses_other_folders() {
    let folder = TempDir::new().expect("a folder");
    let site = folder.path().join("site");
    let out = site.to_str().expect("a plain path");
    let told = shipped(&["docs", "build", "--out", out]).ok();
    assert!(told.contains("index.html"), "{told}");
    assert!(site.join("index.html").is_file());
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("precious.txt"), "mine").expect("a file");
    let run = shipped(&["docs", "build", "--out", other.to_str().expect("a plain path")]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(other.join("precious.txt").is_file());
}
