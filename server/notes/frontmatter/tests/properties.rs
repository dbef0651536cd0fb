//! Reading and editing frontmatter.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwrit_frontmatter::{self as frontmatter, Edit, EditError, FrontmatterBlock};

/// A note with everything that a careless rewrite would lose.
const NOTE: &str = "---\n# top\ntitle: 'Bob''s' # quoted\nzip: 00123\nprice: 1.10\ndate: 2026-11-22\ntags: [a, \"b\" , c] # flow\nlist:\n  - one # first\n\n  # between\n  - two\nmap:\n    k: v\n    l: {m: n}\ntext: |\n  line 1\n\n  line 2\nempty:\n---\n# Body\n";

fn edited(text: &str, key: &str, edit: &Edit) -> String {
    frontmatter::edit(text, key, edit).unwrap()
}

/// The note with one passage replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(NOTE.matches(old).count(), 1, "{old}");
    NOTE.replace(old, new)
}

#[test]
fn values_are_read_by_the_core_schema() {
    let read = frontmatter::read(NOTE).unwrap();
    assert_eq!(
        Value::Object(read),
        json!({
            "title": "Bob's", "zip": 123, "price": 1.1, "date": "2026-11-22",
            "tags": ["a", "b", "c"], "list": ["one", "two"], "map": {"k": "v", "l": {"m": "n"}},
            "text": "line 1\n\nline 2\n", "empty": null,
        })
    );
    let scalars = "---\na: yes\nb: 0x1F\nc: -1e3\nd: .inf\ne: ~\nf: True\ng: +7\nh: 18446744073709551616\ni: 1_000\nj: !!str 5\nk: &x [1]\nl: *x\n1.10: m\n---\n";
    assert_eq!(
        Value::Object(frontmatter::read(scalars).unwrap()),
        json!({
            "a": "yes", "b": 31, "c": -1000.0, "d": ".inf", "e": null, "f": true, "g": 7,
            "h": 18_446_744_073_709_551_616.0, "i": "1_000", "j": "5", "k": [1], "l": [1],
            "1.10": "m",
        })
    );
    for empty in ["", "---\n---\n", "---\n# only\n---\n", "no frontmatter"] {
        assert!(frontmatter::read(empty).unwrap().is_empty(), "{empty}");
    }
}

#[test]
fn templates_with_placeholders_can_be_edited() {
    let template = "---\ncreated: {{date}}\nup: \"[[Top]]\"\n? [a, b]\n: c\n---\n";
    let read = Value::Object(frontmatter::read(template).unwrap());
    assert_eq!(read, json!({"created": {"{date}": null}, "up": "[[Top]]", "[a, b]": "c"}));
    let now = edited(template, "up", &Edit::Set(json!("[[Other]]")));
    assert_eq!(now, template.replace("Top", "Other"));
    assert_eq!(
        edited(template, "created", &Edit::Set(json!("x"))),
        template.replace("{{date}}", "x")
    );
}

#[test]
fn tags_and_aliases_come_as_lists_and_as_text() {
    let read = |text: &str| frontmatter::read(text).unwrap();
    let listed = read("---\nTags: [a, '#b', 2026]\ntag: c\naliases: x, y z\n---\n");
    assert_eq!(frontmatter::tags(&listed), ["a", "b"], "`tag` is no property of Obsidian's");
    assert_eq!(frontmatter::aliases(&listed), ["x", "y z"]);
    assert_eq!(frontmatter::tags(&read("---\ntags: one/two\n---\n")), ["one/two"]);
    for several in ["one two", "one, two", "one,two", "[one two]"] {
        let properties = read(&format!("---\ntags: {several}\n---\n"));
        assert_eq!(frontmatter::tags(&properties), Vec::<String>::new(), "{several}");
    }
    assert!(frontmatter::tags(&read("---\ntags:\n---\n")).is_empty());
}

#[test]
fn an_edit_changes_the_lines_it_must() {
    let cases = [
        ("title", Edit::Set(json!("It's")), with("'Bob''s'", "'It''s'")),
        ("title", Edit::Append(json!(" x")), with("'Bob''s'", "'Bob''s x'")),
        ("title", Edit::Set(json!(true)), with("'Bob''s'", "true")),
        ("title", Edit::Set(json!(["a"])), with(" 'Bob''s' # quoted\n", " # quoted\n  - a\n")),
        ("zip", Edit::Set(json!("00123")), with("00123", "\"00123\"")),
        ("zip", Edit::Set(json!(124)), with("00123", "124")),
        ("price", Edit::Delete, with("price: 1.10\n", "")),
        ("tags", Edit::Append(json!(["d e", "f, g"])), with(" , c]", " , c, d e, \"f, g\"]")),
        ("tags", Edit::Prepend(json!(["z"])), with("[a,", "[z, a,")),
        ("tags", Edit::Set(json!(["a", "c"])), with(", \"b\" ", " ")),
        ("tags", Edit::Set(json!(["c"])), with("[a, \"b\" , c]", "[c]")),
        ("tags", Edit::Set(json!([])), with("[a, \"b\" , c]", "[]")),
        ("tags", Edit::Set(json!({"k": [1]})), with("[a, \"b\" , c]", "{k: [1]}")),
        ("list", Edit::Append(json!(["#three"])), with("  - two\n", "  - two\n  - \"#three\"\n")),
        ("list", Edit::Prepend(json!([0])), with("  - one", "  - 0\n  - one")),
        ("list", Edit::Set(json!(["one"])), with("  - two\n", "")),
        ("list", Edit::Set(json!(["two"])), with("  - one # first\n", "")),
        ("list", Edit::Set(json!(["one", "2"])), with("- two", "- \"2\"")),
        (
            "list",
            Edit::Set(json!(["two", "three"])),
            with(
                "  - one # first\n\n  # between\n  - two\n",
                "\n  # between\n  - two\n  - three\n",
            ),
        ),
        ("tags", Edit::Set(json!(["a", "c", "d"])), with("[a, \"b\" , c]", "[a , c, d]")),
        ("tags", Edit::Set(json!(["x", "a", "c"])), with("[a, \"b\" , c]", "[x, a , c]")),
        (
            "map",
            Edit::Append(json!({"k": 1, "o": ["p"]})),
            with("    k: v\n    l: {m: n}\n", "    k: 1\n    l: {m: n}\n    o:\n      - p\n"),
        ),
        ("map", Edit::Prepend(json!({"k": 1})), NOTE.to_owned()),
        (
            "map",
            Edit::Set(json!({"l": {"m": "n", "q": null}})),
            with("    k: v\n    l: {m: n}\n", "    l: {m: n, q: null}\n"),
        ),
        ("text", Edit::Append(json!("line 3\n")), with("  line 2\n", "  line 2\n  line 3\n")),
        ("text", Edit::Set(json!("short")), with("|\n  line 1\n\n  line 2\n", "short\n")),
        ("empty", Edit::Set(json!("x: y")), with("empty:\n", "empty: \"x: y\"\n")),
        ("empty", Edit::Append(json!(["x"])), with("empty:\n", "empty:\n  - x\n")),
        ("empty", Edit::Delete, with("empty:\n", "")),
        ("new", Edit::Set(json!("2026-11-22")), with("empty:\n", "empty:\nnew: 2026-11-22\n")),
        ("new", Edit::Set(json!(["[[a]]"])), with("empty:\n", "empty:\nnew:\n  - \"[[a]]\"\n")),
        ("new", Edit::Set(json!("a\nb")), with("empty:\n", "empty:\nnew: \"a\\nb\"\n")),
        ("date", Edit::Set(json!("2026-11-22")), NOTE.to_owned()),
    ];
    for (key, edit, expected) in cases {
        assert_eq!(edited(NOTE, key, &edit), expected, "{key} {edit:?}");
    }
}

#[test]
fn byte_order_marks_and_line_endings_are_kept() {
    let crlf = "\u{FEFF}---\r\na: 1 # c\r\nl:\r\n- x\r\n---\r\nbody\r\nend";
    assert_eq!(edited(crlf, "a", &Edit::Set(json!(2))), crlf.replace('1', "2"));
    assert_eq!(
        edited(crlf, "l", &Edit::Append(json!(["y"]))),
        crlf.replace("- x\r\n", "- x\r\n- y\r\n")
    );
    assert_eq!(
        edited(crlf, "b", &Edit::Set(json!(["z"]))),
        crlf.replace("- x\r\n", "- x\r\nb:\r\n  - z\r\n")
    );
    assert_eq!(
        edited("\u{FEFF}a\r\nb", "k", &Edit::Set(json!(1))),
        "\u{FEFF}---\r\nk: 1\r\n---\r\na\r\nb"
    );
    assert_eq!(edited("", "k", &Edit::Set(json!(1))), "---\nk: 1\n---\n");
    assert_eq!(edited("---\n---", "k", &Edit::Set(json!(1))), "---\nk: 1\n---");
    assert_eq!(edited("---\nk: 1\n---", "k", &Edit::Delete), "");
    assert_eq!(edited("---\nk: 1\n---\n# A\n", "k", &Edit::Delete), "# A\n");
    assert_eq!(edited("---\n# why\nk: 1\n---\n", "k", &Edit::Delete), "---\n# why\n---\n");
    // What follows would become frontmatter.
    let rules = "---\nk: 1\n---\n---\na\n---\n";
    assert_eq!(edited(rules, "k", &Edit::Delete), "---\n---\n---\na\n---\n");
    assert_eq!(edited("---\n{a: 1, b: 2}\n---\n", "a", &Edit::Delete), "---\n{b: 2}\n---\n");
    assert_eq!(
        edited("---\n{a: 1}\n---\n", "c", &Edit::Set(json!("d"))),
        "---\n{a: 1, c: d}\n---\n"
    );
}

#[test]
fn impossible_edits_are_refused() {
    let invalid = "---\na: 1\nb: [\n---\nbody";
    let error = frontmatter::edit(invalid, "a", &Edit::Set(json!(2))).unwrap_err();
    assert!(matches!(&error, EditError::Invalid(invalid) if invalid.line == 3), "{error}");
    let twice = frontmatter::read("---\na: 1\nb: 2\na: 3\n---\n").unwrap_err();
    assert_eq!((twice.line, twice.column), (4, 1));
    assert_eq!(frontmatter::read("---\n- a\n---\n").unwrap_err().line, 2);
    let missing = frontmatter::edit(NOTE, "tag", &Edit::Delete).unwrap_err();
    assert!(
        matches!(&missing, EditError::Missing { keys, .. } if keys.contains(&"tags".to_owned()))
    );
    let joined = frontmatter::edit(NOTE, "tags", &Edit::Append(json!("x"))).unwrap_err();
    assert!(matches!(joined, EditError::NotMergeable { present: "a list", given: "text", .. }));
    let shared = "---\na: &x 1\nb: *x\n---\n";
    let error = frontmatter::edit(shared, "a", &Edit::Set(json!(2))).unwrap_err();
    assert!(matches!(error, EditError::Entangled { .. }));
    assert_eq!(edited(shared, "b", &Edit::Set(json!(2))), "---\na: &x 1\nb: 2\n---\n");
    let bomb = format!("---\na: &a [1,1,1,1,1,1,1,1,1,1]\n{}---\n", ('b'..'k').fold(String::new(), |text, c| {
        let before = char::from(c as u8 - 1);
        format!("{text}{c}: &{c} [*{before},*{before},*{before},*{before},*{before},*{before},*{before},*{before}]\n")
    }));
    assert!(frontmatter::read(&bomb).is_err());
}

/// Any JSON value that frontmatter may contain.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z]{0,4}",
        prop::sample::select(vec![
            "",
            " a",
            "a ",
            "a: b",
            "a #b",
            "#a",
            "- a",
            "[[a]]",
            "'",
            "\"",
            "\\",
            "yes",
            "null",
            "true",
            "00123",
            "1.10",
            "1e3",
            "2026-11-22",
            "a\nb",
            "a\n\nb\n",
            "\n",
            "é🌲",
            "%",
            "@a",
            "...",
            "---",
            "a,b",
            "{",
            "]",
            "\t",
            "*a",
            "&a",
            "!a",
            "?",
            ":",
            "a:",
            "\u{85}",
            "\u{feff}",
            "- ",
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1000..1000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Lines of an entry as people write them; `K` stands for the key.
fn entry() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "K: plain\n",
        "K: 'sin''gle' # c\n",
        "K: \"dou\\\"ble\"\n",
        "K: 00123\n",
        "K: 1.10\n",
        "K:\n",
        "K: # c\n",
        "K: [a, 'b' , {c: d}]\n",
        "K: [\n  a, # x\n  b,\n]\n",
        "K: {a: 1, b: [2]} # c\n",
        "K: []\n",
        "K: {}\n",
        "K:\n  - a\n  - 'b' # c\n",
        "K:\n- a\n\n# c\n- b\n",
        "K: # c\n    - a\n    -\n    - b\n",
        "K:\n  -  a\n  - - b\n    - c\n",
        "K:\n  a: 1\n  b: # c\n    c: d\n",
        "K:\n  - a: 1\n    b: 2\n  - c\n",
        "K: |\n  x\n   y\n\n",
        "K: >-\n  x\n  y\n",
        "K: |+\n  x\n\n",
        "K: a\n  b\n",
        "\"K\" : x\n",
        "? K\n: x\n",
        "K: !!str 5\n",
        "K: &K x\n",
        "K: 2026-11-22\n",
        "K: é🌲\n",
        "K: [[a]]\n",
    ])
}

fn note() -> impl Strategy<Value = String> {
    let between = prop::sample::select(vec!["", "", "# comment\n", "\n", "  # indented\n"]);
    let entries = prop::collection::vec((entry(), between), 0..5);
    let body = prop::sample::select(vec!["", "body", "body\n", "\n---\n# H\n"]);
    (entries, body, any::<bool>(), any::<bool>()).prop_map(|(entries, body, crlf, mark)| {
        let lines = entries.iter().zip(["a", "b", "c", "d", "e"]);
        let yaml: String =
            lines.map(|((entry, after), key)| entry.replace('K', key) + after).collect();
        let text = format!("---\n{yaml}---\n{body}");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        if mark { format!("\u{FEFF}{text}") } else { text }
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        value().prop_map(Edit::Set),
        Just(Edit::Delete),
        value().prop_map(Edit::Append),
        value().prop_map(Edit::Prepend),
        "[a-h]".prop_map(Edit::Rename),
    ]
}

/// The lines of the entry `key`, from the first to the one after the last. A comment or blank line
/// after it belongs to it.
fn lines_of(text: &str, key: &str) -> std::ops::Range<usize> {
    let starts = |line: &str, key: &str| {
        [format!("{key}:"), format!("\"{key}\" :"), format!("? {key}")]
            .iter()
            .any(|start| line.starts_with(start.as_str()))
    };
    let lines: Vec<&str> = text.trim_start_matches('\u{FEFF}').split_inclusive('\n').collect();
    let first = lines.iter().position(|line| starts(line, key)).unwrap_or(lines.len());
    let after = lines.iter().skip(first + 1).position(|line| {
        line.starts_with("---") || ["a", "b", "c", "d", "e"].iter().any(|key| starts(line, key))
    });
    first..first + 1 + after.unwrap_or(0)
}

#[test]
fn frontmatter_without_an_end_is_found() {
    for text in ["---\nstatus: open\n\n# H\n", "\u{FEFF}---\r\na:\r\n- b\r\n"] {
        assert!(FrontmatterBlock::is_unclosed(text), "{text:?}");
    }
    for text in [
        "---\na: 1\n---\n",
        "---\n\nA rule above: this.\n",
        "---\nNote that: x\n",
        "a: 1\n",
        "---\n",
    ] {
        assert!(!FrontmatterBlock::is_unclosed(text), "{text:?}");
    }
}

#[test]
fn a_number_is_no_tag() {
    let tags = |yaml: &str| frontmatter::tags(&frontmatter::parse(yaml).unwrap());
    assert_eq!(tags("tags: [1984, y1984, '#2026', '#a']"), ["y1984", "a"]);
    assert_eq!(tags("tags: 1984"), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_edit_changes_one_value_and_nothing_else(text in note(), key in "[a-f]", edit in edit()) {
        let before = frontmatter::read(&text).unwrap();
        let result = frontmatter::edit(&text, &key, &edit);
        let mut expected = before.clone();
        let old = before.get(&key).cloned();
        match (&edit, &old) {
            (Edit::Set(value), _) => drop(expected.insert(key.clone(), value.clone())),
            (_, None) => {
                let missing = matches!(result, Err(EditError::Missing { .. }));
                prop_assert!(missing);
                return Ok(());
            }
            (Edit::Delete, _) => drop(expected.shift_remove(&key)),
            (Edit::Rename(to), Some(_)) if *to != key && before.contains_key(to) => {
                let taken = matches!(result, Err(EditError::Taken { .. }));
                prop_assert!(taken);
                return Ok(());
            }
            (Edit::Rename(to), Some(_)) => {
                let renamed = |(own, value)| if own == key { (to.clone(), value) } else { (own, value) };
                expected = expected.into_iter().map(renamed).collect();
            }
            (Edit::Append(value) | Edit::Prepend(value), Some(old)) => {
                let (first, second) = if matches!(edit, Edit::Append(_)) { (old, value) } else { (value, old) };
                let joined = match (first, second) {
                    (Value::Null, other) | (other, Value::Null) => other.clone(),
                    (Value::String(a), Value::String(b)) => json!(format!("{a}{b}")),
                    (Value::Array(a), Value::Array(b)) => json!([a.as_slice(), b.as_slice()].concat()),
                    (Value::Object(a), Value::Object(b)) => {
                        let mut merged = a.clone();
                        merged.extend(b.clone());
                        Value::Object(merged)
                    }
                    _ => {
                        let refused = matches!(result, Err(EditError::NotMergeable { .. }));
                        prop_assert!(refused);
                        return Ok(());
                    }
                };
                expected.insert(key.clone(), joined);
            }
        }
        let edited = match result {
            Ok(edited) => edited,
            Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
        };
        prop_assert_eq!(&frontmatter::read(&edited).unwrap(), &expected, "{}", edited);
        let new_key = if let Edit::Rename(to) = &edit { to.clone() } else { key.clone() };
        let order = |text: &str| frontmatter::read(text).unwrap().into_iter().map(|(key, _)| key).filter(|other| *other != key && *other != new_key).collect::<Vec<_>>();
        prop_assert_eq!(order(&text), order(&edited));
        // Outside the entry, every line is unchanged.
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let entry = lines_of(&text, &key);
        let first = entry.start.min(lines.len());
        let is_bare = expected.is_empty() && FrontmatterBlock::find(&edited).is_none();
        if is_bare {
            let block = FrontmatterBlock::find(&text).unwrap();
            let mark = &text[..block.span.start];
            prop_assert_eq!(&*edited, format!("{mark}{}", &text[block.span.end..]));
        } else if old.is_some() {
            let head: String = lines[..first].concat();
            let tail: String = lines[entry.end..].concat();
            prop_assert!(edited.starts_with(&head), "{edited}");
            prop_assert!(edited.ends_with(&tail), "{edited}");
        }
        if text.contains("\r\n") {
            prop_assert!(!edited.replace("\r\n", "").contains('\n'), "{edited:?}");
        } else {
            prop_assert!(!edited.contains('\r'));
        }
    }
}
