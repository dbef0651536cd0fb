//! Expensive notes, read by many callers through the shipped server: its memory stays within its limit, and
//! it serves others meanwhile.
#![expect(clippy::print_stdout, reason = "the measured figures are for whoever reads the log")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::memory::peak;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;
use toolwrit_tests::waiting::{Stop, found};

/// How many callers read a note at the same time.
const READERS: usize = 64;
/// The server's memory limit.
const MEMORY: u64 = 600 * 1024 * 1024;
/// The server's memory limit while large notes are changed.
const WRITERS_MEMORY: u64 = 300 * 1024 * 1024;
/// The size of the largest notes.
const HUGE: usize = 15 * 1024 * 1024;
/// The longest text that is parsed.
const LONGEST: usize = 1024 * 1024;

/// A text repeated up to this many bytes.
fn of(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

/// A call on a note, and the code of its answer.
struct Row {
    name: &'static str,
    text: Vec<u8>,
    ask: Value,
    code: &'static str,
}

fn row(name: &'static str, text: impl Into<Vec<u8>>, ask: Value, code: &'static str) -> Row {
    Row { name, text: text.into(), ask, code }
}

/// A list in which each item is one level deeper.
fn steps(bytes: usize) -> String {
    let mut text = String::new();
    for depth in 0.. {
        if text.len() > bytes {
            break;
        }
        writeln!(text, "{:depth$}- a", "", depth = depth * 2).unwrap();
    }
    text
}

/// Texts of 15 MiB, more than is parsed.
fn huge() -> Vec<Row> {
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(of("a\0\r\0\n\0", HUGE).bytes()).collect();
    vec![
        row("headings", of("# a\n", HUGE), json!({"heading": "a"}), "RESULT_TOO_LARGE"),
        row("outline", of("# a\n", HUGE), json!({"format": "json"}), "RESULT_TOO_LARGE"),
        row("block", of("a ^b\n\n", HUGE), json!({"block": "b"}), "RESULT_TOO_LARGE"),
        row("plain", of("# a\r\n", HUGE), json!({}), "ok"),
        row("line", of("a", HUGE), json!({"lines": "1"}), "ok"),
        row("utf16", utf16, json!({"lines": "7-"}), "ok"),
        row("start", of("[[a]] ", HUGE), json!({"format": "json", "max_bytes": 1000}), "ok"),
    ]
}

/// Texts just below the limit, each as expensive as possible to parse.
fn dense() -> Vec<Row> {
    let outline = || json!({"format": "json"});
    let fits = LONGEST - 1024;
    let ends = |text: &str| format!("# a\n\n{}\n\n# b\n", of(text, fits));
    let framed = |yaml: &str, rest: &str| format!("---\n{yaml}{}\n---\n", of(rest, fits / 2));
    let bomb = format!("a: &x {}\nb:\n", of("a", fits / 2));
    let nested = format!("{}\n{}", of("> ", fits / 2), of("a\n", fits / 2));
    vec![
        row("dense headings", of("# a\n", fits), json!({"heading": "a"}), "RESULT_TOO_LARGE"),
        row("dense links", of("[[a]]", fits), outline(), "RESULT_TOO_LARGE"),
        row("dense tags", of("#a ", fits), outline(), "RESULT_TOO_LARGE"),
        row("dense blocks", of("a ^b\n\n", fits), json!({"block": "b"}), "RESULT_TOO_LARGE"),
        row(
            "same",
            of("# a\n\nb b b b b b b b b b b b\n", LONGEST / 2),
            json!({"heading": "a"}),
            "VALIDATION_ERROR",
        ),
        row("emphasis", ends("*_"), json!({"heading": "b"}), "ok"),
        row("strong", ends("**a "), json!({"heading": "b"}), "ok"),
        row("brackets", ends("["), outline(), "ok"),
        row("images", ends("!["), outline(), "ok"),
        row("destinations", ends("[]("), outline(), "ok"),
        row("code", ends("`a` "), outline(), "ok"),
        row("html", ends("<a "), outline(), "ok"),
        row("cells", ends("a|b\n-|-\n"), outline(), "ok"),
        row(
            "columns",
            format!("{}\n{}\n{}", of("a|", fits / 4), of("-|", fits / 4), of("a\n", fits / 2)),
            outline(),
            "ok",
        ),
        row("nested", nested, outline(), "RESULT_TOO_LARGE"),
        row("steps", steps(fits / 2), outline(), "RESULT_TOO_LARGE"),
        row("aliases", framed(&bomb, "  - *x\n"), outline(), "ok"),
        row("keys", framed("a: ", "["), outline(), "ok"),
        row("dashes", framed("a:\n", "- "), outline(), "ok"),
        row("rule", of("- ", fits), outline(), "ok"),
    ]
}

fn read(row: &Row) -> Value {
    let mut arguments = row.ask.clone();
    arguments["path"] = row.name.into();
    arguments
}

/// Reads, writes and lists other notes.
fn assert_others_are_served(server: &Server) {
    for _ in 0..2 {
        let small = json!({"path": "Small", "heading": "Here"});
        let small = in_time(server, "vault_read", &small).ok();
        assert_eq!(small["content"], "# Here\n\nText.\n");
        in_time(server, "vault_list", &json!({"folder": "Folder"})).ok();
        let new = json!({"path": "Folder/New", "content": "New.\n", "mode": "overwrite"});
        in_time(server, "vault_write", &new).ok();
    }
}

/// Checks the code of a row's answer. With many concurrent calls the server may refuse because of large
/// notes, and on a busy machine a call may time out.
fn assert_answered(row: &Row, code: &str) {
    let expected = [row.code, "LIMIT_EXCEEDED", "TIMEOUT"];
    assert!(expected.contains(&code), "{}: {code}", row.name);
}

/// Reads with many callers, repeatedly, until other callers have been served.
fn read_under_load(server: &Server, row: &Row) {
    let begun = Instant::now();
    let answered = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                let client = server.client("/flat");
                loop {
                    let was_answered = answered.load(SeqCst);
                    let code = client.call("vault_read", &read(row)).code();
                    assert_answered(row, &code);
                    if was_answered {
                        break;
                    }
                }
            });
        }
        let _stop = Stop(&answered);
        assert_others_are_served(server);
    });
    let peak = peak(server.child.id());
    if let Some(peak) = peak {
        println!("{:>16}: {:>4} MiB, {:.1?}", row.name, peak >> 20, begun.elapsed());
        assert!(peak < MEMORY, "{}: {} MiB", row.name, peak >> 20);
    }
}

/// Serves a vault with these notes and a small one.
fn serve(home: &Home, vault: &Path, rows: &[Row]) -> Server {
    for row in rows {
        std::fs::write(vault.join(row.name).with_extension("md"), &row.text).unwrap();
    }
    std::fs::create_dir(vault.join("Folder")).unwrap();
    std::fs::write(vault.join("Small.md"), "# Here\n\nText.\n").unwrap();
    home.serve(toolwrit(), &["--vault", vault.to_str().unwrap()])
}

/// Makes a call that nothing else hinders. On a busy machine its time may be over, and then it is made again, as the error
/// says.
fn in_time(server: &Server, tool: &str, arguments: &Value) -> CallResult {
    found("an answer in time", || {
        let answer = server.client("/flat").call(tool, arguments);
        (answer.code() != "TIMEOUT").then_some(answer)
    })
}

#[test]
fn huge_notes_are_read_within_bounds() {
    let (home, vault, rows) = (Home::new(), vaults::empty(), huge());
    let server = serve(&home, vault.path(), &rows);
    for row in &rows[..3] {
        read_under_load(&server, row);
    }
    let refused = in_time(&server, "vault_read", &read(&rows[0])).error();
    assert!(refused["message"].as_str().unwrap().contains("more than 1048576 bytes"), "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("max_bytes"), "{refused}");
}

#[test]
fn dense_notes_are_parsed_within_bounds() {
    let (home, vault, rows) = (Home::new(), vaults::empty(), dense());
    let server = serve(&home, vault.path(), &rows);
    let emphasis = rows.iter().find(|row| row.name == "emphasis").unwrap();
    for row in [&rows[0], emphasis] {
        read_under_load(&server, row);
    }
}

/// Readers of different notes share no parse.
#[test]
fn many_notes_at_once_are_read_within_bounds() {
    let (home, vault) = (Home::new(), vaults::empty());
    let mut rows = dense();
    rows.extend(huge());
    let server = serve(&home, vault.path(), &rows);
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (server, row) = (&server, &rows[reader % rows.len()]);
            scope.spawn(move || {
                let code = server.client("/flat").call("vault_read", &read(row)).code();
                assert_answered(row, &code);
            });
        }
        assert_others_are_served(&server);
    });
    if let Some(peak) = peak(server.child.id()) {
        println!("{} notes at once: {} MiB", rows.len(), peak >> 20);
        assert!(peak < MEMORY, "{} MiB", peak >> 20);
    }
}

/// Writers of large notes are counted together with readers, so they use bounded memory and do not occupy
/// all handlers.
#[test]
fn huge_notes_are_changed_within_bounds() {
    let (home, vault, rows) = (Home::new(), vaults::empty(), huge());
    let server = serve(&home, vault.path(), &rows);
    let plain = in_time(&server, "vault_delete", &json!({"path": "plain", "dry_run": true}));
    let etag = plain.ok()["etag"].clone();
    let changes = [
        ("vault_append", json!({"path": "line", "content": "b"})),
        (
            "vault_patch",
            json!({
                "path": "utf16", "target_type": "frontmatter", "target": "a", "operation": "replace",
                "content": "b", "create_if_missing": true,
            }),
        ),
        // The name exists.
        ("vault_move", json!({"path": "plain", "to": "line", "if_match": etag})),
        ("vault_delete", json!({"path": "plain", "dry_run": true})),
    ];
    for (tool, arguments) in &changes {
        let refused = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| {
                    let code = server.client("/flat").call(tool, arguments).code();
                    let expected = ["ok", "ALREADY_EXISTS", "LIMIT_EXCEEDED", "TIMEOUT"];
                    assert!(expected.contains(&code.as_str()), "{tool}: {code}");
                    refused.fetch_add(usize::from(code == "LIMIT_EXCEEDED"), SeqCst);
                });
            }
            assert_others_are_served(&server);
        });
        assert!(refused.into_inner() > 0, "{tool}: all of them waited");
        if let Some(peak) = peak(server.child.id()) {
            println!("{tool}: {} MiB", peak >> 20);
            assert!(peak < WRITERS_MEMORY, "{tool}: {} MiB", peak >> 20);
        }
    }
}

#[test]
fn huge_and_dense_notes_do_not_prevent_searches() {
    let (home, vault) = (Home::new(), vaults::empty());
    let mut rows = huge();
    rows.extend(dense());
    let server = serve(&home, vault.path(), &rows);
    let found = in_time(&server, "vault_search", &json!({"query": "Text"})).ok();
    assert_eq!(found["matches"][0]["path"], "Small.md", "{found}");
    // The words of a note that is not parsed are indexed.
    let steps = in_time(&server, "vault_search", &json!({"query": "b b b", "limit": 5}));
    assert!(!steps.is_error(), "{}", steps.text());
    if let Some(peak) = peak(server.child.id()) {
        println!("index of {} notes: {} MiB", rows.len(), peak >> 20);
        assert!(peak < MEMORY, "{} MiB", peak >> 20);
    }
}
