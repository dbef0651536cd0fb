//! Resources, prompts, completion, content and log messages, over standard streams in both protocol
//! revisions: what is offered to whom, and the errors.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::{program, vaults};

/// The server with everything, on one surface.
fn serve(flags: &[&str], era: Era) -> Client {
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    Client::connect(program, &[&["serve", "--surface", "flat"], flags].concat(), era)
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let items = list["result"][key].as_array().unwrap_or_else(|| panic!("{list}"));
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

fn capabilities(server: &mut Client, era: Era) -> Value {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    });
    let answer = match era {
        Era::Initialize => server.request("initialize", hello),
        Era::Stateless => server.request("server/discover", json!({})),
    };
    answer["result"]["capabilities"].clone()
}

#[test]
fn capabilities_are_declared_only_if_used() {
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let mut all = Client::start(program, &["serve"]);
    let declared = capabilities(&mut all, Era::Initialize);
    let expected = json!({
        "extensions": {"io.modelcontextprotocol/tasks": {}}, "logging": {}, "completions": {},
        "prompts": {}, "resources": {"subscribe": true}, "tools": {},
    });
    assert_eq!(declared, expected);

    let vault = vaults::empty();
    let path = vault.path().to_str().unwrap();
    let flags = ["serve", "--vault", path, "--exclude", "prompts"];
    let mut without_prompts = Client::start(program::toolwrit(), &flags);
    let declared = capabilities(&mut without_prompts, Era::Initialize);
    // Plugins come and go while the server runs.
    assert_eq!(declared, json!({"tools": {"listChanged": true}}));

    let excluded = ["--exclude", "prompts", "--exclude", "resources", "--exclude", "jobs"];
    let mut hidden = serve(&excluded, Era::Stateless);
    let declared = capabilities(&mut hidden, Era::Stateless);
    assert_eq!(declared, json!({"logging": {}, "tools": {}}));
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "test://static-text"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "test_simple_prompt"})),
        ("prompts/get", json!({})),
        ("completion/complete", json!({})),
    ] {
        assert_eq!(hidden.request(method, params)["error"]["code"], -32601, "{method}");
    }
}

#[test]
fn the_policy_applies_to_resources_and_prompts() {
    let flags = ["--exclude", "resources.static-text", "--exclude", "prompts.test_simple_prompt"];
    for era in Era::ALL {
        let mut server = serve(&flags, era);
        let resources = names(&server.request("resources/list", json!({})), "resources");
        assert_eq!(resources, ["static-binary", "watched"]);
        let prompts = names(&server.request("prompts/list", json!({})), "prompts");
        assert!(!prompts.contains(&"test_simple_prompt".to_owned()), "{prompts:?}");

        // A hidden resource looks like one that does not exist.
        let read = |server: &mut Client, uri: &str| {
            let mut error = server.request("resources/read", json!({"uri": uri}))["error"].take();
            error["data"]["error"]["did_you_mean"] = Value::Null;
            error.to_string().replace(uri, "URI")
        };
        let hidden = read(&mut server, "test://static-text");
        assert_eq!(hidden, read(&mut server, "test://nothing-here"));
        let get = |server: &mut Client, name: &str| {
            let mut error = server.request("prompts/get", json!({"name": name}))["error"].take();
            error["data"]["error"]["did_you_mean"] = Value::Null;
            error.to_string().replace(name, "NAME")
        };
        let hidden = get(&mut server, "test_simple_prompt");
        assert_eq!(hidden, get(&mut server, "no_such_prompt"));
    }
}

#[test]
fn a_missing_resource_is_not_logged() {
    let home = Home::new();
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let server = home.serve(program, &[]);
    for era in Era::ALL {
        let missing = json!({"uri": "test://missing"});
        let answer = server.client("").in_era(era).request("resources/read", missing);
        assert!(answer.json()["error"]["code"].is_i64(), "{answer:?}");
    }
    assert_eq!(server.end(), "");
}

#[test]
fn no_tool_runs_resources_or_prompts() {
    for (flags, tool, arguments) in [
        (["--surface", "meta"], "execute_read", json!({"tool": "resources.static-text"})),
        (["--surface", "meta"], "execute_read", json!({"tool": "prompts.test_simple_prompt"})),
        (["--surface", "dispatch"], "test_read", json!({"operation": "resources.static-text"})),
        (["--surface", "flat"], "resources.static-text", json!({})),
    ] {
        let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
        let command = [&["serve"], &flags[..]].concat();
        let mut server = Client::connect(program, &command, Era::Initialize);
        let tools = server.tools();
        assert!(tools.iter().all(|tool| !tool.to_string().contains("static-text")), "{tools:?}");
        assert_eq!(server.call(tool, &arguments).code(), "TOOL_NOT_FOUND", "{tool}");
    }
}

#[test]
fn templates_take_decoded_values() {
    for era in Era::ALL {
        let mut server = serve(&[], era);
        let listed = server.request("resources/templates/list", json!({}));
        let template = &listed["result"]["resourceTemplates"][0];
        assert_eq!(template["uriTemplate"], "test://template/{id}/data");
        assert_eq!(template["mimeType"], "application/json");

        let uri = "test://template/caf%C3%A9%2F1/data";
        let read = server.request("resources/read", json!({"uri": uri}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(
            (&contents["uri"], &contents["mimeType"]),
            (&uri.into(), &"application/json".into())
        );
        let data: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
        assert_eq!(data["id"], "café/1");

        for uri in ["test://template/a/b/data", "test://template//data", "test://template/%ff/data"]
        {
            let answer = server.request("resources/read", json!({"uri": uri}));
            let code = if era == Era::Stateless { -32602 } else { -32002 };
            assert_eq!(answer["error"]["code"], code, "{answer}");
            assert_eq!(answer["error"]["data"]["uri"], uri);
            assert_eq!(answer["error"]["data"]["error"]["code"], "NOT_FOUND");
        }
    }
}

#[test]
fn prompts_list_their_arguments_and_check_them() {
    for era in Era::ALL {
        let mut server = serve(&[], era);
        let listed = server.request("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"].as_array().unwrap();
        let with_arguments = prompts.iter().find(|p| p["name"] == "test_prompt_with_arguments");
        let expected = json!([
            {"name": "arg1", "description": "First test argument.", "required": true},
            {"name": "arg2", "description": "Second test argument.", "required": true},
        ]);
        assert_eq!(with_arguments.unwrap()["arguments"], expected);

        let get = |server: &mut Client, arguments: Value| {
            let params = json!({"name": "test_prompt_with_arguments", "arguments": arguments});
            server.request("prompts/get", params)
        };
        let written = get(&mut server, json!({"arg1": "{{arg2}}", "arg2": "b"}));
        let message = &written["result"]["messages"][0];
        assert_eq!(message["role"], "user");
        assert_eq!(message["content"]["text"], "Prompt with arguments: arg1='{{arg2}}', arg2='b'");

        for (arguments, pointer) in [
            (json!({"arg1": "a"}), "/arg2"),
            (json!({"arg1": "a", "arg2": "b", "arg3": "c"}), "/arg3"),
            (json!({"arg1": "a", "arg2": 5}), "/arg2"),
        ] {
            let error = get(&mut server, arguments)["error"].take();
            assert_eq!(error["code"], -32602, "{error}");
            assert_eq!(error["data"]["error"]["code"], "VALIDATION_ERROR");
            assert_eq!(error["data"]["error"]["path"], pointer);
        }
    }
}

#[test]
fn completions_are_limited_to_a_hundred() {
    for era in Era::ALL {
        let mut server = serve(&[], era);
        let complete = |server: &mut Client, reference: Value, argument: &str, value: &str| {
            let argument = json!({"name": argument, "value": value});
            server.request("completion/complete", json!({"ref": reference, "argument": argument}))
        };
        let template = json!({"type": "ref/resource", "uri": "test://template/{id}/data"});
        let found =
            complete(&mut server, template.clone(), "id", "")["result"]["completion"].take();
        assert_eq!((&found["total"], &found["hasMore"]), (&json!(1000), &json!(true)));
        assert_eq!(found["values"].as_array().unwrap().len(), 100);
        let found = complete(&mut server, template, "id", "99")["result"]["completion"].take();
        assert_eq!((&found["total"], &found["hasMore"]), (&json!(11), &json!(false)));

        let prompt = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
        let found =
            complete(&mut server, prompt.clone(), "arg1", "par")["result"]["completion"].take();
        assert_eq!(found["values"], json!(["paris", "park", "party"]));
        let found =
            complete(&mut server, prompt.clone(), "arg2", "par")["result"]["completion"].take();
        assert_eq!(found["values"], json!([]));
        let unknown = complete(&mut server, prompt, "arg3", "")["error"].take();
        assert_eq!(unknown["code"], -32602, "{unknown}");
        let nobody = json!({"type": "ref/prompt", "name": "nobody"});
        assert_eq!(complete(&mut server, nobody, "arg1", "")["error"]["code"], -32602);
    }
}

#[test]
fn content_is_blocks_on_every_surface() {
    for (surface, tool, arguments) in [
        ("flat", "test_multiple_content_types", json!({})),
        ("dispatch", "test_read", json!({"operation": "multiple_content_types"})),
        ("meta", "execute_read", json!({"tool": "test.multiple_content_types"})),
    ] {
        let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
        let mut server =
            Client::connect(program, &["serve", "--surface", surface], Era::Initialize);
        let result = server.call(tool, &arguments).0;
        let types: Vec<&Value> =
            result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
        assert_eq!(types, ["text", "image", "resource"], "{surface}: {result}");
        assert_eq!(result["content"][1]["mimeType"], "image/png");
        assert_eq!(result.get("structuredContent"), None);
    }
}

/// Waits for the news of a resource. Notifications and answers use the same stream, but independently: a notification
/// may arrive a moment later.
fn await_update(server: &mut Client) -> Value {
    loop {
        let is_update = |news: &&Value| news["method"] == "notifications/resources/updated";
        if let Some(news) = server.notifications.iter().find(is_update) {
            return news.clone();
        }
        let message = server.next_message();
        server.notifications.push(message);
    }
}

#[test]
fn a_session_is_notified_of_subscribed_resources() {
    let mut server = serve(&[], Era::Initialize);
    let uri = json!({"uri": "test://watched-resource"});
    let updates = |server: &mut Client| {
        let updated = |news: &Value| news["method"] == "notifications/resources/updated";
        std::mem::take(&mut server.notifications).into_iter().filter(updated).collect::<Vec<_>>()
    };
    assert_eq!(server.request("resources/subscribe", uri.clone())["result"], json!({}));
    server.call("test_touch_watched_resource", &json!({}));
    await_update(&mut server);
    assert_eq!(updates(&mut server)[0]["params"], uri);

    assert_eq!(server.request("resources/unsubscribe", uri.clone())["result"], json!({}));
    server.call("test_touch_watched_resource", &json!({}));
    server.call("test_simple_text", &json!({}));
    assert_eq!(updates(&mut server), Vec::<Value>::new());

    let other = json!({"uri": "test://static-text"});
    assert_eq!(server.request("resources/subscribe", other)["error"]["code"], -32002);
}

#[test]
fn a_listening_request_is_notified_of_its_resources() {
    let mut server = serve(&[], Era::Stateless);
    let wanted = ["test://watched-resource", "test://static-text"];
    let wish =
        json!({"notifications": {"resourceSubscriptions": wanted, "toolsListChanged": true}});
    let id = server.begin("subscriptions/listen", wish);
    let granted = server.next_message();
    assert_eq!(granted["method"], "notifications/subscriptions/acknowledged");
    let granted = &granted["params"]["notifications"];
    assert_eq!(granted, &json!({"resourceSubscriptions": ["test://watched-resource"]}));
    server.call("test_touch_watched_resource", &json!({}));
    let news = await_update(&mut server);
    assert_eq!(news["params"]["uri"], "test://watched-resource");
    let subscription = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(subscription, &json!(id));
}

#[test]
fn log_messages_are_sent_on_request() {
    let logged = |server: &mut Client| {
        server.notifications.clear();
        server.call("test_tool_with_logging", &json!({}));
        let messages = server.notifications.iter();
        let messages = messages.filter(|news| news["method"] == "notifications/message");
        messages.map(|news| news["params"]["data"].clone()).collect::<Vec<_>>()
    };
    let mut session = serve(&[], Era::Initialize);
    assert_eq!(logged(&mut session), Vec::<Value>::new(), "nobody asked");
    session.request("logging/setLevel", json!({"level": "info"}));
    assert_eq!(logged(&mut session).len(), 3);
    session.request("logging/setLevel", json!({"level": "warning"}));
    assert_eq!(logged(&mut session), Vec::<Value>::new(), "less severe than what is wanted");
    let wrong = session.request("logging/setLevel", json!({"level": "loud"}));
    assert_eq!(wrong["error"]["code"], -32602);

    let mut stateless = serve(&[], Era::Stateless);
    assert_eq!(logged(&mut stateless), Vec::<Value>::new());
    let answer = stateless.request("logging/setLevel", json!({"level": "info"}));
    assert_eq!(answer["error"]["code"], -32601);
}
