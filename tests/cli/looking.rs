//! `list`, `search`, `describe`, `completions`, and a closed output pipe.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use toolwrit_tests::vaults;

use crate::cli::program::{command, lab};

fn run_command(arguments: &[&str]) -> crate::cli::program::Run {
    // Without a vault, these commands open none.
    crate::cli::program::run(command(toolwrit_tests::program::toolwrit()).args(arguments))
}

#[test]
fn list_shows_only_what_the_policy_allows() {
    let table = run_command(&["list"]).ok();
    assert!(table.starts_with("OPERATION"), "{table}");
    assert!(
        table.contains("vault.delete                     destroy  Delete a note.\n"),
        "{table}"
    );
    let ids = |arguments: &[&str]| -> Vec<String> {
        let rows = run_command(arguments).json()["operations"].take();
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(ids(&["list", "vault", "--json"]).contains(&"vault.delete".to_owned()));
    let read = ids(&["list", "--json", "--role", "reader"]);
    let vault = [
        "vault.read",
        "vault.attachment",
        "vault.list",
        "vault.search",
        "vault.backlinks",
        "vault.tags",
        "vault.links",
        "vault.base",
        "vault.history",
    ];
    let others = [
        "active.read",
        "plugin.dataview.query",
        "plugin.smart-connections.search",
        "web.fetch",
        "project.get_entity",
        "project.search_entities",
        "project.get_project_overview",
        "project.analyze_project_state",
        "project.decision_history",
        "project.document_history",
        "project.check_freshness",
        "project.read_docs",
        "project.list_workspaces",
        "project.list_files",
        "chat.status",
        "system.introspect",
        "system.list_roles",
        "system.load_role",
        "system.list_cookbooks",
        "system.get_cookbook",
        "system.batch_get",
        "system.metrics",
    ];
    assert_eq!(read, [&vault[..], &others].concat());
    assert_eq!(run_command(&["list", "cellar", "--json"]).failure(), "VALIDATION_ERROR");
}

#[test]
fn list_shows_what_the_vault_has_however_it_is_named() {
    let vault = vaults::empty();
    let folder = vault.path();
    fs::write(folder.join("config.toml"), "vault = \".\"\n").expect("a file");
    let lists_dataview = |prepare: &dyn Fn(&mut Command)| {
        let mut command = command(toolwrit_tests::program::toolwrit());
        prepare(command.args(["list", "--json"]));
        crate::cli::program::run(&mut command).ok().contains("plugin.dataview.query")
    };
    assert!(lists_dataview(&|_| {}), "without a vault, every declared operation is listed");
    // The vault has no plugins.
    assert!(!lists_dataview(&|command| {
        command.arg("--vault").arg(folder);
    }));
    assert!(!lists_dataview(&|command| {
        command.env("TOOLWRIT_VAULT", folder);
    }));
    let file = folder.join("config.toml");
    assert!(!lists_dataview(&|command| {
        command.arg("--config").arg(&file);
    }));
    assert!(!lists_dataview(&|command| {
        command.current_dir(folder);
    }));
}

#[test]
fn search_ranks_and_may_find_nothing() {
    let run = run_command(&["search", "rename", "a", "note", "--limit", "2", "--json"]);
    assert_eq!(run.json()["operations"][0]["id"], "vault.rename");
    assert!(run.json()["operations"].as_array().is_some_and(|found| found.len() <= 2));
    let run = run_command(&["search", "xylophone"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    let categories = run_command(&["search"]);
    assert!(categories.stdout.starts_with("vault: read, "), "{categories:?}");
    assert!(run.stderr.ends_with(&categories.stdout), "{run:?}");
    let nothing = run_command(&["search", "xylophone", "--json"]).json();
    assert_eq!(nothing["operations"], json!([]));
    assert_eq!(nothing["reason"], "nothing_matches");
    assert_eq!(nothing["categories"], run_command(&["search", "--json"]).json()["categories"]);
}

#[test]
fn search_shows_weak_matches_only_if_asked() {
    let relevance = |run: &crate::cli::program::Run| -> Vec<String> {
        let rows = run.json()["operations"].take();
        let rows = rows.as_array().expect("a list").iter();
        rows.map(|row| row["relevance"].as_str().expect("a word").to_owned()).collect()
    };
    let strong = relevance(&run_command(&["search", "rename a note", "--json"]));
    assert!(!strong.is_empty() && strong.iter().all(|found| found == "strong"), "{strong:?}");
    let all = relevance(&run_command(&["search", "rename a note", "--weak", "--json"]));
    assert_eq!(all.iter().filter(|found| *found == "strong").count(), strong.len(), "{all:?}");
    assert!(all.contains(&"weak".to_owned()), "{all:?}");
    let limited = run_command(&["search", "rename a note", "--weak", "--limit", "2", "--json"]);
    assert_eq!(relevance(&limited), all[..2]);

    // If no match is strong, three are shown that may fit.
    let only_weak = run_command(&["search", "send it to my accountant", "--json"]);
    assert_eq!(only_weak.json()["reason"], "only_weak_matches");
    let shown = relevance(&only_weak);
    assert!(
        (1..=3).contains(&shown.len()) && shown.iter().all(|found| found == "weak"),
        "{shown:?}"
    );
    let all = relevance(&run_command(&["search", "send it to my accountant", "--weak", "--json"]));
    assert_eq!(shown, all[..all.len().min(3)]);

    let nonsense = run_command(&["search", "order", "a", "pizza"]);
    assert_eq!((nonsense.code, nonsense.stdout.as_str()), (Some(0), ""));
    assert!(nonsense.stderr.starts_with("Nothing matches."), "{nonsense:?}");
}

/// Runs the program with an output of this width.
fn within(columns: &str, arguments: &[&str]) -> String {
    let mut command = command(toolwrit_tests::program::toolwrit());
    crate::cli::program::run(command.env("COLUMNS", columns).args(arguments)).ok()
}

/// The lines below a heading.
fn section<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = page.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn describe_stacks_parameters_in_narrow_terminals() {
    let page = within("80", &["describe", "vault.patch"]);
    assert_eq!(
        section(&page, "Parameters")[..6],
        [
            "  path: string from 1 to 1024 characters (required)",
            "    Vault-relative path, .md optional.",
            "  target_type: heading|block|frontmatter (required)",
            "    heading: The section below a heading, up to the next one of its level.",
            "    block: The paragraph, list item or table with this id.",
            "    frontmatter: A property.",
        ]
    );
    for part in ["About", "Rules", "Parameters", "Result"] {
        let lines = section(&page, part);
        assert!(!lines.is_empty(), "{part} is not in {page}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{part} in {page}");
    }
    let wide = within("120", &["describe", "vault.patch"]);
    let columns = "  target_type        required           heading|block|frontmatter";
    assert!(section(&wide, "Parameters").iter().any(|line| line.starts_with(columns)), "{wide}");
}

#[test]
fn describe_shows_the_result_and_the_call_on_every_surface() {
    let page = within("120", &["describe", "vault.search"]);
    let result = section(&page, "Result");
    let rows: Vec<Vec<&str>> =
        result.iter().map(|row| row.trim().splitn(2, ' ').map(str::trim).collect()).collect();
    assert!(rows.contains(&vec!["matches", "list of object  The best first."]), "{page}");
    assert!(
        rows.contains(&vec!["matches[].line", "integer         The line of the match, from 1."]),
        "{page}"
    );
    assert_eq!(
        section(&page, "Wire form"),
        [
            r#"  flat      {"name":"vault_search","arguments":{"query":"lantern oil"}}"#,
            r#"  dispatch  {"name":"vault_read","arguments":{"operation":"search","params":{"query":"lantern oil"}}}"#,
            r#"  meta      {"name":"execute_read","arguments":{"tool":"vault.search","args":{"query":"lantern oil"}}}"#,
        ]
    );
    // A text has no fields.
    assert!(!crate::cli::program::lab(&["describe", "lab.text"]).ok().contains("\nResult\n"));
}

#[test]
fn help_describes_the_values_of_a_parameter() {
    let help = run_command(&["call", "vault.read", "--help"]).ok();
    assert!(help.contains("- markdown: The text"), "{help}");
}

#[test]
fn lists_colour_what_destroys() {
    let mut command = command(toolwrit_tests::program::toolwrit());
    let run = crate::cli::program::run(command.env("CLICOLOR_FORCE", "1").arg("list"));
    let list = run.ok();
    let colour = "\u{1b}[31mdestroy\u{1b}[0m";
    for line in list.lines() {
        let destroys = ["vault.delete", "vault.bulk_delete", "active.delete", "plugin.dataview.js"];
        let destroys = destroys.iter().any(|id| line.starts_with(id));
        assert_eq!(line.contains(colour), destroys, "{line:?}");
    }
    assert_eq!(list.matches(colour).count(), 4);
}

#[test]
fn describe_has_parameters_rules_and_examples() {
    let page = run_command(&["describe", "get_vault_file"]).ok();
    for part in [
        "vault.read(path: NotePath,",
        "Read a note.",
        "roles        owner, editor, reader",
        "older names  get_vault_file",
        "default \"markdown\"",
        "call vault.read --path Inbox.md",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let tools =
        run_command(&["describe", "vault.read", "vault.list", "--json"]).json()["tools"].take();
    assert_eq!(tools[0]["parameters"]["required"], json!(["path"]));
    assert_eq!(tools[1]["id"], "vault.list");
    let run = run_command(&["describe", "vault.delete", "--role", "reader", "--json"]);
    assert_eq!(run.failure(), "TOOL_NOT_FOUND");
}

#[test]
fn completions_have_the_operations_and_their_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run_command(&["completions", shell]).ok();
        for word in ["vault.bulk_delete", "dry-run", "case-sensitive", "scaffold"] {
            assert!(script.contains(word), "{word} is not in the script for {shell}");
        }
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let mut child = command(Path::new(env!("CARGO_BIN_EXE_lab")))
        .args(["call", "lab.text", "--bytes", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn output_into_a_pipe_has_no_colours() {
    for run in [lab(&["list"]), lab(&["call", "lab.ehco"]), lab(&["call", "lab.echo", "-h"])] {
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:?}");
    }
}

#[test]
fn exit_codes_of_the_command_line_itself() {
    assert_eq!(lab(&["--version"]).code, Some(0));
    assert_eq!(lab(&["--help"]).code, Some(0));
    let welcome = lab(&[]);
    assert!(welcome.code == Some(0) && welcome.stdout.contains("lab help"), "{welcome:?}");
    assert_eq!(lab(&["lsit"]).code, Some(2));
    assert_eq!(lab(&["list", "--focus", "nowhere"]).code, Some(3));
}
