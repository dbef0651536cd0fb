//! The category `system` of the shipped server: the operations of the engine, over every surface.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::{program, vaults};

/// A vault with the notes `One.md` and `Two.md`.
fn vault() -> TempDir {
    let folder = vaults::empty();
    for name in ["One", "Two"] {
        fs::write(folder.path().join(format!("{name}.md")), format!("text of {name}\n")).unwrap();
    }
    folder
}

/// A server of this vault, and how a surface calls an operation.
struct Session {
    client: Client,
    surface: &'static str,
    vault: TempDir,
}

impl Session {
    fn start(surface: &'static str, more: &[&str]) -> Self {
        let vault = vault();
        let arguments = [&["--surface", surface], more].concat();
        Self { client: Client::vault(vault.path(), &arguments), surface, vault }
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &Value,
    ) -> toolwrit_tests::drivers::client::CallResult {
        let id = format!("system.{name}");
        match self.surface {
            "flat" => self.client.call(&format!("system_{name}"), arguments),
            "dispatch" => {
                let call = json!({"operation": name, "params": arguments});
                self.client.call("system_read", &call)
            }
            _ => self.client.call("execute_read", &json!({"tool": id, "args": arguments})),
        }
    }

    fn ok(&mut self, name: &str, arguments: &Value) -> Value {
        self.call(name, arguments).ok()
    }
}

const SURFACES: [&str; 3] = ["flat", "dispatch", "meta"];

#[test]
fn introspect_describes_the_server_on_every_surface() {
    for surface in SURFACES {
        let mut session = Session::start(surface, &["--read-only"]);
        let found = session.ok("introspect", &json!({}));
        assert_eq!(
            (&found["server"], &found["surface"], &found["role"], &found["writes"]),
            (&json!("toolwrit-vault"), &json!(surface), &json!("owner"), &json!(false))
        );
        let name = session.vault.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(
            (&found["vault"]["name"], &found["vault"]["sample"]),
            (&json!(name), &json!(false))
        );
        let withheld = found["withheld"].as_array().unwrap();
        let reasons: Vec<&Value> = withheld.iter().map(|entry| &entry["reason"]).collect();
        assert!(reasons.contains(&&json!("WRITES_DISABLED")), "{found:#}");
        let writes = withheld.iter().find(|entry| entry["reason"] == "WRITES_DISABLED").unwrap();
        assert!(writes["operations"].as_array().unwrap().contains(&json!("vault.write")));
        assert!(writes["remedy"].as_str().unwrap().contains("--read-only"), "{writes}");
    }
    let mut meta = Session::start("meta", &[]);
    let mut own = meta.client.call("introspect", &json!({})).ok();
    own.as_object_mut().unwrap().remove("split");
    // The index may have been built between the two.
    let mut operation = meta.ok("introspect", &json!({}));
    for answer in [&mut own, &mut operation] {
        answer["vault"]["index"].take();
        answer["vault"].as_object_mut().unwrap().remove("notes");
    }
    assert_eq!(own, operation, "it is the same operation");
    let older = json!({"tool": "get_server_info", "args": {}});
    assert_eq!(meta.client.call("execute_read", &older).ok()["server"], "toolwrit-vault");
}

#[test]
fn the_size_of_the_vault_is_known_once_it_is_indexed() {
    let mut session = Session::start("flat", &[]);
    session.client.call("vault_search", &json!({"query": "text"})).ok();
    let found = session.ok("introspect", &json!({}));
    assert_eq!((&found["vault"]["index"], &found["vault"]["notes"]), (&json!("ready"), &json!(2)));
}

#[test]
fn roles_are_described_and_passed_on_with_each_call() {
    for surface in SURFACES {
        let mut session = Session::start(surface, &[]);
        let roles = session.ok("list_roles", &json!({}));
        assert_eq!(roles["role"], "owner");
        let names: Vec<&Value> =
            roles["roles"].as_array().unwrap().iter().map(|role| &role["name"]).collect();
        assert_eq!(names, ["owner", "editor", "reader"]);
        assert_eq!(roles["roles"][2]["operations"]["write"], 0);
        let reader = session.ok("load_role", &json!({"role": "reader"}));
        assert_eq!(reader["persona"], "You audit; you never change.");
        let vault = reader["allowed"]["vault"].as_array().unwrap();
        assert!(vault.contains(&json!("read")) && !vault.contains(&json!("write")), "{reader}");
        assert_eq!(reader["pass"]["http"], "the header `Toolwrit-Role: reader`, with each request");
        let error = session.call("load_role", &json!({"role": "raeder"})).error();
        assert_eq!(
            (&error["code"], &error["path"], &error["did_you_mean"]),
            (&json!("VALIDATION_ERROR"), &json!("/role"), &json!(["reader"]))
        );
        // It has changed nothing.
        assert_eq!(session.ok("introspect", &json!({}))["role"], "owner");
    }
    let mut meta = Session::start("meta", &[]);
    let call = json!({"tool": "system.introspect", "args": {}, "role": "reader"});
    assert_eq!(meta.client.call("execute_read", &call).ok()["role"], "reader");
}

#[test]
fn cookbooks_are_listed_read_and_prompts() {
    for surface in SURFACES {
        let mut session = Session::start(surface, &[]);
        let listed = session.ok("list_cookbooks", &json!({}));
        let names: Vec<&Value> =
            listed["cookbooks"].as_array().unwrap().iter().map(|own| &own["name"]).collect();
        assert_eq!(
            names,
            ["capture", "weekly-review", "tidy-folder", "publish-note", "literature-notes"]
        );
        let guide = session.ok("get_cookbook", &json!({"name": "tidy-folder"}));
        assert!(guide["text"].as_str().unwrap().starts_with("# Tidy a folder\n"), "{guide}");
        assert!(guide["operations"].as_array().unwrap().contains(&json!("vault.move")));
        let error = session.call("get_cookbook", &json!({"name": "tidy-foldr"})).error();
        assert_eq!(
            (&error["code"], &error["did_you_mean"]),
            (&json!("NOT_FOUND"), &json!(["tidy-folder"]))
        );
        let prompt = session.client.request("prompts/get", json!({"name": "tidy-folder"}));
        assert_eq!(prompt["result"]["messages"][0]["content"]["text"], guide["text"]);
    }
    let mut reader = Session::start("flat", &["--role", "reader"]);
    assert_eq!(reader.ok("list_cookbooks", &json!({}))["cookbooks"], json!([]));
    let prompts = reader.client.request("prompts/list", json!({}));
    let prompts = prompts["result"]["prompts"].as_array().map_or(0, Vec::len);
    assert_eq!(prompts, 0, "each of them writes");
}

#[test]
fn a_batch_reads_side_by_side_under_the_same_rules() {
    for surface in SURFACES {
        let mut session =
            Session::start(surface, &["--concurrency", "1", "--exclude", "vault.tags"]);
        let calls = json!([
            {"tool": "vault.read", "args": {"path": "One.md"}},
            {"tool": "vault_read", "args": {"path": "Missing.md"}},
            {"tool": "get_vault_file", "args": {"filename": "Two.md"}},
            {"tool": "vault.write", "args": {"path": "New.md", "content": "x"}},
            {"tool": "vault.tags"},
            {"tool": "vault.read", "args": {"paht": "One.md"}},
            {"tool": "system.batch_get", "args": {"calls": [{"tool": "vault.list"}]}},
            {"tool": "nothing.here"},
        ]);
        let results = session.ok("batch_get", &json!({ "calls": calls }))["results"].take();
        let results = results.as_array().unwrap();
        assert_eq!(results[0]["result"]["content"], "text of One\n");
        assert_eq!(results[2]["result"]["content"], "text of Two\n");
        let codes = [1, 3, 4, 5, 6, 7].map(|at| results[at]["error"]["code"].as_str().unwrap());
        assert_eq!(
            codes,
            [
                "NOT_FOUND",
                "VALIDATION_ERROR",
                "TOOL_NOT_FOUND",
                "VALIDATION_ERROR",
                "VALIDATION_ERROR",
                "TOOL_NOT_FOUND"
            ]
        );
        assert!(!session.vault.path().join("New.md").exists(), "nothing was written");
        let many = vec![json!({"tool": "vault.list"}); 21];
        let error = session.call("batch_get", &json!({ "calls": many })).error();
        assert_eq!(
            (&error["code"], &error["path"]),
            (&json!("VALIDATION_ERROR"), &json!("/calls"))
        );
    }
}

#[test]
fn batches_that_run_at_once_do_not_wait_for_each_other() {
    let mut session = Session::start("flat", &["--concurrency", "1"]);
    let calls = json!({"calls": vec![json!({"tool": "vault.read", "args": {"path": "One"}}); 20]});
    let begun: Vec<u64> =
        (0..4).map(|_| session.client.begin_call("system_batch_get", &calls)).collect();
    for id in begun {
        let results = session.client.finish_call(id).ok()["results"].take();
        let results = results.as_array().unwrap();
        assert!(results.iter().all(|own| own["result"]["path"] == "One.md"), "{results:?}");
    }
}

#[test]
fn metrics_count_calls_and_errors() {
    for surface in SURFACES {
        let mut session = Session::start(surface, &[]);
        let reads = json!({"calls": [
            {"tool": "vault.read", "args": {"path": "One"}},
            {"tool": "vault.read", "args": {"path": "Missing"}},
        ]});
        session.ok("batch_get", &reads);
        let found = session.ok("metrics", &json!({}));
        let operations = found["operations"].as_array().unwrap();
        let reads = operations.iter().find(|own| own["operation"] == "vault.read").unwrap();
        assert_eq!((&reads["calls"], &reads["errors"]), (&json!(2), &json!(1)));
        assert_eq!((&found["calls"], &found["errors"]), (&json!(3), &json!(1)));
        assert!(reads["longest_ms"].as_f64().unwrap() >= reads["average_ms"].as_f64().unwrap());
    }
    let mut session = Session::start("meta", &[]);
    session.client.tools();
    let listings = session.ok("metrics", &json!({}))["listings"].take();
    assert!(listings["requests"].is_u64() && !listings["sent_tokens"].is_null(), "{listings}");
}

#[test]
fn sample_data_is_restored_in_the_sample_vault_only() {
    let mut session = Session::start("meta", &[]);
    let seed = json!({"tool": "system.seed_test_data", "args": {}});
    let error = session.client.call("execute_write", &seed).error();
    assert_eq!(error["code"], "PROVIDER_UNAVAILABLE", "{error}");

    let data = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(program::toolwrit())
            .args(["call", "--json", "--sample"])
            .args(arguments)
            .current_dir(data.path())
            .env_remove("TOOLWRIT_VAULT")
            .env("XDG_DATA_HOME", data.path())
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    assert_eq!(run(&["system.seed_test_data"])["created"], json!([]));
    let notes = data.path().join("toolwrit/sample-vault");
    fs::remove_file(notes.join("Inbox.md")).unwrap();
    fs::write(notes.join("Start here.md"), "mine\n").unwrap();
    assert_eq!(run(&["system.seed_test_data"])["created"], json!(["Inbox.md"]));
    assert_eq!(fs::read_to_string(notes.join("Start here.md")).unwrap(), "mine\n");
    assert_eq!(run(&["system.introspect"])["vault"]["sample"], true);
}

/// Each operation that a cookbook mentions is one that it declares.
#[test]
fn cookbooks_name_the_operations_that_they_use() {
    let mut session = Session::start("flat", &[]);
    let listed = session.ok("list_cookbooks", &json!({}));
    for cookbook in listed["cookbooks"].as_array().unwrap() {
        let guide = session.ok("get_cookbook", &json!({"name": cookbook["name"]}));
        let text = guide["text"].as_str().unwrap();
        let is_id = |word: &&str| {
            ["vault.", "web.", "system.", "active."]
                .iter()
                .any(|category| word.starts_with(category))
        };
        let mentioned: std::collections::BTreeSet<&str> =
            text.split('`').skip(1).step_by(2).filter(is_id).collect();
        let declared = guide["operations"].as_array().unwrap().iter();
        let declared = declared.map(|id| id.as_str().unwrap()).collect();
        assert_eq!(mentioned, declared, "{}", cookbook["name"]);
    }
}
