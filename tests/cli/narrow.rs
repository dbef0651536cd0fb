//! Tables in a terminal of 80 columns: what is in them can be read and copied.

use std::collections::BTreeSet;

use crate::cli::installing::User;
use crate::cli::program::run;
use toolwrit_tests::files::put;

/// What a command prints into a terminal of this width, or into one whose width it does not know.
fn within(user: &User, columns: Option<&str>, arguments: &[&str]) -> String {
    let mut command = user.command(arguments);
    command.env("TOOLWRIT_VAULT", user.vault()).env_remove("COLUMNS");
    if let Some(columns) = columns {
        command.env("COLUMNS", columns);
    }
    run(&mut command).ok()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

/// A user who has called operations and has a token.
fn busy() -> User {
    let user = User::new();
    put(&user.path("My Notes/Projects/A rather long name of a note.md"), "one");
    for path in ["Projects/A rather long name of a note", "Inbox"] {
        within(&user, None, &["call", "vault.append", "--path", path, "--content", "two"]);
    }
    within(&user, None, &["call", "vault.bulk_properties", "--match", "**", "--set", r#"{"a":1}"#]);
    within(&user, None, &["token", "new", "--name", "laptop-in-the-kitchen", "--role", "reader"]);
    user
}

#[test]
fn no_word_of_a_table_breaks() {
    let user = busy();
    let commands: &[&[&str]] = &[
        &["tokens"],
        &["tokens", "--pin", "vault.read,plugin.dataview.query"],
        &["list"],
        &["search", "rename a note"],
        &["search", "rename a note", "--explain"],
        &["context", "rename my note"],
        &["files"],
        &["token", "list"],
        &["doctor"],
        &["upstream", "add"],
        &["call", "vault.list"],
    ];
    for arguments in commands {
        let (narrow, wide) = (within(&user, Some("80"), arguments), within(&user, None, arguments));
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{arguments:?}: {narrow}");
        let (narrow, wide) = (words(&narrow), words(&wide));
        let broken: Vec<_> = narrow.difference(&wide).collect();
        assert!(broken.is_empty(), "{arguments:?}: {broken:?}");
        assert!(narrow.len() > 5, "{arguments:?}: {narrow:?}");
    }
}

#[test]
fn each_recorded_call_has_one_line() {
    let user = busy();
    let audit = within(&user, Some("80"), &["audit"]);
    let lines: Vec<&str> = audit.lines().collect();
    assert_eq!(lines.len(), 4, "{audit}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{audit}");
    let header = words(lines[0]);
    assert!(header.is_superset(&["TIME", "PRINCIPAL", "OPERATION", "OUTCOME", "MS"].into()));
    assert!(audit.contains("vault.bulk_properties"), "{audit}");
    for line in &lines[1..] {
        let time = line.split_whitespace().next().unwrap_or_default();
        assert!(time.parse::<jiff::Timestamp>().is_ok(), "{time}");
    }
    let wide = within(&user, None, &["audit"]);
    let wide = words(wide.lines().next().unwrap_or_default());
    assert!(wide.is_superset(&["CLIENT", "SURFACE", "IN", "OUT"].into()), "{wide:?}");
}

#[test]
fn columns_that_do_not_fit_stand_below_with_the_first_one() {
    let user = User::new();
    let arguments = ["search", "rename a note", "--explain"];
    let narrow = within(&user, Some("60"), &arguments);
    let headers = narrow.lines().filter(|line| line.starts_with("OPERATION "));
    let headers: Vec<Vec<&str>> = headers.map(|line| line.split_whitespace().collect()).collect();
    assert!(headers.len() > 1, "{narrow}");
    let together: Vec<&str> =
        headers.iter().flat_map(|header| header[1..].iter().copied()).collect();
    let wide = within(&user, None, &arguments);
    let header: Vec<&str> = wide.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(together, header[1..]);
    let rows = |operation: &str| narrow.lines().filter(|line| line.starts_with(operation)).count();
    assert_eq!(rows("vault.rename "), headers.len(), "{narrow}");
}
