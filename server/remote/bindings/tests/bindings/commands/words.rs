//! What arguments become.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwrit_bindings::model::{Command, List, TextPart, Word};

use super::{Calling, argument, commands, literal, script, text, value};
use toolwrit_requirement::number;

/// Every kind of word. The script writes its arguments, each with NUL after it.
fn every_word() -> Command {
    let part = |optional, parts| Word::Text { optional, parts: List::Owned(parts) };
    let option = |name: &str, value| Word::Option { name: text(name), optional: true, value };
    script(
        "printf '%s\\0' \"$@\"",
        vec![
            part(false, vec![TextPart::Text(text("--max=")), TextPart::Value(argument("a"))]),
            part(true, vec![TextPart::Text(text("--since=")), TextPart::Value(argument("b"))]),
            option("--all", argument("flag")),
            option("--author", argument("list")),
            literal("$HOME *"),
            Word::Values { optional: false, value: argument("a") },
            part(false, vec![TextPart::Value(argument("a")), TextPart::Value(argument("a"))]),
            Word::Values { optional: true, value: argument("list") },
        ],
    )
}

/// The words that the arguments must become.
fn expected(a: &str, b: Option<&str>, flag: bool, list: &[String]) -> Vec<String> {
    let mut words = vec![format!("--max={a}")];
    words.extend(b.map(|b| format!("--since={b}")));
    words.extend(flag.then(|| "--all".to_owned()));
    words.extend(list.iter().flat_map(|item| ["--author".to_owned(), item.clone()]));
    words.extend(["$HOME *".to_owned(), a.to_owned(), format!("{a}{a}")]);
    words.extend(list.iter().cloned());
    words
}

/// Texts that mean something to shells and programs, and any others.
fn texts() -> impl Strategy<Value = String> {
    let odd = "(--?)?[a-z]{0,3}[ '\"`$(){};|&<>*?~\\\\\n=]{0,4}[a-z]{0,3}";
    prop_oneof![odd, "\\PC{0,8}", any::<String>(), Just(String::new()), Just("--".to_owned())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(200, 2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_argument_adds_a_word_or_becomes_an_option_or_reaches_a_shell(
        a in texts(),
        b in proptest::option::of(texts()),
        flag: bool,
        list in proptest::collection::vec(texts(), 0..3),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut arguments = json!({ "a": a, "flag": flag, "list": list });
        if let Some(b) = &b {
            arguments["b"] = Value::from(b.as_str());
        }
        let got = runtime.block_on(value(&every_word(), arguments));
        let is_option = a.starts_with('-') || list.iter().any(|item| item.starts_with('-'));
        let has_nul = [Some(&a), b.as_ref()].into_iter().flatten().chain(&list)
            .any(|text| text.contains('\0'));
        match got {
            Ok(got) => {
                prop_assert!(!is_option && !has_nul);
                let got: Vec<&str> = got.as_str().unwrap().split_terminator('\0').collect();
                prop_assert_eq!(got, expected(&a, b.as_deref(), flag, &list));
            }
            Err(failure) => {
                prop_assert!(is_option || has_nul, "{}", failure);
                prop_assert_eq!(failure.code.as_str(), "VALIDATION_ERROR");
                prop_assert!(failure.path.is_some() && !failure.sent);
            }
        }
    }
}

#[tokio::test]
async fn numbers_and_truth_values_are_words_and_objects_are_not() {
    let echo =
        script("printf '%s,' \"$@\"", vec![Word::Values { optional: false, value: argument("a") }]);
    assert_eq!(value(&echo, json!({ "a": [1, 2.5, true, "x"] })).await.unwrap(), "1,2.5,true,x,");
    for bad in [json!({}), json!([[1]]), json!([null]), json!(-5)] {
        let failure = value(&echo, json!({ "a": bad })).await.unwrap_err();
        assert_eq!(failure.code.as_str(), "VALIDATION_ERROR");
        assert_eq!(failure.path.as_deref(), Some("/a"));
    }
    let failure = value(&echo, json!({})).await.unwrap_err();
    assert_eq!(failure.message, "The argument `a` is missing.");
}

#[tokio::test]
async fn a_dry_run_shows_the_words_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let touch = super::command(
        "touch",
        vec![literal("--"), Word::Values { optional: false, value: argument("name") }],
    );
    let calling = Calling { dry_run: true, ..Calling::new(json!({ "name": "a b" })) };
    let answer = calling.run(&commands(folder.path()), &touch).await.unwrap();
    assert_eq!(answer.value, json!({ "command": ["touch", "--", "a b"] }));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
