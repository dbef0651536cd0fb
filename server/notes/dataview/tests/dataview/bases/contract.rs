//! The values of the expressions in `contract.txt`.

use serde_json::{Map, Value, json};
use toolwrit_dataview::bases::View;

use super::sandbox::Sandbox;

const NOTE: &str = "---
price: 2.5
count: 4
done: false
Stars: 5
exact: 1
EXACT: 2
title: Hello world
due: 2024-03-10
at: 2024-03-05T08:30
names: [Ann, bob, Ann]
nums: [3, 1, 2]
nested: [1, [2, [3]]]
author: \"[[Ann Lee]]\"
authors: [\"[[Ann Lee]]\", \"[[Nobody]]\"]
sub: {a: 1, \"b c\": two}
blank: \"\"
nothing:
tags: [Book, area/deep]
one: [solo]
two words: 2
mdlink: \"[Ann](People/Ann%20Lee.md)\"
site: \"[Ann's page](https://ann.example/x#y)\"
---
Text #Topic/deep with [[Ann Lee|Ann]] and ![[pic.png]], [[Ann Lee]].
";

/// Formulas that expressions use.
const FORMULAS: [(&str, &str); 3] =
    [("twice", "count * 2"), ("pattern", "/b/"), ("self", "formula.self")];

/// A line of the file.
struct Case<'a> {
    mark: &'a str,
    expression: &'a str,
    expected: &'a str,
}

fn cases() -> Vec<Case<'static>> {
    let lines = include_str!("contract.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &'static str| {
        let (mark, rest) = line.split_once(' ').unwrap();
        let (expression, expected) = rest.rsplit_once(" => ").unwrap();
        Case { mark, expression, expected }
    };
    lines.map(case).collect()
}

/// The column of an expression for the note, in a base that has it as the formula `x`.
fn evaluate(sandbox: &Sandbox, expression: &str) -> View {
    let mut formulas: Map<String, Value> =
        FORMULAS.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
    formulas.insert("x".to_owned(), json!(expression));
    let base = json!({
        "filters": "file.path == \"Work/Note.md\"",
        "formulas": formulas,
        "views": [{"type": "table", "order": ["formula.x"]}],
    });
    sandbox.write("Work/B.base", &base.to_string());
    sandbox.view("Work/B.base", None)
}

#[test]
fn expressions_have_the_values_of_the_contract() {
    let sandbox = Sandbox::with_files(&[
        ("Work/Note.md", NOTE),
        ("People/Ann Lee.md", "---\nage: 40\n---\n[[Note]]\n"),
        ("pic.png", "picture"),
        ("Work/B.base", "views: []"),
    ]);
    let mut wrong = Vec::new();
    for Case { mark, expression, expected } in cases() {
        assert!(["D", "O", "?", "J"].contains(&mark), "{mark}: {expression}");
        let view = evaluate(&sandbox, expression);
        let value = view.rows[0].values[0].to_json();
        let found = match &*view.failed {
            [] => serde_json::to_string(&value).unwrap(),
            [failed] => format!("!{}", failed.reason),
            more => panic!("{expression}: {more:?}"),
        };
        let is_same = match expected.strip_prefix('!') {
            Some(_) => found == expected,
            None => serde_json::from_str::<Value>(expected).is_ok_and(|expected| {
                serde_json::from_str::<Value>(&found).is_ok_and(|found| found == expected)
            }),
        };
        if !is_same {
            wrong.push(format!("{mark} {expression}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
