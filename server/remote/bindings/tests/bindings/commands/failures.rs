//! Commands that fail, or write something else than the table says.

use serde_json::json;
use toolwrit_bindings::Failure;
use toolwrit_bindings::model::{
    Command, Effect, Field, List, Path, Read, ResultTable, Segment, Shape,
};

use super::{Calling, command, commands, literal, script, text, value};

async fn failure(code: &str) -> Box<Failure> {
    value(&script(code, Vec::new()), json!({})).await.unwrap_err()
}

#[tokio::test]
async fn a_failure_has_the_end_of_the_error_output_without_secrets() {
    let found = failure("echo 'fatal: no repository for '$TOKEN >&2; exit 128").await;
    assert_eq!(found.code.as_str(), "UPSTREAM_ERROR");
    assert_eq!(
        found.message,
        "`sh` of tests ended with exit code 128: fatal: no repository for ***."
    );
    assert!(found.sent && !found.retryable);

    let silent = failure("exit 3").await;
    assert_eq!(silent.message, "`sh` of tests ended with exit code 3.");
    let killed = failure("kill -9 $$").await;
    assert_eq!(killed.message, "`sh` of tests ended by a signal.");

    let hidden = failure("printf 'a\\033[31mb\\342\\200\\256c\\377' >&2; exit 1").await;
    assert_eq!(
        hidden.message,
        "`sh` of tests ended with exit code 1: a\\u{1b}[31mb\\u{202e}c\u{fffd}."
    );

    // A secret that the limit cuts is not shown in part.
    let long =
        failure("i=0; while [ $i -lt 3000 ]; do echo \"$TOKEN $i\"; i=$((i+1)); done >&2; exit 1")
            .await;
    assert!(long.message.contains("exit code 1: …"), "{long}");
    assert!(long.message.ends_with("*** 2999."), "{long}");
    assert!(!long.message.contains("s3cret") && !long.message.contains("of-all"), "{long}");
    assert!(long.message.chars().count() < 600);
}

#[tokio::test]
async fn a_failed_change_says_that_a_part_may_have_been_made() {
    let change = Command { effect: Effect::Write, ..script("exit 1", Vec::new()) };
    let found = value(&change, json!({})).await.unwrap_err();
    assert!(found.hint.unwrap().starts_with("A part of the change may have been made."));
}

#[tokio::test]
async fn output_is_limited_text_or_json() {
    let large = command("head", vec![literal("-c9000000"), literal("/dev/zero")]);
    let found = value(&large, json!({})).await.unwrap_err();
    assert_eq!(found.code.as_str(), "RESULT_TOO_LARGE");
    assert_eq!(found.message, "`head` of tests wrote more than 8 MiB.");

    let found = failure("printf '\\377'").await;
    assert_eq!(found.message, "The output of `sh` of tests is not text in UTF-8.");

    let name = Segment::Name(text("name"));
    let fields = vec![Field {
        name: text("title"),
        optional: false,
        read: Some(Read::Body(List::Owned(vec![Path(List::Owned(vec![name]))]))),
        shape: Shape::Text,
    }];
    let read = Read::Body(List::Owned(vec![Path::ROOT]));
    let result = ResultTable { read, shape: Shape::Object(List::Owned(fields)) };
    let json_of = |code: &str| Command { result: Some(result.clone()), ..script(code, Vec::new()) };
    let good = json_of("echo '{\"name\": \"a\", \"other\": 1}'");
    assert_eq!(value(&good, json!({})).await.unwrap(), json!({ "title": "a" }));
    for (code, message) in [
        ("echo '{\"name\": '", "The output of `sh` of tests is not JSON."),
        ("echo '{\"name\": 1}'", "The answer of tests has another number at $.name."),
        ("echo '{}'", "The answer of tests has nothing at $.name."),
        ("true", "The answer of tests has nothing at $.name."),
    ] {
        let found = value(&json_of(code), json!({})).await.unwrap_err();
        assert_eq!((found.code.as_str(), &*found.message), ("UPSTREAM_ERROR", message));
    }
    let ignored = Command { result: None, ..script("printf '\\377'", Vec::new()) };
    assert_eq!(value(&ignored, json!({})).await.unwrap(), json!(null));
}

#[tokio::test]
async fn line_breaks_at_the_end_are_no_part_of_a_text() {
    let found = value(&script("printf 'a\\n\\nb\\n\\n'", Vec::new()), json!({})).await;
    assert_eq!(found.unwrap(), "a\n\nb");
    // Both streams are read at once, however much a command writes.
    let both = "i=0; while [ $i -lt 20000 ]; do echo out; echo error >&2; i=$((i+1)); done";
    let folder = tempfile::tempdir().unwrap();
    let answer = Calling::new(json!({}));
    let answer = answer.run(&commands(folder.path()), &script(both, Vec::new())).await.unwrap();
    assert_eq!(answer.value.as_str().unwrap().lines().count(), 20_000);
}
