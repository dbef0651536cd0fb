//! Programs that must compile, and the tables that the macro generates in them.
#![allow(dead_code, reason = "whole programs, of which only the tables are read")]
#![expect(clippy::expect_used, reason = "a table that lacks an operation must fail the test")]

use std::fmt::Debug;

use everything::{notes, types};
use toolwrit::generated::serde::{Serialize, de::DeserializeOwned};
use toolwrit_rows::{Operation, Presence, Returns, Served, Tables};

#[path = "pass/everything.rs"]
mod everything;
#[path = "pass/facade.rs"]
mod facade;
#[path = "pass/smallest.rs"]
mod smallest;

fn everything() -> &'static Tables {
    everything::authority().tables()
}

fn smallest() -> &'static Tables {
    smallest::authority().tables()
}

fn operation(id: &str) -> &'static Operation {
    everything()
        .operations
        .iter()
        .find(|operation| operation.id == id)
        .expect("a declared operation")
}

fn allowed(set: &[u64]) -> Vec<&'static str> {
    let operations = everything().operations.iter().enumerate();
    let allowed = operations.filter(|(at, _)| set[at / 64] >> (at % 64) & 1 == 1);
    allowed.map(|(_, operation)| operation.id.as_str()).collect()
}

#[test]
fn every_name_leads_to_its_operation() {
    let names: Vec<_> = everything().names.iter().map(|entry| &entry.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    let found = |name| {
        let entry = everything().names.iter().find(|entry| entry.name == name).expect(name);
        let operation = &everything().operations[usize::from(entry.operation)];
        let alias = entry.alias.map(|at| operation.aliases[usize::from(at)].name.as_str());
        (operation.id.as_str(), alias)
    };
    assert_eq!(found("notes.read"), ("notes.read", None));
    assert_eq!(found("nb_notes_read"), ("notes.read", None));
    assert_eq!(found("nb_fetch"), ("web.fetch", None));
    assert_eq!(found("get_file"), ("notes.read", Some("get_file")));
    assert_eq!(found("resources.note"), ("resources.note", None));
    let of = |tool| {
        let all = everything().operations.iter();
        all.filter(|own| (own.served == Served::Tool) == tool).count()
    };
    assert_eq!(found("open_file"), ("notes.read", Some("open_file")));
    // Tools have an id and a wire name, and two of them have three aliases; the others have an id.
    assert_eq!(names.len(), 2 * of(true) + 3 + of(false));
}

#[test]
fn policy_is_computed_for_every_focus_and_role() {
    let cell = |focus: usize, role: usize| allowed(&everything().policy[focus][role]);
    let (full, looking) = (0, 1);
    let (owner, reader, editor) = (0, 1, 2);
    let reads = [
        "notes.read",
        "notes.search",
        "type.match",
        "notes.picture",
        "web.fetch",
        "resources.note",
        "resources.inbox",
        "prompts.weekly-review",
        "prompts.interview",
        "resources.complete_note_path",
        "prompts.complete_interview_note_title",
    ];
    assert_eq!(cell(full, owner).len(), everything().operations.len());
    assert_eq!(cell(full, reader), reads);
    assert_eq!(cell(full, editor), reads, "a denial beats what the same role allows");
    let rest: Vec<_> = reads.into_iter().filter(|id| *id != "web.fetch").collect();
    assert_eq!(cell(looking, owner), rest, "the focus mode denies a category");
    assert_eq!(allowed(&everything().roles[owner].operations), cell(full, owner));
    let notes = ["notes.read", "notes.search", "notes.append", "notes.delete", "notes.picture"];
    let context = &everything().contexts[0];
    assert_eq!(allowed(&context.operations), notes);
    let signs = context.keywords.iter().chain(&context.patterns);
    let signs: Vec<(&str, f64)> = signs.map(|sign| (sign.text.as_str(), sign.weight)).collect();
    assert_eq!(signs, [("write", 1.0), ("draft", 0.5), (r"\bnote\b", 1.0), ("^#", 2.0)]);
    assert!((context.threshold - 0.4).abs() < f64::EPSILON);
}

#[test]
fn values_named_as_items_of_their_enum_are_values() {
    use types::Share;

    let all = [Share::AllValue, Share::All, Share::Err, Share::Other, Share::V2, Share::SelfValue];
    assert_eq!(Share::ALL, all);
    for share in all {
        assert_eq!(share.as_str().parse(), Ok(share));
    }
}

#[test]
fn inputs_are_in_the_order_of_the_parameter_struct() {
    let names =
        |id| operation(id).inputs.iter().map(|field| field.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names("notes.read"), ["path", "format", "max_bytes", "token", "fields"]);
    assert_eq!(names("notes.search"), ["query", "options", "since", "weights", "limit", "cursor"]);
    let read = &operation("notes.read").inputs;
    assert_eq!(read[1].presence, Presence::Default("\"markdown\"".to_owned()));
    assert_eq!(read[0].description, "Path of a note.", "from the declared type");
    assert!(read[3].sensitive, "from the declared type");
}

#[test]
fn results_are_text_objects_or_wrapped() {
    assert_eq!(operation("notes.append").returns, Returns::Text);
    assert!(matches!(operation("notes.read").returns, Returns::Object(_)));
    assert!(matches!(operation("type.match").returns, Returns::Object(_)));
    assert!(matches!(operation("notes.search").returns, Returns::Wrapped(_)));
    assert_eq!(operation("notes.picture").returns, Returns::Content);
}

#[test]
fn resources_and_prompts_are_operations_too() {
    let of = |at: u16| &everything().operations[usize::from(at)];
    let [note, inbox] = &*everything().resources else { panic!("two resources") };
    assert_eq!(
        (of(note.operation).id.as_str(), of(inbox.operation).id.as_str()),
        ("resources.note", "resources.inbox")
    );
    assert_eq!(of(note.operation).served, Served::Resource(0));
    assert!(note.subscribe && !inbox.subscribe);
    let [review, interview] = &*everything().prompts else { panic!("two prompts") };
    assert_eq!(of(interview.operation).served, Served::Prompt(1));
    let presence = |at: usize| of(review.operation).inputs[at].presence.clone();
    assert_eq!((presence(0), presence(1)), (Presence::Required, Presence::Optional));
    let completion = &operation("prompts.complete_interview_note_title").served;
    let (of, argument) = (interview.operation, "noteTitle".to_owned());
    assert_eq!(*completion, Served::Completion { of, argument });
}

#[test]
fn an_example_is_declared_or_generated() {
    assert_eq!(
        operation("notes.read").example.as_deref(),
        Some(r#"{"path":"Inbox.md","format":"json"}"#)
    );
    assert_eq!(operation("notes.search").example.as_deref(), Some(r#"{"query":"text"}"#));
    assert_eq!(operation("web.fetch").example.as_deref(), Some(r#"{"url":"https://example.org"}"#));
    assert_eq!(smallest().operations[0].example.as_deref(), Some("{}"));
}

#[test]
fn the_binary_contains_the_manifest() {
    let paths: Vec<_> = everything().sources.iter().map(|source| &source.path).collect();
    assert_eq!(paths, ["everything.yaml", "included/web.yaml"]);
    assert_eq!(everything().sources[0].text, include_str!("pass/everything.yaml"));
    assert_eq!(everything().server.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(everything().server.prefix, "nb_");
}

#[test]
fn an_authority_without_focus_and_roles_has_one_of_each() {
    assert_eq!((smallest().focus.len(), smallest().roles.len()), (1, 1));
    assert_eq!(smallest().policy[0][0], [1]);
}

#[test]
fn a_facade_gives_the_same_authority() {
    assert_eq!(facade::authority().tables().operations[0].id, smallest().operations[0].id);
    assert_eq!(facade::authority().tables().sources[0].text, include_str!("pass/smallest.yaml"));
}

#[test]
fn enums_are_printed_and_read_as_in_the_manifest() {
    assert_eq!(format!("{:>12}|", types::Status::InProgress), " in-progress|");
    for status in types::Status::ALL {
        assert_eq!(status.to_string().parse(), Ok(*status));
    }
    let unknown = "doing".parse::<types::Status>().expect_err("no value");
    assert_eq!(unknown.to_string(), "`doing` is not one of todo, in-progress, done");
}

/// Every generated struct implements these traits.
fn reads_back<T: Debug + Clone + PartialEq + Serialize + DeserializeOwned>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).expect("JSON"), json);
    assert_eq!(serde_json::from_str::<T>(json).expect("the same"), value.clone());
}

#[test]
fn generated_types_derive_serde_if_the_manifest_asks_for_it() {
    let meta = types::NoteMeta {
        path: "Inbox.md".to_owned(),
        title: "Inbox".to_owned(),
        status: Some(types::Status::InProgress),
        tags: Vec::new(),
        modified: toolwrit::Timestamp::UNIX_EPOCH,
    };
    reads_back(
        &meta,
        r#"{"path":"Inbox.md","title":"Inbox","status":"in-progress","tags":[],"modified":"1970-01-01T00:00:00Z"}"#,
    );
    let read = notes::Read {
        path: "a.md".to_owned(),
        format: notes::ReadFormat::V2d,
        max_bytes: None,
        token: None,
        fields: None,
    };
    reads_back(&read, r#"{"path":"a.md","format":"2d"}"#);
    let r#match = everything::r#type::Match { r#type: "x".to_owned(), r#gen: 1, r#match: true };
    reads_back(&r#match, r#"{"type":"x","gen":1,"match":true}"#);
}
