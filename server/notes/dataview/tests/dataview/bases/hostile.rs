//! Bases that are made to break the program, and any text.

use std::fmt::Write as _;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use toolwrit_dataview::bases::{BaseError, ViewOptions};

use super::sandbox::{Sandbox, invalid, options};
use toolwrit_requirement::number;

fn formula(expression: &str) -> String {
    json!({"formulas": {"x": expression}, "views": [{"type": "table", "order": ["formula.x"]}]})
        .to_string()
}

/// Why the value of an expression could not be evaluated.
fn failure(expression: &str) -> String {
    let sandbox = Sandbox::with_files(&[("B.base", &formula(expression))]);
    let view = sandbox.view("B.base", None);
    view.failed.first().map(|failed| failed.reason.clone()).unwrap_or_default()
}

#[test]
fn nested_brackets_prefixes_and_filters_are_bounded() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("!", ""), ("-", ""), ("{a:", "}"), ("if(1,", ")")]
    {
        let expression = format!("{}1{}", open.repeat(2000), close.repeat(2000));
        let error = failure(&expression);
        assert!(error.contains("brackets are nested more than"), "{open}: {error}");
    }
    let filters =
        format!("filters: {}a{}\nviews: [{{type: table}}]", "{not: [".repeat(60), "]}".repeat(60));
    let view = Sandbox::with_files(&[("B.base", &filters)]).view("B.base", None);
    assert!(view.failed[0].reason.contains("filters are nested more than"), "{:?}", view.failed);
    let deep = format!("filters: {}", "[".repeat(100_000));
    assert!(invalid(&deep).starts_with("the base is invalid at line"));
}

#[test]
fn long_chains_of_formulas_are_bounded() {
    let mut base = String::from("formulas:\n  f0: '1'\n");
    for number in 1..200 {
        writeln!(base, "  f{number}: '((((formula.f{} + 1))))'", number - 1).unwrap();
    }
    base.push_str("views: [{type: table, order: [formula.f199, formula.f3]}]\n");
    let sandbox = Sandbox::with_files(&[("B.base", &base)]);
    let view = sandbox.view("B.base", None);
    assert_eq!(view.failed[0].reason, "the formulas that it uses are nested too deeply");
    assert_eq!(view.rows[0].values[1].to_json(), json!(4));
    base.insert_str("formulas:\n".len(), "  a: '1'\n");
    base = base.replace("formulas:\n", "formulas:\n  b: '1'\n");
    assert!(invalid(&base).contains("there are more than 200 formulas"));
}

#[test]
fn what_expressions_make_is_bounded() {
    assert_eq!(failure("'ab'.repeat(1000000)"), "the text has more than 1048576 bytes");
    let all = "'ab'.repeat(90000).split('').length";
    assert_eq!(failure(all), "the list has more than 100000 values");
    let nested = "'a'.repeat(9999).split('').reduce([acc], 0)";
    assert_eq!(failure(nested), "lists are nested more than 24 deep");
    let memory = "'a'.repeat(9999).split('').map('b'.repeat(1000000 + index)).length";
    assert_eq!(failure(memory), "the view makes more than 268435456 bytes of values");
    let grown = "'a'.repeat(9999).split('').reduce(acc + acc, 'ab')";
    assert_eq!(failure(grown), "the text has more than 1048576 bytes");
}

#[test]
fn work_is_bounded_by_time() {
    let expression = "'a'.repeat(99999).split('').map(value + index).unique().length";
    let sandbox = Sandbox::with_files(&[("B.base", &formula(expression))]);
    let options = ViewOptions { time: Duration::from_millis(50), ..options() };
    let error = sandbox.run("B.base", None, &options).unwrap_err();
    assert!(matches!(error, BaseError::Time(_)), "{error}");
    assert_eq!(error.to_string(), "the view took longer than 50 ms; narrow it with filters");
}

#[test]
fn large_files_and_aliases_are_refused() {
    let large = format!("# {}\nviews: []", "x".repeat(1024 * 1024));
    assert_eq!(invalid(&large), "the base has more than 1048576 bytes");
    let mut bomb = String::from("a0: &a0 [x, x]\n");
    for level in 1..40 {
        writeln!(bomb, "a{level}: &a{level} [*a{0}, *a{0}]", level - 1).unwrap();
    }
    assert!(invalid(&bomb).starts_with("the base is invalid at line"));
}

/// Texts that are more often near to expressions than any text.
fn near_expression() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("("),
        Just(")"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just("."),
        Just(","),
        Just("!"),
        Just("-"),
        Just("+"),
        Just("/"),
        Just("=="),
        Just("&&"),
        Just("a"),
        Just("1"),
        Just("\"x\""),
        Just("'"),
        Just("/a/g"),
        Just("file"),
        Just("formula"),
        Just("if("),
        Just(".map(value)"),
        Just("é"),
        Just(" "),
        Just("\\"),
        Just("now()"),
        Just("\"1d\""),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(256, 2500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_expression_has_a_value_or_an_error(expression in prop_oneof![near_expression(), any::<String>()]) {
        let sandbox = Sandbox::with_files(&[("B.base", &formula(&expression))]);
        let view = sandbox.run("B.base", None, &options()).unwrap();
        prop_assert_eq!(view.rows.len(), 1);
    }

    #[test]
    fn any_text_is_a_base_or_an_error(text in any::<String>()) {
        let sandbox = Sandbox::with_files(&[("B.base", &text)]);
        prop_assert!(sandbox.run("B.base", None, &options()).is_err());
    }
}
