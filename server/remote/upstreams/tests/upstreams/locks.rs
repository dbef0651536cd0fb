//! Lock files: what is approved, what has changed, and what can be called.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwrit_upstreams::{
    BadLock, Change, Code, Location, Lock, ServerInfo, State, Tool, ToolList,
};

use crate::{Calling, supervise, text_of, within};
use toolwrit_requirement::number;

fn list(tools: &Value) -> ToolList {
    let tools = tools.as_array().unwrap().iter();
    ToolList::new(tools.map(|tool| Tool::new(tool.as_object().unwrap().clone()).unwrap()))
}

fn lock(tools: &Value) -> Lock {
    Lock::new(ServerInfo::default(), &list(tools))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_changes_under_our_hands_is_not_called() {
    let upstream = supervise("usual");
    let status = within(upstream.until(|status| status.state == State::Ready)).await;
    let before = upstream.tools().unwrap();
    let lock = Arc::new(Lock::new(status.server.unwrap(), &before));
    upstream.pin(lock.clone());
    assert!(upstream.verdict().unwrap().is_clean());
    assert_eq!(text_of("twice", &upstream).await, "first");
    assert_eq!(text_of("change", &upstream).await, "changed");
    within(async {
        while upstream.verdict().unwrap().is_clean() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let changes = BTreeMap::from([
        ("hang".to_owned(), Change::Text(vec!["description".to_owned()])),
        ("late".to_owned(), Change::Contract(vec!["annotations".to_owned()])),
        ("new".to_owned(), Change::New),
        ("twice".to_owned(), Change::Contract(vec!["inputSchema".to_owned()])),
        ("unknown".to_owned(), Change::Gone(None)),
    ]);
    assert_eq!(upstream.verdict().unwrap().changes, changes);
    for refused in ["late", "new", "twice", "unknown"] {
        let failure = Calling::new(refused).on(&upstream).await.unwrap_err();
        assert_eq!((failure.code, failure.sent), (Code::ProviderUnavailable, false), "{refused}");
    }
    let mut approved = (*lock).clone();
    approved.approve(upstream.tools().unwrap().get("twice").unwrap());
    upstream.pin(Arc::new(approved));
    assert_eq!(text_of("twice", &upstream).await, "first");
}

#[test]
fn a_text_that_goes_back_approves_nothing_else() {
    let tool = |description: &str, kind: &str| json!([{ "name": "t", "description": description, "inputSchema": { "type": kind } }]);
    let lock = lock(&tool("a", "object"));
    let change = |tools: &Value| lock.compare(&list(tools)).changes.remove("t");
    assert_eq!(change(&tool("a", "object")), None);
    assert_eq!(change(&tool("b", "object")), Some(Change::Text(vec!["description".to_owned()])));
    let contract = Some(Change::Contract(vec!["inputSchema".to_owned()]));
    assert_eq!(change(&tool("b", "array")), contract);
    assert_eq!(change(&tool("a", "array")), contract);
}

#[test]
fn texts_within_schemas_are_texts() {
    let tool = |field: Value| {
        let properties = json!({ "description": field });
        json!([{ "name": "t", "inputSchema": { "type": "object", "properties": properties } }])
    };
    let change = |before: Value, now: Value| {
        lock(&tool(before)).compare(&list(&tool(now))).changes.remove("t").unwrap()
    };
    let field = || vec!["inputSchema".to_owned()];
    let plain = json!({ "type": "string", "default": "a,b" });
    for now in [
        json!({ "type": "string", "default": "a,b", "title": "T", "examples": ["x"] }),
        json!({ "type": "string", "default": "a,b", "description": "Which." }),
        json!({ "type": "string", "default": "b, a" }),
    ] {
        assert_eq!(change(plain.clone(), now.clone()), Change::Text(field()), "{now}");
        assert_eq!(change(now, plain.clone()), Change::Text(field()));
    }
    for now in [
        json!({ "type": "string", "default": "a,c" }),
        json!({ "type": "string" }),
        json!({ "type": "string", "default": "a,b", "enum": ["title"] }),
        json!({ "type": "string", "default": "a,b", "properties": { "title": {} } }),
    ] {
        assert_eq!(change(plain.clone(), now.clone()), Change::Contract(field()), "{now}");
    }
    let named = |name: &str| json!({ "enum": [{ "title": name }] });
    assert_eq!(change(named("a"), named("b")), Change::Contract(field()));
}

#[test]
fn fields_that_come_and_go_are_changes() {
    let plain = json!([{ "name": "t", "inputSchema": {} }]);
    let more = json!([{ "name": "t", "inputSchema": {}, "outputSchema": {} }]);
    let annotated = json!([{ "name": "t", "inputSchema": {}, "annotations": { "title": "T" } }]);
    let other =
        json!([{ "name": "t", "inputSchema": {}, "execution": { "taskSupport": "required" } }]);
    for changed in [&more, &annotated, &other] {
        for (before, now) in [(&plain, changed), (changed, &plain)] {
            let verdict = lock(before).compare(&list(now));
            assert!(matches!(verdict.changes["t"], Change::Contract(_)), "{now}");
        }
    }
    let doubled = json!([{ "name": "t", "inputSchema": {} }, { "name": "t", "inputSchema": {} }]);
    let verdict = lock(&plain).compare(&list(&doubled));
    assert_eq!(verdict.changes["t"], Change::Gone(Some("2 tools have this name".to_owned())));
}

#[test]
fn a_hash_is_that_of_the_canonical_form() {
    let lock = lock(&json!([{ "inputSchema": { "b": 1.0, "a": "é" }, "name": "t" }]));
    let text = lock.write().unwrap();
    // echo -n '{"inputSchema":{"a":"é","b":1},"name":"t"}' | sha256sum
    let hash = "93c02872adb4e3bfb8b02f1a47bd028cd932cac1ad41bcaa9bee66483f646b0a";
    assert!(text.contains(hash), "{text}");
}

#[test]
fn a_lock_file_that_was_edited_is_refused() {
    let text = lock(&json!([{ "name": "t", "description": "before", "inputSchema": {} }]))
        .write()
        .unwrap();
    assert!(Lock::parse(&text).is_ok());
    let edited = Lock::parse(&text.replace("before", "after")).unwrap_err();
    assert_eq!(edited, BadLock::Hash("t".to_owned()));
    let newer = Lock::parse(&text.replace("format: 2", "format: 3")).unwrap_err();
    assert_eq!(newer, BadLock::Format(3));
    for bad in ["", "[]", "format: 1", "format: x", "a: &a [*a]", "\u{0}", "- ] -"] {
        assert!(matches!(Lock::parse(bad), Err(BadLock::Form(_))), "{bad}");
    }
}

fn program(words: &[&str]) -> Location {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    let (program, arguments) = words.split_first().unwrap();
    Location::Program { program: program.clone(), arguments: arguments.to_vec(), folder: None }
}

#[test]
fn an_approval_is_for_a_location() {
    let tools = json!([{ "name": "t", "inputSchema": {} }]);
    let (first, second) = (program(&["npx", "a@1"]), program(&["npx", "a@2"]));
    let approved = lock(&tools).for_location(first.clone());
    let read = Lock::parse(&approved.write().unwrap()).unwrap();
    assert_eq!(read.location(), Some(&first));
    assert_eq!(first.differs_from(&first), None);
    let why = first.differs_from(&second).unwrap();
    assert_eq!(why, "approved for npx a@1, configured is npx a@2");
    let words = program(&["npx", "a b", ""]).to_string();
    assert_eq!(words, r#"npx "a b" """#, "words stay apart");
    let address = |text: &str| Location::Address { address: text.to_owned() };
    let secret = address("https://ada:s3cret@example.com/a?key=s3cret");
    assert_eq!(secret.to_string(), "https://example.com/a");
    let why = secret.differs_from(&address("https://example.com/a")).unwrap();
    assert!(why.contains("another user or query of https://example.com/a"), "{why}");
}

#[test]
fn the_first_format_has_no_location() {
    let text = lock(&json!([{ "name": "t", "inputSchema": {} }])).write().unwrap();
    let first = Lock::parse(&text.replace("format: 2", "format: 1")).unwrap();
    assert_eq!((first.location(), first.approval("t")), (None, 0));
}

#[test]
fn a_tool_keeps_the_number_of_its_first_approval() {
    let tools = |names: &[&str]| {
        names.iter().map(|name| json!({ "name": name, "inputSchema": {} })).collect::<Value>()
    };
    let first = lock(&tools(&["a"])).numbered(None, 3);
    let next = lock(&tools(&["a", "b"])).numbered(Some(&first), 5);
    let next = Lock::parse(&next.write().unwrap()).unwrap();
    assert_eq!(["a", "b", "c"].map(|name| next.approval(name)), [3, 5, 0]);
    assert_eq!(next.last_approval(), 5);
}

#[test]
fn a_digest_is_that_of_the_tools_the_server_and_the_location() {
    let tool = |name: &str| json!({ "name": name, "inputSchema": {} });
    let server =
        |version: &str| ServerInfo { version: version.to_owned(), ..ServerInfo::default() };
    let digest = |tools: Value, version: &str, words: &[&str]| {
        Lock::new(server(version), &list(&tools)).for_location(program(words)).digest()
    };
    let first = digest(json!([tool("a"), tool("b")]), "1", &["x"]);
    assert_eq!(first, digest(json!([tool("b"), tool("a")]), "1", &["x"]), "whatever their order");
    for other in [
        digest(json!([tool("a")]), "1", &["x"]),
        digest(json!([tool("a"), tool("b")]), "2", &["x"]),
        digest(json!([tool("a"), tool("b")]), "1", &["x", ""]),
    ] {
        assert_ne!(first, other);
    }
    let numbered = lock(&json!([tool("a")]));
    assert_eq!(numbered.digest(), numbered.clone().numbered(None, 9).digest());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "(no|yes|~|null|1e3|0x1f|1_000|2026-01-01|\\.inf|<<|=|- a|#|: |'|\"|\u{85}|\u{2028}|\u{7f}|\u{feff}|\u{fffe}|\n|\t| )*"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_tool() -> impl Strategy<Value = Tool> {
    let fields = prop::collection::btree_map(
        prop_oneof!["description|title|inputSchema|outputSchema|annotations", any::<String>()],
        any_json(),
        0..5,
    );
    ("[a-z]{1,4}", fields).prop_map(|(name, fields)| {
        let mut json: Map<String, Value> = fields.into_iter().collect();
        json.insert("name".to_owned(), name.into());
        Tool::new(json).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(number(256, 2500)))]

    #[test]
    fn a_lock_file_is_read_as_it_was_written(tools in prop::collection::vec(any_tool(), 0..5)) {
        let list = ToolList::new(tools);
        let lock = Lock::new(ServerInfo::default(), &list);
        let read = Lock::parse(&lock.write().unwrap()).unwrap();
        prop_assert!(read.compare(&list).is_clean());
        prop_assert_eq!(read.write().unwrap(), lock.write().unwrap());
    }

    #[test]
    fn every_change_is_seen(tool in any_tool(), field in any::<String>(), value in any_json()) {
        let lock = Lock::new(ServerInfo::default(), &ToolList::new([tool.clone()]));
        let mut json = tool.json().clone();
        prop_assume!(field != "name" && json.get(&field) != Some(&value));
        // Numbers beyond the precision of doubles are equal in the canonical form.
        prop_assume!(value.as_i64().is_none_or(|number| number.unsigned_abs() < 1 << 53));
        json.insert(field.clone(), value);
        let verdict = lock.compare(&ToolList::new(Tool::new(json)));
        prop_assert_eq!(verdict.changes.len(), 1);
    }

    #[test]
    fn hostile_lock_files_are_refused(text in any::<String>()) {
        prop_assert!(Lock::parse(&text).is_err());
    }
}
