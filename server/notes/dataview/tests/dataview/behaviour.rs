//! What queries do besides their results: errors, changes of the vault, limits, Markdown.

use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwrit_dataview::{Answer, QueryError, QueryOptions, Rendering, Rows};
use toolwrit_vault::VaultError;

use crate::never;
use crate::vaults::{Sandbox, options};

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    Sandbox::with_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())))
}

fn answer(sandbox: &Sandbox, query: &str) -> Answer {
    sandbox.dataview.query(query, &options(), &never).unwrap()
}

fn found(sandbox: &Sandbox, query: &str) -> Value {
    answer(sandbox, query).rows.to_json().into()
}

fn error(sandbox: &Sandbox, query: &str) -> QueryError {
    sandbox.dataview.query(query, &options(), &never).unwrap_err()
}

/// The error of an invalid query.
fn invalid(query: &str) -> String {
    error(&sandbox(&[]), query).to_string()
}

#[test]
fn syntax_errors_have_a_place_and_what_was_expected() {
    let kinds = "the query is invalid at line 1, column 1: expected TABLE, LIST, TASK or CALENDAR";
    assert_eq!(invalid(""), format!("{kinds}, found the end of the query"));
    assert_eq!(invalid("SHOW x"), format!("{kinds}, found `SHOW`"));
    assert_eq!(
        invalid("LIST FROM #a\nWHERE rating >"),
        "the query is invalid at line 2, column 15: expected an expression, found the end of the query"
    );
    assert_eq!(
        invalid("LIST (1 + 2"),
        "the query is invalid at line 1, column 12: expected an operator, `and`, `or` or `)`, found the end of the query"
    );
    let source = invalid("LIST FROM books");
    assert!(source.contains("column 11: expected a source: #tag, \"folder\""), "{source}");
    let operation = invalid("LIST FROM #a ORDER BY x");
    assert!(operation.contains("column 14"), "{operation}");
    assert!(operation.contains("WHERE, SORT, LIMIT, GROUP BY or FLATTEN"), "{operation}");
    assert_eq!(
        invalid("LIST lenght(x)"),
        "the query is invalid at line 1, column 6: there is no function `lenght`; did you mean `length`?"
    );
}

#[test]
fn a_lambda_is_called_where_it_is_written() {
    let notes = [("a", "Ended"), ("b", "Running"), ("c", "Planned")];
    let note = |(name, status)| (format!("{name}.md"), format!("---\nstatus: {status}\n---\n"));
    let sandbox = Sandbox::with_files(notes.into_iter().map(note));
    for (query, expected) in [
        ("LIST ((a, b) => a + b)(1, 2) FROM \"a\"", json!(3)),
        ("LIST (() => 5)() FROM \"a\"", json!(5)),
        ("LIST ((x) => (y) => x + y)(1)(2) FROM \"a\"", json!(3)),
        ("LIST ((x) => ((y) => x * y)(x + 1))(3) FROM \"a\"", json!(12)),
        ("LIST ((x) => {ok: x})(status).ok FROM \"a\"", json!("Ended")),
        ("LIST map([1, 2], (n) => ((x) => x + n)(10)) FROM \"a\"", json!([11, 12])),
        ("LIST ((x) => x)() FROM \"a\"", json!(null)),
    ] {
        assert_eq!(found(&sandbox, query)[0]["value"], expected, "{query}");
    }
    let order = "LIST status SORT default(((x) => {\"Running\": 1, \"Planned\": 2, \"Ended\": 3}[x])(status), 99)";
    let values: Vec<Value> =
        found(&sandbox, order).as_array().unwrap().iter().map(|row| row["value"].clone()).collect();
    assert_eq!(values, ["Running", "Planned", "Ended"]);
}

/// Obsidian indents with tabs.
#[test]
fn tasks_behind_tabs_are_tasks_of_their_own() {
    let tabs = "- [ ] Pay [due:: 2026-12-01]\n\t- [x] find the number\n- [x] Done\n\t- [ ] open child\n\n- a\n\n\t- b\n\t\t- c\n";
    let spaces = tabs.replace('\t', "    ");
    for text in [tabs, spaces.as_str()] {
        let sandbox = sandbox(&[("Tasks.md", text)]);
        let texts = |condition: &str| {
            let query = format!("LIST map(filter(file.tasks, (t) => {condition}), (t) => t.text)");
            found(&sandbox, &query)[0]["value"].clone()
        };
        assert_eq!(
            texts("!t.completed"),
            json!(["Pay [due:: 2026-12-01]", "open child"]),
            "{text}"
        );
        assert_eq!(texts("t.completed"), json!(["find the number", "Done"]), "{text}");
        let items = found(&sandbox, "LIST map(file.lists, (item) => [item.line, item.parent])");
        let expected = json!([[0, null], [1, 0], [2, null], [3, 2], [5, null], [7, 5], [8, 7]]);
        assert_eq!(items[0]["value"], expected, "{text}");
    }
}

#[test]
fn changes_of_notes_are_followed() {
    let sandbox = sandbox(&[("A.md", "size:: 1\n[[B]]"), ("C.md", "size:: 3")]);
    assert_eq!(
        found(&sandbox, "LIST size"),
        json!([
            {"id": "[[A.md|A]]", "value": 1},
            {"id": "[[C.md|C]]", "value": 3},
        ])
    );
    assert_eq!(found(&sandbox, "LIST FROM outgoing([[A]])"), json!([]));

    // A new note changes what the link in the old one names.
    sandbox.write("Sub/B.md", "size:: 2");
    sandbox.write("A.md", "size:: 10\n[[B]]");
    fs::remove_file(sandbox.folder.path().join("C.md")).unwrap();
    sandbox.vault.wait_for_index(&never).unwrap();
    assert_eq!(
        found(&sandbox, "LIST size"),
        json!([
            {"id": "[[A.md|A]]", "value": 10},
            {"id": "[[Sub/B.md|B]]", "value": 2},
        ])
    );
    assert_eq!(found(&sandbox, "LIST FROM outgoing([[A]])"), json!(["[[Sub/B.md|B]]"]));
    assert_eq!(found(&sandbox, "LIST FROM [[B]]"), json!(["[[A.md|A]]"]));
}

#[test]
fn rows_that_fail_are_skipped_and_reported() {
    let sandbox = sandbox(&[("A.md", "n:: 1"), ("B.md", "n:: word"), ("C.md", "n:: 3")]);
    let answer = answer(&sandbox, "LIST WHERE n * n > 2");
    assert_eq!(answer.rows.to_json(), [json!("[[C.md|C]]")]);
    let [skipped] = &answer.skipped[..] else { panic!("{:?}", answer.skipped) };
    assert_eq!((skipped.operation, skipped.rows), ("WHERE", 1));
    assert_eq!(skipped.reason, "`*` does not apply to string and string");

    let all = error(&sandbox, "LIST WHERE n * missing");
    assert!(matches!(all, QueryError::Failed(_)), "{all}");
    let reason = "WHERE failed for every row: `*` does not apply to number and null";
    assert!(all.to_string().starts_with(reason), "{all}");
}

#[test]
fn rows_and_time_are_limited() {
    let sandbox = Sandbox::generate(40);
    let few = QueryOptions { rows: 50, ..options() };
    let query =
        |query: &str, options: &QueryOptions| sandbox.dataview.query(query, options, &never);
    assert_eq!(query("LIST FLATTEN [1] AS x", &few).unwrap().rows.len(), 40);
    let flat = query("LIST FLATTEN [1, 2] AS x", &few).unwrap_err();
    assert!(matches!(flat, QueryError::Rows(50)), "{flat}");

    let short = QueryOptions { time: Duration::ZERO, ..options() };
    let late = query("LIST WHERE length(file.tasks) > 0", &short).unwrap_err();
    assert!(matches!(late, QueryError::Time(_)), "{late}");
    let cancelled = sandbox.dataview.query("LIST", &options(), &|| true).unwrap_err();
    assert!(matches!(cancelled, QueryError::Vault(VaultError::Cancelled)), "{cancelled}");
}

#[test]
fn expressions_cannot_make_huge_values() {
    let sandbox = sandbox(&[("A.md", "")]);
    for (expression, reason) in [
        ("\"abc\" * 1e9", None),
        ("\"abc\" * 1000000000", Some("the text has more than 1048576 bytes")),
        ("padleft(\"a\", 100000000)", Some("the text has more than 1048576 bytes")),
        (
            "reduce(split(padleft(\"\", 64, \"ab\"), \"\"), (a, b) => a + a)",
            Some("the text has more than 1048576 bytes"),
        ),
        (
            "reduce(split(padleft(\"\", 9999), \"\"), (a, b) => [a])",
            Some("lists and objects are nested too deeply"),
        ),
    ] {
        let error = error(&sandbox, &format!("LIST {expression}")).to_string();
        assert!(reason.is_none_or(|reason| error.contains(reason)), "{expression}: {error}");
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("LIST {}1{}", open.repeat(depth), close.repeat(depth))
    };
    let sandbox = sandbox(&[("A.md", "")]);
    for (open, close) in [("(", ")"), ("[", "]"), ("!", ""), ("{a: ", "}"), ("(x) => ", "")] {
        let deep = error(&sandbox, &nested(open, close, 8_000)).to_string();
        assert!(deep.contains("nested more than") || deep.contains("lambda"), "{open}: {deep}");
    }
    assert_eq!(found(&sandbox, &nested("(", ")", 20)).as_array().unwrap().len(), 1);
    // Operators and steps in a row are not nested.
    let long = format!("LIST {}1", "1 + ".repeat(10_000));
    assert_eq!(found(&sandbox, &long)[0]["value"], json!(10_001));
    let path = format!("LIST file{}", ".a".repeat(10_000));
    assert_eq!(found(&sandbox, &path)[0]["value"], json!(null));
}

#[test]
fn regular_expressions_that_are_not_supported_are_errors() {
    let sandbox = sandbox(&[("A.md", "")]);
    let error = error(&sandbox, r#"LIST regextest("(?=a)", "a")"#).to_string();
    assert!(error.contains("`(?=a)` is not a supported regular expression"), "{error}");
}

#[test]
fn results_are_markdown() {
    let sandbox = sandbox(&[
        ("A.md", "n:: 1\nl:: [[B]], [[C|x]]\n- [ ] one\n    - [x] two\n- [/] three | four"),
        ("B.md", "d:: 2024-05-17\n- [ ] five"),
    ]);
    let rendering = Rendering::default();
    let markdown = |query: &str| answer(&sandbox, query).rows.to_markdown(&rendering);
    assert_eq!(
        markdown("TABLE n, l, d"),
        "| File | n | l | d |\n| --- | --- | --- | --- |\n\
         | [[A.md\\|A]] | 1 | [[B.md\\|B]], [[C\\|x]] | \\- |\n\
         | [[B.md\\|B]] | \\- | \\- | May 17, 2024 |\n"
    );
    assert_eq!(
        markdown("LIST l"),
        "- [[A.md|A]]:\n    - [[B.md|B]]\n    - [[C|x]]\n- [[B.md|B]]: \\-\n"
    );
    assert_eq!(
        markdown("TASK GROUP BY file.name"),
        "## A\n\n- [ ] one\n    - [x] two\n- [/] three | four\n## B\n\n- [ ] five\n"
    );
    assert_eq!(markdown("CALENDAR d WHERE d"), "- May 17, 2024: [[B.md|B]]\n");
}

#[test]
fn values_are_written_as_the_plugin_is_set() {
    let sandbox = sandbox(&[
        ("A.md", "d:: 2024-05-17"),
        (".obsidian/plugins/dv/manifest.json", r#"{"id": "dataview"}"#),
        (
            ".obsidian/plugins/dv/data.json",
            r#"{"defaultDateFormat": "dd.MM.yyyy", "renderNullAs": "none"}"#,
        ),
    ]);
    let rows = answer(&sandbox, "TABLE WITHOUT ID d, e").rows;
    let markdown = rows.to_markdown(&sandbox.dataview.rendering());
    assert_eq!(markdown.lines().last(), Some("| 17.05.2024 | none |"));
}

#[test]
fn results_have_pages() {
    let sandbox = Sandbox::generate(10);
    let rows = answer(&sandbox, "TABLE score SORT score").rows;
    let pages = [rows.page(0..4), rows.page(4..8), rows.page(8..12)];
    assert_eq!(pages.each_ref().map(Rows::len), [4, 4, 2]);
    let all: Vec<Value> = pages.iter().flat_map(Rows::to_json).collect();
    assert_eq!(all, rows.to_json());
    assert!(rows.page(20..30).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any text is a query or a syntax error, and any note can be read.
    #[test]
    fn no_text_is_too_strange(
        query in "(LIST|TABLE|TASK|list) ([a-z.]{0,6}|[-+*/%<>=!&|()\\[\\]{},.:\"# 0-9a-zé😀]{0,30})( (FROM|WHERE|SORT|LIMIT|GROUP BY|FLATTEN) [-()\\[\\]#\"a-z0-9 ,.]{0,20}){0,3}",
        note in "([-*+>#\\[\\]()x:: |a-zé😀📅✅0-9\"'`~_\\\\\t-]{0,40}\n){0,8}",
    ) {
        let sandbox = sandbox(&[("Note.md", &note)]);
        let _ = sandbox.dataview.query(&query, &options(), &never);
        prop_assert!(sandbox.dataview.query("TABLE file.lists, file.frontmatter", &options(), &never).is_ok());
    }
}
